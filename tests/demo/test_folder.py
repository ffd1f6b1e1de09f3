"""A park's folder, as the demo reads it: who is who, and what each turbine measured."""

from __future__ import annotations

import numpy as np
import pytest

from askos.demo.folder import STREAMS, Folder, local
from askos.demo.series import STEP, day
from askos.generate.park import Park
from askos.generate.simulate import Simulation, simulate
from askos.generate.vocabulary import STATES as TOLD
from askos.generate.writing import Wanted, write_park
from askos.report.day import STATES, UNKNOWN
from askos.sources import Graph, Stream

MADE = simulate(Park(turbines=9, hours=6, joining=True))


@pytest.fixture(scope="module")
def made() -> Simulation:
    return MADE


@pytest.fixture(scope="module")
def folder(made: Simulation, tmp_path_factory: pytest.TempPathFactory) -> Folder:
    path = tmp_path_factory.mktemp("park")
    write_park(made, path, Wanted(("parquet",), 6))
    return Folder(path)


def test_all_turbines_are_known_the_one_that_joins_too(folder: Folder, made: Simulation) -> None:
    assert [turbine.name for turbine in folder.turbines] == list(made.park.names)
    assert {t.vendor.lower() for t in folder.turbines} == {v.name for v in made.layout.vendors}
    places = np.array([(t.x, t.y) for t in folder.turbines])
    assert np.allclose(places, made.layout.positions, atol=1.0)
    assert folder.added > 10
    assert len(folder.truth) == len(made.truth)


def test_the_catalogue_has_what_jobs_read(folder: Folder) -> None:
    known = folder.catalogue
    assert {stream.iri for stream in known.streams} == {*STREAMS}
    assert all(isinstance(each, Stream) and each.lateness_ms == 120_000 for each in known.streams)
    assert [isinstance(graph, Graph) and graph.reloadable for graph in known.graphs] == [True]


def test_means_are_those_of_the_simulation_in_one_unit(folder: Folder, made: Simulation) -> None:
    found = day(folder)
    assert found.steps == 6 * 3_600_000 // STEP
    for name, key in (("power", "WTUR_W"), ("wind", "WMET_HorWdSpd"), ("oil", "WTRM_TrmTmpGbxOil")):
        read = made.sensors.read(key)
        for place, turbine in enumerate(made.park.names):
            told = np.array(getattr(found.series[turbine], name), float)
            known = np.isfinite(told)
            truth = read[place].reshape(found.steps, -1)
            low, high = truth.min(axis=1) - 0.2, truth.max(axis=1) + 0.2
            inside = (told >= np.minimum(low, np.roll(low, 1))) & (
                told <= np.maximum(high, np.roll(high, 1))
            )
            assert known.any()
            assert inside[known].mean() > 0.95, (turbine, name)


def test_states_are_those_that_were_told_before(folder: Folder, made: Simulation) -> None:
    found = day(folder)
    state = made.sensors.operation.state
    agree = []
    for place, turbine in enumerate(made.park.names):
        for step in range(1, found.steps):
            told = found.states[turbine][step]
            if told != UNKNOWN:
                minute = step * STEP // 60_000
                lately = {TOLD[state[place, m]] for m in range(max(0, minute - 2), minute + 1)}
                agree.append(list(STATES)[told] in lately)
    assert np.mean(agree) > 0.95


def test_a_turbine_has_no_state_before_it_joins(folder: Folder, made: Simulation) -> None:
    found = day(folder)
    last = made.park.names[-1]
    assert {*found.states[last][: found.steps // 2 - 1]} == {UNKNOWN}
    assert {*found.states[last]} != {UNKNOWN}


def test_local_names() -> None:
    assert local("http://wind.example/T07") == "T07"
    assert local("http://iec.example/WTUR#W") == "W"
