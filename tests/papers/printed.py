"""The 36 queries that the five papers print, and the data each is asked of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from askos.prepared import Prepared, prepare
from tests.papers.worlds import World, world
from tests.static import lubm
from tests.suites import suite

QUERIES: Final = Path(__file__).parent.parent / "queries"
LUBM: Final = "lubm"


@dataclass(frozen=True)
class Printed:
    """A query by its file, the world it is asked of, and whether it says anything there."""

    file: str
    world: str
    answers: bool = True

    def __str__(self) -> str:
        return self.file

    @property
    def text(self) -> str:
        if self.file.startswith(LUBM):
            return lubm.text(suite(LUBM), self.file.removeprefix(f"{LUBM}/"))
        text = (QUERIES / f"{self.file}.rq").read_text(encoding="utf-8")
        return text.replace("$Name$", "Nora")  # "replaced by a constant", CQELS, section 4.1

    def prepared(self, data: World) -> Prepared:
        """The query over that data."""
        return prepare(self.text, sources=data.sources)


def text_of(file: str) -> str:
    """The text of a query of the folder."""
    return Printed(file, "").text


PRINTED: Final = (
    Printed("streaming-sparql/listing-1-1", "turbines"),
    Printed("streaming-sparql/listing-1-2", "known_turbines"),
    Printed("streaming-sparql/listing-1-3", "named_turbines"),
    Printed("csparql-2009/what-have-my-close-friends-been-visiting", "glue"),
    Printed("csparql-2009/top-topics", "glue"),
    Printed("csparql-2009/count-users-per-topic", "glue"),
    Printed("csparql-2009/count-in-plain-sparql", "glue"),
    Printed("csparql-2010/sensors-per-street", "city"),
    Printed("csparql-2010/passages-per-tollgate", "city"),
    Printed("csparql-2010/cars-entering-per-district-query", "city"),
    Printed("csparql-2010/cars-entering-per-district-stream", "city"),
    Printed("csparql-2010/full-streets", "city", answers=False),  # by its own semantics
    Printed("csparql-2010/cars-turning-from-palm-into-oak", "city"),
    Printed("csparql-2010/total-amount-per-day-and-broker", "market"),
    Printed("csparql-2010/country-of-brokers", "market"),
    Printed("csparql-2010/seller-market-movements-per-day", "market"),
    *(Printed(f"cqels/q{number}", "conference") for number in range(1, 6)),
    Printed("groppe/figure-2", "books"),
    *(Printed(f"{LUBM}/{query}", "university") for query in lubm.QUERIES),
)
CORRECTED: Final = (
    Printed("csparql-2010/full-streets-corrected", "city"),
    Printed("csparql-2010/cars-entering-per-district-corrected", "city"),
    Printed("cqels/q2-corrected", "conference"),
)
"""What the papers must have meant, where a printed query cannot say what they print of it."""


@cache
def data_of(query: Printed, seed: int = 0) -> World:
    return world(query.world, seed)
