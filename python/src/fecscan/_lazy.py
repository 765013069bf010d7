"""Lazy frames of Polars: the program reads the columns and rows that a query needs, and no more.

A predicate of Polars becomes conditions of SQL. They must be true for every row that meets the predicate, and may be true for
further rows: Polars applies the whole predicate again. So a part without a condition is left out.
"""

from __future__ import annotations

import datetime
import io
import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import polars
from nanoarrow.c_array_stream import c_array_stream
from polars.io.plugins import register_io_source

# All of these must hold, and of each, one of its alternatives. None choose every row.
Clauses = list[tuple[str, ...]]

COMPARISONS = {"Eq": "=", "NotEq": "<>", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
# Names that statements can have in quotes.
QUOTED_NAME = re.compile(r"[ !#-~]+")
# Items of a list of columns that are columns of the files, whose titles are their names.
PLAIN_ITEM = re.compile(r"\s*(\w+|#\d+|\"[^\"]+\")\s*", re.ASCII)
# Texts whose bytes are the same in every encoding.
TEXT = re.compile(r"[ -~]+")
NUMBER = re.compile(r"-?\d{1,20}(\.\d{1,9})?")
# The program's limits: bytes of a condition, values of a list, operators of a condition, of which an alternative has two or three.
CLAUSE_BYTES_MAX = 64_000
VALUES_MAX = 10_000
ALTERNATIVES_MAX = 150
CLAUSES_MAX = 16
# The digits of decimals that floats tell apart.
FLOAT_DIGITS = 15


def lazy_frame(schema: polars.Schema, items: list[str], read: Callable[..., Any]) -> polars.LazyFrame:
    """Returns a lazy frame. ``read`` starts a stream of Arrow with these columns, conditions and first rows; None means all.

    ``items`` are the lists of columns that were asked for; none for all columns of the files.
    """
    known = _Columns(schema, items)

    def source(
        columns: list[str] | None, predicate: polars.Expr | None, first: int | None, _: int | None
    ) -> Iterator[polars.DataFrame]:
        where, tested = ([], []) if predicate is None else (known.conditions(predicate), predicate.meta.root_names())
        needed = None if columns is None else known.readable([*columns, *tested])
        for batch in c_array_stream(read(needed, where, first)):
            frame = polars.DataFrame(batch)
            if predicate is not None:
                frame = frame.filter(predicate)
            yield frame if columns is None else frame.select(columns)

    return register_io_source(source, schema=schema, is_pure=True)


class _Columns:
    """The columns of a table, and what conditions can say about them."""

    def __init__(self, schema: polars.Schema, items: list[str]) -> None:
        self._types = schema
        # A list of several columns has no item for each.
        named = dict(zip(schema, items, strict=True)) if len(items) == len(schema) else {}
        self._items = {name: quoted for name in schema if (quoted := _quoted_name(name))} if not items else named
        # Another item may have the name of a column that it is not.
        plain = [name for name, item in self._items.items() if not items or PLAIN_ITEM.fullmatch(item)]
        self._names = {name: quoted for name in plain if (quoted := _quoted_name(name))}

    def readable(self, columns: list[str]) -> list[str] | None:
        """Returns columns as the program takes them, or None if it must read all."""
        known = all(name in self._items for name in columns)
        return [self._items[name] for name in dict.fromkeys(columns)] if columns and known else None

    def conditions(self, predicate: polars.Expr) -> list[str]:
        """Returns conditions that every row of the predicate meets."""
        try:
            clauses = self._clauses(json.loads(predicate.meta.serialize(format="json")))
        except (polars.exceptions.ComputeError, RecursionError):
            # Functions of Python have no such form.
            return []
        joined = [" OR ".join(clause) for clause in clauses if len(clause) <= ALTERNATIVES_MAX]
        return [condition for condition in joined if len(condition) <= CLAUSE_BYTES_MAX][:CLAUSES_MAX]

    def _clauses(self, node: Any) -> Clauses:
        match node:
            case {"BinaryExpr": {"left": left, "op": "And", "right": right}}:
                return [*self._clauses(left), *self._clauses(right)]
            case {"BinaryExpr": {"left": left, "op": "Or", "right": right}}:
                both = [(*one, *other) for one in self._clauses(left) for other in self._clauses(right)]
                return both if len(both) <= CLAUSES_MAX else []
            case {"BinaryExpr": {"left": {"Literal": _} as value, "op": op, "right": column}} if op in COMPARISONS:
                return self._compared(column, MIRRORED[COMPARISONS[op]], value)
            case {"BinaryExpr": {"left": column, "op": op, "right": {"Literal": _} as value}} if op in COMPARISONS:
                return self._compared(column, COMPARISONS[op], value)
            case {"Function": {"input": [column, *values], "function": function}} if all("Literal" in value for value in values):
                return self._called(function, column, *values)
            # DuckDB's IN is null for null.
            case {"Ternary": {"truthy": {"Literal": {"Scalar": {"Null": _}}}, "falsy": falsy}}:
                return self._clauses(falsy)
        return []

    def _called(self, function: Any, column: Any, *values: Any) -> Clauses:
        match [function, *values]:
            case [{"Boolean": "IsNotNull"}]:
                return self._not_null(column)
            case [{"Boolean": {"IsBetween": _}}, least, most]:
                return [*self._compared(column, ">=", least), *self._compared(column, "<=", most)]
            case [{"Boolean": {"IsIn": {"nulls_equal": False}}}, among]:
                return self._among(column, among)
            case [{"StringExpr": "StartsWith"}, prefix]:
                return self._compared(column, "starts_with", prefix)
        return []

    def _not_null(self, column: Any) -> Clauses:
        name = self._name(column)
        # A text of a file is never NULL, and no condition asks whether it is.
        if name is None or self._types[name] == polars.String:
            return []
        return [(f"{self._names[name]} IS NOT NULL",)]

    def _name(self, node: Any) -> str | None:
        """Returns the name of a column, or of one whose values are converted to a type that has them all."""
        match node:
            case {"Column": str(name)} if name in self._names:
                return name
            case {"Cast": {"expr": {"Column": str(name)}, "dtype": {"Literal": {"Decimal": [_, scale]}}}}:
                own = self._types.get(name) if name in self._names else None
                return name if isinstance(own, polars.Decimal) and scale >= own.scale else None
            case {"Cast": {"expr": {"Column": str(name)}, "dtype": {"Literal": "Float64"}}}:
                own = self._types.get(name) if name in self._names else None
                return name if isinstance(own, polars.Decimal) and (own.precision or 0) <= FLOAT_DIGITS else None
        return None

    def _compared(self, column: Any, operator: str, literal: Any) -> Clauses:
        name, values = self._name(column), _values(literal)
        if name is None or len(values) != 1:
            return []
        kind, value = self._types[name], values[0]
        if not (isinstance(kind, polars.Decimal) and isinstance(value, float)):
            return self._condition(name, operator, value)
        # The column is rounded to floats, by less than its last digit.
        value, margin = Decimal(str(value)), Decimal(1).scaleb(-kind.scale)
        least = self._condition(name, ">=", value - margin) if operator in ("=", ">", ">=") else []
        most = self._condition(name, "<=", value + margin) if operator in ("=", "<", "<=") else []
        return [*least, *most]

    def _among(self, column: Any, literal: Any) -> Clauses:
        # Null is equal to no value.
        name, values = self._name(column), [value for value in _values(literal) if value is not None]
        if name is None or not values or len(values) > VALUES_MAX:
            return []
        typed = [_typed(self._types[name], value) for value in values]
        return [(f"{self._names[name]} IN ({', '.join(typed)})",)] if all(typed) else []

    def _condition(self, name: str, operator: str, value: Any) -> Clauses:
        kind, quoted = self._types[name], self._names[name]
        # Texts of Polars have another order if they are not UTF-8 in the file.
        is_taken = operator in ("=", "<>", "starts_with") if kind == polars.String else operator != "starts_with"
        typed = _typed(kind, value)
        if not is_taken or not typed:
            return []
        return [(f"starts_with({quoted}, {typed})" if operator == "starts_with" else f"{quoted} {operator} {typed}",)]


def _quoted_name(name: str) -> str | None:
    """Returns the name of a column as statements have it; none if they can't have it."""
    if not QUOTED_NAME.fullmatch(name):
        return None
    return name if re.fullmatch(r"#\d+", name) else '"' + name.replace('"', '""') + '"'


def _values(literal: Any) -> list[Any]:
    """Returns the value of a literal, or those of a list or a column."""
    expression = polars.Expr.deserialize(io.StringIO(json.dumps(literal)), format="json")
    values = polars.select(expression).to_series().to_list()
    return values[0] if len(values) == 1 and isinstance(values[0], list) else values


def _typed(kind: polars.DataType, value: Any) -> str:
    """Returns a value of a column of this type as a condition has it, or nothing if no condition could."""
    if kind == polars.String and isinstance(value, str) and TEXT.fullmatch(value):
        return "'" + value.replace("'", "''") + "'"
    if kind == polars.Date and type(value) is datetime.date:
        return f"'{value.isoformat()}'"
    if kind in (polars.Decimal, polars.Int64) and type(value) in (int, Decimal):
        # An int would be rounded to a float by :f.
        number = f"{Decimal(value):f}"
        return number if NUMBER.fullmatch(number) else ""
    return ""
