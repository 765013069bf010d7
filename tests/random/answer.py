"""Reads answers of every format back, and compares them with the rows that are right.

A right table is a list of kinds (text, whole, number:DECIMALS, double, truth, date, id) and a list of rows: bytes, integers (of the last decimal), floats,
days, or None.
"""
import csv
import datetime
import decimal
import io
import json
import math
import re
import xml.etree.ElementTree

import openpyxl
import pyarrow
import pyarrow.ipc
import pyarrow.parquet

csv.field_size_limit(1 << 30)
# What Windows-1252 leaves undefined.
UNDEFINED = {byte: "\ufffd" for byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D)}
# The digits that a number of a sheet keeps.
SHEET_DIGITS = 15


class Unreadable(Exception):
    """An output that is none of its format."""


def decoded(cell):
    """Returns UTF-8 as it is, and other bytes as Windows-1252."""
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return "".join(UNDEFINED.get(byte) or bytes([byte]).decode("cp1252") for byte in cell)


def shown(kind, value):
    """Returns a value as text formats print it."""
    if value is None:
        return b""
    if kind.startswith("number:"):
        decimals = int(kind[7:])
        digits = str(abs(value)).rjust(decimals + 1, "0")
        whole, rest = (digits[:-decimals], "." + digits[-decimals:]) if decimals else (digits, "")
        return f"{'-' if value < 0 else ''}{whole}{rest}".encode()
    if kind == "truth":
        return b"true" if value else b"false"
    return value if isinstance(value, bytes) else str(value).encode()


def exact(kind, value):
    """Returns a value as Parquet and Arrow have it."""
    if value is None:
        return None
    if kind.startswith("number:"):
        return decimal.Decimal(value).scaleb(-int(kind[7:]), decimal.Context(prec=60))
    return decoded(value) if isinstance(value, bytes) else value


def in_json(kind, value):
    """Returns a value as JSON has it, numbers as they are written."""
    if value is None or isinstance(value, bytes):
        return None if value is None else decoded(value)
    if kind == "truth":
        return value
    text = shown(kind, value).decode()
    return text if kind in ("date", "id") else Number(text)


class Number(str):
    """A number of JSON, as it is written."""

    def __eq__(self, other):
        return isinstance(other, Number) and str(self) == str(other)

    __hash__ = str.__hash__


def in_sheet(kind, value):
    if value is None or value == b"":
        return None
    if isinstance(value, bytes):
        return decoded(value)
    if kind == "id":
        # Longer numbers would lose digits.
        return str(value)
    if kind == "truth":
        return str(value).lower()
    if kind == "date":
        # Days of sheets begin with 1900.
        return datetime.datetime(value.year, value.month, value.day) if value.year >= 1900 else value.isoformat()
    if kind.startswith("number:"):
        # Longer numbers would lose digits too.
        return float(exact(kind, value)) if len(str(abs(value))) <= SHEET_DIGITS else shown(kind, value).decode()
    return value


def read_csv(out):
    # Latin-1 has a character for each byte.
    rows = list(csv.reader(io.StringIO(out.decode("latin-1"), newline=""), strict=True))
    if not rows:
        raise Unreadable("no header")
    return [[value.encode("latin-1") for value in row] for row in rows]


TSV = {b"\\t": b"\t", b"\\n": b"\n", b"\\r": b"\r", b"\\\\": b"\\"}


def read_tsv(out):
    if out and not out.endswith(b"\n"):
        raise Unreadable("the last line does not end")
    unescaped = lambda value: re.sub(rb"\\.", lambda found: TSV[found[0]], value)
    return [[unescaped(value) for value in line.split(b"\t")] for line in out.removesuffix(b"\n").split(b"\n")]


def read_objects(objects):
    if any(list(found) != list(objects[0]) for found in objects):
        raise Unreadable("keys differ")
    return [list(objects[0]), *([*found.values()] for found in objects)] if objects else []


def pairs(found):
    names = [name for name, _ in found]
    if len(set(names)) < len(names):
        raise Unreadable(f"an object has a name twice: {names}")
    return dict(found)


def of_json(text):
    return json.loads(text, parse_int=Number, parse_float=Number, object_pairs_hook=pairs)


def read_json(out):
    return read_objects(of_json(out.decode()))


def read_ndjson(out):
    return read_objects([of_json(line) for line in out.decode().removesuffix("\n").split("\n") if line])


def read_parquet(out):
    return of_table(pyarrow.parquet.read_table(io.BytesIO(out)))


def read_arrow(out):
    return of_table(pyarrow.ipc.open_stream(out).read_all())


def of_table(table):
    columns = [column.to_pylist() for column in table.columns]
    return [table.column_names, *map(list, zip(*columns))]


def read_sheets(out):
    """Returns the rows of each sheet. A year is not 2,018."""
    book = openpyxl.load_workbook(io.BytesIO(out))
    found = []
    for sheet in book:
        rows = [list(row) for row in sheet.iter_rows()]
        for row in rows[1:]:
            for cell in row:
                if isinstance(cell.value, int) and 1900 <= cell.value < 2100 and rows[0][cell.column - 1].value != "count" and "," in cell.number_format:
                    raise Unreadable(f"{cell.value} is shown with a comma: {cell.number_format}")
        found.append([[unescaped_cell(cell.value) for cell in row] for row in rows])
    return found


def unescaped_cell(value):
    return re.sub("_x([0-9A-Fa-f]{4})_", lambda found: chr(int(found[1], 16)), value) if isinstance(value, str) else value


def read_markdown(out):
    rows = [re.split(rb"(?<!\\) \| ", line[2:-2]) for line in out.splitlines() if line.startswith(b"| ")]
    return rows


READERS = {"csv": (read_csv, shown), "tsv": (read_tsv, shown), "json": (read_json, in_json), "ndjson": (read_ndjson, in_json),
           "parquet": (read_parquet, exact), "arrow": (read_arrow, exact)}


def difference(form, out, tables, is_export):
    """Returns the first difference between an output and the right tables: pairs of kinds and rows, and whether rows have an order."""
    try:
        if form == "svg":
            xml.etree.ElementTree.fromstring(out)
        if form in ("text", "html", "svg", "markdown"):
            return difference_of_text(form, out, tables, is_export)
        if form == "xlsx":
            found, render = read_sheets(out), in_sheet
        else:
            reader, render = READERS[form]
            found = [reader(out)]
    except (ValueError, KeyError, csv.Error, Unreadable, pyarrow.ArrowInvalid, xml.etree.ElementTree.ParseError, UnicodeDecodeError) as problem:
        return f"{form} can't be read: {problem}"
    if len(found) != len(tables):
        return f"{len(found)} tables instead of {len(tables)}"
    for rows, (kinds, right, ordered, *titles) in zip(found, tables):
        problem = difference_of_titles(rows, *titles)
        problem = problem or difference_of_rows(form, rows, kinds, [[render(kind, value) for kind, value in zip(kinds, row)] for row in right], ordered)
        if problem:
            return problem
    return None


def difference_of_found(found, table):
    """Returns the first difference between values of Python and a right table."""
    kinds, right, ordered, *titles = table
    return difference_of_titles(found, *titles) or difference_of_rows("arrow", found, kinds, [[exact(kind, value) for kind, value in zip(kinds, row)] for row in right], ordered)


def difference_of_titles(found, titles=None):
    """Returns the first difference of titles that are known."""
    if not titles or not found:
        return None
    as_text = lambda title: title.decode() if isinstance(title, bytes) else title
    wrong = [(as_text(title), right) for title, right in zip(found[0], titles) if right is not None and as_text(title) != right]
    return f"the title {wrong[0][0]!r} instead of {wrong[0][1]!r}" if wrong else None


def difference_of_rows(form, found, kinds, right, ordered):
    # A list without objects has no names.
    names, *rows = found or [None]
    if names is not None and len(names) != len(kinds):
        return f"{len(names)} columns {names} instead of {len(kinds)}"
    if names is not None and len(set(names)) < len(names):
        return f"two columns of one name: {names}"
    if form == "xlsx":
        # A sheet does not say how many empty rows it ends with.
        rows, right = without_empty(rows), without_empty(right)
    if len(rows) != len(right):
        return f"{len(rows)} rows instead of {len(right)}: {rows[:3]} and {right[:3]}"
    if not ordered:
        rows, right = sorted(rows, key=repr), sorted(right, key=repr)
    for nth, (row, expected) in enumerate(zip(rows, right)):
        if row != expected and not are_near(form, kinds, row, expected):
            return f"row {nth}: {row} instead of {expected}"
    return None


def without_empty(rows):
    return [row for row in rows if any(value is not None for value in row)]


def are_near(form, kinds, row, expected):
    """Numbers of a sheet are floats. The last digit of others may differ, too."""
    return len(row) == len(expected) and all(one == other or (form == "xlsx" or kind == "double") and are_near_numbers(one, other)
                                             for kind, one, other in zip(kinds, row, expected))


def are_near_numbers(one, other):
    try:
        return math.isclose(float(one), float(other), rel_tol=1e-9)
    except (TypeError, ValueError):
        return False


def difference_of_text(form, out, tables, is_export):
    """Text for people is read loosely: it says how many groups it lists, and a row has a line."""
    if form == "markdown":
        found = len(read_markdown(out)) - 1
        right = len(tables[0][1])
        return f"{found} rows instead of {right}" if found != right else None
    if form != "text":
        return None if out else "nothing is printed"
    if is_export:
        found, right = [out.count(b"\n")], [1 + len(tables[0][1])]
    else:
        found = [int(shown.replace(b",", b"")) for shown in re.findall(rb"^([\d,]+)(?: of [\d,]+)? groups?;", out, re.MULTILINE)]
        right = [len(rows) for _, rows, *_ in tables]
    return f"{found} lines instead of {right}" if found != right else None
