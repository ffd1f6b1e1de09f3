"""ODYSSEUS's relational operator cases as plans of our algebra.

A row of a relation is a node with one triple for being a row of it, and one for each value.  Where
a case gives rows their validity, rows that are valid equally long share a stream and a window of
that length; where it has a window, the window is above the pattern that finds rows, and the values
are static.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias

from askos.algebra import (
    TRUE,
    And,
    Avg,
    Binding,
    Bound,
    Call,
    Constant,
    Count,
    CountWindow,
    Distinct,
    Expression,
    Extend,
    Filter,
    GraphAccess,
    Group,
    Join,
    LeftJoin,
    Max,
    Min,
    Operator,
    Pattern,
    Project,
    Ref,
    SlidingWindow,
    Stamped,
    StreamAccess,
    Sum,
    Union,
)
from askos.algebra.expressions.values import value
from askos.algebra.reference import evaluate
from askos.algebra.streams import Item
from askos.interval import FOREVER
from askos.prepared import prepare
from askos.sources import Catalogue
from askos.terms import XSD, Literal, Solution, Term, Triple, URIRef, Variable
from tests.build import EX
from tests.oracles.hosts import Deliveries, Host

Row: TypeAlias = tuple[object, ...]
Answers: TypeAlias = Callable[[int], Counter[Row]]
BATCH = 40
AGGREGATES = {"avg": Avg, "sum": Sum, "min": Min, "max": Max, "count": Count}


class UnsupportedCaseError(Exception):
    """The case asks for what SPARQL or our windows do not have."""


@dataclass(frozen=True)
class Relation:
    """A plan, and the variable of each column, in order."""

    plan: Operator
    columns: dict[str, Variable]


class Case:
    """One case: its inputs as streams and graphs, its plan, and what it expects."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.inputs = {each["name"]: each for each in document["inputs"]}
        self.streams: dict[URIRef, list[Stamped]] = {}
        self.graphs: dict[URIRef, list[Triple]] = {}
        self.until: int = document.get("verified_before") or FOREVER
        self.until = min(self.until, document.get("compare_until") or FOREVER)
        self.relations: dict[str, Relation] = {}
        for step in document["plan"]:
            self.relations[step["out"]] = self._step(step)

    # ---- inputs --------------------------------------------------------------------------

    def _rows(self, name: str) -> list[tuple[URIRef, list[Any], int, int]]:
        rows = self.inputs[name]["rows"]
        ends = [FOREVER if row[-1] is None else row[-1] for row in rows]
        return [(EX[f"{name}/{i}"], row[:-2], row[-2], ends[i]) for i, row in enumerate(rows)]

    def _relation(self, name: str) -> Relation:
        """A relation computed before, or an input whose rows carry their own validity."""
        if name in self.relations:
            return self.relations[name]
        windows: dict[int, Operator] = {}
        for row, cells, start, end in self._rows(name):
            length = end if end == FOREVER else end - start
            stream = EX[f"{name}/valid/{length}"]
            windows.setdefault(length, SlidingWindow(StreamAccess(stream), length, 1))
            triples = [Triple(row, EX.row, EX[name]), *self._values(name, row, cells)]
            self.streams.setdefault(stream, []).extend(Stamped(t, start) for t in triples)
        access = reduce(Union, windows.values())
        return self._columns(name, Pattern(_node(name), EX.row, EX[name], access), access)

    def _window(self, step: dict[str, Any]) -> Relation:
        (name,) = step["in"]
        stream, values = EX[f"{name}/rows"], EX[f"{name}/values"]
        rows = self._rows(name)
        self.streams[stream] = [
            Stamped(Triple(row, EX.row, EX[name]), start, i)
            for i, (row, _, start, _) in enumerate(rows)
        ]
        self.graphs[values] = [t for row, cells, *_ in rows for t in self._values(name, row, cells)]
        found = Pattern(_node(name), EX.row, EX[name], StreamAccess(stream))
        window: Operator
        if step["window"] == "element":
            window = CountWindow(found, step["size"], step["advance"])
            # Our last elements stay; those of the case end with its input.
            last = max(start for _, _, start, _ in rows)
            self.until = min(self.until, last + (step["at_end"] == "last_ts_plus_1"))
        elif step.get("start", "element") == "element":
            window = SlidingWindow(found, step["size_ms"], step.get("advance_ms") or 1)
        else:
            raise UnsupportedCaseError("a window that begins before its element arrives")
        return self._columns(name, window, GraphAccess(values))

    def _values(self, name: str, row: URIRef, cells: list[Any]) -> list[Triple]:
        columns = self.inputs[name]["columns"]
        named = zip(columns, cells, strict=True)
        return [Triple(row, EX[column], _term(cell)) for column, cell in named if cell is not None]

    def _columns(self, name: str, rows: Operator, values: Operator) -> Relation:
        columns = {c: Variable(f"{name}__{c}") for c in self.inputs[name]["columns"]}
        plan = rows
        for column, variable in columns.items():
            plan = LeftJoin(plan, Pattern(_node(name), EX[column], variable, values))
        return Relation(plan, columns)

    # ---- operators -----------------------------------------------------------------------

    def _step(self, step: dict[str, Any]) -> Relation:
        operator = step["op"]
        if operator == "window":
            return self._window(step)
        method = getattr(self, f"_{operator}", None)
        if method is None:
            raise UnsupportedCaseError(f"the operator {operator}")
        result = method(step, *(self._relation(name) for name in step["in"]))
        assert isinstance(result, Relation)
        return result

    def _join(self, step: dict[str, Any], left: Relation, right: Relation) -> Relation:
        columns = self._prefixed(step, left, right)
        condition = _condition(step["predicate"], columns)
        return Relation(Filter(condition, Join(left.plan, right.plan)), columns)

    def _leftjoin(self, step: dict[str, Any], left: Relation, right: Relation) -> Relation:
        columns = self._prefixed(step, left, right)
        condition = _condition(step["predicate"], columns)
        return Relation(LeftJoin(left.plan, right.plan, condition), columns)

    @staticmethod
    def _prefixed(step: dict[str, Any], *sides: Relation) -> dict[str, Variable]:
        prefixes = step["prefix"]
        return {
            f"{prefix}{name}": variable
            for prefix, side in zip(prefixes, sides, strict=True)
            for name, variable in side.columns.items()
        }

    def _select(self, step: dict[str, Any], input: Relation) -> Relation:
        condition = _condition(step["predicate"], input.columns)
        return Relation(Filter(condition, input.plan), input.columns)

    def _distinct(self, step: dict[str, Any], input: Relation) -> Relation:
        plan = Distinct(Project(tuple(input.columns.values()), input.plan))
        return Relation(plan, input.columns)

    def _union(self, step: dict[str, Any], left: Relation, right: Relation) -> Relation:
        plan = Project(tuple(right.columns.values()), right.plan)
        columns = zip(left.columns.values(), right.columns.values(), strict=True)
        renamed: Operator = plan
        for mine, other in columns:
            renamed = Extend(mine, Ref(other), renamed)
        return Relation(Union(left.plan, renamed), left.columns)

    def _project(self, step: dict[str, Any], input: Relation) -> Relation:
        return Relation(input.plan, {name: input.columns[name] for name in step["columns"]})

    def _rename(self, step: dict[str, Any], input: Relation) -> Relation:
        names = zip(step["columns"], input.columns.values(), strict=True)
        return Relation(input.plan, dict(names))

    def _map(self, step: dict[str, Any], input: Relation) -> Relation:
        plan, columns = input.plan, {}
        for name, formula in zip(step["as"], step["expressions"], strict=True):
            columns[name] = Variable(f"map__{name}")
            plan = Extend(columns[name], _condition(formula, input.columns), plan)
        return Relation(plan, columns)

    def _aggregate(self, step: dict[str, Any], input: Relation) -> Relation:
        keys = {name: input.columns[name] for name in step["group_by"]}
        made: dict[str, Variable] = {}
        size = Variable(f"{step['out']}__size")
        bindings = [Binding(size, Count())]
        for each in step["aggregates"]:
            if each["fn"] not in AGGREGATES:
                raise UnsupportedCaseError(f"the aggregate {each['fn']}")
            made[each["as"]] = Variable(f"agg__{each['as']}")
            argument = Ref(input.columns[each["arg"]])
            bindings.append(Binding(made[each["as"]], AGGREGATES[each["fn"]](argument)))
        # There NULL is left out; here an unbound variable would make the aggregate an error.
        rows = input.plan
        for each in step["aggregates"]:
            rows = Filter(Bound(input.columns[each["arg"]]), rows)
        groups = tuple(Binding(v, Ref(v)) for v in keys.values())
        plan = Group(groups, tuple(bindings), rows)
        # There an aggregate of nothing is no row; without GROUP BY ours is one always.
        some = Call(">", (Ref(size), Constant(_term(0))))
        return Relation(Filter(some, plan), {**keys, **made})

    # ---- results -------------------------------------------------------------------------

    @property
    def instants(self) -> list[int]:
        """Every instant at which an expected row begins or has just ended, as far as it counts."""
        rows = self.document["expected"]["rows"]
        borders = {time for row in rows for time in row[-2:] if time is not None}
        first = self.document.get("compare_from") or 0
        return sorted(t for t in borders if first <= t < self.until)

    def expected(self, time: int) -> Counter[Row]:
        rows = self.document["expected"]["rows"]
        ends = ((row, FOREVER if row[-1] is None else row[-1]) for row in rows)
        live = (row[:-2] for row, end in ends if row[-2] <= time < end)
        return Counter(tuple(_rounded(cell) for cell in row) for row in live)

    @property
    def plan(self) -> Operator:
        columns = self.relations["out"].columns.values()
        assert len(columns) == len(self.document["expected"]["columns"])
        return Project(tuple(dict.fromkeys(columns)), self.relations["out"].plan)

    def judged(self, time: int) -> Counter[Row]:
        """What the reference evaluation finds at an instant."""
        found = evaluate(self.plan, {**self.streams, **self.graphs}, time)
        return Counter(map(self._row, found.elements()))

    def answers(self, host: Host, buckets: int) -> Answers:
        """What a host answers, for all instants."""
        known = Catalogue()
        for stream in self.streams:
            known = known.stream(stream)
        for graph, triples in self.graphs.items():
            known = known.graph(graph, triples)
        prepared = prepare(self.plan, sources=known)
        found = host(prepared, self.deliveries, buckets, None)
        rows = [(self._row(answer.item), answer.interval) for answer in found]
        return lambda time: Counter(row for row, valid in rows if valid.start <= time < valid.end)

    @property
    def deliveries(self) -> Deliveries:
        """In order, the streams in turns of some rows."""
        turns = [
            (start, stream, rows[start : start + BATCH])
            for stream, rows in self._ordered.items()
            for start in range(0, len(rows), BATCH)
        ]
        return [(stream, rows) for _, stream, rows in sorted(turns, key=lambda turn: turn[0])]

    @property
    def _ordered(self) -> dict[URIRef, list[Stamped]]:
        return {s: sorted(rows, key=lambda row: row.at) for s, rows in self.streams.items()}

    def _row(self, item: Item) -> Row:
        assert isinstance(item, Solution)
        return tuple(_cell(item.get(v)) for v in self.relations["out"].columns.values())


def _node(name: str) -> Variable:
    return Variable(f"{name}__row")


def _term(cell: object) -> Term:
    match cell:
        case "NaN" | "Infinity" | "-Infinity":
            special = {"NaN": "NaN", "Infinity": "INF", "-Infinity": "-INF"}
            return Literal(special[cell], datatype=XSD.double)
        case int():
            return Literal(str(cell), datatype=XSD.integer)
        case float():
            return Literal(repr(cell), datatype=XSD.double)
    return Literal(str(cell))


def _cell(term: Term | None) -> object:
    if term is None:
        return None
    assert isinstance(term, Literal)
    known = value(term)
    return _rounded(float(known.value) if hasattr(known, "value") else str(term))


def _rounded(cell: object) -> object:
    """Numbers to ten digits, as the suite compares them."""
    special = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}
    if isinstance(cell, str) and cell in special:
        return special[cell]
    return f"{float(cell):.9e}" if isinstance(cell, int | float) else cell


def _condition(tree: list[Any] | dict[str, Any], columns: dict[str, Variable]) -> Expression:
    """A predicate or formula in prefix form."""
    match tree:
        case {"col": name}:
            return Ref(columns[name])
        case {"const": cell}:
            return Constant(_term(cell))
        case ["true"]:
            return TRUE
        case ["and", left, right]:
            return And(_condition(left, columns), _condition(right, columns))
        case [str(symbol), left, right]:
            return Call(symbol, (_condition(left, columns), _condition(right, columns)))
    raise UnsupportedCaseError(f"the formula {tree}")
