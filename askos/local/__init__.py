"""The test bench: the operators of the Spark host, driven in this process."""

from askos.local.engine import Engine
from askos.local.finite import Finite
from askos.local.query import Query
from askos.local.rows import Refused
from askos.local.running import run

__all__ = ["Engine", "Finite", "Query", "Refused", "run"]
