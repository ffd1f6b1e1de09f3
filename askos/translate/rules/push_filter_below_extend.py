"""Filters below BIND."""

from __future__ import annotations

from dataclasses import replace

from askos.algebra import CopyNumber, Extend, Filter, Operator


def push_filter_below_extend(plan: Operator) -> Operator:
    """σ_F(extend_{x := e}(A)) = extend_{x := e}(σ_F(A)), if F does not use ?x.

    The same for copy numbers, if F does not tell equal solutions apart by timestamp(): it
    keeps all copies of a solution, or none.
    """
    match plan:
        case Filter(f, Extend(x) as extend) if x not in f.variables:
            return replace(extend, input=Filter(f, extend.input))
        case Filter(f, CopyNumber(x) as copies) if x not in f.variables and not f.stamps:
            return replace(copies, input=Filter(f, copies.input))
    return plan
