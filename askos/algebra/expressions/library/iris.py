"""IRI() and URI() (SPARQL 1.1, 17.4.2.8), and the resolution of references (RFC 3986, 5.2)."""

from __future__ import annotations

import re
from typing import Final

from askos.algebra.expressions.expression import ExpressionError
from askos.algebra.expressions.registry import IRI, SIMPLE, TERM, Function, register
from askos.terms import Term, URIRef

# RFC 3986, appendix B; a part that is missing differs from one that is empty.
_PARTS: Final = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):)?(?://(?P<authority>[^/?#]*))?"
    r"(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>.*))?",
    re.DOTALL,
)
_FORBIDDEN: Final = re.compile(r"[\x00-\x20<>\"{}|^`\\]")
_FIRST_SEGMENT: Final = re.compile(r"/?[^/]*")


def resolve(reference: str, base: str = "") -> str:
    """The absolute IRI of a reference; an error where it is none, or there is no base for it.

    RFC 3986, 5.2.2, but an IRI that has a scheme stays as it is: SPARQL 1.1, 4.1.1.2, normalises
    nothing.

    >>> resolve("../x?y", "http://example.org/a/b/c#d")
    'http://example.org/a/x?y'
    """
    if _FORBIDDEN.search(reference):
        raise ExpressionError(f"{reference!r} has characters that no IRI has")
    scheme, authority, path, query, fragment = _split(reference)
    if scheme is not None:
        return reference
    scheme, base_authority, base_path, base_query, _ = _split(base)
    if scheme is None:
        raise ExpressionError(f"{reference!r} is relative, and there is no base IRI")
    if authority is None:
        authority = base_authority
        query = base_query if not path and query is None else query
        path = _merge(base_path, path, base_authority is not None)
    return _join(scheme, authority, remove_dot_segments(path), query, fragment)


def _split(iri: str) -> tuple[str | None, str | None, str, str | None, str | None]:
    found = _PARTS.fullmatch(iri)
    assert found is not None, "every text has these parts"
    scheme, authority, path, query, fragment = found.groups()
    return scheme, authority, path, query, fragment


def _merge(base: str, path: str, has_authority: bool) -> str:
    """5.2.3: a relative path replaces what follows the last slash of the base."""
    if not path or path.startswith("/"):
        return path or base
    if has_authority and not base:
        return f"/{path}"
    return base[: base.rfind("/") + 1] + path


def remove_dot_segments(path: str) -> str:
    """5.2.4: "." is left out, and ".." takes the segment before it along."""
    done: list[str] = []
    while path:
        if path.startswith(("./", "../")):
            path = path.partition("/")[2]
        elif path.startswith("/./") or path == "/.":
            path = "/" + path[3:]
        elif path.startswith("/../") or path == "/..":
            path = "/" + path[4:]
            del done[-1:]
        elif path in (".", ".."):
            path = ""
        else:
            found = _FIRST_SEGMENT.match(path)
            assert found is not None
            done.append(found[0])
            path = path[found.end() :]
    return "".join(done)


def _join(
    scheme: str, authority: str | None, path: str, query: str | None, fragment: str | None
) -> str:
    """5.3, the parts put together again."""
    text = f"{scheme}:" + ("" if authority is None else f"//{authority}") + path
    text += "" if query is None else f"?{query}"
    return text if fragment is None else f"{text}#{fragment}"


def _iri(term: Term, base: URIRef | str = "") -> URIRef:
    """IRI(x[, base]): an IRI as it is, a simple string resolved against the base of the query."""
    return term if isinstance(term, URIRef) else URIRef(resolve(SIMPLE.convert(term), str(base)))


# The base is no argument in SPARQL: translation adds it, as it is known there.
for _name in ("IRI", "URI"):
    register(Function(_name, (TERM, IRI), _iri, optional=1, returns=IRI))
