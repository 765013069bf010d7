"""One trial: a question to a data set is asked, and its answer compared with the right one."""
import os
import re
import shlex
import signal
import subprocess

import duckdb

import args
import expected
import module

HANG_SECONDS = 20
RIGHT, REFUSED = "right", "refused"


def levels(program):
    """Returns the levels that this processor has."""
    has = lambda level: subprocess.run([program, "count", "--simd", level, "-"], stdin=subprocess.DEVNULL, capture_output=True).returncode == 0
    return [level for level in ("portable", "avx2", "avx512", "neon") if has(level)]


class Trial:
    def __init__(self, program, connection, folder, data, question, package=None):
        self.program, self.connection, self.folder, self.data, self.question = program, connection, folder, data, question
        # The package for Python, if it is asked.
        self.package = package

    def run(self):
        """Returns the outcome, and what is wrong."""
        if self.package:
            return self.ask_package()
        commands, piped = args.commands(self.data, self.question)
        out = b""
        for command in commands:
            command = [os.fsdecode(out.removesuffix(b"\n")) if word == args.STATEMENT else word for word in command]
            status, out, err = self.start(command, piped)
            problem = failure(status, out, err)
            if problem:
                return problem
            if status == 2:
                if expected.may_refuse(self.connection, self.data, self.question):
                    return REFUSED, err
                return "refused without a reason", err
        try:
            problem = expected.difference(self.connection, self.data, self.question, out, err)
        except duckdb.Error as error:
            return "answered, unlike DuckDB", str(error)
        return ("wrong answer", problem) if problem else (RIGHT, "")

    def ask_package(self):
        os.chdir(self.folder)
        for through_rows in (False, True):
            try:
                found = module.ask(self.package, self.data, self.question, through_rows)
            except self.package.Error as error:
                if not expected.may_refuse(self.connection, self.data, self.question):
                    return "refused without a reason", str(error)
                return REFUSED, f"fecscan: {error}"
            tables = expected.groups(self.connection, self.data, self.question)
            problem = expected.answer.difference_of_found(found, tables[0])
            if problem:
                return "wrong answer", f"{'scan(..).by' if through_rows else 'by'} of the package for Python: {problem}"
        return RIGHT, ""

    def start(self, command, piped):
        stdin = open(os.path.join(self.folder, piped), "rb") if piped else subprocess.DEVNULL
        try:
            ended = subprocess.run([self.program, *command], stdin=stdin, capture_output=True, cwd=self.folder, timeout=HANG_SECONDS)
        except subprocess.TimeoutExpired:
            return None, b"", ""
        finally:
            if piped:
                stdin.close()
        return ended.returncode, ended.stdout, ended.stderr.decode(errors="backslashreplace")

    def reproduction(self):
        """Returns shell lines that write the files and ask."""
        lines, named = [], {file.path for file in self.data.files} | {self.data.tables[nth].path for nth in self.question.joins}
        for path in sorted(os.path.join(folder, name) for folder, _, names in os.walk(self.folder) for name in names):
            name = os.path.relpath(path, self.folder)
            with open(path, "rb") as file:
                content = file.read()
            if name in named or name.startswith("old/") and self.question.command == "diff":
                lines.append(f"  printf {shell(content)} > {shlex.quote(name)}" if len(content) < 2000 else f"  # {name}: {len(content):,} bytes")
        if self.package:
            return "\n".join([*lines, f"  by({[file.path for file in self.data.files]}, {', '.join(map(args.item, self.question.keys))!r}, "
                              f"**{module.keywords(self.data, self.question)})"])
        commands, piped = args.commands(self.data, self.question)
        return "\n".join(lines + [f"  fecscan {shlex.join(command)}" + (f" < {shlex.quote(piped)}" if piped else "") for command in commands])


def kind_of_message(text):
    """Returns a message without names, values and numbers."""
    said = [line for line in text.splitlines() if " note: " not in line]
    text = re.sub(r"'[^']*'|\"[^\"]*\"|\d[\d,]*", "_", said[0] if said else "")
    return re.sub(r"\S+\.(txt|csv|zip|gz|zst|part)\b", "FILE", text)[:150]


def shell(content):
    """Returns bytes as an argument of printf."""
    keep = set(range(32, 127)) - set(b"\\%'")
    names = {10: "\\n", 9: "\\t", 13: "\\r", 92: "\\\\", 37: "%%", 39: "\\047"}
    return "'" + "".join(chr(byte) if byte in keep else names.get(byte, f"\\{byte:03o}") for byte in content) + "'"


def failure(status, out, err):
    """Returns what no run may do."""
    if status is None:
        return "hang", f"no end within {HANG_SECONDS} s"
    if "panicked" in err:
        return "panic", err
    if status < 0:
        return "signal", f"{signal.Signals(-status).name}: {err}"
    if status not in (0, 2):
        return f"status {status}", err
    if status == 2 and not any(line.startswith("fecscan: ") for line in err.splitlines()):
        return "refusal without a message", err
    return None
