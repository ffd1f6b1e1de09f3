"""Static graphs that are reloaded while queries run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import Distinct, GraphAccess, Intervals, Join, Operator, Report, Union
from askos.errors import QueryError, StreamError
from askos.local import Engine
from askos.physical import build
from askos.physical.plan import Reloadable
from askos.prepared import Prepared, prepare
from askos.queries import prepare_all
from askos.sources import Catalogue, Graph
from askos.spark.answers import RELOADS
from askos.static.watched import WatchedFiles
from askos.terms import Triple, URIRef, Variable, n3
from tests.build import EX, G1, S1, W, X, Y, Z, pattern, stream, triple
from tests.hosts.cases import sliding
from tests.hosts.harness import Harness
from tests.hosts.moments import (
    Change,
    Moment,
    arrivals,
    judge,
    moments,
    on_harness,
    on_local,
    with_truths,
)
from tests.hosts.strategies import Delivery, deliveries
from tests.hosts.test_bases import plans
from tests.hosts.texts import reports
from tests.hosts.three import difference
from tests.strategies import triples

G2 = EX.graph2

# ---- the law ---------------------------------------------------------------------------------


@st.composite
def reloadable(draw: st.DrawFn) -> Operator:
    """A plan of streams and of two graphs, at least one of which may be reloaded."""
    again = draw(st.sampled_from([{G1}, {G2}, {G1, G2}]))

    def access(node: Operator) -> Operator:
        if not isinstance(node, GraphAccess):
            return node
        graph = draw(st.sampled_from([G1, G2]))
        return GraphAccess(graph, graph in again)

    return draw(plans()).transform(access)


@st.composite
def changed(draw: st.DrawFn, told: Sequence[Moment], graphs: list[URIRef]) -> list[Moment]:
    """With reloads and updates, for now or for instants that follow each other."""
    few = st.lists(triples(), max_size=4)
    last = dict.fromkeys(graphs, 0)
    made = []
    for moment in told:
        reloads = []
        for _ in range(draw(st.integers(0, 2)) if graphs else 0):
            graph = draw(st.sampled_from(graphs))
            at = draw(st.none() | st.integers(last[graph], 30))
            last[graph] = max(last[graph], at or 0)
            reloads.append(Change(graph, draw(few), at, draw(st.none() | few)))
        made.append(replace(moment, reloads=reloads))
    return made


@given(
    st.data(),
    reloadable(),
    st.one_of(st.just(Intervals()), reports()),
    deliveries(8),
    st.sampled_from([1, 2, 5]),
    st.randoms(use_true_random=False),
)
def test_every_snapshot_sees_the_versions_in_force(
    data: st.DataObject,
    plan: Operator,
    report: Report,
    delivery: Delivery,
    buckets: int,
    choices: Random,
) -> None:
    query = Prepared(plan, plan, report, sources=delivery.sources.graph(G2, delivery.graph[:2]))
    told = with_truths(moments(delivery), query.streams, choices)
    moves = data.draw(changed(told, sorted(query.reloadable)))
    here, there = list[int](), list[int]()
    found = on_local(query, moves, buckets, here)
    assert difference(judge(query, moves, here), found) is None
    found = on_harness(query, moves, buckets, choices.random(), faults=True, instants=there)
    assert difference(judge(query, moves, there), found) is None


# ---- plans -----------------------------------------------------------------------------------

COMING = pattern(X, "p", Y, sliding())
PARK = pattern(X, "r", W, GraphAccess(G1, True))
JOINED = Join(COMING, PARK)


def test_what_may_be_reloaded_is_no_base() -> None:
    (stage,) = build(Join(COMING, PARK)).stages
    assert [node.number for node in stage.plan.walk() if isinstance(node, Reloadable)] == [0]
    assert stage.key == (X,)


def test_what_reads_no_stream_is_one_table_though_only_part_of_it_may_be_reloaded() -> None:
    plan = build(Join(COMING, Join(PARK, pattern(W, "q", Z, GraphAccess(G2)))))
    assert [table.graphs for table in plan.reloadable.values()] == [(G1, G2)]


def test_a_base_beside_it_stays_one() -> None:
    both = Join(Join(COMING, pattern(X, "q", Z, GraphAccess(G2))), PARK)
    assert [*build(both).reloadable] == [1]


def test_the_catalogue_says_what_may_be_reloaded() -> None:
    text = f"SELECT * FROM STREAM <{S1}> WINDOW RANGE 9 SLIDE FROM <{G1}> {{ ?s ?p ?o }}"
    query = prepare(text, sources=Catalogue().stream(S1).graph(G1, [], reloadable=True))
    assert query.reloadable == (G1,)


# ---- instants --------------------------------------------------------------------------------

OLD, NEW, NEXT = ([triple("t1", "r", n)] for n in (1, 2, 3))


def run(*given: Moment, plan: Operator = JOINED) -> tuple[list[int], list[object]]:
    """From when on reloads count, and the answers, which are right."""
    sources = Catalogue().stream(S1).graph(G1, OLD, reloadable=True).graph(G2, OLD, True)
    query = Prepared(plan, plan, Intervals(), sources=sources)
    here, there = list[int](), list[int]()
    found = on_local(query, given, 2, here)
    assert difference(judge(query, given, here), found) is None
    assert difference(found, on_harness(query, given, 2, instants=there)) is None
    return here, found


FIRST, LATER = arrivals(S1, *stream(("t1", "p", 7, 3))), arrivals(S1, *stream(("t1", "p", 8, 9)))


def test_a_reload_counts_from_the_instant_that_is_asked_for() -> None:
    assert run(FIRST, Moment(reloads=[Change(G1, NEW, 6)]), LATER)[0] == [6]


def test_but_not_before_what_has_been_told() -> None:
    (at,), _ = run(FIRST, LATER, Moment(reloads=[Change(G1, NEW, 2)]))
    assert at > 2


def test_a_later_version_may_be_told_before_an_earlier_one_of_another_graph() -> None:
    plan = Join(Join(COMING, PARK), pattern(X, "r", Z, GraphAccess(G2, True)))
    later = Moment(reloads=[Change(G1, NEW, 8), Change(G2, NEXT, 5)])
    assert run(FIRST, later, LATER, plan=plan)[0] == [8, 5]


def test_versions_of_one_graph_do_not_go_back() -> None:
    with pytest.raises(
        StreamError, match=r"reloaded for .*008Z: a reload for .*005Z would go back"
    ):
        run(FIRST, Moment(reloads=[Change(G1, NEW, 8), Change(G1, NEXT, 5)]))


def test_nor_where_the_last_one_brings_back_the_first() -> None:
    back = [Change(G1, NEW, 8), Change(G1, OLD, 10), Change(G1, NEXT, 5)]
    with pytest.raises(StreamError, match=r"for .*010Z: a reload for .*005Z would go back"):
        run(FIRST, Moment(reloads=back))


def test_without_an_instant_a_version_follows_the_one_before() -> None:
    assert run(FIRST, Moment(reloads=[Change(G1, NEW, 8), Change(G1, NEXT)]), LATER)[0] == [8, 8]


def test_an_engine_graph_may_be_reloaded() -> None:
    merged = pattern(X, "r", W, Union(sliding(), GraphAccess(G1, True)))
    moved = Moment(reloads=[Change(G1, NEW, 6)])
    _, found = run(FIRST, moved, LATER, plan=Distinct(merged))
    assert found


def test_an_update_takes_and_adds() -> None:
    told = Moment(reloads=[Change(G1, NEW, 5, lost=OLD), Change(G1, OLD, 7, lost=[])])
    assert run(FIRST, told, LATER)[0] == [5, 7]


# ---- several queries -------------------------------------------------------------------------


def test_of_several_queries_those_that_read_the_graph_are_told() -> None:
    window = f"FROM STREAM <{S1}> WINDOW RANGE 9 MS SLIDE 1 MS"
    texts = {
        "sites": f"SELECT ?x ?w {window} FROM <{G1}> {{ ?x <{EX.p}> ?y . ?x <{EX.r}> ?w }}",
        "values": f"SELECT ?y {window} {{ ?x <{EX.p}> ?y }}",
    }
    sources = Catalogue().stream(S1).graph(G1, OLD, reloadable=True)
    run = Harness(prepare_all(texts, sources=sources), Random(3), buckets=2, lateness=0)
    run.push({S1: stream(("t1", "p", 7, 3))})
    assert run.control.reload(G1, NEW, at=6) == 1
    run.push({S1: stream(("t1", "p", 8, 4))}, run.new_entries())
    run.end()
    assert [(row["query"], row["ts"]) for row in run.of(RELOADS)] == [("sites", 6)]
    told = {str(e.item[W]): e.interval.end for e in run.split["sites"]}
    assert told == {"1": 6, "2": 13}
    assert len(run.split["values"]) >= 2


# ---- files that are looked at ----------------------------------------------------------------


def test_a_file_that_has_changed_is_reloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, now = tmp_path / "park.nt", iter(range(100))
    monkeypatch.setattr("askos.local.engine.monotonic", lambda: next(now))
    write(file, OLD)
    made = engine(Catalogue().graph(G1, file, every_ms=1))
    query = made.queries["query-1"]
    made.push(S1, stream(("t1", "p", 7, 3)))
    assert not query.reloaded
    write(file, NEW)
    made.push(S1, stream(("t1", "p", 8, 4)))
    file.write_text("no triple")
    with pytest.warns(UserWarning, match="stays as it was: .*cannot be read"):
        made.push(S1, stream(("t1", "p", 9, 5)))
    made.close()
    assert [told.number for told in query.reloaded] == [1]
    assert {str(e.item[Variable("o")]) for e in query.take()} == {"1", "2", "7", "8", "9"}


def test_the_files_of_a_query_that_has_stopped_are_nobodys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    file, now = tmp_path / "park.nt", iter(range(100))
    monkeypatch.setattr("askos.local.engine.monotonic", lambda: next(now))
    write(file, OLD)
    made = engine(Catalogue().graph(G1, file, every_ms=1))
    made.stop("query-1")
    made.register(f"SELECT * FROM STREAM <{S1}> WINDOW RANGE 9 SLIDE {{ ?x ?y ?z }}")
    write(file, NEW)
    made.push(S1, stream(("t1", "p", 7, 3)))
    assert not recwarn.list


def test_a_file_is_looked_at_when_it_is_due_and_read_when_it_looks_new(tmp_path: Path) -> None:
    file = tmp_path / "park.nt"
    write(file, OLD)
    files = WatchedFiles({G1: Graph(G1, file, every_ms=1000)}, 0.0)
    write(file, NEW)
    assert not files.changed(0.9)
    assert files.changed(1.0) == [(G1, file)]
    assert not files.changed(2.0)
    file.touch()
    assert not files.changed(3.0)
    file.unlink()
    assert not files.changed(4.0)
    assert files.next == 5.0


def test_only_files_can_be_looked_at() -> None:
    with pytest.raises(QueryError, match="every_ms is for graphs that are read from a file"):
        Catalogue().graph(G1, OLD, every_ms=5)


def write(file: Path, triples: Sequence[Triple]) -> None:
    file.write_text("".join(f"{' '.join(map(n3, each))} .\n" for each in triples))


# ---- what is refused -------------------------------------------------------------------------


def engine(graph: Catalogue) -> Engine:
    made = Engine(sources=graph.stream(S1))
    made.register(f"SELECT * FROM STREAM <{S1}> WINDOW RANGE 9 SLIDE FROM <{G1}> {{ ?s ?p ?o }}")
    return made


def test_a_graph_that_is_not_reloadable() -> None:
    with pytest.raises(StreamError, match="not reloadable"):
        engine(Catalogue().graph(G1, OLD)).reload(G1, NEW)


def test_a_graph_that_no_query_reads() -> None:
    with pytest.raises(StreamError, match="no registered query reads the graph"):
        engine(Catalogue().graph(G1, OLD, reloadable=True)).reload(G2, NEW)


def test_a_file_that_cannot_be_read_changes_nothing() -> None:
    made = engine(Catalogue().graph(G1, OLD, reloadable=True))
    with pytest.raises(StreamError, match="cannot be read: nowhere"):
        made.reload(G1, "nowhere.ttl")
    assert not made.queries["query-1"].reloaded


@pytest.mark.parametrize(
    ("graph", "data", "at", "why"),
    [
        (G2, NEW, None, "does not read the graph"),
        (G1, "nowhere.ttl", None, "cannot be read"),
        (G1, NEW, 4, "would go back"),
    ],
)
def test_what_control_refuses_is_never_told(
    graph: URIRef, data: Sequence[Triple] | str, at: int | None, why: str
) -> None:
    sources = Catalogue().stream(S1).graph(G1, OLD, reloadable=True)
    run = Harness(Prepared(JOINED, JOINED, Intervals(), sources=sources), Random(1))
    assert run.control.reload(G1, NEW, at=5) == 1
    with pytest.raises(StreamError, match=why):
        run.control.reload(graph, data, at=at)
    assert len(run.new_entries()) == 1


def test_nothing_is_reloaded_after_the_end() -> None:
    sources = Catalogue().stream(S1).graph(G1, OLD, reloadable=True)
    run = Harness(Prepared(JOINED, JOINED, Intervals(), sources=sources), Random(1))
    run.control.end()
    with pytest.raises(StreamError, match="has come to its end"):
        run.control.reload(G1, NEW)
