"""A query and a stream for `askos run`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.build import EX
from tests.cli.running import INTEGER, LINES, QUERY


@pytest.fixture
def query(tmp_path: Path) -> str:
    file = tmp_path / "query.rq"
    file.write_text(QUERY)
    return str(file)


@pytest.fixture
def stream(tmp_path: Path) -> Path:
    folder = tmp_path / "stream"
    folder.mkdir()
    (folder / "1.nq").write_text("\n".join(LINES[:2]))
    rows = {"s": [f"<{EX.a}>"], "p": [f"<{EX.p}>"], "o": [f'"2"{INTEGER}']}
    ts = pa.array([datetime(1970, 1, 1, microsecond=3000, tzinfo=UTC)], pa.timestamp("us", "UTC"))
    pq.write_table(pa.table({**rows, "ts": ts}), folder / "2.parquet")
    return folder
