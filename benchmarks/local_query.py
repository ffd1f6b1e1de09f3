"""Monitoring queries on the local host, from strings to strings, beside pyoxigraph.

    python benchmarks/local_query.py [--steps 30] [--rounds 5] [--queries a b c d e] [--json]

100 turbines send 1,000 readings a second, half of them wind speeds and half of them power, and now
and then an alarm; a window holds the last ten seconds and is reported every second.  askos takes a
second of rows at a time, as N-Triples texts, and tells the report as texts.  pyoxigraph takes the
same texts into a store, from which what has left the window is removed, and evaluates the query
anew.  Every report of the two must be equal.

Times are of one second of data; medians over all steps but the first window, of interleaved rounds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyoxigraph as ox

from askos.local import Engine
from askos.sources import Catalogue
from askos.terms import URIRef

EX = "http://wind.example/"
XSD = "http://www.w3.org/2001/XMLSchema#"
SCADA, PARK = URIRef(f"{EX}scada"), URIRef(f"{EX}park")
TURBINES, READINGS, RANGE = 100, 1_000, 10
PREFIX = f"PREFIX : <{EX}> PREFIX xsd: <{XSD}> "
HEAD = "FROM STREAM :scada [RANGE 10s STEP 1s]"

Row = tuple[str | None, ...]


@dataclass(frozen=True)
class Question:
    """A query: what it selects, from where, and how much faster it should be at least."""

    select: str
    where: str
    wanted: float
    tail: str = ""
    static: bool = False

    @property
    def stream(self) -> str:
        """In C-SPARQL."""
        graph = "FROM :park" if self.static else ""
        return (
            f"REGISTER QUERY q AS {PREFIX} SELECT {self.select} {HEAD} {graph}"
            f" WHERE {{ {self.where} }} {self.tail}"
        )

    @property
    def plain(self) -> str:
        """In plain SPARQL, over what is in the window."""
        return f"{PREFIX} SELECT {self.select} WHERE {{ {self.where} }} {self.tail}"


QUESTIONS = {
    "a": Question(
        "?t (AVG(?p) AS ?mean)",
        "?t :wind ?w . ?t :power ?p FILTER(?w > 12.0)",
        100,
        "GROUP BY ?t",
    ),
    "b": Question("?t (AVG(?p) AS ?mean)", "?t :power ?p", 30, "GROUP BY ?t"),
    "c": Question("?t ?p ?a", "?t :power ?p OPTIONAL { ?t :alarm ?a }", 15),
    "d": Question("?t ?p", "?t :power ?p", 15, "ORDER BY DESC(?p) ?t LIMIT 5"),
    "e": Question("?t", "?t a :Turbine FILTER NOT EXISTS { ?t :power ?p }", 15, static=True),
}


# ---- data ------------------------------------------------------------------------------------


def name(number: int) -> str:
    """A turbine; the last ten are silent."""
    return f"<{EX}T{number:03}>"


def second(number: int) -> pa.Table:
    """The rows of one second, in the order of time."""
    random = np.random.default_rng(number)
    turbine = random.integers(0, TURBINES - 10, READINGS)
    wind = random.integers(0, 2, READINGS).astype(bool)
    size = np.where(
        wind, random.integers(0, 2_500, READINGS), random.integers(0, 300_000, READINGS)
    )
    objects = [f'"{n // 100}.{n % 100:02}"^^<{XSD}decimal>' for n in size.tolist()]
    verbs = np.where(wind, f"<{EX}wind>", f"<{EX}power>").tolist()
    subjects = [name(n) for n in turbine.tolist()]
    ts = number * 1_000 + np.sort(random.integers(1, 1_000, READINGS))
    for _ in range(2):
        subjects.append(name(int(random.integers(0, TURBINES))))
        verbs.append(f"<{EX}alarm>")
        objects.append(f'"A{int(random.integers(0, 9))}"')
    times = np.append(ts, [number * 1_000 + 999] * 2)
    return pa.table({"s": subjects, "p": verbs, "o": objects, "ts": times})


def park() -> list[tuple[str, str, str]]:
    """The static graph: what is a turbine."""
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    return [(name(n), kind, f"<{EX}Turbine>") for n in range(TURBINES)]


# ---- the two engines -------------------------------------------------------------------------


def ours(question: Question, steps: int) -> Iterator[tuple[float, dict[int, Counter[Row]]]]:
    """Seconds of each step, and the reports that it told."""
    known = Catalogue().stream(SCADA)
    if question.static:
        known = known.graph(PARK, [(_iri(s), _iri(p), _iri(o)) for s, p, o in park()])
    engine = Engine(sources=known)
    query = engine.register(question.stream)
    for number in range(steps):
        rows = second(number)
        begin = time.perf_counter()
        engine.push(SCADA, rows)
        engine.advance(SCADA, (number + 1) * 1_000)
        table = query.take_table()
        spent = time.perf_counter() - begin
        yield spent, _reports(table)


def _iri(text: str) -> URIRef:
    return URIRef(text[1:-1])


def _reports(table: pa.Table) -> dict[int, Counter[Row]]:
    columns = [table[n].to_pylist() for n in table.column_names if n not in ("at", "place")]
    found: dict[int, Counter[Row]] = {}
    for at, *row in zip(table["at"].to_pylist(), *columns, strict=True):
        found.setdefault(at, Counter())[tuple(row)] += 1
    return found


def theirs(question: Question, steps: int) -> Iterator[tuple[float, dict[int, Counter[Row]]]]:
    """The same by a store that holds the window, evaluated at every step."""
    store = ox.Store()
    if question.static:
        store.load(
            "\n".join(f"{' '.join(row)} ." for row in park()).encode(), ox.RdfFormat.N_TRIPLES
        )
    held: deque[list[ox.Quad]] = deque()
    copies: Counter[ox.Quad] = Counter()
    for number in range(steps):
        rows = second(number)
        text = "\n".join(
            f"{s} {p} {o} ." for s, p, o in zip(*(rows[c].to_pylist() for c in "spo"), strict=True)
        ).encode()
        begin = time.perf_counter()
        new = list(ox.parse(text, ox.RdfFormat.N_TRIPLES))
        store.extend(new)
        copies.update(new)
        held.append(new)
        if len(held) > RANGE:
            for quad in held.popleft():
                copies[quad] -= 1
                if not copies[quad]:
                    del copies[quad]
                    store.remove(quad)
        answer = store.query(question.plain)
        assert isinstance(answer, ox.QuerySolutions)
        rows_told = [tuple(None if v is None else str(v) for v in row) for row in answer]
        spent = time.perf_counter() - begin
        yield spent, {(number + 1) * 1_000: Counter(rows_told)}


ENGINES: dict[str, Callable[..., Iterator[tuple[float, dict[int, Counter[Row]]]]]] = {
    "askos": ours,
    "pyoxigraph": theirs,
}


def compared(question: Question, steps: int, rounds: int) -> dict[str, float]:
    """Milliseconds a step of each; the reports must be equal."""
    spent: dict[str, list[float]] = {engine: [] for engine in ENGINES}
    for _ in range(rounds):
        told: dict[str, dict[int, Counter[Row]]] = {engine: {} for engine in ENGINES}
        running = {engine: make(question, steps) for engine, make in ENGINES.items()}
        for number in range(steps):
            for engine, each in running.items():
                seconds, reports = next(each)
                told[engine].update(reports)
                if number >= RANGE:
                    spent[engine].append(seconds)
        check(told["askos"], told["pyoxigraph"])
    return {engine: statistics.median(times) * 1_000 for engine, times in spent.items()}


def check(mine: dict[int, Counter[Row]], others: dict[int, Counter[Row]]) -> None:
    """Every report that is complete in both is the same, by value: engines spell decimals in their
    own ways."""
    common = sorted(set(mine) & {at for at, rows in others.items() if rows})
    assert len(common) > RANGE, "too few reports to compare"
    for at in common:
        assert _valued(mine[at]) == _valued(others[at]), f"the reports at {at} differ"


def _valued(rows: Counter[Row]) -> Counter[Row]:
    found: Counter[Row] = Counter()
    for row, count in rows.items():
        found[tuple(map(_value, row))] += count
    return found


def _value(text: str | None) -> str | None:
    if text is None or not text.endswith("decimal>"):
        return text
    return f"{float(text.split(chr(34))[1]):.9g}"


def main() -> None:
    """Compare every question, and tell the ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--queries", nargs="+", choices=QUESTIONS, default=list(QUESTIONS))
    parser.add_argument("--json", action="store_true", help="the ratios as JSON, on the last line")
    arguments = parser.parse_args()
    ratios = {}
    for letter in arguments.queries:
        found = compared(QUESTIONS[letter], arguments.steps, arguments.rounds)
        ratios[letter] = found["pyoxigraph"] / found["askos"]
        print(
            f"{letter}: askos {found['askos']:7.2f} ms a second of data,"
            f" pyoxigraph {found['pyoxigraph']:8.2f} ms: {ratios[letter]:6.1f}x"
            f" (wanted: {QUESTIONS[letter].wanted:g}x)",
            flush=True,
        )
    if arguments.json:
        print(json.dumps({"ratios": ratios}))


if __name__ == "__main__":
    main()
