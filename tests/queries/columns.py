#!/usr/bin/env python3
"""Reads what `fecscan export` writes with DuckDB, Polars and pyarrow, and compares all cells.

    tests/queries/columns.py [--program PATH] [FILE]...

The expected cells are made here, line by line, from the bytes of the file. FILEs are of the schema indiv; without any, fixtures are
read. Needs the packages duckdb, polars and pyarrow.
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
import pyarrow.csv
import pyarrow.ipc
import pyarrow.json
import pyarrow.parquet

from pairs import COLUMNS

ROOT = Path(__file__).resolve().parents[2]
NAMES = COLUMNS["indiv"].split()
WHITE = b" \t\n\x0b\x0c\r"
NUMBERS = {"TRANSACTION_AMT"}
DATES = {"TRANSACTION_DT"}
WHOLE = {"FILE_NUM", "SUB_ID"}
FORMATS = ["parquet", "parquet --compression zstd", "arrow", "csv", "ndjson", "json"]
# A line of a fixture has 20,000 bytes in two columns.
BLOCK_BYTES = 1 << 24


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
        turned = re.sub(rb"^(\d{4})-(\d\d)-(\d\d)$", rb"\2/\3/\1", cell.strip(WHITE))
        found = re.fullmatch(rb"(\d\d)(/?)(\d\d)\2(\d{4})", turned)
        try:
            return datetime.date(int(found[4]), int(found[1]), int(found[3])) if found else None
        except ValueError:
            return None
    if name in WHOLE:
        found = re.fullmatch(rb"[+-]?\d+", cell.strip(WHITE))
        return int(found.group()) if found and -(2**63) <= int(found.group()) < 2**63 else None
    return text(cell)


def expected(path, types, format):
    lines = path.read_bytes().split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    rows = []
    for line in lines:
        cells = line.removesuffix(b"\r").split(b"|")[: len(NAMES)]
        cells += [b""] * (len(NAMES) - len(cells))
        rows.append(tuple(cell_in(format, types, name, cell) for name, cell in zip(NAMES, cells)))
    return rows


def cell_in(format, types, name, cell):
    """CSV keeps the bytes of texts, here one character a byte. JSON has dates and whole numbers as texts."""
    if types == "raw":
        return cell.decode("latin-1") if format == "csv" else text(cell)
    value = typed(name, cell)
    if format == "csv":
        return cell.decode("latin-1") if isinstance(value, str) else "" if value is None else str(value)
    is_text = format.endswith("json") and name not in NUMBERS and value is not None
    return str(value) if is_text else value


def readers(path, format, types):
    """Yields names of columns and rows, as each reader has them."""
    connection = duckdb.connect()
    numbers = list(NUMBERS) if types == "typed" else []
    match format:
        case "arrow":
            rows = table = pyarrow.ipc.open_stream(path.read_bytes()).read_all()
            frame = polars.read_ipc_stream(path)
            found = connection.execute("SELECT * FROM rows")
        case "parquet":
            table = pyarrow.parquet.read_table(path)
            frame = polars.read_parquet(path)
            found = connection.execute("SELECT * FROM read_parquet(?)", [str(path)])
        case "csv":
            table = pyarrow.csv.read_csv(
                path,
                pyarrow.csv.ReadOptions(encoding="latin-1", block_size=BLOCK_BYTES),
                pyarrow.csv.ParseOptions(newlines_in_values=True),
                pyarrow.csv.ConvertOptions(column_types={name: pyarrow.string() for name in NAMES}),
            )
            frame = polars.read_csv(path, encoding="latin-1", infer_schema=False, empty_string_is_null=False)
            # DuckDB's latin-1 lacks the bytes from 0x80 to 0x9f.
            copy = path.with_name("copy")
            copy.write_bytes(path.read_bytes().decode("latin-1").encode())
            found = connection.execute(
                "SELECT coalesce(columns(*), '') FROM read_csv(?, auto_detect = false, header = true, quote = '\"',"
                " escape = '\"', columns = ?)",
                [str(copy), {name: "VARCHAR" for name in NAMES}],
            )
        case "ndjson" | "json":
            table = read_json_lines(path, types) if format == "ndjson" else None
            read = polars.read_ndjson if format == "ndjson" else polars.read_json
            # Polars makes no decimals of numbers in NDJSON.
            frame = read(path, schema={name: polars.Float64 if name in numbers else polars.String for name in NAMES})
            frame = frame.with_columns(polars.col(numbers).cast(polars.Decimal(14, 2)))
            columns = {name: "DECIMAL(14, 2)" if name in numbers else "VARCHAR" for name in NAMES}
            form = "newline_delimited" if format == "ndjson" else "array"
            found = connection.execute(
                "SELECT * FROM read_json(?, format = ?, columns = ?, maximum_object_size = ?)",
                [str(path), form, columns, BLOCK_BYTES],
            )
    if table is not None:
        yield "pyarrow", table.column_names, list(zip(*table.to_pydict().values()))
    yield "Polars", frame.columns, frame.rows()
    yield "DuckDB", [column[0] for column in found.description], found.fetchall()


def read_json_lines(path, types):
    """Reads NDJSON with pyarrow, which refuses an empty file."""
    is_number = lambda name: types == "typed" and name in NUMBERS
    fields = [(name, pyarrow.decimal128(14, 2) if is_number(name) else pyarrow.string()) for name in NAMES]
    schema = pyarrow.schema(fields)
    if path.stat().st_size == 0:
        return schema.empty_table()
    read, parse = pyarrow.json.ReadOptions(block_size=BLOCK_BYTES), pyarrow.json.ParseOptions(explicit_schema=schema)
    return pyarrow.json.read_json(path, read, parse)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--program", default="target/release/fecscan", type=Path)
    arguments.add_argument("files", nargs="*", type=Path)
    arguments = arguments.parse_args()
    program = arguments.program.resolve()
    files = arguments.files or sorted((ROOT / "fixtures").glob("*.txt"))
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result"
        for path in files:
            for types in "raw", "typed":
                for options in FORMATS:
                    format = options.split()[0]
                    rows = expected(path, types, format)
                    command = [program, "export", "-f", *options.split(), "--types", types, "--schema", "indiv"]
                    subprocess.run([*command, "-o", result, path], check=True, stderr=subprocess.DEVNULL)
                    for reader, found_names, found in readers(result, format, types):
                        what = f"{path.name}, {types}, {options}, {reader}"
                        assert found_names == NAMES, what
                        assert len(found) == len(rows), (what, len(found), len(rows))
                        for number, pair in enumerate(zip(found, rows)):
                            assert tuple(pair[0]) == pair[1], (what, number, *pair)
                        compared += len(rows) * len(NAMES)
    print(f"{len(files)} files, {compared:,} cells compared: all equal")


if __name__ == "__main__":
    main()
