"""Where stages write answers themselves, and where Spark has to; without Spark."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from askos.spark import output
from askos.spark.output import direct
from askos.spark.parts import Folder


def session(
    monkeypatch: pytest.MonkeyPatch, master: str, scheme: str = "file", codec: str = "snappy"
) -> Any:
    """As much of a session as is asked."""
    monkeypatch.setattr(output, "check", lambda spark: None)
    monkeypatch.setattr(output, "_scheme", lambda spark, folder: scheme)
    conf = SimpleNamespace(get=lambda name, default: codec)
    return SimpleNamespace(sparkContext=SimpleNamespace(master=master), conf=conf)


@pytest.mark.parametrize("master", ["local", "local[2]", "local[*]", "local[2,4]"])
def test_on_one_machine_the_stages_write(master: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spark = session(monkeypatch, master, codec="ZSTD")
    assert direct(spark, "file:///a b/out") == Folder("/a b/out", "zstd")
    assert direct(spark, "/a b/out") == Folder("/a b/out", "zstd")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"master": "spark://host:7077"}, "its master is spark://host:7077"),
        ({"master": "local-cluster[2,1,1024]"}, "workers may be on other machines"),
        ({"master": "local[2]", "scheme": "hdfs"}, "a file system of its own"),
        ({"master": "local[2]", "codec": "lzo"}, "compression.codec is lzo"),
    ],
)
def test_elsewhere_spark_writes_and_a_warning_says_why(
    given: dict[str, str], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.warns(UserWarning, match=f"Spark itself writes the answers to /out.*{why}"):
        assert direct(session(monkeypatch, **given), "/out") is None
