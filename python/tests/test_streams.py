"""Streams that end early, fail in the middle, or are read at the same time."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import polars
import pyarrow
import pytest
from conftest import FIXTURES, ROWS, children

import fecscan
from fecscan import _stream


def batches(rows):
    return pyarrow.RecordBatchReader.from_stream(rows)


def test_whole_streams_leave_nothing(files, nothing_left):
    assert pyarrow.table(fecscan.scan(files.zip)).num_rows == ROWS


def test_an_abandoned_stream_ends_the_program(long, nothing_left):
    reader = batches(fecscan.scan(long))
    reader.read_next_batch()
    assert len(children()) == 1
    del reader


def test_a_stream_that_nobody_reads_ends_the_program(long, nothing_left):
    capsule = fecscan.scan(long).__arrow_c_stream__()
    assert len(children()) == 1
    del capsule


def test_duckdb_and_polars_abandon_streams_too(long, nothing_left):
    rows = fecscan.scan(long)
    assert len(duckdb.sql("FROM rows LIMIT 3").fetchall()) == 3
    assert polars.DataFrame(rows).head(3).shape == (3, 21)


def test_a_program_killed_in_the_middle_is_an_error(long, nothing_left):
    reader = batches(fecscan.scan(long))
    reader.read_next_batch()
    [child] = children()
    os.kill(child, signal.SIGKILL)
    with pytest.raises(OSError, match="ended by SIGKILL"):
        reader.read_all()
    del reader


def test_messages_that_fill_their_pipe_do_not_stop_the_program(files, monkeypatch, tmp_path):
    rows = fecscan.scan(files.plain)
    script = tmp_path / "talks"
    flood = "for i in $(seq 10000); do echo fecscan: note: a note of some bytes; done"
    script.write_text(f'#!/bin/sh\n{{ {flood}; }} >&2\n"{fecscan._program.program()}" "$@"\n{{ {flood}; }} >&2\n')
    script.chmod(0o755)
    monkeypatch.setenv("FECSCAN_BINARY", os.fspath(script))
    with pytest.warns(fecscan.Note, match="a note of some bytes") as notes:
        assert pyarrow.table(rows).num_rows == ROWS
    assert len(notes) == 20_000


@pytest.mark.parametrize("size", [1, 3, 4, 7, 8, 9, 64, 1 << 20])
def test_bytes_are_the_same_in_pieces_of_any_size(files, size):
    command = [b"export", b"--format=arrow", b"--head=100", b"--", os.fsencode(files.plain)]
    child = _stream.Child(command)
    pieces = []
    while True:
        piece = bytearray(size)
        filled = child.fill(piece)
        pieces.append(bytes(piece[:filled]))
        if filled < size:
            break
    assert b"".join(pieces) == fecscan._program.run(command)
    assert child.fill(bytearray(size)) == 0


@pytest.mark.parametrize("size", [4, 8, 1 << 20])
def test_the_mark_of_the_end_is_held_back_until_the_program_ends(size):
    # The second file fails after all rows of the first, and the program marks the end of the stream all the same.
    command = [b"export", b"--format=arrow", b"--", os.fsencode(FIXTURES / "plain.txt"), b"missing.txt"]
    child = _stream.Child(command)
    read = bytearray()
    with pytest.raises(fecscan.Error, match="missing.txt"):
        while True:
            piece = bytearray(size)
            filled = child.fill(piece)
            assert filled, "the stream has ended well"
            read += piece[:filled]
    assert _stream.MARK_OF_END not in read[-16:]


def test_a_stream_without_its_end_is_an_error(files, monkeypatch, tmp_path):
    rows = fecscan.scan(files.plain)
    script = tmp_path / "loses-the-status"
    script.write_text(f'#!/bin/sh\n"{fecscan._program.program()}" "$@" | head -c -8\nexit 0\n')
    script.chmod(0o755)
    monkeypatch.setenv("FECSCAN_BINARY", os.fspath(script))
    with pytest.raises(OSError, match="its stream has no end"):
        pyarrow.table(rows)


def test_streams_can_be_read_at_the_same_time(files, nothing_left):
    rows = fecscan.scan(files.zip)
    with ThreadPoolExecutor(8) as pool:
        tables = list(pool.map(lambda _: pyarrow.table(rows), range(16)))
    assert all(table == tables[0] for table in tables)
    assert tables[0].num_rows == ROWS


def test_streams_end_in_another_thread_too(long, nothing_left):
    reader = [batches(fecscan.scan(long))]
    reader[0].read_next_batch()
    thread = threading.Thread(target=reader.clear)
    thread.start()
    thread.join()


def test_an_interrupted_function_ends_the_program(tmp_path, files, monkeypatch):
    # The stand-in fills its pipe, so it interrupts when we read.
    script = tmp_path / "interrupts"
    script.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nhead -c 100000 /dev/zero\nkill -INT $PPID\nexec tail -f /dev/null\n")
    script.chmod(0o755)
    monkeypatch.setenv("FECSCAN_BINARY", os.fspath(script))
    # Python ignores interrupts if it was started in the background of a script, and the stand-in would never end.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            fecscan.count(files.plain)
    finally:
        signal.signal(signal.SIGINT, before)
    assert not Path("/proc", (tmp_path / "pid").read_text().strip()).exists()


def test_an_interrupted_stream_is_an_error_and_never_short(files):
    script = Path(__file__).with_name("interrupted.py")
    ended = subprocess.run([sys.executable, script, *[files.plain] * 10], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "'short': 0" in ended.stdout
    assert "'failed': 0" not in ended.stdout


def test_memory_does_not_grow_with_rows(files):
    script = """
import resource, sys, pyarrow, fecscan
rows = 0
for batch in pyarrow.RecordBatchReader.from_stream(fecscan.scan(sys.argv[2:], threads=1)):
    rows += batch.num_rows
print(rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    used = []
    for times in (5, 40):
        said = subprocess.run(
            [sys.executable, "-c", script, "-", *[files.plain] * times], stdout=subprocess.PIPE, check=True
        ).stdout
        rows, kibibytes = map(int, said.split())
        assert rows == ROWS * times
        used.append(kibibytes)
    # 35 files more have 130 MB.
    assert used[1] - used[0] < 40_000
