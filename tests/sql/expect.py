#!/usr/bin/env python3
"""Has DuckDB write the expected rows of the .slt files beside it, or checks them: expect.py [--check] --program fecscan.

A record is `query`, perhaps with `rowsort`, a statement, `----`, and its rows: values with tabs between them, NULL, and (empty) for a text
without characters. `statement error MESSAGE` is a statement that fecscan refuses in these words; DuckDB is not
asked.
"""
import argparse
import datetime
import decimal
import glob
import os
import subprocess
import sys

import duckdb

HERE = os.path.dirname(os.path.abspath(__file__))


def connect(program):
    connection = duckdb.connect()
    for schema, file in (("indiv", "rows.txt"), ("cm", "cm.txt")):
        views = subprocess.run([program, "columns", schema, "--duckdb", os.path.join(HERE, file)], capture_output=True, text=True, check=True)
        for statement in views.stdout.split(";\n"):
            if statement.strip():
                connection.execute(statement)
    return connection


def shown(value):
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        # The last of seventeen digits depends on DuckDB's plan.
        return f"{value:.12g}"
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()[:10]
    return str(value) or "(empty)"


def expected(connection, statement, is_sorted):
    rows = ["\t".join(map(shown, row)) for row in connection.execute(statement).fetchall()]
    return sorted(rows) if is_sorted else rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="target/release/fecscan")
    parser.add_argument("--check", action="store_true", help="write nothing, and fail if rows differ")
    options = parser.parse_args()
    connection, differ = connect(options.program), 0
    for path in sorted(glob.glob(os.path.join(HERE, "*.slt"))):
        with open(path, encoding="utf-8") as file:
            records = file.read().rstrip("\n").split("\n\n")
        made = []
        for record in records:
            lines = record.split("\n")
            if lines[0].startswith("query"):
                end = lines.index("----")
                statement = "\n".join(lines[1:end])
                try:
                    rows = expected(connection, statement, "rowsort" in lines[0])
                except duckdb.Error as error:
                    sys.exit(f"{path}: {statement}: {error}")
                record = "\n".join([*lines[:end + 1], *rows])
            made.append(record)
        text = "\n\n".join(made) + "\n"
        with open(path, encoding="utf-8") as file:
            known = file.read()
        if text != known:
            differ += 1
            if options.check:
                print(f"{path}: DuckDB has other rows")
            else:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
    return 1 if options.check and differ else 0


if __name__ == "__main__":
    sys.exit(main())
