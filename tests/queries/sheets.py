#!/usr/bin/env python3
"""Reads workbooks of fecscan with openpyxl, and compares all cells with the CSV of the same question.

    tests/queries/sheets.py [--program PATH]

Needs the package openpyxl.
"""

import argparse
import csv
import datetime
import decimal
import io
import re
import subprocess
import tempfile
from pathlib import Path

import openpyxl

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = re.compile(r"(TRANSACTION_AMT|month\(date\)|count|lines|bytes|rows|number|width|(sum|min|avg|count)\(.*)$")
DAYS = re.compile(r"(TRANSACTION_DT|date|max\(date\)|DAY)$")
GENERATED = "fixtures/generated.txt"
HOSTILE = "fixtures/generated-hostile.txt"
# Texts that a spreadsheet could read as something else. Values are separated by |.
TEXTS = [
    b"=1+1|+1|-1|@SUM(A1)|00601|1e5|TRUE|#N/A|'x|2018-01-31",
    b"_x000D_|_x00|a\x01b\x7f| blank |<b>&amp;</b>|\"q\"|caf\xc3\xa9|caf\xe9\x81|tab\tbed|",
]
DAYS_AND_NUMBERS = [b"1899-12-31|1.5", b"1900-02-28|123456789012345", b"1900-03-01|1234567890123456", b"2024-02-29|-0.25", b"9999-12-31|", b"|0"]
QUESTIONS = [
    ["export", "--types", "typed", HOSTILE, GENERATED],
    ["export", "--types", "raw", HOSTILE],
    ["export", "--types", "typed", "--columns", "SUB_ID,date,month(date),amount,file", "--where", "amount > 100", GENERATED],
    ["export", "--types", "typed", "--where", "STATE = 'none'", GENERATED],
    ["export", "--types", "typed", "--task-size", "300", "--threads", "8", GENERATED],
    ["by", "STATE,ZIP_CODE", "--sum", "amount", "--agg", "min(amount), max(date), avg(amount), count(DISTINCT NAME)", HOSTILE],
    ["by", "ENTITY_TP, date", "--sort", "date", "--top", "50", GENERATED],
    ["by", "date_trunc('month', date) AS DAY, year(date) AS number", GENERATED],
    ["by", "STATE", "--where", "STATE = 'none'", GENERATED],
    ["count", GENERATED, HOSTILE],
    [GENERATED],
    ["columns"],
    ["info", GENERATED],
    ["diff", "--types", "typed", GENERATED, HOSTILE],
]


def text(cell):
    """UTF-8, or else Windows-1252, whose undefined bytes are U+FFFD."""
    try:
        return cell.encode("latin-1").decode()
    except UnicodeDecodeError:
        return cell.encode("latin-1").decode("cp1252", errors="replace")


def cells_of_csv(data):
    table = data.decode("latin-1")
    return [[text(cell) for cell in row] for row in csv.reader(io.StringIO(table, newline=""))]


def shown(cell, name, expected):
    """Returns a cell of a sheet as CSV has it, after a check of its kind."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, str):
        assert cell.data_type in ("s", "inlineStr"), (name, cell.data_type)
        digits = len(re.sub(r"\D", "", value))
        is_rounded = digits > 15 or value < "1900-03"
        assert is_rounded or not (NUMBERS.match(name) or DAYS.match(name)), (name, value)
        return re.sub("_x([0-9A-Fa-f]{4})_", lambda found: chr(int(found[1], 16)), value)
    if isinstance(value, datetime.datetime):
        assert DAYS.match(name) and value.time() == datetime.time(), (name, value)
        return value.date().isoformat()
    assert NUMBERS.match(name) and isinstance(value, (int, float)), (name, value)
    number = decimal.Decimal(repr(value))
    return expected if number == decimal.Decimal(expected) else str(number)


def compare(program, question, folder, is_raw):
    run = lambda *more: subprocess.run([program, *question, *more], cwd=ROOT, capture_output=True)
    path = folder / "result.xlsx"
    as_csv, as_xlsx, piped = run("-f", "csv"), run("-o", path), run("-f", "xlsx")
    assert not any(ended.returncode for ended in (as_csv, as_xlsx, piped)), (question, as_xlsx.stderr)
    assert as_csv.stderr == as_xlsx.stderr, (question, as_csv.stderr, as_xlsx.stderr)
    assert path.read_bytes() == piped.stdout, f"{question}: the file is not what a pipe gets"
    [sheet] = openpyxl.load_workbook(path).worksheets
    table = cells_of_csv(as_csv.stdout)
    names = table[0]
    assert sheet.freeze_panes == "A2" and sheet.max_row == max(len(table), 1), (question, sheet.max_row, len(table))
    assert [cell.value for cell in sheet[1]] == names and all(cell.font.b for cell in sheet[1]), question
    assert all(8 <= sheet.column_dimensions[cell.column_letter].width <= 62 for cell in sheet[1])
    for nth, (row, expected) in enumerate(zip(sheet.iter_rows(min_row=2, max_col=len(names)), table[1:])):
        kinds = ["" for _ in names] if is_raw else names
        found = [shown(*cell) for cell in zip(row, kinds, expected)]
        # openpyxl reads a carriage return and a newline as XML has them.
        assert found == expected, (question, nth, found, expected)
    return len(table) - 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=ROOT / "target/release/fecscan", type=Path)
    program = parser.parse_args().program.resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        texts, days = folder / "texts.txt", folder / "days.txt"
        texts.write_bytes(b"\n".join(TEXTS))
        days.write_bytes(b"\n".join(DAYS_AND_NUMBERS))
        other = ["export", "--delimiter", "pipe", "--names"]
        questions = QUESTIONS + [
            [*other, "a,b,c,d,e,f,g,h,i,j", texts],
            [*other, "DAY,number", "--types", "DAY=date,number=number:2", days],
        ]
        for question in questions:
            rows = compare(program, question, folder, is_raw="raw" in question)
            print(f"{rows:6} rows equal: {' '.join(map(str, question))}")
    print("all equal")


if __name__ == "__main__":
    main()
