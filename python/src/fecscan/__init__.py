"""Scans the huge pipe-delimited files of the US Federal Election Commission.

Every function runs the program ``fecscan``, which is part of this package, and takes its options as keyword arguments
of the same names. ``fecscan help by`` explains them in full.

``files`` is a path or several, which are read as one sequence of lines: plain, gzip, zstd or zip. All functions that
read files also take these:

- ``where``: a condition of SQL such as ``"STATE = 'CA'"``, or several, which must all be true.
- ``contributions``: take only rows that the FEC codes as contributions by individuals.
- ``with_``: files of committees, candidates or links to join (``--with``; the word is taken in Python). ``"geo=zip.csv"`` joins any
  table, with ``on="zip5(zip)=geo.zip"``.
- ``schema``: indiv, oth, pas2, cm, cn, ccl, oppexp, weball, webl or webk, if the name of a file does not tell.
- ``delimiter``, ``header``, ``names``, ``names_from``, ``types``, ``quotes``, ``skip``, ``comment``, ``dates``,
  ``decimal_separator``: how files of other kinds are read, by all functions but ``report``.
- ``member``: patterns of the members of zip archives. ``max_member_bytes`` limits their size. ``slices`` reads the slices of an archive,
  in several threads, instead of the member that they repeat: the same rows in another order.
- ``threads``, ``io``, ``simd``: how to work. Results are the same for all.

An error of the program is raised as ``Error``, and its notes are warnings of the category ``Note``.
"""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from . import _program
from ._arrow import Groups, Rows, listed
from ._options import ByOptions, FilePath, Files, Io, Schema, Simd, Texts, command, many, refuse_unknown
from ._program import Error, Note, run
from ._report import Report

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Error", "Groups", "Note", "Report", "Rows", "by", "count", "generate", "report", "scan", "sql"]

# Where users find them, and pickles too.
for public in (Error, Groups, Note, Report, Rows):
    public.__module__ = __name__


def report(
    files: Files,
    *,
    name: int | Iterable[int] | None = None,
    top: int = 1,
    month_column: Literal["IMAGE_NUM", "TRANSACTION_DT"] = "IMAGE_NUM",
    strict: bool = False,
    rejects: FilePath | None = None,
    force: bool = False,
    where: Texts = (),
    contributions: bool = False,
    with_: Files = (),
    on: Texts = (),
    schema: Schema | None = None,
    member: Texts = (),
    slices: bool = False,
    max_member_bytes: int | str | None = None,
    threads: int | None = None,
    io: Io | None = None,
    simd: Simd | None = None,
) -> Report:
    """Answers four questions in one pass: lines, names at given lines, rows by month, most common first names.

    ``name`` has the lines, counted from zero: 0, 432 and 43243 unless given. ``top`` first names are listed. ``strict``
    raises an ``Error`` with status 1 if rows have another number of columns than their schema; ``rejects`` writes such
    rows to a file. ``force`` reports on files of other kinds too.

    The result is a dict with the keys of ``fecscan -f json``. A notebook shows it as tables.

    >>> report("itcont.txt", top=3)["lines"]
    """
    return Report(json.loads(run(command("report", locals() | {"format": "json"}))))


def count(
    files: Files,
    *,
    where: Texts = (),
    contributions: bool = False,
    with_: Files = (),
    on: Texts = (),
    schema: Schema | None = None,
    delimiter: str | None = None,
    header: bool = False,
    names: Texts = (),
    names_from: FilePath | None = None,
    types: Texts = (),
    quotes: Literal["csv", "data", "refuse"] | None = None,
    skip: int | None = None,
    comment: str | None = None,
    dates: Literal["dmy", "mdy"] | None = None,
    decimal_separator: Literal[",", "."] | None = None,
    member: Texts = (),
    slices: bool = False,
    max_member_bytes: int | str | None = None,
    threads: int | None = None,
    io: Io | None = None,
    simd: Simd | None = None,
) -> dict[str, Any]:
    """Counts newlines as ``wc -l`` does, or matching lines, also inside compressed files.

    >>> count(["itcont.txt", "indiv18.zip"])["lines"]
    """
    return dict(json.loads(run(command("count", locals() | {"format": "json"}))))


def by(files: Files, keys: Texts, **options: Unpack[ByOptions]) -> list[dict[str, Any]]:
    """Counts rows and sums amounts by any columns.

    ``keys`` are expressions of SQL, such as ``"STATE, year(date) AS year"``, or several. ``sum`` adds up an expression, or each of
    several. ``agg`` has other aggregates, which stand behind the sums: ``"median(amount), count(DISTINCT name) AS donors"``.
    ``sort`` orders the groups: ``"count"``, keys, aggregates or their names, each perhaps with ``" DESC"`` after it; by default the
    first aggregate, else the count, descending. ``top`` keeps the first groups, and ``max_groups`` limits the memory. ``sql`` answers
    what these options can't ask.

    The result is a list of dicts with the keys, ``count``, and aggregates, titled as written: ``sum(amount)``. Values have the
    types of ``sql``: sums are exact, as ``decimal.Decimal``, days are ``datetime.date``, means are ``float``, and NULL is None.
    For millions of groups, take ``scan(files).by(keys)``, a table.

    >>> by("indiv18.zip", "STATE", sum="amount", contributions=True)[0]["sum(amount)"]
    """
    refuse_unknown("by", options, ByOptions)
    asked = {**options, "files": files, "format": "arrow"}
    return listed(run(command("by", asked, ", ".join(many(keys)))))


def sql(
    statement: str,
    files: Files = (),
    *,
    schema: Schema | None = None,
    delimiter: str | None = None,
    header: bool = False,
    names: Texts = (),
    names_from: FilePath | None = None,
    types: Texts = (),
    quotes: Literal["csv", "data", "refuse"] | None = None,
    skip: int | None = None,
    comment: str | None = None,
    dates: Literal["dmy", "mdy"] | None = None,
    decimal_separator: Literal[",", "."] | None = None,
    member: Texts = (),
    slices: bool = False,
    max_member_bytes: int | str | None = None,
    threads: int | None = None,
    io: Io | None = None,
    simd: Simd | None = None,
) -> list[dict[str, Any]]:
    """Answers a statement of SQL, as DuckDB answers it.

    FROM names a file in single quotes, or a schema such as ``indiv``, as which ``files`` are read. docs/sql.md says what is supported.

    The result is a list of dicts, whose keys are the titles of the columns. Decimals and sums are ``decimal.Decimal``, days are
    ``datetime.date``, whole numbers ``int``, means and quotients ``float``, and NULL is None. For a table, take ``scan(files).sql(statement)``.

    >>> sql("SELECT STATE, sum(amount) AS total FROM 'indiv18.zip' GROUP BY STATE ORDER BY total DESC LIMIT 3")[0]["total"]
    """
    asked = {name: value for name, value in locals().items() if name != "statement"} | {"format": "arrow"}
    if not many(files):
        del asked["files"]
    return listed(run(command("sql", asked, statement)))


def scan(
    files: Files,
    *,
    columns: Texts = (),
    head: int | None = None,
    sample: int | str | None = None,
    seed: int | None = None,
    types: Texts = "typed",
    where: Texts = (),
    contributions: bool = False,
    with_: Files = (),
    on: Texts = (),
    schema: Schema | None = None,
    delimiter: str | None = None,
    header: bool = False,
    names: Texts = (),
    names_from: FilePath | None = None,
    quotes: Literal["csv", "data", "refuse"] | None = None,
    skip: int | None = None,
    comment: str | None = None,
    dates: Literal["dmy", "mdy"] | None = None,
    decimal_separator: Literal[",", "."] | None = None,
    member: Texts = (),
    slices: bool = False,
    max_member_bytes: int | str | None = None,
    threads: int | None = None,
    io: Io | None = None,
    simd: Simd | None = None,
) -> Rows:
    """Returns the rows of files, to be grouped, written, or read by pandas, Polars, DuckDB or pyarrow. Reads nothing before that.

    ``columns`` may be expressions of SQL such as ``"year(date) AS year"``; without it, all are read. ``head`` stops after so many rows.
    ``sample`` is a number of random rows, or a share such as ``"0.1%"``; another ``seed`` draws others.
    With ``types="raw"``, every column is the text in the file. Otherwise amounts are decimals, dates are dates, and
    ``SUB_ID``, ``FILE_NUM`` and years are integers; a number or a date that is empty or can't be parsed is null, and an empty text
    is one. Columns of files of other kinds have types such as ``"price=number:4"``.

    >>> scan("indiv18.zip", columns=["NAME", "amount"]).to_pandas()
    >>> scan("indiv18.zip", where="STATE = 'CA'").by("CITY", sum="amount").to_polars()
    >>> scan("indiv18.zip").sql("SELECT STATE, median(amount) FROM indiv GROUP BY STATE").to_polars()
    >>> scan("indiv18.zip").to_lazy().filter(polars.col("STATE") == "CA").select("NAME").collect()
    """
    return Rows(locals())


def generate(
    output: FilePath,
    rows: int,
    *,
    seed: int = 1,
    schema: Schema = "indiv",
    old_image_numbers: bool = False,
    hostile: bool = False,
    threads: int | None = None,
) -> None:
    """Writes a synthetic file of the same shape as the FEC's. People in it do not exist.

    >>> generate("itcont.txt", 1_000_000)
    """
    run(command("generate", locals()))


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def __getattr__(name: str) -> str:
    # Looked up when it is wanted: that takes longer than all else that this module does.
    if name == "__version__":
        try:
            return importlib.metadata.version("fecscan")
        except importlib.metadata.PackageNotFoundError:
            # Imported from a folder of sources. The program, if there is one, is from there too.
            return _program.version() or "0+unknown"
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
