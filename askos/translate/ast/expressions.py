"""Expressions and aggregates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from askos.translate.ast.node import Node

if TYPE_CHECKING:
    from askos.translate.ast.patterns import Group
    from askos.translate.ast.triples import Term


@dataclass(frozen=True, slots=True)
class Or(Node):
    """a || b || .."""

    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class And(Node):
    """a && b && .."""

    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """!a, +a or -a"""

    sign: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Compare(Node):
    """a = b, and != < > <= >="""

    sign: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class In(Node):
    """a IN (b, ..) or a NOT IN (b, ..)"""

    operand: Expression
    choices: tuple[Expression, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Arithmetic(Node):
    """a + b - c, or a * b / c: operators of one strength, applied from the left."""

    operands: tuple[Expression, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A built-in call, BOUND, IF and COALESCE among them; the name is in upper case."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class FunctionCall(Node):
    """A call of a function named by an IRI, casts among them."""

    function: Term
    arguments: tuple[Expression, ...]
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Aggregate(Node):
    """COUNT(DISTINCT ?x), ..; no expression is COUNT(*)."""

    name: str
    expression: Expression | None
    distinct: bool = False
    separator: str | None = None


@dataclass(frozen=True, slots=True)
class Exists(Node):
    """EXISTS {..} or NOT EXISTS {..}"""

    pattern: Group
    negated: bool = False


Expression: TypeAlias = (
    "Term | Or | And | Unary | Compare | In | Arithmetic | Call | FunctionCall | Aggregate | Exists"
)
