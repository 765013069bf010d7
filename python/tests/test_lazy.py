"""Lazy frames: the program reads what a query needs, and the answers are those of whole tables."""

import datetime
import random
from decimal import Decimal

import duckdb
import polars
import pytest
from conftest import COLUMNS, ROWS
from polars import col

import fecscan

pytestmark = pytest.mark.filterwarnings("ignore::fecscan.Note")

# Cells on both sides of what conditions and types take for a text, a number, a date or nothing.
TEXTS = ["CA", "NY", " CA", "CA ", "ca", "O'NEIL", 'A "B" C', "SMITH, JOHN", "É", "a=b", "<5", "5", "05", "{CITY}", "\xc9t\xe9"]
AMOUNTS = ["0", "5", "5.0", " 5.00 ", "+5", "-5", "-0", "1.005", "1e3", "0.07", "4.60", "5.40", "2000.49", "2000.50"]
AMOUNTS += ["999999999999.99", "1000000000000"]
DATES = ["01312018", "02012018", "02302018", "2018-01-31", "01/31/2018", " 01312018", "1312018", "12312017"]
NUMBERS = ["5", "05", " 5", "+5", "-5", "5.0", "4102220181000000000", "9223372036854775807", "9223372036854775808"]
CELLS = {"STATE": TEXTS, "NAME": TEXTS, "CITY": TEXTS, "TRANSACTION_AMT": AMOUNTS, "TRANSACTION_DT": DATES}
CELLS |= {"SUB_ID": NUMBERS, "FILE_NUM": NUMBERS}


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """Rows of cells that are hard to compare, empty ones among them, and rows that are short."""
    chosen = random.Random(1)
    path = tmp_path_factory.mktemp("odd") / "itcont.txt"
    lines = []
    for _ in range(2_000):
        cells = [chosen.choice(["", *CELLS.get(name, ["x"])]) for name in COLUMNS]
        lines.append("|".join(cells[: chosen.choice([8, 15, 21, 21, 21, 21])]))
    # É is UTF-8, and Été is Windows-1252.
    path.write_bytes("\n".join(lines).replace("\xc9t\xe9", "\0").encode().replace(b"\0", b"\xc9t\xe9") + b"\n")
    return path


@pytest.fixture
def conditions(monkeypatch):
    """Collects the conditions that reach the program."""
    reached = []
    read = fecscan.Rows._read

    def spied(self, columns, where, first):
        reached.extend(where)
        return read(self, columns, where, first)

    monkeypatch.setattr(fecscan.Rows, "_read", spied)
    return reached


def predicate(chosen, depth=0):
    """Returns a random predicate, at most three levels deep."""
    if depth < 3 and chosen.random() < 0.4:
        left, right = predicate(chosen, depth + 1), predicate(chosen, depth + 1)
        return chosen.choice([left & right, left | right, ~left])
    name = chosen.choice([*CELLS, "month(date)", "length(NAME)"])
    values = {
        "TRANSACTION_AMT": [*map(Decimal, ["5", "1.005", "999999999999.99"]), 5, -5, 0, 0.07, 2000.49, 2000.495, float("inf")],
        "TRANSACTION_DT": [datetime.date(2018, 1, 31), datetime.date(2018, 2, 1), datetime.date(1, 1, 1)],
        "SUB_ID": [5, -5, 4102220181000000000, 2**63 - 1],
        "month(date)": [1, 12, 0],
        "length(NAME)": [2, 11, 0],
        "FILE_NUM": [5, 0, 4102220181000000000],
    }.get(name, [*TEXTS, "", "C", "SMITH,", "|", "'", "''", "%", "a\nb"])
    column, value = col(name), chosen.choice(values)
    compared = [column == value, column != value, column < value, column <= value, column > value, column >= value]
    compared += [polars.lit(value) < column, polars.lit(value) == column, column.is_null(), column.is_not_null()]
    if not isinstance(value, float):
        several = chosen.sample([one for one in values if type(one) is type(value)], 2)
        compared += [column.is_in(several), column.is_in([*several, None]), column.is_in([value, None], nulls_equal=True)]
        compared += [column.eq_missing(value), column.is_between(*map(polars.lit, sorted(several)))]
    if isinstance(value, str):
        compared += [column.str.starts_with(value), column.str.ends_with(value), column.str.to_uppercase() == value] * 2
    if name == "TRANSACTION_AMT":
        rounded = column.cast(polars.Decimal(38, 0))
        compared += [rounded >= 5, rounded <= 5, column.cast(polars.Float64) > 0.07, column.cast(polars.String) == "5.00"] * 2
    return chosen.choice(compared)


def test_random_predicates_choose_the_same_rows_as_in_a_table(odd, conditions):
    chosen = random.Random(2)
    rows = fecscan.scan(odd, columns=[*COLUMNS, "month(date)", "length(NAME)"])
    lazy, table = rows.to_lazy(), rows.to_polars()
    reached = 0
    for _ in range(600):
        one = predicate(chosen)
        conditions.clear()
        found = lazy.filter(one).collect()
        assert found.equals(table.filter(one)), (str(one), conditions)
        reached += bool(conditions)
    assert reached > 150


def test_a_query_reads_its_columns_and_rows_alone(files, rows, conditions, monkeypatch):
    lazy = fecscan.scan(files.zip, where="TRANSACTION_AMT > 0").to_lazy()
    query = lazy.filter(col("STATE").is_in(["CA", "NY"]), col("TRANSACTION_AMT") >= 1000).select("NAME")
    expected = [row["NAME"] for row in rows if row["STATE"] in ("CA", "NY") and Decimal(row["TRANSACTION_AMT"]) >= 1000]
    commands = []
    start = fecscan._program.start
    monkeypatch.setattr(fecscan._program, "start", lambda command, **others: commands.append(command) or start(command, **others))
    assert query.collect()["NAME"].to_list() == expected != []
    [command] = commands
    asked = {part.decode() for part in command if part.startswith((b"--columns", b"--where"))}
    assert asked == {
        *('--columns="NAME"', '--columns="STATE"', '--columns="TRANSACTION_AMT"'),
        *("--where=TRANSACTION_AMT > 0", """--where="STATE" IN ('CA', 'NY')""", '--where="TRANSACTION_AMT" >= 1000'),
    }


def test_duckdb_hands_its_filters_on(files, rows, conditions):
    lazy = fecscan.scan(files.zip).to_lazy()  # noqa: F841
    question = """SELECT count(*), sum(TRANSACTION_AMT) FROM lazy
        WHERE STATE IN ('CA', 'NY') AND TRANSACTION_AMT >= 1000 AND year(TRANSACTION_DT) = 2018"""
    amounts = [
        Decimal(row["TRANSACTION_AMT"])
        for row in rows
        if row["STATE"] in ("CA", "NY") and Decimal(row["TRANSACTION_AMT"]) >= 1000 and row["TRANSACTION_DT"].endswith("2018")
    ]
    assert duckdb.sql(question).fetchall() == [(len(amounts), sum(amounts))]
    assert """"STATE" IN ('CA', 'NY')""" in conditions and '"TRANSACTION_AMT" >= 1000.00' in conditions


@pytest.mark.parametrize("options", [{}, {"head": 700}, {"sample": 700}, {"types": "raw"}, {"where": "STATE IN ('CA', 'NY')"}])
def test_first_rows_and_samples_are_chosen_before_a_filter(odd, options):
    rows = fecscan.scan(odd, **options)
    lazy, table = rows.to_lazy(), rows.to_polars()
    amounts = ["5", "5.00"] if options == {"types": "raw"} else [Decimal(5)]
    one = (col("STATE") == "CA") | col("TRANSACTION_AMT").is_in(amounts)
    for query in (
        lambda frame: frame.filter(one),
        lambda frame: frame.filter(one).head(20),
        lambda frame: frame.head(300).filter(one),
        lambda frame: frame.filter(one).select(polars.len()),
        lambda frame: frame.select(polars.len()),
        lambda frame: frame.sort("NAME", "SUB_ID").filter(one).head(7).select("NAME"),
    ):
        for engine in ("in-memory", "streaming"):
            assert query(lazy).collect(engine=engine).equals(query(table.lazy()).collect())


def test_columns_of_other_files_have_any_names(tmp_path, conditions):
    path = tmp_path / "rows.csv"
    path.write_text("a,A,Total $,unit price,x=y\n1,2,3,4,5\n6,7,8,9,10\n")
    lazy = fecscan.scan(path, header=True, types="unit price=number").to_lazy()
    assert lazy.filter(col("Total $") == "8", col("x=y") == "10").select("x=y").collect().item() == "10"
    assert sorted(conditions) == [""""Total $" = '8'""", """"x=y" = '10'"""]
    conditions.clear()
    # The program calls the second of two names by its number.
    assert lazy.filter(col("#2") == "2", col("a") == "1").collect().height == 1
    assert sorted(conditions) == [""""a" = '1'""", "#2 = '2'"]
    conditions.clear()
    assert lazy.filter(col("unit price") > 4).select("unit price").collect().item() == 9
    assert conditions == ['"unit price" > 4']
    path.write_text("a\n")
    assert fecscan.scan(path, header=True).to_lazy().filter(col("a") == "1").collect().shape == (0, 1)


def test_a_list_that_no_command_line_takes_stays_with_polars(files, rows):
    committees = [row["CMTE_ID"] for row in rows] + [f"C{number:08}" for number in range(100_000)]
    lazy = fecscan.scan(files.plain).to_lazy()
    assert lazy.filter(col("CMTE_ID").is_in(committees)).collect().height == ROWS
