"""Patterns over streams and static graphs at once."""

from __future__ import annotations

from dataclasses import replace

from askos.algebra import Operator, Pattern, Union
from askos.translate.rules.properties import reads_streams


def split_pattern(plan: Operator) -> Operator:
    """ν(A ∪₊ B) = ν(A) ∪₊ ν(B), if one of A and B reads a stream and the other does not.

    So that the static part can be evaluated once: C-SPARQL 2010, section 4.
    """
    match plan:
        case Pattern(input=Union(a, b)) if reads_streams(a) != reads_streams(b) and not plan.raw:
            left, right = replace(plan, input=a), replace(plan, input=b)
            return Union(split_pattern(left), split_pattern(right))
    return plan
