"""SweepAreas: where operators keep the elements that may still find partners.

Streaming SPARQL, section 6; Krämer and Seeger's SweepArea.  Both kinds here keep immutable,
columnar *runs*, so that a host can store what is new of them and nothing else:

- `SweepArea`: elements found by key, for joins.
- `ReleaseHeap`: elements found by time, in order; the paper's H.

Beside them a `Base`: static rows found by key, which are no state.
"""

from askos.sweeparea.area import Match, SweepArea
from askos.sweeparea.base import Base
from askos.sweeparea.heap import ReleaseHeap
from askos.sweeparea.rows import Fetch, Rows, Saved, key_hash

__all__ = ["Base", "Fetch", "Match", "ReleaseHeap", "Rows", "Saved", "SweepArea", "key_hash"]
