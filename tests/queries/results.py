#!/usr/bin/env python3
"""Asks random questions in every format, reads the results back, and compares them with Python's own answers.

    tests/queries/results.py [--program PATH] [--trials N] [--seed S]

Groups and rows have an answer that Python works out from the table. Reports, counts, lists and differences are compared with their JSON.
Needs the packages openpyxl and pyarrow.
"""
import argparse
import collections
import random
import re
import subprocess
import tempfile
from decimal import Decimal, getcontext
from fractions import Fraction
from pathlib import Path

from formats import FOR_PEOPLE, same, table_of_lines, tables_of, without_shares

getcontext().prec = 60
ROOT = Path(__file__).resolve().parents[2]
OF_GROUPS = ("json", "ndjson", "csv", "tsv", "markdown", "html", "text", "parquet", "arrow", "xlsx")
OF_ROWS = ("json", "ndjson", "csv", "tsv", "text", "parquet", "arrow", "xlsx")
# What a format could read as something else, and what is wider or narrower than one column of a terminal.
WORDS = ["CA", "NY", "", "Nome", "=1+1", "-1", "a,b", 'say "x"', "*b*", "<b>&amp;</b>", "a\\b", "_x000D_", "Zoë", "e\u0301te\u0301", "北京市",
         "ｗｉｄｅ", "00601", "1e5", "TRUE", "#N/A", "count", "y=count", "한국"]
DAYS = ["2018-01-02", "2018-01-31", "2018-02-03", "1899-12-31", "2024-02-29", "", "x"]
YEARS = ["2016", "2017", "2018", "count", ""]


class Table:
    """Rows of k, y, n and d, where n has at most so many decimals, and a table that is joined by k."""

    def __init__(self, chance, folder):
        self.decimals = chance.choice((None, 0, 1, 2, 3, 9))
        decimals = 2 if self.decimals is None else self.decimals
        # Types with many decimals have fewer digits before them.
        most = 10**min(12, 17 - decimals)
        numbers = lambda: str(Decimal(chance.randrange(-most, most)).scaleb(-chance.randrange(decimals + 1)))
        # A function of zeros: `0E-9` is not a number of a file.
        self.numbers = [f"{Decimal(numbers()):f}" for _ in range(5)] + ["", "x"]
        words = chance.sample(WORDS, 5)
        count = chance.randrange(1, 40)
        self.rows = [[chance.choice(words), chance.choice(YEARS), chance.choice(self.numbers), chance.choice(DAYS)] for _ in range(count)]
        self.path, self.joined = folder / "rows.txt", folder / "joined.txt"
        self.path.write_text("".join("|".join(row) + "\n" for row in [["k", "y", "n", "d"], *self.rows]))
        self.partners = {word: chance.choice(words) for word in chance.sample(words, 3) if word}
        self.joined.write_text("".join(f"{k}|{x}\n" for k, x in [("k", "x"), *self.partners.items()]))
        types = ["d=date"] + ([] if self.decimals is None else [f"n=number:{self.decimals}"])
        self.options = ["--delimiter", "pipe", "--header", "--types", ",".join(types)]
        self.number = "TRY_CAST(n AS DECIMAL(18,2))" if self.decimals is None else "n"
        self.join = ["--with", f"t={self.joined}", "--on", "k=t.k"]

    def key(self, key, row):
        k, y, _, day = row
        match key:
            case "strftime(d, '%Y-%m')" | "month(d)":
                # A key of an export has no NULL.
                return day[:7] if day[:1].isdigit() else None if key[0] == "s" else ""
            case "year(d)":
                return Decimal(day[:4]) if day[:1].isdigit() else None
            case "length(k)":
                return Decimal(len(k))
            case "k = 'CA'":
                return k == "CA"
            case "t.x":
                return self.partners.get(k)
        return {"k": k, "y": y, "d": day if day[:1].isdigit() else None}[key]

    def numbers_of(self, rows):
        return [Decimal(row[2]) for row in rows if row[2] not in ("", "x")]

    def aggregate(self, call, rows):
        """Returns the value of an aggregate; None for none."""
        name, _, of = call.partition("(")
        if call == "count(DISTINCT k)":
            return Decimal(len({row[0] for row in rows}))
        if of == "d)":
            days = [row[3] for row in rows if row[3][:1].isdigit()]
            return (min if name == "min" else max)(days, default=None)
        if of == "k)":
            # Words sort by their bytes.
            return (min if name == "min" else max)((row[0] for row in rows), key=str.encode)
        numbers = sorted(self.numbers_of(rows))
        if name == "count":
            return Decimal(len(set(numbers)))
        if not numbers:
            return None
        match name:
            case "sum":
                return sum(numbers)
            case "min" | "max":
                return numbers[0 if name == "min" else -1]
            case "quantile_disc":
                rank = -(-Fraction(of[:-1].rpartition(", ")[2]) * len(numbers) // 1)
                return numbers[max(int(rank), 1) - 1]
            case "avg":
                return Decimal(repr(float(Fraction(sum(numbers)) / len(numbers))))


def question_of_groups(table, chance):
    """Returns arguments and the table that answers them."""
    every = ["k", "y", "strftime(d, '%Y-%m')", "year(d)", "length(k)", "t.x", "d", "k = 'CA'"]
    keys, n = chance.sample(every, chance.choice((1, 2, 2))), table.number
    numbers = [f"{name}({n})" for name in ("min", "max", "avg")] + [f"quantile_disc({n}, {chance.choice(('0', '0.25', '0.9', '1'))})"]
    sums = [f"sum({n})"] * chance.randrange(2)
    aggregates = chance.sample([*numbers, "min(d)", "max(d)", "max(k)", "count(DISTINCT k)", f"count(DISTINCT {n})"], chance.choice((0, 0, 1, 2, 3)))
    words = ["by", ", ".join(keys), *(["--sum", n] if sums else []), *(["--agg", ", ".join(aggregates)] if aggregates else [])]
    words += table.join if "t.x" in keys else []
    groups = collections.defaultdict(list)
    for row in table.rows:
        groups[tuple(table.key(key, row) for key in keys)].append(row)
    aggregates = sums + aggregates
    rows = [[*key, Decimal(len(rows)), *(table.aggregate(call, rows) for call in aggregates)] for key, rows in groups.items()]
    titles = [title(key) for key in keys]
    return [*words, *table.options, table.path], [([*titles, "count", *aggregates], rows)]


def title(column):
    """Returns the name of a column in a result: as in SQL, without the table."""
    return column.removeprefix("t.")


def question_of_rows(table, chance):
    month = "strftime(d, '%Y-%m')"
    columns = chance.sample(["k", "y", "n", "d", "t.x", month], chance.randrange(1, 6))
    types = chance.choice(("raw", "typed"))
    words = ["export", "--types", types, "--columns", ",".join(columns), *(table.join if "t.x" in columns else [])]

    def cell(column, row):
        nothing = None if types == "typed" else ""
        if column == month:
            return table.key("month(d)", row) or nothing
        if column == "t.x" and row[0] not in table.partners:
            return nothing
        text = {"n": row[2], "d": row[3]}.get(column)
        if text is None:
            return table.key(column, row) or ""
        if types == "raw" or column == "n" and table.decimals is None:
            return text
        if text in ("", "x"):
            return None
        return Decimal(text) if column == "n" else text

    rows = [[cell(column, row) for column in columns] for row in table.rows]
    titles = [title(column) for column in columns]
    return [*words, *table.options, table.path], [(titles, rows)]


def run(program, words):
    ended = subprocess.run([program, *map(str, words)], capture_output=True, cwd=ROOT)
    assert ended.returncode == 0 or words[0] == "diff" and ended.returncode == 1, (words, ended.stderr)
    return ended


def tables(program, words, format, folder):
    """Returns the tables of a result, without what only people get."""
    path = folder / f"result.{format}"
    run(program, [*words, "-f", format, "-o", path])
    if format == "text" and words[0] == "export":
        # A row without values is a blank line.
        return [table_of_lines(path.read_text().split("\n")[:-1])]
    found = tables_of(path, format)
    if format in FOR_PEOPLE and words[0] == "by":
        # Files come before the first table, and sentences after each.
        found = [table for table in found if table[0] and "count" in table[0]]
        found = [without_shares(*table) for table in found]
    return found


def compare(program, words, answers, formats, folder, in_order):
    """Compares the results in all formats with the answers, and their order with that of JSON."""
    order, compared = None, 0
    for format in formats:
        found = tables(program, words, format, folder)
        expected = answers
        what = (*map(str, words), format)
        assert len(found) == len(expected), (what, found)
        for nth, ((names, rows), (names_expected, rows_expected)) in enumerate(zip(found, expected)):
            # A list without rows has no names in JSON.
            if not rows and format in ("json", "ndjson"):
                assert not rows_expected, what
                continue
            assert sorted(names) == sorted(names_expected), (what, names, names_expected)
            places = [names_expected.index(name) for name in names]
            rows_expected = [[row[place] for place in places] for row in rows_expected]
            # openpyxl knows no rows after the last cell.
            rows += [[None] * len(names) for row in rows_expected[len(rows):] if format == "xlsx" and not any(row)]
            assert len(rows) == len(rows_expected), (what, rows, rows_expected)
            if not in_order:
                # The first format, JSON, says the order: rows are found by their keys, and then all cells compared.
                keys = names.index("count")
                by_key = {tuple(row[:keys]): row for row in rows_expected}
                if order is None:
                    assert_order(what, names, rows)
                    order = {}
                order.setdefault(nth, [tuple(row[:keys]) for row in rows])
                rows_expected = [by_key[key] for key in order[nth]]
            for row, row_expected in zip(rows, rows_expected):
                for name, cell, cell_expected in zip(names, row, row_expected):
                    assert same(cell, cell_expected, format) or is_rounded(name, cell, cell_expected, format), (what, name, row, row_expected)
                    compared += 1
    return compared


def is_rounded(name, cell, expected, format):
    """Says whether a cell for people is a mean with two decimals."""
    return name.startswith("avg(") and format in FOR_PEOPLE and abs(Decimal(cell.replace(",", "")) - expected) <= Decimal("0.005")


def assert_order(what, names, rows):
    """Groups are ordered by the first aggregate, else by the count. Those without a value come last."""
    nth = min(names.index("count") + 1, len(names) - 1)
    ranks = [rank.encode() if isinstance(rank, str) else rank for rank in (row[nth] for row in rows)]
    known = [rank for rank in ranks if rank is not None]
    assert ranks[:len(known)] == sorted(known, reverse=True), (what, ranks)


def others(program, folder):
    """Compares what no table of ours has: the formats agree with JSON."""
    generated, hostile = "fixtures/generated.txt", "fixtures/generated-hostile.txt"
    compared = 0
    for words in (["columns", "cm"], ["info", generated], ["diff", "--types", "typed", generated, hostile], ["diff", "--types", "raw", generated, hostile],
                  ["export", "--types", "typed", generated], ["export", "--types", "raw", generated]):
        formats = ("json", "ndjson", "csv", "tsv", "xlsx") + (("parquet", "arrow") if words[0] in ("diff", "export") else ())
        # The JSON of `info` is one object a file.
        formats = formats[words[0] == "info":]
        answers = tables(program, words, formats[0], folder)
        for format in formats[1:]:
            [(names, rows)], [(names_expected, rows_expected)] = tables(program, words, format, folder), answers
            assert names == names_expected and len(rows) == len(rows_expected), (words, format, names, names_expected)
            for row, row_expected in zip(rows, rows_expected):
                for name, cell, expected in zip(names, row, row_expected):
                    # JSON has days, identifiers and texts as text.
                    cell = str(cell) if isinstance(cell, Decimal) and isinstance(expected, str) else cell
                    as_text = format if isinstance(expected, Decimal) or format not in ("parquet", "arrow") else "csv"
                    assert same(cell, expected, as_text), (words, format, name, row, row_expected)
                    compared += 1
    for words in ([generated], ["count", generated, hostile]):
        [numbers] = {tuple(sorted(re.findall(r"\d+", " ".join(str(cell) for row in tables(program, words, format, folder)[0][1] for cell in row))))
                     for format in ("csv", "tsv", "xlsx")}
        compared += len(numbers)
    return compared


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=ROOT / "target/release/fecscan", type=Path)
    parser.add_argument("--trials", default=100, type=int)
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--format", choices=OF_GROUPS, help="compare this one alone, and JSON")
    arguments = parser.parse_args()
    chosen = lambda formats: [format for format in formats if arguments.format in (None, format) or format == "json"]
    program, chance = arguments.program.resolve(), random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        compared = others(program, folder)
        for _ in range(arguments.trials):
            table = Table(chance, folder)
            words, answers = question_of_groups(table, chance)
            compared += compare(program, words, answers, chosen(OF_GROUPS), folder, in_order=False)
            words, answers = question_of_rows(table, chance)
            compared += compare(program, words, answers, chosen(OF_ROWS), folder, in_order=True)
    print(f"{arguments.trials} tables, {compared:,} cells compared: all equal")


if __name__ == "__main__":
    main()
