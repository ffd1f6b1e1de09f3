"""A park's streams in equal steps of time, as its page draws them; on arrays, not row by row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from numpy.typing import NDArray

from askos.demo.folder import Folder
from askos.generate.vocabulary import STATE, WIND
from askos.report import Day, Series
from askos.report.day import STATES, UNKNOWN

STEP: Final = 5 * 60_000
_SIGNALS: Final = {"power": "WTUR#W", "wind": "WMET#HorWdSpd", "oil": "WTRM#TrmTmpGbxOil"}

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]


def day(folder: Folder, step: int = STEP) -> Day:
    """Means of what each turbine measured, and its state at the beginning of each step."""
    names = [turbine.name for turbine in folder.turbines]
    steps = -(-(folder.end - folder.start) // step)
    means = {name: _means(folder, signal, step, steps) for name, signal in _SIGNALS.items()}
    states = _states(folder, step, steps, np.isnan(means["power"]))
    series = {
        name: Series(**{signal: _plain(mean[place]) for signal, mean in means.items()})
        for place, name in enumerate(names)
    }
    told = {name: [int(state) for state in states[place]] for place, name in enumerate(names)}
    return Day(folder.start, step, folder.turbines, told, series)


def _means(folder: Folder, signal: str, step: int, steps: int) -> Numbers:
    """A row for each turbine, a column for each step; not a number where nothing was told."""
    shape = (len(folder.turbines), steps)
    total, count = np.zeros(shape), np.zeros(shape, np.int64)
    meant = {tag: how for tag, how in folder.tags.items() if how[0] == signal}
    for rows in _rows(folder, "scada", meant):
        turbine, at = _turbines(folder, rows), (_times(rows) - folder.start) // step
        factor, offset = _conversion(rows, meant)
        value = _numbers(rows["o"]) * factor + offset
        good = (turbine >= 0) & (at >= 0) & (at < steps)
        np.add.at(total, (turbine[good], at[good]), value[good])
        np.add.at(count, (turbine[good], at[good]), 1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _states(folder: Folder, step: int, steps: int, silent: NDArray[np.bool_]) -> Integers:
    """The last state that was told before each step; unknown where nothing is."""
    known = [f"<{WIND}{state}>" for state in STATES]
    told = np.full((len(folder.turbines), steps), -1, np.int64)
    tables = list(_rows(folder, "events", {STATE: ("", 1.0, 0.0)}))
    rows = pa.concat_tables(tables).sort_by("ts") if tables else None
    if rows is not None:
        turbine, at = _turbines(folder, rows), (_times(rows) - folder.start) // step + 1
        state = pc.fill_null(pc.index_in(rows["o"], pa.array(known)), UNKNOWN).to_numpy()
        good = (turbine >= 0) & (at >= 0) & (at < steps)
        told[turbine[good], at[good]] = state[good]  # in order of time: the last one stays
        first = (turbine >= 0) & (at == 1)
        told[turbine[first][::-1], 0] = state[first][::-1]
    places = np.maximum.accumulate(np.where(told >= 0, np.arange(steps), 0), axis=1)
    filled = np.take_along_axis(told, places, axis=1)
    return np.where((filled < 0) | silent, UNKNOWN, filled)


# ---- rows ------------------------------------------------------------------------------------


def _rows(folder: Folder, stream: str, predicates: Sequence[str] | dict[str, Any]) -> Iterator[Any]:
    """The rows of a stream that have these predicates."""
    wanted = pa.array([f"<{name}>" for name in predicates])
    data = ds.dataset(folder.stream(stream), format="parquet")
    for batch in data.to_batches(filter=ds.field("p").isin(wanted)):
        if len(batch):
            yield pa.Table.from_batches([batch])


def _turbines(folder: Folder, rows: pa.Table) -> Integers:
    """The place of each row's turbine, or -1."""
    names = pa.array([f"<{WIND}{turbine.name}>" for turbine in folder.turbines])
    return np.asarray(pc.fill_null(pc.index_in(rows["s"], names), -1).to_numpy(), np.int64)


def _times(rows: pa.Table) -> Integers:
    return np.asarray(rows["ts"].to_numpy(), np.int64)


def _conversion(
    rows: pa.Table, meant: dict[str, tuple[str, float, float]]
) -> tuple[Numbers, Numbers]:
    places = pc.index_in(rows["p"], pa.array([f"<{tag}>" for tag in meant])).to_numpy()
    factors = np.array([factor for _, factor, _ in meant.values()])
    offsets = np.array([offset for _, _, offset in meant.values()])
    return factors[places], offsets[places]


def _numbers(objects: pa.ChunkedArray) -> Numbers:
    """The values of literals that are numbers."""
    texts = pc.struct_field(pc.extract_regex(objects, r'^"(?P<value>[^"]*)"'), "value")
    return np.asarray(texts.cast(pa.float64()).to_numpy(), np.float64)


def _plain(values: Numbers) -> list[float | None]:
    return [None if np.isnan(value) else round(float(value), 1) for value in values]
