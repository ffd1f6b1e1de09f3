"""RDF in syntaxes that are not read line by line: Turtle, TriG, JSON-LD and RDF/XML.

The parser is pyoxigraph's, which is written in Rust, and keeps lexical forms as they are: 01 is
not 1.  JSON-LD that needs none of its algorithms has a reader of its own (`askos.io.expanded`).
Nothing is fetched: a context of JSON-LD that is elsewhere is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Final

from askos.errors import StreamError
from askos.io.expanded import DEPTH, read_expanded
from askos.io.files import opened, syntax_suffix
from askos.io.limits import Limits
from askos.io.nesting import check_json, check_xml
from askos.io.ntriples import Statement

SYNTAXES: Final = {
    ".ttl": "Turtle",
    ".n3": "Turtle",
    ".trig": "TriG",
    ".jsonld": "JSON-LD",
    ".rdf": "RDF/XML",
    ".owl": "RDF/XML",
    ".xml": "RDF/XML",
}
"""The names of syntaxes by suffix; N3 is read as far as it is Turtle."""

_BATCH: Final = 8192
_TEXT: Final = r"\"(?:[^\"\\]++|\\.)*+\"[^ ]*+"
_QUAD: Final = re.compile(rf"([^ ]++) ([^ ]++) ({_TEXT}|<<\(.*\)>>|[^ ]++) (?:([<_][^ ]*+) )?\.\n")
"""A line that the parser's own writer has written."""
_PLACE: Final = re.compile(r"^Parser error at line .*?: | \(line \d+\)$")


def read_quads(file: Path, base: str, limits: Limits | None = None) -> Iterator[list[Statement]]:
    """The quads of a file, some thousands at a time, with terms as N-Triples writes them;
    StreamError where it is not what its name says.

    Blank nodes have their labels, or random ones.  Of Turtle and TriG a part is kept in memory, of
    the others the whole file.
    """
    syntax, known = SYNTAXES[syntax_suffix(file)], limits or Limits.of()
    try:
        with opened(file, known) as data:
            match syntax:
                case "JSON-LD":
                    yield from _json_ld(data.read(), file, base, known)
                case "RDF/XML":
                    yield from _parsed(check_xml(data.read(), file.name, known), syntax, base)
                case _:
                    yield from _parsed(data, syntax, base)
    except SyntaxError as error:
        raise StreamError(f"{file.name} is not {syntax}: {_placed(error)}") from None
    except MemoryError as error:  # of the parser's own buffer, which has 16 MiB
        raise StreamError(f"{file.name}: a term or statement is too long: {error}") from None
    except ValueError as error:  # the base is no IRI
        raise StreamError(f"{file.name}: {error}") from None


def _json_ld(data: bytes, file: Path, base: str, limits: Limits) -> Iterator[list[Statement]]:
    found = read_expanded(data) if limits.depth >= DEPTH else None
    if found is None:
        yield from _parsed(check_json(data, file.name, limits), "JSON-LD", base)
    else:
        yield found


def _parsed(data: bytes | IO[bytes], syntax: str, base: str) -> Iterator[list[Statement]]:
    from pyoxigraph import RdfFormat, parse, serialize

    formats = {
        "Turtle": RdfFormat.TURTLE,
        "TriG": RdfFormat.TRIG,
        "JSON-LD": RdfFormat.JSON_LD,
        "RDF/XML": RdfFormat.RDF_XML,
    }
    quads = parse(data, formats[syntax], base_iri=base)
    # Texts are quicker to take apart than objects that wrap those of Rust.
    while text := serialize(islice(quads, _BATCH), format=RdfFormat.N_QUADS):
        yield _QUAD.findall(text.decode())


def _placed(error: SyntaxError) -> str:
    message = _PLACE.sub("", str(error))
    return f"line {error.lineno}, column {error.offset}: {message}" if error.lineno else message
