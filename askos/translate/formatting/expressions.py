"""Expressions as text, with no more parentheses than they need."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import IntEnum

from askos.translate import ast
from askos.translate.formatting.names import Terms, is_number, quoted
from askos.translate.formatting.windows import duration, extent, is_clause


class Strength(IntEnum):
    """How firmly an expression holds together (SPARQL 1.1, 19.8, rules 110 to 119)."""

    OR = 1
    AND = 2
    RELATION = 3
    SUM = 4
    PRODUCT = 5
    SIGN = 6
    CALL = 7


def _strength(node: ast.Expression) -> Strength:
    match node:
        case ast.Or():
            return Strength.OR
        case ast.And():
            return Strength.AND
        case ast.Compare() | ast.In():
            return Strength.RELATION
        case ast.Arithmetic(signs=signs):
            return Strength.SUM if signs[0] in "+-" else Strength.PRODUCT
        case ast.Unary():
            return Strength.SIGN
    return Strength.CALL


class Expressions(Terms, ABC):
    """Expressions, and the windows that have conditions."""

    @abstractmethod
    def group(self, group: ast.Group) -> str:
        """{ .. }, which EXISTS has inside an expression."""

    def expression(self, node: ast.Expression, least: Strength = Strength.OR) -> str:
        """An expression, in parentheses if it holds together less than `least`."""
        text = self._expression(node)
        return f"({text})" if _strength(node) < least else text

    def constraint(self, node: ast.Expression) -> str:
        """A condition as FILTER, HAVING and ORDER BY take it: a call, or in parentheses."""
        calls = ast.Call | ast.FunctionCall | ast.Aggregate | ast.Exists
        text = self.expression(node)
        return text if isinstance(node, calls) else f"({text})"

    def key(self, node: ast.Expression) -> str:
        """A condition, or a variable as it is."""
        bare = isinstance(node, ast.Term) and self.term(node).startswith("?")
        return self.expression(node) if bare else self.constraint(node)

    def _expression(self, node: ast.Expression) -> str:
        match node:
            case ast.Term():
                return self.term(node)
            case ast.Or(operands):
                return " || ".join(self.expression(o, Strength.AND) for o in operands)
            case ast.And(operands):
                return " && ".join(self.expression(o, Strength.RELATION) for o in operands)
            case ast.Compare(sign, left, right):
                sides = (self.expression(side, Strength.SUM) for side in (left, right))
                return f" {sign} ".join(sides)
            case ast.In(operand, choices, negated):
                word = "NOT IN" if negated else "IN"
                return f"{self.expression(operand, Strength.SUM)} {word} {self._list(choices)}"
            case ast.Arithmetic(operands, signs):
                return self._arithmetic(operands, signs)
            case ast.Unary(sign, operand):
                return self._unary(sign, operand)
        return self._call(node)

    def _arithmetic(self, operands: tuple[ast.Expression, ...], signs: tuple[str, ...]) -> str:
        least = Strength.PRODUCT if signs[0] in "+-" else Strength.SIGN
        first, *rest = (self.expression(operand, least) for operand in operands)
        return first + "".join(f" {s} {o}" for s, o in zip(signs, rest, strict=True))

    def _unary(self, sign: str, operand: ast.Expression) -> str:
        text = self.expression(operand, Strength.CALL)
        return f"{sign} {text}" if sign != "!" and is_number(text) else sign + text

    def _call(self, node: ast.Expression) -> str:
        match node:
            case ast.Call(name, arguments):
                return name + self._list(arguments)
            case ast.FunctionCall(function, arguments, distinct):
                return self.iri(function) + self._list(arguments, "DISTINCT " * distinct)
            case ast.Aggregate(name, expression, distinct, separator):
                inner = "*" if expression is None else self.expression(expression)
                tail = "" if separator is None else f"; SEPARATOR = {quoted(separator)}"
                return f"{name}({'DISTINCT ' * distinct}{inner}{tail})"
            case ast.Exists(pattern, negated):
                return f"{'NOT ' * negated}EXISTS {self.group(pattern)}"
        raise TypeError(f"{type(node)} is no expression")

    def _list(self, items: tuple[ast.Expression, ...], before: str = "") -> str:
        return f"({before}{', '.join(map(self.expression, items))})"

    def window(self, window: ast.Window) -> str:
        """A window in the dialect's words."""
        match window:
            case ast.PredicateWindow(start, end, within):
                limit = f" WITHIN {duration(within, self.dialect)}" if within else ""
                conditions = f"{self.constraint(start)} END WHEN {self.constraint(end)}"
                return f"WINDOW START WHEN {conditions}{limit}"
            case _ if is_clause(window, self.dialect):
                return f"WINDOW {extent(window, self.dialect)}"
        return f"[{extent(window, self.dialect)}]"
