"""Random data sets: the columns and rows of one of the FEC's files, or of another delimited file, and the files that hold them.

A data set is a value. `inputs.py` writes its files, and `sql.py` loads the rows into DuckDB. Cells are bytes, and most come from a few
values a column, so that groups have several rows. All cells of a data set are UTF-8, or all that are not ASCII are no UTF-8: DuckDB then
reads each byte as a character, which has the order and the length that the documents promise.
"""
import itertools
import subprocess
from dataclasses import dataclass
from typing import NamedTuple

SCHEMAS = ("indiv", "oth", "pas2", "cm", "cn", "ccl", "oppexp", "weball", "webl", "webk")
GENERATED = SCHEMAS[:7]
# The names by which the FEC publishes them: of the archive, and of the member.
PUBLISHED = {"indiv": ("indiv{}", "itcont"), "oth": ("oth{}", "itoth"), "pas2": ("pas2{}", "itpas2"), "cm": ("cm{}", "cm"),
             "cn": ("cn{}", "cn"), "ccl": ("ccl{}", "ccl"), "oppexp": ("oppexp{}", "oppexp"), "weball": ("weball{}", "weball{}"),
             "webl": ("webl{}", "webl{}"), "webk": ("webk{}", "webk{}")}
POOL_ROWS = 300


class Column(NamedTuple):
    name: str
    alias: str
    # text, number, date, image, zip, id, or untyped
    kind: str
    decimals: int = 2


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


@dataclass(frozen=True)
class Table:
    """A joined file. `leads` is the place of the column of the rows by which they find it; none for the FEC's own keys."""
    name: str
    path: str
    columns: tuple
    rows: tuple
    key: int
    leads: int = None
    delimiter: bytes = b"|"


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
            for line in lines:
                line = line.removesuffix(b"\r")
                yield file.path, member.name, file.cycle, line, line.split(self.delimiter)

    def members(self):
        return [(file, member) for file in self.files for member in file.members]


def read_pools(program):
    """Returns the columns of each schema, and some values of each column, from rows that the program generates."""
    columns, pools = {}, {}
    for schema in SCHEMAS:
        listed = subprocess.run([program, "columns", schema], capture_output=True, text=True, check=True).stdout
        facts = [line.split()[:4] for line in listed.splitlines()[1:]]
        columns[schema] = tuple(Column(name, alias, "id" if name == "SUB_ID" else kind) for _, name, alias, kind in facts)
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


NUMBERS = [b"0", b"1", b"5", b"10", b"20", b"25", b"100", b"250", b"500", b"500.00", b"2700", b"-250", b"-1", b"0.01", b"-0.01", b"12.5", b"3.14",
           b"99999999", b"-12345678.9", b"007"]
ODD_NUMBERS = [b"", b"", b"n/a", b"1,000", b"1.234", b"-", b"+5", b".5", b"5.", b" 7 ", b"1e3", b"--1", b"-0", b"99999999999999.99", b"999999999999.99",
               b"12345678901234567890", b"0.123456789", b"0.000000000001", b"123456789012345.6", b"1 2", b"NaN", b"0x10", b"$5"]
ODD_DATES = [b"", b"", b"13992018", b"02302018", b"abc", b"0", b"00000000", b"2018-02-30", b"99/99/2018", b"1312018", b"201801311", b" "]
WORDS = [b"CA", b"NY", b"TX", b"ca", b"a", b"b", b"Ann", b"ROE, ANN", b"count", b"key", b"sum(x)", b"y=count", b"x", b"(empty)", b"a b", b"0", b"00", b"1", b"-1",
         b"2018", b"2018-01-31", b"#1", b"=1+1", b"*", b"{x}", b"a||b", b"it's", b"'q'", b"x\"y", b"\\n", b"a\\", b"<b>&amp;</b>", b"$HOME", b"%s", b"null", b"None"]
ODD_WORDS = [b"", b"", b"", b" lead", b"trail ", b" ", b"a,b", b"a;b", b"a\tb", b"a|b", b"\x1b[2J", b"\x00", b"\x01\x7f", b"a\rb", b"x" * 70, b"y" * 300,
             b"_x0041_", b"=cmd()", b"+1", b"@x", b"\x0bv\x0c"]
WIDE = ["é", "Ünï", "北京市", "日本", "e\u0301", "Ωmega", "😀", "\u202eabc", "ñandú"]
NO_TEXT = [b"\xff", b"\xe9t\xe9", b"\x80\x81", b"caf\xe9", b"\xc3", b"\xf0\x9f", b"\xa0x"]


def draw_values(rng, column, pool, codec, delimiter, size):
    """Returns the values that cells of a column are drawn from."""
    values = []
    plain = lambda choices: values.extend(rng.choice(choices) for _ in range(size))
    if column.kind == "number" or column.kind == "untyped" and rng.random() < 0.5:
        plain(NUMBERS)
        if size > 20:
            values.extend(b"%d" % rng.randrange(-10_000, 1_000_000) for _ in range(size))
            values.extend(b"%d.%02d" % (rng.randrange(10_000), rng.randrange(100)) for _ in range(size))
        if column.decimals not in (0, 2):
            values.extend(b"%.*f" % (rng.randrange(column.decimals + 1), rng.randrange(-9999, 9999) / 1000) for _ in range(size))
        odd = ODD_NUMBERS
    elif column.kind == "date":
        values.extend(draw_date(rng, column) for _ in range(2 * size))
        odd = ODD_DATES
    elif column.kind == "untyped" and rng.random() < 0.3:
        values.extend(b"%d-%02d-%02d" % (rng.randrange(2016, 2020), rng.randrange(1, 13), rng.randrange(1, 29)) for _ in range(size))
        odd = [b"", b"n/a", b"2018-02-30"]
    else:
        if pool:
            plain(pool)
        if not pool or rng.random() < 0.3:
            plain(WORDS)
        odd = ODD_WORDS + (WIDE_BYTES if codec == "utf-8" else NO_TEXT)
    if rng.random() < 0.5:
        values.extend(rng.choice(odd) for _ in range(1 + size // 4))
    return [value for value in values if delimiter not in value and b"\n" not in value] or [b""]


WIDE_BYTES = [text.encode() for text in WIDE]


def draw_date(rng, column):
    year, month, day = rng.choice((2016, 2017, 2018, 2018, 2018, 2020)), rng.randrange(1, 13), rng.randrange(1, 29)
    if rng.random() < 0.05:
        year, month, day = 2020, 2, 29
    forms = {"TRANSACTION_DT": b"%02d%02d%04d", "CVG_END_DT": b"%02d/%02d/%04d"}
    form = forms.get(column.name)
    if form is None or rng.random() < 0.05:
        form = rng.choice((b"%02d%02d%04d", b"%02d/%02d/%04d", "iso", "iso", "time", "digits"))
    if isinstance(form, bytes):
        return form % (month, day, year)
    iso = b"%04d-%02d-%02d" % (year, month, day)
    return {"iso": iso, "time": iso + b" 12:30:00", "digits": iso.replace(b"-", b"")}[form]


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
    tables = draw_tables(rng, schema, columns, pools, codec, lines) if lines else ()
    return DataSet(schema, columns[schema], b"|", codec, files, tuple(options), False, tables, draw_old(rng, lines, b"|"))


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
    typed = []
    columns = []
    for nth, (name, kind) in enumerate(zip(names, kinds)):
        decimals = rng.choice((0, 1, 2, 2, 3, 9)) if kind == "number" else 2
        spelled = name if named != "none" and name.isidentifier() else f"#{nth + 1}"
        columns.append(Column(name if named != "none" else f"#{nth + 1}", "", kind, decimals))
        if kind != "untyped":
            typed.append(f"{spelled}={'number:%d' % decimals if kind == 'number' and decimals != 2 else kind}")
    delimiters = {b",": "comma", b";": "semicolon", b"\t": "tab", b"|": "pipe"}
    options = ["--delimiter", delimiters.get(delimiter, delimiter.decode())]
    quotes_are_data = delimiter not in (b",", b";") or rng.random() < 0.3
    if quotes_are_data and delimiter in (b",", b";"):
        options += ["--quotes", "data"]
    if named == "header":
        options.append("--header")
    if named == "names" and all("," not in name for name in names):
        options += ["--names", ",".join(names)]
    elif named == "names":
        columns = [column._replace(name=f"#{nth + 1}") for nth, column in enumerate(columns)]
    if typed:
        options += ["--types", ",".join(typed)]
    lines = draw_lines(rng, columns, {}, codec, delimiter, size, quotes_are_data)
    if named == "none":
        lines[0] = delimiter.join((lines[0].removesuffix(b"\r").split(delimiter) + [b"1"] * count)[:count])
    header = delimiter.join(name.encode() for name in names) if named == "header" else None
    files = draw_files(rng, lines, None, True, header, named == "none")
    tables = draw_tables(rng, None, None, None, codec, lines, columns, delimiter) if lines else ()
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
            if cycle and not cycle_is_in_name(path):
                cycle = ""
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
        files.append(File(path, form, members, clutter, cycle))
    return tuple(files)


def cycle_is_in_name(path):
    return any(character.isdigit() for character in path.rpartition("/")[2])


def draw_clutter(rng):
    """Returns members that archives have beside those with rows."""
    some = ((), (("__MACOSX/._itcont.txt", b"\0\5\26\7Mac OS X|a|b\n"),), (("readme.pdf", b"%PDF"),), (("docs/notes.txt", b"a|b\nc|d\n"),))
    return rng.choice(some)


def draw_names(rng, schema, is_told, form, year):
    """Returns a path, the name of its member, and the cycle that they tell."""
    extension = {"plain": "txt", "gz": "txt.gz", "zst": "txt.zst", "zip": "zip", "slices": "zip"}[form]
    century = "19" if year > "80" else "20"
    if schema is None or is_told and rng.random() < 0.5:
        folder = rng.choice(("", "", f"{century}{year}/", "some folder/"))
        extension = extension.replace("txt", rng.choice(("txt", "csv"))) if schema is None else extension
        stem = rng.choice(("rows", "rows", "data", "r s", "\u00e9", "a=b", "x'y", "./-dash"))
        return f"{folder}{stem}.{extension}" if stem[0] != "." else f"{stem}.{extension}", "part.txt", century + year if folder.startswith(century) and stem[0] != "." else ""
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


def draw_tables(rng, schema, columns, pools, codec, lines, own=None, delimiter=b"|"):
    """Returns the files that questions may join: the FEC's, and a table of one's own with a few values of a column as keys."""
    found = []
    keys = {"cm": ("CMTE_ID", ("indiv", "oth", "pas2", "oppexp", "ccl")), "cn": ("CAND_ID", ("pas2", "cm", "ccl"))}
    for name, (key, leading) in keys.items():
        if schema in leading:
            place = [column.name for column in columns[schema]].index(key)
            own_values = sorted({cells[place] for line in lines[:300] if len(cells := line.split(b"|")) > place} - {b""})
            target = [column.name for column in columns[name]].index(key)
            rows = []
            for _ in range(rng.randrange(12)):
                cells = [rng.choice(pools[name][column.name] or [b""]) for column in columns[name]]
                if own_values and rng.random() < 0.7:
                    cells[target] = rng.choice(own_values)
                rows.append(tuple(cells))
            if rows:
                found.append(Table(name, f"{name}.txt", columns[name], tuple(rows), target))
    own = own or columns[schema]
    place = rng.randrange(len(own))
    values = sorted({cells[place].strip() for line in lines[:300] if len(cells := line.removesuffix(b"\r").split(delimiter)) > place})
    values = [value for value in values if value and not set(value) & set(b"\",;|\t\r\x00\x0b\x0c\x1b") and value[:1] not in b"'="]
    if values:
        letters = [b"x", b"y", b"zz", b"5", b"-2.50", b"2018-01-31", b"a b"]
        rows = [(rng.choice(values), rng.choice(letters), b"%d" % rng.randrange(50)) for _ in range(rng.randrange(1, 10))]
        joined = tuple(Column(name, "", "untyped") for name in ("code", "label", "size"))
        found.append(Table("t", "t.csv", joined, tuple(rows), 0, place, b","))
    return tuple(found)


