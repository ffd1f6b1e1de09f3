"""What the columns of CSV files mean: a map from columns to predicates, in TOML.

subject = "http://wind.example/{turbine}"     # {a column}, or {a group of `file`}
time = "Date and time"
zone = "UTC"                                  # of times that do not say theirs

[columns]
"Power (kW)" = "http://iec.org/61400-25/root/ln/classes/WTUR#W"
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from askos.errors import QueryError, StreamError, require
from askos.terms import IRI, XSD

LEXICAL: Final = {
    "double": r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|-?INF|NaN",
    "decimal": r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)",
    "integer": r"[+-]?[0-9]+",
    "boolean": "true|false|1|0",
}
"""Lexical forms, by datatype."""
NUMBERS: Final = ("double", "decimal", "integer")
TYPES: Final = (*LEXICAL, "string")
_OFFSET: Final = re.compile(r"[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00")
_ABSOLUTE: Final = re.compile(rf"(?=<[A-Za-z][A-Za-z0-9+.-]*:){IRI}")
_HOLE: Final = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Column:
    """What a column says: a value of a type, or what an IRI has in its hole, `{}`."""

    predicate: str
    type: str = "double"
    iri: str | None = None

    def __post_init__(self) -> None:
        _check_iri(self.predicate, "predicate")
        require(self.type in TYPES, f"type {self.type!r} is not known", f"one of {_or(TYPES)}")
        if self.iri is not None:
            _check_iri(self.iri.replace("{}", "x"), "iri")
            require("{}" in self.iri, f"iri {self.iri!r} has no place for the value", "write {}")


@dataclass(frozen=True, slots=True)
class CsvMap:
    """How the rows of CSV files become triples: one for each column that has a value.  If columns
    are `optional`, files may lack some that have a predicate."""

    subject: str
    time: str
    columns: Mapping[str, Column]
    zone: str | None = None
    format: str | None = None
    file: str | None = None
    skip: int = 0
    delimiter: str = ","
    decimal: str = "."
    optional: bool = False
    missing: tuple[str, ...] = field(default=("", "NaN", "nan", "NA", "null", "NULL"))

    def __post_init__(self) -> None:
        for name in ("subject", "time", "delimiter", "decimal"):
            require(isinstance(getattr(self, name), str), f"{name} must be text")
        require(bool(self.columns), "no column has a predicate", "list them below [columns]")
        _check_iri(_HOLE.sub("x", self.subject), "subject")
        require(bool(self.holes), "subject names no column", 'write "http://…/{column}"')
        require(len(self.delimiter) == 1, f"delimiter {self.delimiter!r} is no single character")
        require(self.decimal in (".", ","), f"decimal {self.decimal!r} is neither . nor ,")
        require(isinstance(self.skip, int) and self.skip >= 0, f"skip {self.skip!r} is no number")
        _check_zone(self.zone)
        _check_pattern(self.file)

    @property
    def holes(self) -> tuple[str, ...]:
        """What the subject is made of, in order."""
        return tuple(_HOLE.findall(self.subject))

    @property
    def parts(self) -> list[str]:
        """The text between the holes of the subject, one more than these."""
        return _HOLE.split(self.subject)[::2]

    def of(self, heading: Sequence[str]) -> CsvMap:
        """The map of a file with these columns."""
        if not self.optional:
            return self
        return replace(self, columns={k: c for k, c in self.columns.items() if k in heading})

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that files must have."""
        groups = re.compile(self.file).groupindex if self.file else {}
        named = (hole for hole in self.holes if hole not in groups)
        return tuple(dict.fromkeys([*named, self.time, *self.columns]))

    def reads(self, file: Path) -> bool:
        """Whether a file of a folder is one that the map is for."""
        return self.file is None or re.fullmatch(self.file, file.name) is not None

    def groups(self, file: Path) -> dict[str, str]:
        """What the name of a file says; StreamError if it is not as `file` has it."""
        if self.file is None or not re.compile(self.file).groups:
            return {}
        found = re.fullmatch(self.file, file.name)
        if found is None:
            hint = f"the map says file = {self.file!r}"
            raise StreamError(f"{file}: the name does not say whose it is", hint=hint)
        return {name: text or "" for name, text in found.groupdict().items()}


def presets() -> list[str]:
    """The layouts that have a map already."""
    return sorted(file.name.removesuffix(".toml") for file in _shelf())


def read_map(name: str) -> CsvMap:
    """The map of a layout that is known by name, or of a file; QueryError says what is wrong."""
    for file in _shelf():
        if file.name == f"{name}.toml":
            return parse_map(file.read_text(encoding="utf-8"), name)
    try:
        return parse_map(Path(name).read_text(encoding="utf-8-sig"), name)
    except OSError as error:
        hint = f"give a file, or one of {_or(presets())}"
        raise QueryError(f"CSV map {name}: {error.strerror}", hint=hint) from None


def parse_map(text: str, name: str = "") -> CsvMap:
    """The map that a text in TOML is."""
    try:
        found = tomllib.loads(text)
        columns = {key: _column(said) for key, said in found.pop("columns", {}).items()}
        if "missing" in found:
            found["missing"] = tuple(found["missing"])
        return CsvMap(**found, columns=columns)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise QueryError(f"CSV map {name} is no TOML: {error}") from None
    except TypeError as error:  # a key that there is not, or one that is missing
        said = re.sub(r"^.*__init__\(\) ", "", str(error))
        raise QueryError(f"CSV map {name}: {said}", hint="docs/csv.md lists all keys") from None
    except QueryError as error:
        raise QueryError(f"CSV map {name}: {error.message}", hint=error.hint) from None


def _column(said: Any) -> Column:
    return Column(said) if isinstance(said, str) else Column(**said)


def _shelf() -> Iterator[Any]:
    return (file for file in files("askos.io.layouts").iterdir() if file.name.endswith(".toml"))


def _check_iri(text: object, what: str) -> None:
    good = isinstance(text, str) and _ABSOLUTE.fullmatch(f"<{text}>") is not None
    require(good, f"{what} {text!r} is no absolute IRI")


def _check_zone(zone: object) -> None:
    if zone is None or (isinstance(zone, str) and _OFFSET.fullmatch(zone)):
        return
    try:
        ZoneInfo(str(zone))
    except (KeyError, ValueError, OSError):
        hint = "write UTC, an offset as +01:00, or a place as Europe/Berlin"
        raise QueryError(f"zone {zone!r} is not known", hint=hint) from None


def _check_pattern(pattern: object) -> None:
    try:
        re.compile(str(pattern))
    except re.error as error:
        raise QueryError(f"file {pattern!r} is no regular expression: {error}") from None


def _or(names: Any) -> str:
    return ", ".join(names)


def datatype(name: str) -> str:
    """What N-Triples writes behind a text; nothing behind a string.

    >>> datatype("string"), datatype("double")
    ('', '^^<http://www.w3.org/2001/XMLSchema#double>')
    """
    return "" if name == "string" else f"^^<{XSD[name]}>"
