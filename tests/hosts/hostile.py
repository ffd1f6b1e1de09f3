"""Rows that are no triples because of their bytes, or of what their escapes stand for."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

A, P = b"<http://example.org/a>", b"<http://example.org/p>"

Bytes = tuple[bytes, bytes, bytes]

NOT_UTF8: list[Bytes] = [
    (b"\xff" + A, P, A),  # the line begins with it
    (b"<http://example.org/\xff>", P, A),
    (A, b"<http://example.org/\xc3>", A),
    (A, P, b'"caf\xe9"'),  # Latin-1
    (A, P, b'"\xed\xa0\x80"'),  # a surrogate
]
ESCAPES: list[Bytes] = [
    (rb"<http://example.org/\u0020>", P, A),
    (A, rb"<http://example.org/\u0000>", A),
    (A, P, rb"<http://example.org/\u003E>"),
    (A, P, rb"<http://example.org/\U0000007B>"),
    (A, P, rb"<http://example.org/\u005c>"),
    (A, P, rb'"5"^^<http://example.org/\u0022>'),
    (A, P, rb'"\ud800"'),
    (A, P, rb'"\U00110000"'),
]
BAD_ROWS = NOT_UTF8 + ESCAPES
BAD_LINES = [b" ".join(row) + b" <urn:ms:5> .\n" for row in BAD_ROWS]


def bytes_table(rows: Iterable[tuple[bytes, bytes, bytes, int]]) -> pa.Table:
    """Rows as a table whose strings are whatever bytes they are."""
    *terms, times = zip(*rows, strict=True)
    texts = {
        name: pa.array(c, pa.binary()).view(pa.string())
        for name, c in zip("spo", terms, strict=True)
    }
    return pa.table({**texts, "ts": pa.array(times, pa.int64())})
