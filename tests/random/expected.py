"""The right answer to a question, from DuckDB and Python, and the first difference to it."""
import datetime
import decimal
import json
import re
from collections import Counter

import answer
import args
import sql
from question import ORIGIN, TEXT, Made

EXACT = decimal.Context(prec=60)


def difference(connection, data, question, out, err):
    """Returns the first difference between an output and the right answer."""
    if question.is_misuse:
        return "is not refused"
    if question.command == "count":
        problem = count(connection, data, question, out)
    elif question.command == "report":
        problem = report(connection, data, question, out)
    else:
        tables = {"by": groups, "export": rows, "diff": changes}[question.command](connection, data, question)
        problem = answer.difference(question.form, out, tables, question.command != "by")
        if not problem and question.command == "by" and question.form == "text":
            problem = wrong_rest(connection, data, question, out)
    return problem or unsaid(connection, data, question, err)


def unsaid(connection, data, question, err):
    """Returns what notes should say and do not: how many rows a condition left out because it is NULL, and that rows count several times."""
    if question.form in ("text", "html", "svg"):
        return None
    return wrong_count_of_null(connection, data, question, err) or uncounted_partners(connection, data, question, err)


LEFT_OUT = re.compile("note: ([0-9,]+) lines? (?:is|are) left out because a condition is NULL")


def wrong_count_of_null(connection, data, question, err):
    """Compares the number of the note with that of the rows. With a limit not all rows are read, and rows without a partner have another note."""
    joined = any(column.table >= 0 for condition in question.conditions for column in condition.columns())
    if joined or question.command == "diff" or question.command == "export" and question.limit is not None:
        return None
    renderer = sql.Renderer(data, question)
    right = connection.execute(f"SELECT count(*) FROM {renderer.source(joins=())} WHERE ({renderer.where()}) IS NULL").fetchall()[0][0]
    found = sum(int(number.replace(",", "")) for number in LEFT_OUT.findall(err))
    return None if found == right else f"a note says that {found} rows are left out because a condition is NULL, instead of {right}"


def uncounted_partners(connection, data, question, err):
    if question.command == "diff" or not question.joins or question.limit is not None:
        return None
    renderer = sql.Renderer(data, question)
    asked = f"SELECT count(*), count(DISTINCT t.rid) FROM {renderer.source()} WHERE {renderer.where()}"
    rows, lines = connection.execute(asked).fetchall()[0]
    if rows == lines or "several matches in" in err:
        return None
    return "no note says that rows have several matches"


def may_refuse(connection, data, question):
    """Tells whether there is a reason to refuse the question."""
    if question.is_misuse:
        return True
    if question.settings.by_file and len({file.members for file in data.files}) < len(data.files):
        # A merge takes files of the same contents for one.
        return True
    if any(data.tables[nth].leads is not None and data.columns[data.tables[nth].leads].type != TEXT for nth in question.joins):
        # A table of one's own has texts, which are compared with no number and no day.
        return True
    if question.command != "by":
        return False
    if question.max_groups is not None and question.max_groups < 1000:
        return True
    if question.form not in ("svg", "html"):
        return False
    # A chart needs a value, and one over time a key that is no NULL.
    found = groups(connection, data, question)[0][1]
    return not any(row[0] is not None and any(row[len(question.keys):]) for row in found)


def as_bytes(data, kinds, found):
    encode = lambda kind, value: value.encode(data.codec) if isinstance(value, str) else value
    return [[encode(kind, value) for kind, value in zip(kinds, row)] for row in found]


def count(connection, data, question, out):
    # Without a condition, a last line that does not end does not count.
    if not question.conditions and not question.contributions and not data.header and not question.joins:
        right = sum(member.content.count(b"\n") for _, member in data.members())
    else:
        renderer = sql.Renderer(data, question)
        right = connection.execute(f"SELECT count(*) FROM {renderer.source()} WHERE {renderer.where()}").fetchall()[0][0]
    if question.form == "json":
        found = json.loads(out)["lines"]
    else:
        found = int(out.rstrip(b"\n").rpartition(b"\n")[2].split()[0])
    return None if found == right else f"{found} instead of {right}"


def groups(connection, data, question, is_whole=False):
    """Returns the table of the groups that are listed, or of all."""
    asked = connection.execute(sql.Renderer(data, question).groups(is_whole))
    kinds = [kind_of_type(str(column[1])) for column in asked.description]
    found = [[value_of(data, kind, value) for kind, value in zip(kinds, row)] for row in asked.fetchall()]
    titles = [*titles_of(question.keys), None, *titles_of(question.aggregates)]
    return [(kinds, found, True, titles)]


def titles_of(items):
    """Returns the names that items have, and None for those that are titled as they are written."""
    return [item.name.strip('"') or None for item in items]


def kind_of_type(name):
    """Returns the kind of values of a type of DuckDB."""
    if name.startswith("DECIMAL"):
        return f"number:{name[:-1].rpartition(',')[2]}"
    return {"VARCHAR": "text", "DATE": "date", "TIMESTAMP": "date", "DOUBLE": "double", "BOOLEAN": "truth"}.get(name, "whole")


def value_of(data, kind, value):
    """Returns a value of DuckDB as answers have it."""
    if value is None:
        return None
    if kind == "text":
        return value.encode(data.codec)
    if kind == "date":
        return value.date() if isinstance(value, datetime.datetime) else value
    return int(value.scaleb(int(kind[7:]), EXACT)) if kind.startswith("number:") else value


def wrong_rest(connection, data, question, out):
    """Returns what is wrong with the row of text that adds up the groups that are not listed: their counts and sums."""
    every = groups(connection, data, question, True)[0][1]
    found = re.findall(rb"^\(rest\) +(.*)$", out, re.MULTILINE)
    if question.limit is None or len(every) <= question.limit:
        return f"there is a row of the rest of {len(every)} groups: {found}" if found else None
    if len(found) != 1:
        return f"{len(found)} rows of the rest of {len(every)} groups"
    width, rest = len(question.keys), every[question.limit:]
    adding = [nth for nth, item in enumerate(question.aggregates) if args.written(item.of).startswith(("sum(", "count(")) and "count(DISTINCT" not in args.written(item.of)]
    kinds = groups(connection, data, question, True)[0][0]
    right = [sum(row[width] for row in rest)]
    said = [answer.shown(kinds[width], right[0])]
    for nth in adding:
        values = [row[width + 1 + nth] for row in rest if row[width + 1 + nth] is not None]
        said.append(answer.shown(kinds[width + 1 + nth], sum(values)) if values else b"-")
    numbers = found[0].replace(b",", b"").split()
    missing = [number for number in said if number not in numbers]
    return f"the rest has {numbers}, and not {missing}" if missing else None


def rows(connection, data, question):
    columns = question.columns or sql.all_columns(data)
    found = connection.execute(sql.rows(data, question)).fetchall()
    kinds = ["text"] * len(columns)
    values = as_bytes(data, kinds, [row[1:] for row in found])
    if question.types == "typed":
        kinds = [kind_of_column(data, column) for column in columns]
        values = typed(connection, data, columns, kinds, found)
    return [(kinds, values, True)]


# Identifiers and years of the FEC's files.
WHOLE = ("SUB_ID", "FILE_NUM", "CAND_ELECTION_YR", "FEC_ELECTION_YR", "RPT_YR")


def kind_of_column(data, column):
    """Returns the kind that a typed export has."""
    if column.kind == "made":
        return "text"
    if column.table == ORIGIN:
        return "id" if column.nth == 2 else "text"
    table = data.tables[column.table] if column.table >= 0 else data
    is_of_fec = table.name != "t" if column.table >= 0 else data.schema is not None
    if is_of_fec and table.columns[column.nth].name in WHOLE:
        return "id"
    if column.kind == "number":
        return f"number:{column.decimals}"
    return {"date": "date", "id": "id"}.get(column.kind, "text")


def typed(connection, data, columns, kinds, found):
    """Returns values that are read by their types; those that can't be read are null."""
    readers = []
    for column, kind in zip(columns, kinds):
        cells = sorted({row[1 + len(readers)] for row in found} - {None})
        readers.append(read_cells(connection, data, column, kind, cells) | {None: None})
    return [[reader[value] for reader, value in zip(readers, row[1:])] for row in found]


def read_cells(connection, data, column, kind, cells):
    if kind == "text":
        return {cell: cell.encode(data.codec) for cell in cells}
    most = 10 ** sql.digits(column)
    reader = {"date": "day_from(x)", "id": "CASE WHEN regexp_full_match(trimmed(x), '[+-]?[0-9]+') THEN TRY_CAST(trimmed(x) AS BIGINT) END"}.get(kind)
    reader = reader or f"CASE WHEN abs(units{column.decimals}(x)) < {most} THEN units{column.decimals}(x) END"
    read = connection.execute(f"SELECT x, {reader} FROM (SELECT unnest(?::VARCHAR[]) AS x)", [cells]).fetchall()
    return dict(read)


def changes(connection, data, question):
    """Compares rows that differ: added and changed ones of the new version, then removed ones. Conditions choose rows of both versions first."""
    width = len(data.columns)
    cells_of = lambda line: (line.split(data.delimiter) + [b""] * width)[:width]
    renderer = sql.Renderer(data, question)
    chosen, chosen_old = (rows_of(connection, renderer, table) for table in ("t", "old"))

    def key_of(cells, made):
        """Returns the key of a row: bytes of columns, and texts that DuckDB makes."""
        made = iter(made)
        return tuple(next(made).encode(data.codec) if isinstance(key, Made) else cells[key.nth] for key in question.keys)

    rows = [(line, (cells + [b""] * width)[:width]) for *_, line, cells in data.rows()]
    new = [(line, cells, key_of(cells, chosen[nth])) for nth, (line, cells) in enumerate(rows) if nth in chosen]
    rows = [(line, cells_of(line)) for line in (line.removesuffix(b"\r") for line in data.old)]
    old = [(line, cells, key_of(cells, chosen_old[nth])) for nth, (line, cells) in enumerate(rows) if nth in chosen_old]
    lines = {}
    for line, _, key in old:
        lines.setdefault(key, set()).add(line)
    known = {key for *_, key in new}
    columns = question.columns or sql.all_columns(data)
    # Rows whose key is empty are compared with none.
    found = [[b"~" if key in lines else b"+", *(cells[column.nth] for column in columns)]
             for line, cells, key in new if any(key) and line not in lines.get(key, ())]
    found += [[b"-", *(cells[column.nth] for column in columns)] for line, cells, key in old if any(key) and key not in known]
    return [(["text"] * (1 + len(columns)), found, True)]


def rows_of(connection, renderer, table):
    """Returns for the number of each row of a table that meets the conditions the values of keys that are no columns."""
    made = [f", coalesce({key.text(renderer.typed)}, '')" for key in renderer.question.keys if isinstance(key, Made)]
    asked = f"SELECT t.rid{''.join(made)} FROM {renderer.source(table=table)} WHERE {renderer.where()}"
    return {nth: values for nth, *values in connection.execute(asked).fetchall()}


def report(connection, data, question, out):
    renderer = sql.Renderer(data, question)
    asked = f"SELECT t.rid, trimmed(t.c4), trimmed(t.c7), trimmed(t.c13) FROM {renderer.source()} WHERE {renderer.where()} ORDER BY {renderer.order()}"
    found = connection.execute(asked).fetchall()
    widths = [len(cells) for *_, cells in data.rows()]
    names = {nth: row[2] if widths[row[0]] > 7 else None for nth, row in enumerate(found)}
    first = lambda name: re.search(r", [ \t\n\x0b\x0c\r]*([^, ]+)", name)
    firsts = Counter(one[1].encode(data.codec) for row in found if (one := first(row[2])))
    most = sorted(firsts.items(), key=lambda one: (-one[1], one[0]))[:question.limit]
    if question.months == "IMAGE_NUM":
        months = Counter(f"{row[1][:4]}-{row[1][4:6]}" for row in found if re.match(r"[0-9]{6}", row[1]))
    else:
        months = Counter(f"{row[3][4:]}-{row[3][:2]}" for row in found if re.fullmatch(r"[0-9]{8}", row[3]))
    text = lambda name: None if name is None else answer.decoded(name.encode(data.codec))
    right = {
        "lines": len(found), "names": [{"index": nth, "name": text(names.get(nth))} for nth in question.names],
        "month_column": question.months, "months": [{"month": name, "lines": number} for name, number in sorted(months.items())],
        "lines_without_month": len(found) - sum(months.values()),
        "first_names": [{"first_name": answer.decoded(name), "lines": number} for name, number in most],
        "distinct_first_names": len(firsts), "lines_without_first_name": len(found) - sum(firsts.values())}
    printed = json.loads(out)
    wrong = [key for key in right if printed.get(key) != right[key]]
    return f"{wrong[0]}: {printed.get(wrong[0])} instead of {right[wrong[0]]}" if wrong else None


