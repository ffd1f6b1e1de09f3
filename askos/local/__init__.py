"""The test bench: the operators of the Spark host, driven in this process."""

from askos.local.engine import Engine, Query, Refused, run

__all__ = ["Engine", "Query", "Refused", "run"]
