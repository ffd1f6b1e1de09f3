"""Plans over one static graph as SPARQL text, for engines that are not ours."""

from __future__ import annotations

from askos.algebra import (
    AntiJoin,
    Binding,
    Distinct,
    Exists,
    Expression,
    Extend,
    Filter,
    Group,
    Join,
    LeftJoin,
    Minus,
    Not,
    Operator,
    Path,
    Pattern,
    Project,
    SemiJoin,
    Union,
    Values,
)
from askos.algebra.names import Names
from askos.terms import n3

NAMES = Names()


def query(plan: Operator) -> str:
    """SELECT with all variables of the plan."""
    columns = " ".join(n3(v) for v in sorted(plan.variables)) or "*"
    return f"SELECT {columns} WHERE {group(plan)}"


def group(plan: Operator) -> str:
    """The plan as a group graph pattern, in braces."""
    match plan:
        case Pattern() | Path() | Values():
            prefix = "VALUES " if isinstance(plan, Values) else ""
            return f"{{ {prefix}{plan.label(NAMES)} }}"
        case Join(left, right):
            return f"{{ {group(left)} {group(right)} }}"
        case Union(left, right):
            return f"{{ {group(left)} UNION {group(right)} }}"
        case Minus(left, right):
            return f"{{ {group(left)} MINUS {group(right)} }}"
        case LeftJoin(left, right, condition):
            return f"{{ {group(left)} OPTIONAL {{ {group(right)} FILTER({text(condition)}) }} }}"
        case SemiJoin(left, right, condition) | AntiJoin(left, right, condition):
            word = "NOT EXISTS" if isinstance(plan, AntiJoin) else "EXISTS"
            inner = f"{group(right)} FILTER({text(condition)})"
            return f"{{ {group(left)} FILTER({word} {{ {inner} }}) }}"
        case Filter(condition, input):
            return f"{{ {group(input)} FILTER({text(condition)}) }}"
        case Extend(variable, value, input):
            return f"{{ {group(input)} BIND({text(value)} AS {n3(variable)}) }}"
        case Distinct(input):
            return f"{{ SELECT DISTINCT * WHERE {group(input)} }}"
        case Project(columns, input):
            names = " ".join(n3(v) for v in columns)
            return f"{{ SELECT {names} WHERE {group(input)} }}"
        case Group():
            return _grouped(plan)
    raise TypeError(f"{type(plan).__name__} has no SPARQL text here")


def _grouped(plan: Group) -> str:
    keys = " ".join(n3(key.variable) for key in plan.keys)
    made = " ".join(_binding(binding) for binding in plan.aggregates)
    by = f"GROUP BY {keys}" if keys else ""
    return f"{{ SELECT {keys} {made} WHERE {group(plan.input)} {by} }}"


def _binding(binding: Binding) -> str:
    return binding.text(NAMES)


def text(expression: Expression) -> str:
    """The expression, with EXISTS written out."""
    match expression:
        case Exists(pattern):
            return f"EXISTS {group(pattern)}"
        case Not(Exists(pattern)):
            return f"NOT EXISTS {group(pattern)}"
    return expression.text(NAMES)
