"""Tables that pandas, Polars, DuckDB and pyarrow take as they are."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from typing import Any

from nanoarrow.c_array_stream import c_array_stream
from nanoarrow.c_schema import c_schema
from nanoarrow.ipc import InputStream

from ._program import run
from ._stream import Child, Source


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


class Rows(Stream):
    """Rows of files, for ``polars.DataFrame``, ``duckdb.sql``, ``pyarrow.table`` or ``pandas.DataFrame.from_arrow``.

    Nothing is read until such a reader comes. Then the program starts and hands out batches as they are read. Each
    reader starts it anew. If an input fails, the reader raises its own kind of error, with the program's message.
    """

    def __init__(self, command: list[bytes]) -> None:
        super().__init__(command)
        at = command.index(b"--")
        if b"-" in command[at:]:
            raise ValueError("standard input can't be read by each reader anew: name a file")
        # This opens the first file, and checks columns and conditions.
        self._schema = run([*command[:at], b"--head=0", *command[at:]], notes=False)

    def __arrow_c_schema__(self) -> Any:
        """Returns the columns, as Arrow's PyCapsule interface has them."""
        return _schema(self._schema)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return _names(self)

    def __repr__(self) -> str:
        return f"<fecscan.Rows of {', '.join(self.columns)}: take them by polars.DataFrame(...), pyarrow.table(...) or duckdb>"


class Groups:
    """Groups of ``by`` for pandas, Polars, DuckDB and pyarrow. They are in memory."""

    def __init__(self, stream: bytes) -> None:
        self._stream = stream

    def __arrow_c_schema__(self) -> Any:
        """Returns the columns, as Arrow's PyCapsule interface has them."""
        return _schema(self._stream)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return _names(self)

    def __repr__(self) -> str:
        return f"<fecscan.Groups of {', '.join(self.columns)}: take them by polars.DataFrame(...), pyarrow.table(...) or duckdb>"

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Returns the stream of Arrow's PyCapsule interface, in the types of the program."""
        return InputStream.from_readable(self._stream).__arrow_c_stream__()

    @staticmethod
    def listed(printed: bytes) -> list[dict[str, Any]]:
        """Returns groups as dicts, from what the program prints as JSON."""
        groups = json.loads(printed, parse_float=Decimal)
        return [{name: _value(name, value) for name, value in group.items()} for group in groups]


def _value(name: str, value: Any) -> Any:
    """Returns the value of a column of groups. JSON has days as text."""
    if isinstance(value, str) and name.startswith(("min(", "max(")):
        return datetime.date.fromisoformat(value)
    return value


def _schema(stream: bytes) -> Any:
    return c_array_stream(InputStream.from_readable(stream)).get_schema().__arrow_c_schema__()


def _names(table: Rows | Groups) -> list[str]:
    return [str(column.name) for column in c_schema(table.__arrow_c_schema__()).children]
