"""The papers' other scenarios: data by a seed, of which their queries have something to tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from askos.cli import main
from askos.generate.scenarios import SCENARIOS, scenario
from askos.local import run
from askos.prepared import prepare
from askos.sources import DEFAULT_GRAPH, Catalogue
from askos.static import Solutions, select
from askos.terms import URIRef

QUERIES = Path("examples/scenarios")
STREAMS = {
    "tollgates": "http://streams.org/citytollgates.trdf",
    "cameras": "http://streams.org/citycameras.trdf",
    "market": "http://stockexchange.org/market.trdf",
    "interactions": "http://glue.example/interactions",
    "rfid": "http://deri.org/streams/rfid",
}
GRAPHS = {
    "brokers": "http://brokerscentral.org/brokers.rdf",
    "friends": "http://glue.example/friends",
    "floorplan": "http://deri.org/floorplan/",
}
ALL = sorted(QUERIES.glob("*/*.rq"))


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_same_seed_gives_the_same_data_and_another_does_not(name: str, tmp_path: Path) -> None:
    texts = [
        [file.read_bytes() for file in scenario(name, 60, seed).write(tmp_path / str(place))]
        for place, seed in enumerate((1, 1, 2))
    ]
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.parametrize("name", SCENARIOS)
def test_it_grows_with_its_size(name: str) -> None:
    small, large = (scenario(name, size, 1) for size in (60, 6_000))
    rows = [
        sum(map(len, (*made.streams.values(), *made.graphs.values()))) for made in (small, large)
    ]
    assert rows[1] > 30 * rows[0] / 2


def test_every_scenario_has_queries() -> None:
    assert {file.parent.name for file in ALL} == set(SCENARIOS)
    assert len(ALL) == 16


@pytest.mark.parametrize("file", ALL, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_a_query_has_something_to_tell(file: Path, tmp_path: Path) -> None:
    made, text = scenario(file.parent.name, 90, 1), file.read_text(encoding="utf-8")
    made.write(tmp_path)
    if not made.streams:
        (graph,) = (tmp_path / f"{name}.nt" for name in made.graphs)
        found = select(text, graph=str(graph))
        assert isinstance(found, Solutions)
        assert list(found)
        return
    known = Catalogue()
    for name in made.streams:
        known = known.stream(URIRef(STREAMS[name]))
    for name in made.graphs:
        known = known.graph(URIRef(GRAPHS.get(name, DEFAULT_GRAPH)), tmp_path / f"{name}.nt")
    query = prepare(text, sources=known)
    tables = {URIRef(STREAMS[name]): rows for name, rows in made.streams.items()}
    told = run(query, {stream: tables[stream] for stream in query.streams})
    assert any(answer.rows for answer in told)


def test_the_command_says_what_it_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["generate", "brokers", "out", "--size", "20"]) == 0
    assert "out/market.nq" in capsys.readouterr().out
    assert main(["generate", "brokers", "out"]) == 1
    assert "out is not empty" in capsys.readouterr().err
    assert main(["generate", "brokers", "other", "--size", "1"]) == 2
    assert "--size must be from 10" in capsys.readouterr().err
