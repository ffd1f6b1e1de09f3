"""`askos parse`, `askos format` and `askos explain`."""

from __future__ import annotations

import json
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from askos.cli import main
from askos.cli.telling import lost

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


# --- explain


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


JOIN = "SELECT * FROM STREAM <s> WINDOW RANGE 5 S FIXED { ?s <p> ?o . ?s <q> ?n }"


def test_all_physical_plans_are_told_and_one_may_be_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["explain", "-q", JOIN, "--level", "physical", "--all", "--plan", "2"]) == 0
    shown = capsys.readouterr().out.splitlines()
    plans = [line for line in shown if line.startswith("plan ")]
    assert plans[0].startswith("plan 1, simple+columnar: about ")
    assert [line.endswith(", runs") for line in plans[:3]] == [False, True, False]
    assert main(["explain", "-q", JOIN, "--level", "physical", "--plan", "ordered"]) == 0
    assert "OrderedJoin" in capsys.readouterr().out


def test_all_plans_are_physical_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "-q", JOIN, "--all"]) == 2
    assert "hint: add --level physical" in capsys.readouterr().err


def test_a_physical_plan_says_what_goes_to_one_bucket(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "q.rq"
    file.write_text("SELECT ?s FROM STREAM <s> WINDOW ELEMS 5 { ?s <p> ?o }")
    assert main(["explain", str(file), "--level", "physical"]) == 0
    shown = capsys.readouterr().out
    assert "CountWindow ELEMS 5\n          Exchange TO ONE BUCKET" in shown
    assert shown.split("\n\n")[1].splitlines() == [
        "stage 1, one bucket: CountWindow needs all rows",
        "  reads stream <s>: its triples",
        "  runs CountWindow, Pattern, Project, Pieces",
        "  gives elements of CountWindow once, and ends as they are known",
        "  cuts what has an open end into pieces, up to now: who reads them knows all ends",
        "  keeps state of CountWindow, Pieces",
    ]


PAIRS = "SELECT * FROM STREAM <s> WINDOW RANGE 5 S FIXED { ?t <p> ?v . ?t <q> ?w }"


def test_several_queries_are_explained_with_what_they_share(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / "pairs.rq", tmp_path / "unequal.rq"]
    files[0].write_text(PAIRS, encoding="utf-8")
    files[1].write_text(PAIRS.replace("?w }", "?w FILTER (?v != ?w) }"), encoding="utf-8")
    assert main(["explain", "--level", "physical", *map(str, files)]) == 0
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == "query-1:"
    assert last == "stage 1 of query-1 and stage 1 of query-2 share Join"
    assert main(["explain", *map(str, files)]) == 2
    assert "hint: add --level physical" in capsys.readouterr().err
