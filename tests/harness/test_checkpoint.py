"""askos.json: a restart runs what stands there, and refuses what it cannot go on with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from warnings import catch_warnings

import numpy as np
import pyarrow as pa
import pytest

from askos import __version__
from askos.algebra import Kind, Periodic
from askos.columns import Batch, Coder, Dictionary, decode
from askos.columns.ids import inline
from askos.errors import QueryError, SetupError, StreamError
from askos.physical import build
from askos.physical.exchange import split
from askos.physical.nodes import OrderedJoin
from askos.prepared import Options, Prepared, prepare
from askos.sources import Catalogue
from askos.spark.buckets import bucket_ids
from askos.spark.checkpoint import FORMATS, Checkpoint, begin, read, resume
from askos.terms import Literal, n3
from tests.build import EX, X, Y
from tests.hosts.cases import CASES, DATA
from tests.hosts.three import as_it_is, built

ROOT = Path(__file__).parents[2]
STREAM = f"FROM STREAM <{EX}s> WINDOW RANGE 10 SLIDE 5"
TEXT = f"SELECT ?x ?y {STREAM} {{ ?x <{EX}p> ?y OPTIONAL {{ ?x <{EX}q> ?z }} FILTER(?y > 2 + 3) }}"


def begun(folder: Path, query: Prepared, buckets: int = 2) -> Checkpoint:
    """A checkpoint that has run."""
    made = begin(folder, query, built(query), buckets, 2)
    (folder / "offsets").mkdir(exist_ok=True)
    (folder / "offsets" / "0").touch()
    return made


def edit(folder: Path, **parts: Any) -> None:
    file = folder / "askos.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | parts))


@pytest.mark.parametrize("name", CASES)
def test_what_is_written_is_read(name: str, tmp_path: Path) -> None:
    made = begun(tmp_path, as_it_is(CASES[name], DATA.sources))
    without = replace(made, query=replace(made.query, sources=Catalogue()))
    assert read(tmp_path) == without, "all but what the caller knows of the sources"
    assert read(tmp_path).job(tmp_path, "") == made.job(tmp_path, "")


def test_a_query_goes_on_with_what_is_stored(tmp_path: Path) -> None:
    assert resume(tmp_path, prepare(TEXT), None) is None
    made = begun(tmp_path, prepare(TEXT), buckets=5)
    assert resume(tmp_path, prepare(TEXT), None) == made
    assert resume(tmp_path, prepare(TEXT), 5) == made
    assert resume(tmp_path, prepare(prepare(TEXT).canonical), None) == made, "the same as a plan"


def test_a_checkpoint_that_never_ran_begins_anew(tmp_path: Path) -> None:
    begin(tmp_path, prepare(TEXT), build(prepare(TEXT).plan), 2, 2)
    assert resume(tmp_path, as_it_is(CASES["join"]), 7) is None


@pytest.mark.parametrize(
    ("given", "buckets", "message"),
    [
        (prepare(TEXT.replace("?y > 2", "?y > 1")), None, "another query"),
        (prepare(prepare(TEXT.replace("?y > 2", "?y > 1")).canonical), None, "another query"),
        (
            prepare(TEXT, report=Periodic(Kind.RSTREAM, (5,))),
            None,
            r"the report Inter.*, not P",
        ),
        (prepare(TEXT), 3, "a bucket count of 2, not 3"),
    ],
)
def test_what_differs_is_refused_by_name(
    given: Prepared, buckets: int | None, message: str, tmp_path: Path
) -> None:
    begun(tmp_path, prepare(TEXT))
    with pytest.raises(QueryError, match=f"checkpoint {tmp_path} was made with {message}"):
        resume(tmp_path, given, buckets)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"boundary": "[o,c)"}, r"the boundary \(o,c\], not \[o,c\)"),
        ({"origin": 3}, "the origin 0, not 3"),
        ({"report": "istream"}, r"the report Periodic\(.*RSTREAM.*, not Periodic\(.*ISTREAM"),
        ({"report": "intervals"}, r"the report Periodic\(.*, not Intervals"),
        ({"every": "7s"}, r"the report .*every=\(5,\).*, not .*every=\(7000,\)"),
        ({"nonempty": True}, "the report .*nonempty=False.*, not .*nonempty=True"),
    ],
)
def test_other_options_are_refused_by_name(options: Options, message: str, tmp_path: Path) -> None:
    text = f"SELECT ?x FROM STREAM <{EX}s> [RANGE 10 STEP 5] {{ ?x <{EX}p> ?y }}"
    begun(tmp_path, prepare(text))
    assert resume(tmp_path, prepare(text, every="5", boundary="(o,c]"), None), "the same, said"
    with pytest.raises(QueryError, match=f"checkpoint {tmp_path} was made with {message}"):
        resume(tmp_path, prepare(text, **options), None)


def test_one_text_with_another_meaning_is_refused(tmp_path: Path) -> None:
    windowed = f"SELECT ?x {STREAM} {{ ?x <{EX}p> ?y }}"
    first, other = prepare(windowed), prepare(windowed.replace(f"{EX}s", f"{EX}t"))
    begun(tmp_path, first)
    same = Prepared(other.canonical, other.plan, other.report, first.text)
    with pytest.raises(QueryError, match=f"the streams {EX}s, not {EX}t"):
        resume(tmp_path, same, None)
    wider = prepare(windowed.replace("RANGE 10", "RANGE 20"))
    same = Prepared(wider.canonical, wider.plan, wider.report, first.text)
    with pytest.raises(QueryError, match="another meaning of the same text"):
        resume(tmp_path, same, None)


def test_what_would_be_planned_otherwise_today_goes_on_with_a_remark(tmp_path: Path) -> None:
    """As after an update: another version wrote the file, with other rules."""
    today = prepare(TEXT)
    before = Prepared(today.canonical, today.canonical, today.report, today.text)
    begun(tmp_path, before)
    edit(tmp_path, askos="0.0.9")
    with pytest.warns(UserWarning, match=r"would plan this query otherwise .* askos 0\.0\.9 made"):
        found = resume(tmp_path, today, None)
    assert found
    assert found.physical == build(before.plan) != build(today.plan)


def test_joins_go_on_in_the_form_they_began_in(tmp_path: Path) -> None:
    text = f"SELECT ?x {STREAM} {{ ?x <{EX}p> ?y . ?x <{EX}q> ?z }}"
    few = prepare(text, sources=Catalogue().stream(f"{EX}s", rows_per_batch=1))
    begun(tmp_path, few)
    with pytest.warns(UserWarning, match="would plan this query otherwise"):
        found = resume(tmp_path, prepare(text), None)
    assert found
    assert any(isinstance(node, OrderedJoin) for node in found.physical.stages[0].plan.walk())
    assert resume(tmp_path, few, None) == found, "nothing to remark"


@pytest.mark.parametrize("plan", ["ordered", "scan", "hash", 3])
def test_a_plan_that_was_asked_for_goes_on_whatever_is_expected(
    plan: int | str, tmp_path: Path
) -> None:
    text = f"SELECT ?x {STREAM} {{ ?x <{EX}p> ?y . ?x <{EX}q> ?z }}"
    made = begun(tmp_path, prepare(text, plan=plan))
    few = Catalogue().stream(f"{EX}s", rows_per_batch=1)
    with catch_warnings(action="ignore"):  # the rest may be planned otherwise
        for asked in (plan, None):
            assert resume(tmp_path, prepare(text, sources=few, plan=asked), None) == made
    assert resume(tmp_path, prepare(text), None) == made, "nothing to remark"
    assert resume(tmp_path, prepare(text, plan="+".join(made.physical.ways)), None) == made
    with pytest.raises(QueryError, match=r"was made with the plan .*, not simple.columnar"):
        resume(tmp_path, prepare(text, plan="simple+columnar"), None)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_of_another_version_is_refused_with_both(name: str, tmp_path: Path) -> None:
    begun(tmp_path, prepare(TEXT))
    edit(tmp_path, askos="7.1", formats=FORMATS | {name: 99})
    why = f"askos 7.1, and askos {__version__} cannot read it: its format of {name} is 99"
    with pytest.raises(SetupError, match=why):
        resume(tmp_path, prepare(TEXT), None)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "[]",
        "{}",
        '{"plan": "abc", "buckets": 2, "partitions": 2, "key": "00", "format": 2}',
        json.dumps({"askos": "1", "formats": FORMATS}),
        json.dumps({"askos": "1", "formats": FORMATS, "physical": {"askos plan": 1, "is": "No"}}),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(text: str | None, tmp_path: Path) -> None:
    begun(tmp_path, prepare(TEXT))
    if text is None:
        (tmp_path / "askos.json").unlink()
    else:
        (tmp_path / "askos.json").write_text(text)
    with pytest.raises(SetupError, match=f"askos.json was written by .* askos {__version__}"):
        resume(tmp_path, prepare(TEXT), None)


def test_static_data_is_read_once_and_its_tables_are_kept_by_hash(tmp_path: Path) -> None:
    park = tmp_path / "park.nt"
    park.write_text(f"<{EX}a> <{EX}site> <{EX}north> .\n")
    known = Catalogue().stream(EX.s).graph(EX.g, park)
    text = f"SELECT * {STREAM} FROM NAMED <{EX}g> {{ ?x <{EX}p> ?y GRAPH <{EX}g> {{ ?x ?q ?z }} }}"
    query, folder = prepare(text, sources=known), tmp_path / "checkpoint"
    made = begun(folder, query)
    assert len(made.tables) == len(made.physical.tables) > 0
    found = resume(folder, query, None)
    assert found
    assert (found.physical, found.tables) == (made.physical, made.tables)
    park.write_text(f"<{EX}a> <{EX}site> <{EX}south> .\n")
    with pytest.warns(UserWarning, match=f"the file of the graph <{EX}g> has changed"):
        resume(folder, query, None)
    (folder / "tables" / f"{made.tables[0]}.table").write_bytes(b"")
    with pytest.raises(StreamError, match="has lost part of its static data: table 0"):
        resume(folder, query, None)


@pytest.mark.thorough
def test_a_plan_does_not_depend_on_the_hashes_of_a_process() -> None:
    """Else a restart would say that it plans otherwise."""
    code = (
        "from tests.hosts.cases import CASES\n"
        "from askos.algebra import to_json\n"
        "from askos.physical import build\n"
        "from askos.prepared import prepare\n"
        "for plan in CASES.values(): print(to_json(build(prepare(plan).plan)))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1
    assert found.pop()


# ---- formats ---------------------------------------------------------------------------------

NEXT = "what is stored has changed: count its version in FORMATS up, then pin it again"


def test_term_ids_are_those_of_their_format() -> None:
    texts = pa.array(["<http://x/a>", '"text"@en', "_:b"])
    hashed, _ = Coder("0123456789abcdef").encode(texts)
    numbers = inline(pa.array(['"12.50"^^<http://www.w3.org/2001/XMLSchema#decimal>']))
    assert (FORMATS["ids"], hashed.tolist(), numbers.tolist()) == PINNED_IDS, NEXT


def test_buckets_are_those_of_their_format() -> None:
    ids = np.arange(1, 9, dtype=np.int64) << 50
    rows = Batch({X: ids}, ids, ids, Dictionary())
    places = {int(x): place for place, part in split(rows, (X,), 5) for x in part.column(X)}
    found = [places[int(x)] for x in ids]
    assert (FORMATS["buckets"], found, bucket_ids(1, 5, 3)) == PINNED_BUCKETS, NEXT


def test_a_batch_stored_in_its_format_is_read() -> None:
    """The file is named by the format; it was written with `batch().to_bytes()`."""
    file = ROOT / "tests" / "golden" / f"batch-{FORMATS['batch']}.bin"
    found = Batch.from_bytes(file.read_bytes())
    assert {v: ids.tolist() for v, ids in found.columns.items()} == {
        v: ids.tolist() for v, ids in batch().columns.items()
    }, NEXT
    assert (found.ts.tolist(), found.te.tolist()) == ([3, 5], [4, 6]), NEXT
    assert decode(found.column(X), found.dictionary) == [EX.a, Literal("b")], NEXT


def batch() -> Batch:
    ids, texts = Coder("0123456789abcdef").encode(pa.array([n3(EX.a), '"b"']))
    times = np.array([3, 5], np.int64)
    return Batch({X: ids, Y: ids[::-1]}, times, times + 1, texts)


HASHED = [4251167206525046931, 3338345346070020773, 2079787771403546011]
PINNED_IDS = (1, HASHED, [5225301467656619234])
PINNED_BUCKETS = (2, [4, 2, 0, 3, 1, 4, 2, 0], (13, 15, 3, 19, 16))
