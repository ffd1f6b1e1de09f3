"""Formats: streams in files, graphs in files, and answers as text.

`read_nquads` and `write_nquads` are loaded when they are first used: they need pyarrow, which
nothing else here does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askos.io.nquads import read_nquads, write_nquads

__all__ = ["read_nquads", "write_nquads"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from askos.io import nquads

    return getattr(nquads, name)
