"""One matcher for many readers: each gets what its own would give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import Kind, Pattern, Periodic
from askos.columns import Batch
from askos.physical import Line, lines
from askos.physical.dispatch import Dispatch, Reading
from askos.physical.matcher import HashMatcher, SimpleMatcher
from askos.physical.plan import Feed
from askos.terms import Triple
from tests.build import EX, S1, X, Y
from tests.columns.batches import CODER, rows
from tests.physical.test_matcher import TERMS, WINDOW, shapes, triples

GRIDS = (None, Periodic(Kind.RSTREAM, (4,)))


def readings() -> st.SearchStrategy[Reading]:
    def made(patterns: Sequence[Pattern], grid: Periodic | None, hashed: bool) -> Reading:
        feeds = (Feed(pattern, port) for port, pattern in enumerate(patterns))
        return Reading(tuple(feeds), grid, hashed=hashed)

    patterns = st.lists(shapes(), min_size=1, max_size=4)
    return st.builds(made, patterns, st.sampled_from(GRIDS), st.booleans())


def told(given: Dispatch[int], arrived: Batch) -> dict[tuple[int, int], object]:
    found = given.feed(S1, arrived)
    return {entrance: rows(batch) for entrances, batch in found for entrance in entrances}


def alone(readers: Iterable[tuple[int, Reading]], arrived: Batch) -> dict[tuple[int, int], object]:
    return {
        (reader, port): rows(batch)
        for reader, reading in readers
        for line, batch in SimpleMatcher(lines(reading.feeds, CODER, reading.grid)).feed(arrived)
        for port in line.ports
    }


@given(
    st.lists(readings(), min_size=1, max_size=6),
    st.sets(st.integers(0, 5)),
    st.lists(st.builds(Triple, *[st.sampled_from(TERMS)] * 3), min_size=1, max_size=12),
)
def test_each_reader_gets_what_its_own_matcher_would_give_while_others_come_and_go(
    read: list[Reading], gone: set[int], given: list[Triple]
) -> None:
    made, readers, arrived = Dispatch[int](CODER), dict(enumerate(read)), triples(*given)
    for reader, reading in readers.items():
        made.add(reader, reading)
        known = list(readers.items())[: reader + 1]
        assert told(made, arrived) == alone(known, arrived)
    for reader in gone & readers.keys():
        made.remove(reader)
        del readers[reader]
        assert told(made, arrived) == alone(readers.items(), arrived)


def test_equal_lines_of_two_readers_are_one() -> None:
    made = Dispatch[str](CODER)
    for reader in ("one", "other"):
        made.add(reader, Reading((Feed(Pattern(X, EX.p, Y, WINDOW), 7),)))
    ((entrances, _),) = made.feed(S1, triples(Triple(EX.a, EX.p, EX.b)))
    assert entrances == [("one", 7), ("other", 7)]


class Watched(Line):
    """A line that knows whether it was given anything."""

    given = False

    def process(self, triples: Batch) -> Batch:
        self.given = True
        return super().process(triples)


def test_patterns_of_one_predicate_are_told_apart_by_their_subjects() -> None:
    feeds = (Feed(Pattern(term, EX.p, Y, WINDOW), 0) for term in TERMS)
    read = [Watched(feed, (0,), CODER) for feed in feeds]
    list(HashMatcher(read, CODER).feed(triples(Triple(EX.b, EX.p, EX.b))))
    assert [line.given for line in read] == [term == EX.b for term in TERMS]
