"""RDF in syntaxes that are not read line by line: Turtle, TriG, JSON-LD and RDF/XML.

The parser is pyoxigraph's, which is written in Rust, and keeps lexical forms as they are: 01 is
not 1.  Nothing is fetched: a context of JSON-LD that is elsewhere is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from askos.errors import StreamError
from askos.io.files import opened, syntax_suffix
from askos.io.limits import Limits
from askos.io.nesting import check_json, check_xml

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

_WHOLE: Final = {"JSON-LD": check_json, "RDF/XML": check_xml}
"""What is looked at as a whole before it is parsed."""
_BATCH: Final = 8192
_PLACE: Final = re.compile(r"^Parser error at line .*?: | \(line \d+\)$")


def read_quads(file: Path, base: str, limits: Limits | None = None) -> Iterator[list[str]]:
    """The quads of a file, in its order, as lines of N-Quads; StreamError where it is not what its
    name says.

    Terms are separated by one space each.  Blank nodes have their labels, or random ones.  Of
    Turtle and TriG a part is kept in memory, of the others the whole file.
    """
    from pyoxigraph import RdfFormat, parse, serialize

    syntax, known = SYNTAXES[syntax_suffix(file)], limits or Limits.of()
    formats = {
        "Turtle": RdfFormat.TURTLE,
        "TriG": RdfFormat.TRIG,
        "JSON-LD": RdfFormat.JSON_LD,
        "RDF/XML": RdfFormat.RDF_XML,
    }
    try:
        with opened(file, known) as data:
            check = _WHOLE.get(syntax)
            whole = check(data.read(), file.name, known) if check else data
            quads = parse(whole, formats[syntax], base_iri=base)
            # Texts are quicker to take apart than objects that wrap those of Rust.
            while text := serialize(islice(quads, _BATCH), format=RdfFormat.N_QUADS):
                yield text.decode().removesuffix("\n").split("\n")
    except SyntaxError as error:
        raise StreamError(f"{file.name} is not {syntax}: {_placed(error)}") from None
    except MemoryError as error:  # of the parser's own buffer, which has 16 MiB
        raise StreamError(f"{file.name}: a term or statement is too long: {error}") from None
    except ValueError as error:  # the base is no IRI
        raise StreamError(f"{file.name}: {error}") from None


def _placed(error: SyntaxError) -> str:
    message = _PLACE.sub("", str(error))
    return f"line {error.lineno}, column {error.offset}: {message}" if error.lineno else message
