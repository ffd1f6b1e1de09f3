"""Triples with their lists, brackets and collections written out (SPARQL 1.1, 4.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from askos.algebra.operators.pattern import Position
from askos.terms import RDF, BNode
from askos.translate import ast
from askos.translate.plan.context import Context

Blank: TypeAlias = Callable[[str], Position]
"""What a blank node becomes: a variable in a pattern, itself in a template."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A triple of the text, its subject and object as positions; `place` tells it from others
    that share its verb."""

    subject: Position
    verb: ast.Path
    object: Position
    node: ast.Node
    place: int = 0


def flatten(context: Context, triples: Iterable[ast.Triples], blank: Blank) -> Iterator[Statement]:
    """The triples one by one, in the order of the text."""
    writer = _Writer(context, blank)
    for group in triples:
        subject, below = writer.node(group.subject)
        yield from below
        yield from writer.properties(subject, group.properties)


@dataclass(frozen=True, slots=True)
class _Writer:
    context: Context
    blank: Blank

    def properties(
        self, subject: Position, properties: Iterable[ast.Property]
    ) -> Iterator[Statement]:
        """`;` and `,` lists."""
        for entry in properties:
            for place, thing in enumerate(entry.objects):
                target, below = self.node(thing)
                yield Statement(subject, entry.verb, target, entry, place)
                yield from below

    def node(self, node: ast.Object) -> tuple[Position, Iterator[Statement]]:
        """What stands for `node` in a triple, and the triples that `node` itself says."""
        match node:
            case ast.Term(BNode() as label):
                return self.blank(str(label)), iter(())
            case ast.Term(value):
                return value, iter(())
            case ast.Bracketed(properties):
                fresh = self.fresh(node)
                return fresh, self.properties(fresh, properties)
            case ast.Collection(items):
                return self.fresh(node, 1), self.collection(node, items)

    def collection(
        self, node: ast.Collection, items: tuple[ast.Object, ...]
    ) -> Iterator[Statement]:
        """( a b ): rdf:first and rdf:rest (SPARQL 1.1, 4.2.3)."""
        first, rest = ast.Term(RDF.first), ast.Term(RDF.rest)
        for number, item in enumerate(items, 1):
            target, below = self.node(item)
            last = number == len(items)
            tail: Position = RDF.nil if last else self.fresh(node, number + 1)
            yield Statement(self.fresh(node, number), first, target, item)
            yield from below
            yield Statement(self.fresh(node, number), rest, tail, item)

    def fresh(self, node: ast.Node, *parts: int) -> Position:
        return self.blank(self.context.fresh(node, *parts).removeprefix("_:"))
