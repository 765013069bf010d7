"""Spark with two executors of one core each, which are killed while they read.

ci/python tests/test_spark.py              all of it, with few kills
ci/python tests/test_spark.py -s -k killed --kills 100
"""

import os
import zipfile
from collections import Counter

import pyarrow
import pytest
from conftest import FIXTURES
from spark_bed import CHECKS, RANGE_BYTES, ROWS, eight, expected, rows, spark_session, sums

import fecscan
import fecscan.spark

# py4j leaves sockets open, and Spark warns of pandas.
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("executors")


@pytest.fixture(scope="module")
def spark(folder):
    with spark_session("local-cluster[2,1,1024]", folder) as session:
        yield session


@pytest.mark.parametrize("check", CHECKS)
def test_results_are_those_of_one_process(spark, eight, expected, check):
    check(spark, eight, expected)


def test_results_are_exact_while_executors_are_killed(spark, folder, eight, expected, kills):
    """Each run asks all questions. In one of them, an executor is killed while it reads one of the files."""
    # The shortest file is read too fast.
    files = [path for path in eight if path.stat().st_size > 1000]
    for run in range(kills):
        killed, path = (run + run // len(files)) % len(CHECKS), files[run % len(files)]
        for number, check in enumerate(CHECKS):
            if number == killed:
                # Appears with its content.
                (folder / "next").write_text(os.fspath(path))
                (folder / "next").rename(folder / "kill")
            check(spark, eight, expected)
        (folder / "killed").unlink()
        print(f"run {run + 1}: exact. An executor was killed that read {path.name} for question {killed + 1}", flush=True)


def test_rows_are_those_of_read(spark, eight):
    columns = "SUB_ID,NAME,amount,date,month(date)"
    read = pyarrow.table(fecscan.scan(eight[:1], columns=columns.split(","), where=["STATE IN ('CA', 'NY')", "amount >= 1000"]))
    frame = rows(spark, eight[:1], columns=columns, where="""["STATE IN ('CA', 'NY')", "amount >= 1000"]""")
    assert frame.columns == read.column_names
    assert [row.asDict() for row in frame.collect()] == read.to_pylist()


def test_a_filter_of_spark_is_spark_s(spark, eight):
    counts = Counter(pyarrow.table(fecscan.scan(eight[0], columns="STATE"))["STATE"].to_pylist())
    frame = rows(spark, eight[:1])
    ohio, iowa = frame.where("STATE = 'OH'"), frame.where("STATE = 'IA'")
    assert ohio.union(iowa).groupBy("STATE").count().collect() == [("OH", counts["OH"]), ("IA", counts["IA"])]


def test_raw_rows_are_texts(spark, eight):
    read = pyarrow.table(fecscan.scan(eight[0], types="raw", columns=["amount", "EMPLOYER"], head=100))
    frame = rows(spark, eight[:1], types="raw", columns="amount,EMPLOYER")
    assert [row.asDict() for row in frame.limit(100).collect()] == read.to_pylist()


def test_a_schema_of_the_user_chooses_columns(spark, eight):
    frame = spark.read.format("fecscan").schema("TRANSACTION_AMT DECIMAL(14, 2), NAME STRING").load(os.fspath(eight[0]))
    read = pyarrow.table(fecscan.scan(eight[0], columns=["TRANSACTION_AMT", "NAME"], head=20))
    assert [row.asDict() for row in frame.limit(20).collect()] == read.to_pylist()
    # Other types are converted if that is safe.
    amounts = spark.read.format("fecscan").schema("TRANSACTION_AMT DOUBLE").load(os.fspath(eight[0])).limit(20)
    assert [row.TRANSACTION_AMT for row in amounts.collect()] == [float(row["TRANSACTION_AMT"]) for row in read.to_pylist()]
    with pytest.raises(Exception, match="Failed to parse string"):
        spark.read.format("fecscan").schema("NAME INT").load(os.fspath(eight[0])).collect()


def test_names_can_be_patterns(spark, eight):
    pattern = os.fspath(eight[0].with_name("itcont[12].txt"))
    assert spark.read.format("fecscan").load(pattern).count() == 2 * ROWS
    assert fecscan.spark.by(spark, pattern, "STATE") == fecscan.by(eight[:2], "STATE")


def test_slices_are_partitions(spark, sliced):
    whole, slices = rows(spark, [sliced]), rows(spark, [sliced], slices="true")
    assert (whole.rdd.getNumPartitions(), slices.rdd.getNumPartitions()) == (1, 7)
    assert sums(slices) == sums(whole)
    assert len(fecscan.spark.plan(sliced, RANGE_BYTES, slices=True)) == 7
    assert fecscan.spark.by(spark, sliced, "STATE", slices=True) == fecscan.by(sliced, "STATE")
    assert fecscan.spark.count(spark, sliced, slices=True) == fecscan.count(sliced)
    report = fecscan.spark.report(spark, sliced, slices=True, top=3)
    assert report == {**fecscan.report(sliced, top=3), "names": []}
    # Both sums, before any task starts.
    refused = FIXTURES / "indiv18.zip"
    for call in (
        lambda: rows(spark, [refused], slices="true").count(),
        lambda: fecscan.spark.by(spark, refused, "STATE", slices=True),
        lambda: fecscan.spark.count(spark, refused, slices=True),
    ):
        with pytest.raises(Exception, match="4 slices in by_date have 3263267 bytes together, and itcont.txt has 9588399"):
            call()


def test_slices_are_planned_as_the_program_counts_them(sliced, tmp_path):
    def slices(program_range):
        options = {"format": "csv", "slices": True, "schema": "indiv", "range": program_range, "files": path}
        return fecscan._program.run(fecscan._options.command("export", options), notes=False).count(b"\n") - 1

    path = tmp_path / "odd.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("by_date/", b"")
        archive.writestr("by_date/empty.txt", b"")
        archive.writestr("by_date/b.TXT", b"b\nb\n")
        archive.writestr("by_date/notes.csv", b"others\n")
        archive.writestr("by_date/folder\\others.txt", b"others\n")
        archive.writestr("itcont.txt", b"a\nb\nb\nc\nc\nc\nd\nd\nd\nd\n")
        archive.writestr("by_date/older/a.txt", b"a\n")
        archive.writestr("by_date/a.txt", b"a\n")
        archive.writestr("by_date/c.txt", b"c\nc\nc\n")
        # zipfile cuts names at a NUL, but for those set later.
        nul = zipfile.ZipInfo("by_date/d")
        nul.filename = "by_date/d\0.txt"
        archive.writestr(nul, b"d\nd\nd\nd\n")
        archive.writestr("by_date/last.txt", b"")
    pieces = fecscan.spark.plan(path, RANGE_BYTES, slices=True)
    assert [slices(piece.range) for piece in pieces] == [2, 1, 3, 4]
    path = sliced
    assert [slices(piece.range) for piece in fecscan.spark.plan(path, 1, slices=True)] == [3000] * 6 + [2000]


def test_groups_as_arrow(spark, eight):
    table = pyarrow.table(fecscan.spark.groups(spark, eight, "STATE", sum="amount"))
    assert table.to_pylist() == fecscan.by(eight, "STATE", sum="amount")


STATEMENTS = [
    "SELECT STATE, count(*), sum(amount), median(amount), count(DISTINCT CITY), arg_max(NAME, amount) FROM indiv GROUP BY STATE",
    "SELECT month(date) AS month, ENTITY_TP, avg(amount), rank() OVER (ORDER BY count(*) DESC) FROM indiv WHERE amount >= 100 "
    "GROUP BY ROLLUP (month(date), ENTITY_TP) HAVING count(*) > 10 ORDER BY ALL LIMIT 20",
]


def test_statements_of_sql(spark, eight):
    for statement in STATEMENTS:
        answered = fecscan.spark.sql(spark, statement, eight, range_bytes=RANGE_BYTES)
        assert answered == fecscan.sql(statement, eight)
    with pytest.raises(Exception, match="selects rows of indiv, and a partial holds groups"):
        fecscan.spark.sql(spark, "SELECT STATE FROM indiv", eight)
    with pytest.raises(TypeError, match="unexpected keyword argument 'where'"):
        fecscan.spark.sql(spark, STATEMENTS[0], eight, where="amount > 5")


def test_statements_join_files(spark, eight, tmp_path):
    fecscan.generate(tmp_path / "cm.txt", 1000, schema="cm")
    statement = "SELECT CMTE_TP, count(*), sum(amount) FROM cm LEFT JOIN indiv ON cm.CMTE_CITY = indiv.CITY GROUP BY 1 ORDER BY 1"
    expected = fecscan.sql(statement, [eight[0], tmp_path / "cm.txt"])
    assert fecscan.spark.sql(spark, statement, eight[0], joined=tmp_path / "cm.txt", range_bytes=RANGE_BYTES) == expected


def test_joined_files(spark, eight, tmp_path):
    fecscan.generate(tmp_path / "cm.txt", 10_000, schema="cm")
    options = {"sum": "amount", "with_": tmp_path / "cm.txt", "where": "CMTE_PTY_AFFILIATION IN ('DEM', 'REP')"}
    expected = fecscan.by(eight[0], "CMTE_PTY_AFFILIATION", **options)
    assert fecscan.spark.by(spark, eight[0], "CMTE_PTY_AFFILIATION", range_bytes=RANGE_BYTES, **options) == expected
    frame = rows(spark, eight[:1], columns="CMTE_NM", **{"with": tmp_path / "cm.txt"})
    assert frame.count() == ROWS


def test_each_partner_of_a_row_counts(spark, eight, tmp_path):
    fecscan.generate(tmp_path / "ccl.txt", 10_000, schema="ccl")
    options = {"with_": tmp_path / "ccl.txt", "sum": "amount"}
    with pytest.warns(fecscan.Note, match="have several matches in ccl, each of which is a row"):
        expected = fecscan.by(eight[0], "CAND_ID", **options)
    assert sum(group["count"] for group in expected) > ROWS
    assert fecscan.spark.by(spark, eight[0], "CAND_ID", range_bytes=RANGE_BYTES, **options) == expected


def test_errors_have_the_program_s_message(spark, eight, tmp_path):
    with pytest.raises(Exception, match="no column STAET in indiv; did you mean STATE"):
        fecscan.spark.by(spark, eight[0], "STAET")
    with pytest.raises(Exception, match="indiv has no column 'STAET'; did you mean STATE"):
        rows(spark, eight[:1], columns="STAET")
    with pytest.raises(Exception, match="unknown option wher"):
        rows(spark, eight[:1], wher="STATE = 'CA'")
    with pytest.raises(Exception, match="missing.txt"):
        rows(spark, ["/missing.txt"])
    for option in ("range", "partial"):
        with pytest.raises(ValueError, match=f"{option} is not possible: each task reads"):
            fecscan.spark.count(spark, eight[0], **{option: "0:9"})
    damaged = tmp_path / "damaged.gz"
    raw = bytearray(eight[5].read_bytes())
    raw[-5] ^= 0xFF
    damaged.write_bytes(raw)
    for call in (lambda: rows(spark, [damaged]).count(), lambda: fecscan.spark.report(spark, [eight[0], damaged])):
        with pytest.raises(Exception, match="checksum"):
            call()


def test_a_file_that_changes_after_the_plan_is_refused(tmp_path):
    path = tmp_path / "itcont.txt"
    fecscan.generate(path, ROWS)
    schema = pyarrow.schema([("NAME", pyarrow.string())])
    pieces = fecscan.spark.plan(path, RANGE_BYTES)
    reader = fecscan.spark.FecscanReader({"format": "arrow", "columns": "NAME"}, schema, pieces)
    batches = [batch for piece in pieces for batch in reader.read(piece)]
    assert sum(batch.num_rows for batch in batches) == ROWS
    changed = path.stat().st_mtime_ns
    reading = reader.read(pieces[0])
    next(reading)
    os.utime(path, ns=(changed, changed + 1))
    with pytest.raises(fecscan.Error, match="has changed since the driver planned"):
        list(reading)
    with pytest.raises(fecscan.Error, match="has changed since the driver planned"):
        next(reader.read(pieces[1]))


def test_each_core_has_a_few_ranges(spark, eight, monkeypatch):
    size = sum(path.stat().st_size for path in eight)
    assert spark.sparkContext.defaultParallelism == 2
    assert fecscan.spark._range_bytes(spark, eight) == fecscan.spark.RANGE_BYTES
    monkeypatch.setattr(fecscan.spark, "RANGE_BYTES", 1000)
    assert size / 8 <= fecscan.spark._range_bytes(spark, eight) < size / 8 + 1
    monkeypatch.setattr(fecscan.spark, "RANGE_BYTES_MAX", 2000)
    assert fecscan.spark._range_bytes(spark, eight) == 2000
    # Spark Connect has no such attribute.
    assert fecscan.spark._range_bytes(None, eight) == 1000


def test_files_may_be_an_iterator(spark, eight):
    assert fecscan.spark.count(spark, iter(eight)) == fecscan.spark.count(spark, eight)


def test_plans_cut_plain_files_only(eight):
    pieces = fecscan.spark.plan(eight, RANGE_BYTES)
    for path in eight:
        ranges = [piece.range for piece in pieces if piece.path == os.fspath(path)]
        if path.suffix == ".txt" and path.stat().st_size > RANGE_BYTES:
            starts, ends = zip(*(cut.split(":") for cut in ranges), strict=True)
            assert [*starts, ""] == ["0", *ends]
            assert all(int(end) < path.stat().st_size for end in ends[:-1])
        else:
            assert ranges == [None]
    # Formats that the program refuses are left to it.
    assert fecscan.spark.plan(FIXTURES / "empty.txt", 10)[0].range is None
