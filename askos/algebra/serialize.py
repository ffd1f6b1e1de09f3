"""Plans as JSON: for users of the plan API, and for sending plans to executors.

A node is {"is": its class, field: value, ..}; fields at their default are left out.  Terms are
{"iri": ..}, {"blank": ..} or {"literal": .., "datatype" or "language": ..}, variables {"var": ..},
choices {"one of": class, "value": ..}, tuples arrays.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from enum import Enum
from typing import Any, Final, TypeAlias

from askos.algebra.node import Node
from askos.algebra.operator import Operator, Payload
from askos.algebra.report import Kind
from askos.algebra.windows import Boundary
from askos.errors import QueryError
from askos.terms import BNode, Literal, URIRef, Variable

VERSION: Final = 1
_CHOICES: Final[dict[str, type[Enum]]] = {
    "Boundary": Boundary,
    "Kind": Kind,
    "Payload": Payload,
}

_HOMES: Final = ("askos.algebra.", "askos.physical.", "askos.static.")
_Kinds: TypeAlias = Mapping[str, type[Node]]


def to_json(plan: Node, *, indent: int | None = None) -> str:
    """The JSON text of a plan, an expression or a report.

    >>> from askos.algebra import StreamAccess
    >>> to_json(StreamAccess(URIRef("http://wind.example/park")))
    '{"askos plan": 1, "is": "StreamAccess", "source": {"iri": "http://wind.example/park"}}'
    """
    try:
        return json.dumps({"askos plan": VERSION, **_encode(plan)}, indent=indent)
    except RecursionError:
        raise _too_deep() from None


def from_json(text: str) -> Operator:
    """The plan that `to_json` wrote; every constructor checks its parts again.

    >>> from askos.algebra import StreamAccess
    >>> plan = StreamAccess(URIRef("http://wind.example/park"))
    >>> from_json(to_json(plan)) == plan
    True
    """
    node = node_from_json(text)
    if not isinstance(node, Operator):
        raise QueryError(f"plan JSON: {type(node).__name__} is not an operator")
    return node


def node_from_json(text: str) -> Node:
    """The plan, expression or report that `to_json` wrote."""
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        message = f"plan JSON: {error.msg}"
        raise QueryError(message, text, error.lineno, error.colno) from None
    except RecursionError:
        raise _too_deep() from None
    version = document.pop("askos plan", None) if isinstance(document, dict) else None
    if version != VERSION:
        hint = f"this askos reads version {VERSION}"
        raise QueryError(f"plan JSON: version {version!r} is not known", hint=hint)
    try:
        node = _decode(document, kinds(*_HOMES))
    except RecursionError:
        raise _too_deep() from None
    if not isinstance(node, Node):
        raise QueryError("plan JSON: the document is not a plan")
    return node


def _too_deep() -> QueryError:
    """JSON nests as the plan does, and Python's stack is finite."""
    hint = "join, unite and connect by balanced trees, as create_plan does"
    return QueryError("plan JSON: the plan is too deep", hint=hint)


def _encode(value: object) -> Any:
    match value:
        case Node():
            found = {"is": type(value).__name__}
            for field in fields(value):  # one call a level: plans are deep
                part = getattr(value, field.name)
                if part != field.default:
                    found[field.name] = _encode(part)
            return found
        case tuple():
            return [_encode(member) for member in value]
        case Enum():
            return {"one of": type(value).__name__, "value": value.value}
        case Variable():
            return {"var": str(value)}
        case URIRef():
            return {"iri": str(value)}
        case BNode():
            return {"blank": str(value)}
        case Literal(language=str() as tag):
            return {"literal": str(value), "language": tag}
        case Literal(datatype=URIRef() as datatype):
            return {"literal": str(value), "datatype": str(datatype)}
        case Literal():
            return {"literal": str(value)}
        case None | bool() | int() | str():
            return value
    raise TypeError(f"{value!r} cannot be part of a plan")


def _decode(value: object, kinds: _Kinds) -> Any:
    match value:
        case {"is": str(name), **parts}:
            decoded = {}
            for part, member in parts.items():
                decoded[str(part)] = _decode(member, kinds)
            return _node(name, decoded, kinds)
        case {"one of": str(name), "value": choice} if name in _CHOICES:
            return _choice(_CHOICES[name], choice)
        case {"var": str(name)} if name:
            return Variable(name)
        case {"iri": str(iri)}:
            return URIRef(iri)
        case {"blank": str(label)}:
            return BNode(label)
        case {"literal": str(text), "language": str(tag)}:
            return _tagged(text, tag)
        case {"literal": str(text), "datatype": str(datatype)}:
            return Literal(text, datatype=URIRef(datatype))
        case {"literal": str(text)}:
            return Literal(text)
        case list():
            return tuple(_decode(member, kinds) for member in value)
        case None | bool() | int() | str():
            return value
    raise QueryError(f"plan JSON: {value!r} is not part of a plan")


def _tagged(text: str, tag: str) -> Literal:
    try:
        return Literal(text, lang=tag)
    except ValueError:
        raise QueryError(f"plan JSON: {tag!r} is not a language tag") from None


def _choice(kind: type[Enum], value: object) -> Enum:
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(str(choice.value) for choice in kind)
        message = f"plan JSON: {value!r} is no {kind.__name__}"
        raise QueryError(message, hint=f"one of {known}") from None


def _node(name: str, parts: dict[str, Any], kinds: _Kinds) -> Node:
    kind = kinds.get(name)
    if kind is None:
        raise QueryError(f"plan JSON: unknown operator or expression {name!r}")
    known = {f.name: f.default is not MISSING for f in fields(kind)}
    for part in parts.keys() - known:
        raise QueryError(f"plan JSON: {name} has no part {part!r}")
    for part, optional in known.items():
        if not optional and part not in parts:
            raise QueryError(f"plan JSON: {name} lacks its part {part!r}")
    try:
        return kind(**parts)
    except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError) as error:
        # Parts of the wrong kind: constructors refuse what they know of, and trip over the rest.
        raise QueryError(f"plan JSON: {name} cannot have these parts: {error}") from error


def kinds(*homes: str) -> _Kinds:
    """The classes of some packages that plans are made of, by name: those that nothing else is
    derived from.  Not remembered: the physical ones may be imported later."""

    def below(kind: type[Node]) -> Iterator[type[Node]]:
        for child in kind.__subclasses__():
            yield child
            yield from below(child)

    # A dataclass with slots is made twice; the draft, without them, may linger as a subclass.
    ours = (kind for kind in below(Node) if kind.__module__.startswith(homes))
    found = [kind for kind in ours if "__slots__" in vars(kind)]
    bases = {base for kind in found for base in kind.__mro__[1:]}
    return {kind.__name__: kind for kind in found if kind not in bases}
