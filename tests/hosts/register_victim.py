"""A driver to be killed: two queries of a kind, which a third joins.  One small file per
micro-batch."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from askos import spark as host
from askos.algebra import Stamped
from askos.sources import Catalogue
from tests.build import EX, S1, triple

FILES: Final = 8
KNOWN: Final = Catalogue().stream(S1, lateness_ms=4)


def text(turbine: str) -> str:
    """Which readings of power a turbine has without an alarm: an alarm that is kept counts."""
    return f"""PREFIX : <{EX}> REGISTER QUERY {turbine} AS
        SELECT ?v FROM STREAM <{S1}> [RANGE 40ms STEP 10ms]
        {{ :{turbine} :power ?v MINUS {{ :{turbine} :alarm ?v }} }}"""


BEGUN: Final = (text("t1"), text("t2"))


def rows(file: int) -> list[Stamped]:
    """What a file holds: a little out of order."""
    times = [file * 15 + i + (3 if i % 4 == 0 else 0) for i in range(15)]
    return [
        Stamped(triple(f"t{i % 4}", "power" if i % 3 else "alarm", (i + file) % 5), at, i)
        for i, at in enumerate(times)
    ]


def main(folder: Path) -> None:
    session = host.session(
        memory="1g",
        settings={"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"},
        log=folder / "spark.log",
    )
    streams = {S1: host.parquet(session, folder / "rows", files_per_trigger=1, sequence=True)}
    sink, checkpoint = host.Parquet(folder / "out"), folder / "checkpoint"
    query = host.start(session, list(BEGUN), streams, sink, checkpoint, sources=KNOWN, buckets=2)
    host.drain(query)
    host.Control(checkpoint).end()
    host.drain(query)
    query.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
