"""CSV files as streams of triples, by a map of their columns.

Block by block, column by column, on arrays; nothing here loops over rows, but for those that are
refused.  What is wrong is refused with its line and its reason: a value alone, and the rest counts.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pv

from askos.errors import StreamError
from askos.io.csvmap import LEXICAL, NUMBERS, Column, CsvMap, datatype
from askos.io.csvtimes import check_zones, times
from askos.io.files import blocks
from askos.io.grammar import first_fault
from askos.io.nquads import REJECTED, STATEMENTS
from askos.terms import Literal, n3

_BLOCK: Final = 1 << 22
_MARK: Final = "\ufeff"  # of the order of bytes, where files were put together
_BROKEN: Final = "a quotation mark is not around a value, or the value goes on in the next line"


@dataclass(frozen=True, slots=True)
class _Rows:
    """Lines of a file, each with its number; or rows, with the needed columns as texts."""

    line: pa.Array
    text: pa.Array
    values: Mapping[str, Any]

    def where(self, mask: pa.Array) -> _Rows:
        values = {name: column.filter(mask) for name, column in self.values.items()}
        return _Rows(self.line.filter(mask), self.text.filter(mask), values)

    def refused(self, reason: pa.Array) -> pa.Table:
        """The rows that have a reason to be, as rejected ones."""
        bad = self.where(pc.is_valid(reason))
        return pa.Table.from_arrays([bad.line, bad.text, pc.drop_null(reason)], schema=REJECTED)


def read_csv(file: Path, said: CsvMap) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Of each block of a file the statements (s, p, o, ts, line) and what is rejected (line, text,
    reason); lines count from 1.  StreamError if the file is not as the map says at all."""
    heading, groups = _heading(file, said), said.groups(file)
    said = said.of(heading)
    first, checked = 1, False
    for block, _ in blocks(file, first=_BLOCK):
        lines = pc.split_pattern(pa.array([block], pa.binary()), b"\n").flatten()
        numbers = pa.array(np.arange(first, first + len(lines), dtype=np.int64))
        first += block.count(b"\n")
        body = pc.greater(numbers, said.skip + 1)
        rows, rejected = _parsed(lines.filter(body), numbers.filter(body), heading, said)
        if len(rows.line) and not checked:
            check_zones(rows.values[said.time], said, file)
            checked = True
        statements, wrong = _triples(rows, said, groups)
        yield statements, pa.concat_tables([*rejected, *wrong]).sort_by("line")


def _heading(file: Path, said: CsvMap) -> list[str]:
    """The names of the columns; all that the map needs are among them, once."""
    found = next(csv.reader([_line(file, said.skip)], delimiter=said.delimiter), [])
    if not said.columns.keys() & {*found}:
        hint = f"its line {said.skip + 1} names: {', '.join(found[:20])}"
        raise StreamError(f"{file} has no column that the map knows", hint=hint)
    for name in said.of(found).needed:
        if found.count(name) != 1:
            what = "has more than one column" if name in found else "has no column"
            hint = f"its line {said.skip + 1} names: {', '.join(found[:20])}"
            raise StreamError(f"{file} {what} {name!r}", hint=hint)
    return found


def _line(file: Path, before: int) -> str:
    """The line that has so many before it, or nothing."""
    rest = before
    for block, _ in blocks(file):
        lines = block.split(b"\n")
        if rest < len(lines) - 1 or not block.endswith(b"\n"):
            return lines[min(rest, len(lines) - 1)].decode("utf-8-sig", "replace").rstrip("\r")
        rest -= len(lines) - 1
    return ""


# ---- from lines to rows ----------------------------------------------------------------------


def _parsed(
    lines: pa.Array, numbers: pa.Array, heading: list[str], said: CsvMap
) -> tuple[_Rows, list[pa.Table]]:
    """Rows with the needed columns, null where nothing is said; and the lines that are no rows."""
    whole, rejected = _whole(lines, numbers, said.delimiter)
    bad = dict[int, str]()

    def note(row: Any) -> str:
        bad[row.number - 1] = f"{row.actual_columns} values, but {row.expected_columns} columns"
        return "skip"

    values = _values(whole.text, heading, said, note)
    if not bad:
        return _Rows(whole.line, whole.text, values), [rejected]
    reasons = pa.array([bad.get(place) for place in range(len(whole.line))], pa.string())
    kept = whole.where(pc.is_null(reasons))
    return _Rows(kept.line, kept.text, values), [rejected, whole.refused(reasons)]


def _whole(lines: pa.Array, numbers: pa.Array, delimiter: str) -> tuple[_Rows, pa.Table]:
    """Lines that are rows by themselves, so that one that is broken breaks no other."""
    try:
        text, legible = lines.cast(pa.string()), pa.repeat(pa.scalar(True), len(lines))
    except pa.ArrowInvalid:
        text = pa.array([line.decode("utf-8", "replace") for line in lines.to_pylist()])
        legible = pc.equal(text.cast(pa.binary()), lines)
    plain = pc.utf8_ltrim(pc.utf8_rtrim(text, "\r"), _MARK)
    every = _Rows(numbers, plain, {"legible": legible})
    every = every.where(pc.not_equal(pc.utf8_trim_whitespace(every.text), ""))
    quoted = pc.match_substring(every.text, '"')
    sound = pc.match_substring_regex(every.text, _line_of(delimiter))
    faults = [
        (pc.invert(every.values["legible"]), "not UTF-8"),
        (pc.and_(quoted, pc.invert(sound)), _BROKEN),
        (pc.match_substring(every.text, "\r"), "a carriage return that ends no line"),
    ]
    reason = first_fault(faults, len(every.line))
    return every.where(pc.is_null(reason)), every.refused(reason)


def _line_of(delimiter: str) -> str:
    """Lines whose quotation marks are around whole values, as RFC 4180 has it."""
    value = rf'(?:"(?:[^"]|"")*"|[^"{re.escape(delimiter)}]*)'
    return f"^{value}(?:{re.escape(delimiter)}{value})*$"


def _values(lines: pa.Array, heading: list[str], said: CsvMap, note: Any) -> dict[str, Any]:
    if not len(lines):
        return {name: pa.array([], pa.string()) for name in said.needed}
    text = pc.binary_join(pa.ListArray.from_arrays([0, len(lines)], lines), "\n")[0]
    places = [str(place) for place in range(len(heading))]  # names may come twice
    needed = {name: str(heading.index(name)) for name in said.needed}
    found = pv.read_csv(
        pa.BufferReader(text.as_buffer()),
        pv.ReadOptions(column_names=places, use_threads=False, block_size=1 << 30),
        pv.ParseOptions(delimiter=said.delimiter, invalid_row_handler=note),
        pv.ConvertOptions(
            column_types=dict.fromkeys(places, pa.string()),
            include_columns=list(needed.values()),
            strings_can_be_null=True,
            null_values=list(said.missing),
        ),
    )
    return {name: found[place].combine_chunks() for name, place in needed.items()}


# ---- from rows to triples --------------------------------------------------------------------


def _triples(
    rows: _Rows, said: CsvMap, groups: Mapping[str, str]
) -> tuple[pa.Table, list[pa.Table]]:
    """A triple for each column that has a value, in the order of the lines."""
    stamps, faults = times(rows.values[said.time], said)
    subjects = _subjects(rows, said, groups)
    faults.append((pc.is_null(subjects), "nothing says what the row is about"))
    reason = first_fault(faults, len(rows.line))
    wrong, sound = [rows.refused(reason)], pc.is_null(reason)
    tables = [STATEMENTS.empty_table()]
    for name, column in said.columns.items():
        values = rows.values[name]
        objects = _objects(values, column, said)
        lost = pc.and_(sound, pc.and_(pc.is_valid(values), pc.is_null(objects)))
        wrong.append(rows.refused(pc.if_else(lost, f"{name} is no xsd:{column.type}", None)))
        kept = pc.and_(sound, pc.is_valid(objects))
        predicate = pa.repeat(pa.scalar(f"<{column.predicate}>"), len(objects))
        columns = [subjects, predicate, objects, stamps, rows.line]
        tables.append(pa.Table.from_arrays([c.filter(kept) for c in columns], schema=STATEMENTS))
    return pa.concat_tables(tables).sort_by("line"), wrong


def _subjects(rows: _Rows, said: CsvMap, groups: Mapping[str, str]) -> pa.Array:
    """The IRI of each row; null where a part of it is missing."""
    before, *after = said.parts
    found = pa.repeat(pa.scalar(f"<{before}"), len(rows.line))
    for hole, rest in zip(said.holes, after, strict=True):
        part = pa.scalar(quote(groups[hole])) if hole in groups else _quoted(rows.values[hole])
        found = pc.binary_join_element_wise(found, part, pa.scalar(rest), "")
    return pc.binary_join_element_wise(found, pa.scalar(">"), "")


def _quoted(values: pa.Array) -> pa.Array:
    """Texts as parts of IRIs; each distinct one is looked at once."""
    coded = values.dictionary_encode()
    safe = [quote(text, safe="") for text in coded.dictionary.to_pylist()]
    return pa.array(safe, pa.string()).take(coded.indices)


def _objects(values: pa.Array, column: Column, said: CsvMap) -> pa.Array:
    """The term that each value is; null where there is none, or it is not of the type."""
    if column.iri is not None:
        before, after = column.iri.split("{}", 1)
        return pc.binary_join_element_wise(f"<{before}", _quoted(values), f"{after}>", "")
    if column.type == "string":
        coded = values.dictionary_encode()
        texts = [n3(Literal(text)) for text in coded.dictionary.to_pylist()]
        return pa.array(texts, pa.string()).take(coded.indices)
    texts = pc.utf8_trim_whitespace(values)
    if column.type in NUMBERS and said.decimal != ".":
        texts = pc.replace_substring(texts, said.decimal, ".")
    good = pc.match_substring_regex(texts, f"^(?:{LEXICAL[column.type]})$")
    terms = pc.binary_join_element_wise('"', texts, f'"{datatype(column.type)}', "")
    return pc.if_else(good, terms, None)
