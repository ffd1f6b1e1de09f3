"""Readings as CSV, in the layouts of real exports: means of ten minutes, as SCADA keeps them.

`openoa`: one table of all turbines, with the columns of OpenOA's schema, which are IEC's names, and
then those that it does not know; and one of the turbines themselves.

`kelmarsh`: a file for each turbine as Greenbyte exports them, such as those of the wind farm
Kelmarsh (zenodo.org/records/5841834): nine lines before the header, which begins with
`# Date and time`; and a file of its states.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.generate.layout import DIAMETER
from askos.generate.park import MINUTE, Flags, Integers, Numbers
from askos.generate.rows import fixed
from askos.generate.simulate import Simulation
from askos.generate.vocabulary import SIGNALS, STATES

LAYOUTS: Final = ("openoa", "kelmarsh")
_TEN: Final = 10
_OPENOA: Final = (
    "WTUR_W",
    "WMET_HorWdSpd",
    "WMET_HorWdDir",
    "WMET_HorWdDirRel",
    "WTUR_TurSt",
    "WROT_BlPthAngVal",
    "WMET_EnvTmp",
)
_MORE: Final = tuple(signal.key for signal in SIGNALS if signal.key not in _OPENOA)
_SPREAD: Final = "WMET_HorWdSpd", "WTUR_W"
_KELMARSH: Final = {
    "WMET_HorWdSpd": "Wind speed (m/s)",
    "WTUR_W": "Power (kW)",
    "WMET_HorWdDir": "Wind direction (°)",
    "WNAC_Dir": "Nacelle position (°)",
    "WMET_HorWdDirRel": "Vane position 1+2 (°)",
    "WMET_EnvTmp": "Nacelle ambient temperature (°C)",
    "WNAC_IntlTmp": "Nacelle temperature (°C)",
    "WTRM_TrmTmpGbxOil": "Gear oil temperature (°C)",
    "WGEN_GnTmpSta": "Stator temperature 1 (°C)",
    "WROT_RotSpd": "Rotor speed (RPM)",
    "WGEN_Spd": "Generator RPM (RPM)",
    "WROT_BlPthAngVal": "Blade angle (pitch position) A (°)",
}
_STATUS: Final = (
    "Timestamp start,Timestamp end,Duration,Status,Code,Message,Comment,"
    "Service contract category,IEC category"
)
_ORIGIN: Final = (52.4, -0.95)  # degrees, of the first turbine
_METRES: Final = (111_200.0, 67_900.0)  # in a degree of latitude, and of longitude there


@dataclass(frozen=True, slots=True)
class Means:
    """Of each turbine and ten minutes: mean, deviation, least and largest reading; NaN if none."""

    mean: Numbers
    deviation: Numbers
    least: Numbers
    most: Numbers


def write_layout(made: Simulation, layout: str, folder: Path) -> None:
    """Write the readings of a park in a layout, into a new folder."""
    folder.mkdir(parents=True)
    (_write_openoa if layout == "openoa" else _write_kelmarsh)(made, folder)


def means(made: Simulation, key: str) -> Means:
    """Ten minutes of a signal, of what was heard of it."""
    park = made.park
    often = _TEN * 60 // park.interval
    heard = np.repeat(_heard(made), 60 // park.interval, axis=1)
    read = np.where(heard, made.sensors.read(key), np.nan)
    read = read[:, : read.shape[1] // often * often].reshape(len(read), -1, often)
    count = np.maximum((~np.isnan(read)).sum(axis=2), 1)
    silent = np.isnan(read).all(axis=2)
    mean = np.where(silent, np.nan, np.nansum(read, axis=2) / count)
    square = np.nansum((read - mean[:, :, None]) ** 2, axis=2) / count
    least, most = (
        np.where(silent, np.nan, edge(np.where(np.isnan(read), far, read), axis=2))
        for edge, far in ((np.min, np.inf), (np.max, -np.inf))
    )
    return Means(mean, np.where(silent, np.nan, np.sqrt(square)), least, most)


def _heard(made: Simulation) -> Flags:
    reception = made.reception
    return reception.heard & ~reception.gaps & ~reception.ahead


def _texts(numbers: Numbers, digits: int = 2, missing: str = "") -> pa.Array:
    """Numbers as text; what is missing as said."""
    known = np.isfinite(numbers)
    scaled = np.rint(np.where(known, numbers, 0.0) * 10**digits).astype(np.int64)
    return pc.if_else(pa.array(known), fixed(scaled, digits), missing)


def _body(columns: list[pa.Array]) -> str:
    """Rows of CSV: no cell here needs quotes."""
    rows = pc.binary_join_element_wise(*columns, ",").to_pylist()
    return "\n".join(rows) + "\n" if rows else ""


def _times(made: Simulation, form: str) -> list[str]:
    """When each ten minutes begin."""
    return [
        datetime.fromtimestamp((made.park.start + step * _TEN * MINUTE) / 1000, UTC).strftime(form)
        for step in range(made.park.minutes // _TEN)
    ]


# ---- OpenOA ----------------------------------------------------------------------------------


def _write_openoa(made: Simulation, folder: Path) -> None:
    times, names = _times(made, "%Y-%m-%d %H:%M:%S+00:00"), made.park.names
    columns = [pa.array(times * len(names)), pa.array(np.repeat(names, len(times)))]
    for key in (*_OPENOA, *_MORE):
        if key == "WTUR_TurSt":
            columns.append(pa.array(np.array(STATES)[_states(made)].ravel()))
        else:
            columns.append(_texts(means(made, key).mean.ravel()))
    header = ",".join(("time", "asset_id", *_OPENOA, *_MORE))
    (folder / "scada.csv").write_text(header + "\n" + _body(columns), encoding="utf-8")
    (folder / "asset.csv").write_text(_assets(made), encoding="utf-8")


def _states(made: Simulation) -> Integers:
    """The state at the end of each ten minutes."""
    state = made.sensors.operation.state
    return state[:, _TEN - 1 :: _TEN]


def _assets(made: Simulation) -> str:
    """OpenOA's table of turbines."""
    lines = ["asset_id,latitude,longitude,rated_power,hub_height,rotor_diameter,elevation,type"]
    for name, (x, y), each in zip(
        made.park.names, made.layout.positions, made.layout.types, strict=True
    ):
        north, east = _ORIGIN[0] + y / _METRES[0], _ORIGIN[1] + x / _METRES[1]
        place = f"{north:.6f},{east:.6f}"
        lines.append(f"{name},{place},{each.rated_power},100,{DIAMETER:.0f},150,turbine")
    return "\n".join(lines) + "\n"


# ---- Kelmarsh --------------------------------------------------------------------------------


def _write_kelmarsh(made: Simulation, folder: Path) -> None:
    read = {key: means(made, key) for key in _KELMARSH}
    times = pa.array(_times(made, "%Y-%m-%d %H:%M:%S"))
    span = f"{_day(made.park.start)}_-_{_day(made.park.end)}"
    for number, name in enumerate(made.park.names):
        header, columns = ["# Date and time"], [times]
        for key, title in _KELMARSH.items():
            for heading, values in _spread(key, title, read[key]):
                header.append(heading)
                columns.append(_texts(values[number], missing="NaN"))
        head = "\n".join([*_banner(made, number), _quoted(header)])
        path = folder / f"Turbine_Data_{name}_{span}.csv"
        path.write_text(head + "\n" + _body(columns), encoding="utf-8")
        status = "\n".join([*_banner(made, number), _STATUS, *_changes(made, number)])
        (folder / f"Status_{name}_{span}.csv").write_text(status + "\n", encoding="utf-8")


def _spread(key: str, title: str, of: Means) -> Iterator[tuple[str, Numbers]]:
    """The columns of a signal: its mean and, of some, how it varied."""
    yield title, of.mean
    if key in _SPREAD:
        what, unit = title.split(" (")
        for kind, values in (
            ("Standard deviation", of.deviation),
            ("Minimum", of.least),
            ("Maximum", of.most),
        ):
            yield f"{what}, {kind} ({unit}", values


def _banner(made: Simulation, number: int) -> list[str]:
    """The nine lines before the header."""
    park = made.park
    first, last = (_moment(ms) for ms in (park.start, park.end))
    each = made.layout.types[number]
    return [
        f"# This file was made by askos generate windpark, seed {park.seed}.",
        "#",
        f"# Turbine: {park.names[number]}",
        f"# Turbine type: {made.layout.vendors[number].name.capitalize()} {each.name}",
        "# Time zone: UTC",
        f"# Time interval: {first} - {last} ({park.hours / 24:g} days)",
        "#",
        '# Data that is missing or is erroneous has been marked with the value "NaN"',
        "#",
    ]


def _changes(made: Simulation, number: int) -> Iterator[str]:
    """The states of a turbine, one after the other."""
    state, start = made.sensors.operation.state[number], made.park.start
    first = np.flatnonzero(np.diff(state, prepend=-1))
    for begin, end in zip(first, [*first[1:], len(state)], strict=True):
        code = int(state[begin])
        category = "".join(f" {c}" if c.isupper() else c for c in STATES[code]).strip()
        minutes = int(end - begin)
        long = f"{minutes // 60:02d}:{minutes % 60:02d}:00"
        kind = "Informational" if code < 2 else "Stop"
        times = ",".join(_moment(start + int(m) * MINUTE) for m in (begin, end))
        yield f"{times},{long},{kind},{code},{category},,,{category}"


def _quoted(cells: list[str]) -> str:
    """A line of CSV, with quotes where a cell has a comma."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(cells)
    return line.getvalue()


def _moment(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _day(ms: int) -> str:
    return _moment(ms)[:10]
