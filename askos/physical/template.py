"""CONSTRUCT: from solutions back to triples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.algebra.expressions.call import keyed_hash
from askos.algebra.operators.pattern import Position
from askos.algebra.placement import TRIPLE
from askos.algebra.windows.predicate import OBJECT, PREDICATE
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.dictionary import Dictionary
from askos.columns.factorize import factorize
from askos.columns.ids import Ids, Mask, unpack
from askos.errors import require
from askos.physical.nodes import Instances
from askos.physical.operator import Operator
from askos.terms import BNode, Literal, URIRef, Variable, n3

_IRI, _BLANK = "<", "_"  # how their texts begin


class TemplateOperator(Operator):
    """The template's triples for each solution; with a distinct above it snapshot-equivalent to
    `algebra.Construct`.

    Streaming SPARQL, section 6: a stateless operator.  A triple with an unbound or impossible
    part is left out.  Blank nodes of the template are keyed hashes of (site, label, solution,
    copy number), as in the reference; the copy number is the value of the variable `copy`, which
    is no part of the solution.
    """

    def __init__(self, plan: Instances, coder: Coder) -> None:
        require(
            plan.copy is not None or not plan.blanks,
            "Construct: a template with blank nodes needs copy numbers",
        )
        self._templates = [template.positions for template in plan.template]
        self._site, self._coder, self._copy = plan.site, coder, plan.copy
        self._blanks = sorted(plan.blanks)
        self._content = sorted(plan.input.variables - {plan.copy})
        positions = {p for positions in self._templates for p in positions}
        constants = [p for p in positions if isinstance(p, URIRef | Literal)]
        ids, self._dictionary = coder.terms(constants)
        self._constants = dict(zip(constants, ids.tolist(), strict=True))

    def process(self, port: int, batch: Batch) -> Batch:
        if not len(batch):
            return Batch.empty(TRIPLE)
        blanks, dictionary = self._fresh(batch)
        whole = replace(batch, dictionary=batch.dictionary | self._dictionary | dictionary)
        made = [self._instances(positions, whole, blanks) for positions in self._templates]
        return Batch.concat(made) if made else Batch.empty(TRIPLE)

    def _instances(
        self, positions: Sequence[Position], batch: Batch, blanks: Mapping[BNode, Ids]
    ) -> Batch:
        """One triple of the template for every solution that gives it three possible parts."""
        columns, kept = {}, np.ones(len(batch), np.bool_)
        for place, position in zip(TRIPLE, positions, strict=True):
            match position:
                case Variable():
                    columns[place] = batch.column(position)
                    kept &= _possible(place, columns[place], batch.dictionary)
                case BNode():
                    columns[place] = blanks[position]
                case _:
                    columns[place] = np.full(len(batch), self._constants[position], np.int64)
        return batch.with_columns(columns).where(kept)

    def _fresh(self, batch: Batch) -> tuple[dict[BNode, Ids], Dictionary]:
        """For each blank node of the template a column of new ones.

        Cost: a hash for each distinct solution and copy.
        """
        if self._copy is None:
            return {}, Dictionary()
        variables = [*self._content, self._copy]
        codes, example = factorize([batch.column(v) for v in variables], len(batch))
        _, _, copies = unpack(batch.column(self._copy)[example])
        solutions = list(zip(self._contents(batch.take(example)), copies.tolist(), strict=True))
        fresh, dictionary = {}, Dictionary()
        for blank in self._blanks:
            hashes = (keyed_hash(self._site, str(blank), mu, str(copy)) for mu, copy in solutions)
            ids, new = self._coder.encode(pa.array([f"_:c{h.hex()}" for h in hashes], pa.string()))
            fresh[blank], dictionary = ids[codes], dictionary | new
        return fresh, dictionary

    def _contents(self, batch: Batch) -> list[str]:
        """What each solution binds, as text."""
        columns = [batch.dictionary.texts(batch.column(v)).to_pylist() for v in self._content]
        rows = zip(*columns, strict=True) if columns else [()] * len(batch)
        names = [n3(variable) for variable in self._content]
        return [
            " ".join(f"{name} {text}" for name, text in zip(names, row, strict=True) if text)
            for row in rows
        ]


def _possible(place: Variable, ids: Ids, dictionary: Dictionary) -> Mask:
    """Which terms may stand there: any as object, no literal as subject, an IRI as predicate."""
    if place == OBJECT:
        return np.asarray(ids != 0)
    distinct, at = np.unique(ids, return_inverse=True)
    first = pc.utf8_slice_codeunits(dictionary.texts(distinct), 0, 1)
    allowed = [_IRI] if place == PREDICATE else [_IRI, _BLANK]
    good = pc.is_in(first, value_set=pa.array(allowed)).to_numpy(zero_copy_only=False)
    return np.asarray(good[at])
