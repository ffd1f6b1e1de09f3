from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.backtest import read_truth
from askos.generate.truth import FAULTS, KINDS, Episode, write_truth
from tests.generate.truths import judged

EPISODES = st.builds(
    lambda begin, length, turbine, kind: Episode(begin, begin + length, turbine, kind),
    st.integers(0, 4_000_000_000_000),
    st.integers(1, 10**9),
    st.from_regex(r"T\d{2}", fullmatch=True),
    st.sampled_from(KINDS),
)


@given(st.lists(EPISODES))
def test_what_is_written_is_read_back_in_order_of_time(
    tmp_path_factory: pytest.TempPathFactory, episodes: list[Episode]
) -> None:
    file = tmp_path_factory.mktemp("truth") / "truth.csv"
    write_truth(file, episodes)
    assert read_truth(file) == judged(sorted(episodes))


def test_a_row_has_local_name_kind_utc_times_and_whether_it_is_a_fault(tmp_path: Path) -> None:
    file = tmp_path / "truth.csv"
    write_truth(
        file, [Episode(1_768_435_200_500, 1_768_435_260_000, "T07", kind) for kind in KINDS]
    )
    heading, *rows = file.read_text(encoding="utf-8").splitlines()
    assert heading == "turbine,kind,begin,end,fault"
    assert "T07,ice,2026-01-15T00:00:00.500Z,2026-01-15T00:01:00.000Z,true" in rows
    assert sum(row.endswith(",true") for row in rows) == len(FAULTS)
    assert "T07,curtailment,2026-01-15T00:00:00.500Z,2026-01-15T00:01:00.000Z,false" in rows
