"""Options of the functions, and how they become a command line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypedDict, get_type_hints

FilePath = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Files = FilePath | Iterable[FilePath]
# One text, or several.
Texts = str | Iterable[str]
Schema = Literal["indiv", "oth", "pas2", "cm", "cn", "ccl", "oppexp", "weball", "webl", "webk"]
Io = Literal["auto", "mmap", "read"]
Simd = Literal["auto", "avx512", "avx2", "neon", "portable"]


class FileOptions(TypedDict, total=False):
    """The options that say how files are read."""

    schema: Schema | None
    member: Texts
    slices: bool
    max_member_bytes: int | str | None
    threads: int | None
    io: Io | None
    simd: Simd | None


class ReadOptions(FileOptions, total=False):
    """The options of all functions that read files and take conditions."""

    where: Texts
    contributions: bool
    with_: Files
    on: Texts


class LayoutOptions(TypedDict, total=False):
    """The options that describe files of other kinds."""

    delimiter: str | None
    header: bool
    names: Texts
    names_from: FilePath | None
    types: Texts
    quotes: Literal["csv", "data", "refuse"] | None
    skip: int | None
    comment: str | None
    dates: Literal["dmy", "mdy"] | None
    decimal_separator: Literal[",", "."] | None


class ScanOptions(ReadOptions, LayoutOptions, total=False):
    """The options of the functions that also read files of other kinds."""


class SqlOptions(FileOptions, LayoutOptions, total=False):
    """The options of ``sql``, whose conditions and joins stand in the statement."""


class ReportOptions(ReadOptions, total=False):
    """The options of ``report``."""

    name: int | Iterable[int] | None
    top: int
    month_column: Literal["IMAGE_NUM", "TRANSACTION_DT"]
    strict: bool
    rejects: FilePath | None
    force: bool


class ByOptions(ScanOptions, total=False):
    """The options of ``by``, but for the form of its result."""

    sum: Texts
    agg: Texts
    sort: Texts
    top: int | None
    max_groups: int | None


def refuse_unknown(function: str, options: Mapping[str, Any], known: Any) -> None:
    """Raises what Python raises for a keyword argument that a function has not. Others of the program may write files."""
    for name in options.keys() - get_type_hints(known).keys():
        raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")


def command(name: str, options: Mapping[str, Any], *positional: str) -> list[bytes]:
    """Returns the command line for options with the names of the command line, and ``files``, if it reads any.

    True is a flag, and several values repeat an option. None and False leave it out.
    """
    line = [name.encode()]
    for option, value in options.items():
        flag = b"--" + option.rstrip("_").replace("_", "-").encode()
        if option == "files" or value is False:
            continue
        values = [_text(one) for one in many(value)]
        if option in ("name", "names") and values:
            # One list; a second option would take the place of the first.
            values = [b",".join(values)]
        line += [flag] if value is True else [flag + b"=" + one for one in values]
    files = [os.fsencode(file) for file in many(options.get("files"))]
    if "files" in options and not files:
        raise ValueError("there are no files to read: name at least one")
    return [*line, b"--", *map(str.encode, positional), *files]


def many(value: Any) -> list[Any]:
    """Returns one value, or several, as a list."""
    if value is None:
        return []
    return [value] if isinstance(value, (str, bytes, os.PathLike, int)) else list(value)


def _text(value: Any) -> bytes:
    return str(value).encode() if isinstance(value, int) else os.fsencode(value)
