"""Calls of registered functions and operators."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from askos.algebra.expressions.expression import PRIMARY, Expression, Ref, Scope, check_expressions
from askos.algebra.expressions.registry import Function, Nature, function
from askos.algebra.names import Names
from askos.algebra.node import check_variables
from askos.errors import require, require_text
from askos.terms import Term, Variable, n3


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """f(a, b, ..) or a + b: a registered function applied to its arguments.

    Strict: an error in an argument is an error of the call.
    """

    name: str
    arguments: tuple[Expression, ...] = ()

    def __post_init__(self) -> None:
        check_expressions(self, "arguments")
        self.function.check_arity(len(self.arguments))
        require(
            self.function.nature is not Nature.KEYED,
            f"Call: {self.name} differs from solution to solution",
            "build it as Keyed, with the call site and the key of a solution",
        )

    @property
    def function(self) -> Function:
        """The registered function."""
        return function(self.name)

    def evaluate(self, scope: Scope) -> Term:
        terms = [argument.evaluate(scope) for argument in self.arguments]
        return self.function.apply(terms, scope)

    @property
    def power(self) -> int:
        return self.function.power or PRIMARY

    def text(self, names: Names) -> str:
        symbol, power = self.function.symbol, self.function.power
        match self.arguments:
            case (operand,) if symbol:
                text = operand.inside(names, power)
                # -(5) is a call, -5 is a number, and --?x is no expression.
                plain = isinstance(operand, Ref) or text.startswith("(")
                return f"{symbol}{text if plain else f'({text})'}"
            case left, right if symbol:
                # Comparisons do not chain, so both sides must bind tighter.
                first = power + 1 if power == 3 else power
                return f"{left.inside(names, first)} {symbol} {right.inside(names, power + 1)}"
        name = self.name if self.name.isupper() else f"<{self.name}>"
        return f"{name}({', '.join(argument.text(names) for argument in self.arguments)})"


@dataclass(frozen=True, slots=True)
class Keyed(Expression):
    """RAND(), UUID(), STRUUID() and BNODE(): a keyed hash instead of chance.

    So that pieces, hosts and restarts agree, the value depends on the query and call site
    (together `site`), and on the solution: its terms for the `key` variables, among them the
    copy number that `CopyNumber` gives to each of several equal solutions.  Calls of
    BNODE("label") in one query must share their site: equal labels of one solution are one node.
    """

    name: str
    arguments: tuple[Expression, ...]
    site: str
    key: tuple[Variable, ...]

    def __post_init__(self) -> None:
        check_expressions(self, "arguments")
        check_variables(self, "key")
        self.function.check_arity(len(self.arguments))
        require(
            self.function.nature is Nature.KEYED,
            f"Keyed: {self.name} needs no key",
            "build it as Call",
        )
        require_text(self.site, "Keyed: site")
        require(bool(self.site), f"Keyed: {self.name} needs a call site")

    @property
    def function(self) -> Function:
        """The registered function."""
        return function(self.name)

    @property
    def variables(self) -> frozenset[Variable]:
        arguments = (argument.variables for argument in self.arguments)
        return frozenset(self.key).union(*arguments)

    def evaluate(self, scope: Scope) -> Term:
        terms = [argument.evaluate(scope) for argument in self.arguments]
        bindings = [scope.solution.get(v) for v in self.key]
        return self.function.apply(terms, keyed_hash(self.site, *bindings))

    def text(self, names: Names) -> str:
        arguments = ", ".join(argument.text(names) for argument in self.arguments)
        key = " ".join((self.site, *(n3(v) for v in self.key)))
        return f"{self.name}[{key}]({arguments})"


def keyed_hash(*parts: str | Term | None) -> bytes:
    """16 bytes that depend on every part and on nothing else."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        text = n3(part) if isinstance(part, Term) else part or ""
        digest.update(len(text).to_bytes(8, "big") + text.encode())
    return digest.digest()
