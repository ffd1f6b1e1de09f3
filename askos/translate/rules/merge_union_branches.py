"""What the branches of a UNION have in common."""

from __future__ import annotations

from askos.algebra import Join, Operator, Union
from askos.translate.exchanges import exchanges


def merge_union_branches(plan: Operator) -> Operator:
    """(A ⋈ B) ∪₊ (A ⋈ C) = A ⋈ (B ∪₊ C), if B and C leave the join the same keys.

    Join distributes over union, multiplicities included; A is then evaluated once.  But where
    B and C bind different variables, nothing would be certainly bound in both of them, and
    the join would have to try every pair.
    """
    match plan:
        case Union(Join(a, b), Join(c, d)):
            for shared, left, right in ((a, b, d), (a, b, c), (b, a, d), (b, a, c)):
                other = c if right is d else d
                merged = Join(shared, Union(left, right))
                if shared == other and left.bound == right.bound and _no_harder(merged, plan):
                    return merged
    return plan


def _no_harder(new: Operator, old: Operator) -> bool:
    return exchanges(new) <= exchanges(old)
