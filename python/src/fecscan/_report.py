"""The report as a dict that a notebook shows as tables."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any


class Report(dict[str, Any]):
    """A report, with the keys of ``fecscan -f json``."""

    def _repr_html_(self) -> str:
        lines = f"{self['lines']:,} lines"
        if "lines_scanned" in self:
            lines += f" of {self['lines_scanned']:,}"
        files = ", ".join(file["path"] for file in self["files"])
        months = [(month["month"], month["lines"]) for month in self["months"]]
        first_names = [(first["first_name"], first["lines"]) for first in self["first_names"]]
        return "".join(
            [
                f"<p><b>{escape(files)}</b>: {lines}</p>",
                _table(("line", "name"), [(name["index"], name["name"]) for name in self.get("names", [])]),
                _table((self["month_column"], "lines"), [*months, ("(none)", self["lines_without_month"])]),
                _table(("first name", "lines"), [*first_names, ("(none)", self["lines_without_first_name"])]),
                f"<p>{self['distinct_first_names']:,} different first names</p>",
            ]
        )


def _table(head: tuple[str, str], rows: Iterable[tuple[object, object]]) -> str:
    cells = "".join(f"<tr>{_cell(left)}{_cell(right)}</tr>" for left, right in rows)
    return f"<table><thead><tr>{''.join(f'<th>{escape(name)}</th>' for name in head)}</tr></thead><tbody>{cells}</tbody></table>"


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f'<td style="text-align: right">{value:,}</td>'
    return f"<td>{'' if value is None else escape(str(value))}</td>"
