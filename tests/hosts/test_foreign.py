"""A session that is not of our making serves too, and keeps what is its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hosts import foreign

INTEGER = "^^<http://www.w3.org/2001/XMLSchema#integer>"


@pytest.mark.thorough
def test_a_users_session_serves_and_keeps_its_settings(tmp_path: Path) -> None:
    """Its workers would be another Python, without askos, and it has 200 shuffle partitions."""
    (tmp_path / "data").mkdir()
    lines = (f'<http://example.org/a{n}> <http://example.org/p> "0{n}"{INTEGER}' for n in range(3))
    (tmp_path / "data" / "1.nq").write_text("".join(f"{line} <urn:ms:3> .\n" for line in lines))
    env = {name: value for name, value in os.environ.items() if name != "PYSPARK_PYTHON"}
    path = os.pathsep.join([str(Path(foreign.__file__).parents[2]), env.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, foreign.__file__, str(tmp_path)],
        env=env | {"PATH": "/usr/bin:/bin", "PYTHONPATH": path},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers, *refused = done.stdout.splitlines()
    assert answers == str([(f'"0{n}"{INTEGER}', 3, 10) for n in range(3)])
    assert refused == ["this Spark session cannot run askos: it has been stopped"] * 3
    made = json.loads((tmp_path / "ck" / "askos.json").read_text())
    assert (made["buckets"], made["partitions"]) == (2, 2), "as many as there are cores"
