"""Random texts of every dialect over a small vocabulary, so that they have answers."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from askos.algebra import Kind, OnChange, Periodic, Report
from askos.translate import Dialect
from tests.build import EX
from tests.hosts.dialects import Head, heads

FORMS = ["SELECT *", "SELECT DISTINCT *", "SELECT ?x ?y", "SELECT DISTINCT ?y", "SELECT REDUCED ?x"]
AGGREGATES = [
    "COUNT(*)", "COUNT(DISTINCT ?y)", "SUM(?y)", "AVG(?z)", "MIN(?y)", "MAX(?z)", "SAMPLE(?y)",
    'GROUP_CONCAT(?y; SEPARATOR=" ")', "SUM(DISTINCT ?z)", "COUNT(?z)",
]  # fmt: skip


@st.composite
def _triples(draw: st.DrawFn) -> str:
    subject = draw(st.sampled_from(["?x", "?x", "?x", "?y", ":a"]))
    verb = draw(st.sampled_from([":p", ":p", ":q", ":r", "?k", ":p/:q", ":r*", "(:p|:r)+", "^:p"]))
    thing = draw(st.sampled_from(["?y", "?y", "?z", "?z", "?x", "1", ":b"]))
    return f"{subject} {verb} {thing} ."


def _conditions(periodic: bool) -> st.SearchStrategy[str]:
    always = [
        "?y > 1",
        "?x = ?y",
        "BOUND(?z)",
        "!BOUND(?z)",
        "?y + 1 < ?z",
        "?y IN (1, :b)",
        "?z || ?y > 0",
    ]
    sometimes = ["SECONDS(NOW()) > 0.012", "?y < 1000 * SECONDS(NOW()) || BOUND(?z)"]
    return st.sampled_from(always + sometimes * periodic)


def _patterns(head: Head, inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    group = st.builds("{{ {} {} }}".format, inner, head.closing)
    conditions = _conditions(head.periodic)
    bound = st.builds(
        lambda groups, n: f"{groups} BIND({['?y + 1', '?x', 'STR(?y)'][n]} AS ?b{n})",
        inner,
        st.integers(0, 2),
    )
    return st.one_of(
        st.builds("{} {}".format, inner, inner),
        st.builds("{} OPTIONAL {}".format, inner, group),
        st.builds("{} OPTIONAL {{ {} FILTER({}) }}".format, inner, inner, conditions),
        st.builds("{{ {} }} UNION {}".format, inner, group),
        st.builds("{} MINUS {}".format, inner, group),
        st.builds("{} FILTER({})".format, inner, conditions),
        st.builds("{} FILTER EXISTS {}".format, inner, group),
        st.builds("{} FILTER NOT EXISTS {}".format, inner, group),
        st.builds("{} FILTER({} || EXISTS {})".format, inner, conditions, group),
        st.builds("{} {{ SELECT ?x (COUNT(*) AS ?n) {{ {} }} GROUP BY ?x }}".format, inner, inner),
        st.builds("{} {{ SELECT ?y {{ {} }} ORDER BY ?y LIMIT 1 }}".format, inner, inner),
        st.builds("{} VALUES (?x ?z) {{ (:a UNDEF) (:b 2) }}".format, inner),
        bound.map(lambda text: f"{{ {text} }}"),
    )


@dataclass(frozen=True)
class Text:
    """A query, and what it is asked to report; None: what its dialect does."""

    text: str
    report: Report | None = None


@st.composite
def texts(draw: st.DrawFn, dialect: Dialect | None = None) -> Text:
    """A query of the dialect, or of any, that reads :stream1, and maybe :stream2 and :graph1."""
    report = draw(st.none() | reports())
    head = draw(heads(dialect or draw(st.sampled_from(STREAMING)), report))
    leaves = st.builds(str.replace, head.places, st.just("$"), _triples())
    inner = draw(st.recursive(leaves, lambda small: _patterns(head, small), max_leaves=4))
    form, tail = draw(_forms())
    where = f"WHERE {{ {inner} {draw(head.more)} }} {tail}"
    # What registers a stream of triples must say how often.
    registers = head.periodic or not form.startswith(("CONSTRUCT", "DESCRIBE"))
    register = head.register if registers else ""
    text = "\n".join([f"PREFIX : <{EX}>", register, form, head.dataset, where])
    return Text(text, report)


STREAMING = [dialect for dialect in Dialect if dialect is not Dialect.SPARQL]


def reports() -> st.SearchStrategy[Periodic | OnChange]:
    """Any, with few instants."""
    kinds, empty = st.sampled_from(Kind), st.booleans()
    periods = st.lists(st.integers(2, 9), min_size=1, max_size=2).map(tuple)
    periodic = st.builds(Periodic, kinds, periods, st.sampled_from([0, 0, 3]), empty)
    return periodic | st.builds(OnChange, kinds, empty)


@st.composite
def _forms(draw: st.DrawFn) -> tuple[str, str]:
    match draw(st.integers(0, 9)):
        case 0:
            return "ASK", ""
        case 1:
            return "CONSTRUCT { ?x :made ?y . [] :of ?x }", ""
        case 2:
            return "DESCRIBE ?x", ""
        case 3 | 4:
            made = draw(st.lists(st.sampled_from(AGGREGATES), min_size=1, max_size=2))
            named = " ".join(f"({text} AS ?a{n})" for n, text in enumerate(made))
            having = draw(st.sampled_from(["", "HAVING (COUNT(*) > 1)"]))
            return f"SELECT ?x {named}", f"GROUP BY ?x {having}"
        case 5:
            return f"SELECT ({draw(st.sampled_from(AGGREGATES))} AS ?a)", ""
        case 6:
            order = draw(st.sampled_from(["?y", "DESC(?y) ?x", "?z"]))
            return draw(st.sampled_from(FORMS)), f"ORDER BY {order} LIMIT 2"
    return draw(st.sampled_from(FORMS)), ""
