"""The engine: plans as Spark streaming queries.

`session`, `parquet` or `nquads`, and `run` or `start` are the way in; see docs/spark.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askos.spark.control import Control
    from askos.spark.following import follow
    from askos.spark.host import compile, drain, run, start  # noqa: A004 - the public name
    from askos.spark.profiles import Profile, profile
    from askos.spark.reading import elements, reports
    from askos.spark.sessions import session, settings
    from askos.spark.sinks import Console, Parquet, Sink
    from askos.spark.sources import nquads, parquet

# Spark starts a process for each query that does nothing but declare its state.  It imports
# this package, and should not have to import everything below it.
_HOME = {
    "Control": "control",
    "compile": "host",
    "elements": "reading",
    "follow": "following",
    "reports": "reading",
    "drain": "host",
    "run": "host",
    "start": "host",
    "session": "sessions",
    "settings": "sessions",
    "Console": "sinks",
    "Parquet": "sinks",
    "Sink": "sinks",
    "nquads": "sources",
    "parquet": "sources",
    "Profile": "profiles",
    "profile": "profiles",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Kept.
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    return value


__all__ = [
    "Console",
    "Control",
    "Parquet",
    "Profile",
    "Sink",
    "compile",
    "drain",
    "elements",
    "follow",
    "nquads",
    "parquet",
    "profile",
    "reports",
    "run",
    "session",
    "settings",
    "start",
]
