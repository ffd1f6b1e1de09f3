from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pyarrow as pa
import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.errors import StreamError
from askos.interval import FOREVER
from askos.io import nquads, read_nquads, write_nquads
from askos.terms import XSD, BNode, Literal, URIRef, n3
from tests.hosts.hostile import BAD_LINES, NOT_UTF8
from tests.io.labels import BAD, GOOD, LONG, SHORT

A, B = "<http://a.example/>", "<http://b.example/>"


def table(*rows: tuple[str, str, str, int]) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else [(), (), (), ()]
    types = [pa.string(), pa.string(), pa.string(), pa.int64()]
    arrays = [pa.array(*pair) for pair in zip(columns, types, strict=True)]
    return pa.table(arrays, names=["s", "p", "o", "ts"])


def read(folder: Path, text: str | bytes) -> tuple[pa.Table, pa.Table]:
    file = folder / "stream.nq"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_nquads(file)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nquads")


def test_a_row_is_a_statement_whose_graph_is_the_instant(tmp_path: Path) -> None:
    write_nquads(table((A, B, '"c d"@en', 12), ("_:n", B, A, 0)), tmp_path / "out.nq")
    assert (tmp_path / "out.nq").read_text() == (
        f'{A} {B} "c d"@en <urn:ms:12> .\n_:n {B} {A} <urn:ms:0> .\n'
    )


def test_an_rdf_tool_can_load_the_file(tmp_path: Path) -> None:
    write_nquads(table((A, B, '"c"', 12)), tmp_path / "out.nq")
    [quad] = ox.parse(path=tmp_path / "out.nq", format=ox.RdfFormat.N_QUADS)
    assert str(quad.triple) == f'{A} {B} "c"'
    assert quad.graph_name == ox.NamedNode("urn:ms:12")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (table((A, B, '"two\nlines"', 1)), "a term holds a line break"),
        (table((A, B, '"c"', -1)), "a ts is not an instant"),
        (table((A, B, '"c"', FOREVER)), "a ts is not an instant"),
        (table((A, B, '"c"', 1)).set_column(0, "s", pa.nulls(1, pa.string())), "a row without s"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(
    tmp_path: Path, rows: pa.Table, message: str
) -> None:
    with pytest.raises(StreamError, match=message):
        write_nquads(rows, tmp_path / "out.nq")


IRIS = st.text("abü/.", max_size=5).map(lambda path: URIRef(f"http://x.example/{path}"))
LABELS = st.from_regex(r"[A-Za-z0-9_é](?:[a-z0-9.·-]*[a-z0-9-])?", fullmatch=True)
NODES = st.one_of(IRIS, LABELS.map(BNode))
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=8)
LITERALS = st.one_of(
    TEXT.map(Literal),
    st.builds(Literal, TEXT, lang=st.sampled_from(["en", "de-CH-1996"])),
    st.builds(Literal, TEXT, datatype=st.one_of(IRIS, st.just(XSD.double))),
)
ROWS = st.tuples(
    NODES.map(n3),
    IRIS.map(n3),
    st.one_of(NODES, LITERALS).map(n3),
    st.integers(0, FOREVER - 1),
)


@given(st.lists(ROWS, max_size=6))
def test_what_is_written_is_read_back(folder: Path, rows: list[tuple[str, str, str, int]]) -> None:
    write_nquads(table(*rows), folder / "out.nq")
    statements, rejected = read_nquads(folder / "out.nq")
    assert rejected.num_rows == 0
    assert statements.drop_columns(["line"]).equals(table(*rows))
    assert statements["line"].to_pylist() == list(range(1, len(rows) + 1))
    loaded = ox.parse(path=folder / "out.nq", format=ox.RdfFormat.N_QUADS)
    assert [str(quad.graph_name) for quad in loaded] == [f"<urn:ms:{row[3]}>" for row in rows]


@given(TEXT)
def test_any_text_is_read_or_rejected(folder: Path, text: str) -> None:
    statements, rejected = read(folder, text)
    assert statements.num_rows == 0
    assert rejected.num_rows <= text.count("\n") + 1


@pytest.mark.parametrize(
    "text",
    [
        r'"say \"hi\", then \\"',
        '"<a> <b> . # no comment"@en-GB',
        '"7.42"^^<http://www.w3.org/2001/XMLSchema#double>',
        r'"\u00e9\U0001F600 é"',
        '""',
        "_:b.1-é",
        r"<http://c.example/\u00e9>",
    ],
)
def test_terms_are_returned_as_written(tmp_path: Path, text: str) -> None:
    statements, rejected = read(tmp_path, f"{A} {B} {text} <urn:ms:5> .\n")
    assert rejected.num_rows == 0
    assert statements.to_pylist() == [{"s": A, "p": B, "o": text, "ts": 5, "line": 1}]


@pytest.mark.parametrize(
    "line",
    [
        '_:a<http://b.example/>"c"<urn:ms:7>.',
        '\t _:a  <http://b.example/>\t"c" <urn:ms:007>  .  # comment',
        '_:a <http://b.example/> "c" <urn:ms:7> .\r',
    ],
)
def test_white_space_and_comments_are_free(tmp_path: Path, line: str) -> None:
    statements, _ = read(tmp_path, line)
    assert statements.to_pylist() == [{"s": "_:a", "p": B, "o": '"c"', "ts": 7, "line": 1}]


def test_blank_lines_and_comments_are_skipped_but_counted(tmp_path: Path) -> None:
    statements, rejected = read(
        tmp_path, f"# head\n\n \t\n{A} {B} {A} <urn:ms:1> .\r\n  # foot\nbad\n"
    )
    assert statements["line"].to_pylist() == [4]
    assert rejected["line"].to_pylist() == [6]


@pytest.mark.parametrize("comment", ["# said by a Mac", f"{A} {B} {A} <urn:ms:1> . # more"])
def test_a_comment_does_not_swallow_lines_that_end_otherwise(tmp_path: Path, comment: str) -> None:
    for end in ("\r", "\r\n"):
        statements, rejected = read(tmp_path, f"{comment}{end}{A} {B} {A} <urn:ms:7> .{end}")
        assert statements["ts"].to_pylist()[-1] == 7
        assert statements["line"].to_pylist()[-1] == 2
        assert not len(rejected)


@pytest.mark.parametrize("text", ["", "\n", "# only a comment"])
def test_a_file_without_statements_gives_empty_tables(tmp_path: Path, text: str) -> None:
    statements, rejected = read(tmp_path, text)
    assert statements.schema == nquads.STATEMENTS
    assert rejected.schema == nquads.REJECTED
    assert statements.num_rows == rejected.num_rows == 0


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("nonsense", "not a statement"),
        ("This is prose.", "not a statement"),
        (f'{A} {B} "c" <urn:ms:1>', "not a statement"),
        (f'{A} {B} "c <urn:ms:1> .', "not a statement"),
        (f'{A} {B} "c" <urn:ms:1> . {A}', "not a statement"),
        (f'{A} {B} "c" .', "no timestamp as graph label"),
        (f'{A} {B} "c" {A} .', "no timestamp as graph label"),
        (f'{A} {B} "c" <urn:ms:soon> .', "no timestamp as graph label"),
        (f'{A} {B} "c" <urn:ms:1.5> .', "no timestamp as graph label"),
        (f'{A} {B} "c" _:g .', "no timestamp as graph label"),
        (f'{A} {B} "c" <urn:ms:-1> .', "timestamp out of range"),
        (f'{A} {B} "c" <urn:ms:{FOREVER}> .', "timestamp out of range"),
        (f'{A} {B} "c" <urn:ms:{10**30}> .', "timestamp out of range"),
        (f'ex:a {B} "c" <urn:ms:1> .', "the subject is not"),
        (f'<relative> {B} "c" <urn:ms:1> .', "the subject is not"),
        (f'<http://a b> {B} "c" <urn:ms:1> .', "the subject is not"),
        (f'"a" {B} "c" <urn:ms:1> .', "the subject is not"),
        (f'{A} _:b "c" <urn:ms:1> .', "the predicate is not"),
        (f"{A} {B} 5 <urn:ms:1> .", "the object is not"),
        (f"{A} {B} _:b. <urn:ms:1> .", "the object is not"),
        (rf'{A} {B} "\q" <urn:ms:1> .', "the object is not"),
        (f'{A} {B} "c"@ <urn:ms:1> .', "the object is not"),
        (f'{A} {B} "c"^^<double> <urn:ms:1> .', "the object is not"),
    ],
)
def test_a_bad_line_is_rejected_with_its_reason(tmp_path: Path, line: str, reason: str) -> None:
    statements, rejected = read(tmp_path, f"{A} {B} {A} <urn:ms:1> .\n{line}\n")
    assert statements["line"].to_pylist() == [1]
    [row] = rejected.to_pylist()
    assert (row["line"], row["text"]) == (2, line)
    assert row["reason"].startswith(reason)


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(("label", "ts"), GOOD.items())
def test_the_instant_may_be_milliseconds_or_a_date_time(
    tmp_path: Path, label: str, ts: int
) -> None:
    statements, rejected = read(
        tmp_path, f"{A} {B} {A} {label} .\n{A} {B} {A}{label}.\n{A} {B} {A} <urn:ms:7> .\n"
    )
    assert rejected.num_rows == 0
    assert statements["ts"].to_pylist() == [ts, ts, 7]


def test_labels_that_are_no_instants_are_rejected(tmp_path: Path) -> None:
    statements, rejected = read(tmp_path, "".join(f"{A} {B} {A} {label} .\n" for label in BAD))
    assert statements.num_rows == 0
    assert rejected.num_rows == len(BAD)


ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.lists(st.datetimes(datetime(1970, 1, 2), datetime(9999, 12, 30), timezones=ZONES)))
def test_date_times_of_any_zone_are_read(folder: Path, times: list[datetime]) -> None:
    stamps = [time.isoformat(timespec="milliseconds") for time in times]
    statements, rejected = read(folder, "".join(f'{A} {B} {A} "{s}"^^{LONG} .\n' for s in stamps))
    assert rejected.num_rows == 0
    whole = [(time - EPOCH) // timedelta(milliseconds=1) for time in times]
    assert statements["ts"].to_pylist() == whole


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2009-07-20T22:48:52", "the xsd:dateTime has no time zone"),
        ("2009-07-20T22:48:52.1234Z", "the xsd:dateTime is finer than a millisecond"),
        ("2009-02-30T22:48:52Z", "there is no such date"),
        ("2009-13-01T22:48:52Z", "there is no such date"),
        ("2009-07-20T25:48:52Z", "there is no such date"),
        ("2009-07-20T22:48:52+15:00", "the graph label is no xsd:dateTime"),
        ("2009-07-20", "the graph label is no xsd:dateTime"),
        ("yesterday", "the graph label is no xsd:dateTime"),
        ("1969-12-31T23:59:59Z", "timestamp out of range"),
    ],
)
def test_a_date_time_that_is_no_instant_is_rejected(tmp_path: Path, text: str, reason: str) -> None:
    good = f"{A} {B} {A} <urn:ms:1> .\n"
    statements, rejected = read(tmp_path, f'{good}{A} {B} {A} "{text}"^^{SHORT} .\n{good}')
    assert statements["line"].to_pylist() == [1, 3]
    [row] = rejected.to_pylist()
    assert row["reason"].startswith(reason)


def test_triples_without_labels_may_be_stamped_on_arrival(tmp_path: Path) -> None:
    file = tmp_path / "triples.nt"
    file.write_text(f"{A} {B} {A} .\n{A} {B} {A} <urn:ms:1> .\n{A} {B} .\n{A} {B} {A}. # c\n")
    statements, rejected = read_nquads(file, at=5)
    assert [(r["line"], r["ts"]) for r in statements.to_pylist()] == [(1, 5), (4, 5)]
    first, second = rejected["reason"].to_pylist()
    assert first == "a graph label, in a stream that is stamped on arrival"
    assert second.startswith("not a statement")


def test_the_last_instant_and_the_first_are_in_range(tmp_path: Path) -> None:
    line = f"{A} {B} {A} <urn:ms:{{}}> .\n"
    statements, _ = read(tmp_path, line.format(0) + line.format(FOREVER - 1))
    assert statements["ts"].to_pylist() == [0, FOREVER - 1]


def test_a_line_that_is_not_utf8_spoils_only_itself(tmp_path: Path) -> None:
    good = f'{A} {B} "é" <urn:ms:1> .\n'.encode()
    statements, rejected = read(tmp_path, good + good.replace("é".encode(), b"\xff") + good)
    assert statements["line"].to_pylist() == [1, 3]
    assert rejected.select(["line", "reason"]).to_pylist() == [
        {"line": 2, "reason": "the line is not UTF-8"}
    ]


def test_bad_bytes_and_bad_escapes_are_rejected_with_their_lines(tmp_path: Path) -> None:
    good = f'{A} {B} "é" <urn:ms:1> .\n'.encode()
    statements, rejected = read(tmp_path, good + b"".join(BAD_LINES) + good)
    assert statements["line"].to_pylist() == [1, len(BAD_LINES) + 2]
    assert rejected["line"].to_pylist() == list(range(2, len(BAD_LINES) + 2))
    assert rejected["reason"].to_pylist().count("the line is not UTF-8") == len(NOT_UTF8)


def test_lines_are_counted_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nquads, "_BLOCK", 100)
    text = "".join(f"{A} {B} {A} <urn:ms:{i}> .\n{'?' if i % 3 else '# c'}\n" for i in range(20))
    statements, rejected = read(tmp_path, text)
    assert statements["ts"].to_pylist() == list(range(20))
    assert statements["line"].to_pylist() == list(range(1, 41, 2))
    assert rejected["line"].to_pylist() == [2 * i + 2 for i in range(20) if i % 3]
