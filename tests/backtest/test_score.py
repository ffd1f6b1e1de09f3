"""Hits, misses and false alarms, and the figures that come of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.backtest import (
    MONTH,
    Episode,
    FalseAlarm,
    Hit,
    Score,
    joined,
    judge,
    read_truth,
    spans,
    total,
)
from askos.errors import StreamError
from askos.interval import Interval

HOT = Episode("T1", "hot", Interval(100, 200), True)
SERVICE = Episode("T1", "maintenance", Interval(300, 400), False)


def test_an_alert_that_overlaps_a_fault_is_a_hit_with_its_delay() -> None:
    verdict = judge("hot", {"T1": joined([Interval(130, 250)])}, [HOT])
    assert verdict.hits == (Hit(HOT, Interval(130, 250)),)
    assert [hit.delay for hit in verdict.hits] == [30]
    assert not verdict.missed
    assert not verdict.false


def test_an_alert_that_came_before_has_no_delay() -> None:
    (hit,) = judge("hot", {"T1": joined([Interval(90, 150)])}, [HOT]).hits
    assert hit.delay == 0


def test_a_second_alert_in_one_fault_is_false() -> None:
    told = joined([Interval(110, 120), Interval(130, 140)])
    verdict = judge("hot", {"T1": told}, [HOT])
    assert [hit.alert for hit in verdict.hits] == [Interval(110, 120)]
    assert verdict.false == (FalseAlarm("T1", Interval(130, 140), None),)


def test_alerts_of_other_turbines_and_kinds_are_no_hits() -> None:
    ice = Episode("T2", "ice", Interval(100, 200), True)
    verdict = judge("hot", {"T2": joined([Interval(110, 120)])}, [HOT, ice])
    assert verdict.missed == (HOT,)
    assert verdict.false == (FalseAlarm("T2", Interval(110, 120), None),)


def test_an_alert_during_a_maintenance_is_false_and_says_so() -> None:
    verdict = judge("hot", {"T1": joined([Interval(310, 320)])}, [HOT, SERVICE])
    assert verdict.false == (FalseAlarm("T1", Interval(310, 320), SERVICE),)
    assert Score.of(verdict, 1.0).during_no_fault == 1


def test_the_figures_of_a_verdict() -> None:
    told = {"T1": joined([Interval(130, 140), Interval(310, 320)]), "T2": joined([Interval(1, 2)])}
    also = Episode("T2", "hot", Interval(500, 600), True)
    score = Score.of(judge("hot", told, [HOT, SERVICE, also]), 0.5)
    assert (score.faults, score.alerts, score.hits, score.false_alarms) == (2, 3, 1, 2)
    assert (score.precision, score.recall) == (1 / 3, 0.5)
    assert (score.median_delay, score.max_delay) == (30, 30)
    assert score.false_alarm_rate == 4.0


def test_what_is_a_share_of_nothing_is_not_told() -> None:
    score = Score.of(judge("hot", {}, []), 0.0)
    assert score.precision is score.recall is score.median_delay is score.false_alarm_rate is None


KINDS = st.sampled_from(["hot", "ice"])
TURBINES = st.sampled_from(["T1", "T2"])
SPANS = st.tuples(st.integers(0, 50), st.integers(1, 20)).map(lambda t: Interval(t[0], t[0] + t[1]))
EPISODES = st.lists(st.builds(Episode, TURBINES, KINDS, SPANS, st.booleans()), max_size=6)
ROWS = st.lists(st.tuples(TURBINES, SPANS), max_size=8)


@given(EPISODES, ROWS)
def test_every_fault_and_every_alert_is_told_once(
    truth: list[Episode], rows: list[tuple[str, Interval]]
) -> None:
    alerts = spans(rows)
    verdict = judge("hot", alerts, truth)
    faults = [episode for episode in truth if episode.fault and episode.kind == "hot"]
    told = [hit.fault for hit in verdict.hits] + list(verdict.missed)
    assert sorted(told, key=repr) == sorted(faults, key=repr)
    found = [(hit.fault.turbine, hit.alert) for hit in verdict.hits]
    found += [(alarm.turbine, alarm.alert) for alarm in verdict.false]
    assert sorted(found) == sorted((t, each) for t, own in alerts.items() for each in own)
    score = Score.of(verdict, 1.0)
    assert score.hits <= min(score.faults, score.alerts)
    assert total([score, score]).hits == 2 * score.hits


@given(EPISODES, ROWS)
def test_pieces_of_an_alert_change_nothing(
    truth: list[Episode], rows: list[tuple[str, Interval]]
) -> None:
    pieces = [
        (turbine, Interval(time, time + 1))
        for turbine, each in rows
        for time in range(each.start, each.end)
    ]
    assert judge("hot", spans(pieces), truth) == judge("hot", spans(rows), truth)


@given(ROWS, st.integers(0, 60))
def test_what_begins_after_the_archive_is_no_alert(
    rows: list[tuple[str, Interval]], last: int
) -> None:
    kept = spans(rows, last=last)
    assert all(span.start <= last for own in kept.values() for span in own)
    assert all(kept.values())
    for turbine, own in spans(rows).items():
        assert kept.get(turbine, ()) == tuple(span for span in own if span.start <= last)


def test_a_month_has_thirty_days() -> None:
    assert MONTH == 30 * 86_400_000


# ---- the truth -------------------------------------------------------------------------------


def test_episodes_are_read_from_csv(tmp_path: Path) -> None:
    file = tmp_path / "truth.csv"
    file.write_text(
        "turbine,kind,begin,end,fault,note\n"
        "T1,hot,1970-01-01T01:00:00.100+01:00,200,true,\n"
        "T1,maintenance,300,400,no,planned\n"
    )
    assert read_truth(file) == [HOT, SERVICE]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("T1,hot,2026-06-01T00:00:00,9,true", "line 2: 2026-06-01T00:00:00 has no time zone"),
        ("T1,hot,noon,9,true", "line 2: 'noon' is no time"),
        ("T1,hot,9,9,true", "line 2: interval [9, 9) is empty"),
        ("T1,hot,8,9,perhaps", "line 2: fault is 'perhaps'"),
        (",hot,8,9,true", "line 2: it names no turbine"),
        ("T1,hot", "line 2: fault is ''"),
    ],
)
def test_a_line_that_is_no_episode_is_refused(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "truth.csv"
    file.write_text(f"turbine,kind,begin,end,fault\n{line}\n")
    with pytest.raises(StreamError) as caught:
        read_truth(file)
    assert message in caught.value.message


def test_a_truth_that_is_no_table_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "truth.csv"
    with pytest.raises(StreamError, match="No such file"):
        read_truth(file)
    file.write_text("turbine,kind\n")
    with pytest.raises(StreamError, match="lacks the columns begin, end, fault"):
        read_truth(file)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(StreamError, match="no CSV in UTF-8"):
        read_truth(file)
