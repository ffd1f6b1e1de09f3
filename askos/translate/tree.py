"""Syntax trees for the eye, and as JSON for other programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from enum import Enum
from typing import Any

from askos.terms import BNode, Literal, URIRef, Variable, spell
from askos.translate import ast


def outline(node: ast.Node) -> str:
    """A line a node: what it is, where it stands, and its plain parts; its nodes below it.

    >>> from askos.translate.parser import parse
    >>> print(outline(parse("ASK { ?s <p> 5 }")))
    Query 1:1 dialect=sparql
      form: Ask 1:1
      where: Group 1:5
        members: Block 1:7
          triples: Triples 1:7
            subject: Term 1:7 ?s
            properties: Property 1:10
              verb: Term 1:10 <p>
              objects: Term 1:14 5
    """
    return "\n".join(_outline(node, ""))


def _outline(node: ast.Node, label: str) -> Iterator[str]:
    plain, nodes = [], []
    for entry, value in _parts(node):
        if isinstance(value, ast.Node | tuple):
            nodes.append((entry.name, value))
        elif value is not None:
            plain.append(_plain(entry, value))
    where = f"{node.at.line}:{node.at.column}"
    yield " ".join([f"{label}{type(node).__name__}", where, *plain])
    for name, value in nodes:
        yield from (f"  {line}" for line in _below(name, value))


def _below(name: str, value: object) -> Iterator[str]:
    match value:
        case ast.Node():
            yield from _outline(value, f"{name}: ")
        case tuple() if all(isinstance(member, ast.Node) for member in value):
            for member in value:
                yield from _outline(member, f"{name}: ")
        case tuple():
            yield f"{name}: {' '.join(map(_word, value))}"


def _plain(entry: Field[Any], value: object) -> str:
    """Terms speak for themselves, and so does a flag that is set."""
    if isinstance(value, URIRef | BNode | Literal | Variable):
        return spell(value)
    return entry.name if value is True else f"{entry.name}={_word(value)}"


def _word(value: object) -> str:
    match value:
        case Enum():
            return str(value.value)
        case ast.Term(value=term):
            return spell(term)
        case tuple():
            return f"({' '.join(map(_word, value))})"
        case None:
            return "UNDEF"
    return str(value)


def encode(value: object) -> Any:
    """A tree as JSON values: a node is {"is": its class, "at": [line, column], part: value, ..}.

    Parts at their default are left out.  Terms are as in plans: {"iri": ..}, {"blank": ..},
    {"var": ..} or {"literal": .., "datatype" or "language": ..}.
    """
    match value:
        case ast.Node():
            parts = {entry.name: encode(part) for entry, part in _parts(value)}
            return {"is": type(value).__name__, "at": list(value.at), **parts}
        case tuple():
            return [encode(member) for member in value]
        case Enum():
            return value.value
        case Variable():
            return {"var": str(value)}
        case URIRef():
            return {"iri": str(value)}
        case BNode():
            return {"blank": str(value)}
        case Literal():
            return _literal(value)
        case None | bool() | int() | str():
            return value
    raise TypeError(f"{value!r} cannot be part of a query")


def _literal(literal: Literal) -> dict[str, str]:
    kind = {"language": literal.language, "datatype": literal.datatype}
    return {"literal": str(literal)} | {name: str(part) for name, part in kind.items() if part}


def _parts(node: ast.Node) -> Iterator[tuple[Field[Any], object]]:
    """The parts that count, and are not what they would be anyway."""
    for entry in fields(node):
        value = getattr(node, entry.name)
        default = entry.default_factory() if entry.default_factory is not MISSING else entry.default
        if entry.compare and value != default:
            yield entry, value
