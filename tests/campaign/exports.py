"""Row 18: exports as Python's own modules read them, against a reading of the file in a few lines of Python."""
import csv
import io
import itertools
import json
import os

from settings import ROOT, levels
from trial import OTHER, RIGHT, WRONG, outcome

FORMATS = ("ndjson", "json", "csv", "tsv")
# All columns are copied in vectors, the others value by value. A single column has rules of its own.
CHOSEN = (None, ("SUB_ID", "NAME", "CMTE_ID", "MEMO_TEXT"), ("CITY",))
# What Windows-1252 leaves undefined.
UNDEFINED = {byte: "\ufffd" for byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D)}


def read_back(program, row, step):
    """Exports every fixture in every format, in some of the ways to work."""
    names = sorted(name for name in os.listdir(os.path.join(ROOT, "fixtures")) if name.endswith(".txt"))
    header = program.answer(["export", "--schema", "indiv", "-f", "csv", "/dev/null"]).decode().rstrip("\n").split(",")
    settings = itertools.cycle(itertools.islice(
        itertools.product(levels(program), ("mmap", "read"), (1, 8), (1, 64, 1 << 20)), 0, None, step))
    ways = [[next(settings) for _ in range(5 if step == 1 else 1)] for _ in range(len(names) * len(FORMATS) * len(CHOSEN))]
    cases = zip(itertools.product(names, FORMATS, CHOSEN), ways)
    for (name, form, chosen), ways_of_case in row.share.of(cases):
        with open(os.path.join(ROOT, "fixtures", name), "rb") as file:
            expected = list(read_slowly(file.read(), [header.index(column) for column in chosen or header]))
        if form in ("ndjson", "json"):
            expected = [[decoded(value) for value in values] for values in expected]
        for level, io_way, threads, task_bytes in ways_of_case:
            options = ["export", "--schema", "indiv", "-f", form, "--simd", level, "--io", io_way, "-j", str(threads), "--task-size", str(task_bytes)]
            options += ["--columns", ",".join(chosen)] if chosen else []
            ended = program.run([*options, f"fixtures/{name}"], cwd=ROOT)
            kind = outcome(ended, {ended[1]})
            detail = ended[2]
            if kind == RIGHT:
                kind, detail = compare(form, ended[1], list(chosen or header), expected)
            row.add(kind if kind in (RIGHT, WRONG) else OTHER, f"{name} {options}: {detail}")


def compare(form, out, columns, expected):
    """Returns an outcome, and the first difference."""
    try:
        names, rows = READERS[form](out)
    except (ValueError, csv.Error) as problem:
        return WRONG, f"can't be read: {problem}"
    if names not in (None, columns):
        return WRONG, f"columns {names}"
    for nth, (found, right) in enumerate(itertools.zip_longest(rows, expected)):
        if found != right:
            return WRONG, f"row {nth}: {found} instead of {right}"
    return RIGHT, ""


def read_slowly(content, places):
    """The values of the columns at `places`, as docs/dialect.md has it."""
    lines = content.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    for line in lines:
        values = line.removesuffix(b"\r").split(b"|")
        yield [values[place] if place < len(values) else b"" for place in places]


def decoded(value):
    try:
        return value.decode()
    except UnicodeDecodeError:
        return "".join(UNDEFINED.get(byte) or bytes([byte]).decode("cp1252") for byte in value)


def of_objects(objects):
    keys = list(objects[0]) if objects else None
    if any(list(found) != keys for found in objects):
        raise ValueError("keys differ")
    return keys, [list(found.values()) for found in objects]


def read_ndjson(out):
    lines = out.decode().split("\n")
    if lines.pop() != "":
        raise ValueError("the last line does not end")
    return of_objects([json.loads(line) for line in lines])


def read_json(out):
    return of_objects(json.loads(out.decode()))


def read_csv(out):
    # Latin-1 has a character for each byte.
    rows = csv.reader(io.StringIO(out.decode("latin-1"), newline=""), strict=True)
    names, *rows = [[value.encode("latin-1") for value in values] for values in rows]
    return [name.decode() for name in names], rows


def read_tsv(out):
    names, *rows = [line.split(b"\t") for line in out.removesuffix(b"\n").split(b"\n")]
    return [name.decode() for name in names], [[unescaped(value) for value in values] for values in rows]


def unescaped(value):
    meanings = {ord("t"): 9, ord("n"): 10, ord("r"): 13, ord("\\"): 92}
    found, bytes_left = bytearray(), iter(value)
    for byte in bytes_left:
        if byte == ord("\\"):
            escape = next(bytes_left, None)
            if escape not in meanings:
                raise ValueError(f"an escape that is none in {value}")
            byte = meanings[escape]
        found.append(byte)
    return bytes(found)


READERS = {"ndjson": read_ndjson, "json": read_json, "csv": read_csv, "tsv": read_tsv}
