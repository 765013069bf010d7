#!/usr/bin/env python3
"""Reads Parquet and Arrow of `fecscan export` with DuckDB, Polars and pyarrow, and compares all cells.

The expected cells are made here, line by line, from the bytes of the file. Needs the packages
duckdb, polars and pyarrow.
"""

import argparse
import datetime
import decimal
import re
import subprocess
import tempfile
from pathlib import Path

import duckdb
import polars
import pyarrow.ipc
import pyarrow.parquet

from pairs import COLUMNS

ROOT = Path(__file__).resolve().parents[2]
WHITE = b" \t\n\x0b\x0c\r"
NUMBERS = {"TRANSACTION_AMT"}
DATES = {"TRANSACTION_DT"}
FORMATS = [("parquet", "snappy"), ("parquet", "zstd"), ("arrow", None)]


def text(cell):
    """UTF-8, or else Windows-1252, whose undefined bytes are U+FFFD."""
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return cell.decode("cp1252", errors="replace")


def typed(name, cell):
    if name in NUMBERS:
        found = re.fullmatch(rb"[+-]?(\d+(\.\d{0,2})?|\.\d{1,2})", cell.strip(WHITE))
        number = decimal.Decimal(found.group().decode()) if found else None
        return number.quantize(decimal.Decimal("0.01")) if found and abs(number) < 10**12 else None
    if name in DATES:
        found = re.fullmatch(rb"(\d\d)(/?)(\d\d)\2(\d{4})", cell.strip(WHITE))
        try:
            return datetime.date(int(found[4]), int(found[1]), int(found[3])) if found else None
        except ValueError:
            return None
    if name == "SUB_ID":
        found = re.fullmatch(rb"[+-]?\d+", cell.strip(WHITE))
        return int(found.group()) if found and -(2**63) <= int(found.group()) < 2**63 else None
    return text(cell) if cell else None


def expected(path, types):
    names = COLUMNS["indiv"].split()
    lines = path.read_bytes().split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    rows = []
    for line in lines:
        cells = line.removesuffix(b"\r").split(b"|")[: len(names)]
        cells += [b""] * (len(names) - len(cells))
        rows.append(tuple(typed(n, c) if types == "typed" else text(c) for n, c in zip(names, cells)))
    return names, rows


def readers(path, format):
    """Names of columns and rows, as each reader has them."""
    if format == "arrow":
        rows = table = pyarrow.ipc.open_stream(path.read_bytes()).read_all()
        yield "pyarrow", table.column_names, list(zip(*table.to_pydict().values()))
        frame = polars.read_ipc_stream(path)
        yield "Polars", frame.columns, frame.rows()
        found = duckdb.connect().execute("SELECT * FROM rows")
        yield "DuckDB", [column[0] for column in found.description], found.fetchall()
        return
    table = pyarrow.parquet.read_table(path)
    yield "pyarrow", table.column_names, list(zip(*table.to_pydict().values()))
    frame = polars.read_parquet(path)
    yield "Polars", frame.columns, frame.rows()
    found = duckdb.connect().execute("SELECT * FROM read_parquet(?)", [str(path)])
    yield "DuckDB", [column[0] for column in found.description], found.fetchall()


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--program", default="target/release/fecscan", type=Path)
    arguments.add_argument("files", nargs="*", type=Path, help="files of indiv; by default the fixtures")
    arguments = arguments.parse_args()
    program = arguments.program.resolve()
    files = arguments.files or sorted((ROOT / "fixtures").glob("*.txt"))
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result"
        for path in files:
            for types in "raw", "typed":
                names, rows = expected(path, types)
                for format, compression in FORMATS:
                    options = ["-f", format, "--types", types, "--schema", "indiv", "-o", result]
                    options += ["--compression", compression] if compression else []
                    subprocess.run([program, "export", *options, path], check=True, stderr=subprocess.DEVNULL)
                    for reader, found_names, found in readers(result, format):
                        what = f"{path.name}, {types}, {format} {compression or ''}, {reader}"
                        assert found_names == names, what
                        assert len(found) == len(rows), (what, len(found), len(rows))
                        for number, pair in enumerate(zip(found, rows)):
                            assert tuple(pair[0]) == pair[1], (what, number, *pair)
                        compared += len(rows) * len(names)
    print(f"{len(files)} files, {compared:,} cells compared: all equal")


if __name__ == "__main__":
    main()
