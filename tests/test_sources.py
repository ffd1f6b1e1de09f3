"""The catalogue of sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from askos.errors import QueryError
from askos.sources import DEFAULT_GRAPH, Catalogue, Graph, Stream
from askos.static import StaticGraph
from tests.build import EX, triple

KNOWN = Catalogue().stream(EX.s1, [EX.p], lateness_ms=500, idle=True).graph(EX.g1, "g1.ttl", True)


def test_a_catalogue_is_a_value_to_which_sources_are_added() -> None:
    stream = Stream(EX.s1, frozenset({EX.p}), 500, True)
    graph = Graph(EX.g1, Path("g1.ttl"), True)
    assert Catalogue((stream, graph)) == KNOWN
    assert (KNOWN.streams, KNOWN.graphs) == ((stream,), (graph,))
    assert KNOWN.get(EX.s1) == stream
    assert KNOWN.get(EX.s2) is None
    assert Catalogue().stream("http://example.org/s1").streams == (Stream(EX.s1),)
    bounded = Catalogue().stream(EX.s1, not_after=7, ahead_ms=0).streams
    assert bounded == (Stream(EX.s1, not_after=7, ahead_ms=0),)


def test_the_graph_without_a_name_is_the_default_graph_else_all_are() -> None:
    assert KNOWN.default == KNOWN.graphs
    assert KNOWN.graph().default == (Graph(DEFAULT_GRAPH),)


def test_a_source_is_declared_once() -> None:
    with pytest.raises(QueryError, match="declared twice"):
        KNOWN.graph(EX.s1)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(QueryError, match="schema must be True or False"):
        Catalogue().graph(EX.g1, schema="yes")  # type: ignore[arg-type]
    with pytest.raises(QueryError, match="lateness_ms must be a whole number"):
        Catalogue().stream(EX.s1, lateness_ms=-1)
    with pytest.raises(QueryError, match="not_after must be a whole number"):
        Catalogue().stream(EX.s1, not_after=-1)
    with pytest.raises(QueryError, match="rows_per_batch must be a whole number"):
        Catalogue().stream(EX.s1, rows_per_batch=0)
    with pytest.raises(QueryError, match="ahead_ms must be a whole number"):
        Catalogue().stream(EX.s1, ahead_ms=1.5)  # type: ignore[arg-type]
    with pytest.raises(QueryError, match="reloadable must be True or False"):
        Graph(EX.g1, None, "no")  # type: ignore[arg-type]
    with pytest.raises(QueryError, match="idle must be True or False"):
        Stream(EX.s1, idle=1)  # type: ignore[arg-type]


def test_a_graph_is_a_file_or_triples_that_can_be_read_again() -> None:
    triples = StaticGraph([triple("a", "p", "b")])
    known = Catalogue().graph(EX.g1, triples).graph(EX.g2, str(Path("g2.nt"))).graph(EX.g3)
    assert [graph.data for graph in known.graphs] == [triples, Path("g2.nt"), None]
    assert [graph.path for graph in known.graphs] == [None, Path("g2.nt"), None]
    with pytest.raises(QueryError, match="data must be a file or triples"):
        Graph(EX.g1, iter(triples))  # type: ignore[arg-type]


def test_a_hint_names_the_nearest_source_by_what_follows_the_namespace() -> None:
    assert KNOWN.nearest(EX.s11) == f"did you mean <{EX.s1}>?"
    assert KNOWN.nearest(EX.turbines) == f"known: <{EX.s1}>, <{EX.g1}>"
    assert Catalogue().nearest(EX.s1) == "known: none"


def test_a_graph_in_another_engine_has_no_data_here() -> None:
    known = Catalogue().graph(EX.g1, evaluate=lambda text: [])
    assert known.graphs[0].evaluate is not None
    with pytest.raises(QueryError, match="evaluate must be a function, not 'http"):
        Catalogue().graph(EX.g1, evaluate="http://localhost")  # type: ignore[arg-type]
    for options in ({"data": "g1.ttl"}, {"reloadable": True}):
        with pytest.raises(QueryError, match="with evaluate, its data is elsewhere"):
            Catalogue().graph(EX.g1, evaluate=lambda text: [], **options)
