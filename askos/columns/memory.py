"""What becomes of memory that is free again."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Final

_TRIM, _MMAP = -1, -3  # glibc's M_TRIM_THRESHOLD and M_MMAP_THRESHOLD
_KEPT: Final = 256 << 20
_LARGE: Final = 32 << 20  # the most that glibc accepts


@cache
def keep_freed_memory() -> bool:
    """Let the process keep up to 256 MB that it has freed, for the arrays of the next step; says
    whether it can.

    Each step makes and drops arrays of a megabyte or so.  Left to itself, glibc gives such memory
    back at once, and the next step waits for the system to hand out the same pages again: half of
    the time of a join with many pairs.  Where there is no glibc, nothing changes.
    """
    try:
        change = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    return bool(change(_TRIM, _KEPT)) and bool(change(_MMAP, _LARGE))
