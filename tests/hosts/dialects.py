"""What each dialect writes around a pattern, at random: streams, windows, how often to report."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from hypothesis import strategies as st

from askos.algebra import Periodic, Report
from askos.translate import Dialect

Texts: TypeAlias = st.SearchStrategy[str]
NOTHING: Texts = st.just("")


@dataclass(frozen=True)
class Head:
    """Clauses before and inside WHERE.  `places`: where triples, written $, may stand; `closing`:
    how a group may end; `more`: what may follow; `periodic`: whether NOW() has a value."""

    dataset: str
    periodic: bool
    register: str = ""
    places: Texts = field(default_factory=lambda: st.just("$"))
    closing: Texts = NOTHING
    more: Texts = NOTHING


def heads(dialect: Dialect, report: Report | None) -> st.SearchStrategy[Head]:
    """`report`: what is asked for beside the text, if it is."""
    made = {
        Dialect.STREAMING: _streaming,
        Dialect.CSPARQL: _csparql,
        Dialect.CQELS: _cqels,
        Dialect.RSPQL: _rspql,
        Dialect.SPARQLSTREAM: _sparqlstream,
    }
    return made[dialect](report)


def _is_periodic(report: Report | None, default: bool = False) -> bool:
    return default if report is None else isinstance(report, Periodic)


@st.composite
def _times(draw: st.DrawFn, words: str, gaps: bool = False) -> str:
    """A width and a step, as in "RANGE {} MS SLIDE {} MS"."""
    step = draw(st.sampled_from([1, 2, 3, 5, 8]))
    width = step * draw(st.integers(1, 3)) + draw(st.sampled_from([0, 0, 1]))
    if gaps and draw(st.booleans()):
        width = draw(st.integers(1, 4))
    return words.format(width, step)


def _counts(words: str, stepped: str) -> Texts:
    """A number, and maybe a step that is no larger, as in "ELEMS {}" and " ADVANCE {}"."""
    plain = st.builds(words.format, st.integers(1, 5))
    return plain | st.integers(2, 5).flatmap(
        lambda n: st.builds((words + stepped).format, st.just(n), st.integers(1, n))
    )


# ---- Streaming SPARQL ------------------------------------------------------------------------


def _events(value: str, node: str) -> Texts:
    """Predicate windows: whose start and end are told by a value or a node."""
    tests = st.sampled_from([f"{value} = 1", f"{value} > 1", f"{node} = :a", f"isIRI({value})"])
    within = st.sampled_from(["", " WITHIN 4 MS", " WITHIN 9 MS"])
    return st.builds("START WHEN ({}) END WHEN ({}){}".format, tests, tests, within)


@st.composite
def _streaming(draw: st.DrawFn, report: Report | None) -> Head:
    times = _times("RANGE {} MS SLIDE {} MS") | st.just("RANGE 6 MS FIXED")
    counts = _counts("ELEMS {}", " ADVANCE {}")
    window = st.one_of(times, counts, _events("?o", "?s")).map("WINDOW {}".format)
    group = st.one_of(times, counts, _events("?y", "?x")).map("WINDOW {}".format)
    first = f"FROM STREAM :stream1 {draw(window)}"
    periodic = _is_periodic(report)
    named = ["GRAPH ?g { ?x ?k ?z }", "GRAPH :stream2 { ?x :q ?z }"]
    closing = st.one_of(NOTHING, NOTHING, group)
    match draw(st.integers(0, 4)):
        case 0:
            return Head(f"{first} FROM :graph1", periodic, closing=closing)
        case 1:
            second = f"FROM STREAM :stream2 {draw(window)}"
            return Head(f"{first} {second}", periodic, closing=closing)
        case 2:
            second = f"FROM NAMED STREAM :stream2 {draw(window)} FROM NAMED :graph1"
            more = st.sampled_from(named)
            return Head(f"{first} {second}", periodic, closing=closing, more=more)
    return Head(first, periodic, closing=closing)


# ---- C-SPARQL --------------------------------------------------------------------------------


@st.composite
def _csparql(draw: st.DrawFn, report: Report | None) -> Head:
    times = _times("[RANGE {}ms STEP {}ms]") | st.just("[RANGE 6ms TUMBLING]")
    counts = _counts("[RANGE TRIPLES {}", " STEP {}").map("{}]".format)
    windows = [draw(times | counts) for _ in range(draw(st.integers(1, 2)))]
    streams = [f"FROM STREAM :stream{n} {w}" for n, w in enumerate(windows, 1)]
    every = draw(st.sampled_from([None, None, 4, 7]))
    register = f"REGISTER QUERY q COMPUTED EVERY {every}ms AS" if every else ""
    steps = bool(every) or any("ms" in window for window in windows)
    more = st.sampled_from(["", "", "GRAPH :stream1 { ?x :q ?z }"])
    return Head(" ".join(streams), _is_periodic(report, steps), register, more=more)


# ---- CQELS -----------------------------------------------------------------------------------


@st.composite
def _cqels(draw: st.DrawFn, report: Report | None) -> Head:
    times = _times("[RANGE {0}ms]") | _times("[RANGE {}ms SLIDE {}ms]", gaps=True)
    counts = _counts("[TRIPLES {}]", "")
    window = st.one_of(times, counts, st.sampled_from(["[NOW]", "[ALL]"]))
    stream = st.builds("STREAM :stream{} {} {{ $ }}".format, st.integers(1, 2), window)
    places = st.one_of(stream, stream, stream, st.just("$"), st.just("GRAPH :graph1 { $ }"))
    more = st.builds("STREAM :stream1 {} {{ ?x :p ?y }}".format, window)
    graph = draw(st.sampled_from(["FROM NAMED :graph1", "FROM :graph1 FROM NAMED :graph1"]))
    return Head(graph, _is_periodic(report), places=places, more=more)


# ---- RSP-QL ----------------------------------------------------------------------------------


@st.composite
def _rspql(draw: st.DrawFn, report: Report | None) -> Head:
    times = _times("[RANGE {} STEP {}]", gaps=True)
    counts = _counts("[ELEMENTS {}", " STEP {}").map("{}]".format)
    windows = [draw(times | counts) for _ in range(draw(st.integers(1, 2)))]
    kind = draw(st.sampled_from(["RSTREAM", "ISTREAM", "DSTREAM"]))
    clauses = [
        f"FROM NAMED WINDOW :w{n} ON :stream{n} {window}" for n, window in enumerate(windows, 1)
    ]
    names = [f":w{n}" for n in range(1, len(windows) + 1)]
    places = st.builds("WINDOW {} {{ $ }}".format, st.sampled_from([*names, *names, "?g"]))
    graph = draw(st.sampled_from(["", "FROM :graph1"]))
    steps = any("RANGE" in window for window in windows)
    return Head(
        " ".join([*clauses, graph]),
        _is_periodic(report, steps),
        f"REGISTER {kind} <o> AS",
        places=st.one_of(places, places, st.just("$")),
        more=places.map(lambda place: place.replace("$", "?x :p ?y .")),
    )


# ---- SPARQLstream ----------------------------------------------------------------------------


@st.composite
def _sparqlstream(draw: st.DrawFn, report: Report | None) -> Head:
    window = st.one_of(
        st.builds(
            lambda width, until, slide: f"[NOW - {width + until} MS TO NOW - {until} MS{slide}]",
            st.integers(1, 9),
            st.integers(0, 5),
            st.sampled_from(["", " SLIDE 1 MS", " SLIDE 3 MS", " SLIDE 5 MS"]),
        ),
        st.just("[NOW]"),
    )
    windows = [draw(window) for _ in range(draw(st.integers(1, 2)))]
    streams = [f"FROM NAMED STREAM :stream{n} {w}" for n, w in enumerate(windows, 1)]
    steps = any("SLIDE" in window for window in windows)
    return Head(" ".join(streams), _is_periodic(report, steps))
