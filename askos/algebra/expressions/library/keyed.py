"""Functions that SPARQL leaves to chance, as keyed hashes: see `Keyed`."""

from __future__ import annotations

import uuid

from askos.algebra.expressions.numbers import Number
from askos.algebra.expressions.registry import IRI, NUMBER, SIMPLE, Function, Nature, register
from askos.terms import XSD, BNode, URIRef


def _rand(key: bytes) -> Number:
    # 53 bits, as many as a double holds, so that the result stays below 1.
    return Number((int.from_bytes(key[:8], "big") >> 11) / 2**53, XSD.double)


def _uuid(key: bytes) -> str:
    return str(uuid.UUID(bytes=key, version=4))


def _blank(key: bytes, label: str = "") -> BNode:
    """BNODE() and BNODE("label"): the label is part of the key, the solution is too."""
    return BNode(f"b{uuid.uuid5(uuid.UUID(bytes=key), label).hex}")


register(Function("RAND", (), _rand, nature=Nature.KEYED, returns=NUMBER))
register(
    Function(
        "UUID", (), lambda key: URIRef(f"urn:uuid:{_uuid(key)}"), nature=Nature.KEYED, returns=IRI
    )
)
register(Function("STRUUID", (), _uuid, nature=Nature.KEYED, returns=SIMPLE))
register(Function("BNODE", (SIMPLE,), _blank, optional=1, nature=Nature.KEYED))
