"""The engine: plans as Spark streaming queries.

>>> from askos import spark                                                   # doctest: +SKIP
>>> session = spark.session()                                                 # doctest: +SKIP
>>> sources = {wind: spark.nquads(session, "park/nquads/scada")}              # doctest: +SKIP
>>> spark.run(session, plan, sources, spark.Console(), "checkpoint")          # doctest: +SKIP
"""

from askos.spark.control import Control
from askos.spark.host import compile, finish, run, start  # noqa: A004 - the public name
from askos.spark.session import session
from askos.spark.sinks import Console, Parquet, Sink
from askos.spark.sources import nquads, parquet

__all__ = [
    "Console",
    "Control",
    "Parquet",
    "Sink",
    "compile",
    "finish",
    "nquads",
    "parquet",
    "run",
    "session",
    "start",
]
