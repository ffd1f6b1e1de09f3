"""SPARQL expressions and aggregates as frozen values, and the registry of functions."""

from askos.algebra.expressions import library
from askos.algebra.expressions.aggregates import (
    Aggregate,
    Avg,
    Count,
    GroupConcat,
    Max,
    Min,
    Sample,
    Sum,
)
from askos.algebra.expressions.arithmetic import Arithmetic
from askos.algebra.expressions.call import Call, Keyed
from askos.algebra.expressions.exists import Exists
from askos.algebra.expressions.expression import (
    FALSE,
    TRUE,
    Constant,
    Expression,
    ExpressionError,
    Ref,
    Scope,
)
from askos.algebra.expressions.forms import Bound, Coalesce, If, In
from askos.algebra.expressions.logic import And, Not, Or, holds, truth
from askos.algebra.expressions.registry import Function, Nature, function, functions, register
from askos.algebra.expressions.timestamp import Latest, Timestamp

__all__ = [
    "FALSE",
    "TRUE",
    "Aggregate",
    "And",
    "Arithmetic",
    "Avg",
    "Bound",
    "Call",
    "Coalesce",
    "Constant",
    "Count",
    "Exists",
    "Expression",
    "ExpressionError",
    "Function",
    "GroupConcat",
    "If",
    "In",
    "Keyed",
    "Latest",
    "Max",
    "Min",
    "Nature",
    "Not",
    "Or",
    "Ref",
    "Sample",
    "Scope",
    "Sum",
    "Timestamp",
    "function",
    "functions",
    "holds",
    "library",
    "register",
    "truth",
]
