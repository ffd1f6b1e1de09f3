"""askos: continuous SPARQL over RDF streams.

The functions named here are loaded when they are first used, so that `import askos` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askos.api import explain
    from askos.prepared import Prepared, prepare
    from askos.sources import Catalogue
    from askos.static import select
    from askos.translate import (
        create_plan,
        default_report,
        format,  # noqa: A004
        optimize,
        parse,
    )

__version__ = "0.1.0"
__all__ = [
    "Catalogue",
    "Prepared",
    "__version__",
    "create_plan",
    "default_report",
    "explain",
    "format",
    "optimize",
    "parse",
    "prepare",
    "select",
]

_HOMES = {
    "Catalogue": "askos.sources",
    "Prepared": "askos.prepared",
    "create_plan": "askos.translate",
    "default_report": "askos.translate",
    "explain": "askos.api",
    "format": "askos.translate",
    "optimize": "askos.translate",
    "parse": "askos.translate",
    "prepare": "askos.prepared",
    "select": "askos.static",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
