"""Expressions on whole batches beside the algebra's own evaluation, row by row.

    python benchmarks/expressions.py [--rows 500 10000] [--rounds 9] [--json]

The same rows, once as the columns of a batch and once as solutions that are made already.  Both
must say the same.  Measurements differ in nearly every row; turbines and their labels come again
and again.

Microseconds of processor time a batch, medians of interleaved rounds, and their ratio.  The batch
is the same again and again, so that strings are tested in the first round only, as those of a
stream are whose names come again; `first` is what it takes to compile an expression and to evaluate
it for a batch that it has not seen.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from askos.algebra import And, Call, Constant, Expression, If, In, Ref
from askos.algebra.expressions import ExpressionError, Scope, holds
from askos.columns import Batch, Coder, Dictionary, decode
from askos.columns.expressions import compile_condition, compile_value
from askos.terms import XSD, Literal, Solution, Term, URIRef, Variable

CODER = Coder("0123456789abcdef")
TURBINES = 100


def call(name: str, *arguments: Expression | str) -> Expression:
    """A call; ?x stands for a variable."""
    return Call(name, tuple(Ref(Variable(a[1:])) if isinstance(a, str) else a for a in arguments))


def value(lexical: str, datatype: URIRef | None = None) -> Expression:
    """A constant literal."""
    return Constant(Literal(lexical, datatype=datatype))


def decimal(lexical: str) -> Expression:
    """A constant decimal."""
    return value(lexical, XSD.decimal)


def turbine(number: int) -> URIRef:
    """The IRI of a turbine."""
    return URIRef(f"http://example.org/park/turbine/{number}")


NOON = value("2024-06-01T12:00:00Z", XSD.dateTime)
LABEL = call("STR", "?label")
CONDITIONS = {
    "?w > 12.0": call(">", "?w", decimal("12.0")),
    "?d > 12.0, digits differ": call(">", "?d", decimal("12.0")),
    "?w > 12.0 && ?w < 20.0": And(
        call(">", "?w", decimal("12.0")), call("<", "?w", decimal("20.0"))
    ),
    "?w > ?v": call(">", "?w", "?v"),
    "?w - ?v > 5.0": call(">", call("-", "?w", "?v"), decimal("5.0")),
    "?w / ?v > 1.5": call(">", call("/", "?w", "?v"), decimal("1.5")),
    "?w IN (12.5, 3.0)": In(Ref(Variable("w")), (decimal("12.5"), decimal("3.0"))),
    "?at > 12:00": call(">", "?at", NOON),
    "HOURS(?at) >= 12": call(">=", call("HOURS", "?at"), value("12", XSD.integer)),
    "?t = <turbine/7>": call("=", "?t", Constant(turbine(7))),
    "?t != ?other": call("!=", "?t", "?other"),
    "?t IN (3 turbines)": In(Ref(Variable("t")), tuple(Constant(turbine(n)) for n in range(3))),
    "STRSTARTS(STR(?t), ..)": call("STRSTARTS", call("STR", "?t"), value(str(turbine(1)))),
    "CONTAINS(STR(?label), '7')": call("CONTAINS", LABEL, value("7")),
    "REGEX(STR(?label), '^Turbine 1')": call("REGEX", LABEL, value("^Turbine 1")),
    "REGEX(STR(?label), '[13]$')": call("REGEX", LABEL, value("[13]$")),
    "LANGMATCHES(LANG(?label), 'en')": call("LANGMATCHES", call("LANG", "?label"), value("en")),
    "DATATYPE(?w) = xsd:decimal": call("=", call("DATATYPE", "?w"), Constant(XSD.decimal)),
    "?w > 25.0 && CONTAINS(..)": And(
        call("CONTAINS", LABEL, value("7")), call(">", "?w", decimal("25.0"))
    ),
}
VALUES = {
    "?w * 1.5": call("*", "?w", decimal("1.5")),
    "?w - ?v": call("-", "?w", "?v"),
    "?w / ?v": call("/", "?w", "?v"),
    "FLOOR(?w)": call("FLOOR", "?w"),
    "xsd:double(?w)": call(str(XSD.double), "?w"),
    "IF(?w > 12.0, ?w, ?v)": If(CONDITIONS["?w > 12.0"], Ref(Variable("w")), Ref(Variable("v"))),
    "STR(?t)": call("STR", "?t"),
    "STRLEN(STR(?label))": call("STRLEN", LABEL),
    "MINUTES(?at)": call("MINUTES", "?at"),
}


def rows(count: int) -> list[Solution]:
    """Measurements of a wind park."""
    chance = random.Random(1)

    def number(digits: int) -> Literal:
        return Literal(f"{chance.uniform(0.5, 30):.{digits}f}", datatype=XSD.decimal)

    def row() -> Solution:
        number_of, minute = chance.randrange(TURBINES), chance.randrange(1440)
        time = f"2024-06-01T{minute // 60:02}:{minute % 60:02}:{chance.randrange(60):02}Z"
        terms: dict[str, Term] = {
            "w": number(2),
            "v": number(2),
            "d": number(chance.randint(1, 3)),
            "at": Literal(time, datatype=XSD.dateTime),
            "t": turbine(number_of),
            "other": turbine(chance.randrange(TURBINES)),
            "label": Literal(f"Turbine {number_of}", lang="en"),
        }
        return Solution({Variable(name): term for name, term in terms.items()})

    return [row() for _ in range(count)]


def batch(solutions: list[Solution]) -> Batch:
    """The same as columns."""
    columns, dictionary = {}, Dictionary()
    for variable in solutions[0]:
        columns[variable], texts = CODER.terms([mu[variable] for mu in solutions])
        dictionary |= texts
    start = np.zeros(len(solutions), np.int64)
    return Batch(columns, start, start + 1, Dictionary((dictionary.merged,)))


def evaluated(expression: Expression, solution: Solution) -> Term | None:
    """The value, or None for an error."""
    try:
        return expression.evaluate(Scope(solution))
    except ExpressionError:
        return None


def seconds(work: Callable[[], Any], repeat: int = 1) -> float:
    """How long it takes a processor, whoever else wants it."""
    start = time.process_time()
    for _ in range(repeat):
        work()
    return (time.process_time() - start) / repeat


def compared(
    compiled: Callable[[], Callable[[Batch], Any]],
    given: Batch,
    theirs: Callable[[], Any],
    rounds: int,
) -> dict[str, float]:
    """Both in turn, round after round: medians in microseconds, and their ratio."""
    ours = compiled()
    ours(given)
    repeat = max(1, int(0.01 / max(seconds(lambda: ours(given)), 1e-6)))
    times = [
        (seconds(lambda: compiled()(given)), seconds(lambda: ours(given), repeat), seconds(theirs))
        for _ in range(rounds)
    ]
    first, mine, other = (statistics.median(each) * 1e6 for each in zip(*times, strict=True))
    return {"first": first, "columns": mine, "algebra": other, "ratio": other / mine}


def of_condition(
    expression: Expression, given: Batch, solutions: list[Solution], rounds: int
) -> dict[str, float]:
    """A condition, which keeps the same rows."""

    def one_by_one() -> list[bool]:
        return [holds(expression, Scope(mu)) for mu in solutions]

    assert compile_condition(expression)(given).tolist() == one_by_one()
    return compared(lambda: compile_condition(expression), given, one_by_one, rounds)


def of_value(
    expression: Expression, given: Batch, solutions: list[Solution], rounds: int
) -> dict[str, float]:
    """A value, which is the same term; the algebra's terms are not given ids."""

    def one_by_one() -> list[Term | None]:
        return [evaluated(expression, mu) for mu in solutions]

    assert decode(*compile_value(expression, CODER)(given)) == one_by_one()
    return compared(lambda: compile_value(expression, CODER), given, one_by_one, rounds)


def main() -> None:
    """Compare every expression at every size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[500, 10_000])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", action="store_true", help="all figures as JSON, on the last line")
    arguments = parser.parse_args()
    figures: dict[str, dict[str, float]] = {}
    for count in arguments.rows:
        solutions = rows(count)
        given = batch(solutions)
        print(f"{f'{count:,} rows':36} {'first':>12} {'columns':>15} {'algebra':>15} {'times':>10}")
        for name, expression in {**CONDITIONS, **VALUES}.items():
            measure = of_condition if name in CONDITIONS else of_value
            found = measure(expression, given, solutions, arguments.rounds)
            figures[f"{name}, {count} rows"] = found
            print(
                f"{name:36} {found['first']:9,.0f} µs {found['columns']:12,.1f} µs"
                f" {found['algebra']:12,.0f} µs"
                f" {found['ratio']:9,.0f}x",
                flush=True,
            )
    if arguments.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
