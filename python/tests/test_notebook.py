"""Progress in a notebook."""

import os
import sys
from types import SimpleNamespace

import pyarrow
import pytest

import fecscan
from fecscan import _progress


@pytest.fixture
def notebook(monkeypatch):
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    return shell


@pytest.fixture
def long_work(files, tmp_path, monkeypatch):
    """The program gets rows until a frame is drawn."""
    script = tmp_path / "long-work"
    rows = f"until [ -e {tmp_path}/drawn ]; do cat {files.plain} || exit; done"
    script.write_text(f"""#!/bin/bash\n({rows}) 2>/dev/null | "{fecscan._program.program()}" "${{@:1:$#-1}}" -\n""")
    script.chmod(0o755)
    monkeypatch.setenv("FECSCAN_BINARY", os.fspath(script))
    draw = _progress.draw

    def drawn(messages):
        draw(messages)
        if b"B/s" in messages:
            (tmp_path / "drawn").touch()

    monkeypatch.setattr(_progress, "draw", drawn)


READS = [
    lambda path: fecscan.count(path)["lines"],
    lambda path: pyarrow.RecordBatchReader.from_stream(fecscan.scan(path, columns="STATE", schema="indiv")).read_all().num_rows,
]


@pytest.mark.parametrize("read", READS)
def test_the_bar_is_drawn_and_erased(read, files, long_work, notebook, capsys):
    assert read(files.plain) > 0
    printed = capsys.readouterr().out
    assert "B/s" in printed and "\x1b" not in printed
    assert printed.endswith("\r" + " " * _progress.COLUMNS + "\r")


def test_only_a_notebook_has_a_bar(files, notebook, monkeypatch):
    assert _progress.is_wanted()
    monkeypatch.setenv("FECSCAN_PROGRESS", "0")
    assert not _progress.is_wanted()
    monkeypatch.delenv("FECSCAN_PROGRESS")
    # A terminal's shell has no kernel.
    del notebook.kernel
    assert not _progress.is_wanted()
    monkeypatch.delitem(sys.modules, "IPython")
    assert not _progress.is_wanted()


def test_messages_have_no_frames(capsys):
    raw = b"\x1b[2K1 B, 2 B/s\r\x1b[2Kfecscan: note: a\n\x1b[2K\x1b[2K3 B, 2 B/s\r\x1b[2Kfecscan: b\n"
    assert _progress.erase(raw) == b"fecscan: note: a\nfecscan: b\n"
    _progress.draw(raw)
    assert capsys.readouterr().out.endswith("\r3 B, 2 B/s".ljust(_progress.COLUMNS + 1))
