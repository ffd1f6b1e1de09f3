"""From terms to ids and back: inlined where possible, else by keyed hash."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas.util
import pyarrow as pa

from askos.columns import compiled
from askos.columns.dictionary import Dictionary
from askos.columns.ids import Ids, Texts, inline
from askos.errors import require
from askos.terms import Term, n3, parse_term

HASH_BITS = 62


@dataclass(frozen=True, slots=True)
class Coder:
    """Gives terms their ids: the same everywhere the same key is used.

    The hash is pandas' keyed one (SipHash over UTF-8, mixed once more), in C, with a key that
    whoever sends the data cannot know.
    `bits` is for tests that want collisions.
    """

    key: str
    bits: int = HASH_BITS

    def __post_init__(self) -> None:
        require(len(self.key.encode()) == 16, f"Coder: key {self.key!r} must have 16 bytes")

    @property
    def mask(self) -> int:
        """The bits of a hash."""
        return (1 << self.bits) - 1

    @classmethod
    def fresh(cls) -> Coder:
        """With a key of its own."""
        return cls(secrets.token_hex(8))

    def encode(self, texts: Texts) -> tuple[Ids, Dictionary]:
        """The ids of N-Triples texts in canonical form, and the dictionary of the hashed ones."""
        ids = inline(texts)
        rest = np.flatnonzero(ids == 0)
        if not len(rest):
            return ids, Dictionary()
        coded = texts.take(pa.array(rest)).dictionary_encode()
        distinct, dictionary = self.hashed(coded.dictionary)
        ids[rest] = distinct[coded.indices.to_numpy()]
        return ids, dictionary

    def hashed(self, texts: Texts) -> tuple[Ids, Dictionary]:
        """The same for texts known not to be inlined; best where few are equal."""
        ids = self._hash(texts)
        return ids, Dictionary.of(ids, texts)

    def _hash(self, texts: Texts) -> Ids:
        if compiled.AVAILABLE and not texts.null_count:
            return compiled.hashes(texts, self.key, self.mask)
        values = texts.to_numpy(zero_copy_only=False)
        hashes: npt.NDArray[np.uint64] = pandas.util.hash_array(
            values, hash_key=self.key, categorize=False
        )
        ids: Ids = hashes.view(np.int64) & self.mask
        return np.maximum(ids, 1)

    def terms(self, terms: Iterable[Term]) -> tuple[Ids, Dictionary]:
        """The ids of RDF terms."""
        return self.encode(pa.array([n3(term) for term in terms], pa.string()))


def decode(ids: Ids, dictionary: Dictionary) -> list[Term | None]:
    """The terms of `ids`; None where unbound.

    Cost: Python work for each distinct id.
    """
    distinct, places = np.unique(ids, return_inverse=True)
    texts = dictionary.texts(distinct).to_pylist()
    terms = [None if text is None else parse_term(text) for text in texts]
    return [terms[place] for place in places.tolist()]
