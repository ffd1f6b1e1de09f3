"""The reference evaluation and the hosts against ODYSSEUS, the system of the paper."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.oracles.hosts import local
from tests.oracles.odysseus import Case, UnsupportedCaseError
from tests.sampling import every
from tests.suites import FOLDER, suite

FILES = sorted((FOLDER / "odysseus").glob("*.json"))
PAIRS = 1_000  # the reference tries every pair of rows: so many rows and instants in all

# What SPARQL, or our windows, do not have.  Everything else that is usable must agree.
NOT_OURS = {
    "agg_completeness": "the aggregate completeness",
    "agg_corr": "the aggregate corr",
    "agg_var": "the aggregate var",
    "difference_seg1": "the operator difference",
    "difference_seg3": "the operator difference",
    "difference_seg4": "the operator difference",
    "difference_seg6": "the operator difference",
    "difference_v1": "the operator difference",
    "distinct": "a window that begins before its element arrives",
    "nexmark_q1": "the operator identity",
    "sort": "a window that begins before its element arrives",
    "sort_old_8c79": "a window that begins before its element arrives",
    "timeshift": "the operator timeshift",
}


def load(name: str) -> dict[str, Any]:
    document = json.loads((suite("odysseus") / f"{name}.json").read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


USABLE = [file.stem for file in FILES if load(file.stem)["usable"]]


OURS = [name for name in USABLE if name not in NOT_OURS]


@pytest.mark.parametrize("name", every(3, OURS))
def test_the_reference_agrees_with_odysseus(name: str) -> None:
    document = load(name)
    case = Case(document)
    rows = sum(len(each["rows"]) for each in document["inputs"])
    instants = case.instants
    assert instants
    count = max(1, PAIRS // rows)
    for time in instants[:: max(1, len(instants) // count)][:count]:
        assert case.judged(time) == case.expected(time), f"at {time}"


# Of these, whose rows bring their own validity, each length is a stream: more than a hundred.
MANY = {"leftjoin_nomatch_s1", "par_join_k3", "join_hashjoinsa", "par_opt1_k3", "join_defaultsa"}
HOSTED = [
    *(pytest.param(name, marks=pytest.mark.thorough) for name in OURS if name in MANY),
    *every(2, [name for name in OURS if name not in MANY]),
]


@pytest.mark.parametrize("name", HOSTED)
def test_the_local_host_agrees_with_odysseus(name: str) -> None:
    case = Case(load(name))
    answers = case.answers(local, buckets=2)
    for time in case.instants:
        assert answers(time) == case.expected(time), f"at {time}"


@pytest.mark.parametrize("name", NOT_OURS)
def test_what_is_left_out_is_what_we_do_not_have(name: str) -> None:
    with pytest.raises(UnsupportedCaseError, match=NOT_OURS[name]):
        Case(load(name))


def test_the_suite_is_whole() -> None:
    folder = suite("odysseus")
    assert (len(list(folder.glob("*.json"))), len(USABLE)) == (51, 39)
