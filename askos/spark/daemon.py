"""The parent of Spark's Python workers: what it has imported, they need not.

It must import askos.terms: a process without it rewrites the literals it unpickles.  What it holds
is never garbage: frozen, it is not looked at again by every worker, nor copied for being looked at.
"""

import gc

import pandas
import pyarrow.compute
import pyarrow.ipc
import pyspark.sql.pandas.serializers
import pyspark.sql.streaming.stateful_processor_api_client
import pyspark.worker
from pyspark.daemon import manager

import askos.spark.stage
import askos.terms
from askos.columns.memory import keep_freed_memory

__all__ = ["askos", "pandas", "pyarrow", "pyspark"]

if __name__ == "__main__":
    keep_freed_memory()  # so do the workers, which are forks
    gc.collect()
    gc.freeze()
    manager()
