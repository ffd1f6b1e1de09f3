"""A wind park that is all arithmetic: the same park gives the same triples, everywhere.

Two streams of very different rate.  `scada`: every few seconds the wind speed and the active
power of each turbine.  `events`: now and then a start or stop with its counter, or an alarm.
Rows come in order of delivery, which is not the order of their timestamps: most triples are
under way for a moment, a few for as long as the park's `lateness`.

Second by second, per turbine: the wind is smooth noise; the turbine runs while the wind allows
it and no alarm holds it; what it yields follows a power curve.  Matrices below have a row per
turbine and a column per second.  Chance comes as uniform numbers only, and each purpose draws
from its own sequence, so a new purpose does not change the old ones.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from askos.errors import require, require_whole
from askos.interval import FOREVER
from askos.io import write_nquads
from askos.io.files import naming

WIND: Final = "http://wind.example/"
SCADA: Final = WIND + "scada"
EVENTS: Final = WIND + "events"

CLASSES: Final = "http://iec.org/61400-25/root/ln/classes/"
WIND_SPEED: Final = CLASSES + "WMET#HorWdSpd"
ACTIVE_POWER: Final = CLASSES + "WTUR#W"
START_COUNT: Final = CLASSES + "WTUR#StrCnt"
STOP_COUNT: Final = CLASSES + "WTUR#StopCnt"
ALARM_TIME: Final = CLASSES + "WALM#AlmTm"

XSD: Final = "http://www.w3.org/2001/XMLSchema#"

# m/s; a turbine that stopped for the wind waits until it is safely back between the limits.
CUT_IN: Final = 3.0
RATED: Final = 12.0
CUT_OUT: Final = 25.0
HYSTERESIS: Final = 0.5
RATED_POWER: Final = 3000.0  # kW

FORMATS: Final = ("nquads", "parquet")
STREAMS: Final = ("scada", "events")

_MINUTE: Final = 60
_YEAR_10000: Final = 253_402_300_800_000  # xsd:dateTime has more digits from here on
_MOST_FILES: Final = 100_000  # part-00000 to part-99999

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class WindPark:
    """What to generate.  `start` is in milliseconds, `interval` and `lateness` are in seconds.

    When a triple of time τ is delivered, none of its stream later than τ + lateness has been.
    """

    turbines: int = 8
    minutes: int = 60
    seed: int = 7
    start: int = 1_780_272_000_000
    interval: int = 10
    lateness: int = 30

    def __post_init__(self) -> None:
        for name, least in [("turbines", 1), ("minutes", 1), ("interval", 1)]:
            require_whole(getattr(self, name), least, name)
        for name in ("seed", "start", "lateness"):
            require_whole(getattr(self, name), 0, name)
        require(self.end <= _YEAR_10000, "the park must end before the year 10000")
        require(self.end + self.lateness * 1000 < FOREVER, "lateness is out of range")
        require(
            self.interval <= self.seconds,
            f"interval must be at most the {self.seconds} s that the park runs",
        )

    @property
    def seconds(self) -> int:
        """How long the park runs."""
        return self.minutes * _MINUTE

    @property
    def end(self) -> int:
        """The first instant after the park; deliveries go on for `lateness` more."""
        return self.start + self.seconds * 1000


@dataclass(frozen=True, slots=True)
class Written:
    """What `write` made of one stream in one format; first and last are its extreme timestamps."""

    stream: str
    format: str
    folder: Path
    files: int
    rows: int
    first: int | None
    last: int | None


def streams(park: WindPark) -> dict[str, pa.Table]:
    """The streams by name: columns s, p, o (N-Triples text) and ts, rows in order of delivery."""
    return {name: table.drop_columns(["delivered"]) for name, table in _delivered(park).items()}


def write(
    park: WindPark, folder: str | Path, formats: Iterable[str] = FORMATS, files: int = 12
) -> list[Written]:
    """Write each stream in each format to files such as folder/nquads/scada/part-00000.nq.

    Part i of either stream holds what was delivered in the i-th of `files` equal spans of time;
    a span without deliveries has no file.  Files are as old as their number says, because Spark
    reads the oldest first.  A folder of parts that exists is never written to.
    """
    formats = tuple(formats)
    for form in formats:
        require(form in FORMATS, f"{form!r} is not a format", f"choose from {', '.join(FORMATS)}")
    check_files(files)
    tables = _delivered(park)
    return [
        _write_stream(park, tables[name], name, form, Path(folder) / form / name, files)
        for form in formats
        for name in STREAMS
    ]


def check_files(files: int) -> None:
    """Refuse a number of files that `write` would refuse."""
    require_whole(files, 1, "files")
    require(files <= _MOST_FILES, f"files must be at most {_MOST_FILES}")


def _write_stream(
    park: WindPark, table: pa.Table, name: str, form: str, folder: Path, files: int
) -> Written:
    folder.mkdir(parents=True)
    count = 0
    for part, rows in _parts(park, table, files):
        _write_file(rows, folder / f"part-{part:05d}", form, park.start + part * 1000)
        count += 1
    extremes = pc.min_max(table["ts"]).as_py()
    return Written(name, form, folder, count, table.num_rows, extremes["min"], extremes["max"])


def _parts(park: WindPark, table: pa.Table, files: int) -> Iterator[tuple[int, pa.Table]]:
    """The rows delivered in each of `files` equal spans of time, where there are any."""
    span = park.end - park.start + park.lateness * 1000
    parts = (table["delivered"].to_numpy() - park.start) * files // span
    unique = np.unique(parts, return_index=True, return_counts=True)
    for number, first, count in zip(*unique, strict=True):
        yield int(number), table.slice(first, count).drop_columns(["delivered"])


def _write_file(rows: pa.Table, stem: Path, form: str, modified: int) -> None:
    path = stem.with_suffix(".nq" if form == "nquads" else ".parquet")
    with naming(path):
        if form == "nquads":
            write_nquads(rows, path)
        else:
            pq.write_table(rows, path)
    os.utime(path, ns=(modified * 1_000_000, modified * 1_000_000))


# --- from the weather to rows


def _delivered(park: WindPark) -> dict[str, pa.Table]:
    """The streams by name, with a column `delivered`, and in its order."""
    wind = _wind(park)
    alarms = _episodes(park, "turbine alarm", slot=10, chance=1 / 6, shortest=2, longest=8)
    running = _allowed(wind) & ~alarms.mask
    offset = _offsets(park)
    scada = _scada(park, wind, running, offset)
    events = _events(park, running, alarms, offset)
    return {
        "scada": _in_order(park, scada, "scada delay"),
        "events": _in_order(park, events, "events delay"),
    }


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows in the making; `ms` counts from the start of the park."""

    turbine: Integers
    predicate: str
    object: pa.Array
    ms: Integers

    def table(self, park: WindPark) -> pa.Table:
        names = pa.array([f"<{WIND}T{number:02d}>" for number in range(1, park.turbines + 1)])
        predicate = pa.DictionaryArray.from_arrays(
            np.zeros(len(self.ms), np.int32), [f"<{self.predicate}>"]
        )
        return pa.table(
            {
                "s": names.take(pa.array(self.turbine)),
                "p": predicate.cast(pa.string()),
                "o": self.object,
                "ts": park.start + self.ms,
            }
        )


def _scada(park: WindPark, wind: Numbers, running: Flags, offset: Integers) -> list[_Rows]:
    """Per turbine and interval a reading of wind and power, except in sensor gaps.

    A reading at ms is of the second in which it falls, as the events are, so that no power is
    read between a stop and the next start.
    """
    gaps = _episodes(park, "silence", slot=30, chance=1 / 4, shortest=2, longest=6)
    ticks = np.arange(0, park.seconds * 1000, park.interval * 1000)
    ms = offset[:, None] + ticks
    turbine, column = np.nonzero(ms < park.seconds * 1000)
    ms = ms[turbine, column]
    heard = ~gaps.mask[turbine, ms // 1000]
    turbine, ms = turbine[heard], ms[heard]
    here = turbine, ms // 1000
    gust = 0.6 * (_uniform(park, "gust", len(ms)) - 0.5)
    speed = np.maximum(wind[here] + gust, 0.0)
    power = _power(wind[here]) * running[here]
    return [
        _Rows(turbine, WIND_SPEED, _literal(_fixed(speed, 2), "double"), ms),
        _Rows(turbine, ACTIVE_POWER, _literal(_fixed(power, 1), "double"), ms),
    ]


def _events(park: WindPark, running: Flags, alarms: _Episodes, offset: Integers) -> list[_Rows]:
    """Starts and stops with their running counters, and alarms with the time they were raised."""
    stops = np.floor(100 + 300 * _uniform(park, "stops before", park.turbines)).astype(np.int64)
    # Whatever runs now was started once more than it was stopped.
    starts = stops + running[:, 0]
    within = offset % 1000
    ms = alarms.second * 1000 + within[alarms.turbine]
    raised = pa.array((park.start + ms) // 1000).cast(pa.timestamp("s"))
    text = pc.strftime(raised, format="%Y-%m-%dT%H:%M:%SZ")
    return [
        _counted(STOP_COUNT, running[:, :-1] & ~running[:, 1:], stops, within),
        _counted(START_COUNT, ~running[:, :-1] & running[:, 1:], starts, within),
        _Rows(alarms.turbine, ALARM_TIME, _literal(text, "dateTime"), ms),
    ]


def _counted(predicate: str, happens: Flags, before: Integers, within: Integers) -> _Rows:
    """An event wherever something `happens` at the end of a second, counted on from `before`."""
    turbine, second = np.nonzero(happens)
    count = before[turbine] + _rank(turbine)
    ms = (second + 1) * 1000 + within[turbine]
    return _Rows(turbine, predicate, _literal(_text(count), "integer"), ms)


def _in_order(park: WindPark, rows: list[_Rows], purpose: str) -> pa.Table:
    """The rows in order of delivery; no delay is longer than the park's lateness.

    That suffices for the promise of `WindPark`: what was delivered earlier has a timestamp no
    later than its delivery, hence no later than this delivery, hence than τ + lateness.
    """
    table = pa.concat_tables([part.table(park) for part in rows]).combine_chunks()
    slow, length = np.split(_uniform(park, purpose, 2 * table.num_rows), 2)
    lateness = park.lateness * 1000
    delay = np.where(slow < 0.1, lateness * length, np.minimum(2000, lateness) * length)
    delivered = table["ts"].to_numpy() + np.floor(delay).astype(np.int64)
    table = table.append_column("delivered", pa.array(delivered))
    return table.take(pa.array(np.argsort(delivered, kind="stable")))


# --- the weather, and what turbines make of it


def _wind(park: WindPark) -> Numbers:
    """Wind speed: a slow part common to the park, and a quicker one of each turbine."""
    common = _smooth(park, "wind", rows=1, period=20 * _MINUTE)
    own = _smooth(park, "turbine wind", rows=park.turbines, period=5 * _MINUTE)
    return np.maximum(3.0 + 24.0 * common * common + 5.0 * (own - 0.5), 0.0)


def _smooth(park: WindPark, purpose: str, rows: int, period: int) -> Numbers:
    """Noise in [0, 1]: random numbers every `period` seconds, joined by 3t² − 2t³.

    Polynomials only, since sine and exponential differ in the last bit between machines.
    """
    second = np.arange(park.seconds)
    before = second // period
    knots = _uniform(park, purpose, rows * int(before[-1] + 2)).reshape(rows, -1)
    t = second % period / period
    weight = t * t * (3.0 - 2.0 * t)
    return knots[:, before] * (1.0 - weight) + knots[:, before + 1] * weight


def _allowed(wind: Numbers) -> Flags:
    """Whether the wind lets a turbine run: it stops beyond the limits, and starts well within.

    In between the last decision holds; before the first decision, it runs.
    """
    stop = (wind < CUT_IN) | (wind > CUT_OUT)
    start = (wind > CUT_IN + HYSTERESIS) & (wind < CUT_OUT - HYSTERESIS)
    decided = np.where(stop | start, np.arange(wind.shape[1]), 0)
    latest = np.maximum.accumulate(decided, axis=1)
    return ~np.take_along_axis(stop, latest, axis=1)


def _power(wind: Numbers) -> Numbers:
    """kW of a running turbine: cubic from cut-in to rated speed, level from there on."""
    cubic = (wind * wind * wind - CUT_IN**3) / (RATED**3 - CUT_IN**3)
    return RATED_POWER * np.clip(cubic, 0.0, 1.0)


# --- chance


@dataclass(frozen=True, slots=True)
class _Episodes:
    """Times that begin by chance: where and when each begins, and when any lasts."""

    turbine: Integers
    second: Integers
    mask: Flags


def _episodes(
    park: WindPark, purpose: str, slot: int, chance: float, shortest: int, longest: int
) -> _Episodes:
    """In each slot of minutes, with that chance, an episode of shortest to longest minutes."""
    slots = -(-park.minutes // slot)
    shape = (3, park.turbines, slots)
    happens, when, length = _uniform(park, purpose, 3 * park.turbines * slots).reshape(shape)
    second = np.floor((np.arange(slots) + when) * slot * _MINUTE).astype(np.int64)
    lasts = np.floor((shortest + (longest - shortest) * length) * _MINUTE).astype(np.int64)
    turbine, column = np.nonzero((happens < chance) & (second < park.seconds))
    second, lasts = second[turbine, column], lasts[turbine, column]
    change = np.zeros((park.turbines, park.seconds + 1), np.int64)
    np.add.at(change, (turbine, second), 1)
    np.add.at(change, (turbine, np.minimum(second + lasts, park.seconds)), -1)
    return _Episodes(turbine, second, np.cumsum(change, axis=1)[:, :-1] > 0)


def _offsets(park: WindPark) -> Integers:
    """Per turbine, how many ms after the tick it reads: a multiple of 500, within the interval."""
    halves = np.floor(2 * park.interval * _uniform(park, "offset", park.turbines))
    return halves.astype(np.int64) * 500


def _uniform(park: WindPark, purpose: str, count: int) -> Numbers:
    """Numbers in [0, 1) for one purpose; the sequence starts anew with each call."""
    bits = np.random.PCG64([park.seed, *purpose.encode()])
    return np.random.Generator(bits).random(count)


# --- text


def _rank(turbine: Integers) -> Integers:
    """1, 2, 3 … within each turbine, of a sorted column."""
    return np.arange(1, len(turbine) + 1) - np.searchsorted(turbine, turbine)


def _text(numbers: Integers) -> pa.Array:
    return pa.array(numbers, pa.int64()).cast(pa.string())


def _fixed(numbers: Numbers, digits: int) -> pa.Array:
    """Numbers >= 0 with that many digits after the point.

    >>> _fixed(np.array([0.0, 7.416, 12.0]), 2).to_pylist()
    ['0.00', '7.42', '12.00']
    """
    whole, rest = np.divmod(np.rint(numbers * 10**digits).astype(np.int64), 10**digits)
    return pc.binary_join_element_wise(_text(whole), pc.utf8_lpad(_text(rest), digits, "0"), ".")


def _literal(text: pa.Array, datatype: str) -> pa.Array:
    return pc.binary_join_element_wise('"', text, f'"^^<{XSD}{datatype}>', "")
