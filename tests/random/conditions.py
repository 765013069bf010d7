"""Draws random conditions of SQL to a data set. The columns between the words are values: `sql.py` and `args.py` name them."""
import datetime
import re
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from question import BASE, DATE, DECIMAL, ORIGIN, TEXT, WHOLE, Col, Condition

NUMBERS = ("0", "1", "5", "10", "250", "500", "500.00", "-1", "12.5", "3.14", "0.01", "-250", "2700", "1e3", "2.5e-1", "0.000000000001",
           "99999999999999.99", "12345678901234567890", "100000000000000000000")
DAYS = ("2016-01-01", "2017-06-30", "2018-01-31", "2018-02-28", "2020-02-29", "2019-12-31", "1999-12-31")
WORDS = ("CA", "NY", "x", "", "nothing", "ca", "A", "2018", "it's", "100%", "a_b", "'", "\\", "%")
PATTERNS = ("A", "^C", "(?i)a", "[0-9]+$", "^$", "N.*Y", "a|b", "x{3}", "^[A-Z]{2}$", " ", "\\.", "(?i)CA|NY", "^.{3}$", "[^A-Z]")
OPERATORS = ("=", "<>", "!=", "<", "<=", ">", ">=")
PARTS = ("year", "quarter", "month", "week", "day")
FIRST_NAME = re.compile(r", [ \t\n\x0b\x0c\r]*([^, ]+)")
# The share of conditions whose right answer is a refusal.
MISUSED = 0.01
# The share of literals that are NULL.
NULLS = 0.03


class Expression(NamedTuple):
    """The words of an expression and the columns between them, and what makes a value that some row may have."""
    parts: tuple
    sample: object = lambda: None


class Conditions:
    """Draws the conditions of one question."""

    def __init__(self, rng, data, joins, spelled, cells_of):
        self.rng, self.data, self.cells_of = rng, data, cells_of
        self.columns = [Col(BASE, nth, spelled(BASE, nth), column.kind, column.decimals, column.type) for nth, column in enumerate(data.columns)]
        for table in joins:
            for nth, column in enumerate(data.tables[table].columns):
                self.columns.append(Col(table, nth, spelled(table, nth), column.kind, column.decimals, column.type))
        # In ccl, the cycle is a column of the file.
        has_ccl = data.schema == "ccl" or any(data.tables[nth].name == "ccl" for nth in joins)
        self.columns += [Col(ORIGIN, nth, name, "text", 0, WHOLE if name == "cycle" else TEXT)
                         for nth, name in enumerate(("file", "member") if has_ccl else ("file", "member", "cycle"))]
        # Conditions that share columns have ranges that meet, and parts that repeat.
        self.favourites = [self.any_column() for _ in range(2)]

    def chance(self, share):
        return self.rng.random() < share

    def any_column(self):
        """Returns a column: of the rows in most cases, of a joined table, or of an input."""
        roll = self.rng.random()
        some = [column for column in self.columns if column.table >= 0] if roll < 0.35 else []
        some = some or [column for column in self.columns if (column.table == ORIGIN) == (roll > 0.95)]
        return self.rng.choice(some)

    def column(self, *types):
        """Returns a column of one of these types; none if there is none."""
        known = [column for column in self.favourites if column.type in types]
        if known and self.chance(0.5):
            return self.rng.choice(known)
        for _ in range(4):
            column = self.any_column()
            if column.type in types:
                return column
        some = [column for column in self.columns if column.type in types]
        return self.rng.choice(some) if some else None

    # Conditions

    def draw(self, depth=None):
        """Returns a condition, with others inside of it up to this depth."""
        rng = self.rng
        if depth is None:
            if self.chance(MISUSED):
                return self.misused()
            depth = rng.choice((0, 0, 1, 1, 2, 3))
        if depth == 0 or self.chance(0.2):
            return self.simple()
        operator = rng.choice(("AND", "AND", "OR", "OR", "OR", "NOT", "NOT", "IS"))
        if operator == "NOT":
            return Condition("NOT", (self.draw(depth - 1),))
        if operator == "IS":
            return Condition(rng.choice(("IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE", "IS NULL", "IS NOT NULL")), (self.draw(depth - 1),))
        return Condition(operator, tuple(self.draw(depth - 1) for _ in range(rng.choice((2, 2, 2, 3)))))

    def simple(self):
        column = self.rng.choice(self.favourites) if self.chance(0.5) else self.any_column()
        roll = self.rng.random()
        if roll < 0.02:
            return self.rng.choice((words("true"), words("false"), words("NULL"), words("1 = 1")))
        if roll < 0.08:
            return self.on_truth()
        return {TEXT: self.on_text, DECIMAL: self.on_number, WHOLE: self.on_number, DATE: self.on_day}[column.type](column)

    def on_truth(self):
        """Compares conditions, or chooses one by another."""
        rng, x = self.rng, self.simple
        return rng.choice((
            lambda: words("CASE WHEN ", x(), " THEN ", x(), " ELSE ", x(), " END"), lambda: words("CASE WHEN ", x(), " THEN ", x(), " END"),
            lambda: words("(", x(), ") IS ", rng.choice(("", "NOT ")), "DISTINCT FROM (", x(), ")"), lambda: words("coalesce(", x(), ", ", x(), ")")))()

    def on_text(self, column):
        rng = self.rng
        of = self.text(rng.choice((0, 0, 0, 1, 1, 2)), column)
        literal = lambda: self.text_literal(of)
        negated = rng.choice(("", "NOT "))
        kind = rng.choices(("compare", "in", "like", "regex", "call", "between", "column", "distinct", "null"), (6, 3, 4, 2, 2, 1, 2, 1, 1))[0]
        if kind == "compare":
            if self.chance(0.1):
                return words(literal(), f" {rng.choice(OPERATORS)} ", *of.parts)
            return words(*of.parts, f" {rng.choice(OPERATORS)} ", literal())
        if kind == "in":
            return words(*of.parts, f" {negated}IN (", ", ".join(self.listed(literal)), ")")
        if kind == "like":
            operator = rng.choice(("LIKE", "LIKE", "ILIKE"))
            return words(*of.parts, f" {negated}{operator} ", self.pattern(of))
        if kind == "regex":
            regex = rng.choice((rng.choice(PATTERNS), self.escaped_regex(of)))
            # No character of an expression is a byte that is not UTF-8: docs/sql.md.
            if self.data.codec != "utf-8" and (re.search(r"(?<!\\)\.|\[\^|\\[SDWB]", regex)):
                regex = "A"
            pattern = "NULL" if self.chance(NULLS) else quoted(regex)
            return rng.choice((words(*of.parts, f" {rng.choice(('~', '!~'))} {pattern}"), words("regexp_matches(", *of.parts, f", {pattern})"),
                               words("regexp_matches(", *of.parts, f", {pattern}, 'i')")))
        if kind == "call":
            piece = "NULL" if self.chance(NULLS) else quoted(self.piece(of))
            return rng.choice((words("starts_with(", *of.parts, f", {piece})"),
                               words(f"{rng.choice(('contains', 'ends_with'))}(", *of.parts, f", {piece})")))
        if kind == "between":
            return words(*of.parts, f" {negated}BETWEEN ", literal(), " AND ", literal())
        if kind == "column":
            return words(*of.parts, f" {rng.choice(OPERATORS)} ", *self.text(rng.choice((0, 0, 1))).parts)
        if kind == "distinct":
            other = (literal(),) if self.chance(0.5) else self.text(0).parts
            return words(*of.parts, f" IS {negated}DISTINCT FROM ", *other)
        if of.parts != (column,) or column.table >= 0:
            return words(*of.parts, f" IS {negated}NULL")
        # A text of the file is never NULL, which only nullif brings about.
        return words("nullif(", *of.parts, f", {literal()}) IS {negated}NULL")

    def on_number(self, column):
        rng = self.rng
        of = self.number(rng.choice((0, 0, 0, 1, 1, 2)), column)
        return self.on_ordered(of, lambda: self.number_literal(of), lambda: self.number(rng.choice((0, 0, 1))))

    def on_day(self, column):
        rng = self.rng
        if self.chance(0.3):
            of = self.whole_of_day(0, column)
            return self.on_ordered(of, lambda: self.number_literal(of), lambda: self.number(0))
        if self.chance(0.25):
            # DuckDB makes it a TIMESTAMP, which compares with days in the same way.
            part = rng.choice(PARTS)
            of = Expression(("date_trunc('", part, "', ", column, ")"), lambda: truncated(part, self.day_of(column)))
            return words(*of.parts, f" {rng.choice(OPERATORS)} ", self.day_literal(of))
        of = self.day(rng.choice((0, 0, 0, 1)), column)
        return self.on_ordered(of, lambda: self.day_literal(of), lambda: self.day(rng.choice((0, 0, 1))))

    def on_ordered(self, of, literal, other):
        """Returns a condition on a number or a day."""
        rng = self.rng
        negated = rng.choice(("", "NOT "))
        kind = rng.choices(("compare", "in", "between", "null", "other", "distinct"), (8, 2, 3, 3, 2, 2))[0]
        if kind == "compare":
            if self.chance(0.1):
                return words(literal(), f" {rng.choice(OPERATORS)} ", *of.parts)
            return words(*of.parts, f" {rng.choice(OPERATORS)} ", literal())
        if kind == "in":
            return words(*of.parts, f" {negated}IN (", ", ".join(self.listed(literal)), ")")
        if kind == "between":
            return words(*of.parts, f" {negated}BETWEEN ", literal(), " AND ", literal())
        if kind == "null":
            return words(*of.parts, f" IS {negated}NULL")
        if kind == "distinct":
            return words(*of.parts, f" IS {negated}DISTINCT FROM ", *(other().parts if self.chance(0.4) else (literal(),)))
        return words(*of.parts, f" {rng.choice(OPERATORS)} ", *other().parts)

    def listed(self, literal):
        """Returns the values of a list."""
        return [literal() for _ in range(self.rng.choice((1, 1, 2, 2, 3, 3, 3, 9, 9, 40, 300)))]

    def misused(self):
        """Returns a condition whose right answer is a refusal: types do not fit, a name is unknown, or a text of the file can't be NULL."""
        rng = self.rng
        number, day, text = self.column(DECIMAL, WHOLE), self.column(DATE), self.column(TEXT)
        of_file = [column for column in self.columns if column.table == BASE and column.type == TEXT]
        some = [words(text, " > 5"), words(text, " = 'x' AND no_such_column = 5"), words("no_such_function(", text, ") = 'x'"), words(text, " = CA"),
                words("upper(", text, ", 1) = 'X'"), words("year(", text, ") = 2018")]
        some += [words(rng.choice(of_file), rng.choice((" IS NULL", " IS NOT NULL")))] * 4 if of_file else []
        some += [words(number, " = 'x'"), words(number, " LIKE '1%'"), words("upper(", number, ") = '5'")] if number else []
        some += [words(day, " >= 5"), words(day, " = 'x'"), words(day, " = '13992018'")] if day else []
        some += [words(number, " = ", day)] if number and day else []
        return replace(rng.choice(some), is_misuse=True)

    # Expressions

    def text(self, depth, column=None):
        """Returns an expression of type VARCHAR, on this column if it is one of texts."""
        rng = self.rng
        if depth == 0:
            column = column if column is not None and column.type == TEXT else self.column(TEXT)
            return Expression((column,), lambda: self.text_of(column))
        x = self.text(depth - 1, column)
        sampled = lambda change: lambda: change(x.sample())
        length, start = rng.randrange(1, 6), rng.randrange(1, 4)
        around = lambda before, after, change: Expression((before, *x.parts, after), sampled(change))
        literal = self.text_literal(x)
        made = [
            lambda: around("upper(", ")", str.upper), lambda: around("lower(", ")", str.lower),
            lambda: around("trim(", ")", lambda text: text.strip(" ")),
            lambda: around("left(", f", {length})", lambda text: text[:length]), lambda: around("right(", f", {length})", lambda text: text[-length:]),
            lambda: around("substr(", f", {start}, {length})", lambda text: text[start - 1:start - 1 + length]),
            lambda: around("zip5(", ")", lambda text: text[:5]),
            lambda: around("coalesce(", ", 'none')", str), lambda: around("coalesce(", ", '')", str),
            lambda: around("first_name(", ")", first_name), lambda: around("last_name(", ")", lambda text: text.split(",")[0].strip()),
            lambda: around("replace(", ", 'A', 'b')", lambda text: text.replace("A", "b")),
            lambda: around("split_part(", ", ' ', 1)", lambda text: text.split(" ")[0]),
            lambda: around("nullif(", f", {literal})", str), lambda: around("", " || '!'", lambda text: text + "!"),
            lambda: around("regexp_extract(", ", '([A-Z]+) ?([A-Z0-9])', 2)", lambda text: text[:1]),
        ]
        other = self.text(0)
        made += [
            lambda: Expression((*x.parts, " || ", *other.parts), lambda: x.sample() + other.sample()),
            lambda: Expression(("coalesce(", *x.parts, ", ", *other.parts, ")"), x.sample),
            lambda: Expression(("CASE WHEN ", self.simple(), " THEN ", *x.parts, " ELSE ", *other.parts, " END"), x.sample),
            lambda: Expression(("CASE WHEN ", self.simple(), " THEN ", *x.parts, " END"), x.sample),
        ]
        number = self.column(DECIMAL, WHOLE, DATE)
        if number is not None:
            made.append(lambda: Expression(("CAST(", number, " AS VARCHAR)"), lambda: str(self.value_of(number))))
        return rng.choice(made)()

    def number(self, depth, column=None):
        """Returns an expression whose values are numbers, on this column if it is one of numbers."""
        rng = self.rng
        if depth == 0:
            column = column if column is not None and column.type in (DECIMAL, WHOLE) else self.column(DECIMAL, WHOLE)
            if column is None:
                return self.whole_of_text()
            return Expression((column,), lambda: self.number_of(column))
        x = self.number(depth - 1, column)
        around = lambda before, after, change: Expression((before, *x.parts, after), lambda: change(x.sample()))
        exact = all(not isinstance(part, Col) or part.type == DECIMAL for part in x.parts)
        made = [
            lambda: around("(", " + 1)", lambda value: value + 1), lambda: around("(", " - 0.5)", lambda value: value - Decimal("0.5")),
            lambda: around("coalesce(", ", 0)", Decimal), lambda: around("coalesce(", ", -1)", Decimal), lambda: around("abs(", ")", abs),
            lambda: around("nullif(", f", {self.number_literal(x)})", Decimal), lambda: around("(", " / 2)", lambda value: value / 2),
            lambda: around("TRY_CAST(CAST(", " AS VARCHAR) AS DECIMAL(38, 2))", Decimal),
            self.whole_of_text, self.whole_of_text, self.number_of_text,
            lambda: Expression(("CASE WHEN ", self.simple(), " THEN ", *x.parts, " END"), x.sample),
            lambda: Expression(("CASE WHEN ", self.simple(), " THEN ", *x.parts, " ELSE 0 END"), x.sample),
        ]
        if exact and depth == 1:
            other = self.column(DECIMAL)
            made += [lambda: around("(", " * 2)", lambda value: value * 2), lambda: around("(-", ")", lambda value: -value),
                     lambda: around("round(", ")", lambda value: Decimal(round(value))), lambda: around("floor(", ")", lambda value: value // 1)]
            if other is not None:
                made += [lambda: Expression(("greatest(", *x.parts, ", ", other, ")"), x.sample)]
        day = self.column(DATE)
        if day is not None:
            made += [lambda: self.whole_of_day(0, day)] * 3
        return rng.choice(made)()

    def whole_of_text(self):
        of = self.text(self.rng.choice((0, 0, 1)))
        word = self.rng.choice(("A", ",", " ", "0"))
        return self.rng.choice((Expression(("length(", *of.parts, ")"), lambda: Decimal(len(of.sample()))),
                                Expression(("strpos(", *of.parts, f", '{word}')"), lambda: Decimal(of.sample().find(word) + 1))))

    def number_of_text(self):
        of = self.text(0)
        to = self.rng.choice(("BIGINT", "DECIMAL(38, 2)", "DOUBLE", "INTEGER", "DECIMAL(38, 4)", "DECIMAL(9, 2)", "DECIMAL(3, 1)"))
        return Expression(("TRY_CAST(", *of.parts, f" AS {to})"), lambda: number_in(of.sample(), Decimal(5)))

    def whole_of_day(self, depth, column):
        of, other = self.day(depth, column), self.column(DATE)
        name = self.rng.choice(("year", "month", "day", "quarter", "week", "isodow", "dayofweek", "dayofyear"))
        part = self.rng.choice(PARTS)
        return self.rng.choice((
            Expression((f"{name}(", *of.parts, ")"), lambda: Decimal(part_of(name, of.sample()))),
            Expression((f"{name}(", *of.parts, ")"), lambda: Decimal(part_of(name, of.sample()))),
            Expression((f"date_diff('{part}', ", *of.parts, ", ", other, ")"), lambda: Decimal(self.rng.randrange(-3, 4))),
            Expression(("(", *of.parts, " - ", other, ")"), lambda: Decimal(self.rng.randrange(-30, 30)))))

    def day(self, depth, column=None):
        """Returns an expression of type DATE, on this column if it is one of days."""
        rng = self.rng
        if depth == 0:
            column = column if column is not None and column.type == DATE else self.column(DATE)
            if column is None:
                of = self.column(TEXT)
                return Expression(("TRY_CAST(", of, " AS DATE)"), lambda: date_of(self.text_of(of)) or self.a_day())
            return Expression((column,), lambda: self.day_of(column))
        x = self.day(depth - 1, column)
        days = rng.randrange(1, 40)
        around = lambda before, after, change: Expression((before, *x.parts, after), lambda: change(x.sample()))
        return rng.choice((
            around("(", f" + {days})", lambda day: day + datetime.timedelta(days)),
            around("(", f" - {days})", lambda day: day - datetime.timedelta(days)),
            around("coalesce(", ", DATE '2018-01-31')", lambda day: day), around("nullif(", f", {self.day_literal(x)})", lambda day: day),
            Expression(("CASE WHEN ", self.simple(), " THEN ", *x.parts, " END"), x.sample)))

    # Literals

    def text_literal(self, of):
        """Returns a text, often one that a row has."""
        if self.chance(NULLS):
            return "NULL"
        sample = of.sample() if self.chance(0.75) else None
        return quoted(self.rng.choice(WORDS) if sample is None else sample)

    def number_literal(self, of):
        """Returns a number, often one that a row has, or one beside it."""
        rng = self.rng
        value = of.sample() if self.chance(0.7) else None
        if self.chance(NULLS):
            return "NULL"
        if value is None:
            return rng.choice(NUMBERS)
        value += Decimal(rng.choice(("0", "0", "0", "0", "0.01", "-0.01", "1", "-1", "0.001", "-0.005")))
        text = f"{value:f}"
        if self.chance(0.1) and "." in text:
            text += "0"
        # A text is read as a number of the type that it is compared with.
        return quoted(text) if self.chance(0.1) and "." not in text else text

    def day_literal(self, of):
        """Returns a day, often one that a row has, or one beside it."""
        rng = self.rng
        value = of.sample() if self.chance(0.7) else None
        if self.chance(NULLS):
            return "NULL"
        text = rng.choice(DAYS) if value is None else (value + datetime.timedelta(rng.choice((0, 0, 0, 0, 1, -1)))).isoformat()
        return f"DATE '{text}'" if self.chance(0.2) else f"'{text}'"

    def piece(self, of):
        """Returns a part of a text that a row has."""
        text = of.sample() or self.rng.choice(WORDS)
        start = self.rng.choice((0, 0, self.rng.randrange(len(text) + 1)))
        return text[start:start + self.rng.choice((1, 2, 3, 9, 20))]

    def pattern(self, of):
        """Returns a pattern of LIKE, made of a text that a row has."""
        rng, piece = self.rng, self.piece(of)
        if self.chance(NULLS):
            return "NULL"
        if piece and self.chance(0.25):
            place = rng.randrange(len(piece))
            piece = piece[:place] + rng.choice("_%") + piece[place + 1:]
        piece = piece.swapcase() if self.chance(0.2) and piece.isascii() else piece
        before, after = rng.choice((("", "%"), ("", "%"), ("%", "%"), ("%", ""), ("", ""), ("_%", ""), ("%", "_")))
        if self.chance(0.1):
            return quoted(before + piece.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + after) + " ESCAPE '\\'"
        return quoted(before + piece + after)

    def escaped_regex(self, of):
        """Returns a regular expression that finds a part of a text that a row has."""
        piece = self.piece(of) if self.chance(0.7) else "A"
        # Escapes that mean the same to every program.
        piece = re.sub(r"[.*+?()|\[\]{}^$\\]", r"\\\g<0>", piece) if piece.isprintable() else "A"
        return self.rng.choice(("^", "", "", "(?i)")) + piece + self.rng.choice(("$", "", ".", ".*", "|JOHN", "|[0-9]A"))

    # Values that rows have

    def text_of(self, column):
        value = self.cells_of(column)
        try:
            text = value.decode()
        except UnicodeDecodeError:
            return "CA"
        # An argument has no NUL. Letters of a literal are UTF-8, and the rows' may be others.
        return "CA" if "\0" in text or not text.isascii() and self.data.codec != "utf-8" else text

    def number_of(self, column):
        return number_in(self.text_of(column), Decimal(self.rng.choice(("0", "1", "5", "250", "-1", "12.5"))))

    def day_of(self, column):
        return date_of(self.text_of(column)) or self.a_day()

    def value_of(self, column):
        return self.day_of(column) if column.type == DATE else self.number_of(column)

    def a_day(self):
        return datetime.date.fromisoformat(self.rng.choice(DAYS))


def words(*parts):
    return Condition("", parts)


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def number_in(text, default):
    """Returns the number that a text is, or another one if it is none of few digits."""
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        return default
    return value if value.is_finite() and -6 <= value.as_tuple().exponent <= 0 and abs(value) < 10 ** 15 else default


def date_of(text):
    """Returns the day that a text is, in one of the usual forms."""
    for form in ("%m%d%Y", "%m/%d/%Y", "%Y-%m-%d", "%Y%m%d"):
        try:
            day = datetime.datetime.strptime(text[:10], form).date()
        except ValueError:
            continue
        return day if 1000 < day.year < 9000 else None
    return None


def first_name(text):
    found = FIRST_NAME.search(text)
    return found[1] if found else ""


def truncated(part, day):
    if part == "week":
        return day - datetime.timedelta(day.weekday())
    month = {"year": 1, "quarter": (day.month - 1) // 3 * 3 + 1}.get(part, day.month)
    return day if part == "day" else day.replace(month=month, day=1)


def part_of(name, day):
    return {"year": day.year, "month": day.month, "day": day.day, "quarter": (day.month + 2) // 3, "week": day.isocalendar()[1],
            "isodow": day.isoweekday(), "dayofweek": day.isoweekday() % 7, "dayofyear": day.timetuple().tm_yday}[name]
