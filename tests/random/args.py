"""Renders questions as command lines."""
from inputs import old_path
from question import BASE, ORIGIN, Col, Made

KEY_NAMES = ("file", "member", "cycle")
# Stands for what the command before printed.
STATEMENT = "$statement"


def expression(of):
    if isinstance(of, Made):
        return f"{of.text(lambda column: column.name)} AS e{of.nth}"
    if isinstance(of, Col):
        return KEY_NAMES[of.nth] if of.table == ORIGIN else of.name
    return f"{of.name}({','.join((expression(of.of), *of.arguments))})"


def key(of):
    """Returns a part of the key of `diff`, which has no name of its own."""
    return of.text(lambda column: column.name) if isinstance(of, Made) else of.name


def written(of):
    """Returns an expression of SQL as it was drawn."""
    return of.text(lambda column: column.name)


def item(asked):
    return f"{written(asked.of)} AS {asked.name}" if asked.name else written(asked.of)


def names_of(data, table, nth):
    """Returns the names that conditions have for a column of the rows or of a joined table; likely ones several times."""
    if table >= 0:
        joined = data.tables[table]
        name = joined.columns[nth].name
        return [f"{joined.name}.{name}", f"{joined.name}.{name.lower()}"]
    column = data.columns[nth]
    names = [f"#{nth + 1}"]
    if column.name.isidentifier() and column.name.isascii() and column.name != "SELECT":
        names += [column.name, column.name, column.name.lower(), f'"{column.name}"']
    if column.title:
        names += ['"' + column.title.replace('"', '""') + '"'] * 2
    if data.schema:
        names += [column.alias or column.name, f"{data.schema}.{column.name}"]
    return names


def condition(data, asked, spelling=None):
    """Returns a condition as it was drawn, or in one of some spellings, which are the same to a merge of partials."""
    if spelling is None:
        return asked.text(lambda column: column.name)

    def name(column):
        if column.table != BASE:
            return column.name
        names = list(dict.fromkeys(names_of(data, column.table, column.nth)))
        return names[(column.nth + spelling) % len(names)]

    return asked.text(name, (str, lambda operator: f"{operator.lower()} ")[spelling % 2])


def order(question, asked):
    if asked.by == "count":
        by = {"name": "count", "expression": "count(*)", "number": str(place(question, asked))}[asked.spelled]
    else:
        of = (question.keys if asked.by == "key" else question.aggregates)[asked.nth]
        by = of.name if asked.spelled == "name" and of.name else written(of.of)
        # ORDER BY knows no numbers of columns of a file, and no literals.
        is_none = "#" in by or by == written(of.of) and not any(of.of.columns())
        by = str(place(question, asked)) if asked.spelled == "number" or is_none else by
    return by + asked.direction


def place(question, asked):
    """Returns the number of the column of the result that groups are ordered by."""
    width = len(question.keys)
    return {"key": 1 + asked.nth, "count": 1 + width, "aggregate": 2 + width + asked.nth}[asked.by]


def option(name, value):
    """Returns an option. What begins with a minus would be one itself."""
    return [f"{name}={value}"] if value.startswith("-") else [name, value]


def options(data, question, spelling=None):
    """Returns the words that say what is asked, without those that say how the work is done and which files are read."""
    words = [question.command]
    if question.settings.piped and data.schema and "--schema" not in data.options:
        words += ["--schema", data.schema]
    if question.command == "by":
        words.insert(1, ", ".join(map(item, question.keys)))
    words += data.options
    if question.command == "diff":
        words += ["--key", ",".join(map(key, question.keys))]
    for asked in question.aggregates:
        if asked.is_sum:
            words += option("--sum", written(asked.of)[len("sum("):-1])
    join = lambda texts: [", ".join(texts)] if question.in_lists and texts else texts
    for text in join([item(asked) for asked in question.aggregates if not asked.is_sum]):
        words += option("--agg", text)
    for asked in question.conditions:
        words += option("--where", condition(data, asked, spelling))
    if question.contributions:
        words.append("--contributions")
    for text in join([order(question, asked) for asked in question.orders]):
        words += option("--sort", text)
    if question.max_groups is not None:
        words += ["--max-groups", str(question.max_groups)]
    if question.limit is not None:
        words += ["--top", str(question.limit)]
    if question.columns:
        words += ["--columns", ",".join(map(expression, question.columns))]
    if question.types:
        words += ["--types", question.types]
    if question.names:
        words += ["--name", ",".join(map(str, question.names))]
    if question.months:
        words += ["--month-column", question.months]
    for nth in question.joins:
        table = data.tables[nth]
        if table.leads is None:
            words += ["--with", table.path]
        else:
            words += ["--with", f"{table.name}={table.path}", "--on", f"#{table.leads + 1}={table.name}.{table.columns[table.key].name}"]
    if question.misuse == "types":
        words += ["--types", "#1=number,#1=date"]
    return words


def settings(question):
    how = question.settings
    words = ["-j", str(how.threads), "--simd", how.level, "--io", how.io]
    if how.task_bytes:
        words += ["--task-size", str(how.task_bytes)]
    return words + ([how.slices] if how.slices else [])


def commands(data, question):
    """Returns the command lines that answer a question, the last of which prints it, and the file that it reads from a pipe."""
    how = question.settings
    asked = [*options(data, question), *settings(question)]
    paths = [file.path for file in data.files]
    form = ["-f", question.form]
    if question.misuse == "stdin":
        return [[*asked, *form, "-", "-"]], data.files[0].path
    if question.command == "diff":
        return [[*asked, *form, old_path(data), ",".join(paths)]], None
    if how.as_statement:
        return [[*asked, "--show-sql", *paths], ["sql", STATEMENT, *data.options, *settings(question), *form, *(paths if data.schema else [])]], None
    if not how.cuts and not how.by_file:
        return [[*asked, *form, *(["-"] if how.piped else paths)]], data.files[0].path if how.piped else None
    if how.by_file:
        pieces = [[path] for path in paths]
    else:
        places = ["", *map(str, how.cuts), ""]
        pieces = [["--range", f"{start}:{end}", *paths] for start, end in zip(places, places[1:])]
    asked = [[*options(data, question, nth if how.respelled else None), *settings(question)] for nth in range(len(pieces))]
    made = [[*asked[nth], "--partial", f"{nth}.part", *piece] for nth, piece in enumerate(pieces)]
    return [*made, ["merge", *form, *(f"{nth}.part" for nth in range(len(made)))]], None


