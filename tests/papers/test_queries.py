"""All queries that the papers print: the hosts say what the reference says."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from askos.algebra import Answer
from tests.hosts.three import difference
from tests.oracles.hosts import Answers, harness, local, reference
from tests.papers.printed import CORRECTED, PRINTED, QUERIES, Printed, data_of

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in (1, 2))]


def says_something(answers: Answers) -> bool:
    return any(answer.rows if isinstance(answer, Answer) else True for answer in answers)


def agree(query: Printed, seed: int, buckets: Sequence[int]) -> None:
    data = data_of(query, seed)
    asked, given = query.prepared(data), data.deliveries(seed)
    want = reference(asked, given)
    assert says_something(want) is query.answers
    for count in buckets:
        assert difference(want, local(asked, given, count)) is None
    assert difference(want, harness(asked, given, 2, restart_after=2)) is None


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("query", [*PRINTED, *CORRECTED], ids=str)
def test_hosts_say_what_the_reference_says(query: Printed, seed: int) -> None:
    agree(query, seed, (1, 5))


def test_these_are_all_that_the_papers_print() -> None:
    """Each file of the folder is one of them, or a correction; LUBM's are Groppe's workload."""
    assert len(PRINTED) == len(set(PRINTED)) == 36
    files = {
        str(f.relative_to(QUERIES))[:-3] for f in QUERIES.rglob("*.rq") if f.parts[-2] != "refused"
    }
    assert files == {q.file for q in (*PRINTED, *CORRECTED) if not q.file.startswith("lubm/")}
