"""The simulated park: the same from the same seed, plausible, and true to what it tells."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.errors import QueryError
from askos.generate.layout import TYPES, Layout
from askos.generate.operation import ENVIRONMENT, FULL, PARTIAL, REQUESTED
from askos.generate.park import MINUTE, Park
from askos.generate.planning import OUTAGE, Plan
from askos.generate.simulate import Simulation, simulate
from askos.generate.truth import (
    CURTAILMENT,
    DERATING,
    FAULTS,
    FLAPPING,
    MAINTENANCE,
    OVERTEMPERATURE,
    SILENT,
    STUCK,
)
from askos.generate.vocabulary import EUROS, NOTOS, SIGNAL, SIGNALS, WIND, ZEPHYROS, datum

DAY = Park(turbines=20, hours=24)
PARKS = st.builds(
    Park,
    turbines=st.integers(1, 6),
    hours=st.integers(1, 6),
    seed=st.integers(0, 99),
    interval=st.sampled_from([20, 60]),
    lateness=st.sampled_from([0, 5, 120]),
    joining=st.booleans(),
)


@cache
def day() -> Simulation:
    return simulate(DAY)


def read(made: Simulation, predicate: str, turbine: str | None = None) -> pa.Table:
    """The rows of a predicate by time, their numbers as such."""
    table = made.tables["scada"]
    here = pc.equal(table["p"], f"<{predicate}>")
    if turbine is not None:
        here = pc.and_(here, pc.equal(table["s"], f"<{WIND}{turbine}>"))
    found = table.filter(here).sort_by("ts")
    value = pc.cast(pc.replace_substring_regex(found["o"], r'^"([^"]*)".*$', r"\1"), pa.float64())
    return found.append_column("value", value)


@pytest.mark.parametrize(
    ("field", "bad", "message"),
    [
        ("turbines", 0, "turbines must be a whole number >= 1, not 0"),
        ("turbines", 1000, "turbines must be less than 1000"),
        ("hours", 0, "hours must be"),
        ("hours", 10**6, "those of a year"),
        ("seed", -1, "seed must be"),
        ("start", 2**60, "before the year 2100"),
        ("interval", 7, "interval must divide a minute"),
        ("lateness", 3601, "at most an hour"),
    ],
)
def test_an_impossible_park_is_refused(field: str, bad: Any, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        Park(**{field: bad})


# ---- the same park, the same rows ------------------------------------------------------------


def digest(made: Simulation) -> str:
    texts = "\n".join(made.texts.to_pylist()).encode()
    parts = [texts]
    for stream in made.streams.values():
        parts += [column.tobytes() for column in (stream.rows.ms, stream.rows.object, stream.at)]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def test_a_seed_is_a_park() -> None:
    small = Park(turbines=3, hours=2)
    assert digest(simulate(small)) == digest(simulate(small))
    assert digest(simulate(small)) != digest(simulate(Park(turbines=3, hours=2, seed=2)))


def test_a_day_of_fifty_turbines_has_at_most_three_million_triples() -> None:
    made = simulate(Park())
    assert 1_000_000 < sum(len(stream.rows) for stream in made.streams.values()) <= 3_000_000


def test_without_faults_there_are_none() -> None:
    made = simulate(DAY, faults=())
    assert not any(episode.fault for episode in made.truth)
    assert {episode.kind for episode in made.truth} <= {CURTAILMENT, DERATING, MAINTENANCE}


# ---- delivery --------------------------------------------------------------------------------


@given(PARKS)
def test_disorder_stays_within_the_lateness(park: Park) -> None:
    made = simulate(park)
    for stream in made.streams.values():
        assert (np.diff(stream.at) >= 0).all()
        latest = np.maximum.accumulate(stream.rows.ms)
        assert (latest - stream.rows.ms <= park.lateness * 1000).all()
        assert (stream.rows.ms >= 0).all()
        assert (stream.rows.ms < park.minutes * MINUTE).all()


def test_rows_are_out_of_order_and_some_come_twice() -> None:
    rows = day().streams["scada"].rows
    assert (np.maximum.accumulate(rows.ms) - rows.ms).max() > 100_000
    keys = Counter(zip(rows.subject, rows.predicate, rows.ms, strict=True))
    again = sum(count - 1 for count in keys.values())
    assert 0.003 < again / len(rows) < 0.007
    assert max(keys.values()) == 2


def test_one_upload_comes_six_hours_late_and_one_clock_is_ahead() -> None:
    stream = day().streams["scada"]
    assert len(set(stream.late.subject.tolist())) == 1
    assert stream.late_at.min() - stream.late.ms.max() == 6 * 60 * MINUTE
    assert len(set(stream.ahead.subject.tolist())) == 1
    assert (stream.ahead.ms > DAY.minutes * MINUTE * 1000).all()


# ---- weather and operation -------------------------------------------------------------------


def test_the_wind_is_alike_where_turbines_are_near() -> None:
    made, places = day(), day().layout.positions
    alike = np.asarray(np.corrcoef(np.diff(made.sensors.weather.speed[:, ::10], axis=1)))
    apart = np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=2))
    near, far = alike[(apart > 0) & (apart < 700)].mean(), alike[apart > 3000].mean()
    assert near > far > 0.2


def test_who_stands_behind_others_has_less_wind() -> None:
    made = simulate(Park(turbines=40, hours=24), faults=())
    mean = made.sensors.weather.speed.mean(axis=1)
    # The wind comes from between west and south; the first turbine is in the corner there.
    assert mean[0] > mean[-1]


def test_power_follows_the_curve_where_nothing_limits_it() -> None:
    made = simulate(DAY, faults=())
    works, able = made.sensors.operation, made.layout.power(made.sensors.weather.speed)
    full = works.state == FULL
    assert np.allclose(works.power[full], able[full])
    assert (works.power[~works.running] == 0).all()
    assert (works.power <= works.limit + 1e-9).all()
    assert full.mean() > 0.5


def test_states_are_those_of_what_happens() -> None:
    made = day()
    state = made.sensors.operation.state
    for plan in made.sensors.plans:
        here = set(state[plan.turbine, plan.begin : plan.end].tolist())
        if plan.kind == CURTAILMENT:
            assert here <= {PARTIAL, REQUESTED, ENVIRONMENT}
    assert len(np.unique(state)) >= 6


def test_the_wind_alone_makes_no_more_than_three_starts_an_hour() -> None:
    for seed in range(5):
        running = simulate(Park(turbines=10, seed=seed), faults=()).sensors.operation.running
        starts = np.pad(~running[:, :-1] & running[:, 1:], ((0, 0), (1, 0)))
        hour = np.apply_along_axis(np.convolve, 1, starts.astype(int), np.ones(61, int))
        # an outage or a curtailment may add one of its own
        assert hour.max() <= 5


# ---- vendors ---------------------------------------------------------------------------------


def test_every_vendor_has_its_own_tags_and_units() -> None:
    made = day()
    names = set(pc.unique(made.tables["scada"]["p"]).to_pylist())
    for vendor in (NOTOS, EUROS):
        assert {f"<{vendor.namespace}{tag.name}>" for tag in vendor.tags} <= names
    assert {f"<{signal.iri}>" for signal in SIGNALS} <= names


@pytest.mark.parametrize("vendor", [NOTOS, EUROS], ids=lambda vendor: vendor.name)
def test_factor_and_offset_give_back_what_a_tag_stands_for(vendor: Any) -> None:
    made = day()
    number = made.layout.vendors.index(vendor)
    for tag in vendor.tags:
        raw = read(made, vendor.namespace + tag.name, made.park.names[number])
        known = np.asarray(raw["value"]) * float(tag.factor) + float(tag.offset)
        exact = made.sensors.read(tag.signal)[number]
        minute = (np.asarray(raw["ts"]) - DAY.start) // MINUTE
        size = max(0.06, float(tag.factor) * 0.51 * 10**-tag.digits)
        assert np.abs(known - exact[minute]).max() <= size, tag


def test_a_turbine_of_a_third_vendor_joins_halfway() -> None:
    made = simulate(Park(turbines=10, hours=24, joining=True))
    assert made.layout.vendors[-1] == ZEPHYROS
    oil = read(made, ZEPHYROS.namespace + "oil_K")
    assert pc.unique(oil["s"]).to_pylist() == [f"<{WIND}T11>"]
    assert pc.min(oil["ts"]).as_py() >= made.park.joins_at
    own = [episode for episode in made.truth if episode.turbine == "T11"]
    assert OVERTEMPERATURE in {episode.kind for episode in own}
    assert all(episode.begin > made.park.joins_at for episode in own)


# ---- faults and truth ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_every_kind_of_fault_happens_in_a_day(seed: int) -> None:
    made = simulate(Park(seed=seed))
    assert {episode.kind for episode in made.truth if episode.fault} == set(FAULTS)


def test_what_happens_to_a_turbine_leaves_it_time_in_between() -> None:
    plans = sorted(day().sensors.plans, key=lambda plan: (plan.turbine, plan.begin))
    for before, after in itertools.pairwise(plans):
        if before.turbine == after.turbine:
            assert after.begin - before.end >= 90


def test_truth_lies_within_what_was_planned_but_for_windows() -> None:
    made = day()
    named = {(made.park.names[p.turbine], p.kind): p for p in made.sensors.plans}
    assert len(made.truth) > 10
    for episode in made.truth:
        assert DAY.start <= episode.begin < episode.end <= DAY.end
        plan = named[episode.turbine, episode.kind]
        slack = 61 * MINUTE if episode.kind == FLAPPING else 2 * MINUTE
        assert episode.begin >= DAY.start + plan.begin * MINUTE - MINUTE
        assert episode.end <= DAY.start + plan.end * MINUTE + slack


def test_outages_are_events_of_every_day_and_no_truth() -> None:
    assert any(plan.kind == OUTAGE for plan in day().sensors.plans)
    assert all(episode.kind != OUTAGE for episode in day().truth)


def test_a_silent_turbine_says_nothing_and_all_is_said_of_when() -> None:
    made = day()
    times = {
        name: np.unique(np.asarray(read(made, datum("WROT", "RotSpd"), name)["ts"]))
        for name in made.park.names
    }
    silent = [episode for episode in made.truth if episode.kind == SILENT]
    assert silent
    for episode in silent:
        own = times[episode.turbine]
        last = own[own < episode.end].max()
        assert episode.begin - 16 * MINUTE <= last <= episode.begin - 14 * MINUTE
    gaps = {name: np.diff(own).max() for name, own in times.items()}
    assert all(
        gap < 15 * MINUTE or any(e.turbine == name for e in silent) for name, gap in gaps.items()
    )


def test_a_stuck_sensor_repeats_itself_to_the_digit() -> None:
    made = day()
    episode = next(e for e in made.truth if e.kind == STUCK)
    number = made.park.names.index(episode.turbine)
    values = made.sensors.read("WGEN_GnTmpSta")[number]
    first, last = ((t - DAY.start) // MINUTE for t in (episode.begin, episode.end))
    assert len(set(values[first - 29 : last].tolist())) == 1


def test_faults_ramp_through_their_thresholds_with_noise() -> None:
    made = day()
    episode = next(e for e in made.truth if e.kind == OVERTEMPERATURE)
    number = made.park.names.index(episode.turbine)
    limit = float(made.layout.types[number].max_oil_temperature)
    minute = (episode.begin - DAY.start) // MINUTE
    exact, noisy = made.sensors.oil[number], made.sensors.read("WTRM_TrmTmpGbxOil")[number]
    assert exact[minute - 1] <= limit < exact[minute]
    assert 0 < np.diff(exact[minute - 5 : minute + 5]).max() < 6
    assert np.abs(noisy - exact).max() > 1


def test_a_gearbox_that_is_run_hot_in_maintenance_is_no_fault() -> None:
    made = simulate(Park(turbines=30, hours=24))
    limits = np.array([[float(each.max_oil_temperature)] for each in made.layout.types])
    hot = {made.park.names[t] for t in np.flatnonzero((made.sensors.oil > limits).any(axis=1))}
    serviced = {e.turbine for e in made.truth if e.kind == MAINTENANCE}
    faulty = {e.turbine for e in made.truth if e.kind == OVERTEMPERATURE}
    assert serviced & hot
    assert hot <= serviced | faulty


def test_a_plan_ramps_from_nothing_to_all() -> None:
    plan = Plan(OVERTEMPERATURE, 0, 2, 8, 0.5, 4)
    assert plan.ramped(10).tolist() == [0, 0, 0.25, 0.5, 0.75, 1, 1, 1, 0, 0]


# ---- layout ----------------------------------------------------------------------------------


@given(st.integers(1, 80))
def test_neighbours_are_mutual_and_near(turbines: int) -> None:
    layout = Layout(Park(turbines=turbines))
    pairs = set(layout.neighbours)
    assert all((b, a) in pairs and a != b for a, b in pairs)
    assert turbines < 2 or {a for a, _ in pairs} == set(range(turbines))


@pytest.mark.parametrize("each", TYPES.values(), ids=lambda each: each.name)
def test_a_curve_rises_to_the_rated_power(each: Any) -> None:
    assert each.curve[:4] == [0.0] * 4
    assert each.curve == sorted(each.curve)
    assert each.curve[-1] == each.rated_power


def test_signals_are_known_by_the_names_of_openoa() -> None:
    assert SIGNAL["WTUR_W"].iri == datum("WTUR", "W")
