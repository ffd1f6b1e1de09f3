"""Several queries: names, order, circles."""

from __future__ import annotations

import pytest

from askos.errors import QueryError
from askos.prepared import prepare
from askos.queries import prepare_all, several
from askos.sources import Catalogue
from askos.terms import URIRef
from tests.build import EX

PREFIX = f"PREFIX : <{EX}>\n"


def stream(name: str, *sources: str) -> str:
    """A query that registers one stream and reads others."""
    clauses = " ".join(f"FROM STREAM :{source} [RANGE 10 STEP 5]" for source in sources)
    return f"{PREFIX} REGISTER STREAM :{name} AS CONSTRUCT {{ ?x :p ?y }} {clauses} {{ ?x :p ?y }}"


def select(*sources: str, register: str = "") -> str:
    clauses = " ".join(f"FROM STREAM :{source} [RANGE 10 STEP 5]" for source in sources)
    return f"{PREFIX} {register} SELECT ?x {clauses} {{ ?x :p ?y }}"


def test_who_has_no_name_is_numbered_by_place() -> None:
    texts = [select("s"), select("s", register="REGISTER QUERY <query-3> AS"), select("s")]
    assert prepare_all(texts).names == ("query-1", "query-3", "query-4")
    assert prepare_all({"gusts": select("s"), "calm": select("s")}).names == ("gusts", "calm")
    assert prepare(texts[0]).name is None


def test_publishers_come_before_their_readers() -> None:
    found = prepare_all([select("b", "s"), stream("b", "a"), stream("a", "s"), select("t")])
    assert found.names == (str(EX.a), str(EX.b), "query-1", "query-4")
    assert set(found.given) == {EX.s, EX.t}
    a, b = str(EX.a), str(EX.b)
    assert found.edges == ((a, a, b), (b, b, "query-1"))


def test_a_registered_stream_need_not_be_declared() -> None:
    known = Catalogue().stream(EX.s)
    found = prepare_all([select("b"), stream("b", "s")], sources=known)
    assert found.given == (EX.s,)
    with pytest.raises(QueryError):
        prepare_all([select("b"), stream("c", "s")], sources=known)
    declared = known.stream(EX.b, predicates=[EX.p])
    assert prepare_all([select("b"), stream("b", "s")], sources=declared).given == (EX.s,)


def test_two_texts_that_register_one_name_are_refused_with_both() -> None:
    one = select("s", register="REGISTER QUERY Gusts AS")
    other = select("t", register="REGISTER QUERY Gusts AS")
    with pytest.raises(QueryError, match="two queries are registered as 'Gusts'") as error:
        prepare_all([one, other])
    assert "FROM STREAM :s" in error.value.message
    assert "FROM STREAM :t" in error.value.message
    with pytest.raises(QueryError, match="two queries register the stream"):
        prepare_all({"one": stream("b", "s"), "two": stream("b", "t")})


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        ([stream("a", "a")], ["a", "a"]),
        ([stream("a", "b"), stream("b", "a")], ["a", "b", "a"]),
        ([stream("a", "c"), stream("b", "a"), stream("c", "b")], ["a", "c", "b", "a"]),
    ],
)
def test_a_circle_is_refused_with_its_names(texts: list[str], names: list[str]) -> None:
    with pytest.raises(QueryError, match="in a circle") as error:
        prepare_all([*texts, select("s")])
    shown = error.value.message.partition(": ")[2].split(" → ")
    assert shown[0] == shown[-1]
    assert set(shown) == {str(URIRef(EX[name])) for name in names}
    assert len(shown) == len(names)


def test_a_list_is_several_and_a_text_is_not() -> None:
    assert several([select("s")])
    assert several({"q": select("s")})
    assert not several(select("s"))
    assert not several(prepare(select("s")))
    with pytest.raises(QueryError, match="there is no query"):
        prepare_all([])
