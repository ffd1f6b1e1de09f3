"""From solutions back to triples: CONSTRUCT's template and DESCRIBE's walk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from askos.algebra.expressions.call import keyed_hash
from askos.algebra.operators import Construct, Template
from askos.algebra.operators.pattern import Position
from askos.algebra.reference.bags import Solutions, summed
from askos.terms import BNode, Literal, Solution, Term, Triple, URIRef, Variable, n3


def construct(plan: Construct, bag: Solutions) -> set[Triple]:
    """The template's triples for every copy of every solution."""
    triples: set[Triple] = set()
    for mu, n in summed((mu.visible, n) for mu, n in bag.items()).items():
        for copy in range(n if plan.blanks else 1):
            fresh = {blank: _fresh(plan.site, blank, mu, copy) for blank in plan.blanks}
            triples.update(_instances(plan.template, mu, fresh))
    return triples


def _fresh(site: str, blank: BNode, solution: Solution, copy: int) -> BNode:
    """The blank node a template's blank node stands for in one copy of a solution."""
    content = " ".join(f"{n3(v)} {n3(solution[v])}" for v in sorted(solution))
    return BNode(f"c{keyed_hash(site, str(blank), content, str(copy)).hex()}")


def _instances(
    templates: Iterable[Template], solution: Solution, fresh: Mapping[BNode, BNode]
) -> Iterator[Triple]:
    def place(position: Position) -> Term | None:
        if isinstance(position, BNode):
            return fresh[position]
        return solution.get(position) if isinstance(position, Variable) else position

    for template in templates:
        match [place(position) for position in template.positions]:
            case [URIRef() | BNode() as s, URIRef() as p, URIRef() | BNode() | Literal() as o]:
                yield Triple(s, p, o)


def describe(resources: Iterable[Term], graph: set[Triple]) -> set[Triple]:
    """The triples about each resource, and about the blank nodes they lead to."""
    described: set[Term] = set()
    todo = list(resources)
    while todo:
        node = todo.pop()
        if node not in described:
            described.add(node)
            about = (triple.object for triple in graph if triple.subject == node)
            todo += [found for found in about if isinstance(found, BNode)]
    return {triple for triple in graph if triple.subject in described}
