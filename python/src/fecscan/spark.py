"""Spark 4: rows as a data source, and reports, groups, counts and statements of SQL whose partials the driver merges.

Executors see the files at the same paths as the driver, and have this package. A plain file is cut into ranges, which
are read in parallel. A compressed file or an archive is read by one task, and an archive slice by slice if that is
wanted. Each task checks that its file is the one that the driver has seen.

    fecscan.spark.register(spark)
    rows = spark.read.format("fecscan").option("where", "STATE = 'CA'").load("/data/itcont.txt")
    fecscan.spark.by(spark, "/data/itcont.txt", "STATE", sum="amount")
    fecscan.spark.sql(spark, "SELECT STATE, sum(amount) FROM indiv GROUP BY STATE", "/data/itcont.txt")

Failed and speculative tasks add nothing: Spark hands over one result of each task. A partial says which bytes it
covers, so the merge would refuse gaps and repetitions.
"""

from __future__ import annotations

import glob
import itertools
import json
import os
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from ._arrow import Groups, Stream, listed
from ._options import ByOptions, Files, ReportOptions, ScanOptions, SqlOptions, Texts, command, many, refuse_unknown
from ._program import Error, run
from ._report import Report

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["FecscanDataSource", "by", "count", "groups", "register", "report", "sql"]

# As spark.sql.files.maxPartitionBytes.
RANGE_BYTES = 128 << 20
RANGE_BYTES_MAX = 1 << 30
# gzip, zstd and zip. What is missing here, the program would not cut either.
ARCHIVE = (b"PK\3\4", b"PK\5\6")
COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", *ARCHIVE)
# For each core, so that one that is slow or lost does not hold up the others for long.
TASKS = 4
# A task has one core, unless Spark gives it more.
TASK = {"threads": 1}
OPTIONS = {"by": ByOptions, "report": ReportOptions, "count": ScanOptions, "sql": SqlOptions}


@dataclass(frozen=True)
class Piece(InputPartition):
    """What one task reads: a file, or the lines or slices that begin in a range of its bytes."""

    path: str
    range: str | None
    size: int
    modified_ns: int

    def command(
        self, name: str, options: Mapping[str, Any], *positional: str, others: Iterable[str] = ()
    ) -> list[bytes]:
        """Returns the command line that reads this piece, and other files whole, if the file is as planned."""
        self.check()
        files = [self.path, *others]
        return command(name, {**TASK, **options, "range": self.range, "files": files}, *positional)

    def check(self) -> None:
        """Raises an error if the file is not as planned."""
        now = os.stat(self.path)
        if (now.st_size, now.st_mtime_ns) != (self.size, self.modified_ns):
            raise Error(f"{self.path}: has changed since the driver planned to read it; run the query again")


def plan(files: Files, range_bytes: int, *, slices: bool = False) -> list[Piece]:
    """Cuts files into pieces, in their order. A name that is no file is a pattern."""
    if range_bytes < 1:
        raise ValueError("range_bytes must be positive")
    pieces = []
    for path in _existing(files):
        found = os.stat(path)
        with open(path, "rb") as file:
            begin = file.read(4)
        ranges: list[str | None] = [None]
        if slices and begin.startswith(ARCHIVE):
            ranges = [*_tiling(_slices(path))]
        elif not begin.startswith(COMPRESSED) and found.st_size > range_bytes:
            ranges = [*_tiling(range(0, found.st_size, range_bytes))]
        pieces += [Piece(path, cut, found.st_size, found.st_mtime_ns) for cut in ranges]
    return pieces


def _tiling(starts: Iterable[int]) -> Iterator[str]:
    """Returns ranges from each of these bytes to the next. The last has no end, so that nothing is left over."""
    places = [str(start) for start in starts]
    return map(":".join, zip(places, [*places[1:], ""], strict=True))


def _slices(path: str) -> list[int]:
    """Returns where the slices of an archive begin, if their contents follow each other, as ranges of slices have it.

    The program checks that they have the bytes of the member that they repeat. Ranges from other bytes would tile them too.
    """
    run(command("count", {"slices": True, "range": "0:0", "files": path}), notes=False)
    with zipfile.ZipFile(path) as archive:
        slices = [member for member in archive.infolist() if _is_slice(member.orig_filename)]
    sizes = [member.file_size for member in slices if member.file_size]
    return [0, *itertools.accumulate(sizes[:-1])]


def _is_slice(name: str) -> bool:
    """Says whether the program takes a member for a slice. Its whole name counts: zipfile's filename ends before a NUL."""
    folder = name[: max(name.rfind("/"), name.rfind("\\")) + 1]
    return folder == "by_date/" and name.lower().endswith(".txt")


def _existing(files: Files) -> list[str]:
    """Returns the files that names and patterns mean."""
    found = []
    for name in map(os.fsdecode, many(files)):
        path = os.path.abspath(name.removeprefix("file://").removeprefix("file:"))
        found += [path] if os.path.exists(path) else sorted(glob.glob(path)) or [path]
    if not found:
        raise ValueError("there are no files to read: name at least one")
    return found


class FecscanDataSource(DataSource):
    """Rows of files, as ``spark.read.format("fecscan")`` reads them.

    Options have the names of ``fecscan export``; ``range_bytes`` is the size of ranges. Several conditions, or files to
    join, are an array of JSON: ``["STATE = 'CA'", "amount >= 1000"]``.
    """

    SCAN = (
        "columns",
        "where",
        "with",
        "on",
        "schema",
        "delimiter",
        "names",
        "names_from",
        "types",
        "quotes",
        "skip",
        "comment",
        "dates",
        "decimal_separator",
        "member",
        "max_member_bytes",
        "threads",
        "io",
        "simd",
    )
    FLAGS = ("contributions", "header", "slices")
    OTHERS = ("range_bytes", "path", "paths")

    @classmethod
    def name(cls) -> str:
        """Returns the name of the format."""
        return "fecscan"

    def schema(self) -> StructType:
        """Returns the columns, from the first file and the options."""
        first = _existing(self._files())[0]
        printed = run(command("export", {**self._scan(), "head": 0, "files": first}), notes=False)
        return from_arrow_schema(pyarrow.ipc.open_stream(printed).schema)

    def reader(self, schema: StructType) -> FecscanReader:
        """Returns the reader of the columns that Spark expects, in its order."""
        scan = self._scan()
        if not scan.get("columns"):
            # Columns of the first file, by their names.
            names = [name if name.startswith("#") else '"' + name.replace('"', '""') + '"' for name in schema.names]
            scan["columns"] = names
        range_bytes = int(self.options.get("range_bytes", RANGE_BYTES))
        pieces = plan(self._files(), range_bytes, slices=scan.get("slices", False))
        return FecscanReader(scan, to_arrow_schema(schema), pieces)

    def _files(self) -> list[str]:
        return _listed(self.options.get("paths") or self.options.get("path") or "")

    def _scan(self) -> dict[str, Any]:
        # Spark passes names in lower case.
        known = self.SCAN + self.FLAGS + self.OTHERS
        if unknown := set(self.options) - set(known):
            raise ValueError(f"unknown option {', '.join(sorted(unknown))}; there are {', '.join(known)}")
        scan: dict[str, Any] = {name: _listed(self.options[name]) for name in self.SCAN if name in self.options}
        flags = {name: self.options[name].lower() == "true" for name in self.FLAGS if name in self.options}
        return {"format": "arrow", **TASK, **scan, **flags}


def _listed(value: str) -> list[str]:
    """Returns the values of an option: an array of JSON, or one text."""
    if value.startswith("["):
        return [str(one) for one in json.loads(value)]
    return [value] if value else []


class FecscanReader(DataSourceReader):
    """Reads pieces as batches of Arrow.

    There is no pushFilters. In Spark 4.3.0, all scans of a frame read with the filters that were pushed last, so a union of two
    filtered frames loses the rows of the first. Spark pushes no filters to sources in Python unless a setting asks for it.
    """

    def __init__(self, scan: Mapping[str, Any], schema: pyarrow.Schema, pieces: list[Piece]) -> None:
        self._scan = scan
        self._schema = schema
        self._pieces = pieces

    def partitions(self) -> list[InputPartition]:
        """Returns the pieces."""
        return list(self._pieces)

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        """Reads a piece on an executor. If it fails, even at its end, Spark drops all of its batches."""
        assert isinstance(partition, Piece)
        stream = Stream(partition.command("export", self._scan), notes=False)
        for batch in pyarrow.RecordBatchReader.from_stream(stream):
            # In Spark, every column may be null, and there is no metadata.
            yield pyarrow.RecordBatch.from_arrays(batch.columns, schema=self._schema)
        partition.check()


def register(spark: SparkSession) -> None:
    """Registers the data source, for ``spark.read.format("fecscan").load(path)``."""
    spark.dataSource.register(FecscanDataSource)


def by(
    spark: SparkSession, files: Files, keys: Texts, *, range_bytes: int | None = None, **options: Unpack[ByOptions]
) -> list[dict[str, Any]]:
    """Counts rows and sums amounts by any columns, as ``fecscan.by``, on the executors.

    Each task makes the groups of a range of ``range_bytes``, of a compressed file, or with ``slices`` of a slice of an
    archive. Ranges have 128 MiB to 1 GiB, so that each core has a few of them. Groups cross the network, and not rows.
    They must fit the memory of the driver.
    """
    return listed(_merge(_partials(spark, files, range_bytes, "by", options, ", ".join(many(keys))), "arrow"))


def groups(
    spark: SparkSession, files: Files, keys: Texts, *, range_bytes: int | None = None, **options: Unpack[ByOptions]
) -> Groups:
    """Makes the groups of ``by``, as a table for pandas, Polars, DuckDB or pyarrow: take that for millions of groups."""
    return Groups(_merge(_partials(spark, files, range_bytes, "by", options, ", ".join(many(keys))), "arrow"))


def report(
    spark: SparkSession, files: Files, *, range_bytes: int | None = None, **options: Unpack[ReportOptions]
) -> Report:
    """Answers the four questions, as ``fecscan.report``, on the executors.

    The driver reads a block of a file for each name that is asked for. ``rejects`` is not possible.
    """
    if options.get("rejects") is not None:
        raise ValueError("rejects is not possible: tasks would write the same file")
    partials = _partials(spark, files, range_bytes, "report", options)
    return Report(json.loads(_merge(partials, "json")))


def count(
    spark: SparkSession, files: Files, *, range_bytes: int | None = None, **options: Unpack[ScanOptions]
) -> dict[str, Any]:
    """Counts newlines, or matching lines, as ``fecscan.count``, on the executors."""
    return dict(json.loads(_merge(_partials(spark, files, range_bytes, "count", options), "json")))


def sql(
    spark: SparkSession,
    statement: str,
    files: Files,
    *,
    joined: Files = (),
    range_bytes: int | None = None,
    **options: Unpack[SqlOptions],
) -> list[dict[str, Any]]:
    """Answers a statement of SQL, as ``fecscan.sql``, on the executors.

    FROM names ``files`` by their schema: ``FROM indiv``. Each task groups the rows of a range of them, and the statement goes on
    where partials merge. So it has GROUP BY or aggregates, and reads ``files`` once. Other tables that it names are ``joined``, files
    that each task reads whole, and the driver too.
    """
    return listed(_merge(_partials(spark, files, range_bytes, "sql", options, statement, others=joined), "arrow"))


def _partials(
    spark: SparkSession,
    files: Files,
    range_bytes: int | None,
    name: str,
    options: Mapping[str, Any],
    *positional: str,
    others: Files = (),
) -> list[bytes]:
    """Runs a command on the executors. Returns the partials of all pieces of the files, in their order."""
    if refused := {"range", "partial"} & options.keys():
        raise ValueError(f"{refused.pop()} is not possible: each task reads a range of its own")
    refuse_unknown(name, options, OPTIONS[name])
    # Once: they may be an iterator, and a pattern may match more a moment later.
    files = _existing(files)
    whole = _existing(others) if many(others) else []
    if range_bytes is None:
        range_bytes = _range_bytes(spark, files)
    pieces = plan(files, range_bytes, slices=options.get("slices", False))

    def work(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                piece = pieces[number]
                asked = {**options, "partial": "-"}
                partial = run(piece.command(name, asked, *positional, others=whole), notes=False)
                piece.check()
                yield pyarrow.RecordBatch.from_pydict({"piece": [number], "partial": [partial]})

    numbers = spark.range(0, len(pieces), 1, len(pieces))
    rows = numbers.mapInArrow(work, "piece long, partial binary").collect()
    return [bytes(partial) for _, partial in sorted((row.piece, row.partial) for row in rows)]


def _range_bytes(spark: SparkSession, files: Iterable[str]) -> int:
    """Returns the size of ranges for which each core has a few tasks. To start one takes longer than to read 128 MiB.

    Executors may still be on their way, so the number of cores is a lower limit, and ranges have a gigabyte at most.
    """
    size = sum(map(os.path.getsize, files))
    try:
        cores = spark.sparkContext.defaultParallelism
    except Exception:  # Spark Connect doesn't tell.
        return RANGE_BYTES
    return min(RANGE_BYTES_MAX, max(RANGE_BYTES, -(-size // (TASKS * cores))))


def _merge(partials: list[bytes], form: str) -> bytes:
    """Merges partials. Fails unless they cover each file once."""
    with tempfile.TemporaryDirectory(prefix="fecscan-") as folder:
        names = []
        for number, partial in enumerate(partials):
            names.append(os.path.join(folder, f"{number}.part"))
            with open(names[-1], "wb") as file:
                file.write(partial)
        return run(command("merge", {"format": form, "files": names}))
