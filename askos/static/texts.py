"""Large graphs by columns: N-Triples as texts, never a row at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from askos.io.nquads import TERMS, read_nquads
from askos.static.load import blank_scope


def read_texts(file: Path) -> pa.Table | None:
    """The columns s, p and o of a file of N-Triples, blank nodes named as the file's own.

    None if a line is not plain: `load` reads it, or knows what to say of it.
    """
    found, bad = read_nquads(file, at=0)
    if len(bad):
        return None
    scope = f"_:f{blank_scope(file)}"
    columns = {name: _scoped(found[name].combine_chunks(), scope) for name in TERMS}
    return pa.table({**columns, "ts": found["ts"]})


def _scoped(texts: Any, scope: str) -> Any:
    blank = pc.starts_with(texts, "_:")
    if not pc.any(blank).as_py():
        return texts
    named = pc.binary_join_element_wise(scope, pc.utf8_slice_codeunits(texts, 2), "")
    return pc.if_else(blank, named, texts)
