"""Estimates: what each way to run an operator costs a batch, in microseconds.

All the figures by which plans are chosen.  They are those of benchmarks, rounded, and good enough
to compare ways of one operator; nothing else is made of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from askos.physical.choices import Option, Way

_CALL: Final = 70.0  # of an operator with state on columns, however few rows there are
_ROW: Final = 0.5  # and of a row
_ONE: Final = 3.2  # of an element that is taken by itself
_PAIR: Final = 0.01  # of two rows that are compared
_BATCHES: Final = 10  # that a window holds, where nothing is known

FEW: Final = int(_CALL / (_ONE - _ROW))
"""Rows a batch up to which joins take one element at a time; see benchmarks/twins.py."""


_PROBE: Final = 100.0  # of an input that looks for partners in another one and in a sample before
_ROUTED: Final = 0.35  # of a row whose pairs are not stored


def joins(
    leaves: int, rows: int, *, keyed: bool, ordered: bool, star: bool = False
) -> Iterator[Option]:
    """Joins of so many inputs: `keyed` if there are keys, `ordered` if one element at a time is
    possible, `star` if all of them have the same key."""
    count = leaves - 1
    what = "by the hash of their keys" if keyed else "all pairs: there is no key"
    yield Option(Way.COLUMNAR, count * (_CALL + rows * _ROW), f"a batch at a time, {what}")
    if keyed:
        pairs = rows * rows * _BATCHES / leaves
        yield Option(Way.SCAN, count * (_CALL + pairs * _PAIR), "all pairs are compared")
    if ordered:
        why = "one element at a time: no arrays are made"
        yield Option(Way.ORDERED, count * rows * _ONE, why)
    if star and leaves > 2:
        cost = count * (leaves * _PROBE + rows * _ROUTED)
        why = "in the order that finds fewest: no pairs are stored on the way"
        yield Option(Way.ADAPTIVE, cost, why)


_GROUPED: Final = 0.3  # of a row that is grouped
_PARTIAL: Final = 1.4  # of a row of which partial groups are made, and joined
_SENT: Final = 1.0  # of a row that is sent and stored
_HASHED: Final = 0.2  # of a row whose pane is looked for
_PANE: Final = 10  # elements that share one, where nothing is known
_PANES: Final = 20.0  # of looking for panes, however few rows there are


def groups_of_pairs(pairs: int, inputs: int, rows: int) -> Iterator[Option]:
    """A group over joins, in which a row has so many partners."""
    below = min(option.cost for option in joins(inputs, rows, keyed=True, ordered=True, star=True))
    cost = _CALL + rows * pairs * _GROUPED
    yield Option(Way.PLAIN, cost, f"over the pairs, about {pairs} a row", below)
    cost = _CALL + rows * _PARTIAL
    yield Option(Way.PRODUCTS, cost, "each input is grouped by itself: no pairs are made")


def groups_of_elements(rows: int) -> Iterator[Option]:
    """A group over what needs no state, and whose elements begin and end together."""
    each = _GROUPED + _SENT
    yield Option(Way.PLAIN, _CALL + rows * each, "elements are sent and stored as they are")
    cost = _CALL + _PANES + rows * (_HASHED + each / _PANE)
    why = "elements of one interval are added up where they enter"
    yield Option(Way.PANES, cost, why)


_LINE: Final = 50.0  # of a pattern that is given any rows
_TESTED: Final = 0.003  # of a row that it tests for its constants
_LOOKING: Final = 50.0  # of looking rows up among constants, however few there are
_LOOKED_UP: Final = 0.1  # and of a row


def patterns(lines: Sequence[int], rows: int) -> Iterator[Option]:
    """Patterns of streams: of each, how many read it."""
    simple = sum(lines) * (_LINE + rows * _TESTED)
    yield Option(Way.SIMPLE, simple, "each of them tests every triple of its stream")
    given = sum(min(count, rows) for count in lines) * _LINE
    cost = given + len(lines) * (_LOOKING + rows * _LOOKED_UP)
    yield Option(Way.HASH, cost, "a triple is given to those that have its constant")
