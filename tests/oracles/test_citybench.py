"""CityBench Q1 to Q11 in C-SPARQL, CQELS and RSP-QL over its sample streams: each report is what
pyoxigraph answers on the windows' content."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.oracles.citybench import DIALECTS, QUERIES, STEP, Asked, same
from tests.oracles.hosts import Host, harness, local
from tests.sampling import every

# Q9 is not in the suite's RSP-QL.  There Q4 and Q5 look for users and events where they are not,
# Q6 asks for a property that nothing has, and Q7 takes one observation for those of two places.
ASKED = [
    Asked(name, dialect)
    for name in QUERIES
    for dialect in DIALECTS
    if (name, dialect) != ("Q9", "rspql of the suite")
]
SILENT = {(name, "rspql of the suite") for name in ("Q4", "Q5", "Q6", "Q7")}


def check(asked: Asked, host: Host, buckets: int) -> None:
    told = host(asked.prepared(), asked.deliveries(), buckets, None)
    assert [answer.at for answer in told] == [
        told[0].at + STEP * number for number in range(len(told))
    ]
    want = {answer.at: asked.answer(answer.at) for answer in told}
    assert len(told) >= asked.rows
    says = any(sum(rows.values()) for rows in want.values())
    assert says is ((asked.name, asked.dialect) not in SILENT)
    assert {answer.at: Counter(map(same, answer.rows)) for answer in told} == want


@pytest.mark.parametrize("asked", every(2, ASKED), ids=str)
def test_local_reports_what_holds_in_the_windows(asked: Asked) -> None:
    check(asked, local, 2)


@pytest.mark.parametrize("asked", every(5, ASKED), ids=str)
def test_the_code_of_spark_reports_what_holds_in_the_windows(asked: Asked) -> None:
    check(asked, harness, 2)


@pytest.mark.soak
@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_local_reports_it_over_more_of_the_streams(asked: Asked) -> None:
    check(Asked(asked.name, asked.dialect, rows=20), local, 5)
