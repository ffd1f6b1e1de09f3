"""Arrival times as columns: the same answers, and no hidden times above the patterns."""

from __future__ import annotations

from hypothesis import given

from askos.algebra import Extend, Operator, Pattern, Timestamp
from askos.algebra.reference import Streams, evaluate
from askos.physical.arrivals import times_as_columns
from tests.strategies import data, instants, plans


@given(plans(), data(), instants())
def test_times_as_columns_say_the_same(plan: Operator, streams: Streams, instant: int) -> None:
    assert evaluate(times_as_columns(plan), streams, instant) == evaluate(plan, streams, instant)


@given(plans())
def test_only_what_stands_right_above_a_pattern_asks_for_hidden_times(plan: Operator) -> None:
    for node in times_as_columns(plan).walk():
        for child in node.children:
            if isinstance(child, Timestamp):
                assert isinstance(node, Extend)
                below = node.input
                while isinstance(below, Extend):
                    below = below.input
                assert isinstance(below, Pattern)
