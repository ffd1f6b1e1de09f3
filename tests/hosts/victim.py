"""A driver to be killed: runs a plan of two stages, one small file per micro-batch."""

from __future__ import annotations

import sys
from pathlib import Path

from askos import spark as host
from askos.algebra import Join, LeftJoin, Operator, SlidingWindow, Stamped, StreamAccess
from askos.terms import URIRef, Variable
from tests.build import S1, S2, X, Y, Z, pattern, triple
from tests.hosts.strategies import LATENESS

FILES = 8


def plan() -> Operator:
    left = pattern(X, "p", Y, SlidingWindow(StreamAccess(S1), 40, 20))
    optional = LeftJoin(left, pattern(X, "q", Z, SlidingWindow(StreamAccess(S2), 16, 4)))
    names = pattern(Y, "r", Variable("name"), SlidingWindow(StreamAccess(S1), 60, 30))
    return Join(optional, names)


def rows(source: URIRef, file: int) -> list[Stamped]:
    """What a file holds: a little out of order."""
    made = []
    for i in range(12):
        at = file * 12 + i + (4 if i % 5 == 0 else 0)
        subject, value = "abcde"[(7 * i + file) % 5], f"v{(i * i + file) % 4}"
        if source == S2:
            made.append(Stamped(triple(subject, "q", i), at, i))
        elif i % 3:
            made.append(Stamped(triple(subject, "p", value), at, i))
        else:
            made.append(Stamped(triple(value, "r", f"name{file}"), at, i))
    return made


def main(folder: Path) -> None:
    session = host.session(
        memory="1g",
        settings={"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"},
        log=folder / "spark.log",
    )
    streams = {
        source: host.parquet(session, folder / name, files_per_trigger=1)
        for source, name in ((S1, "one"), (S2, "two"))
    }
    sink = host.Parquet(folder / "out")
    host.run(session, plan(), streams, sink, folder / "checkpoint", lateness=LATENESS)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
