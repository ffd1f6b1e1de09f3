"""From an aggregate of the algebra to its fold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from askos.algebra import Aggregate, Avg, Count, Expression, GroupConcat, Max, Min, Sample, Sum
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.dictionary import Dictionary
from askos.columns.expressions import compile_value
from askos.columns.ids import INTEGER, Ids, pack
from askos.columns.sums import averages, summands, totals
from askos.physical.folds.adding import (
    AddingFold,
    Column,
    CountFold,
    Result,
    SameSumFold,
    Summands,
)
from askos.physical.folds.concat import ConcatFold
from askos.physical.folds.distinct import DistinctFold
from askos.physical.folds.fold import Fold
from askos.physical.folds.least import LeastFold, Wanted
from askos.physical.folds.members import VALUE, Valued
from askos.terms import Variable, is_anonymous

_WANTED = {Min: Wanted.MIN, Max: Wanted.MAX, Sample: Wanted.SAMPLE}


class Adding(NamedTuple):
    """How an aggregate adds up: what elements add, and what a sum of that is worth."""

    summands: Summands
    result: Result


def compile_folds(aggregates: Mapping[Variable, Aggregate], coder: Coder) -> dict[Variable, Fold]:
    """The folds of aggregates; SUM and AVG of one expression add up once."""
    folds, sums = dict[Variable, Fold](), dict[Expression | None, AddingFold]()
    for variable, aggregate in aggregates.items():
        fold = compile_fold(aggregate, coder)
        if isinstance(fold, AddingFold) and isinstance(aggregate, Sum | Avg):
            first = sums.setdefault(aggregate.expression, fold)
            fold = fold if first is fold else SameSumFold(first, fold.result)
        folds[variable] = fold
    return folds


def compile_fold(aggregate: Aggregate, coder: Coder) -> Fold:
    """The fold of an aggregate: all of SPARQL's have one."""
    added = adding(aggregate, coder)
    if added is not None:
        return CountFold() if aggregate.expression is None else AddingFold(*added)
    if aggregate.expression is None:  # of solutions as the query can see them
        return DistinctFold(_solutions, _ones, _count)
    values = values_of(aggregate.expression, coder)
    match aggregate:
        case Min() | Max() | Sample():
            return LeastFold(values, _WANTED[type(aggregate)])
        case GroupConcat(separator=separator, distinct=distinct):
            return ConcatFold(values, separator, coder, distinct=distinct)
    return DistinctFold(values, *_adding(aggregate, coder))


def adding(aggregate: Aggregate, coder: Coder) -> Adding | None:
    """How an aggregate adds up; None if it does not: where copies do not count, or their order
    does."""
    if not adds_up(aggregate):
        return None
    if aggregate.expression is None:
        return Adding(_ones, _count)
    values = values_of(aggregate.expression, coder)
    added, result = _adding(aggregate, coder)
    return Adding(lambda batch: added(values(batch)), result)


def adds_up(value: object) -> bool:
    """Whether what a group is worth follows from what elements add when they start and take away
    when they end, and from nothing else of them."""
    return isinstance(value, Count | Sum | Avg) and not value.distinct


def _solutions(batch: Batch) -> Batch:
    return batch.project([v for v in batch.columns if not is_anonymous(v) and v[:1] != " "])


def values_of(expression: Expression, coder: Coder) -> Valued:
    """The values of an expression, as elements."""
    value = compile_value(expression, coder)

    def values(batch: Batch) -> Batch:
        ids, dictionary = value(batch)
        return Batch({VALUE: ids}, batch.ts, batch.te, dictionary)

    return values


def _adding(aggregate: Aggregate, coder: Coder) -> tuple[Callable[[Batch], Column], Result]:
    """What a value adds, and what a sum of that is worth."""
    if isinstance(aggregate, Count):
        return lambda values: (values.column(VALUE) != 0).astype(np.int64), _count
    finish = totals if isinstance(aggregate, Sum) else averages
    return (
        lambda values: summands(values.column(VALUE), values.dictionary),
        lambda sums: finish(sums, coder),
    )


def _ones(batch: Batch) -> Ids:
    return np.ones(len(batch), np.int64)


def _count(numbers: Ids) -> tuple[Ids, Dictionary]:
    return pack(INTEGER, 0, numbers), Dictionary()
