"""Simple and hash pattern matcher: the same rows at the same ports."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import Pattern, SlidingWindow, StreamAccess
from askos.algebra.placement import TRIPLE
from askos.columns import Batch
from askos.columns.coder import Coder
from askos.errors import StreamError
from askos.physical import lines
from askos.physical.choices import Way
from askos.physical.estimates import patterns
from askos.physical.matcher import HashMatcher, Matcher, SimpleMatcher
from askos.physical.plan import Feed
from askos.terms import Solution, Term, Triple
from tests.build import EX, S1, X, Y
from tests.columns.batches import CODER, TINY, batch, colliding, rows

TERMS: list[Term] = [EX.a, EX.b, EX.p, EX.q]
WINDOW = SlidingWindow(StreamAccess(S1), 9, 1)


def shapes() -> st.SearchStrategy[Pattern]:
    subjects, objects = (st.sampled_from([v, *TERMS]) for v in (X, Y))
    predicates = st.sampled_from([X, *TERMS])
    return st.builds(Pattern, subjects, predicates, objects, st.just(WINDOW))


def triples(*found: Triple, coder: Coder = CODER) -> Batch:
    arrived = (Solution(dict(zip(TRIPLE, triple, strict=True))) for triple in found)
    return batch(*((each, n, n + 1) for n, each in enumerate(arrived)), coder=coder)


def both(found: list[Pattern], coder: Coder = CODER) -> tuple[Matcher, Matcher]:
    read = lines([Feed(pattern, port) for port, pattern in enumerate(found)], coder)
    return SimpleMatcher(read), HashMatcher(read, coder)


@given(
    st.lists(shapes(), max_size=8),
    st.lists(st.builds(Triple, *[st.sampled_from(TERMS)] * 3), min_size=1, max_size=12),
)
def test_both_matchers_give_every_pattern_its_triples(
    found: list[Pattern], given: list[Triple]
) -> None:
    simple, hashed = (
        {port: rows(batch) for line, batch in matcher.feed(triples(*given)) for port in line.ports}
        for matcher in both(found)
    )
    assert simple == hashed


@pytest.mark.parametrize("place", [0, 1], ids=["simple", "hash"])
def test_a_term_that_cannot_be_told_from_a_constant_stops_a_matcher(place: int) -> None:
    one, other = colliding()
    matcher = both([Pattern(X, one, Y, WINDOW)], TINY)[place]
    given = triples(Triple(EX.a, other, EX.b), coder=TINY)
    with pytest.raises(StreamError, match="have the same hash"):
        list(matcher.feed(given))


@pytest.mark.parametrize(("count", "way"), [(2, Way.SIMPLE), (200, Way.HASH)])
def test_many_patterns_are_looked_up(count: int, way: Way) -> None:
    assert min(patterns([count], 1_000), key=lambda option: option.cost).way is way
