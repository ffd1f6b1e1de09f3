"""What is compiled, where it is.

numpy and Arrow are quick where one question is asked of a whole column.  Where many small ones are
asked of each row, or of each character, every question is a pass over the column; in C it is one
pass for all of them.  Each such pass stands for a function in numpy, gives the same, and is what
runs wherever it was not compiled: there is no compiler, or `ASKOS_COMPILED=no` says so.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt


def native(name: str) -> Any:
    """The compiled module of that name, or None.

    >>> native("askos.no_such_module")
    """
    if os.environ.get("ASKOS_COMPILED", "").lower() in ("no", "0", "false"):
        return None
    try:
        return import_module(name)
    except ImportError:
        return None


def flat(columns: Iterable[npt.NDArray[np.int64]]) -> tuple[npt.NDArray[np.int64], ...]:
    """Columns as what is compiled takes them: each without gaps."""
    return tuple(map(np.ascontiguousarray, columns))
