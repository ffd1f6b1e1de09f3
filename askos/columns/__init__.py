"""Columns: term ids, dictionaries, batches of elements, and pure functions on them.

Nothing here keeps state or knows a plan: the operators of `askos.physical` keep state around it.
What is named here is loaded when it is first used: kernels that need numpy alone load nothing else.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askos.columns.batch import Batch
    from askos.columns.coder import Coder, decode
    from askos.columns.dictionary import Dictionary


__all__ = ["Batch", "Coder", "Dictionary", "decode"]

_HOMES = {
    "Batch": "askos.columns.batch",
    "Coder": "askos.columns.coder",
    "Dictionary": "askos.columns.dictionary",
    "decode": "askos.columns.coder",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
