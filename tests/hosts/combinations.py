"""What may meet in a query and its run: windows, reports, shapes, dialects, disorder, restarts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Final

from askos import Catalogue, prepare
from askos.algebra import (
    Ask,
    Binding,
    Boundary,
    Construct,
    Count,
    CountWindow,
    Distinct,
    Group,
    Intervals,
    Join,
    Kind,
    LeftJoin,
    OnChange,
    Operator,
    OrderBy,
    Periodic,
    PredicateWindow,
    Project,
    Ref,
    Report,
    Slice,
    SlidingWindow,
    SortKey,
    Stamped,
    SteppedWindow,
    StreamAccess,
    Sum,
    Template,
    Union,
    Window,
)
from askos.prepared import Prepared
from askos.terms import BNode, URIRef, Variable
from tests.build import EX, S1, S2, X, Y, Z, call, pattern, triple
from tests.hosts.covering import Exclusion, Row, Space
from tests.hosts.moments import Moment, arrivals

LATENESS: Final = 9
SOURCES: Final = Catalogue().stream(S1, lateness_ms=LATENESS).stream(S2, lateness_ms=LATENESS)
STREAMING, CSPARQL, CQELS, RSPQL, PAST, PLAN = (
    "Streaming SPARQL", "C-SPARQL", "CQELS", "RSP-QL", "SPARQLstream", "a plan",
)  # fmt: skip

# ---- windows ---------------------------------------------------------------------------------

IN_A_GROUP: Final = " in a group"
_SLIDING, _COUNT, _STEPS = "RANGE 9 MS SLIDE 3 MS", "ELEMS 4", "ELEMS 4 ADVANCE 2"
_EVENT, _WITHIN = "START WHEN ({0} = :a) END WHEN ({0} = :b)", " WITHIN 7 MS"

WINDOWS: Final[dict[str, dict[str, str]]] = {
    "sliding": {STREAMING: _SLIDING, CQELS: "[RANGE 9ms]"},
    "stepped (o,c]": {CSPARQL: "[RANGE 10ms STEP 5ms]", CQELS: "[RANGE 10ms SLIDE 5ms]"},
    "stepped [o,c)": {RSPQL: "[RANGE 10 STEP 5]"},
    "stepped, with gaps": {CQELS: "[RANGE 3ms SLIDE 5ms]", RSPQL: "[RANGE 3 STEP 5]"},
    "in the past": {PAST: "[NOW - 9 MS TO NOW - 4 MS SLIDE 3 MS]"},
    "NOW": {CQELS: "[NOW]", PAST: "[NOW]"},
    "ALL": {CQELS: "[ALL]"},
    "count": {
        STREAMING: _COUNT,
        CSPARQL: "[RANGE TRIPLES 4]",
        CQELS: "[TRIPLES 4]",
        RSPQL: "[ELEMENTS 4]",
    },
    "count with a step": {
        STREAMING: _STEPS,
        CSPARQL: "[RANGE TRIPLES 4 STEP 2]",
        CQELS: "[TRIPLES 4 STEP 2]",
        RSPQL: "[ELEMENTS 4 STEP 2]",
    },
    "predicate": {STREAMING: _EVENT.format("?s")},
    "predicate within": {STREAMING: _EVENT.format("?s") + _WITHIN},
    "sliding" + IN_A_GROUP: {STREAMING: _SLIDING},
    "count" + IN_A_GROUP: {STREAMING: _COUNT},
    "count with a step" + IN_A_GROUP: {STREAMING: _STEPS},
    "predicate" + IN_A_GROUP: {STREAMING: _EVENT.format("?x")},
    "predicate within" + IN_A_GROUP: {STREAMING: _EVENT.format("?x") + _WITHIN},
}
"""By window and dialect, how it is written; as a plan all of them, from an origin of 2, which no
text says, and steps that leave gaps."""

_ORIGIN: Final = 2
_FIRST = Variable("s")
_PLANS: Final[dict[str, Callable[[Operator, Variable], Window]]] = {
    "sliding": lambda below, _: SlidingWindow(below, 9, 3, _ORIGIN),
    "stepped (o,c]": lambda below, _: SteppedWindow(below, 10, 5, origin=_ORIGIN),
    "stepped [o,c)": lambda below, _: SteppedWindow(
        below, 10, 5, boundary=Boundary.CLOSED_OPEN, origin=_ORIGIN
    ),
    "stepped, with gaps": lambda below, _: SteppedWindow(below, 3, 5, gaps=True, origin=_ORIGIN),
    "in the past": lambda below, _: SteppedWindow(below, 9, 3, until=4, origin=_ORIGIN),
    "NOW": lambda below, _: SlidingWindow.now(below),
    "ALL": lambda below, _: SlidingWindow.all(below),
    "count": lambda below, _: CountWindow(below, 3),
    "count with a step": lambda below, _: CountWindow(below, 2, 3, gaps=True),
    "predicate": lambda below, seen: PredicateWindow(
        below, call("=", seen, "a"), call("=", seen, "b")
    ),
    "predicate within": lambda below, seen: PredicateWindow(
        below, call("=", seen, "a"), call("=", seen, "c"), 7
    ),
}

# ---- reports ---------------------------------------------------------------------------------

OWN: Final = "what its dialect does"
TOLD, LEFT_OUT = "told", "left out"
REPORTS: Final[dict[str, Report | None]] = {
    OWN: None,
    "intervals": Intervals(),
    **{f"{kind.value} every 5": Periodic(kind, (5,)) for kind in Kind},
    **{f"{kind.value} every 4 and 6": Periodic(kind, (4, 6), 1) for kind in Kind},
    **{f"{kind.value} on change": OnChange(kind) for kind in Kind},
}

# ---- shapes ----------------------------------------------------------------------------------

# The form, the pattern and what follows it: A is ?x :p ?y of both streams; P the same of the
# first, Q ?x :q ?z of the second, where the dialect tells them apart.
SHAPES: Final[dict[str, tuple[str, str, str]]] = {
    "pattern": ("SELECT ?x ?y", "A", ""),
    "join": ("SELECT ?x ?y ?z", "P Q", ""),
    "optional": ("SELECT ?x ?y ?z", "P OPTIONAL { Q }", ""),
    "group": ("SELECT ?x (COUNT(*) AS ?n) (SUM(?y) AS ?t)", "A", "GROUP BY ?x"),
    "distinct": ("SELECT DISTINCT ?x", "A", ""),
    "order and limit": ("SELECT ?x ?y", "A", "ORDER BY DESC(?y) ?x LIMIT 2"),
    "construct": ("CONSTRUCT { ?x :made ?y . [] :of ?x }", "A", ""),
    "ask": ("ASK", "P Q", ""),
}
_A, _P, _Q = "?x :p ?y .", "?x :p ?y .", "?x :q ?z ."


def _planned(shape: str, both: Operator, one: Operator, two: Operator) -> Operator:
    """The same as a plan."""
    made = (Binding(Variable("n"), Count()), Binding(Variable("t"), Sum(Ref(Y))))
    template = (Template(X, EX.made, Y), Template(BNode("b"), EX.of, X))
    keys = (SortKey(Ref(Y), True), SortKey(Ref(X)))
    plans: dict[str, Operator] = {
        "pattern": both,
        "join": Join(one, two),
        "optional": LeftJoin(one, two),
        "group": Group((Binding(X, Ref(X)),), made, both),
        "distinct": Distinct(Project((X,), both)),
        "order and limit": Slice(0, 2, OrderBy(keys, both)),
        "construct": Construct(template, both, "q/1"),
        "ask": Ask(Join(one, two)),
    }
    return plans[shape]


# ---- the space -------------------------------------------------------------------------------

SPACE: Final = Space(
    {
        "dialect": (STREAMING, CSPARQL, CQELS, RSPQL, PAST, PLAN),
        "window": tuple(WINDOWS),
        "report": tuple(REPORTS),
        "without rows": (TOLD, LEFT_OUT),
        "shape": tuple(SHAPES),
        "buckets": ("1", "2", "5"),
        "order": ("in order", "shuffled within lateness", "streams of different rate"),
        "restart": ("never", "once", "at every micro-batch"),
    },
    (
        Exclusion(
            "dialect",
            "window",
            lambda dialect, window: dialect != PLAN and dialect not in WINDOWS[window],
            "the dialect has no such window",
        ),
        Exclusion(
            "dialect",
            "report",
            lambda dialect, report: dialect == PLAN and report == OWN,
            "a plan has no dialect",
        ),
        Exclusion(
            "report",
            "without rows",
            lambda report, rows: report in (OWN, "intervals") and rows == LEFT_OUT,
            "elements always have rows, and a dialect has its own policy",
        ),
    ),
)

# ---- queries ---------------------------------------------------------------------------------


def query(row: Row) -> Prepared:
    """The query of a row."""
    report = REPORTS[row["report"]]
    if isinstance(report, Periodic | OnChange):
        report = replace(report, nonempty=row["without rows"] == LEFT_OUT)
    if row["dialect"] == PLAN:
        return prepare(_plan(row["window"], row["shape"]), sources=SOURCES, report=report)
    return prepare(text(row), sources=SOURCES, report=report)


def _plan(name: str, shape: str) -> Operator:
    window = _PLANS[name.removesuffix(IN_A_GROUP)]
    one, two = StreamAccess(S1), StreamAccess(S2)
    if name.endswith(IN_A_GROUP):
        p1, p2, q2 = (pattern(X, "p", Y, one), pattern(X, "p", Y, two), pattern(X, "q", Z, two))
        return _planned(shape, window(Union(p1, p2), X), window(p1, X), window(q2, X))
    w1, w2 = window(one, _FIRST), window(two, _FIRST)
    both = pattern(X, "p", Y, Union(w1, w2))
    return _planned(shape, both, pattern(X, "p", Y, w1), pattern(X, "q", Z, w2))


def text(row: Row) -> str:
    """The query of a row, as its dialect writes it."""
    dialect, window = row["dialect"], WINDOWS[row["window"]][row["dialect"]]
    form, where, tail = SHAPES[row["shape"]]
    register, dataset, places = "", "", (_A, _P, _Q)
    match dialect:
        case "Streaming SPARQL" if row["window"].endswith(IN_A_GROUP):
            dataset = "FROM STREAM :stream1 FROM STREAM :stream2"
            tail = f"WINDOW {window} }} {tail}"
        case "Streaming SPARQL":
            dataset = _each("FROM STREAM :stream{0} WINDOW {1}", window)
        case "C-SPARQL":
            dataset = _each("FROM STREAM :stream{0} {1}", window)
        case "SPARQLstream":
            dataset = _each("FROM NAMED STREAM :stream{0} {1}", window)
        case "CQELS":
            places = _read(f"STREAM :stream{{0}} {window} {{{{ {{1}} }}}}")
        case "RSP-QL":
            dataset = _each("FROM NAMED WINDOW :w{0} ON :stream{0} {1}", window)
            places = _read("WINDOW :w{0} {{ {1} }}")
            register = "" if form.startswith("CONSTRUCT") else "REGISTER ISTREAM <o> AS"
    words = {"A": places[0], "P": places[1], "Q": places[2]}
    body = " ".join(words.get(word, word) for word in where.split())
    end = tail if tail.startswith("WINDOW") else f"}} {tail}"
    return f"PREFIX : <{EX}>\n{register} {form} {dataset} WHERE {{ {body} {end}"


def _each(words: str, window: str) -> str:
    return " ".join(words.format(number, window) for number in (1, 2))


def _read(words: str) -> tuple[str, str, str]:
    first, second = (f"{{ {words.format(number, _A)} }}" for number in (1, 2))
    return f"{first} UNION {second}", words.format(1, _P), words.format(2, _Q)


# ---- data ------------------------------------------------------------------------------------


def delivered(row: Row) -> list[Moment]:
    """The micro-batches of a row; which rows they hold depends on their order alone."""
    rates = row["order"] == "streams of different rate"
    one, two = _rows("p", 14, 2), _rows("q", 4 if rates else 14, 8 if rates else 2)
    if row["order"] == "shuffled within lateness":
        one, two = _shuffled(one), _shuffled(two)
    size = 5 if rates else 4
    batches = [*_cut(S1, one, size), *_cut(S2, two, 2 if rates else 5)]
    batches.sort(key=lambda moment: min(r.at for rows in moment.rows.values() for r in rows))
    last = len(batches)
    stops = {"never": (), "once": (last // 2,), "at every micro-batch": range(last + 1)}
    chosen = stops[row["restart"]]
    return [
        replace(moment, restart=number in chosen)
        for number, moment in enumerate([*batches, Moment()])
    ]


def _rows(name: str, count: int, every: int) -> list[Stamped]:
    """Mostly ?x :name ?y, some of them the other stream's, some noise, some at one instant."""
    choices = Random(f"{name} {count} {every}")
    other = "q" if name == "p" else "p"
    names = choices.choices([name, other, "noise"], [6, 2, 1], k=count)
    found, at = [], 1
    for number, verb in enumerate(names):
        thing = triple(choices.choice("abc"), verb, choices.randrange(1, 4))
        found.append(Stamped(thing, at, None if every == 8 else number))
        at += choices.choice([0, every, every, 2 * every])
    return found


def _shuffled(rows: Sequence[Stamped]) -> list[Stamped]:
    choices = Random(len(rows))
    late = {number: row.at + choices.randint(0, LATENESS) for number, row in enumerate(rows)}
    return [replace(rows[number], sequence=None) for number in sorted(late, key=late.__getitem__)]


def _cut(source: URIRef, rows: Sequence[Stamped], size: int) -> list[Moment]:
    return [arrivals(source, *rows[place : place + size]) for place in range(0, len(rows), size)]
