"""N-Quads as columns: the same statements as `read_nquads` finds, and what is none as it stands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.columns import Coder
from askos.io import read_nquads
from askos.io.constants import Constants
from askos.io.statements import Lines, Statements, count_lines
from askos.physical import ingest
from askos.terms import Literal, URIRef, n3, parse_term
from tests.io.labels import BAD, GOOD
from tests.io.quads import JUDGED, LINES, REFUSED, TAKEN

A, P, Q = "<http://e/a>", "<http://e/p>", "<http://e/q>"
GOOD_LINES = [
    f'{A} {P} "{n}" {label} .' for n, label in enumerate([*GOOD, "<urn:ms:999999999999999999>"])
] + [
    f'{A} {P} "with spaces and <urn:ms:1> ." <urn:ms:5> .',
    f'{A} {P} "quoted \\" <urn:ms:1> ." <urn:ms:5> . # a comment',
    f"  {A}\t{Q}_:b<urn:ms:5>.  ",
    f'_:b1 {Q} "hello"@en-GB <urn:ms:5> .',
    f'{A} {Q} "5"^^<http://www.w3.org/2001/XMLSchema#string> <urn:ms:6> .',
    f'{A} {Q} "" <urn:ms:6> .',
    f'{A} {Q} "caf\\u00E9 é 🌬" <urn:ms:7> .',
]
BAD_LINES = [
    *(f'{A} {P} "x" {label} .' for label in BAD),
    "half a line",
    f'{A} {P} "x" <urn:ms:5>',
    f'{A} {P} "x\\" <urn:ms:5> .',
    f"{A} {P} <urn:ms:5> .",
    f'"x" {P} {A} <urn:ms:5> .',
]
NO_LINES = ["", "   ", "\t", "# a comment", "  # <urn:ms:1> ."]


def rows(found: Lines) -> list[tuple[Any, ...]]:
    """In the order of the file."""
    return sorted((tuple(row.values()) for row in found.rows.to_pylist()), key=lambda row: row[4])


def read(text: str, reader: Statements | None = None) -> list[tuple[Any, ...]]:
    return rows((reader or Statements()).read(text.encode(), 1))


def is_good(row: Sequence[Any]) -> bool:
    return row[0] is not None and row[3] is not None


def judged(text: str) -> tuple[set[int], set[int]]:
    """The lines that are taken, and those that are refused, by who takes the columns."""
    table = Statements().read(text.encode(), 1).rows
    s, p, o, ts, line, _ = (column.combine_chunks() for column in table.columns)
    refused = {line[row].as_py() for row in ingest(s, p, o, ts, Coder.fresh()).refused.tolist()}
    return set(line.to_pylist()) - refused, refused


def test_statements_are_those_that_read_nquads_finds(tmp_path: Path) -> None:
    text = "\n".join([*NO_LINES, *GOOD_LINES, *BAD_LINES])
    (tmp_path / "lines.nq").write_text(text)
    known, rejected = read_nquads(tmp_path / "lines.nq")
    assert len(known) == len(GOOD_LINES)
    assert judged(text) == (set(known["line"].to_pylist()), set(rejected["line"].to_pylist()))
    found = {row[4]: row for row in read(text)}
    assert [found[row["line"]] for row in known.to_pylist()] == [
        (*row.values(), None) for row in known.to_pylist()
    ]


def test_both_hosts_take_what_the_grammar_takes(tmp_path: Path) -> None:
    text = "\n".join(LINES)
    (tmp_path / "lines.nq").write_bytes(text.encode())
    known, rejected = read_nquads(tmp_path / "lines.nq")
    assert set(known["line"].to_pylist()) == TAKEN
    assert set(rejected["line"].to_pylist()) == REFUSED
    assert judged(text) == (TAKEN, REFUSED)
    reasons = {row[4]: row[5] for row in read(text) if row[5]}
    assert reasons == {row["line"]: row["reason"] for row in rejected.to_pylist()}


# RDF 1.2 has no colons in blank nodes, and lets spaces stand before a datatype.
OTHERWISE = ("_:a:b", '"a" ^^<x:y>')


@pytest.mark.parametrize("text", [text for text in JUDGED if not any(o in text for o in OTHERWISE)])
def test_an_independent_reader_takes_the_same_lines(text: str) -> None:
    try:
        found = len(list(ox.parse(text.encode(), format=ox.RdfFormat.N_QUADS)))
    except SyntaxError:
        found = 0
    assert found == JUDGED[text]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_alike_for_both_readers(end: str, tmp_path: Path) -> None:
    text = end.join([f"{A} {P} {A} <urn:ms:1> . # said by a Mac", "# more", "half a line", "", ""])
    text += f"{A} {P} {A} <urn:ms:2> ."
    (tmp_path / "lines.nq").write_bytes(text.encode())
    known, rejected = read_nquads(tmp_path / "lines.nq")
    assert known["line"].to_pylist() == [1, 5]
    assert rejected["line"].to_pylist() == [3]
    assert judged(text) == ({1, 5}, {3})


def test_a_line_that_is_no_statement_is_an_object_alone() -> None:
    reason = "not a statement: three terms, a graph label and a dot"
    assert read("half a line\r\n") == [(None, None, "half a line", None, 1, reason)]
    line = f'{A} {P} "x" "yesterday"^^xsd:dateTime .'
    assert read(line) == [(None, None, line, None, 1, "the graph label is no xsd:dateTime")]


def test_bytes_that_are_no_utf8_stay_as_they_are() -> None:
    block = f'{A} {P} "1" <urn:ms:1> .\n'.encode() + b'\xff <urn:ms:2> .\n"caf\xe9"\n'
    found = Statements().read(block, 7).rows
    assert found["line"].to_pylist() == [7, 8, 9]
    texts = [value.as_buffer().to_pybytes() for value in found["o"]]
    assert texts == [b'"1"', b"\xff <urn:ms:2> .", b'"caf\xe9"']
    assert found["s"].null_count == 2


def test_lines_end_as_they_do_elsewhere() -> None:
    line = f'{A} {P} "1" <urn:ms:1> .'
    for end in ("\n", "\r\n", "\r"):
        assert [row[4] for row in read(end.join([line, "", line, line]))] == [1, 3, 4]
    assert not len(Statements().read(b"", 1).rows)


def test_triples_arrive_when_they_are_said_to() -> None:
    text = f'{A} {P} "1 2" .\n{A} {P} {A} .\n{A}{P}{A}.\n{A} {P} {A} <urn:ms:1> .'
    found = read(text, Statements(at=9))
    assert [(row[2], row[3]) for row in found[:3]] == [('"1 2"', 9), (A, 9), (A, 9)]
    assert found[3][:4] == (None, None, f"{A} {P} {A} <urn:ms:1> .", None)


SOME_LINES = st.lists(st.sampled_from([*GOOD_LINES, *BAD_LINES, *NO_LINES]), max_size=12)
CONSTANTS = st.lists(
    st.sampled_from(
        [
            (None, URIRef("http://e/p"), None),
            (None, URIRef("http://e/q"), Literal("5")),
            (URIRef("http://e/a"), None, Literal("hello", lang="EN-gb")),
            (None, None, Literal("café é 🌬")),
        ]
    ),
    max_size=2,
)


@given(SOME_LINES, CONSTANTS, st.sampled_from([5, 999999999999999999]))
def test_what_is_wrong_with_a_line_does_not_depend_on_what_is_wanted(
    lines: list[str], constants: Any, last: int
) -> None:
    text = "\n".join(lines)
    chosen = Statements(wanted=Constants(tuple(constants)).lines, last=last).read(text.encode(), 1)
    everything, kept = read(text), rows(chosen)
    left_out = [row for row in everything if row not in kept]
    assert all(row in everything for row in kept)
    assert sorted(row[3] for row in left_out) == sorted(chosen.passing.tolist())
    assert all(is_good(row) and row[3] <= last for row in left_out)
    for row in left_out:
        assert not any(_matches(row, constant) for constant in constants)


def _matches(row: tuple[Any, ...], constant: tuple[Any, ...]) -> bool:
    terms = [parse_term(text) for text in row[:3]]
    return all(want is None or want == term for want, term in zip(constant, terms, strict=True))


@given(SOME_LINES, st.integers(0, 12))
def test_blocks_are_read_one_by_one(lines: list[str], border: int) -> None:
    one, other = (
        "".join(f"{line}\n" for line in part) for part in (lines[:border], lines[border:])
    )
    first = Statements().read(one.encode(), 1)
    number = 1 + count_lines(one.encode())
    assert rows(first) + rows(Statements().read(other.encode(), number)) == read(one + other)


@pytest.mark.parametrize("constant", [Literal("a"), Literal("a", lang="en"), Literal(5)])
def test_rows_are_chosen_by_all_spellings_of_a_constant(constant: Literal) -> None:
    o = pa.array(['"a"', '"a"^^<http://www.w3.org/2001/XMLSchema#string>', '"b"'])
    p = pa.array([P] * 3)
    found = Constants(((None, URIRef("http://e/p"), constant),)).rows(p, p, o).to_pylist()
    assert found == [constant == Literal("a"), True, False]


def test_many_constants_are_one_test_of_a_column_and_none_of_lines() -> None:
    p = pa.array([P, Q, f"{P[:-1]}7>"])
    many = Constants(tuple((None, URIRef(f"http://e/p{n}"), None) for n in range(5000)))
    assert many.rows(p, p, p).to_pylist() == [False, False, True]
    assert many.lines is None


@pytest.mark.parametrize("empty", [Literal(0), Literal(""), Literal(False)])
def test_a_constant_that_is_false_in_python_is_one(empty: Literal) -> None:
    o = pa.array([n3(empty), '"1"'])
    constants = Constants(((None, None, empty),))
    assert constants.rows(o, o, o).to_pylist() == [True, False]
    line = f"{A} {P} {n3(empty)} <urn:ms:1> .\n{A} {P} {A} <urn:ms:2> .\n".encode()
    found = Statements(wanted=constants.lines).read(line, 1)
    assert found.rows["line"].to_pylist() == [1]
    assert found.passing.tolist() == [2]
