"""The proof: another delivery of the same rows, and a normal form of answers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import Answer
from askos.demo.folder import Folder
from askos.demo.normal import interval_lines, report_lines, row_text
from askos.demo.proof import OTHER_PARTS, PARK, Proof, deliver_otherwise
from askos.demo.showing import proof_text
from askos.generate.simulate import simulate
from askos.generate.truth import FAULTS
from askos.generate.writing import Wanted, write_park
from askos.interval import Interval, moment
from askos.terms import Literal, Solution, Triple, URIRef, Variable

PIECES = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 20), st.integers(1, 9)).map(
        lambda drawn: (drawn[0], Interval(drawn[1], drawn[1] + drawn[2]))
    )
)


def held(pieces: list[tuple[str, Interval]], at: int) -> Counter[str]:
    return Counter(row for row, interval in pieces if interval.start <= at < interval.end)


@given(PIECES, PIECES)
def test_normal_forms_are_equal_exactly_where_all_snapshots_are(
    one: list[tuple[str, Interval]], other: list[tuple[str, Interval]]
) -> None:
    same = all(held(one, at) == held(other, at) for at in range(30))
    assert (list(interval_lines(one)) == list(interval_lines(other))) is same


@given(PIECES, st.randoms())
def test_pieces_and_their_order_do_not_matter(
    pieces: list[tuple[str, Interval]], random: Random
) -> None:
    cut = [
        (row, part)
        for row, whole in pieces
        for part in (
            Interval(whole.start, whole.start + 1),
            *([Interval(whole.start + 1, whole.end)] if whole.end > whole.start + 1 else []),
        )
    ]
    random.shuffle(cut)
    assert list(interval_lines(cut)) == list(interval_lines(pieces))


def test_a_report_has_its_instant_and_its_rows_in_order() -> None:
    rows = tuple(Solution({Variable("x"): Literal(text)}) for text in "ba")
    assert list(report_lines([Answer(0, rows), Answer(1000, ())])) == [
        f"{moment(0)} 2 rows",
        f'{moment(0)} ?x = "b"',
        f'{moment(0)} ?x = "a"',
        f"{moment(1000)} 0 rows",
    ]


def test_triples_and_truth_are_rows_too() -> None:
    a = URIRef("http://a.example/")
    assert row_text(Triple(a, a, Literal("x"))) == f'<{a}> <{a}> "x"'
    assert row_text(True) == "True"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = Folder(tmp_path_factory.mktemp("plain") / "park")
    write_park(simulate(PARK), folder.path, Wanted(("parquet",), 2))
    return folder


def test_the_other_delivery_has_the_same_rows_and_none_is_late(
    plain: Folder, tmp_path: Path
) -> None:
    deliver_otherwise(plain, tmp_path / "park")
    other = Folder(tmp_path / "park")
    assert other.said == plain.said
    for name in ("scada", "events"):
        files = sorted(other.stream(name).glob("*.parquet"))
        assert len(files) == OTHER_PARTS
        rows = [row for file in files for row in pq.read_table(file).to_pylist()]
        before = [row for file in sorted(plain.stream(name).glob("*")) for row in read(file)]
        assert rows != before
        assert Counter(map(str, rows)) == Counter(map(str, before))
        largest = 0
        for row in rows:
            largest = max(largest, row["ts"])
            assert row["ts"] >= largest - plain.said["lateness_ms"]


def read(file: Path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = pq.read_table(file).to_pylist()
    return found


def test_a_difference_would_be_shown(plain: Folder) -> None:
    same = Proof(plain, ["a", "b"], ["a", "b"], 1)
    assert list(proof_text(same))[-1].endswith("says nothing")
    other = Proof(plain, ["a", "b"], ["a", "c"], 1)
    assert list(proof_text(other))[-2:] == ["-b", "+c"]


def test_only_jobs_that_say_something_count(plain: Folder) -> None:
    said = ["ice [a, b) 1 x", "ice [c, d) 1 x", "silent [a, b) 1 y"]
    assert Proof(plain, said, said, 1).answering == 2


def test_the_park_has_a_fault_of_every_kind() -> None:
    assert {episode.kind for episode in simulate(PARK).truth} >= {*FAULTS}
