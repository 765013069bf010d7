"""Reads results in every format with programs that are not ours: a table is a list of names and a list of rows.

Typed formats give values of their types. In others a cell is text, and `same` compares it with the value that is expected.
"""
import csv
import datetime
import decimal
import html
import html.parser
import io
import itertools
import json
import re
import unicodedata
from decimal import Decimal

import openpyxl
import pyarrow
import pyarrow.parquet

# Formats whose cells have types.
TYPED = ("json", "ndjson", "parquet", "arrow")
# Formats for people, with thousands separators, shares and files.
FOR_PEOPLE = ("text", "html")
# A sheet keeps so many digits.
DIGITS = 15


def plain(value):
    """Returns a value in one form for all readers: None, text, or a number. Days are text."""
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.strftime("%Y-%m-%d")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Decimal(repr(value))
    return value


def tables_of_json(data):
    """Returns the tables of an array of objects, or of an array of such arrays."""
    answer = json.loads(data, parse_float=Decimal, parse_int=Decimal)
    is_several = bool(answer) and all(isinstance(part, list) for part in answer)
    return [table_of_objects(part) for part in (answer if is_several else [answer])]


def table_of_objects(objects):
    names = list(objects[0]) if objects else []
    assert all(list(row) == names for row in objects), objects
    return names, [[plain(row[name]) for name in names] for row in objects]


def tables_of_ndjson(data):
    objects = [json.loads(line, parse_float=Decimal, parse_int=Decimal) for line in data.split(b"\n")[:-1]]
    # Of several tables, one follows the other.
    return [table_of_objects(list(part)) for _, part in itertools.groupby(objects, key=list)]


def decoded(cell):
    """Returns the bytes of a cell, read as Latin-1, as text: UTF-8, or else Windows-1252, whose undefined bytes are U+FFFD."""
    try:
        return cell.encode("latin-1").decode()
    except UnicodeDecodeError:
        return cell.encode("latin-1").decode("cp1252", errors="replace")


def tables_of_csv(data):
    rows = csv.reader(io.StringIO(data.decode("latin-1"), newline=""))
    rows = [[decoded(cell) for cell in row] for row in rows]
    parts, part = [], []
    for row in [*rows, []]:
        if row:
            part.append(row)
        elif part:
            parts.append((part[0], part[1:]))
            part = []
    return parts


def tables_of_tsv(data):
    escapes = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}
    unescaped = lambda cell: re.sub(r"\\(.)", lambda found: escapes[found[1]], decoded(cell))
    rows = [[unescaped(cell) for cell in line.split("\t")] for line in data.decode("latin-1").split("\n")[:-1]]
    return [(rows[0], rows[1:])]


def tables_of_markdown(data):
    tables = []
    for part in data.decode().split("\n\n"):
        lines = [line for line in part.split("\n") if line.strip()]
        cells = lambda line: [unmarked(cell.strip(" ")) for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        assert re.fullmatch(r"[|: -]+", lines[1]), lines[1]
        tables.append((cells(lines[0]), [cells(line) for line in lines[2:]]))
    return tables


def unmarked(cell):
    return re.sub(r"\\(\W|_)|&#?\w+;|<br>", lambda found: found[1] or {"<br>": "\n"}.get(found[0]) or html.unescape(found[0]), cell)


class Tables(html.parser.HTMLParser):
    """Collects the cells of all tables of a page."""

    def __init__(self):
        super().__init__()
        self.tables, self.cell = [], None

    def handle_starttag(self, tag, attributes):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.cell = ""

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.tables[-1][-1].append(self.cell)
            self.cell = None


def tables_of_html(data):
    page = Tables()
    page.feed(data.decode())
    # The last one has the files.
    return [(table[0], table[1:]) for table in page.tables[:-1]]


def screen(line):
    """Returns the characters that stand in each column of a terminal; wide ones stand in two, and combining ones in none."""
    columns = []
    for character in line:
        if unicodedata.combining(character):
            columns[-1] += character
        else:
            is_wide = unicodedata.east_asian_width(character) in ("W", "F")
            columns.extend([character, ""] if is_wide else [character])
    return columns


def tables_of_text(data):
    """Cuts text at blank lines. The first part has the files of groups, and sentences follow each table."""
    return [table_of_lines(part.split("\n")) for part in data.decode().strip("\n").split("\n\n")]


def table_of_lines(lines):
    """Cuts lines where all of them have two blank columns, so a line that is not aligned is not read as meant."""
    lines = [screen(line) for line in lines]
    width = max(map(len, lines))
    lines = [line + [" "] * (width - len(line)) for line in lines]
    is_blank = [all(line[column] == " " for line in lines) for column in range(width)]
    cuts = [0]
    for blanks in re.finditer("1{2,}", "".join(str(int(blank)) for blank in is_blank)):
        cuts.append(blanks.end())
    rows = [["".join(line[start:end]).strip(" ") for start, end in zip(cuts, [*cuts[1:], width])] for line in lines]
    return rows[0], rows[1:]


def tables_of_xlsx(path):
    tables = []
    named = lambda text: re.sub("_x([0-9A-Fa-f]{4})_", lambda found: chr(int(found[1], 16)), text)
    value = lambda cell: named(cell) if isinstance(cell, str) else plain(cell)
    for sheet in openpyxl.load_workbook(path).worksheets:
        rows = [[value(cell) for cell in row] for row in sheet.iter_rows(values_only=True)]
        tables.append((rows[0], rows[1:]))
    return tables


def tables_of_arrow(path, format):
    table = pyarrow.parquet.read_table(path) if format == "parquet" else pyarrow.ipc.open_stream(path).read_all()
    columns = [[plain(value) for value in column.to_pylist()] for column in table.columns]
    return [(table.column_names, [list(row) for row in zip(*columns)])]


def tables_of(path, format):
    """Returns the tables of a file."""
    match format:
        case "xlsx":
            return tables_of_xlsx(path)
        case "parquet" | "arrow":
            return tables_of_arrow(path, format)
    return globals()[f"tables_of_{format}"](path.read_bytes())


def number(text):
    """Returns a number, or a text as one; None for other texts and for no value."""
    try:
        return None if text is None else Decimal(text)
    except decimal.InvalidOperation:
        return None


def same(found, expected, format):
    """Says whether a cell is what is expected."""
    if format in TYPED:
        return type(found) is type(expected) and found == expected
    if format in FOR_PEOPLE:
        found = "" if found in ("-", "NULL", "(empty)") and expected in (None, "") else found
        if isinstance(expected, Decimal):
            found = found.replace(",", "")
    if expected is None:
        return found in (None, "")
    if isinstance(expected, bool):
        return found == str(expected).lower()
    if isinstance(expected, Decimal):
        rounds = format == "xlsx" and isinstance(found, str) and len(re.sub(r"\D", "", found)) > DIGITS
        is_number = isinstance(found, Decimal) or format != "xlsx" or rounds
        return is_number and number(found) == expected
    return (found or "") == expected


def without_shares(names, rows):
    """Leaves out what only formats for people have: shares, and the groups that are not listed."""
    kept = [nth for nth, name in enumerate(names) if name != "share"]
    return [names[nth] for nth in kept], [[row[nth] for nth in kept] for row in rows]
