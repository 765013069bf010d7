"""Each function against an answer that was found in another way."""

import csv
import datetime
import os
import re
import subprocess
import zipfile
from collections import Counter, defaultdict
from decimal import Decimal
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from conftest import FIXTURES, ROWS

import fecscan
from fecscan import _program


@pytest.fixture(params=["plain", "gzip", "zip"])
def path(request, files):
    return getattr(files, request.param)


def test_the_report_is_that_of_a_slow_program(path, rows):
    report = fecscan.report(path, top=5, name=[0, 7, ROWS])
    first_names = Counter(found[1] for row in rows if (found := re.search(r", \s*([^, ]+)", row["NAME"].strip())))
    months = Counter(f"{row['IMAGE_NUM'][:4]}-{row['IMAGE_NUM'][4:6]}" for row in rows)
    assert report["lines"] == ROWS
    assert report["names"] == [
        {"index": 0, "name": rows[0]["NAME"].strip()},
        {"index": 7, "name": rows[7]["NAME"].strip()},
        {"index": ROWS, "name": None},
    ]
    assert report["months"] == [{"month": month, "lines": months[month]} for month in sorted(months)]
    top = sorted(first_names.items(), key=lambda item: (-item[1], item[0]))[:5]
    assert report["first_names"] == [{"first_name": name, "lines": lines} for name, lines in top]
    assert report["distinct_first_names"] == len(first_names)
    assert report["files"] == [
        {"path": os.fspath(path), "bytes": sum(len("|".join(row.values())) + 1 for row in rows), "lines": ROWS}
    ]


def test_a_count_is_that_of_wc(files):
    said = subprocess.run(["wc", "-l", files.plain], stdout=subprocess.PIPE, check=True).stdout
    assert fecscan.count(files.plain)["lines"] == int(said.split()[0])
    assert [file["lines"] for file in fecscan.count([files.plain, files.zip, files.gzip])["files"]] == [ROWS] * 3


def test_conditions_must_all_hold(path, rows):
    expected = sum(row["STATE"] in ("CA", "NY") and Decimal(row["TRANSACTION_AMT"]) >= 1000 for row in rows)
    assert fecscan.count(path, where=["STATE IN ('CA', 'NY')", "amount >= 1000"])["lines"] == expected > 0
    report = fecscan.report(path, where=["STATE IN ('CA', 'NY')", "amount >= 1000"], schema="indiv")
    assert (report["lines"], report["lines_scanned"]) == (expected, ROWS)


def test_groups_are_those_of_a_slow_program(path, rows):
    groups = defaultdict(list)
    for row in rows:
        groups[row["STATE"], row["TRANSACTION_DT"][4:]].append(row)
    aggregates = ["min(amount), min(date) AS first", "avg(amount)", "count(DISTINCT NAME) AS donors"]
    found = fecscan.by(path, ["STATE", "year(date) AS year"], sum="amount", agg=aggregates)
    assert len(found) == len(groups)
    assert list(found[0]) == ["STATE", "year", "count", "sum(amount)", "min(amount)", "first", "avg(amount)", "donors"]
    for group in found:
        inside = groups[group["STATE"], "" if group["year"] is None else str(group["year"])]
        amounts = [Decimal(row["TRANSACTION_AMT"]) for row in inside]
        days = [datetime.datetime.strptime(row["TRANSACTION_DT"], "%m%d%Y").date() for row in inside if row["TRANSACTION_DT"]]
        assert group["count"] == len(inside)
        assert group["sum(amount)"] == sum(amounts)
        assert group["min(amount)"] == min(amounts)
        assert group["first"] == min(days, default=None)
        assert abs(group["avg(amount)"] - float(sum(amounts)) / len(amounts)) < 1e-6
        assert group["donors"] == len({row["NAME"] for row in inside})
        assert type(group["sum(amount)"]) is Decimal and type(group["count"]) is int


def test_statements_have_values_of_their_types(path, rows, tmp_path):
    statement = """SELECT STATE, count(*) AS count, sum(amount) AS total, avg(amount) AS mean, max(date) AS last, min(FILE_NUM) AS file,
        sum(amount) > 10000 AS is_large, min(nullif(FILE_NUM, FILE_NUM)) AS nothing FROM indiv GROUP BY STATE ORDER BY STATE"""
    groups = defaultdict(list)
    for row in rows:
        groups[row["STATE"]].append(row)
    found = fecscan.sql(statement, path, schema="indiv")
    assert [group["STATE"] for group in found] == sorted(groups, key=str.encode)
    for group in found:
        inside = groups[group["STATE"]]
        total = sum(Decimal(row["TRANSACTION_AMT"]) for row in inside)
        days = [datetime.datetime.strptime(row["TRANSACTION_DT"], "%m%d%Y").date() for row in inside if row["TRANSACTION_DT"]]
        assert (group["count"], group["total"], group["is_large"], group["nothing"]) == (len(inside), total, total > 10000, None)
        assert abs(group["mean"] - float(total) / len(inside)) < 1e-6 and group["last"] == max(days, default=None)
        assert group["file"] == min(int(row["FILE_NUM"]) for row in inside)
        assert [type(group[name]) for name in ("count", "total", "mean", "file")] == [int, Decimal, float, int]
    table = pyarrow.table(fecscan.scan(path, schema="indiv").sql(statement))
    assert table.column("total").to_pylist() == [group["total"] for group in found]
    written = tmp_path / "groups.parquet"
    subprocess.run([_program.program(), "sql", "--schema=indiv", "-q", "-o", written, statement, path], check=True)
    assert pyarrow.parquet.read_table(written).to_pylist() == table.to_pylist()
    assert fecscan.sql(f"SELECT count(*) AS n FROM '{path}'") == [{"n": ROWS}]


def test_statements_are_refused_with_their_place(path):
    with pytest.raises(fecscan.Error, match="no column employr in indiv; did you mean EMPLOYER"):
        fecscan.sql("SELECT employr FROM indiv", path, schema="indiv")
    with pytest.raises(ValueError, match="leave columns, head and sample out"):
        fecscan.scan(path, head=5).sql("SELECT 1 FROM indiv")


def test_groups_as_arrow_are_the_same(path):
    options = {"sum": "amount", "agg": "max(amount), avg(amount), count(DISTINCT NAME)", "sort": "STATE", "top": 20}
    table = pyarrow.table(fecscan.scan(path).by("STATE", **options))
    assert table.to_pylist() == fecscan.by(path, "STATE", **options)


@pytest.fixture
def sales(tmp_path):
    """A small table of another kind."""
    path = tmp_path / "sales.csv"
    rows = ["Nome,2017,1.125,2018-01-31", "Nome,2017,2.250,2018-01-02", "Nome,2017,9.000,", "Kiana,2018,4.500,2018-03-01"]
    path.write_text("\n".join(["city,year,price,day", *rows]) + "\n")
    return path


OF_SALES = {"header": True, "types": ["price=number:3", "day=date"], "sort": "city"}


def by_of_rows(path, keys, **options):
    return fecscan.scan(path, header=True).by(keys, **options).to_arrow().to_pylist()


@pytest.mark.parametrize("by", [fecscan.by, by_of_rows])
def test_keys_sums_and_aggregates_have_the_order_of_the_call(sales, by):
    years = [f"sum(price) FILTER (WHERE year = '{year}') AS y{year}" for year in (2017, 2018)]
    found = by(sales, ["city", "length(city)"], agg=[*years, "avg(price)"], sum=["price", "price * 2"], **OF_SALES)
    assert [list(group.values()) for group in found] == [
        ["Kiana", 5, 1, Decimal("4.500"), Decimal("9.000"), None, Decimal("4.500"), 4.5],
        ["Nome", 4, 3, Decimal("12.375"), Decimal("24.750"), Decimal("12.375"), None, 4.125],
    ]
    assert list(found[0]) == ["city", "length(city)", "count", "sum(price)", "sum(price * 2)", "y2017", "y2018", "avg(price)"]


@pytest.mark.parametrize("by", [fecscan.by, by_of_rows])
def test_days_are_dates(sales, by):
    nome = by(sales, ["city"], agg="min(day), max(day) FILTER (WHERE year = '2018') AS last", **OF_SALES)[1]
    assert (nome["min(day)"], nome["last"]) == (datetime.date(2018, 1, 2), None)
    days = [group["day"] for group in by(sales, "day", **{**OF_SALES, "sort": "day DESC"})]
    assert days == [*(datetime.date(2018, month, day) for month, day in ((3, 1), (1, 31), (1, 2))), None]


def test_types_of_rows_are_those_of_their_groups(sales):
    for types in (OF_SALES["types"], ",".join(OF_SALES["types"])):
        found = fecscan.scan(sales, header=True, types=types).by("city", sum="price", sort="city").to_arrow().to_pylist()
        assert [group["sum(price)"] for group in found] == [Decimal("4.500"), Decimal("12.375")]
    # Groups have no form of values.
    for form in ("raw", "typed"):
        assert fecscan.scan(sales, header=True, types=form).by("city").to_arrow().num_rows == 2


def test_keys_are_texts_whatever_their_names(tmp_path):
    path = tmp_path / "groups.csv"
    path.write_text("min(d),max(v),n\n,5,1\n2018-01-31,,2\nx,2018-01-31,3\n")
    found = fecscan.by(path, ['"min(d)"', '"max(v)"'], header=True, sort='"min(d)"')
    assert [(group["min(d)"], group["max(v)"]) for group in found] == [("", "5"), ("2018-01-31", ""), ("x", "2018-01-31")]


def test_raw_rows_are_the_texts_of_the_file(path, files):
    with open(files.plain, newline="", encoding="ascii") as lines:
        expected = list(csv.reader(lines, delimiter="|", quoting=csv.QUOTE_NONE))
    table = pyarrow.table(fecscan.scan(path, types="raw"))
    assert list(map(list, zip(*table.to_pydict().values(), strict=True))) == expected


def test_typed_rows_are_decimals_dates_and_integers(path, rows):
    read = pyarrow.table(fecscan.scan(path, columns=["amount", "date", "SUB_ID", "EMPLOYER"])).to_pylist()
    for got, row in zip(read, rows, strict=True):
        day = row["TRANSACTION_DT"]
        assert got["TRANSACTION_AMT"] == Decimal(row["TRANSACTION_AMT"])
        assert got["TRANSACTION_DT"] == (datetime.datetime.strptime(day, "%m%d%Y").date() if day else None)
        assert got["SUB_ID"] == int(row["SUB_ID"])
        assert got["EMPLOYER"] == row["EMPLOYER"]


def test_options_reach_the_program(files, rows, tmp_path):
    committees = tmp_path / "cm.txt"
    fecscan.generate(committees, 10_000, schema="cm", threads=1)
    names = {line.split("|")[0]: line.split("|")[1] for line in committees.read_text("ascii").splitlines()}
    table = pyarrow.table(
        fecscan.scan(files.plain, columns=["CMTE_NM", "NAME"], head=500, with_=committees, threads=2, io="read", simd="portable")
    )
    assert table["CMTE_NM"].to_pylist() == [names[row["CMTE_ID"]] for row in rows[:500]]
    archive = FIXTURES / "indiv18.zip"
    with zipfile.ZipFile(archive) as members:
        lines = sum(members.read(name).count(b"\n") for name in members.namelist() if name.startswith("by_date/"))
    assert fecscan.count(archive, member="by_date/*", max_member_bytes="1G")["lines"] == lines
    with pytest.raises(fecscan.Error, match="slices in by_date have"):
        fecscan.count(archive, slices=True)
    rejects = tmp_path / "odd.csv"
    assert fecscan.report(FIXTURES / "columns.txt", rejects=rejects)["lines"] == 17
    assert len(rejects.read_text().splitlines()) == 1 + 16


def test_slices_have_the_same_rows(sliced):
    with pytest.warns(fecscan.Note, match="7 slices in by_date are read instead of itcont.txt"):
        by_slices = fecscan.by(sliced, "STATE", sum="amount", slices=True)
    with pytest.warns(fecscan.Note, match="7 members in a folder are left out"):
        assert fecscan.by(sliced, "STATE", sum="amount") == by_slices
    with pytest.warns(fecscan.Note, match="slices"):
        report = fecscan.report(sliced, slices=True)
    assert report["lines"] == ROWS
    assert "20,000 lines" in report._repr_html_()


def test_a_generated_file_depends_on_the_seed(files, tmp_path):
    fecscan.generate(tmp_path / "one.txt", 100)
    fecscan.generate(tmp_path / "two.txt", 100, seed=2, hostile=True)
    assert files.plain.read_bytes().startswith((tmp_path / "one.txt").read_bytes())
    assert (tmp_path / "two.txt").read_bytes() != (tmp_path / "one.txt").read_bytes()


@pytest.mark.parametrize("form", [str, Path, os.fsencode, lambda path: [path], lambda path: iter((str(path),))])
def test_files_are_paths_of_any_form(files, form):
    assert fecscan.count(form(files.plain))["lines"] == ROWS


def test_names_of_files_are_taken_as_they_stand(files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in (b"--help", b"by", b"-f", b"\xff b.txt"):
        with open(name, "wb") as file:
            file.write(files.plain.read_bytes())
        assert fecscan.count(name)["lines"] == ROWS


def test_standard_input_is_a_file_too(files):
    script = "import fecscan; print(fecscan.count('-')['lines'])"
    with open(files.gzip, "rb") as rows:
        said = subprocess.run([os.sys.executable, "-c", script], stdin=rows, stdout=subprocess.PIPE, check=True).stdout
    assert int(said) == ROWS
    with pytest.raises(ValueError, match="standard input"):
        fecscan.scan("-")


def test_a_notebook_shows_the_report(tmp_path):
    odd = tmp_path / "<b>itcont&.txt"
    odd.write_bytes((FIXTURES / "plain.txt").read_bytes().replace(b"A", b"<"))
    html = fecscan.report(odd, name=0, force=True)._repr_html_()
    assert "&lt;b&gt;itcont&amp;.txt" in html and "<b>itcont" not in html
    assert re.search(r"<td>[^<]*&lt;[^<]*</td>", html)
