"""Tables beside the checkpoint: what reads no stream, evaluated when the query first starts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from askos.algebra import Operator
from askos.columns import Batch, Coder
from askos.physical.tables import tabulate
from askos.static.graph import StaticGraph
from askos.terms import URIRef


def write_tables(
    folder: Path,
    plans: Sequence[Operator],
    graphs: Mapping[URIRef, StaticGraph],
    coder: Coder,
) -> None:
    """Evaluate the tables that are not there yet: a restart goes on with those it began with."""
    for number, plan in enumerate(plans):
        file = _file(folder, number)
        if not file.exists():
            folder.mkdir(parents=True, exist_ok=True)
            hidden = file.with_name(f".{file.name}")
            hidden.write_bytes(tabulate(plan, graphs, coder).to_bytes())
            os.replace(hidden, file)


def read_table(folder: Path, number: int) -> Batch:
    """What `write_tables` wrote."""
    return Batch.from_bytes(_file(folder, number).read_bytes())


def _file(folder: Path, number: int) -> Path:
    return folder / f"{number}.batch"
