"""Texts that may hold bytes which are no UTF-8: whoever sends them is not trusted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.columns.ids import Ids, Texts
from askos.errors import StreamError


def legible(column: Any) -> tuple[Texts, Ids]:
    """A column as Arrow strings, "" where it is null, and the rows that are no UTF-8.

    Arrow believes that strings are UTF-8, and stops at the first that is not, in the middle of some
    other work.  So they are looked at once, all together; and one by one where that fails.
    """
    try:
        texts = pc.cast(column, pa.string())
        texts.validate(full=True)
        return pc.fill_null(texts, ""), np.empty(0, np.int64)
    except pa.ArrowNotImplementedError:
        raise StreamError(
            f"terms of type {column.type} are not understood", hint="give N-Triples texts"
        ) from None
    except pa.ArrowInvalid:
        texts = [shown(value) for value in column]
        broken = [row for row, value in enumerate(column) if _broken(value)]
        return pc.fill_null(pa.array(texts, pa.string()), ""), np.array(broken, np.int64)


def shown(value: Any) -> Any:
    """What an Arrow scalar holds, to be told: U+FFFD for bytes that are no UTF-8.

    >>> shown(pa.scalar(b"<T1>").cast(pa.string())), shown(pa.scalar(b"\\xff"))
    ('<T1>', '\\ufffd')
    """
    data = _bytes(value)
    return value.as_py() if data is None else data.decode("utf-8", "replace")


def _broken(value: Any) -> bool:
    try:
        (_bytes(value) or b"").decode()
    except UnicodeDecodeError:
        return True
    return False


def _bytes(value: Any) -> bytes | None:
    """The bytes of a text; None where there is no text."""
    if isinstance(value, pa.DictionaryScalar):
        value = value.dictionary[value.index.as_py()] if value.is_valid else None
    known = isinstance(value, pa.BinaryScalar) and value.is_valid
    return bytes(value.as_buffer()) if known else None
