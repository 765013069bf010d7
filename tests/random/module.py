"""Asks questions of `by` through the package for Python, in this process: as `fecscan.by`, or as `fecscan.scan(...).by`."""
import dataclasses
import os
import re
import sys
import warnings

import args

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "python", "src")


def load(folder, program):
    """Imports the package from a folder of sources, and has it start the program."""
    sys.path.insert(0, os.path.abspath(folder))
    os.environ["FECSCAN_BINARY"] = program
    import fecscan
    warnings.simplefilter("ignore", fecscan.Note)
    return fecscan


def adapted(question):
    """Returns the question as the package can be asked it. None if it can't be."""
    if question.command != "by" or question.misuse:
        return None
    settings = dataclasses.replace(question.settings, cuts=(), by_file=False, respelled=False, piped=False, as_statement=False)
    return dataclasses.replace(question, form="arrow", settings=settings)


def ask(fecscan, data, question, through_rows):
    """Returns the rows of the answer, the names of the columns first."""
    options = keywords(data, question)
    keys = [args.item(key) for key in question.keys]
    files = [file.path for file in data.files]
    if not through_rows:
        found = fecscan.by(files, keys, **options)
        return [list(found[0]), *(list(group.values()) for group in found)] if found else []
    reading = {name: options.pop(name) for name in ("delimiter", "header", "names", "types", "quotes", "schema", "member", "where", "with_", "on")
               if name in options}
    table = fecscan.scan(files, **reading).by(keys, **options).to_arrow()
    return [table.column_names, *map(list, zip(*(column.to_pylist() for column in table.columns)))]


def keywords(data, question):
    """Returns the command line's options as keyword arguments: those that are repeated have several values."""
    words = args.options(data, question)[2:] + args.settings(question)
    found, at = {}, 0
    # Options whose values begin with a minus.
    words = [part for word in words for part in (word.split("=", 1) if re.match("--[a-z]+=-", word) else [word])]
    while at < len(words):
        name = {"-j": "threads", "with": "with_"}.get(words[at], words[at].removeprefix("--").replace("-", "_"))
        name = "with_" if name == "with" else name
        if name in ("header", "contributions", "slices"):
            found[name], at = True, at + 1
            continue
        value = int(words[at + 1]) if name in ("threads", "top", "max_groups") else words[at + 1]
        if name in found:
            found[name] = [*(found[name] if isinstance(found[name], list) else [found[name]]), value]
        else:
            found[name] = value
        at += 2
    found.pop("task_size", None)
    return found
