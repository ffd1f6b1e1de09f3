"""Plain SPARQL over graphs that arrive: the answer of `askos.select`, as early as it is decided."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askos import local
from askos.algebra import (
    Ask,
    Distinct,
    Element,
    Exists,
    Filter,
    Not,
    Operator,
    OrderBy,
    Project,
    Slice,
    SortKey,
)
from askos.errors import QueryError, StreamError
from askos.interval import FOREVER
from askos.io import files, lines
from askos.local.finite import Finite, run_finite
from askos.sources import DEFAULT_GRAPH, Catalogue
from askos.static import Solutions, evaluate, select
from askos.terms import Triple, URIRef
from tests.build import EX, G1, X, Y, Z, triple
from tests.sampling import every
from tests.static import lubm
from tests.static.strategies import chains, graphs, static_plans, still, triple_plans
from tests.static.test_law import counted, indexed
from tests.strategies import expressions
from tests.suites import suite

NAMES = (G1, EX.graph2, EX.graph3)
MORE = settings(max_examples=3 * settings().max_examples)
Data = Mapping[URIRef, Sequence[Triple]]
PREFIX = f"PREFIX : <{EX}> "


def check(plan: Operator, data: Data, batch: int = 2, buckets: int = 1) -> None:
    """Every answer holds for ever, and together they are what the graphs hold."""
    told = list(run_finite(Finite(plan, graphs=NAMES, buckets=buckets), data, batch))
    assert all(answer.interval.end == FOREVER for answer in told)
    assert Counter(answer.item for answer in told) == counted(evaluate(plan, indexed(data)))


@MORE
@given(static_plans(), graphs(), st.integers(1, 5), st.integers(1, 3))
def test_answers_are_those_of_the_whole_graph(
    plan: Operator, data: Data, batch: int, buckets: int
) -> None:
    check(plan, data, batch, buckets)


@given(chains(), graphs())
def test_long_joins_and_what_is_optional(plan: Operator, data: Data) -> None:
    check(plan, data)


@given(static_plans(3), static_plans(3), graphs())
def test_exists_waits_for_the_end(plan: Operator, inner: Operator, data: Data) -> None:
    check(Filter(Not(Exists(inner)), plan), data)


@given(triple_plans(), graphs())
def test_constructed_and_described_triples(plan: Operator, data: Data) -> None:
    check(plan, data)


@given(static_plans(), graphs())
def test_ask_is_answered_once(plan: Operator, data: Data) -> None:
    check(Ask(plan), data)


@MORE
@given(static_plans(4), expressions(), st.booleans(), st.integers(0, 3), graphs())
def test_ordered_answers_come_in_order(
    plan: Operator, key: Any, once: bool, limit: int, data: Data
) -> None:
    ranked = Project((X, Y, Z), still(OrderBy((SortKey(key, descending=once),), plan)))
    chosen = Slice(1, limit or None, Distinct(ranked) if once else ranked)
    told = run_finite(Finite(chosen, graphs=NAMES), data, 2)
    assert [answer.item for answer in told] == evaluate(chosen, indexed(data))


def test_the_batches_change_nothing_but_when_rows_come() -> None:
    rows = [triple("a", "p", n % 5) for n in range(9)] + [triple(n, "q", "a") for n in "bcd"]
    text = PREFIX + "SELECT DISTINCT ?x ?y { { ?x :p ?y } UNION { ?x :q ?y OPTIONAL { ?y :p 3 } } }"
    told = [list(local.run(text, {DEFAULT_GRAPH: rows}, batch=n)) for n in (1, 3, 100)]
    assert Counter(told[0]) == Counter(told[1]) == Counter(told[2])


# ---- when ----------------------------------------------------------------------------------------


ROWS = [
    triple("T1", "site", "north"),
    triple("T2", "site", "north"),
    triple("T1", "power", 5),
    triple("T1", "site", "north"),
    triple("T2", "power", 7),
    triple("T2", "name", "two"),
]


def places(where: str, form: str = "SELECT *") -> list[tuple[int, int]]:
    """Of each answer after how many triples it came, and since which it holds."""
    taken = 0

    def rows() -> Iterator[Triple]:
        nonlocal taken
        for row in ROWS:
            taken += 1
            yield row

    found = local.run(PREFIX + form + where, {DEFAULT_GRAPH: rows()}, batch=1)
    return [(taken, answer.interval.start) for answer in found]


def test_a_join_comes_with_its_last_triple_and_a_copy_changes_nothing() -> None:
    assert places("{ ?t :site ?s . ?t :power ?p }") == [(3, 3), (5, 5)]


def test_what_more_triples_only_add_to_comes_at_once() -> None:
    union = "{ { ?t :site ?s } UNION { ?t :power ?s FILTER (?s > 5) } }"
    assert places(union) == [(1, 1), (2, 2), (5, 5)]
    assert places("{ ?t :site ?s BIND (STR(?s) AS ?n) }", "SELECT DISTINCT ?n") == [(1, 1)]
    assert places("{ ?t :site ?s }", "CONSTRUCT { ?s :has ?t }") == [(1, 1), (2, 2)]
    assert places("{ ?t :site+ ?s }") == [(1, 1), (2, 2)]
    assert places("{ ?t :site ?s BIND (RAND() AS ?n) }") == [(1, 1), (2, 2)]


def test_a_partner_of_an_optional_comes_at_once_and_who_has_none_at_the_end() -> None:
    assert places("{ ?t :power ?p OPTIONAL { ?t :name ?n } }") == [(6, 6), (6, 6)]
    assert places("{ ?t :site ?s OPTIONAL { ?t :power ?n FILTER (?n < 6) } }") == [(3, 3), (6, 6)]


@pytest.mark.parametrize(
    ("where", "number"),
    [
        ("{ ?t :site ?s MINUS { ?t :name ?n } }", 1),
        ("{ ?t :site ?s FILTER NOT EXISTS { ?t :name ?n } }", 1),
        ("{ ?t :site ?s } ORDER BY ?t", 2),
        ("{ ?t :site ?s } ORDER BY EXISTS { ?t :name ?n }", 2),
        ("{ ?t :site ?s } LIMIT 1", 1),
    ],
)
def test_what_more_triples_may_change_waits_for_the_end(where: str, number: int) -> None:
    assert places(where) == [(6, 6)] * number


def test_a_group_waits_for_the_end() -> None:
    assert places("{ ?t :site ?s }", "SELECT (COUNT(*) AS ?n)") == [(6, 6)]


def test_ask_reads_no_further_than_it_must() -> None:
    assert places("{ ?t :power ?p }", "ASK") == [(3, 3)]
    assert places("{ ?t :power 8 }", "ASK") == [(6, 6)]


@pytest.mark.parametrize(("power", "yes"), [(7, True), (8, False)])
def test_ask_with_an_order_and_a_limit_is_answered_once(power: int, yes: bool) -> None:
    text = f"{PREFIX} ASK {{ {{ SELECT ?t {{ ?t :power {power} }} ORDER BY ?t OFFSET 0 }} }}"
    for query in (text, f"{PREFIX} ASK {{ ?t :power {power} }} ORDER BY ?t LIMIT 1"):
        assert [answer.item for answer in local.run(query, {DEFAULT_GRAPH: ROWS})] == [yes]


def test_a_query_that_needs_no_triple_reads_none() -> None:
    assert places("{ VALUES ?x { 1 2 } }") == [(0, 0), (0, 0)]


def test_of_nothing_there_is_still_a_count() -> None:
    text = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o } ORDER BY ?n"
    (answer,) = local.run(text, {DEFAULT_GRAPH: []})
    assert str(answer) == str(next(local.run(text.split(" ORDER")[0], {DEFAULT_GRAPH: []})))
    assert [answer.item] == list(select(text, graph=[]))  # type: ignore[arg-type]


def test_arriving_graphs_are_joined_with_static_ones() -> None:
    known = Catalogue().graph(EX.park, [triple("north", "name", "North")])
    text = PREFIX + "SELECT ?t ?n { ?t :site ?s GRAPH :park { ?s :name ?n } }"
    found = list(local.run(text, {DEFAULT_GRAPH: ROWS}, sources=known))
    assert [answer.interval.start for answer in found] == [1, 2]


def test_graphs_by_name_arrive_too() -> None:
    text = PREFIX + "SELECT ?g ?t FROM NAMED :a FROM NAMED :b { GRAPH ?g { ?t :power ?p } }"
    found = local.run(text, {EX.a: ROWS[:3], EX.b: ROWS[3:]})
    assert {str(answer.item): answer.interval.start for answer in found} == {
        f"{{?g → <{EX.a}>, ?t → <{EX.T1}>}}": 3,
        f"{{?g → <{EX.b}>, ?t → <{EX.T2}>}}": 2,
    }


def test_what_only_streams_have_is_refused_for_graphs() -> None:
    with pytest.raises(QueryError, match="every='5s' does not apply"):
        local.run("SELECT * { ?s ?p ?o }", {DEFAULT_GRAPH: []}, every="5s")


# ---- files ---------------------------------------------------------------------------------------


@pytest.fixture
def tiny_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "FIRST_BLOCK", 64)
    monkeypatch.setattr(files, "LARGEST_BLOCK", 64)


def answers(text: str, file: Path) -> list[Element]:
    return list(local.run(PREFIX + text, {DEFAULT_GRAPH: file}))


HARD = [
    f'<{EX.a}> <{EX.p}> "caf\\u00E9" .',
    f'<{EX.a}> <{EX.p}> "café" .  # the same triple',
    f'<http://example.org/\\u0062> <{EX.p}> "tab\\there" .',
    f'<{EX.c}> <{EX.p}> "tab\there" .',
    f'<{EX.c}> <{EX.p}> "Hallo"@DE .',
    f'<{EX.c}> <{EX.p}> "five"^^<http://www.w3.org/2001/XMLSchema#string> .',
    f'<{EX.c}><{EX.p}>"five".',
    f"_:x <{EX.q}> _:y .",
    f"_:y <{EX.q}> _:x .\r",
    "",
    "# a comment",
    f"<{EX.d}> <{EX.q}> <{EX.p}> .",
]


@pytest.mark.parametrize(
    "where",
    [
        '{ ?x :p "café" }',
        "{ :b :p ?y }",
        '{ ?x :p "tab\\there" }',
        '{ ?x :p "Hallo"@de }',
        '{ ?x :p "five" }',
        "{ ?x :q ?y . ?y :q ?x }",
        "{ ?x ?p ?y }",
        "{ ?x :q+ ?y }",
        "{ ?x :q* ?y }",
        "{ _:x :q ?y }",
    ],
)
@pytest.mark.parametrize("suffix", [".nt", ".nt.gz"])
def test_a_file_answers_as_if_it_was_loaded(
    where: str, suffix: str, tmp_path: Path, tiny_blocks: None
) -> None:
    file = tmp_path / f"data{suffix}"
    data = "\n".join(HARD).encode()
    file.write_bytes(gzip.compress(data) if suffix.endswith("gz") else data)
    want = select(PREFIX + "SELECT * " + where, graph=file)
    assert isinstance(want, Solutions)
    assert len(want)
    assert Counter(a.item for a in answers("SELECT * " + where, file)) == Counter(want)


def test_an_empty_file_is_an_empty_graph(tmp_path: Path) -> None:
    (tmp_path / "data.nt").touch()
    assert answers("SELECT * { ?s ?p ?o }", tmp_path / "data.nt") == []
    assert answers("ASK { ?s ?p ?o }", tmp_path / "data.nt")[0].item is False


def test_lines_that_no_pattern_can_match_are_not_parsed(tmp_path: Path) -> None:
    file = tmp_path / "data.nt"
    good = "".join(f"<{EX[f'x{n}']}> <{EX.q}> <{EX.b}> .\n" for n in range(9))
    file.write_text(
        f"{good}rubbish\nrubbish with <{EX.p}>\n<{EX.a}> <{EX.p}> <{EX.g}> <{EX.g}> .\n"
    )
    query = Finite(PREFIX + "SELECT * { ?x :p ?y }")
    (block,) = lines.read_lines([file], query.wanted)
    assert len(block.triples) == 0
    assert block.places == 12
    assert [note.split(": ", 1) for note in block.refused] == [
        [f"{file}, line 11", "not a statement: three terms and a dot"],
        [f"{file}, line 12", "a graph label, in a file of triples"],
    ]


def test_places_count_on_from_file_to_file(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"{number}.nt").write_text(f"\n_:x <{EX.p}> <{EX.a}> .\n")
    found = [*lines.read_lines([tmp_path / "1.nt", tmp_path / "2.nt"])]
    assert [block.triples["ts"].to_pylist() for block in found] == [[2], [4]]
    assert [(block.places, block.share) for block in found] == [(2, 0.5), (4, 1.0)]
    first, second = (block.triples["s"][0].as_py() for block in found)
    assert first != second


def test_bytes_that_are_no_text_are_refused_by_line(tmp_path: Path) -> None:
    file = tmp_path / "data.nt"
    file.write_bytes(f'<{EX.a}> <{EX.p}> "\xff" .\n'.encode("latin-1") + b"\n")
    (block,) = lines.read_lines([file])
    assert block.refused == [f"{file}, line 1: the line is not UTF-8"]


@pytest.mark.parametrize(
    ("name", "data", "error"),
    [
        ("data.ttl", b"", "'.ttl' is not N-Triples"),
        ("data.nt.gz", b"no gzip", "no whole gzip file"),
        ("data.nt.gz", gzip.compress(b"<a> <b> <c> .\n" * 99, mtime=0)[:-9], "no whole gzip file"),
    ],
    ids=["another syntax", "no gzip", "cut off"],
)
def test_a_file_that_cannot_be_read_is_told(
    name: str, data: bytes, error: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(StreamError, match=error):
        answers("SELECT * { ?s ?p ?o }", tmp_path / name)


def test_the_first_answer_comes_before_the_file_is_read(tmp_path: Path, tiny_blocks: None) -> None:
    file = tmp_path / "data.nt"
    file.write_text("".join(f"<{EX[f'x{n}']}> <{EX.p}> <{EX[f'x{n + 1}']}> .\n" for n in range(99)))
    query = Finite(PREFIX + "SELECT * { ?x :p ?y . ?y :p ?z }")
    came = [len(query.push(DEFAULT_GRAPH, b.triples)) for b in lines.read_lines([file])]
    assert len(came) > 20
    assert sum(came) == 98
    assert all(came[1:])


def test_a_file_is_not_kept_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "FIRST_BLOCK", 1 << 14)
    monkeypatch.setattr(files, "LARGEST_BLOCK", 1 << 14)
    file = tmp_path / "data.nt"
    many = (
        f"<{EX[f'x{n}']}> <{EX.p if n % 100 == 0 else EX.q}> <{EX.o}> .\n" for n in range(9_999)
    )
    file.write_text("".join(many))
    query = Finite(PREFIX + "SELECT * { ?x :p ?y . ?x :r ?z }")
    before, most, kept = pa.total_allocated_bytes(), 0, 0
    for block in lines.read_lines([file], query.wanted):
        kept += len(block.triples)
        query.push(DEFAULT_GRAPH, block.triples)
        most = max(most, pa.total_allocated_bytes() - before)
    assert kept == 100
    assert most < file.stat().st_size / 4


def test_static_graphs_beside_streams_that_are_not_read_stay_static() -> None:
    known = Catalogue().graph(EX.park, ROWS).stream(EX.s1)
    text = PREFIX + "SELECT ?t FROM :park { ?t :power 5 }"
    (answer,) = local.run(text, {EX.s1: []}, sources=known)
    assert answer.interval.start == 0


# ---- LUBM ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", every(13, lubm.QUERIES))
def test_lubm_from_files_has_its_answers(name: str) -> None:
    folder = suite("lubm")
    query = Finite(lubm.text(folder, name))
    files = [folder / "lubm-1.nt.gz", folder / "lubm-1-inferred.nt.gz"]
    found, shares = list[Element](), list[float]()
    for block in lines.read_lines(files, query.wanted):
        assert not block.refused
        told = query.push(DEFAULT_GRAPH, block.triples)
        found += told
        shares += [block.share or 0.0] * bool(told)
    assert query.close() == []
    columns = [str(v) for v in query.columns]
    rows = sorted(
        tuple(str(answer.item[v]) for v in query.columns)  # type: ignore[index]
        for answer in found
    )
    assert rows == lubm.answers(folder, name, columns)
    assert name not in ("q01", "q03", "q14") or shares[0] < 0.1


def test_figure_3_of_groppe_comes_from_figure_1() -> None:
    folder = Path(__file__).parents[1] / "queries" / "groppe"
    text = (folder / "figure-2.rq").read_text(encoding="utf-8")
    found = list(local.run(text, {DEFAULT_GRAPH: books()}, batch=1))
    shown = [(a.interval.start, *(str(a.item[v]) for v in a.item)) for a in found]
    assert shown == [
        (10, "Twenty Two", "The Unknown", "http://www.my-bookshop.com/"),
        (13, "Fourty Two", "The Unknown"),
    ]


def books() -> list[tuple[str, str, str]]:
    """Figure 1, line by line."""
    pub, number = "http://uni-luebeck.de/publications#", "http://www.w3.org/2001/XMLSchema#"
    table = """book1 title "Twenty Two"|book1 price 22|book1 cite book2|book1 author "The Unknown"
        |book1 rate 6.0|book1 shop <http://www.my-bookshop.com/>|book2 title "Fourty Two"
        |book2 price 42|book2 cite book1|book2 author "The Unknown"|book3 title "The Beginners"
        |book3 price 23|book3 author "Adam Adams\""""

    def spelled(text: str) -> str:
        if text[0] in '"<':
            return text
        if text[0].isdigit():
            return f'"{text}"^^<{number}{"decimal" if "." in text else "integer"}>'
        return f"<{pub}{text}>"

    rows = (row.strip().split(" ", 2) for row in table.split("|"))
    return [(spelled(s), spelled(p), spelled(o)) for s, p, o in rows]
