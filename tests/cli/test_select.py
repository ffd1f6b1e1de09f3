"""`askos select`, also from a stream."""

from __future__ import annotations

import json
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from askos.cli import main

PARK = (
    '<http://wind.example/T1> <http://wind.example/power> "5" .\n'
    '<http://wind.example/T2> <http://wind.example/power> "7" .\n'
)


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
