"""A Spark session whose executors run a stand-in of the program, files, and checks of results."""

import gzip
import os
import sys
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path

import pyarrow
import pytest
from pyspark.sql import SparkSession

import fecscan
import fecscan.spark

ROWS = 30_000
RANGE_BYTES = 2_500_000


@contextmanager
def spark_session(master, folder):
    """Starts a session. Tests put files for the stand-in (executor.py) into the folder."""
    stand_in = folder / "program"
    stand_in.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{Path(__file__).with_name('executor.py')}' \"$@\"\n")
    stand_in.chmod(0o755)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.deploy.maxExecutorRetries": "-1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "1g",
        "spark.executorEnv.FECSCAN_BINARY": os.fspath(stand_in),
        "spark.executorEnv.FECSCAN_FOLDER": os.fspath(folder),
        "spark.executorEnv.FECSCAN_REAL": fecscan._program.program(),
        "spark.log.level": "FATAL",
        "spark.speculation": "true",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    fecscan.spark.register(session)
    try:
        yield session
    finally:
        session.stop()


@pytest.fixture(scope="module")
def eight(tmp_path_factory):
    """Eight files: five plain ones, one of them short and one without its last newline, gzip, and two archives with slices."""
    folder = tmp_path_factory.mktemp("eight")
    files = []
    for seed in range(1, 9):
        path = folder / f"itcont{seed}.txt"
        fecscan.generate(path, 7 if seed == 4 else ROWS, seed=seed)
        raw = path.read_bytes()
        if seed == 5:
            path.write_bytes(raw[:-1])
        if seed == 6:
            path = folder / "six.gz"
            path.write_bytes(gzip.compress(raw, 1))
        if seed > 6:
            path = folder / f"indiv{seed}.zip"
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                archive.writestr("itcont.txt", raw)
                lines = raw.splitlines(keepends=True)
                for number, bounds in enumerate([slice(0, 9000), slice(9000, 9001), slice(9001, None)]):
                    archive.writestr(f"by_date/itcont_{number}.txt", b"".join(lines[bounds]))
        files.append(path)
    return files


QUESTIONS = [
    ("STATE", {"sum": "amount"}),
    (
        ["date_trunc('month', date) AS month", "ENTITY_TP"],
        {"sum": "amount", "agg": "max(amount)", "where": "amount >= 100", "sort": "month, ENTITY_TP", "slices": True},
    ),
    ("first_name(name)", {"agg": "count(DISTINCT CMTE_ID), median(amount)", "top": 50, "contributions": True}),
]
COUNTS: list = [{}, {"where": "amount >= 100", "slices": True}]


def rows(spark, files, **options):
    reader = spark.read.format("fecscan").option("range_bytes", RANGE_BYTES)
    for name, value in options.items():
        reader = reader.option(name, value)
    return reader.load([os.fspath(file) for file in files])


def sums(frame):
    """Returns figures that lost, doubled or changed rows would change."""
    return frame.selectExpr("count(*)", "sum(TRANSACTION_AMT)", "sum(crc32(concat(NAME, SUB_ID)))").collect()[0]


@pytest.fixture(scope="module")
def expected(eight):
    """Answers of one process, and figures of the rows by pyarrow and Python."""
    table = pyarrow.table(fecscan.scan(eight, columns=["TRANSACTION_AMT", "NAME", "SUB_ID"]))
    texts = zip(table["NAME"].to_pylist(), table["SUB_ID"].to_pylist(), strict=True)
    figures = (
        table.num_rows,
        sum(table["TRANSACTION_AMT"].to_pylist()),
        sum(zlib.crc32(f"{name}{number}".encode()) for name, number in texts if name is not None and number is not None),
    )
    return {
        "rows": figures,
        "report": fecscan.report(eight, top=5),
        "groups": [fecscan.by(eight, keys, **options) for keys, options in QUESTIONS],
        "counts": [fecscan.count(eight, **options) for options in COUNTS],
    }


def check_report(spark, eight, expected):
    assert fecscan.spark.report(spark, eight, top=5, range_bytes=RANGE_BYTES) == expected["report"]


def groups_check(number):
    def check_groups(spark, eight, expected):
        keys, options = QUESTIONS[number]
        assert fecscan.spark.by(spark, eight, keys, range_bytes=RANGE_BYTES, **options) == expected["groups"][number]

    return check_groups


def counts_check(number):
    def check_counts(spark, eight, expected):
        assert fecscan.spark.count(spark, eight, range_bytes=RANGE_BYTES, **COUNTS[number]) == expected["counts"][number]

    return check_counts


def check_rows(spark, eight, expected):
    assert tuple(sums(rows(spark, eight))) == expected["rows"]


CHECKS = [
    check_report,
    *map(groups_check, range(len(QUESTIONS))),
    *map(counts_check, range(len(COUNTS))),
    check_rows,
]
