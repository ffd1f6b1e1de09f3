"""Readers that take a short way where they can: it must say what the long way says, and both what
others say who read the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any, Final, TypeVar
from xml.parsers import expat

from pyoxigraph import RdfFormat, parse, serialize

from askos.errors import AskosError
from askos.io import expanded, files, nesting, ntriples, rdf
from askos.io.limits import Limits
from askos.io.ntriples import Statement
from askos.static.load import load
from askos.terms import Term, parse_term
from tests.fuzz.mutate import mutated_bytes, mutated_json, mutated_strings, mutated_text

T = TypeVar("T")

EXPANDED: Final = (
    '[{"@id":"http://x/s","@type":["http://x/C","_:t"],"http://x/p":[{"@value":"a\\n\\"b"},'
    '{"@value":"","@type":"http://x/T"},{"@value":"\u00e9 \\\\","@language":"en-gb"}]}]',
    '[{"@id":"_:b1","https://x:80/p%20q?a=b#c":[{"@id":"urn:x:y"},{"@id":"_:b2"}]},'
    '{"@id":"http://x/../a","@type":[],"urn:x:p":[]},{"@id":"_:b2"}]',
    '[{"http://x/p":[{"@language":"de","@value":"x"},'
    '{"@type":"http://www.w3.org/2001/XMLSchema#string","@value":"5"}],"@id":"http://x/s"}]',
    '[{"@context":{},"@graph":[{"@list":[5,true,null]}],"@index":"i","@reverse":{}}]',
)
LINES: Final = (
    b'<a:s> <a:p> "x"@en-GB .\n<a:s>\t<a:p>\t_:n-1\t.\r\n_:n <a:p> <a:o>.\n',
    b'_:n <a:p> "1"^^<a:T> .\n# no statement\r\n<a:s><a:p>"\\u00e9\\n".\n\n_:a.b <a:p> _:n . # m',
    '<a:s> <a:é> "風\t" .\n<a:s> <a:p> "x" <a:g> .\n_:1 <a:p> _:2 <a:g> .'.encode(),
)
DEEP: Final = (
    b'<?xml version="1.0"?>\n<a b="/c">it\'s<d/><e f=\'g\'>&lt;</e></a>',
    b'<a><b c="&gt;" d="x>y"><c/></b><!-- <a> --><![CDATA[ <a> ]]><?x > ?></a>',
    "<?xml version='1.0' encoding='latin-1'?><a><b>é</b></a>".encode("latin-1"),
    '<?xml version="1.0" encoding="utf-16"?><a><b/></a>'.encode("utf-16"),
    b"<!DOCTYPE a><a><a><a/></a ></a>",
)


# ---- expanded JSON-LD --------------------------------------------------------------------------


def make_expanded(random: Random) -> bytes:
    """Documents of which many are of the form still."""
    match random.randrange(4):
        case 0:
            return mutated_bytes([text.encode() for text in EXPANDED], random, 2)
        case 1:
            text = mutated_json(EXPANDED, random)
        case _:
            text = mutated_strings(EXPANDED, random)
    return text.encode("utf-8", "surrogatepass")


def read_expanded(folder: Path) -> Callable[[bytes], None]:
    """What is read at once is what the parser reads; the rest is left to it."""

    def run(data: bytes) -> None:
        file = folder / "data.jsonld"
        file.write_bytes(data)
        found = expanded.read_expanded(data)
        if found is not None:
            assert _terms(found) == _terms(chain(*rdf._parsed(data, "JSON-LD", "http://base/")))
        load(file, base="http://base/")

    return run


def _terms(statements: Iterable[Statement]) -> set[tuple[Term, ...]]:
    return {tuple(map(parse_term, filter(None, each))) for each in statements}


# ---- lines -------------------------------------------------------------------------------------


def make_lines(random: Random) -> tuple[bytes, bool, int]:
    """Lines, whether they may have labels, and the size of the first block."""
    if random.randrange(2):
        data = mutated_bytes(LINES, random, 2)
    else:
        text = mutated_text([line.decode() for line in LINES], random, 2)
        data = text.encode("utf-8", "surrogatepass")
    return data, bool(random.randrange(2)), random.choice([1, 16, 64, 1 << 16])


def read_lines(folder: Path) -> Callable[[tuple[bytes, bool, int]], None]:
    """Plain lines read as lines that are looked at one by one, in whatever blocks; and where
    another parser takes them too, it reads the same."""

    def run(given: tuple[bytes, bool, int]) -> None:
        data, labels, first = given
        file = folder / ("data.nq" if labels else "data.nt")
        file.write_bytes(data)

        def read() -> Counter[Statement]:
            return Counter(s for b in ntriples.read_statements(file, labels=labels) for s in b)

        never = re.compile(r"(?!)")
        with _set(files, FIRST_BLOCK=first):
            short = _said(read)
            with _set(ntriples, _PLAIN_TRIPLE=never, _PLAIN_QUAD=never):
                long = _said(read)
        assert short == long
        if isinstance(long, Counter):
            theirs = _quads(data, labels)
            assert theirs is None or theirs == _terms(long)
        load(file)

    return run


def _quads(data: bytes, labels: bool) -> set[tuple[Term, ...]] | None:
    """What another parser reads; None where it refuses."""
    syntax = RdfFormat.N_QUADS if labels else RdfFormat.N_TRIPLES
    try:
        text = serialize(parse(data, syntax), format=RdfFormat.N_QUADS)
    except SyntaxError:
        return None
    return _terms(rdf._QUAD.findall((text or b"").decode()))


# ---- depth -------------------------------------------------------------------------------------


def make_deep(random: Random) -> tuple[bytes, int]:
    """XML, and how deep it may be."""
    if random.randrange(2):
        data = mutated_bytes(DEEP, random, 2)
    else:
        text = mutated_text([text.decode("latin-1") for text in DEEP[:3]], random, 2)
        data = text.encode("utf-8", "surrogatepass")
    return data, random.randrange(5)


def look_deep(given: tuple[bytes, int]) -> None:
    """By columns as tag by tag; and where it is XML, as deep as its parser says."""
    data, depth = given
    limits = Limits(depth=depth, entities=1 << 30)

    def look() -> bytes:
        return nesting.check_xml(data, "data.rdf", limits)

    with _set(nesting, _LARGE=0):
        short = _said(look)
    long = _said(look)
    assert short == long
    real = None if isinstance(long, str) and "is not RDF/XML" in long else _depth(data)
    if real is not None:  # an empty element may count, or not
        assert real - 1 <= depth if isinstance(long, bytes) else real > depth, real


def _depth(data: bytes) -> int | None:
    """How deep it is nested; None if it is no XML."""
    parser, levels = expat.ParserCreate(), [0, 0]

    def begin(*_: object) -> None:
        levels[0] += 1
        levels[1] = max(levels)

    def end(_: object) -> None:
        levels[0] -= 1

    parser.StartElementHandler, parser.EndElementHandler = begin, end
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError):
        return None
    return levels[1]


# ---- both --------------------------------------------------------------------------------------


@contextmanager
def _set(module: Any, **values: object) -> Iterator[None]:
    """Other values for some names of a module."""
    before = {name: getattr(module, name) for name in values}
    try:
        for name, value in values.items():
            setattr(module, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


def _said(read: Callable[[], T]) -> T | str:
    """What it gives, or the error that it raises, as text."""
    try:
        return read()
    except AskosError as error:
        return str(error)
