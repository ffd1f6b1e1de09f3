"""The input of a micro-batch, and how it is read where it is in files."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Final, TypeAlias

import pyarrow as pa

from askos.io.streams import NUMBERS, StreamFiles
from askos.spark.entering import chosen
from askos.spark.hearing import PackControl
from askos.spark.levels import Level
from askos.spark.messages import FILES, Message, to_arrow
from askos.spark.pack import Pack
from askos.spark.pack_files import PackFiles, PackFolders
from askos.terms import URIRef
from tests.hosts.triples import written

KINDS: Final = tuple(NUMBERS)
Reading: TypeAlias = Sequence[tuple[PackFiles | PackControl, Sequence[Path]]]
"""How files are read, those of each kind and stream, and of the control stream."""


@dataclass(frozen=True)
class Given:
    """The input of a micro-batch: rows by stream, and the files of the control stream; or the
    files that the rows are in, and of which kind each is, and where those of the control stream
    are."""

    rows: Mapping[URIRef, pa.Table] = field(default_factory=dict)
    control: tuple[bytes, ...] = ()
    files: Mapping[URIRef, list[tuple[Path, str]]] = field(default_factory=dict)
    heard: Sequence[Path] = ()


def in_files(
    given: Given, parts: Mapping[URIRef, Sequence[tuple[pa.Table, str]]], folder: Path
) -> Given:
    """The same in files of a new folder, each part of a stream of the kind that is wanted."""
    folder.mkdir(parents=True)
    files = {
        source: [
            written(rows, folder / f"{number}-{place}", kind)
            for place, (rows, kind) in enumerate(own)
        ]
        for number, (source, own) in enumerate(parts.items())
    }
    heard = [folder / f"{number}.json" for number in range(len(given.control))]
    for file, entry in zip(heard, given.control, strict=True):
        file.write_bytes(entry)
    return replace(given, files=files, heard=heard)


def readers(pack: Pack, given: Given) -> Iterator[tuple[PackFiles, list[Path]]]:
    """How the files of a stream are read, by kind."""
    columns = given.rows[pack.source].column_names if pack.source in given.rows else ()
    for kind in KINDS:
        paths = [path for path, found in given.files.get(pack.source, ()) if found == kind]
        if paths:
            read = chosen(StreamFiles(kind), columns, pack.feeds, pack.limit)
            yield PackFiles(pack, read), paths


def reading(given: Given, packs: Iterable[Pack], control: PackControl) -> Reading:
    """The same of all streams."""
    return [*(each for pack in packs for each in readers(pack, given)), (control, given.heard)]


def left_to_stages(
    level: Level, read: Reading, choices: Random
) -> tuple[bytes, list[pa.RecordBatch]]:
    """The first level where it reads the files itself, and what `Folders.java` tells it."""
    folders = PackFolders(tuple(part for part, _ in read))
    files = [(number, f"file:{file}") for number, (_, own) in enumerate(read) for file in own]
    payload = b"".join(
        struct.pack(">ii", number, len(name.encode())) + name.encode()
        for number, name in choices.sample(files, len(files))
    )
    named = [Message(bucket, FILES, payload=payload) for bucket in level.places]
    return replace(level, folders=folders).packed(), [to_arrow(named)]
