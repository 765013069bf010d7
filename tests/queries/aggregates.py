#!/usr/bin/env python3
"""Reads aggregates of columns of all decimals in Parquet, by DuckDB, and compares them with those in CSV. Columns have DuckDB's types."""
import argparse
import csv
import io
import subprocess
import tempfile
from decimal import Decimal
from pathlib import Path

import duckdb

ROWS = "k,n\n" + "".join(f"{'ab'[n % 2]},{n * n - 40}\n" for n in range(15)) + "c,\nc,x\n"
OF_A_TABLE = ["--header", "--sum", "n", "--agg", "avg(n), median(n), min(n), max(n), quantile_disc(n, 0.9), count(DISTINCT n)"]
PLAIN = Path(__file__).resolve().parents[2] / "fixtures/plain.txt"

EXPRESSIONS = """NAME, amount, date, SUB_ID, amount * 2, amount / 3, amount > 3, -amount, round(amount, 1), 1.5 AS x,
    CAST(amount AS DECIMAL(20, 4)), round(99::DECIMAL(2, 0), -1) AS r, CAST(FILE_NUM AS HUGEINT) AS h, year(date), coalesce(amount, 0.005)"""
# What Parquet has instead.
WRITTEN = {"HUGEINT": "DECIMAL(38,0)", "INTEGER": "BIGINT"}


def number(text):
    """Returns a number or a date as CSV has it; None for no value."""
    if text in (None, ""):
        return None
    text = str(text)
    return text if text[4:5] == "-" else Decimal(text)


def check_types(program, result):
    """Compares the types of columns that are written with those of DuckDB's own views: of rows as they come, and of ordered rows."""
    views = subprocess.run([program, "columns", "indiv", "--duckdb", PLAIN], check=True, stdout=subprocess.PIPE, text=True).stdout
    for rest in ("", "ORDER BY SUB_ID"):
        statement = f"SELECT {EXPRESSIONS} FROM indiv {rest}"
        subprocess.run([program, "sql", statement, PLAIN, "-o", result, "--quiet"], check=True)
        found = duckdb.connect().execute("DESCRIBE FROM read_parquet(?)", [str(result)]).fetchall()
        connection = duckdb.connect()
        for view in views.split(";\n"):
            connection.execute(view)
        expected = connection.execute(f"DESCRIBE {statement}").fetchall()
        types = [WRITTEN.get(column[1], column[1]) for column in expected]
        assert [column[1] for column in found] == types, (statement, found, types)
        rows = duckdb.connect().execute("FROM read_parquet(?)", [str(result)]).fetchall()
        assert len(rows) == connection.execute("SELECT count(*) FROM indiv").fetchone()[0]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--program", default="target/release/fecscan", type=Path)
    program = arguments.parse_args().program.resolve()
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        table, result = Path(folder) / "table.csv", Path(folder) / "result.parquet"
        table.write_text(ROWS)
        questions = [["k", *OF_A_TABLE, "--types", f"n=number:{decimals}", table] for decimals in range(10)]
        functions = "max(length(NAME)), min(year(date)), avg(length(NAME)), median(length(NAME)), min(date), sum(length(NAME))"
        questions.append(["STATE", "--agg", functions, PLAIN])
        for question in questions:
            by = [program, "by", *question, "--quiet"]
            text = subprocess.run([*by, "-f", "csv"], check=True, stdout=subprocess.PIPE, text=True).stdout
            names, *rows = csv.reader(io.StringIO(text))
            subprocess.run([*by, "-o", result], check=True)
            found = duckdb.connect().execute("FROM read_parquet(?)", [str(result)])
            assert [column[0] for column in found.description] == names, question
            found = [[row[0], *map(number, row[1:])] for row in found.fetchall()]
            assert found == [[row[0], *map(number, row[1:])] for row in rows], (question, found, rows)
            compared += len(rows) * len(names)
        check_types(program, result)
    print(f"{len(questions)} questions, {compared} cells compared: all equal")


if __name__ == "__main__":
    main()
