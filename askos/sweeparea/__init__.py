"""SweepAreas: where operators keep the elements that may still find partners.

Streaming SPARQL, section 6; Krämer and Seeger's SweepArea.  `contract` says what can be done with
one, and at which cost.  The columnar kind keeps immutable *runs*, so that a host can store what is
new of them and nothing else:

- `SweepArea`: elements found by key, for joins.
- `ReleaseHeap`: elements found by time, in order; the paper's H.

The ordered kind, `OrderedArea` and `OrderedHeap`, takes one element at a time; a `Log` stores it.

Beside them a `Base`: static rows found by key, which are no state.
"""

from askos.sweeparea.area import SweepArea
from askos.sweeparea.base import Base
from askos.sweeparea.contract import ByKey, ByTime, Contents, Whole
from askos.sweeparea.heap import ReleaseHeap
from askos.sweeparea.ordered import Entry, Form, Log, OrderedArea, OrderedHeap
from askos.sweeparea.rows import Fetch, Rows, Saved, key_hash
from askos.sweeparea.runs import Match

__all__ = [
    "Base",
    "ByKey",
    "ByTime",
    "Contents",
    "Entry",
    "Fetch",
    "Form",
    "Log",
    "Match",
    "OrderedArea",
    "OrderedHeap",
    "ReleaseHeap",
    "Rows",
    "Saved",
    "SweepArea",
    "Whole",
    "key_hash",
]
