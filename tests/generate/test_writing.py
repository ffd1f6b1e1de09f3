"""The folder of a park: every file says the same, and says it as others expect it."""

from __future__ import annotations

import csv
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from askos.backtest import read_truth
from askos.errors import QueryError
from askos.generate.exports import means, write_layout
from askos.generate.model import joining_turtle, park_turtle
from askos.generate.park import Park
from askos.generate.simulate import Simulation, simulate
from askos.generate.truth import MAINTENANCE, SILENT
from askos.generate.vocabulary import SIGNALS, WIND
from askos.generate.writing import STREAMS, Wanted, live, write_park
from askos.io import read_nquads
from askos.static import load, select
from tests.generate.truths import judged

SMALL = Park(turbines=6, hours=6, joining=True)


@cache
def small() -> Simulation:
    return simulate(SMALL)


def rows(table: pa.Table) -> list[tuple[str, str, str, int]]:
    return [tuple(row[name] for name in ("s", "p", "o", "ts")) for row in table.to_pylist()]


def parquet(folder: Path) -> list[tuple[str, str, str, int]]:
    return [row for file in sorted(folder.glob("*.parquet")) for row in rows(pq.read_table(file))]


def nquads(folder: Path) -> list[tuple[str, str, str, int]]:
    return [row for file in sorted(folder.glob("*.nq")) for row in rows(read_nquads(file)[0])]


def test_both_formats_have_the_rows_in_order_of_delivery(tmp_path: Path) -> None:
    written = write_park(small(), tmp_path, Wanted(files=5))
    for stream in STREAMS:
        wanted = rows(small().tables[stream])
        assert parquet(tmp_path / "parquet" / stream) == wanted
        assert nquads(tmp_path / "nquads" / stream) == wanted
    assert {each.files for each in written} == {5}


def test_columns_of_parquet_are_plain_strings(tmp_path: Path) -> None:
    write_park(small(), tmp_path, Wanted(("parquet",), files=1))
    (file,) = (tmp_path / "parquet" / "scada").iterdir()
    assert pq.read_schema(file).types == [pa.string()] * 3 + [pa.int64()]


def test_files_are_as_old_as_their_number_says(tmp_path: Path) -> None:
    write_park(small(), tmp_path, Wanted(("parquet",), files=4))
    files = sorted((tmp_path / "parquet" / "scada").iterdir())
    ages = [file.stat().st_mtime for file in files]
    assert ages == sorted(ages)
    assert len(set(ages)) == 4


def test_the_summary_says_what_was_asked_for_and_written(tmp_path: Path) -> None:
    written = write_park(small(), tmp_path, Wanted(("nquads",), files=3))
    said = json.loads((tmp_path / "park.json").read_text(encoding="utf-8"))
    assert (said["start"], said["end"]) == (SMALL.start, SMALL.end)
    assert (said["lateness_ms"], said["joins_at"]) == (120_000, SMALL.joins_at)
    assert [each["iri"] for each in said["streams"]] == [WIND + "scada", WIND + "events"]
    for each, own in zip(said["streams"], written, strict=True):
        assert (tmp_path / each["folder"]) == own.folder
        assert each["rows"] == own.rows
    assert read_truth(tmp_path / "truth.csv") == judged(small().truth)


def test_what_strayed_is_apart_unless_it_is_asked_for(tmp_path: Path) -> None:
    made = small()
    assert any(plan.kind == SILENT for plan in made.sensors.plans)
    write_park(made, tmp_path / "apart", Wanted(("nquads",)))
    write_park(made, tmp_path / "mixed", Wanted(("nquads",), strays=True))
    strays = nquads(tmp_path / "apart" / "strays" / "nquads" / "scada")
    apart, mixed = (nquads(tmp_path / name / "nquads" / "scada") for name in ("apart", "mixed"))
    assert strays
    assert sorted(apart + strays) == sorted(mixed)
    assert not (tmp_path / "mixed" / "strays").exists()
    assert max(ts for *_, ts in strays) > SMALL.end


@pytest.mark.parametrize(
    "wrong", [{"formats": ["turtle"]}, {"layouts": ["excel"]}, {"files": 0}, {"files": 10**6}]
)
def test_what_cannot_be_written_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(QueryError):
        Wanted(**wrong)


# ---- live ------------------------------------------------------------------------------------


def test_a_live_park_delivers_the_same_part_by_part(tmp_path: Path) -> None:
    waited: list[float] = []
    seen: list[int] = []
    for _ in live(small(), tmp_path, "nquads", 4, waited.append):
        files = list((tmp_path / "nquads" / "scada").iterdir())
        assert not [file for file in files if file.name.startswith(".")]
        seen.append(len(files))
    span = 6 * 3600 + 120
    assert waited == [span / 4, span / 2, span * 3 / 4, span]
    assert seen == [1, 2, 3, 4]
    write_park(small(), tmp_path / "all", Wanted(("nquads",), files=4, strays=True))
    for stream in STREAMS:
        own = tmp_path / "nquads" / stream
        assert nquads(own) == nquads(tmp_path / "all" / "nquads" / stream)
    assert (tmp_path / "truth.csv").exists()


# ---- the static graph ------------------------------------------------------------------------


def test_the_graph_knows_turbines_tags_curves_and_maintenance(tmp_path: Path) -> None:
    made = simulate(Park(turbines=30, hours=24))
    file = tmp_path / "park.ttl"
    file.write_text(park_turtle(made.layout, made.sensors.plans), encoding="utf-8")
    prefix = f"PREFIX : <{WIND}> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> "

    def count(pattern: str) -> int:
        found: Any = select(prefix + f"SELECT * WHERE {{ {pattern} }}", graph=file)
        return len(list(found))

    assert count("?t a :Turbine ; :type ?y ; :row ?r ; :feeder ?f ; :x ?x ; :y ?z") == 30
    assert count("?t :type ?y . ?y :segment [ :from ?k ; :power ?p ; :slope ?s ]") == 30 * 31
    assert count("?tag rdfs:subPropertyOf ?d ; :factor ?f ; :offset ?o") == len(SIGNALS) + 5 + 6
    assert count("?a :neighbour ?b FILTER NOT EXISTS { ?b :neighbour ?a }") == 0
    planned = sum(plan.kind == MAINTENANCE for plan in made.sensors.plans)
    assert count("?m a :Maintenance ; :of ?t ; :begins ?b ; :ends ?e FILTER(?b < ?e)") == planned


def test_some_triples_suffice_to_join(tmp_path: Path) -> None:
    own, more = tmp_path / "park.ttl", tmp_path / "joining.ttl"
    own.write_text(park_turtle(small().layout, []), encoding="utf-8")
    more.write_text(joining_turtle(small().layout), encoding="utf-8")
    assert "T07" not in own.read_text(encoding="utf-8")
    assert len(load(more)) < 35


# ---- CSV -------------------------------------------------------------------------------------


def test_openoa_has_a_row_for_each_turbine_and_ten_minutes(tmp_path: Path) -> None:
    write_layout(small(), "openoa", tmp_path / "out")
    with (tmp_path / "out" / "scada.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert len(found) == 7 * 36
    assert list(found[0])[:4] == ["time", "asset_id", "WTUR_W", "WMET_HorWdSpd"]
    assert found[0]["time"] == "2026-01-15 00:00:00+00:00"
    wind = small().sensors.read("WMET_HorWdSpd")[0, :10]
    heard = ~small().reception.gaps[0, :10]
    assert float(found[0]["WMET_HorWdSpd"]) == pytest.approx(wind[heard].mean(), abs=0.006)
    # who joins later has not been heard of before
    assert {row["WTUR_W"] for row in found if row["asset_id"] == "T07"} > {""}


def test_kelmarsh_has_nine_lines_before_the_header(tmp_path: Path) -> None:
    write_layout(small(), "kelmarsh", tmp_path / "out")
    file = tmp_path / "out" / "Turbine_Data_T01_2026-01-15_-_2026-01-15.csv"
    lines = file.read_text(encoding="utf-8").splitlines()
    assert all(line.startswith("#") for line in lines[:10])
    header, *rest = csv.reader(io.StringIO("\n".join(lines[9:])))
    assert header[:2] == ["# Date and time", "Wind speed (m/s)"]
    assert {"Power (kW)", "Power, Standard deviation (kW)", "Gear oil temperature (°C)"} <= {
        *header
    }
    assert len(rest) == 36
    assert {len(row) for row in rest} == {len(header)}
    assert rest[1][0] == "2026-01-15 00:10:00"
    status = (tmp_path / "out" / file.name.replace("Turbine_Data", "Status")).read_text("utf-8")
    assert status.splitlines()[9].startswith("Timestamp start,Timestamp end,Duration,Status,Code")
    assert "Full Performance" in status


def test_silence_is_not_a_number(tmp_path: Path) -> None:
    plan = next(plan for plan in small().sensors.plans if plan.kind == SILENT)
    found = means(small(), "WTUR_W")
    inside = slice(plan.begin // 10 + 1, plan.end // 10)
    assert np.isnan(found.mean[plan.turbine, inside]).all()
    assert (found.least <= found.mean)[~np.isnan(found.mean)].all()
    assert (found.mean <= found.most)[~np.isnan(found.mean)].all()
