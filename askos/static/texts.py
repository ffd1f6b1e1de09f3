"""Large graphs by columns: N-Triples as texts, never a row at a time."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from askos.io.lines import read_lines


def read_texts(file: Path) -> pa.Table | None:
    """The columns s, p and o of a file of N-Triples, blank nodes named as the file's own; ts is the
    place of a line.

    None if a line is not plain: `load` reads it, or knows what to say of it.
    """
    blocks = []
    for block in read_lines([file]):
        if block.refused:
            return None
        blocks.append(block.triples)
    return pa.concat_tables(blocks) if blocks else None
