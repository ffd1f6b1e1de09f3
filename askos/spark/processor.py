"""A stage as Spark sees it: a stateful processor, called once per bucket and micro-batch."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import BinaryType, LongType, StructField, StructType

if TYPE_CHECKING:
    import pandas as pd

    from askos.spark.job import Job


# Objects, not texts: those every task would send to the JVM to be read.
_DATA: Final = StructType([StructField("data", BinaryType())])
_ID: Final = StructType([StructField("id", LongType())])


class StageProcessor(StatefulProcessor):
    """Declares the state of a stage, and leaves the work to `StageTask`.

    The job comes pickled and its code is imported when rows come: at the start of a query Spark
    makes this object in a process that only asks which state there is.
    """

    def __init__(self, job: bytes, number: int) -> None:
        self._job = job
        self._number = number

    @classmethod
    def of(cls, job: Job, number: int) -> StageProcessor:
        """A stage of a job.  Compressed, since what is larger than 1 MB Spark sends in a way that
        the process which asks for the state does not know: wide plans are."""
        return cls(zlib.compress(pickle.dumps(job)), number)

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Called by Spark when a task starts."""
        self._manifest = handle.getValueState("manifest", _DATA)
        self._runs = handle.getMapState("runs", _ID, _DATA)

    def handleInputRows(  # noqa: N802 - Spark's name
        self,
        key: Any,
        rows: Iterator[pd.DataFrame],
        timerValues: Any,  # noqa: N803 - Spark's name
    ) -> Iterator[pd.DataFrame]:
        """Called by Spark for each bucket with rows."""
        from askos.spark.errors import written
        from askos.spark.stage import StageTask

        with written():
            job = pickle.loads(zlib.decompress(self._job))
            task = StageTask(job, self._number, self._manifest, self._runs)
            yield from task.step(int(key[0]), rows)
