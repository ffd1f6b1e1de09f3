"""Tables beside the checkpoint: what reads no stream, evaluated when the query first starts."""

from __future__ import annotations

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
    """Evaluate the tables: once, a restart goes on with those it began with."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, plan in enumerate(plans):
        table_file(folder, number).write_bytes(tabulate(plan, graphs, coder).to_bytes())


def read_table(folder: Path, number: int) -> Batch:
    """What `write_tables` wrote."""
    return Batch.from_bytes(table_file(folder, number).read_bytes())


def table_file(folder: Path, number: int) -> Path:
    """Where a table is."""
    return folder / f"{number}.batch"
