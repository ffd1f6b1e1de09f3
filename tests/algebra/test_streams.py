from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import (
    Element,
    LogicalStream,
    Stamped,
    equivalent,
    first_difference,
    snapshot,
    to_logical,
    to_physical,
)
from askos.errors import StreamError
from askos.interval import FOREVER, Interval
from tests.build import bag, solution, triple

A, B = solution(x="a"), solution(x="b")
ENDS = st.one_of(st.integers(21, 30), st.just(FOREVER))
ELEMENTS = st.lists(
    st.builds(
        lambda item, start, length: Element(item, Interval(start, start + length)),
        st.sampled_from([A, B]),
        st.integers(0, 12),
        st.integers(1, 6),
    )
    | st.builds(lambda item, end: Element(item, Interval(20, end)), st.just(A), ENDS),
    max_size=8,
)


def element(item: object, start: int, end: int) -> Element:
    return Element(item, Interval(start, end))  # type: ignore[arg-type]


@given(ELEMENTS, st.integers(0, 40))
def test_the_logical_stream_has_the_snapshots_of_the_physical_one(
    elements: list[Element], t: int
) -> None:
    assert to_logical(elements).at(t) == snapshot(elements, t)


@given(ELEMENTS, st.data())
def test_cutting_an_element_changes_nothing(elements: list[Element], data: st.DataObject) -> None:
    pieces = []
    for e in elements:
        start, end = e.interval.start, e.interval.end
        if end - start > 1:
            cut = data.draw(st.integers(start + 1, min(end, start + 5) - 1))
            pieces += [element(e.item, start, cut), element(e.item, cut, end)]
        else:
            pieces.append(e)
    assert equivalent(elements, pieces)
    assert first_difference(elements, pieces) is None


@given(ELEMENTS, ELEMENTS)
def test_streams_are_equivalent_if_all_snapshots_are_equal(
    a: list[Element], b: list[Element]
) -> None:
    assert equivalent(a, b) == all(snapshot(a, t) == snapshot(b, t) for t in range(45))
    assert equivalent(a, b) == (first_difference(a, b) is None)


def test_steps_are_maximal_and_overlaps_add_up() -> None:
    stream = to_logical([element(A, 0, 10), element(A, 5, 15), element(A, 15, 20)])
    assert stream[A] == ((0, 5, 1), (5, 10, 2), (10, 20, 1))
    assert len(stream) == 1


@given(ELEMENTS)
def test_the_fewest_elements_mean_the_same(elements: list[Element]) -> None:
    fewest = to_physical(to_logical(elements))
    assert equivalent(fewest, elements)
    assert len(fewest) <= len(elements)


def test_an_element_that_never_ends_is_one_step() -> None:
    assert dict(to_logical([element(A, 3, FOREVER)])) == {A: ((3, FOREVER, 1),)}
    assert to_logical([]) == LogicalStream({})


def test_a_difference_names_the_first_instant_and_both_sides() -> None:
    found = first_difference([element(A, 2, 9)], [element(A, 2, 5), element(B, 7, 8)])
    assert found == "at 5: only left {{?x → <http://example.org/a>}: 1}, only right {}"


def test_snapshots_count_copies() -> None:
    elements = [element(A, 0, 5), element(A, 3, 8), element(B, 4, 5)]
    assert snapshot(elements, 4) == bag(A, A, B)
    assert snapshot(elements, 8) == Counter()


@pytest.mark.parametrize("at", [-1, 0.5, FOREVER, True, None])
def test_a_stamp_must_be_an_instant(at: object) -> None:
    with pytest.raises(StreamError, match="is not an instant"):
        Stamped(triple("a", "p", 1), at)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "build",
    [
        lambda: Stamped("x", 3),  # type: ignore[arg-type]
        lambda: Stamped(triple("a", "p", 1), 3, "abc"),  # type: ignore[arg-type]
        lambda: Element("x", Interval(1, 2)),  # type: ignore[arg-type]
        lambda: Element(True, (1, 2)),  # type: ignore[arg-type]
    ],
)
def test_elements_of_the_wrong_parts_are_refused(build: Callable[[], object]) -> None:
    with pytest.raises(StreamError, match=r"is (not|neither)"):
        build()
