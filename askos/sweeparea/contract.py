"""The contract of SweepAreas: what can be done with elements that may still matter.

Streaming SPARQL, section 6, has SweepAreas from Krämer and Seeger: an abstract data type to
insert, replace and query elements, to extract or purge those that have become superfluous, and to
iterate over the rest.  Each kind says once and for all what qualifies and what is superfluous:

- *by key*, for joins: those qualify whose key is equal and whose interval overlaps; superfluous is
  what has ended.
- *by time*, the min-heap H of the paper: nothing is asked for; superfluous is what lies before a
  time, and it leaves in the order of time.

Two kinds of each.  *Columnar* ones, `SweepArea` and `ReleaseHeap`, take and give batches and keep
them in immutable runs.  *Ordered* ones, `OrderedArea` and `OrderedHeap`, take one element after the
other and keep it in sorted lists: the readable twins, which cost little for few elements at a time.
n elements are kept, k come or are asked for at a time, m qualify or leave; c share the key.

| method | SweepArea | ReleaseHeap | OrderedArea | OrderedHeap |
|---|---|---|---|---|
| insert | k log k; log n copies each | nothing yet | log n | log n |
| replace | by `marks` of a run: k | | 1, of its marker | |
| query | k log n + c, in any order | | log c + those that began, by start | |
| extract | | m + log² n, and k log k once | m log n, by end | m log n, by time |
| purge | a look at every run; n now and then | | m log n | |
| iterate | its runs | its runs | n, in any order | n, in any order |

The ordered ones take some microseconds an element, the columnar ones some 100 µs a call and little
more an element.  `_check` asserts what all methods of a kind rely on, for tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

E_contra = TypeVar("E_contra", contravariant=True)
F_co = TypeVar("F_co", covariant=True)
S_co = TypeVar("S_co", covariant=True)


class Contents(Protocol[E_contra, S_co]):
    """What every area is: a bag of elements."""

    def __len__(self) -> int:
        """How many elements are kept."""

    def __iter__(self) -> Iterator[S_co]:
        """All that is kept, as it is kept."""

    def insert(self, element: E_contra, /) -> None:
        """Keep an element, or a batch of them.  To insert it twice means two elements."""


class ByKey(Contents[E_contra, S_co], Protocol[E_contra, S_co, F_co]):
    """An area to find partners in."""

    def query(self, element: E_contra, /) -> Iterable[F_co]:
        """What is kept with an equal key and an overlapping interval."""

    def purge(self, watermark: int, /) -> None:
        """Forget what ended by `watermark`: nothing that is still to come overlaps it."""


class ByTime(Contents[E_contra, S_co], Protocol[E_contra, S_co, F_co]):
    """An area to take elements from when their time has come."""

    def extract(self, time: int, /) -> Sequence[F_co]:
        """Take out what is superfluous at `time`: what lies before it; by key, what ended by it."""


class Whole(
    ByKey[E_contra, S_co, F_co], ByTime[E_contra, S_co, F_co], Protocol[E_contra, S_co, F_co]
):
    """All of the paper's SweepArea."""

    def replace(self, element: E_contra, mark: int, /) -> None:
        """Keep `element` with another marker, the paper's t̂E, in its place."""
