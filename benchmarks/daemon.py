"""The parent of Spark's Python workers, without one of the things that ours does.

`spark_settings.py` has Spark start it in place of `askos.spark.daemon`, and says in the environment
what is left out.
"""

from __future__ import annotations

import gc
import os
import runpy
from typing import Final

import askos.columns.memory

LEFT_OUT: Final = "ASKOS_DAEMON_WITHOUT"
PARTS: Final = {"freeze": gc, "keep_freed_memory": askos.columns.memory}
"""What may be left out, and where it is."""

if __name__ == "__main__":
    name = os.environ[LEFT_OUT]
    setattr(PARTS[name], name, lambda: None)
    runpy.run_module("askos.spark.daemon", run_name="__main__")
