"""Random data sets: the columns and rows of one of the FEC's files, or of another delimited file, and the files that hold them.

A data set is a value. `inputs.py` writes its files, and `sql.py` loads the rows into DuckDB. Cells are bytes, and most come from a few
values a column, so that groups have several rows. All cells of a data set are UTF-8, or all that are not ASCII are not UTF-8: DuckDB then
reads each byte as a character, which has the order and the length that the documents promise.
"""
import itertools
import subprocess
from dataclasses import dataclass
from typing import NamedTuple

from question import DATE, DECIMAL, TEXT, WHOLE
from tables import draw_tables
from values import draw_values

SCHEMAS = ("indiv", "oth", "pas2", "cm", "cn", "ccl", "oppexp", "weball", "webl", "webk")
GENERATED = SCHEMAS[:7]
# The names by which the FEC publishes them: of the archive, and of the member.
PUBLISHED = {"indiv": ("indiv{}", "itcont"), "oth": ("oth{}", "itoth"), "pas2": ("pas2{}", "itpas2"), "cm": ("cm{}", "cm"),
             "cn": ("cn{}", "cn"), "ccl": ("ccl{}", "ccl"), "oppexp": ("oppexp{}", "oppexp"), "weball": ("weball{}", "weball{}"),
             "webl": ("webl{}", "webl{}"), "webk": ("webk{}", "webk{}")}
POOL_ROWS = 300
# Identifiers and years of the FEC's files are whole numbers in conditions.
WHOLE_NUMBERS = ("SUB_ID", "FILE_NUM", "CAND_ELECTION_YR", "FEC_ELECTION_YR", "RPT_YR")


class Column(NamedTuple):
    name: str
    alias: str
    # text, number, date, image, zip, id, or untyped
    kind: str
    decimals: int = 2
    # The name in the header, if it is that of this column alone.
    title: str = ""

    @property
    def type(self):
        """Returns the type in conditions."""
        if self.name in WHOLE_NUMBERS:
            return WHOLE
        return {"number": DECIMAL, "date": DATE}.get(self.kind, TEXT)


class Member(NamedTuple):
    """The lines of a member, or of a file that is no archive, whose name is empty."""
    name: str
    lines: tuple
    ends: bool = True

    @property
    def content(self):
        return b"\n".join(self.lines) + (b"\n" if self.ends and self.lines else b"")


class File(NamedTuple):
    path: str
    # plain, gz, zst, zip, or slices: an archive whose first member is repeated in by_date/.
    form: str
    members: tuple
    # Further members, which no question reads.
    clutter: tuple = ()
    cycle: str = ""
    # The slices have another digit than the member somewhere: it is the member that counts.
    slices_differ: bool = False


@dataclass(frozen=True)
class DataSet:
    schema: str
    columns: tuple
    delimiter: bytes
    codec: str
    files: tuple
    # Options that say how to read the files, the same for all questions.
    options: tuple = ()
    header: bool = False
    tables: tuple = ()
    old: tuple = ()

    def rows(self):
        """Yields path, member, cycle, the line and the cells of each row."""
        for file, member in self.members():
            lines = member.lines[1:] if self.header else member.lines
            if not member.ends and lines and not lines[-1]:
                # An empty line that does not end is none.
                lines = lines[:-1]
            for line in lines:
                line = line.removesuffix(b"\r")
                yield file.path, member.name, file.cycle, line, line.split(self.delimiter)

    def members(self):
        return [(file, member) for file in self.files for member in file.members]


def kind_of(name, alias, type_):
    """Returns the kind of the values of a column with a type of SQL."""
    return {"SUB_ID": "id", "IMAGE_NUM": "image"}.get(name) or ("zip" if alias == "zip" else {"DECIMAL(14,2)": "number", "DATE": "date"}.get(type_, "text"))


def read_pools(program):
    """Returns the columns of each schema, and some values of each column, from rows that the program generates."""
    columns, pools = {}, {}
    for schema in SCHEMAS:
        listed = subprocess.run([program, "columns", schema], capture_output=True, text=True, check=True).stdout
        facts = [line.split()[:4] for line in listed.splitlines()[1:]]
        columns[schema] = tuple(Column(name, alias, kind_of(name, alias, type_)) for _, name, alias, type_ in facts)
    for schema in GENERATED:
        made = subprocess.run([program, "generate", "--schema", schema, "--rows", str(POOL_ROWS)], capture_output=True, check=True).stdout
        rows = [line.split(b"|") for line in made.splitlines()]
        for nth, column in enumerate(columns[schema]):
            pools.setdefault(schema, {})[column.name] = sorted({row[nth] for row in rows})
    # Files of one candidate or committee take the values of the columns that others have too.
    known = dict(itertools.chain(*(pools[schema].items() for schema in GENERATED)))
    for schema in ("weball", "webl", "webk"):
        pools[schema] = {column.name: known.get(column.name, []) for column in columns[schema]}
    return columns, pools


def draw_size(rng):
    """Returns a number of rows: mostly few, sometimes many, and none at times."""
    many = rng.random()
    if many < 0.01:
        return 20_000
    if many < 0.08:
        return rng.choice((0, 0, 1, 2))
    return rng.choice((rng.randrange(3, 12), rng.randrange(300)))


def draw_lines(rng, columns, pools, codec, delimiter, count, quotes_are_data):
    """Returns lines of cells; some have too few or too many."""
    size = rng.choice((1, 2, 3, 5, 10, 40, 400))
    values = [draw_values(rng, column, pools.get(column.name, []), codec, delimiter, size) for column in columns]
    if not quotes_are_data:
        values = [[value for value in some if not value.lstrip().startswith(b'"')] or [b""] for some in values]
    uneven = rng.random() < 0.15
    lines = []
    for _ in range(count):
        cells = [rng.choice(some) for some in values]
        if uneven and rng.random() < 0.1:
            cells = rng.choice((cells[:rng.randrange(1, len(cells) + 1)], [*cells, b"more"], [b""]))
        lines.append(delimiter.join(cells))
    if rng.random() < 0.1:
        lines = [line + b"\r" for line in lines]
    return lines


def draw_data_set(rng, columns, pools):
    codec = rng.choice(("utf-8", "utf-8", "latin-1"))
    schema = rng.choice((*SCHEMAS, "indiv", "indiv", None, None, None, None))
    if schema is None:
        return draw_other(rng, codec)
    lines = draw_lines(rng, columns[schema], pools[schema], codec, b"|", draw_size(rng), True)
    options = ["--schema", schema] if rng.random() < 0.3 else []
    files = draw_files(rng, lines, schema, bool(options), None)
    if all(file.form == "zip" for file in files) and rng.random() < 0.5:
        # A Mac's archives have a file of attributes beside each member.
        files = tuple(file._replace(clutter=tuple((f"__MACOSX/._{member.name}", APPLE_DOUBLE) for member in file.members)) for file in files)
        options += ["--member", "*.txt"]
    tables = draw_tables(rng, schema, columns, pools, lines, columns[schema], untyped, b"|") if lines else ()
    return DataSet(schema, columns[schema], b"|", codec, files, tuple(options), False, tables, draw_old(rng, lines, b"|"))


def untyped(name):
    return Column(name, "", "untyped")


HOSTILE_NAMES = ["a b", "sum(x)", "count", "x,y", "<b>", "n\u00e4me", "\u5317", "=1", "1", "a'b", "SELECT", "CMTE_ID", "$x", "a{b}", "tab\x1b[1m", "long" * 40]


def draw_other(rng, codec):
    delimiter = rng.choice((b",", b",", b";", b"\t", b"|", b"~"))
    count = rng.randrange(1, 9)
    names = rng.sample(["k", "city", "price", "day", "v", "id", "Zip", "w_1"], count)
    if rng.random() < 0.3:
        names[rng.randrange(count)] = rng.choice([name for name in HOSTILE_NAMES if delimiter.decode() not in name])
    kinds = rng.choices(("untyped", "text", "number", "date"), (4, 2, 4, 2), k=count)
    size = draw_size(rng)
    # Without names, the first row of each input says how many columns there are.
    named = rng.choice(("header", "header", "names", "none")) if size else "header"
    if named == "names" and any("," in name for name in names):
        named = "none"
    if named == "header" and rng.random() < 0.15:
        # A name that the first line repeats or leaves out is none.
        # Without the last one, the first line ends in a delimiter, as each row of some files does.
        nth = rng.randrange(count)
        names[nth] = rng.choice((names[0], "" if nth < count - 1 else names[0], names[0].upper()))
    typed = []
    columns = []
    for nth, (name, kind) in enumerate(zip(names, kinds)):
        decimals = rng.choice((0, 1, 2, 2, 3, 9)) if kind == "number" else 2
        if named == "none" or not name or name.lower() in [other.lower() for other in names[:nth]]:
            name = f"#{nth + 1}"
        spelled = name if name.isidentifier() and [other.lower() for other in names].count(name.lower()) == 1 else f"#{nth + 1}"
        is_title = named != "none" and name != f"#{nth + 1}" and [other.lower() for other in names].count(name.lower()) == 1
        columns.append(Column(name if spelled == name else f"#{nth + 1}", "", kind, decimals, name if is_title else ""))
        if kind != "untyped":
            typed.append(f"{spelled}={'number:%d' % decimals if kind == 'number' and decimals != 2 else kind}")
    delimiters = {b",": "comma", b";": "semicolon", b"\t": "tab", b"|": "pipe"}
    options = ["--delimiter", delimiters.get(delimiter, delimiter.decode())]
    quotes_are_data = delimiter not in (b",", b";") or rng.random() < 0.3
    if quotes_are_data and delimiter in (b",", b";"):
        options += ["--quotes", "data"]
    if named == "header":
        options.append("--header")
    if named == "names":
        options += ["--names", ",".join(names)]
    if typed:
        options += ["--types", ",".join(typed)]
    lines = draw_lines(rng, columns, {}, codec, delimiter, size, quotes_are_data)
    if named == "none":
        lines[0] = delimiter.join((lines[0].removesuffix(b"\r").split(delimiter) + [b"1"] * count)[:count])
    header = delimiter.join(name.encode() for name in names) if named == "header" else None
    files = draw_files(rng, lines, None, True, header, named == "none")
    tables = draw_tables(rng, None, None, None, lines, columns, untyped, delimiter) if lines else ()
    return DataSet(None, tuple(columns), delimiter, codec, files, tuple(options), header is not None, tables, draw_old(rng, lines, delimiter))


def draw_old(rng, lines, delimiter):
    """Returns an older version of the lines: some are not there yet, some differ, and some are gone since."""
    old = [line for line in lines if rng.random() < 0.9]
    for _ in range(rng.randrange(4)):
        if old:
            nth = rng.randrange(len(old))
            cells = old[nth].split(delimiter)
            cells[rng.randrange(len(cells))] = rng.choice((b"1", b"", b"other"))
            old[nth] = delimiter.join(cells)
    return tuple(old)


def draw_files(rng, lines, schema, is_told, header, is_one=False):
    """Cuts the lines into files and members, and chooses names and forms."""
    count = 1 if is_one else rng.choices((1, 2, 4), (6, 2, 1))[0]
    files, used = [], set()
    for nth, piece in enumerate(cut(rng, lines, count)):
        form = rng.choices(("plain", "gz", "zst", "zip", "slices"), (6, 1, 1, 2, 1 if schema else 0))[0]
        year = rng.choice(("18", "20", "98"))
        path, member, cycle = draw_names(rng, schema, is_told, form, year)
        if path in used:
            path = f"{nth + 1}/{path}"
        used.add(path)
        members = [Member("", tuple(piece))]
        if form in ("zip", "slices"):
            parts = cut(rng, piece, rng.choice((1, 1, 1, 2, 3)) if form == "zip" and not is_one else 1)
            stem, dot, extension = member.rpartition(".")
            members = [Member(member if part == 0 else f"{stem}_{part}.{extension}", tuple(some)) for part, some in enumerate(parts)]
        ends = rng.random() > 0.1
        first = () if header is None else (header,)
        members = tuple(Member(name, (*first, *some), ends) for name, some, _ in members)
        clutter = draw_clutter(rng) if form in ("zip", "slices") else ()
        files.append(File(path, form, members, clutter, cycle, rng.random() < 0.3))
    return tuple(files)


APPLE_DOUBLE = b"\0\5\26\7\0\2\0\0Mac OS X        \0\2" + b"|" * 20 + b"\n"


def draw_clutter(rng):
    """Returns members that archives have beside those with rows."""
    some = ((), (("__MACOSX/._itcont.txt", APPLE_DOUBLE),), (("readme.pdf", b"%PDF"),), (("docs/notes.txt", b"a|b\nc|d\n"),))
    return rng.choice(some)


def draw_names(rng, schema, is_told, form, year):
    """Returns a path, the name of its member, and the cycle that they tell."""
    extension = {"plain": "txt", "gz": "txt.gz", "zst": "txt.zst", "zip": "zip", "slices": "zip"}[form]
    century = "19" if year > "80" else "20"
    if schema is None or is_told and rng.random() < 0.5:
        folder = rng.choice(("", "", f"{century}{year}/", "some folder/"))
        extension = extension.replace("txt", rng.choice(("txt", "csv"))) if schema is None else extension
        stem = rng.choice(("rows", "rows", "data", "r s", "\u00e9", "a=b", "x'y", "./-dash"))
        folder = "" if stem.startswith(".") else folder
        return f"{folder}{stem}.{extension}", "part.txt", century + year if folder.startswith(century) else ""
    archive, member = (name.format(year) for name in PUBLISHED[schema])
    if form in ("zip", "slices"):
        return f"{archive}.zip", f"{member}.txt", century + year
    path, cycle = rng.choice(((f"{archive}.{extension}", century + year), (f"{century}{year}/{member}.{extension}", century + year),
                              (f"{member}.{extension}", century + year if member.endswith(year) else "")))
    return path, "", cycle


def cut(rng, items, count):
    """Cuts a list into so many pieces, which may be empty."""
    places = sorted(rng.randrange(len(items) + 1) for _ in range(count - 1))
    return [list(items[start:end]) for start, end in zip([0, *places], [*places, len(items)])]
