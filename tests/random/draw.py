"""Draws random questions to a data set."""
from dataclasses import replace

import args
from conditions import Conditions, words
from question import BASE, DATE, ORIGIN, WHOLE, Call, Col, Condition, Item, Made, Order, Question, Settings
from tables import THROUGH

DATES = ("month", "year", "quarter", "week", "day", "weekday")
TEXTS = ("upper", "lower", "trim", "prefix", "len")
GROUP_FORMS = ("csv", "csv", "json", "tsv", "parquet", "arrow", "xlsx", "markdown", "text", "html", "svg")
ROW_FORMS = ("csv", "ndjson", "json", "tsv", "parquet", "arrow", "xlsx", "text")
TASKS = (1, 7, 64, 1000, 4096, 0, 0, 0)
LEVELS = ("portable", "avx2", "avx512")


class Drawer:
    """Draws questions to one data set."""

    def __init__(self, rng, data, levels):
        self.rng, self.data, self.levels = rng, data, levels
        self.codec = data.codec
        self.rows = [cells for _, (*_, cells) in zip(range(300), data.rows())]

    def chance(self, share):
        return self.rng.random() < share

    def question(self):
        command = self.rng.choice(("by", "by", "by", "by", "count", "count", "export", "export", "export", "diff", "report"))
        if command == "report" and self.data.schema not in ("indiv", "oth", "pas2"):
            command = "by"
        question = self.with_slices(getattr(self, command)())
        if command == "diff" and self.chance(0.05):
            return replace(question, misuse="stdin", form="text", columns=(), types="")
        if command in ("by", "count") and self.data.schema is None and not any("#1=" in word for word in self.data.options) and self.chance(0.02):
            return replace(question, misuse="types")
        return question

    def shared(self, command, form):
        """Returns what questions of all commands have."""
        found = {"command": command, "form": form, "settings": self.settings(command)}
        if self.data.tables and command != "report" and self.chance(0.4):
            found["joins"] = self.joins()
        joins = found.get("joins", ())
        found["conditions"] = self.conditions(joins)
        if self.data.schema in ("indiv", "oth", "pas2") and self.chance(0.1):
            found["contributions"] = True
        return found

    def conditions(self, joins):
        drawer, found = Conditions(self.rng, self.data, joins, self.sql_name, self.cells_of), []
        while self.chance(0.6 if not found else 0.4) and len(found) < 3:
            found.append(drawer.draw())
        return tuple(found)

    def joins(self):
        """Returns the numbers of some joined files, in the order of their options."""
        tables = self.data.tables
        some = self.rng.sample(range(len(tables)), self.rng.randrange(1, len(tables) + 1))
        leads = any(tables[nth].name in ("cm", "ccl") for nth in some)
        if self.data.schema in THROUGH and not leads:
            some = [nth for nth in some if tables[nth].name != "cn"]
        return tuple(some)

    def settings(self, command):
        rng, data = self.rng, self.data
        settings = dict(threads=rng.choice((1, 2, 2, 3, 8)), level=rng.choice(self.levels), io=rng.choice(("mmap", "read", "auto")),
                        task_bytes=rng.choice(TASKS))
        large = sum(len(member.lines) for _, member in data.members()) > 1000
        if large and settings["task_bytes"] < 1000:
            settings["task_bytes"] = 0
        single = len(data.files) == 1 and data.files[0].form == "plain"
        if command in ("by", "count", "report") and self.chance(0.12):
            if single:
                size = len(data.files[0].members[0].content)
                settings["cuts"] = tuple(sorted(rng.randrange(size + 2) for _ in range(rng.randrange(1, 4))))
            elif len(data.files) > 1:
                settings["by_file"] = True
            settings["respelled"] = self.chance(0.5)
        elif len(data.files) == 1 and data.files[0].form in ("plain", "gz", "zst") and command != "diff" and self.chance(0.15):
            settings["piped"] = True
        return Settings(**settings)

    def with_slices(self, question):
        """Has archives be read by their slices, if nothing in the question tells them from their members."""
        # An archive without slices is refused.
        sliced = [file for file in self.data.files if file.form in ("slices", "zip")]
        reads_same = all(file.form == "slices" and not file.slices_differ and file.members[0].ends and file.members[0].content for file in sliced)
        if not sliced or not reads_same or question.command not in ("by", "count", "export") or f"table={ORIGIN}" in str(question) or self.chance(0.7):
            return question
        return replace(question, settings=replace(question.settings, slices="--slices"))

    def column(self, joins=(), kinds=None):
        """Returns a column of the rows, sometimes of an input or a joined table. None if there is none of these kinds."""
        rng, data = self.rng, self.data
        if kinds is None and self.chance(0.1):
            # In ccl, the cycle is a column of the file.
            has_ccl = data.schema == "ccl" or any(data.tables[nth].name == "ccl" for nth in joins)
            nth = rng.randrange(2 if has_ccl else 3)
            return Col(ORIGIN, nth, "", "number" if nth == 2 else "text", 0)
        if kinds is None and joins and self.chance(0.4):
            table = rng.choice(joins)
            nth = rng.randrange(len(data.tables[table].columns))
            column = data.tables[table].columns[nth]
            return Col(table, nth, f"{data.tables[table].name}.{column.name}", column.kind)
        places = [nth for nth, column in enumerate(data.columns) if kinds is None or column.kind in kinds]
        if not places:
            return None
        nth = rng.choice(places)
        column = data.columns[nth]
        return Col(BASE, nth, self.spelled(nth, column), column.kind, column.decimals)

    def spelled(self, nth, column):
        rng = self.rng
        names = [f"#{nth + 1}"]
        if column.name.isidentifier() and column.name.isascii() and column.name not in ("count", "key"):
            names += [column.name, column.name, column.name.lower()]
        if column.alias and self.data.schema:
            names.append(column.alias)
        return rng.choice(names)

    def expression(self, joins=()):
        """Returns a column or functions of one."""
        column = self.column(joins)
        if column.table == ORIGIN or not self.chance(0.4):
            return column
        rng = self.rng
        if column.kind in ("date", "image") or column.kind == "untyped" and self.chance(0.2):
            return Call(rng.choice(DATES), column)
        if column.kind == "zip":
            return Call(rng.choice(("zip5", "zip3")), column)
        if column.kind in ("number", "untyped") and self.chance(0.5):
            bounds = sorted(rng.sample((-100, -1, 0, 1, 5, 10, 20, 100, 250, 500, 1000, 10_000), rng.randrange(1, 5)))
            return Call("bin", column, tuple(map(str, bounds)))
        if column.name.lower() in ("name", "cand_name", "tres_nm") and self.chance(0.5):
            return Call(rng.choice(("first_name", "last_name")), column)
        call = self.text_call(column)
        return self.text_call(call) if call.kind == "text" and self.chance(0.3) else call

    def text_call(self, of):
        # A row without a partner has no length.
        name = self.rng.choice(TEXTS if of.table < 0 else TEXTS[:-1])
        return Call(name, of, (str(self.rng.randrange(1, 6)),) if name == "prefix" else ())

    def cells_of(self, column):
        """Returns a cell that a row has in the column."""
        if column.table == ORIGIN:
            file, member = self.rng.choice(self.data.members())
            return (file.path, member.name, file.cycle)[column.nth].encode()
        if column.table >= 0:
            return self.rng.choice(self.data.tables[column.table].rows)[column.nth]
        some = [cells[column.nth] for cells in self.rows if len(cells) > column.nth]
        return self.rng.choice(some) if some else b""

    def sql_name(self, table, nth):
        """Returns a name that conditions have for a column of the rows or of a joined table."""
        return self.rng.choice(args.names_of(self.data, table, nth))

    def by(self):
        rng = self.rng
        found = self.shared("by", rng.choice(GROUP_FORMS))
        drawer = Conditions(rng, self.data, found.get("joins", ()), self.sql_name, self.cells_of)
        titles = {"count"}
        found["keys"] = self.items(titles, [self.key(drawer) for _ in range(rng.choice((1, 1, 1, 2, 2, 3)))])
        aggregates = [self.aggregate(drawer) for _ in range(rng.choice((0, 1, 1, 2, 3, 6)))]
        # Sums stand before other aggregates.
        sums = [Condition("", ("sum(", *self.exact(drawer), ")")) for _ in range(rng.choice((0, 0, 1, 1, 2)))]
        found["aggregates"] = self.items(titles, sums, True) + self.items(titles, aggregates)
        if self.chance(0.8):
            found["orders"] = self.orders(found["keys"], found["aggregates"])
        if self.chance(0.4):
            found["limit"] = rng.choice((0, 1, 2, 5, 10, 100))
        if self.chance(0.04):
            found["max_groups"] = rng.choice((1, 3, 1_000_000))
        found["in_lists"] = self.chance(0.5)
        if self.stands_alone(found) and self.chance(0.2):
            found["settings"] = replace(found["settings"], as_statement=True)
        return Question(**found)

    def stands_alone(self, found):
        """Says whether the statement that a question is short for names all that is read, and its format is one of statements."""
        how = found["settings"]
        # A statement reads tables of one's own, and those of a schema that an option names, in the way of the rows.
        has_others = found.get("joins") and "--schema" in self.data.options or any(self.data.tables[nth].leads is not None for nth in found.get("joins", ()))
        is_named = not has_others and (self.data.schema is not None or len(self.data.files) == 1)
        return is_named and not (how.cuts or how.by_file or how.piped) and found["form"] not in ("text", "html", "svg", "markdown")

    def key(self, drawer):
        """Returns an expression to group by."""
        rng = self.rng
        kind = rng.choices(("column", "text", "number", "day", "month", "truth"), (6, 3, 1, 1, 2, 1))[0]
        if kind == "column":
            return Condition("", (drawer.any_column(),))
        if kind == "truth":
            return Condition("", (drawer.simple(),))
        if kind == "month":
            day = drawer.day(0).parts
            return Condition("", rng.choice((("date_trunc('month', ", *day, ")"), ("year(", *day, ")"), ("quarter(", *day, ")"), ("dayname(", *day, ")"),
                                             ("strftime(", *day, ", '%Y-%m')"))))
        return Condition("", self.fitting({"text": drawer.text, "number": drawer.number, "day": drawer.day}[kind], rng.choice((0, 1, 1, 2))))

    def fitting(self, expression, depth):
        """Returns an expression whose values are no decimals of identifiers, which have too many digits."""
        while True:
            parts = expression(depth).parts
            text = args.written(Condition("", parts))
            if " - 0.5)" not in text and "DECIMAL(38" not in text or all(column.type != WHOLE for column in Condition("", parts).columns()):
                return parts

    def exact(self, drawer):
        """Returns an expression of numbers whose sum does not depend on their order."""
        while True:
            parts = self.fitting(drawer.number, self.rng.choice((0, 0, 0, 1)))
            text = args.written(Condition("", parts))
            if "DOUBLE" not in text and " / " not in text:
                return parts

    def aggregate(self, drawer):
        rng = self.rng
        any_one = lambda: self.fitting(rng.choice((drawer.text, drawer.number, drawer.day)), rng.choice((0, 0, 1)))
        of = rng.choice((
            lambda: (f"{rng.choice(('min', 'max'))}(", *rng.choice((self.exact(drawer), drawer.day(0).parts, drawer.text(0).parts)), ")"),
            lambda: ("avg(", *self.exact(drawer), ")"), lambda: ("median(CAST(", *self.exact(drawer), " AS DOUBLE))"),
            lambda: ("quantile_disc(", *self.exact(drawer), f", {rng.choice(('0.5', '0.9', '0.25', '0.99', '1', '0.1'))})"),
            lambda: ("count(", *any_one(), ")"), lambda: ("count(DISTINCT ", *any_one(), ")"), lambda: ("sum(", *self.exact(drawer), ")")))()
        if self.chance(0.25):
            of = (*of, " FILTER (WHERE ", drawer.simple(), ")")
        return Condition("", of)

    def items(self, titles, expressions, are_sums=False):
        """Returns expressions with names where they need one to differ in their titles, and sometimes else."""
        found = []
        for of in expressions:
            first = of.parts[0]
            likely = {of.text(lambda column: column.name).replace(" ", "").lower()}
            if of.parts == (first,) and isinstance(first, Col):
                likely |= {first.name.rpartition(".")[2].strip('"').lower(), *self.own_names(first)}
            name = ""
            if not are_sums and (titles & likely or self.chance(0.3)):
                name = self.rng.choice(("out{}", '"a b{}"', "Total{}", '"sum(x){}"', '"\u00e9{}"')).format(len(titles))
            if titles & likely and are_sums:
                continue
            titles |= likely | {name.strip('"').lower()} if name else likely
            found.append(Item(of, name, are_sums))
        return tuple(found)

    def own_names(self, column):
        if column.table == ORIGIN:
            return []
        table = self.data if column.table == BASE else self.data.tables[column.table]
        return [table.columns[column.nth].name.lower(), table.columns[column.nth].title.lower()]

    def orders(self, keys, aggregates):
        rng = self.rng
        choices = [Order("count")] + [Order("key", nth) for nth in range(len(keys))] + [Order("aggregate", nth) for nth in range(len(aggregates))] * 2
        orders = rng.sample(choices, min(len(choices), rng.choice((1, 1, 2))))
        directions = ("", "", " DESC", " DESC", " desc", " ASC", " NULLS FIRST", " DESC NULLS FIRST", " DESC NULLS LAST")
        return tuple(replace(order, direction=rng.choice(directions), spelled=rng.choice(("name", "name", "expression", "number"))) for order in orders)

    def count(self):
        return Question(**self.shared("count", self.rng.choice(("text", "text", "json"))))

    def export(self):
        rng = self.rng
        found = self.shared("export", rng.choice(ROW_FORMS))
        if self.chance(0.7):
            joins = found.get("joins", ())
            found["columns"] = distinct(self.selected(nth, joins) for nth in range(rng.choice((1, 2, 3, 5))))
        if self.chance(0.3):
            found["limit"] = rng.choice((0, 1, 2, 10, 100))
        # Without it, the default differs between formats and columns with types.
        found["types"] = rng.choice(("raw", "typed"))
        return Question(**found)

    def selected(self, nth, joins):
        """Returns an item of a select list: a column, or an expression, which is written as text."""
        return self.named(self.column(joins)) if self.chance(0.5) else self.made(nth, joins)

    def made(self, nth, joins=()):
        """Returns an expression, which is written as text."""
        drawer = Conditions(self.rng, self.data, joins, self.sql_name, self.cells_of)
        depth = self.rng.choice((0, 1, 1, 2))
        made = [lambda: words(*drawer.text(depth).parts), lambda: words(*drawer.number(depth).parts), drawer.simple]
        if drawer.column(DATE) is not None:
            made.append(lambda: words(*drawer.day(min(depth, 1)).parts))
        return Made(self.rng.choice(made)(), nth)

    def named(self, column):
        """Returns a column with a name that SQL has for it."""
        return replace(column, name=self.sql_name(column.table, column.nth)) if column.table != ORIGIN else column

    def diff(self):
        rng = self.rng
        found = self.shared("diff", rng.choice(("csv", "json", "tsv", "ndjson", "parquet", "arrow")))
        found["types"] = "raw"
        kinds = ("text", "number", "untyped", "date", "id", "zip", "image")
        # What is the same in all rows is not a key.
        made = lambda nth: next(one for one in iter(lambda: self.made(nth), None) if any(one.of.columns()))
        key = lambda nth: self.named(self.column(kinds=kinds)) if self.chance(0.6) else made(nth)
        found["keys"] = distinct(map(key, range(rng.choice((1, 1, 2)))))
        if self.chance(0.5):
            found["columns"] = distinct(self.named(self.column(kinds=kinds)) for _ in range(2))
        return Question(**found)

    def report(self):
        rng = self.rng
        found = self.shared("report", "json")
        found["names"] = tuple(rng.sample((0, 1, 2, 5, 40, 1000), rng.randrange(1, 4)))
        found["limit"] = rng.choice((1, 3, 10))
        found["months"] = rng.choice(("IMAGE_NUM", "TRANSACTION_DT"))
        return Question(**found)


def distinct(items):
    """Returns the items without those that name the same again."""
    found = {}
    for item in items:
        found.setdefault(identity(item), item)
    return tuple(found.values())


def identity(item):
    if isinstance(item, Made):
        return "made", item.nth
    return (item.table, item.nth) if isinstance(item, Col) else (item.name, item.arguments, identity(item.of))
