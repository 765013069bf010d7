"""Errors of the program as exceptions, and its notes as warnings."""

import inspect
import os
import pickle
import shutil
import signal
import subprocess
import sys
import typing
from pathlib import Path

import nanoarrow
import pyarrow
import pytest
from conftest import FIXTURES

import fecscan
from fecscan import _options


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fecscan.report("missing.txt"), "missing.txt: No such file or directory; check the name"),
        (lambda: fecscan.count(["missing.txt"]), "missing.txt: No such file or directory; check the name"),
        (lambda: fecscan.by(FIXTURES / "plain.txt", "STAET"), "no column STAET in indiv; did you mean STATE?"),
        (lambda: fecscan.by(FIXTURES / "plain.txt", "STATE", sum="NAME"), "sum takes numbers, not VARCHAR"),
        (lambda: fecscan.scan(FIXTURES / "plain.txt").by("STATE", sort="x"), "x"),
        (lambda: fecscan.scan(FIXTURES / "plain.txt", columns="AMOUNTS"), "no column AMOUNTS in indiv"),
        (lambda: fecscan.scan(FIXTURES / "plain.txt", where="amount"), "amount"),
        (lambda: fecscan.scan("missing.zip"), "missing.zip: No such file or directory"),
        (lambda: fecscan.report(FIXTURES / "plain.txt", schema="cm"), "cm"),
        (lambda: fecscan.generate("/missing/rows.txt", 1), "/missing/rows.txt: "),
    ],
)
def test_messages_of_the_program_are_exceptions(call, message):
    with pytest.raises(fecscan.Error) as raised:
        call()
    assert message in str(raised.value)
    assert not str(raised.value).startswith("fecscan:")
    assert raised.value.status == 2


def test_strict_raises_status_1():
    with pytest.raises(fecscan.Error, match="16 rows break the schema") as raised:
        fecscan.report(FIXTURES / "columns.txt", strict=True)
    assert raised.value.status == 1


def test_errors_keep_notes_apart_and_can_be_pickled(tmp_path):
    raw = bytearray((FIXTURES / "indiv18.zip").read_bytes())
    raw[1_000_000] ^= 0xFF
    (tmp_path / "indiv18.zip").write_bytes(raw)
    with pytest.raises(fecscan.Error, match="is damaged") as raised:
        fecscan.report(tmp_path / "indiv18.zip")
    error = pickle.loads(pickle.dumps(raised.value))
    assert (str(error), error.status, error.notes) == (str(raised.value), 2, raised.value.notes)
    assert "members in a folder" not in str(error)
    assert len(error.notes) == 1 and "members in a folder" in error.notes[0]


def test_a_file_whose_name_looks_like_a_note_has_errors_and_notes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "a: note: b.zip"
    with pytest.raises(fecscan.Error, match="^a: note: b.zip: No such file or directory") as raised:
        fecscan.count(name)
    assert raised.value.notes == []
    with pytest.raises(fecscan.Error, match="^x: note: y.csv: No such file or directory"):
        fecscan.by(FIXTURES / "plain.txt", "t.k", with_="t=x: note: y.csv", on="STATE=t.k")
    shutil.copy(FIXTURES / "indiv18.zip", name)
    with pytest.warns(fecscan.Note, match="^a: note: b.zip: note: 4 members in a folder are left out"):
        fecscan.count(name)
    raw = bytearray((FIXTURES / "indiv18.zip").read_bytes())
    raw[1_000_000] ^= 0xFF
    Path(name).write_bytes(raw)
    with pytest.raises(fecscan.Error, match="is damaged") as raised:
        fecscan.report(name)
    assert len(raised.value.notes) == 1 and "members in a folder" in raised.value.notes[0]


def test_no_files_are_an_error_and_not_standard_input():
    with pytest.raises(ValueError, match="no files"):
        fecscan.count([])


def test_options_that_exclude_each_other_are_told_without_a_command_line(sliced):
    with pytest.raises(fecscan.Error, match="--name .* cannot be used with '--slices'$"):
        fecscan.report(sliced, name=1, slices=True)


def test_the_version_is_that_of_the_wheel_and_the_program():
    said = subprocess.run([fecscan._program.program(), "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout
    assert said.split()[1] == fecscan.__version__
    assert not hasattr(fecscan, "version")


@pytest.mark.parametrize(("program", "version"), [(None, fecscan.__version__), ("/missing/fecscan", "0+unknown")])
def test_a_package_that_is_not_installed_has_the_version_of_the_program(program, version, tmp_path):
    # Python finds no packages but these: neither the list of files of a wheel, nor what else stands beside it.
    shutil.copytree(Path(fecscan.__file__).parent, tmp_path / "fecscan")
    shutil.copytree(Path(nanoarrow.__file__).parent, tmp_path / "nanoarrow")
    environment = {"PYTHONPATH": os.fspath(tmp_path), "FECSCAN_BINARY": program or fecscan._program.program()}
    code = "import fecscan; print(fecscan.__file__, fecscan.__version__)"
    said = subprocess.run([sys.executable, "-S", "-c", code], env=environment, stdout=subprocess.PIPE, check=True, text=True).stdout
    assert said.split() == [os.fspath(tmp_path / "fecscan" / "__init__.py"), version]


def test_unknown_options_are_errors_of_python(files):
    calls = (
        lambda **options: fecscan.by(files.plain, "STATE", **options),
        lambda **options: fecscan.scan(files.plain).by("STATE", **options),
        lambda **options: fecscan.count(files.plain, **options),
        lambda **options: fecscan.scan(files.plain, **options),
    )
    for call in calls:
        # Options of the program that are none of the function's would write files, or change the form of the result.
        for name in ("wher", "output", "partial", "format", "quiet"):
            with pytest.raises(TypeError, match=name):
                call(**{name: "STATE = 'CA'"})


def test_typed_options_are_those_of_the_functions():
    for function, own, options in [
        (fecscan.report, {"files"}, _options.ReportOptions),
        (fecscan.count, {"files"}, _options.ScanOptions),
        (fecscan.scan, {"files", "columns", "head", "sample", "seed"}, _options.ScanOptions),
    ]:
        assert set(inspect.signature(function).parameters) - own == set(typing.get_type_hints(options))


def test_options_are_those_of_the_program():
    functions = [("report", fecscan.report), ("count", fecscan.count), ("export", fecscan.scan)]
    names = {command: inspect.signature(function).parameters for command, function in functions}
    for command, options in [*names.items(), ("by", typing.get_type_hints(_options.ByOptions))]:
        said = subprocess.run([fecscan._program.program(), command, "-h"], stdout=subprocess.PIPE, check=True, text=True).stdout
        for name in set(options) - {"files"}:
            assert f"--{name.rstrip('_').replace('_', '-')}" in said


def test_an_editor_sees_names_and_types(tmp_path):
    assert dir(fecscan) == sorted([*fecscan.__all__, "__version__"])
    package = Path(fecscan.__file__).parents[1]
    environment = os.environ | ({} if package.name == "site-packages" else {"MYPYPATH": os.fspath(package)})
    check = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path}", Path(__file__).with_name("typed.py")]
    said = subprocess.run(check, env=environment, stdout=subprocess.PIPE, text=True)
    assert said.stdout == "Success: no issues found in 1 source file\n"


def test_notes_name_the_line_of_the_caller(sliced):
    for call in (
        lambda: fecscan.count(sliced),
        lambda: fecscan.by(sliced, "STATE"),
        lambda: pyarrow.table(fecscan.scan(sliced, columns="STATE")),
    ):
        with pytest.warns(fecscan.Note, match="7 members in a folder are left out") as notes:
            call()
        assert [note.filename for note in notes] == [__file__]


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Puts a script in the place of the program."""

    def put(script):
        path = tmp_path / "stand-in"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setenv("FECSCAN_BINARY", os.fspath(path))

    return put


def test_a_killed_program_is_an_error(stand_in):
    stand_in("kill -KILL $$")
    with pytest.raises(fecscan.Error, match="ended by SIGKILL") as raised:
        fecscan.count("rows.txt")
    assert raised.value.status == -signal.SIGKILL


def test_a_program_without_a_message_is_an_error(stand_in):
    stand_in("exit 101")
    with pytest.raises(fecscan.Error, match="status 101"):
        fecscan.count("rows.txt")


def test_a_program_that_is_missing_is_an_error(monkeypatch):
    monkeypatch.setenv("FECSCAN_BINARY", "/missing/fecscan")
    with pytest.raises(FileNotFoundError, match="/missing/fecscan"):
        fecscan.count("rows.txt")


def test_the_program_is_that_of_the_wheel(monkeypatch):
    monkeypatch.delenv("FECSCAN_BINARY", raising=False)
    program = Path(fecscan._program.program())
    assert program.parent == Path(sys.executable).parent
    assert program.stat().st_size < 12 << 20
