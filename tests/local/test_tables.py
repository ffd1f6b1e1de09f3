"""Answers of the local engine as columns of texts."""

from __future__ import annotations

from askos import local
from askos.terms import URIRef
from tests.build import EX, S1

ROWS = [(EX.a, EX.p, EX.x, 1), (EX.b, EX.p, EX.y, 4), (EX.a, EX.q, EX.z, 12)]


def taken(text: str, report: str, **options: int) -> dict[str, list[object]]:
    engine = local.Engine()
    query = engine.register(
        f"PREFIX : <{EX}> SELECT * FROM STREAM <{S1}> WINDOW RANGE 10 MS SLIDE 1 MS {text}",
        report=report,
        **options,  # type: ignore[arg-type]
    )
    engine.push(S1, ROWS)
    engine.close()
    found: dict[str, list[object]] = query.take_table().to_pydict()
    assert not query.take()
    return found


def test_elements_have_their_intervals_and_what_is_unbound_is_null() -> None:
    assert taken("{ ?s :p ?o OPTIONAL { ?o :q ?n } }", "intervals") == {
        "s": [f"<{EX.a}>", f"<{EX.b}>"],
        "o": [f"<{EX.x}>", f"<{EX.y}>"],
        "n": [None, None],
        "ts": [1, 4],
        "te": [11, 14],
    }


def test_reports_have_their_instants_and_places() -> None:
    assert taken("{ ?s :p ?o } ORDER BY DESC(?s)", "rstream", every=5) == {
        "s": [f"<{EX.b}>", f"<{EX.a}>", f"<{EX.b}>", f"<{EX.a}>"],
        "o": [f"<{EX.y}>", f"<{EX.x}>", f"<{EX.y}>", f"<{EX.x}>"],
        "at": [5, 5, 10, 10],
        "place": [0, 1, 0, 1],
    }


def test_without_answers_there_are_still_columns() -> None:
    engine = local.Engine()
    query = engine.register(f"SELECT ?s FROM STREAM <{S1}> WINDOW RANGE 5 SLIDE {{ ?s ?p 5 }}")
    assert query.take_table().column_names == ["s", "ts", "te"]
    engine.push(URIRef(S1), ROWS)
    assert len(query.take_table()) == 0
