"""What reasoning makes of a query: canonical plans, what is refused, what runs."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

from askos import explain, local
from askos.algebra import Path, Stamped
from askos.cli import main
from askos.errors import QueryError, StreamError, UnsupportedError
from askos.explaining import explain as shown
from askos.physical import build
from askos.physical.nodes import Snapshot
from askos.prepared import prepare
from askos.sources import Catalogue
from askos.terms import Triple, URIRef
from askos.translate import create_plan, parse
from tests.build import EX, S1, triple
from tests.golden import Case, golden, update
from tests.reasoning.closing import DOMAIN, SUBPROPERTY

PREFIX = f"PREFIX : <{EX}>\n"
KNOWN = Catalogue().stream(EX.s1).graph(EX.schema, schema=True)
PARK = Catalogue().stream(EX.s1).graph(EX.park).graph(EX.schema, schema=True)
FROM = "FROM STREAM :s1 WINDOW RANGE 10 SLIDE 5"


@pytest.mark.parametrize("case", golden("canonical/reasoning"), ids=str)
def test_a_pattern_is_joined_with_the_schema(case: Case, pytestconfig: pytest.Config) -> None:
    query = parse(PREFIX + case.input)
    sources = PARK if "park" in case.input else KNOWN
    text = shown(create_plan(query, sources=sources, reasoning="rdfs"), query.prefixes)
    if pytestconfig.getoption("--update-golden"):
        update("canonical/reasoning", case, text)
        return
    assert text == case.plan


@pytest.mark.parametrize(
    "where", ["?t :power ?p", "?t a :Turbine ; :power ?p", "?t ?v ?o", "?t a ?c"]
)
@pytest.mark.parametrize("clauses", [FROM, "FROM STREAM :s1 [RANGE 10 STEP 5]"])
def test_patterns_run_without_evaluating_snapshots(where: str, clauses: str) -> None:
    text = f"{PREFIX} SELECT ?t {clauses} {{ {where} }}"
    query = prepare(text, sources=KNOWN, reasoning="rdfs")
    plan = build(query.plan, query.report, query.columns, query.clock)
    nodes = [node for stage in plan.stages for node in stage.plan.walk()]
    assert not any(isinstance(node, Snapshot) for node in nodes)
    assert query.graphs == (EX.schema,)


def test_without_a_schema_nothing_changes() -> None:
    where = "?t :power ?p ; :feeds* ?x FILTER (timestamp(?t) > 5)"
    text = f"{PREFIX} SELECT ?t FROM STREAM :s1 [RANGE 10 STEP 5] {{ {where} }}"
    assert prepare(text, reasoning="rdfs") == prepare(text)
    streams = Catalogue().stream(EX.s1)
    assert prepare(text, sources=streams, reasoning="rdfs") == prepare(text, sources=streams)


@pytest.mark.parametrize(
    ("clauses", "schema"),
    [
        (FROM, [EX.schema]),
        (f"{FROM} FROM :park", [EX.park, EX.schema]),
        (f"{FROM} FROM NAMED :park", [EX.park, EX.schema]),
        ("FROM STREAM :s1 [RANGE 10 STEP 5]", [EX.park, EX.schema]),
    ],
)
def test_the_schema_is_the_dataset_and_what_is_declared(clauses: str, schema: list[URIRef]) -> None:
    """Of the graphs that a query does not name, C-SPARQL's engine has all in its dataset."""
    text = f"{PREFIX} SELECT * {clauses} {{ ?t :power ?p }}"
    plan = create_plan(text, sources=PARK, reasoning="rdfs")
    walks = [node for node in plan.walk() if isinstance(node, Path)]
    assert walks
    assert all(sorted(walk.sources) == schema for walk in walks)


BY_MATCHES = "cannot go by its matches"
NOT_OFFERED = {
    "[RANGE 10 STEP 5] { ?t :power ?p FILTER (timestamp(?t) > 5) }": "timestamp.* is not offered",
    "{ ?t :power ?p WINDOW ELEMS 5 }": BY_MATCHES,
    "{ ?t :power ?p WINDOW START WHEN (?p > 5) END WHEN (?p < 5) }": BY_MATCHES,
}


@pytest.mark.parametrize(("where", "message"), NOT_OFFERED.items())
def test_what_is_not_offered_is_told_where_it_stands(where: str, message: str) -> None:
    text = f"{PREFIX}SELECT * FROM STREAM :s1 {where}"
    prepare(text, sources=KNOWN)
    with pytest.raises(UnsupportedError, match=message) as caught:
        prepare(text, sources=KNOWN, reasoning="rdfs")
    assert caught.value.line == 2
    assert caught.value.hint


def test_another_reasoner_is_refused() -> None:
    unknown: Any = "owl"
    text = f"{PREFIX} SELECT * {FROM} {{ ?t :power ?p }}"
    with pytest.raises(QueryError, match="reasoning 'owl' is not known"):
        prepare(text, reasoning=unknown)
    plan = create_plan(text)
    with pytest.raises(QueryError, match="reasoning='rdfs' does not apply to a plan"):
        prepare(plan, reasoning="rdfs")
    with pytest.raises(QueryError, match="does not apply to a prepared query"):
        prepare(prepare(plan), reasoning="rdfs")


def test_a_schema_must_be_readable_before_anything_starts() -> None:
    text = f"{PREFIX} SELECT * {FROM} {{ ?t :power ?p }}"
    with pytest.raises(StreamError, match="schema> has no data"):
        list(local.run(text, {EX.s1: []}, sources=KNOWN, reasoning="rdfs"))
    assert not list(local.run(text, {EX.s1: []}, sources=KNOWN))


def test_every_level_of_explain_takes_it() -> None:
    text = f"{PREFIX} SELECT * {FROM} {{ ?t :power ?p }}"
    for level in ("canonical", "optimized", "physical"):
        plan = explain(text, level=level, sources=KNOWN, reasoning="rdfs")
        assert "subPropertyOf" in plan


def test_the_commands_take_a_schema(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "query.rq").write_text(f"{PREFIX}SELECT * {FROM} {{ ?t a :Turbine ; :power ?p }}")
    (tmp_path / "stream.nq").write_text(f'<{EX.T1}> <{EX.tag}> "7" <urn:ms:3> .\n')
    schema = [triple("tag", SUBPROPERTY, "power"), triple("power", DOMAIN, "Turbine")]
    (tmp_path / "schema.nt").write_text("".join(f"{row} .\n" for row in schema))
    query, stream = str(tmp_path / "query.rq"), f"{EX.s1}={tmp_path / 'stream.nq'}"
    asked = ["run", query, "--stream", stream, "--host", "local", "--format", "csv", "--quiet"]
    asked += ["--schema", f"{EX.schema}={tmp_path / 'schema.nt'}"]
    assert main([*asked, "--reasoning", "rdfs"]) == 0
    assert capsys.readouterr().out == f"t,p,ts,te\r\n{EX.T1},7,3,10\r\n"
    assert main(asked) == 0
    assert capsys.readouterr().out == "t,p,ts,te\r\n"
    (tmp_path / "from.rq").write_text(f"{PREFIX}SELECT * {FROM} FROM :schema {{ ?t :power ?p }}")
    assert main(["explain", str(tmp_path / "from.rq"), "--reasoning", "rdfs"]) == 0
    assert "subPropertyOf" in capsys.readouterr().out


def test_a_stream_of_schema_is_data() -> None:
    """What comes and goes entails nothing for others."""
    rows = [Stamped(triple("tag", SUBPROPERTY, "power"), 1), Stamped(triple("T1", "tag", 7), 2)]
    known = Catalogue().stream(S1).graph(EX.schema, list[Triple](), schema=True)
    text = f"{PREFIX} SELECT * FROM STREAM :stream1 WINDOW RANGE 10 SLIDE 5 {{ ?t :power ?p }}"
    assert not list(local.run(text, {S1: rows}, sources=known, reasoning="rdfs"))
