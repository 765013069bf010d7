#!/usr/bin/env python3
"""Thirty queries of fecscan against DuckDB, on fixtures and on real files.

    tests/queries/thirty.py [--program PATH] [--write]
    tests/queries/thirty.py [--program PATH] [--write] --real FOLDER

The first form compares on the fixtures and on generated files; the second on every file of FOLDER. With --write and
without a difference, DuckDB's answers go to answers.json or real.json. The Rust test tests/answers/queries.rs compares
the program with these files, and runs this script where the module duckdb is there.

An answer is the rows that 'fecscan by -f csv' prints, without their header, or the number that 'fecscan count' prints.
answers.json has short answers in full, and digests of long ones. real.json has digests and counts only: real rows name
real people, and must not be in the repository.
"""
import argparse
import collections
import datetime
import decimal
import hashlib
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import zipfile

import duckdb

import pairs

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent

# Longer answers are committed as digests.
LINES_MAX = 100

# File name, the queries, the columns, and the options of `generate`. The names of files tell fecscan their schemas.
GENERATED = [
    ("itcont.txt", "indiv", "indiv", "--rows 400 --seed 11 --old-image-numbers"),
    ("itcont-hostile.txt", "indiv", "indiv", "--rows 5000 --seed 12 --old-image-numbers --hostile"),
    ("itoth.txt", "indiv", "indiv", "--schema oth --rows 1500 --seed 13"),
    ("itpas2.txt", "indiv", "pas2", "--schema pas2 --rows 1500 --seed 14 --hostile"),
    ("cm.txt", "cm", "cm", "--schema cm --rows 2000 --seed 15"),
    ("cm-hostile.txt", "cm", "cm", "--schema cm --rows 2000 --seed 16 --hostile"),
    ("ccl.txt", "ccl", "ccl", "--schema ccl --rows 1000 --seed 17"),
    ("ccl-hostile.txt", "ccl", "ccl", "--schema ccl --rows 2000 --seed 18 --hostile"),
]

# What the name of a real file begins with, and its queries.
REAL = {"itcont": "indiv", "indiv": "indiv", "cm": "cm", "ccl": "ccl"}


def main():
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if arguments.real:
            files, of_answer, target = real_files(arguments.real), digest, HERE / "real.json"
        else:
            files, of_answer, target = own_files(arguments.program, folder), full_or_digest, HERE / "answers.json"
        differences, queries = 0, 0
        for file in files:
            answers = DuckDb(file, folder).answers()
            queries += len(answers)
            for arguments_of_query, expected in zip(typed(file["queries"]), answers):
                found = ask_program(arguments.program, arguments_of_query, file)
                if found != expected:
                    differences += 1
                    show_difference(file, arguments_of_query, expected, found, arguments.real)
            file["answers"] = [of_answer(answer) for answer in answers]
    print(f"{len(files)} files, {queries} answers, {differences} differences; DuckDB {duckdb.__version__}")
    if differences:
        sys.exit(1)
    if arguments.write:
        write(target, files, arguments.real)


def parse_arguments():
    parser = argparse.ArgumentParser(description="Compares thirty queries with DuckDB.")
    parser.add_argument("--program", type=pathlib.Path, default=PROJECT / "target/release/fecscan")
    parser.add_argument("--real", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    arguments.program = arguments.program.resolve()
    return arguments


def own_files(program, folder):
    """Returns the fixtures and the generated files."""
    files = []
    for path in sorted(PROJECT.glob("fixtures/*.txt")):
        options = ["--schema", "indiv"]
        files.append({"name": path.name, "path": path, "queries": "indiv", "columns": "indiv", "options": options})
    path = PROJECT / "fixtures/indiv18.zip"
    files.append({"name": path.name, "path": path, "queries": "indiv", "columns": "indiv", "options": []})
    for name, queries, columns, options in GENERATED:
        path, options = folder / name, options.split()
        subprocess.run([program, "generate", *options, "-o", path], check=True)
        files.append(
            {"name": name, "generate": options, "path": path, "queries": queries, "columns": columns, "options": []}
        )
    return files


def real_files(folder):
    files = []
    for path in sorted(folder.iterdir()):
        queries = next((queries for start, queries in REAL.items() if path.name.startswith(start)), None)
        if queries is None:
            sys.exit(f"{path}: its name does not tell which queries it gets; add it to REAL")
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        facts = {"name": path.name, "sha256": sha256, "queries": queries, "options": []}
        files.append({**facts, "path": path, "columns": queries})
    return files


def typed(queries):
    """Returns the arguments of the queries, as lists."""
    return [shlex.split(arguments) for arguments, _ in pairs.QUERIES[queries]]


def ask_program(program, arguments, file):
    form = ["-f", "csv"] if arguments[0] == "by" else []
    command = [program, *arguments, *file["options"], *form, file["path"]]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    if done.returncode:
        return f"status {done.returncode}: ".encode() + done.stderr
    if arguments[0] == "by":
        return done.stdout.split(b"\n", 1)[1]
    return done.stdout.split()[0] + b"\n"


class DuckDb:
    """A connection with the rows of a file as the table t."""

    def __init__(self, file, folder):
        self.file = file
        self.connection = duckdb.connect()
        for macro in pairs.MACROS:
            self.connection.execute("CREATE MACRO " + macro)
        names = pairs.COLUMNS[file["columns"]].split()
        path, content = unpacked(file["path"], folder)
        if is_plain(content, len(names)):
            self.read_csv(path, names)
        else:
            self.split(content, names)

    def read_csv(self, path, names):
        columns = ", ".join(f"'{name}': 'VARCHAR'" for name in names)
        texts = ", ".join(f"coalesce({name}, '') AS {name}" for name in names)
        self.connection.execute(
            f"CREATE TABLE t AS SELECT {texts} FROM read_csv('{path}', delim = '|', quote = '', escape = '', comment = '',"
            f" header = false, auto_detect = false, new_line = '\\n', columns = {{{columns}}})"
        )

    def split(self, content, names):
        """Splits lines in SQL, because read_csv leaves out blank lines, and refuses rows of another width, lone
        carriage returns, and bytes that are not UTF-8."""
        column = "coalesce(string_split(line, '|')[{}], '') AS {}"
        texts = ", ".join(column.format(place, name) for place, name in enumerate(names, 1))
        self.connection.execute("CREATE TABLE content AS SELECT CAST(? AS VARCHAR) AS bytes", [content.decode("latin-1")])
        self.connection.execute(
            "CREATE TABLE lines AS SELECT CASE WHEN ends_with(line, chr(13)) THEN line[:-2] ELSE line END AS line"
            " FROM (SELECT unnest(string_split("
            "CASE WHEN ends_with(bytes, chr(10)) THEN bytes[:-2] ELSE bytes END, chr(10))) AS line"
            " FROM content WHERE bytes <> '')"
        )
        self.connection.execute(f"CREATE TABLE t AS SELECT {texts} FROM lines")

    def answers(self):
        return [self.answer(*pair) for pair in pairs.QUERIES[self.file["queries"]]]

    def answer(self, arguments, sql):
        try:
            rows = self.connection.execute(sql).fetchall()
        except duckdb.Error as error:
            sys.exit(f"{self.file['name']}: {arguments}: {error}")
        return b"".join(b",".join(map(field, row)) + b"\n" for row in rows)


def unpacked(path, folder):
    """Returns the path of the rows, and the rows. An archive has one .txt member outside of folders."""
    if path.suffix != ".zip":
        return path, path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        (member,) = [name for name in archive.namelist() if name.endswith(".txt") and "/" not in name]
        content = archive.read(member)
    path = folder / "unpacked.txt"
    path.write_bytes(content)
    return path, content


def is_plain(content, columns):
    """Says whether read_csv can be trusted with these rows."""
    odd_bytes = set(range(32)) - {9, 10} | set(range(127, 256))
    lines = content.split(b"\n")
    widths = collections.Counter(line.count(b"|") for line in lines[:-1])
    return lines[-1] == b"" and list(widths) == [columns - 1] and not odd_bytes & set(content)


def field(value):
    """Returns a value as a field of RFC 4180."""
    if value is None:
        return b""
    if isinstance(value, decimal.Decimal):
        return f"{value:.2f}".encode()
    if isinstance(value, datetime.date):
        return value.isoformat().encode()
    text = str(value)
    if any(special in text for special in ',"\r\n'):
        text = '"' + text.replace('"', '""') + '"'
    return text.encode("latin-1")


def digest(answer):
    return {"lines": answer.count(b"\n"), "sha256": hashlib.sha256(answer).hexdigest()}


def full_or_digest(answer):
    """Returns a short answer as text, byte for byte as Latin-1."""
    if answer.count(b"\n") > LINES_MAX or len(answer) > 80 * LINES_MAX:
        return digest(answer)
    return answer.decode("latin-1")


def show_difference(file, arguments, expected, found, is_real):
    """Prints what differs. Real rows appear on a terminal only, and never in a log."""
    print(f"{file['name']}: fecscan {shlex.join(arguments)}")
    expected, found = expected.split(b"\n"), found.split(b"\n")
    print(f"  DuckDB has {len(expected) - 1} rows, fecscan {len(found) - 1}")
    if is_real and not sys.stdout.isatty():
        return
    unlike = [(one, other) for one, other in zip(expected, found) if one != other]
    for one, other in unlike[:3]:
        print(f"  DuckDB  {one!r}\n  fecscan {other!r}")


def write(target, files, is_real):
    """Writes an object with a line for each answer."""
    command = f"tests/queries/thirty.py --write{' --real FOLDER' if is_real else ''}, with DuckDB {duckdb.__version__}"
    kinds = sorted({file["queries"] for file in files})
    lines = ["{", f'"made_by": {json.dumps(command)},', '"queries": {']
    lines.append(",\n".join(f"{json.dumps(kind)}: [\n{listed(typed(kind))}]" for kind in kinds) + "},")
    lines.append('"files": [')
    keys = ["name", "sha256", "generate", "options", "queries"]
    described = []
    for file in files:
        facts = "".join(f"{json.dumps(key)}: {json.dumps(file[key])}, " for key in keys if key in file)
        described.append(f'{{{facts}"answers": [\n{listed(file["answers"])}]}}')
    lines.append(",\n".join(described) + "]")
    target.write_text("\n".join(lines) + "\n}\n")
    print(f"wrote {target.relative_to(PROJECT)}, {target.stat().st_size:,} bytes")


def listed(values):
    return ",\n".join(map(json.dumps, values))


if __name__ == "__main__":
    main()
