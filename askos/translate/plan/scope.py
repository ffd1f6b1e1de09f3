"""Which variables of a clause are in scope outside it (SPARQL 1.1, 18.2.1)."""

from __future__ import annotations

from collections.abc import Iterator

from askos.terms import Variable
from askos.translate import ast


def in_scope(clause: ast.Node) -> tuple[Variable, ...]:
    """What SELECT * selects: in the order of the text, each once."""
    return tuple(dict.fromkeys(_variables(clause)))


def _variables(clause: ast.Node) -> Iterator[Variable]:
    match clause:
        case ast.Filter() | ast.Minus():
            return
        case ast.Bind(_, new):
            yield from _variables(new)
        case ast.SubSelect(select, where):
            chosen: list[ast.Node] = [projection.variable for projection in select.projections]
            for part in chosen or [where]:
                yield from _variables(part)
        case ast.Term(Variable() as variable):
            yield variable
        case ast.Group(members):
            for member in members:
                yield from _variables(member)
        case _:
            for part in clause.parts():
                yield from _variables(part)
