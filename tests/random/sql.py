"""Renders questions as DuckDB's SQL, and loads data sets for them.

Each column is there twice: as it stands, from which macros read columns of exports, and in the type that expressions have."""
import subprocess

import duckdb
import pyarrow

from args import place
from conditions import quoted
from inputs import old_path
from question import BASE, DATE, DECIMAL, ORIGIN, TEXT, WHOLE, Call, Col, Made
from tables import THROUGH, place_of

WHITE = r"[ \t\n\x0b\x0c\r]*"
# No two of them are valid at a time: a month is no century. Years of the calendar begin with 1.
MACROS = rf"""
CREATE MACRO number(x) AS CASE WHEN regexp_full_match(x, '{WHITE}[+-]?([0-9]+\.?[0-9]*|\.[0-9]+){WHITE}')
    THEN TRY_CAST(trimmed(x) AS DECIMAL(38, 12)) END;
CREATE MACRO calendar(x) AS CASE WHEN x >= '0001' THEN TRY_CAST(x AS DATE) END;
CREATE MACRO without_time(x) AS
    regexp_replace(trimmed(x), '^([0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}}|[0-9]{{1,2}}/[0-9]{{1,2}}/[0-9]{{4}})[ T]([0-9]|[0-2][0-9]):.*$', '\1', 's');
CREATE MACRO joined(y, m, d) AS y || '-' || lpad(m, 2, '0') || '-' || lpad(d, 2, '0');
CREATE MACRO dashed(x) AS CASE
    WHEN regexp_full_match(x, '[0-9]{{8}}') AND left(x, 2) > '12' AND
        calendar(left(x, 4) || '-' || substr(x, 5, 2) || '-' || substr(x, 7)) IS NOT NULL
        THEN left(x, 4) || '-' || substr(x, 5, 2) || '-' || substr(x, 7)
    WHEN regexp_full_match(x, '[0-9]{{8}}') THEN substr(x, 5) || '-' || left(x, 2) || '-' || substr(x, 3, 2)
    WHEN regexp_full_match(x, '[0-9]{{1,2}}/[0-9]{{1,2}}/[0-9]{{4}}') THEN joined(split_part(x, '/', 3), split_part(x, '/', 1), split_part(x, '/', 2))
    WHEN regexp_full_match(x, '[0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}}') THEN joined(left(x, 4), split_part(x, '-', 2), split_part(x, '-', 3)) END;
CREATE MACRO dashed_or_image(x) AS coalesce(dashed(without_time(x)),
    CASE WHEN regexp_full_match(trimmed(x), '[0-9]{{18}}')
        THEN left(trimmed(x), 4) || '-' || substr(trimmed(x), 5, 2) || '-' || substr(trimmed(x), 7, 2) END);
CREATE MACRO day_from(x) AS calendar(dashed(without_time(x)));
CREATE MACRO any_day(x) AS calendar(dashed_or_image(x));
CREATE MACRO month_of(x) AS CASE
    WHEN substr(dashed_or_image(x), 6, 2) BETWEEN '01' AND '12' THEN left(dashed_or_image(x), 7)
    WHEN regexp_full_match(trimmed(x), '(19|20)[0-9]{{2}}(0[1-9]|1[0-2])') THEN left(trimmed(x), 4) || '-' || substr(trimmed(x), 5) END;
"""
DIGITS_OF_MONEY, DIGITS = 14, 18
CONTRIBUTIONS = "10 10J 11 11J 15 15E 15J 30 30E 30J 30T 31 31E 31J 31T 32 32E 32J 32T".split()


def connect(program):
    """Returns a connection that has the macros of `fecscan columns --duckdb`, which say what the types of columns are."""
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    printed = subprocess.run([program, "columns", "indiv", "--duckdb", "-"], capture_output=True, text=True, check=True).stdout
    connection.execute(printed.partition("CREATE OR REPLACE VIEW")[0])
    connection.execute(MACROS)
    for decimals in range(10):
        connection.execute(units_macro(decimals))
        connection.execute(decimal_macro(decimals))
    return connection


def written(decimals):
    """Returns the regular expression of numbers of at most so many decimals."""
    digits = rf"([0-9]+(\.[0-9]{{0,{decimals}}})?|\.[0-9]{{1,{decimals}}})" if decimals else r"[0-9]+\.?"
    return f"{WHITE}[+-]?{digits}{WHITE}"


def decimal_macro(decimals):
    """The macro that `fecscan columns --duckdb` prints for numbers of this many decimals, if a schema has them."""
    digits = DIGITS_OF_MONEY if decimals == 2 else DIGITS
    return f"""CREATE OR REPLACE MACRO read_decimal{decimals}(x) AS
        CASE WHEN regexp_full_match(x, '{written(decimals)}') THEN TRY_CAST(trimmed(x) AS DECIMAL({digits}, {decimals})) END"""


def units_macro(decimals):
    """A number of at most so many decimals, in units of the last one, of as many digits as aggregates read."""
    number = f"TRY_CAST(trimmed(x) AS DECIMAL(38, {decimals}))"
    return f"""CREATE MACRO units{decimals}(x) AS
        CASE WHEN regexp_full_match(x, '{written(decimals)}') THEN TRY_CAST(replace({number}::VARCHAR, '.', '') AS HUGEINT) END"""


def load(connection, data):
    """Makes a table of the rows, and one of each joined file: columns as they stand, and as conditions have them."""
    set_cases(connection, data.codec)
    make_rows(connection, "t", data, ((path, member, cycle, cells) for path, member, cycle, _, cells in data.rows()))
    old = ((old_path(data), "", "", line.removesuffix(b"\r").split(data.delimiter)) for line in data.old)
    make_rows(connection, "old", data, old)
    for nth, table in enumerate(data.tables):
        # White space around values of tables of one's own does not count.
        value = lambda cell: (cell.strip() if table.leads is not None else cell).decode(data.codec)
        columns = {f"c{place}": [value(row[place]) for row in table.rows] for place in range(len(table.columns))}
        make(connection, f"j{nth}", {"rid": list(range(len(table.rows))), **columns}, table.columns)


def make_rows(connection, name, data, rows):
    width = len(data.columns)
    # Paths are UTF-8, whatever the rows are.
    rows = [(path.encode().decode(data.codec), member, cycle, (cells + [b""] * width)[:width]) for path, member, cycle, cells in rows]
    columns = {"rid": list(range(len(rows)))}
    columns |= {name: [row[nth] for row in rows] for nth, name in enumerate(("f", "m", "cyc"))}
    columns |= {f"c{nth}": [row[3][nth].decode(data.codec) for row in rows] for nth in range(width)}
    make(connection, name, columns, data.columns)


def set_cases(connection, codec):
    """Defines upper and lower. Rows that are not UTF-8 have letters of a byte, of which only those of ASCII have another case."""
    capitals, small = (bytes(range(start, start + 26)).decode() for start in (65, 97))
    for name, source, target in (("upper", small, capitals), ("lower", capitals, small)):
        made = f"system.main.{name}(x)" if codec == "utf-8" else f"translate(x, '{source}', '{target}')"
        connection.execute(f"CREATE OR REPLACE MACRO {name}(x) AS {made}")


def make(connection, name, columns, kinds):
    types = {column: pyarrow.int64() if column == "rid" else pyarrow.string() for column in columns}
    found = pyarrow.table({column: pyarrow.array(values, types[column]) for column, values in columns.items()})
    connection.register("loaded", found)
    typed = "".join(f", {read(column, f'c{nth}')} AS v{nth}" for nth, column in enumerate(kinds))
    connection.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT *{typed} FROM loaded")
    connection.unregister("loaded")


def read(column, x):
    """Returns the value of a cell in the type of its column."""
    return {DECIMAL: f"read_decimal{column.decimals}({x})", WHOLE: f"read_bigint({x})", DATE: f"read_date({x})", TEXT: x}[column.type]


class Renderer:
    """Renders the parts of a question to one data set."""

    def __init__(self, data, question):
        self.data, self.question = data, question

    def value(self, of):
        """Returns the text of an expression; that of a function is empty if it has no value."""
        if isinstance(of, Col):
            if of.table == ORIGIN and self.question.settings.piped:
                return ("'-'", "''", "''")[of.nth]
            if of.table == ORIGIN:
                return "t." + ("f", "m", "cyc")[of.nth]
            return f"t.c{of.nth}" if of.table == BASE else f"coalesce(j{of.table}.c{of.nth}, '')"
        return f"coalesce({self.call(of)}, '')"

    def item(self, of):
        """Returns the text of an item of a select list. Without types, NULL is an empty text."""
        if isinstance(of, Made):
            value = of.text(self.typed)
        elif of.table >= 0:
            value = f"j{of.table}.c{of.nth}"
        else:
            return self.value(of)
        return value if self.question.types == "typed" else f"coalesce({value}, '')"

    def call(self, call):
        x = self.value(call.of)
        text = {"upper": f"upper({x})", "lower": f"lower({x})", "trim": f"trimmed({x})", "len": f"length({x})::VARCHAR",
                "zip5": f"CASE WHEN regexp_matches({x}, '^[0-9]{{5}}') THEN left({x}, 5) END",
                "zip3": f"CASE WHEN regexp_matches({x}, '^[0-9]{{5}}') THEN left({x}, 3) END",
                "first_name": rf"regexp_extract(trimmed({x}), ', {WHITE}([^, ]+)', 1)",
                "last_name": f"trimmed(split_part({x}, ',', 1))",
                "month": f"month_of({x})", "year": f"left(month_of({x}), 4)",
                "quarter": f"left(month_of({x}), 4) || '-Q' || ((substr(month_of({x}), 6)::INT + 2) // 3)",
                "day": f"any_day({x})::VARCHAR", "week": f"strftime(any_day({x}), '%G-W%V')", "weekday": f"isodow(any_day({x}))::VARCHAR"}
        if call.name == "prefix":
            return f"left({x}, {call.arguments[0]})"
        return self.bin(x, call.arguments) if call.name == "bin" else text[call.name]

    def bin(self, x, bounds):
        labels = bin_labels(bounds)
        whens = "".join(f" WHEN number({x}) < {bound} THEN '{label}'" for bound, label in zip(bounds, labels[1:]))
        return f"CASE WHEN number({x}) IS NULL THEN ''{whens} ELSE '{labels[-1]}' END"

    def typed(self, column):
        """Returns a column as conditions have it: of its type, and NULL where a number or a day can't be read, or a joined table lacks the row."""
        if column.table == ORIGIN and self.question.settings.piped:
            return ("'-'", "''", "NULL::BIGINT")[column.nth]
        if column.table == ORIGIN:
            return ("t.f", "t.m", "TRY_CAST(t.cyc AS BIGINT)")[column.nth]
        return f"t.v{column.nth}" if column.table == BASE else f"j{column.table}.v{column.nth}"

    def where(self):
        conditions = [condition.text(self.typed) for condition in self.question.conditions]
        if self.question.contributions:
            conditions.append(f"t.c5 IN ({', '.join(map(quoted, CONTRIBUTIONS))})")
        return " AND ".join(f"({condition})" for condition in conditions) or "true"

    def source(self, table="t", joins=None):
        """Returns the rows, joined with those of the files."""
        source = f"{table} AS t"
        for nth in self.in_order() if joins is None else joins:
            table = self.data.tables[nth]
            source += f" LEFT JOIN j{nth} ON j{nth}.c{table.key} = {self.leading(table)}"
        return source

    def in_order(self):
        """Returns the joined files in the order of their options, but candidates behind the file that leads to them."""
        joins = list(self.question.joins)
        candidates = [nth for nth in joins if self.data.tables[nth].name == "cn" and self.data.schema in THROUGH]
        for nth in candidates:
            place = max(joins.index(nth), joins.index(self.through()))
            joins.remove(nth)
            joins.insert(place, nth)
        return joins

    def order(self):
        """Returns the order of joined rows: that of the input, and of the files."""
        return ", ".join(["t.rid", *(f"j{nth}.rid" for nth in self.in_order())])

    def leading(self, table):
        if table.leads is not None:
            return f"t.c{table.leads}"
        key = table.columns[table.key].name
        if key == "CAND_ID" and self.data.schema in THROUGH:
            first = self.through()
            return f"j{first}.c{place_of(self.data.tables[first].columns, key)}"
        return f"t.c{place_of(self.data.columns, key)}"

    def through(self):
        """Returns the first joined file of committees, which leads to candidates."""
        return next(nth for nth in self.question.joins if self.data.tables[nth].name in ("cm", "ccl"))

    def groups(self, is_whole=False):
        """Returns the statement whose rows are keys, count and aggregates of the groups, in their order: those that are listed, or all."""
        question, width = self.question, len(self.question.keys)
        items = [item.of.text(self.typed) for item in (*question.keys, *question.aggregates)]
        items.insert(width, "count(*)")
        orders = [f"{place(question, order)}{order.direction}" for order in question.orders]
        orders = orders or [f"{1 + width + bool(question.aggregates)} DESC"]
        keys = [str(1 + nth) for nth in range(width)]
        limit = "" if question.limit is None or is_whole else f" LIMIT {question.limit}"
        return (f"SELECT {', '.join(f'{item} AS g{nth}' for nth, item in enumerate(items))} FROM {self.source()} WHERE {self.where()} "
                f"GROUP BY {', '.join(keys)} ORDER BY {', '.join(orders + keys)}{limit}")


def digits(of):
    """Returns the most digits of a number: money has two decimals."""
    return DIGITS if of.kind == "number" and of.decimals != 2 else DIGITS_OF_MONEY


def bin_labels(bounds):
    between = [f"{one} to <{other}" for one, other in zip(bounds, bounds[1:])]
    return ["", f"<{bounds[0]}", *between, f">={bounds[-1]}"]


def rows(data, question):
    """Returns the statement of an export: the number of each row, and its values as text."""
    renderer = Renderer(data, question)
    columns = question.columns or all_columns(data)
    values = "".join(f", {renderer.item(column)}" for column in columns)
    limit = "" if question.limit is None else f" LIMIT {question.limit}"
    return f"SELECT t.rid{values} FROM {renderer.source()} WHERE {renderer.where()} ORDER BY {renderer.order()}{limit}"


def all_columns(data):
    return [Col(BASE, nth, column.name, column.kind, column.decimals) for nth, column in enumerate(data.columns)]
