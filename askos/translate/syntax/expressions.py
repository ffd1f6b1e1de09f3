"""Rules of expressions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from askos.terms import Literal
from askos.translate import ast
from askos.translate.lexer import Token
from askos.translate.syntax.parts import Parts, fault, has, is_variable, term, tokens
from askos.translate.words import ARITY, TIMESTAMP


class ExpressionRules:
    """Methods named after rules and aliases of grammar.lark."""

    def disjunction(self, parts: Parts) -> Any:
        return parts[0] if len(parts) == 1 else ast.Or(tuple(parts[::2]), at=parts[0].at)

    def conjunction(self, parts: Parts) -> Any:
        return parts[0] if len(parts) == 1 else ast.And(tuple(parts[::2]), at=parts[0].at)

    def relation(self, parts: Parts) -> Any:
        match parts:
            case [only]:
                return only
            case [left, *negated, (choices, distinct)]:
                if distinct:
                    raise fault("IN takes no DISTINCT", left.at)
                return ast.In(left, choices, bool(negated), at=left.at)
        left, sign, right = parts
        return ast.Compare(sign.value, left, right, at=left.at)

    def sum(self, parts: Parts) -> Any:
        if len(parts) == 1:
            return parts[0]
        return _arithmetic(list(_unsigned(parts)))

    def signed_product(self, parts: Parts) -> tuple[Token, ast.Expression]:
        """?a -5 * ?b is ?a - 5 * ?b: the sign of a number is the operator's (19.8, rule 116)."""
        token = parts[0]
        sign = Token("PLUS" if token.value[0] == "+" else "DASH", token.value[0], token.at)
        bare = Literal(str(token.value)[1:], datatype=token.value.datatype)
        return sign, _arithmetic([ast.Term(bare, at=token.at), *parts[1:]])

    def product(self, parts: Parts) -> Any:
        return _arithmetic(parts)

    def unary(self, parts: Parts) -> Any:
        if len(parts) == 1:
            return term(parts[0])
        return ast.Unary(parts[0].value, term(parts[1]), at=parts[0].at)

    def call(self, parts: Parts) -> ast.Call:
        token, (arguments, distinct) = parts
        return _built_in(token.value.upper(), token, arguments, distinct)

    def function_call(self, parts: Parts) -> ast.Call | ast.FunctionCall:
        token, (arguments, distinct) = parts
        if token.value == TIMESTAMP:
            return _built_in("TIMESTAMP", token, arguments, distinct)
        return ast.FunctionCall(term(token), arguments, distinct, at=token.at)

    def arguments(self, parts: Parts) -> tuple[tuple[Any, ...], bool]:
        return tuple(p for p in parts if isinstance(p, ast.Node)), has(parts, "DISTINCT")

    def aggregate(self, parts: Parts) -> ast.Aggregate:
        token, *rest = parts
        name = token.value.upper()
        expression: Any = next((part for part in rest if isinstance(part, ast.Node)), None)
        separators = tokens(rest, "STRING")
        if expression is None and name != "COUNT":
            raise fault(f"only COUNT takes *, not {name}", token.at, f"as in {name}(?x)")
        if separators and name != "GROUP_CONCAT":
            raise fault(f"{name} takes no SEPARATOR", token.at, "only GROUP_CONCAT does")
        return ast.Aggregate(
            name,
            expression,
            has(rest, "DISTINCT"),
            separators[0].value if separators else None,
            at=token.at,
        )

    def exists(self, parts: Parts) -> ast.Exists:
        return ast.Exists(parts[-1], has(parts, "NOT"), at=parts[0].at)


def _built_in(name: str, token: Token, arguments: Parts, distinct: bool) -> ast.Call:
    """A call of the built-in `name`, with as many arguments as it takes, and of their kinds."""
    least, most = ARITY[name]
    count = len(arguments)
    if distinct:
        raise fault(f"{name} takes no DISTINCT", token.at, "only aggregates do")
    if count < least or (most is not None and count > most):
        wanted = str(least) if least == most else f"{least} to {most}"
        plural = "" if wanted == "1" else "s"
        raise fault(f"{name} takes {wanted} argument{plural}, not {count}", token.at)
    if name == "TIMESTAMP" and count == most:
        _check_triple(arguments)
    elif name in ("BOUND", "TIMESTAMP") and not is_variable(arguments[0]):
        raise fault(f"{name} takes a variable", arguments[0].at, f"as in {name}(?x)")
    return ast.Call(name, tuple(arguments), at=token.at)


def _check_triple(arguments: Parts) -> None:
    """timestamp(?s, ?p, ?o): constants may stand for variables, where a triple has them."""
    hint = "as in timestamp(?s, :power, ?o)"
    for place, argument in zip(("subject", "predicate", "object"), arguments, strict=True):
        if not isinstance(argument, ast.Term):
            message = f"the {place} of a triple is a variable or a term"
            raise fault(message, argument.at, hint)
        if isinstance(argument.value, Literal) and place != "object":
            raise fault(f"no triple has a literal as its {place}", argument.at, hint)


def _unsigned(parts: Parts) -> Iterator[Any]:
    for part in parts:
        if isinstance(part, tuple):
            yield from part
        else:
            yield part


def _arithmetic(parts: Parts) -> Any:
    if len(parts) == 1:
        return parts[0]
    signs = tuple(token.value for token in parts[1::2])
    return ast.Arithmetic(tuple(parts[::2]), signs, at=parts[0].at)
