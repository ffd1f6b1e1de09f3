"""askos: continuous SPARQL over RDF streams.

The functions named here are loaded when they are first used, so that `import askos` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askos.translate import parse

__version__ = "0.1.0"
__all__ = ["__version__", "parse"]

_HOMES = {"parse": "askos.translate"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
