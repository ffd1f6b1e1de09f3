"""Sources that declare to carry nothing a pattern could match."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from askos.algebra import (
    CountWindow,
    Distinct,
    EmptyGraph,
    Operator,
    Path,
    Pattern,
    PredicateWindow,
    Union,
    Window,
)
from askos.algebra.operators.access import Access
from askos.algebra.operators.paths import followed
from askos.sources import Catalogue
from askos.terms import URIRef
from askos.translate.rules.properties import reads_streams

Predicates: TypeAlias = frozenset[URIRef]


def drop_unmatched_sources(plan: Operator, sources: Catalogue | None = None) -> Operator:
    """ν_p(A ∪₊ B) = ν_p(A), and path(A ∪₊ B) = path(A), if the sources of B declare no predicate
    that p or the path could follow.

    By Algorithm 1 of Streaming SPARQL every pattern reads all sources of its graph; the catalogue
    says what they carry.  Not below paths of zero length, to which every node counts.  A count or
    predicate window over triples decides by all of them: it goes as a whole or stays as it is.
    Above ν it sees only what matched, but it needs something that arrives: where no source is
    left, it goes with its pattern.
    """
    match plan:
        case _ if sources is None:
            return plan
        case Window(input=Pattern() as inner) if _empty(_kept(inner, sources)):
            return _over(inner, EmptyGraph())
        case Pattern() | Path():
            kept = _kept(plan, sources)
            same = kept is plan.input or (plan.raw and _empty(kept))
            return plan if same else _over(plan, kept)
    return plan


def _over(plan: Pattern | Path, input: Operator) -> Operator:
    """The pattern over what is left; without streams there are no arrival times to keep."""
    if isinstance(plan, Path) or reads_streams(input):
        return replace(plan, input=input)
    return replace(plan, input=input, stamps=())


def _kept(plan: Pattern | Path, sources: Catalogue) -> Operator:
    """What of its input the pattern could match; the same object where that is all."""
    wanted = _wanted(plan)
    return plan.input if wanted is None else _carrying(plan.input, wanted, sources)


def _wanted(plan: Pattern | Path) -> Predicates | None:
    """The predicates of triples that count; None: all."""
    if isinstance(plan, Path):
        return followed(plan.path)
    return frozenset({plan.predicate}) if isinstance(plan.predicate, URIRef) else None


def _carrying(plan: Operator, wanted: Predicates, sources: Catalogue) -> Operator:
    """Those parts of `plan` whose triples could have a `wanted` predicate."""
    match plan:
        case Access(source):
            known = sources.get(source)
            declared = None if known is None else known.predicates
            return plan if declared is None or declared & wanted else EmptyGraph()
        case Union(a, b):
            left, right = (_carrying(side, wanted, sources) for side in (a, b))
            if left is a and right is b:
                return plan
            return right if _empty(left) else left if _empty(right) else Union(left, right)
        case Distinct(a) | Window(a):
            kept = _carrying(a, wanted, sources)
            if _empty(kept):
                return kept
            whole = kept is a or isinstance(plan, CountWindow | PredicateWindow)
            return plan if whole else replace(plan, input=kept)
    return plan


def _empty(plan: Operator) -> bool:
    return isinstance(plan, EmptyGraph)
