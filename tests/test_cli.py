from __future__ import annotations

import json
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from askos import __version__
from askos.cli import main
from askos.cli.telling import lost

SMALL = ["--turbines", "2", "--minutes", "3", "--files", "2"]


def generate(out: Path, *options: str) -> int:
    return main(["generate", "windpark", str(out), *SMALL, *options])


def test_generating_prints_a_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert generate(tmp_path / "out") == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.split() == ["stream", "format", "rows", "files", "first", "last", "folder"]
    assert [line.split()[:2] for line in lines] == [
        ["scada", "nquads"],
        ["events", "nquads"],
        ["scada", "parquet"],
        ["events", "parquet"],
    ]
    # 2 turbines, 2 triples, every 10 s for 3 min
    assert lines[0].split()[2:4] == ["72", "2"]
    assert lines[0].endswith(str(tmp_path / "out" / "nquads" / "scada"))
    assert (tmp_path / "out" / "nquads" / "scada" / "part-00000.nq").exists()


def test_the_summary_comes_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--json", "--format", "parquet", "--start", "2026-06-01T02:00:00+02:00"]
    assert generate(tmp_path / "out", "--seed", "9", *options) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["park"] == {
        "turbines": 2,
        "minutes": 3,
        "seed": 9,
        "start": 1780272000000,
        "interval": 10,
        "lateness": 30,
    }
    assert [each["stream"] for each in summary["streams"]] == ["scada", "events"]
    assert summary["streams"][0]["folder"] == str(tmp_path / "out" / "parquet" / "scada")
    assert not (tmp_path / "out" / "nquads").exists()


@pytest.mark.parametrize("start", ["1780272000000", "2026-06-01", "2026-06-01T00:00:00Z"])
def test_a_start_is_milliseconds_or_iso(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], start: str
) -> None:
    assert generate(tmp_path / "out", "--json", "--start", start) == 0
    assert json.loads(capsys.readouterr().out)["park"]["start"] == 1780272000000


def test_an_empty_folder_is_welcome(tmp_path: Path) -> None:
    assert generate(tmp_path) == 0


def test_a_folder_with_anything_in_it_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert generate(tmp_path) == 1
    told = capsys.readouterr().err
    assert told.startswith(f"askos: {tmp_path} is not empty\nhint: ")
    assert "--force" in told
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_force_replaces_the_streams_and_nothing_else(tmp_path: Path) -> None:
    generate(tmp_path)
    (tmp_path / "mine.txt").write_text("mine")
    assert generate(tmp_path, "--force", "--format", "nquads", "--files", "1") == 0
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["mine.txt", "nquads"]
    assert len(list((tmp_path / "nquads" / "scada").iterdir())) == 1


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--turbines=0", "askos: turbines must be a whole number >= 1, not 0"),
        ("--files=0", "askos: files must be a whole number >= 1, not 0"),
        ("--interval=181", "askos: interval must be at most the 180 s that the park runs"),
    ],
)
def test_a_wrong_number_is_told_before_anything_is_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, message: str
) -> None:
    generate(tmp_path)
    assert generate(tmp_path, "--force", option) == 2
    assert capsys.readouterr().err.startswith(message)
    assert (tmp_path / "parquet" / "scada").exists()


def test_a_place_that_cannot_be_written_to_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert generate(tmp_path / "file") == 4
    told = capsys.readouterr().err
    assert told.startswith("askos: Not a directory: ")
    assert "hint: check that the path" in told


@pytest.mark.parametrize("arguments", [[], ["generate"], ["dance"], ["generate", "windpark"]])
def test_wrong_usage_is_told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage: askos" in capsys.readouterr().err


def test_a_start_that_is_no_time_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        generate(tmp_path / "out", "--start", "soon")
    assert "'soon' is no time; write 2026-06-01T00:00:00Z" in capsys.readouterr().err


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"askos {__version__}\n"


def test_the_package_runs_as_a_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "askos", "generate", "windpark", str(tmp_path / "out"), *SMALL]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("stream")
    assert (tmp_path / "out" / "parquet" / "scada").is_dir()


def test_importing_the_command_loads_nothing_heavy() -> None:
    heavy = ["lark", "numpy", "pyarrow", "pandas", "pyspark", "rdflib"]
    check = f"import sys, askos.cli; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- parse and format


WIND = """\
ask from stream <s> [range 5m step 1m]
{?t <p> ?v}
"""


def query(tmp_path: Path, text: str) -> str:
    file = tmp_path / "query.rq"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_parsing_prints_the_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parse", query(tmp_path, WIND)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Query 1:1 dialect=csparql"
    assert "    window: TimeWindow 1:21 range=300000 slide=60000" in lines


def test_parsing_prints_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["parse", "--json", query(tmp_path, WIND)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["dialect"] == "csparql"
    assert document["dataset"][0]["window"]["range"] == 300_000


def test_a_wrong_query_is_told_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("parse", "format"):
        assert main([command, query(tmp_path, "SELECT *\nWERE { ?s ?p ?o }")]) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err.startswith("askos: line 2, column 1: ")
        assert "\n  WERE { ?s ?p ?o }\n  ^\nhint: " in told.err


def test_what_is_odd_about_a_query_is_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "ASK FROM NAMED STREAM <s> WINDOW ELEMS 5 { GRAPH <t> { ?s ?p ?o } }"
    assert main(["parse", query(tmp_path, text)]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("Query 1:1")
    assert told.err.startswith("askos: warning: line 1, column 5: stream <s> is declared, but")


def test_a_query_comes_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for text in (WIND.encode(), b"\xef\xbb\xbf" + WIND.encode()):
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(text)))
        assert main(["format", "-"]) == 0
        assert capsys.readouterr().out == (
            "ASK\nFROM STREAM <s> [RANGE 5m STEP 1m]\nWHERE {\n  ?t <p> ?v .\n}\n"
        )


def test_a_base_and_parameters_are_given_to_the_query(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = query(tmp_path, "ASK { STREAM <s> [NOW] { ?x <p> $Name$, $Age$ } }")
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    given = ["--param", 'Name="Bob"', "--param", f'Age="5"^^<{integer}>', "--base", "http://w/"]
    assert main(["format", file, "--from", "cqels", *given]) == 0
    assert '    ?x <http://w/p> "Bob", 5 .\n' in capsys.readouterr().out


def test_a_base_that_is_no_iri_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["parse", query(tmp_path, "ASK {}"), "--base", "not an iri<>"]) == 2
    assert "the base 'not an iri<>' is no absolute IRI\nhint: " in capsys.readouterr().err


def test_a_row_that_is_told_does_not_move_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    lost("refused", ["\x1b[2J is no term"])
    assert capsys.readouterr().err == ("askos: warning: 1 row refused\n  \\u001B[2J is no term\n")


@pytest.mark.parametrize("parameter", ["Name", "Name=Bob", "=<iri>", "Name=_:b"])
def test_a_parameter_that_is_no_term_is_told(
    parameter: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["parse", "-", "--param", parameter])
    assert stopped.value.code == 2
    assert "argument --param: " in capsys.readouterr().err


def test_formatting_into_another_dialect(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = query(tmp_path, WIND)
    assert main(["format", file, "--dialect", "cqels"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("askos: line 1, column 1: C-SPARQL reports RSTREAM every 60000 ms")
    assert told.err.endswith("hint: if that does not matter, allow the difference: report\n")
    assert main(["format", file, "--dialect", "cqels", "--allow", "report"]) == 0
    assert "FROM STREAM <s> [RANGE 5m SLIDE 1m]\n" in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--dialect", "--from"])
def test_an_unknown_dialect_is_told(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["format", query(tmp_path, WIND), option, "klingon"]) == 2
    assert capsys.readouterr().err.startswith("askos: 'klingon' is no dialect; known: sparql")


def test_writing_replaces_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = query(tmp_path, WIND)
    assert main(["format", "-w", file]) == 0
    assert capsys.readouterr().out == ""
    assert Path(file).read_text().startswith("ASK\nFROM STREAM <s>")


def test_comments_are_not_lost_without_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "ASK { <a#b> ?p '#' } # why"
    file = query(tmp_path, text)
    assert main(["format", file]) == 0
    assert capsys.readouterr().err == "askos: warning: comments are not kept\n"
    assert main(["format", "-w", file]) == 1
    assert "has comments, which would be lost\nhint: " in capsys.readouterr().err
    assert Path(file).read_text() == text
    assert main(["format", "-w", "--force", file]) == 0
    assert Path(file).read_text() == 'ASK\nWHERE {\n  <a#b> ?p "#" .\n}\n'


def test_a_file_that_cannot_be_read_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["parse", str(tmp_path / "none.rq")]) == 4
    assert capsys.readouterr().err.startswith("askos: No such file or directory: ")
    (tmp_path / "latin.rq").write_bytes(b"ASK { ?s ?p 'caf\xe9' }")
    assert main(["parse", str(tmp_path / "latin.rq")]) == 2
    assert "is no UTF-8 text: byte 17 begins no character" in capsys.readouterr().err


def test_standard_input_is_not_written_to(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(WIND.encode())))
    assert main(["format", "-w", "-"]) == 1
    assert "standard input cannot be written to" in capsys.readouterr().err


# --- explain and select

PARK = (
    '<http://wind.example/T1> <http://wind.example/power> "5" .\n'
    '<http://wind.example/T2> <http://wind.example/power> "7" .\n'
)


def test_explaining_prints_the_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "q.rq"
    file.write_text(
        "PREFIX : <u:> SELECT ?s FROM STREAM :s WINDOW ELEMS 5 { ?s :p ?o FILTER(true) }"
    )
    assert main(["explain", str(file)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Project ?s",
        "  Filter true",
        "    Pattern ?s :p ?o",
        "      CountWindow ELEMS 5",
        "        StreamAccess :s",
    ]
    assert main(["explain", str(file), "--level", "optimized", "--format", "mermaid"]) == 0
    assert "Filter" not in capsys.readouterr().out
    assert main(["explain", str(file), "--view", "ograph", "--format", "svg"]) == 0
    assert capsys.readouterr().out.startswith("<svg")


def test_a_physical_plan_says_what_goes_to_one_bucket(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "q.rq"
    file.write_text("SELECT ?s FROM STREAM <s> WINDOW ELEMS 5 { ?s <p> ?o }")
    assert main(["explain", str(file), "--level", "physical"]) == 0
    shown = capsys.readouterr().out
    assert "CountWindow ELEMS 5\n      Exchange TO ONE BUCKET" in shown
    assert shown.split("\n\n")[1].splitlines() == [
        "stage 1, one bucket: CountWindow needs all rows",
        "  reads stream <s>: its triples",
        "  runs CountWindow, Pattern, Project",
        "  keeps state of CountWindow",
    ]


def test_selecting_prints_a_table_or_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    query, data = tmp_path / "q.rq", tmp_path / "park.nt"
    query.write_text("PREFIX : <http://wind.example/> SELECT ?t { ?t :power ?p } ORDER BY ?t")
    data.write_text(PARK)
    assert main(["select", str(query), "--graph", str(data)]) == 0
    assert capsys.readouterr().out == "t\n:T1\n:T2\n"
    assert main(["select", str(query), "--graph", str(data), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["results"]["bindings"]) == 2
    query.write_text("ASK { GRAPH <http://wind.example/g> { ?s ?p ?o } }")
    assert main(["select", str(query), "--named", f"http://wind.example/g={data}"]) == 0
    assert capsys.readouterr().out == "yes\n"


def test_data_that_is_no_rdf_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    query, data = tmp_path / "q.rq", tmp_path / "park.nt"
    query.write_text("ASK { }")
    data.write_text(PARK + "not a triple\n")
    assert main(["select", str(query), "--graph", str(data)]) == 3
    assert "line 3" in capsys.readouterr().err


# --- select --stream


DATASETS = {
    "data.nq": "<a:s> <a:p> <a:o> .\n<a:t> <a:p> <a:o> <a:g> .\n",
    "data.trig": "<a:s> <a:p> <a:o> . <a:g> { <a:t> <a:p> <a:o> }",
    "data.jsonld": """[{"@id": "a:s", "a:p": {"@id": "a:o"}},
        {"@id": "a:g", "@graph": {"@id": "a:t", "a:p": {"@id": "a:o"}}}]""",
}


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize(
    ("form", "printed"),
    [
        ("csv", "x,g\r\na:s,\r\na:t,a:g\r\n"),
        ("tsv", "?x\t?g\n<a:s>\t\n<a:t>\t<a:g>\n"),
        ("xml", '<result><binding name="x"><uri>a:t</uri></binding><binding name="g"><uri>a:g<'),
    ],
)
def test_datasets_are_selected_from_by_a_query_in_the_command(
    tmp_path: Path, name: str, form: str, printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(DATASETS[name])
    text = "SELECT ?x ?g { { ?x <a:p> ?y } UNION { GRAPH ?g { ?x <a:p> ?y } } } ORDER BY ?x"
    for option in ("-q", "--query"):
        command = ["select", option, text, "--graph", str(tmp_path / name), "--format", form]
        assert main(command) == 0
        assert printed in capsys.readouterr().out


def test_a_query_in_the_command_is_told_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["select", "-q", "SELECT * { ?x ?p }"]) == 2
    assert "line 1, column 18" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["q.rq", "-q", "ASK {}"], "FILE and --query are both a query"), ([], "there is no query")],
)
def test_a_query_is_a_file_or_a_text(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["select", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_table_given_as_a_graph_gets_a_hint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "table.csv").write_text("turbine,power\nT1,5\n")
    assert main(["select", "-q", "ASK {}", "--graph", str(tmp_path / "table.csv")]) == 3
    assert "hint: a table is not RDF: write a triple for each cell" in capsys.readouterr().err


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A query and its data, in the current folder."""
    monkeypatch.chdir(tmp_path)
    text = "PREFIX : <http://wind.example/> SELECT ?t ?p { ?t :power ?p }"
    (tmp_path / "q.rq").write_text(text)
    (tmp_path / "park.nt").write_text(PARK + "rubbish\n<T3> <http://wind.example/power> .\n")
    return tmp_path


def test_selecting_from_a_stream_tells_what_was_refused(
    asked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["select", "q.rq", "--stream", "park.nt"]) == 0
    told = capsys.readouterr()
    assert told.out == 't    p\n:T1  "5"\n:T2  "7"\n'
    assert told.err.startswith("askos: warning: 1 row refused\n  park.nt, line 4: not a statement")


@pytest.mark.parametrize("form", ["table", "csv", "tsv", "json", "xml"])
def test_a_stream_is_written_as_a_graph_is(
    form: str, asked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (asked / "park.nt").write_text(PARK)
    for kind in ("SELECT ?p ?t { ?t :power ?p } ORDER BY DESC(?p)", "ASK { ?t :power ?p }"):
        (asked / "q.rq").write_text(f"PREFIX : <http://wind.example/> {kind}")
        assert main(["select", "q.rq", "--graph", "park.nt", "--format", form]) == 0
        want = capsys.readouterr().out
        assert main(["select", "q.rq", "--stream", "park.nt", "--format", form]) == 0
        assert capsys.readouterr().out == want


def test_triples_of_a_stream_are_n_triples(asked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (asked / "q.rq").write_text("CONSTRUCT WHERE { ?s ?p ?o }")
    (asked / "park.nt").write_text(PARK * 2)
    for option in (["--json"], ["--format", "nq"], []):
        assert main(["select", "q.rq", "--stream", "park.nt", *option]) == 0
        assert capsys.readouterr().out == PARK


def test_a_stream_may_be_standard_input_and_several_files_are_one_graph(
    asked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    more = PARK.replace("T1", "T0").encode()
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(more)))
    command = ["select", "q.rq", "--stream", "park.nt", "--stream", "-", "--format", "csv"]
    assert main(command) == 0
    out = capsys.readouterr().out.split()
    assert [row.rsplit("/", 1)[-1] for row in out] == ["t,p", "T1,5", "T2,7", "T0,5"]


def test_rows_are_printed_while_a_stream_is_read(
    asked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The reader looks at what was printed when it is asked for more."""
    seen = []

    class Watched(BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            seen.append(capsys.readouterr().out)
            return self.readline()

    data = Watched(PARK.encode())
    monkeypatch.setattr("sys.stdin", type("In", (), {"buffer": data}))
    assert main(["select", "q.rq", "--stream", "-", "--format", "csv"]) == 0
    assert [text.split() for text in seen] == [
        ["t,p"],
        ["http://wind.example/T1,5"],
        ["http://wind.example/T2,7"],
    ]


def test_at_a_terminal_a_line_tells_how_much_was_read(
    asked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (asked / "park.nt").write_text(PARK)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main(["select", "q.rq", "--stream", "park.nt"]) == 0
    assert "lines: 2  100% of the data" in capsys.readouterr().err
    assert main(["select", "q.rq", "--stream", "park.nt", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_who_stops_a_stream_is_told_so(
    asked: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Stopped(BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", type("In", (), {"buffer": Stopped()}))
    assert main(["select", "q.rq", "--stream", "-"]) == 130
    assert capsys.readouterr().err == "askos: interrupted\n"


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--stream", "park.ttl"], 3, "is not N-Triples"),
        (["--stream", "gone.nt"], 3, "gone.nt: No such file or directory"),
        (["--stream", "park.nt", "--graph", "park.nt"], 2, "are both the default graph"),
        (["--stream", "park.nt", "--reasoning", "rdfs"], 2, "--reasoning needs the whole graph"),
        (["--stream", "park.nt", "--format", "nq"], 2, "--format nq is for triples"),
    ],
)
def test_what_a_stream_cannot_be_is_told_before_anything_is_printed(
    options: list[str], code: int, message: str, asked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["select", "q.rq", *options]) == code
    told = capsys.readouterr()
    assert message in told.err
    assert "hint: " in told.err or code == 3
    assert told.out == ""


def test_a_query_over_a_named_stream_does_not_read_files_of_triples(
    asked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (asked / "q.rq").write_text("SELECT * FROM STREAM <s> WINDOW ELEMS 5 { ?s ?p ?o }")
    assert main(["select", "q.rq", "--stream", "park.nt"]) == 2
    assert "select reads static data" in capsys.readouterr().err
