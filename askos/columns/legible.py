"""Texts that may hold bytes which are no UTF-8: whoever sends them is not trusted."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from askos.columns.ids import Texts
from askos.errors import StreamError


def as_texts(column: Any) -> Texts:
    """A column as Arrow strings, "" where it is null; their bytes may be anything."""
    try:
        texts = column if column.type == pa.string() else pc.cast(column, pa.string())
    except pa.ArrowNotImplementedError:
        raise StreamError(
            f"terms of type {column.type} are not understood", hint="give N-Triples texts"
        ) from None
    except pa.ArrowInvalid:
        return legible(column)
    return pc.fill_null(texts, "") if texts.null_count else texts


def legible(column: Any) -> Texts:
    """Texts, with "" for those that are no UTF-8.

    Arrow believes that strings are UTF-8, and stops at the first that is not, in the middle of some
    other work.  So they are looked at once, all together; and one by one where that fails.
    """
    try:
        texts = pc.cast(column, pa.string())
        texts.validate(full=True)
        return texts
    except pa.ArrowInvalid:
        return pa.array(["" if is_broken(v) else shown(v) or "" for v in column], pa.string())


def shown(value: Any) -> Any:
    """What an Arrow scalar holds, to be told: U+FFFD for bytes that are no UTF-8.

    >>> shown(pa.scalar(b"<T1>").cast(pa.string())), shown(pa.scalar(b"\\xff"))
    ('<T1>', '\\ufffd')
    """
    data = _bytes(value)
    return value.as_py() if data is None else data.decode("utf-8", "replace")


def is_broken(value: Any) -> bool:
    """Whether an Arrow scalar holds bytes that are no UTF-8."""
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
