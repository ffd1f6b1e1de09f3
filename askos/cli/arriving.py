"""askos select --stream: plain SPARQL over files that are read while they are answered."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from askos.cli.telling import Live, lost
from askos.errors import QueryError

if TYPE_CHECKING:
    from askos.algebra import Element
    from askos.io.lines import Block
    from askos.io.results import Row
    from askos.local import Finite
    from askos.translate.ast import Query


def texts(query: Query, arguments: Namespace, form: str) -> Iterator[str]:
    """The answer, piece by piece: what can no longer change is told at once, where the format
    lets rows come one by one."""
    _check(query, arguments)
    from askos.io.lines import check_lines, read_lines
    from askos.io.results import write
    from askos.local import Finite
    from askos.sources import DEFAULT_GRAPH, Catalogue

    known = Catalogue()
    for name, file in arguments.named:
        known = known.graph(name, file)
    files = [Path(file) for file in arguments.stream]
    for file in files:
        check_lines(file)
    made = Finite(query, graphs=[DEFAULT_GRAPH], sources=known)
    blocks = read_lines(files, made.wanted) if made.reads else iter(())
    columns = () if made.payload is not made.payload.SOLUTION else made.columns
    live = Live(quiet=arguments.quiet)
    return write(form, columns, _rows(made, blocks, live), prefixes=query.prefixes)


def _rows(query: Finite, blocks: Iterable[Block], live: Live) -> Iterator[Row]:
    """What is decided, and at the end what was no triple."""
    from askos.sources import DEFAULT_GRAPH

    notes = list[str]()
    for block in blocks:
        notes += block.refused
        yield from _told(query.push(DEFAULT_GRAPH, block.triples, block.places), live)
        live.say(_progress(block))
        if query.decided:
            break
    yield from _told(query.close(), live)
    live.clear()
    lost("refused", notes + [f"{refused.reason}: {refused.row}" for refused in query.refused])


def _told(answers: list[Element], live: Live) -> Iterator[Row]:
    """Rows, which are seen before more is read."""
    if answers:
        live.clear()
        yield from ((answer.item, None) for answer in answers)
        print(end="", flush=True)


def _progress(block: Block) -> str:
    share = "" if block.share is None else f"  {block.share:.0%} of the data"
    return f"lines: {block.places:,}{share}"


def _check(query: Query, arguments: Namespace) -> None:
    if arguments.graph:
        hint = "give that file as --stream too, or as --named"
        raise QueryError("--graph and --stream are both the default graph", hint=hint)
    if arguments.reasoning:
        hint = "with --graph, what the data entails is known before the query is answered"
        raise QueryError("--reasoning needs the whole graph, not a stream", hint=hint)
