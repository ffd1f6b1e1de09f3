"""Random texts of Streaming SPARQL over a small vocabulary, so that they have answers."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.build import EX

HEAD = (
    f"PREFIX : <{EX}>\n{{form}}\n"
    "FROM STREAM :stream1 WINDOW RANGE {width} MS SLIDE {slide} MS\n{more}WHERE {where} {tail}"
)
NAMES = ["?x", "?y", "?z"]
FORMS = ["SELECT *", "SELECT DISTINCT *", "SELECT ?x ?y", "SELECT DISTINCT ?y", "SELECT REDUCED ?x"]
MORE = [
    "",
    "",
    "FROM :graph1\n",
    "FROM STREAM :stream2 WINDOW RANGE 6 MS FIXED\n",
    "FROM NAMED STREAM :stream2 WINDOW RANGE 8 MS SLIDE 4 MS\nFROM NAMED :graph1\n",
]
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


def _conditions() -> st.SearchStrategy[str]:
    return st.sampled_from(
        [
            "?y > 1",
            "?x = ?y",
            "BOUND(?z)",
            "!BOUND(?z)",
            "?y + 1 < ?z",
            "?y IN (1, :b)",
            "?z || ?y > 0",
        ]
    )


def _patterns(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    window = st.sampled_from(
        ["", "", "", "WINDOW RANGE 4 MS SLIDE 2 MS", "WINDOW RANGE 7 MS FIXED"]
    )
    group = st.tuples(inner, window).map(lambda parts: f"{{ {parts[0]} {parts[1]} }}")
    bound = st.builds(
        lambda groups, n: f"{groups} BIND({['?y + 1', '?x', 'STR(?y)'][n]} AS ?b{n})",
        inner,
        st.integers(0, 2),
    )
    return st.one_of(
        st.builds("{} {}".format, inner, inner),
        st.builds("{} OPTIONAL {}".format, inner, group),
        st.builds("{} OPTIONAL {{ {} FILTER({}) }}".format, inner, inner, _conditions()),
        st.builds("{{ {} }} UNION {}".format, inner, group),
        st.builds("{} MINUS {}".format, inner, group),
        st.builds("{} FILTER({})".format, inner, _conditions()),
        st.builds("{} FILTER EXISTS {}".format, inner, group),
        st.builds("{} FILTER NOT EXISTS {}".format, inner, group),
        st.builds("{} FILTER({} || EXISTS {})".format, inner, _conditions(), group),
        st.builds("{} {{ SELECT ?x (COUNT(*) AS ?n) {{ {} }} GROUP BY ?x }}".format, inner, inner),
        st.builds("{} {{ SELECT ?y {{ {} }} ORDER BY ?y LIMIT 1 }}".format, inner, inner),
        st.builds("{} VALUES (?x ?z) {{ (:a UNDEF) (:b 2) }}".format, inner),
        bound.map(lambda text: f"{{ {text} }}"),
    )


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A query that reads :stream1, and maybe :stream2 and :graph1."""
    inner = draw(st.recursive(_triples(), _patterns, max_leaves=4))
    more = draw(st.sampled_from(MORE))
    if "NAMED" in more:
        inner += draw(st.sampled_from([" GRAPH ?g { ?x ?k ?z }", " GRAPH :stream2 { ?x :q ?z }"]))
    form, tail = draw(_forms())
    slide = draw(st.sampled_from([1, 2, 5]))
    return HEAD.format(
        form=form,
        width=slide * draw(st.integers(1, 3)) + draw(st.sampled_from([0, 0, 1])),
        slide=slide,
        more=more,
        where=f"{{ {inner} }}",
        tail=tail,
    )


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
