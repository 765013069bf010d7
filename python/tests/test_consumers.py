"""One line from a zip archive to a table of pandas, Polars, DuckDB and pyarrow, and their errors."""

from decimal import Decimal

import duckdb
import pandas
import polars
import pyarrow
import pytest
from conftest import FIXTURES, ROWS

import fecscan

READERS = {
    "pyarrow": pyarrow.table,
    "pandas": pandas.DataFrame.from_arrow,
    "polars": polars.DataFrame,
    "lazy": lambda rows: rows.to_lazy().collect(),
    "duckdb": lambda rows: duckdb.sql("FROM rows").fetchall(),
}


@pytest.fixture(params=READERS)
def reader(request):
    return READERS[request.param]


def test_every_reader_gets_all_rows(reader, files):
    assert len(reader(fecscan.scan(files.zip))) == ROWS


def test_pandas(files, rows):
    table = pandas.DataFrame.from_arrow(fecscan.scan(files.zip))
    assert table["TRANSACTION_AMT"].sum() == sum(Decimal(row["TRANSACTION_AMT"]) for row in rows)
    assert table["NAME"].tolist() == [row["NAME"] for row in rows]


def test_polars(files):
    table = polars.DataFrame(fecscan.scan(files.zip, types="raw"))
    expected = polars.read_csv(files.plain, separator="|", has_header=False, quote_char=None, infer_schema=False)
    assert table.rows() == expected.fill_null("").rows()


def test_duckdb(files, rows):
    contributions = fecscan.scan(files.zip)  # noqa: F841
    sums = duckdb.sql("SELECT count(*), sum(TRANSACTION_AMT) FROM contributions WHERE STATE = 'CA'")
    expected = [Decimal(row["TRANSACTION_AMT"]) for row in rows if row["STATE"] == "CA"]
    assert sums.fetchall() == [(len(expected), sum(expected))]


def test_pyarrow_reads_batches_as_they_come(long):
    with pyarrow.RecordBatchReader.from_stream(fecscan.scan(long)) as batches:
        sizes = [batch.num_rows for batch in batches]
    assert sum(sizes) == ROWS * len(long)
    assert len(sizes) > 1


def test_tables_name_their_columns(files):
    rows = fecscan.scan(files.zip, columns=["name", "amount"])
    groups = fecscan.scan(files.zip).by("state", sum="amount", agg="max(date)")
    assert (rows.columns, groups.columns) == (["NAME", "TRANSACTION_AMT"], ["state", "count", "sum(amount)", "max(date)"])
    assert repr(rows).startswith("<fecscan.Rows of NAME, TRANSACTION_AMT: ")
    assert repr(groups).startswith("<fecscan.Groups of state, count, sum(amount), max(date): ")


def test_rows_can_be_read_again(files):
    rows = fecscan.scan(files.zip, columns="NAME")
    assert pyarrow.table(rows) == pyarrow.table(rows)


def test_columns_are_known_before_rows_are_read(files):
    rows = fecscan.scan(files.plain, columns=["amount", "NAME"])
    assert pyarrow.schema(rows).names == ["TRANSACTION_AMT", "NAME"]
    assert pyarrow.schema(fecscan.scan(files.plain).by("STATE")).names == ["STATE", "count"]


def damaged(path, at, folder):
    raw = bytearray(path.read_bytes())
    raw[at] ^= 0xFF
    (folder / path.name).write_bytes(raw)
    return folder / path.name


def test_no_reader_takes_damage_for_the_end(reader, files, tmp_path):
    for path in (files.gzip, files.zip):
        middle = damaged(path, path.stat().st_size // 2, tmp_path)
        with pytest.raises(Exception, match="is damaged"):
            reader(fecscan.scan(middle))
    # All rows are right, and only the checksum of the gzip file is not.
    with pytest.raises(Exception, match="checksum"):
        reader(fecscan.scan(damaged(files.gzip, -5, tmp_path)))


def test_no_reader_takes_a_missing_second_file_for_the_end(reader, files):
    with pytest.raises(Exception, match="missing.txt: No such file"):
        reader(fecscan.scan([files.plain, "missing.txt"]))


def test_no_reader_takes_a_cut_file_for_the_end(reader, files, tmp_path):
    (tmp_path / "cut.gz").write_bytes(files.gzip.read_bytes()[:-9])
    with pytest.raises(Exception, match="cut.gz"):
        reader(fecscan.scan(tmp_path / "cut.gz"))


def test_notes_are_warnings_at_the_end(reader):
    archive = fecscan.scan(FIXTURES / "indiv18.zip")
    with pytest.warns(fecscan.Note, match="4 members in a folder are left out"):
        assert len(reader(archive)) == 50_000


def test_methods_make_the_same_tables(files, rows):
    scanned = fecscan.scan(files.zip, columns=["NAME", "amount", "date"], where="amount >= 100")
    expected = [row for row in rows if Decimal(row["TRANSACTION_AMT"] or 0) >= 100]
    assert scanned.to_arrow() == pyarrow.table(scanned)
    assert scanned.to_polars().equals(polars.DataFrame(scanned))
    table = scanned.to_pandas()
    assert str(table["TRANSACTION_AMT"].dtype) == "float64"
    assert str(table["TRANSACTION_DT"].dtype).startswith("datetime64")
    assert table["TRANSACTION_AMT"].sum() == float(sum(Decimal(row["TRANSACTION_AMT"]) for row in expected))
    assert table["NAME"].tolist() == [row["NAME"] for row in expected]
    exact = scanned.to_pandas(decimals=True)
    assert exact["TRANSACTION_AMT"].tolist() == [Decimal(row["TRANSACTION_AMT"]) for row in expected]


def test_rows_are_grouped_and_written_by_the_program(files, tmp_path):
    scanned = fecscan.scan(files.zip, columns="NAME", where="amount >= 100")
    groups = scanned.by(["STATE"], sum="amount", where="STATE <> 'CA'")
    same = fecscan.scan(files.zip).by("STATE", sum="amount", where=["amount >= 100", "STATE <> 'CA'"])
    assert groups.to_arrow() == same.to_arrow()
    scanned.write_parquet(tmp_path / "names.parquet")
    assert polars.read_parquet(tmp_path / "names.parquet").equals(scanned.to_polars())
    with pytest.raises(ValueError, match="leave head out"):
        fecscan.scan(files.zip, head=3).by("STATE")
