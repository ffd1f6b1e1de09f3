"""Filters past filters that are stuck."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from askos.algebra import Filter, Operator
from askos.translate.rules.push_filter_below_distinct import push_filter_below_distinct
from askos.translate.rules.push_filter_below_extend import push_filter_below_extend
from askos.translate.rules.push_filter_below_group import push_filter_below_group
from askos.translate.rules.push_filter_below_project import push_filter_below_project
from askos.translate.rules.push_filter_into_join import push_filter_into_join
from askos.translate.rules.push_filter_into_left_of_leftjoin import (
    push_filter_into_left_of_leftjoin,
)
from askos.translate.rules.push_filter_into_left_of_minus import push_filter_into_left_of_minus
from askos.translate.rules.push_filter_into_union import push_filter_into_union
from askos.translate.rules.push_filter_into_window import push_filter_into_window

PUSHES: Final[tuple[Callable[[Operator], Operator], ...]] = (
    push_filter_into_join,
    push_filter_into_left_of_leftjoin,
    push_filter_into_left_of_minus,
    push_filter_into_union,
    push_filter_below_extend,
    push_filter_below_project,
    push_filter_below_distinct,
    push_filter_below_group,
    push_filter_into_window,
)
"""The ways a filter goes down, one for each kind of operator."""


def push_filter_below_filter(plan: Operator) -> Operator:
    """σ_F(σ_G(A)) = σ_G(σ_F(A)), where F can go further down than G.

    Filters commute; without the guard two of them would change places for ever.
    """
    match plan:
        case Filter(f, Filter(g, a)):
            alone = Filter(f, a)
            below = push_filter_below_filter(alone)
            for push in PUSHES:
                below = push(below)
            if below is not alone:
                return Filter(g, below)
    return plan
