"""How deep XML and JSON are nested, looked at before a parser sees them.

Parsers take time in the square of the depth, or overflow the stack and take the process with
them.  Entities of XML grow without end: ten of ten of ten.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

from askos.errors import StreamError
from askos.io.limits import Limits, setting

# Possessive throughout: what was matched is never looked at again.
_TAG: Final = re.compile(
    rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<![^>]*+>|(</)|"
    rb"(<)[^>\"']*+(?:(?:\"[^\"]*+\"|'[^']*+')[^>\"']*+)*+>",
    re.DOTALL,
)
_LARGE: Final = 1 << 20  # what is smaller is looked at before numpy would be loaded
_ESCAPE: Final = re.compile(rb"\\.")
_PLAIN: Final = bytes(set(range(256)) - set(b'"[]{}'))
_ENTITY: Final = b"<!ENTITY"
_ENCODING: Final = re.compile(r"""(\s*<\?xml[^>]*?encoding\s*=\s*["'])([A-Za-z0-9._-]+)""")


def check_xml(data: bytes, name: str, limits: Limits) -> bytes:
    """A document as UTF-8; StreamError if it is nested too deeply, or declares entities."""
    text = _as_utf8(data, name)
    found = text.count(_ENTITY)
    if found > limits.entities:
        raise StreamError(
            f"{name} declares entities, which can grow without end",
            hint=f"write out what they stand for; {setting('entities', limits.entities)}",
        )
    if len(text) < _LARGE or not _is_shallow(text, limits.depth):
        _check_tags(text, name, limits)
    return text


def _check_tags(text: bytes, name: str, limits: Limits) -> None:
    """Go through tag after tag, which is exact, and slow."""
    depth = 0
    for tag in _TAG.finditer(text):
        if tag.lastindex == 1:
            depth -= 1
        elif tag.lastindex == 2 and text[tag.end() - 2] != ord("/"):
            depth += 1
            if depth > limits.depth:
                line = text.count(b"\n", 0, tag.start()) + 1
                message = f"{name}, line {line}: nested more than {limits.depth} deep"
                raise StreamError(message, hint=setting("depth", limits.depth))


def _is_shallow(text: bytes, depth: int) -> bool:
    """Whether the depth is within its limit for certain: seen at once where each < begins a tag
    that the next > ends, as in most documents.

    That is so if there are no comments and the like, < and > take turns, and no > is quoted: before
    it in its tag are quotes of one kind only, an even number of them.
    """
    import numpy as np  # here, so that who reads no XML does not load it

    signs = np.frombuffer(text, np.uint8)
    begins, ends, quotes, others = (np.flatnonzero(signs == ord(sign)) for sign in "<>\"'")
    if b"<!" in text or len(begins) != len(ends):
        return False
    if (begins > ends).any() or (ends[:-1] > begins[1:]).any():
        return False
    first, last = signs[begins + 1], signs[ends - 1]
    instruction = first == ord("?")  # which the first ?> ends, quoted or not
    quoted, mixed = (
        np.searchsorted(found, ends) - np.searchsorted(found, begins) for found in (quotes, others)
    )
    ended = (last == ord("?")) & (ends - begins > 2)
    if not np.where(instruction, ended, (mixed == 0) & (quoted % 2 == 0)).all():
        return False
    closing = first == ord("/")
    opening = ~closing & ~instruction & (last != ord("/"))
    levels = np.cumsum(opening.astype(np.int32) - closing)
    return bool(levels.max(initial=0) <= depth)


def check_json(data: bytes, name: str, limits: Limits) -> bytes:
    """The document itself; StreamError if it is nested too deeply."""
    import numpy as np  # here, so that who reads no JSON does not load it

    bare = _ESCAPE.sub(b"", data) if b"\\" in data else data  # an escaped quote ends no text
    signs = np.frombuffer(bare.translate(None, _PLAIN), np.uint8)
    outside = np.cumsum(signs == ord('"'), dtype=np.int32) % 2 == 0
    opening = (signs == ord("{")) | (signs == ord("["))
    closing = (signs == ord("}")) | (signs == ord("]"))
    levels = np.cumsum(np.where(outside, opening.astype(np.int8) - closing, 0), dtype=np.int32)
    if levels.max(initial=0) > limits.depth:
        raise StreamError(
            f"{name}: nested more than {limits.depth} deep", hint=setting("depth", limits.depth)
        )
    return data


def _as_utf8(data: bytes, name: str) -> bytes:
    """XML says in its first line how it is encoded; the parser knows UTF-8 alone."""
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    start = data[:200].decode("utf-16" if marked else "latin-1", "ignore")
    found = _ENCODING.match(start)
    encoding = found[2] if found else "utf-16" if marked else "utf-8"
    if encoding.lower() in ("utf-8", "utf8", "us-ascii"):
        return data
    try:
        text = data.decode(encoding)
    except (LookupError, UnicodeDecodeError) as error:
        raise StreamError(f"{name} is not RDF/XML: {error}", hint="save it as UTF-8") from None
    return _ENCODING.sub(r"\1utf-8", text, count=1).encode()
