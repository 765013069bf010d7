"""Makes the question and the rows of a difference fewer, as long as the difference stays."""
import dataclasses
import os
import shutil

import inputs
import sql
import trial
from question import Condition

TRIES = 150


def shrunk(one, outcome, detail):
    """Returns a smaller trial of the same outcome, and what is wrong with it."""
    tries = TRIES
    progress = True
    while progress and tries > 0:
        progress = False
        for data, question in smaller(one.data, one.question):
            tries -= 1
            if tries <= 0:
                break
            other = make(one, data, question)
            try:
                found, said = other.run()
            except Exception:  # a smaller question that makes no sense is none
                continue
            is_same = found != "refused without a reason" or trial.kind_of_message(said) == trial.kind_of_message(detail)
            if found == outcome and is_same:
                one, detail, progress = other, said, True
                break
    return make(one, one.data, one.question), detail


def make(one, data, question):
    folder = os.path.join(os.path.dirname(one.folder), "smaller")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    inputs.write(folder, data)
    sql.load(one.connection, data)
    return trial.Trial(one.program, one.connection, folder, data, question, one.package)


def smaller(data, question):
    """Yields smaller questions, then smaller data sets."""
    change = lambda **fields: (data, dataclasses.replace(question, **fields))
    for name in ("conditions", "orders", "columns", "keys", "aggregates"):
        items = getattr(question, name)
        for nth in range(len(items)):
            if name == "keys" and len(items) == 1:
                continue
            if name in ("keys", "aggregates") and any(order.by != "count" for order in question.orders):
                continue
            yield change(**{name: items[:nth] + items[nth + 1:]})
        if name == "conditions":
            for nth, condition in enumerate(items):
                for other in smaller_conditions(condition):
                    yield change(conditions=(*items[:nth], other, *items[nth + 1:]))
    if question.limit is not None and question.command != "report":
        yield change(limit=None)
    if question.max_groups is not None:
        yield change(max_groups=None)
    if question.contributions:
        yield change(contributions=False)
    plain = dataclasses.replace(question.settings, threads=1, task_bytes=0, io="read", cuts=(), by_file=False, respelled=False, piped=False, slices="",
                                as_statement=False)
    if plain != question.settings:
        yield change(settings=plain)
    yield from ((fewer, question) for fewer in fewer_rows(data))


def smaller_conditions(condition):
    """Yields the conditions that a condition has in it, and the same condition with less in it."""
    parts = condition.parts
    inner = [nth for nth, part in enumerate(parts) if isinstance(part, Condition)]
    yield from (parts[nth] for nth in inner)
    if condition.operator and len(inner) > 2:
        yield from (dataclasses.replace(condition, parts=parts[:nth] + parts[nth + 1:]) for nth in inner)
    for nth in inner:
        for other in smaller_conditions(parts[nth]):
            yield dataclasses.replace(condition, parts=(*parts[:nth], other, *parts[nth + 1:]))


def fewer_rows(data):
    for nth, file in enumerate(data.files):
        if len(data.files) > 1:
            yield dataclasses.replace(data, files=data.files[:nth] + data.files[nth + 1:])
        for place, member in enumerate(file.members):
            first, lines = (member.lines[:1], member.lines[1:]) if data.header else ((), member.lines)
            size = len(lines)
            while size >= 1:
                for start in range(0, len(lines), size):
                    rest = member._replace(lines=(*first, *lines[:start], *lines[start + size:]))
                    members = (*file.members[:place], rest, *file.members[place + 1:])
                    yield dataclasses.replace(data, files=(*data.files[:nth], file._replace(members=members), *data.files[nth + 1:]))
                size //= 2
    for nth, table in enumerate(data.tables):
        for place in range(len(table.rows)):
            rest = dataclasses.replace(table, rows=table.rows[:place] + table.rows[place + 1:])
            yield dataclasses.replace(data, tables=(*data.tables[:nth], rest, *data.tables[nth + 1:]))
