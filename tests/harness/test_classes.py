"""Classes that are compiled where Spark is, once."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from askos.spark import classes


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "askos"


_OF_FOLDERS = ("EachItsOwn", "NewFile", "Together")


def test_the_classes_are_compiled_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = classes.jar()
    assert made is not None
    assert made.parent == cache
    with zipfile.ZipFile(made) as archive:
        names = [f"Folders${name}" for name in _OF_FOLDERS]
        names += ["Folders", "LocalFiles$Raw", "LocalFiles", "Look"]
        names += ["Parts$Column", "Parts$Taker", "Parts", "Rows$Done", "Rows$Part", "Rows"]
        assert archive.namelist() == [f"askos/{name}.class" for name in names]
    assert list(cache.iterdir()) == [made]
    monkeypatch.setattr(subprocess, "run", None)  # nobody calls it again
    assert classes.jar() == made


def test_without_java_hadoops_own_files_are_used(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(cache / "nowhere"))
    with pytest.warns(UserWarning, match="Hadoop's own, slower files: .*nowhere"):
        assert classes.jar() is None
    assert not list(cache.glob("*.jar"))


def test_what_the_compiler_says_is_told(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "LocalFiles.java"
    broken.write_text("package askos; public class LocalFiles extends Nothing {}")
    monkeypatch.setattr(classes, "_SOURCES", (broken,))
    with pytest.warns(UserWarning, match="Nothing"):
        assert classes.jar() is None


def test_a_cache_that_cannot_be_written_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.warns(UserWarning, match="file"):
        assert classes.jar() is None
