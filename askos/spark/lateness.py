"""How late rows may come and be stamped, which each start of a query may say anew: but not between
a micro-batch and its repetition.

Where a driver is killed when answers are in the log of their sink and Spark has not noted that the
micro-batch is done, it is run again, and what it says then is left out: it has been said.  With
another lateness it would settle other answers, and some would be told twice or by nobody.

    lateness.json  {"http://wind.example/scada": [20, null, null]}: lateness, not_after, ahead_ms
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Final, TypeAlias

from askos.errors import SetupError
from askos.physical.limit import Limit
from askos.sources import Catalogue, Stream
from askos.spark.files import write_whole
from askos.spark.logs import last_in
from askos.spark.pack import Pack
from askos.terms import URIRef

_FILE: Final = "lateness.json"
_NAMES: Final = ("lateness", "not_after", "ahead_ms")
Said: TypeAlias = Mapping[str, Sequence[int | None]]
"""Of each stream what is in the file."""


@dataclass(frozen=True, slots=True)
class Waits:
    """Of each stream: as the caller says, else as the catalogue says, which alone says how late
    its rows may be stamped."""

    sources: Catalogue
    said: int | Mapping[URIRef, int]

    def __call__(self, source: URIRef) -> int:
        if isinstance(self.said, int):
            return self.said
        known = self.sources.get(source)
        declared = known.lateness_ms if isinstance(known, Stream) else 0
        return self.said.get(source, declared)

    def limit(self, source: URIRef) -> Limit:
        """How late a stream's rows may be stamped."""
        return Limit.of(self.sources.get(source))


def said_of(packs: Iterable[Pack]) -> Said:
    """What counts from this start on."""
    return {str(pack.source): [pack.lateness, *astuple(pack.limit)] for pack in packs}


def keep_lateness(checkpoint: Path, said: Said, logged: int) -> None:
    """Note what counts now; SetupError where a micro-batch that is in the log, up to that one, has
    to be run again, and what counted for it was something else."""
    file = checkpoint / _FILE
    if logged > last_in(checkpoint / "commits") and file.exists():
        before = json.loads(file.read_text("utf-8"))
        if before != said:
            raise SetupError(
                f"micro-batch {logged} of checkpoint {checkpoint} has given its answers and was"
                f" not ended, with {_told(before)}: it must be run again like that",
                hint="start the query once as it was, and say otherwise at a later start",
            )
    write_whole(file, json.dumps(said) + "\n")


def _told(said: Said) -> str:
    """
    >>> _told({"urn:a": [20, None, 5]})
    'lateness 20, ahead_ms 5 of <urn:a>'
    """
    streams = []
    for stream, values in said.items():
        known = zip(_NAMES, values, strict=True)
        known_texts = (f"{name} {value}" for name, value in known if value is not None)
        streams.append(f"{', '.join(known_texts)} of <{stream}>")
    return "; ".join(streams)
