"""A level of stages as Spark sees it: a stateful processor, called once per bucket and
micro-batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import BinaryType, LongType, StructField, StructType

# Objects, not texts: those every task would send to the JVM to be read.
_DATA: Final = StructType([StructField("data", BinaryType())])
_ID: Final = StructType([StructField("id", LongType())])


class LevelProcessor(StatefulProcessor):
    """Declares the state of a bucket, and leaves the work to `Level`.

    The level comes packed and its code is imported when rows come: at the start of a query Spark
    makes this object in a process that only asks which state there is.
    """

    def __init__(self, level: bytes) -> None:
        self._level = level

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Called by Spark when a task starts."""
        from askos.spark.ahead import go_ahead

        go_ahead(handle)
        # One variable, since Spark prepares each of them in every task.
        self._state = handle.getMapState("state", _ID, _DATA)

    def handleInputRows(  # noqa: N802 - Spark's name
        self,
        key: Any,
        rows: Iterator[Row],
        timerValues: Any,  # noqa: N803 - Spark's name
    ) -> Iterator[Row]:
        """Called by Spark for each bucket with rows."""
        from askos.spark.errors import written
        from askos.spark.levels import opened
        from askos.spark.messages import Message

        names = Message.__slots__
        row = Row(*names)
        with written():
            given = (Message(*(each[name] for name in names)) for each in rows)
            for message in opened(self._level).run(int(key[0]), given, self._state):
                yield row(*(getattr(message, name) for name in names))
