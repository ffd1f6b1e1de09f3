"""MD5 and the SHA family (SPARQL 1.1, 17.4.6): of the UTF-8 bytes, in lower case hexadecimal."""

from __future__ import annotations

import hashlib

from askos.algebra.expressions.registry import SIMPLE, Function, register


def _hash(name: str) -> Function:
    def digest(text: str) -> str:
        return hashlib.new(name, text.encode(), usedforsecurity=False).hexdigest()

    return Function(name, (SIMPLE,), digest, returns=SIMPLE)


for _name in ("MD5", "SHA1", "SHA256", "SHA384", "SHA512"):
    register(_hash(_name))
