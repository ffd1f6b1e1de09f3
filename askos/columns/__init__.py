"""Columns: term ids, dictionaries, batches of elements, and pure functions on them.

Nothing here keeps state or knows a plan: the operators of `askos.physical` keep state around it.
"""

from askos.columns.batch import Batch
from askos.columns.coalesce import coalesce
from askos.columns.coder import Coder, decode
from askos.columns.dictionary import Dictionary

__all__ = ["Batch", "Coder", "Dictionary", "coalesce", "decode"]
