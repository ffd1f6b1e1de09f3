"""Triples with their times, as numbers: codes of texts, so that millions are sorted in a moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.generate.park import Flags, Integers, Numbers
from askos.generate.vocabulary import XSD


class Texts:
    """All terms of a park, each N-Triples text under a code."""

    def __init__(self) -> None:
        self._parts: list[pa.Array] = []
        self._count = 0

    def add(self, texts: pa.Array) -> int:
        """The code of the first; the others follow."""
        first, self._count = self._count, self._count + len(texts)
        self._parts.append(texts)
        return first

    def names(self, iris: Sequence[str]) -> int:
        """The code of the first of some names."""
        return self.add(pa.array([f"<{iri}>" for iri in iris], pa.string()))

    def decimals(self, numbers: Numbers, digits: int) -> Integers:
        """The codes of numbers, written with so many digits after the point."""
        scaled = np.rint(numbers * 10**digits).astype(np.int64)
        low, high = int(scaled.min()), int(scaled.max())
        if high - low <= scaled.size:
            known, codes = np.arange(low, high + 1), scaled - low
        else:
            known, codes = np.unique(scaled, return_inverse=True)
        found: Integers = codes + self.add(literal(fixed(known, digits), "decimal"))
        return found

    def all(self) -> pa.Array:
        """The texts, by code."""
        return pa.concat_arrays(self._parts)


@dataclass(frozen=True, slots=True)
class Rows:
    """Triples as codes; `ms` counts from the start of the park."""

    subject: Integers
    predicate: Integers
    object: Integers
    ms: Integers

    def __len__(self) -> int:
        return len(self.ms)

    def take(self, which: Flags | Integers | slice) -> Rows:
        """Some of them, or in another order."""
        return Rows(*(column[which] for column in self._columns()))

    def later(self, ms: Integers | int) -> Rows:
        """The same, with other times."""
        return Rows(self.subject, self.predicate, self.object, self.ms + ms)

    def table(self, texts: pa.Array, start: int) -> pa.Table:
        """Columns s, p, o and ts."""
        terms = (texts.take(pa.array(c)) for c in (self.subject, self.predicate, self.object))
        return pa.table([*terms, pa.array(start + self.ms)], names=["s", "p", "o", "ts"])

    def encoded(self, texts: pa.Array, start: int) -> pa.Table:
        """The same table; each column of terms has its texts once, and numbers in its rows."""
        terms = (_encoded(codes, texts) for codes in (self.subject, self.predicate, self.object))
        return pa.table([*terms, pa.array(start + self.ms)], names=["s", "p", "o", "ts"])

    def _columns(self) -> tuple[Integers, Integers, Integers, Integers]:
        return self.subject, self.predicate, self.object, self.ms

    @staticmethod
    def together(parts: Sequence[Rows]) -> Rows:
        """All rows of some, one after the other."""
        columns = zip(*(part._columns() for part in parts), strict=True)
        return Rows(*(np.concatenate(column) for column in columns))


def _encoded(codes: Integers, texts: pa.Array) -> pa.Array:
    used = np.zeros(len(texts), np.bool_)
    used[codes] = True
    numbers = np.cumsum(used, dtype=np.int32) - 1
    known = texts.take(pa.array(np.flatnonzero(used)))
    return pa.DictionaryArray.from_arrays(numbers[codes].astype(np.int32), known)


def fixed(scaled: Integers, digits: int) -> pa.Array:
    """Whole numbers of the last of so many digits, with a point.

    >>> fixed(np.array([0, 742, -5, -1200]), 2).to_pylist()
    ['0.00', '7.42', '-0.05', '-12.00']
    """
    whole, rest = np.divmod(np.abs(scaled), 10**digits)
    sign = pa.array(np.where(scaled < 0, "-", ""))
    rest_text = pc.utf8_lpad(pa.array(rest).cast(pa.string()), digits, "0")
    front = pc.binary_join_element_wise(sign, pa.array(whole).cast(pa.string()), "")
    return pc.binary_join_element_wise(front, rest_text, ".")


def literal(texts: pa.Array, datatype: str) -> pa.Array:
    """N-Triples of literals.

    >>> literal(pa.array(["7"]), "integer").to_pylist()
    ['"7"^^<http://www.w3.org/2001/XMLSchema#integer>']
    """
    return pc.binary_join_element_wise('"', texts, f'"^^<{XSD}{datatype}>', "")
