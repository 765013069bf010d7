"""Tables that pandas, Polars, DuckDB and pyarrow take as they are."""

from __future__ import annotations

import sys
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

from nanoarrow import Array, Type
from nanoarrow.array_stream import ArrayStream
from nanoarrow.c_array_stream import c_array_stream
from nanoarrow.c_schema import c_schema
from nanoarrow.ipc import InputStream

from . import _options
from ._program import run
from ._stream import Child, Source

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]
    import polars
    import pyarrow
    from typing_extensions import Unpack

    from ._options import ByOptions, FilePath, Texts


class Table:
    """What Arrow's readers take, with the ways to the usual libraries. Each is imported when it is wanted."""

    if TYPE_CHECKING:

        def __arrow_c_schema__(self) -> Any: ...
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [str(column.name) for column in c_schema(self.__arrow_c_schema__()).children]

    def to_arrow(self) -> pyarrow.Table:
        """Returns a table of pyarrow, with decimals and dates."""
        import pyarrow

        return pyarrow.table(self)

    def to_polars(self) -> polars.DataFrame:
        """Returns a table of Polars, with decimals and dates."""
        import polars

        return polars.DataFrame(self)

    def to_pandas(self, *, decimals: bool = False) -> pandas.DataFrame:
        """Returns a table of pandas, which can be plotted: numbers are float64, and dates datetime64.

        With ``decimals=True``, amounts are exact ``decimal.Decimal``. Needs pyarrow, as pandas itself does.
        """
        import pyarrow

        table = self.to_arrow()
        fields = []
        for field in table.schema:
            if pyarrow.types.is_decimal(field.type) and not decimals:
                field = field.with_type(pyarrow.float64())
            elif pyarrow.types.is_date(field.type):
                field = field.with_type(pyarrow.timestamp("s"))
            fields.append(field)
        return table.cast(pyarrow.schema(fields)).to_pandas()


class Stream:
    """What a command writes as a stream of Arrow. The program starts anew for each reader, and ends with it."""

    def __init__(self, command: list[bytes], *, notes: bool = True) -> None:
        self._command = command
        self._notes = notes

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Starts to read, and returns the stream of Arrow's PyCapsule interface.

        Other types than the program's can't be had, so ``requested_schema`` does nothing. The interface allows that.
        """
        return InputStream.from_readable(Source(Child(self._command, notes=self._notes))).__arrow_c_stream__()


class Rows(Stream, Table):
    """Rows of files, for ``polars.DataFrame``, ``duckdb.sql``, ``pyarrow.table`` or ``pandas.DataFrame.from_arrow``.

    ``to_polars``, ``to_arrow`` and ``to_pandas`` are the same by name. ``to_lazy`` reads no more than a query needs. ``by`` groups the
    rows, and ``write_parquet`` writes them; both leave all work to the program.

    Nothing is read until such a reader comes. Then the program starts and hands out batches as they are read. Each
    reader starts it anew. If an input fails, the reader raises its own kind of error, with the program's message.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        command = _options.command("export", options | {"format": "arrow"})
        super().__init__(command)
        at = command.index(b"--")
        if b"-" in command[at:]:
            raise ValueError("standard input can't be read by each reader anew: name a file")
        # This opens the first file, and checks columns and conditions.
        self._schema = run([*command[:at], b"--head=0", *command[at:]], notes=False)

    def __arrow_c_schema__(self) -> Any:
        """Returns the columns, as Arrow's PyCapsule interface has them."""
        return _schema(self._schema)

    def to_lazy(self) -> polars.LazyFrame:
        """Returns a lazy frame of Polars, or for ``duckdb.sql``. The program reads only columns and rows that a query needs.

        Each query starts it anew.
        """
        from ._lazy import lazy_frame

        items = [str(item) for item in _options.many(self._options["columns"])]
        return lazy_frame(Groups(self._schema).to_polars().schema, items, self._read)

    def _read(self, columns: list[str] | None, where: list[str], first: int | None) -> Stream:
        """Returns a stream of some columns, of rows that meet further conditions, or of the first rows."""
        options = self._options | {"format": "arrow"}
        if columns is not None:
            options["columns"] = columns
        if first is not None:
            options["head"] = first if options["head"] is None else min(first, options["head"])
        elif options["head"] is options["sample"] is None and "raw" not in _options.many(options["types"]):
            # Conditions would choose before head and sample do. They take texts for numbers and dates, which raw columns do not.
            options["where"] = [*_options.many(options["where"]), *where]
        return Stream(_options.command("export", options))

    def by(self, keys: Texts, **options: Unpack[ByOptions]) -> Groups:
        """Groups the rows, as ``fecscan.by`` does, whose options it takes. All columns of the files can be named."""
        _options.refuse_unknown("by", options, _options.ByOptions)
        chosen = {name: value for name, value in self._options.items() if name not in _ROWS_ALONE}
        if self._options["head"] is not None:
            raise ValueError("the first rows can't be grouped alone: leave head out, or choose rows with where")
        if self._options["sample"] is not None:
            raise ValueError("a sample can't be grouped: leave sample out, or group the table of the sample")
        # Groups have the types of columns, and no form of rows.
        chosen["types"] = [one for one in _options.many(self._options["types"]) if one not in ("raw", "typed")]
        where = [*_options.many(chosen["where"]), *_options.many(options.get("where"))]
        asked = {**chosen, **options, "where": where, "format": "arrow"}
        return Groups(run(_options.command("by", asked, ", ".join(_options.many(keys)))))

    def sql(self, statement: str) -> Groups:
        """Answers a statement of SQL about the files. FROM names their schema, such as ``indiv``, and WHERE chooses the rows."""
        if self._options["head"] is not None or self._options["sample"] is not None or _options.many(self._options["columns"]):
            raise ValueError("a statement chooses columns and rows itself: leave columns, head and sample out")
        chosen = {name: value for name, value in self._options.items() if name not in _ROWS_ALONE}
        chosen["types"] = [one for one in _options.many(self._options["types"]) if one not in ("raw", "typed")]
        return Groups(run(_options.command("sql", chosen | {"format": "arrow"}, statement)))

    def write_parquet(self, path: FilePath) -> None:
        """Writes the rows as a Parquet file: whole, or not at all."""
        run(_options.command("export", self._options | {"format": "parquet", "output": path}))

    def __repr__(self) -> str:
        return f"<fecscan.Rows of {', '.join(self.columns)}: to_polars(), to_pandas(), to_arrow(), or duckdb.sql takes them>"


# Options of rows that groups don't have.
_ROWS_ALONE = ("columns", "head", "sample", "seed", "types")


class Groups(Table):
    """Groups of ``by``, or rows of ``sql``, for pandas, Polars, DuckDB and pyarrow. They are in memory."""

    def __init__(self, stream: bytes) -> None:
        self._stream = stream

    def __arrow_c_schema__(self) -> Any:
        """Returns the columns, as Arrow's PyCapsule interface has them."""
        return _schema(self._stream)

    def __repr__(self) -> str:
        return f"<fecscan.Groups of {', '.join(self.columns)}: to_polars(), to_pandas(), to_arrow(), or duckdb.sql takes them>"

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Returns the stream of Arrow's PyCapsule interface, in the types of the program."""
        return InputStream.from_readable(self._stream).__arrow_c_stream__()


def listed(stream: bytes) -> list[dict[str, Any]]:
    """Returns groups as dicts, from a stream of Arrow: it says which columns are decimals, and which are days."""
    groups: list[dict[str, Any]] = []
    with ArrayStream(InputStream.from_readable(stream)) as batches:
        for batch in batches:
            names = [field.name for field in batch.schema.fields]
            columns = [_values(column) for column in batch.iter_children()]
            groups += [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
    return groups


# No sum has more digits.
EXACT = Context(prec=38)
DECIMAL_BYTES = 16


def _values(column: Array) -> list[Any]:
    """Returns the values of a column. nanoarrow reads decimals below zero as huge ones (0.9)."""
    values: list[Any] = column.to_pylist()
    if column.schema.type != Type.DECIMAL128:
        return values
    raw = bytes(memoryview(column.buffers[1]))[column.offset * DECIMAL_BYTES :]
    units = (int.from_bytes(raw[at : at + DECIMAL_BYTES], sys.byteorder, signed=True) for at in range(0, len(raw), DECIMAL_BYTES))
    scale = -column.schema.scale
    return [None if value is None else Decimal(number).scaleb(scale, EXACT) for value, number in zip(values, units, strict=False)]


def _schema(stream: bytes) -> Any:
    return c_array_stream(InputStream.from_readable(stream)).get_schema().__arrow_c_schema__()
