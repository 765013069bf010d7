#!/usr/bin/env python3
"""Compares fecscan with other programs that answer the same questions, on a file of contributions.

    cargo build --release
    target/release/fecscan generate --rows 18245416 -o itcont.txt
    benches/compare.py itcont.txt

Missing programs are left out, with a note. All programs:

    apt-get install hyperfine mawk; cargo install xan; pip install duckdb polars

(The last two in a virtual environment, whose python3 then runs this script. Their times include the start of Python.)

Every program answers before it is timed. A program is left out if its answer differs from that of fecscan. Times are
those of whole processes, taken in rounds, each program once a round, by hyperfine if it is installed. The result is a
markdown table for each case. Programs use their default number of threads.
"""

import argparse
import importlib.util
import json
import os
import platform
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Callable

from questions import (
    DUCKDB_LINES,
    DUCKDB_MONTHS,
    DUCKDB_REPORT,
    DUCKDB_STATES,
    MAWK_MONTHS,
    MAWK_REPORT,
    POLARS_LINES,
    POLARS_MONTHS,
    POLARS_REPORT,
    POLARS_STATES,
)

ROOT = Path(__file__).resolve().parent.parent
SMALL_LINES = 10_000
# A program that has taken this many seconds gets at most LEAST_ROUNDS rounds.
PATIENCE = 30
LEAST_ROUNDS = 3

# --- Answers: what of a program's output is compared. ---


def number(output):
    return output.split()[0]


def report(output):
    return output


def months(output):
    return "\n".join(line for line in output.splitlines() if line.startswith("Donations per month"))


def counts(output):
    """Lines of key and count, in any order; xan puts a column's number before and a line of its own on top."""
    rows = (line.split(",")[-2:] for line in output.splitlines() if line != "field,value,count")
    return "\n".join(sorted(",".join(["" if row[0] == "<empty>" else row[0], row[1]]) for row in rows))


@dataclass
class Arm:
    """A program that answers a question."""

    name: str
    command: str
    seconds: list = field(default_factory=list)


@dataclass
class Case:
    """A question, and those who answer it. The first is one that knows that these files have no quoting."""

    title: str
    answer: Callable[[str], str]
    arms: list


def there(tool):
    """Whether the tool is there; said once if it is not."""
    found = importlib.util.find_spec(tool) if tool in ("duckdb", "polars") else shutil.which(tool)
    if not found and tool not in there.missing:
        there.missing.add(tool)
        print(f"{tool} is not there and left out.", file=sys.stderr)
    return bool(found)


there.missing = set()


def arm(tool, name, *argv):
    """An arm, as a list of one, or of none if the tool is not there."""
    return [Arm(name, shlex.join(map(str, argv)))] if there(tool) else []


def pipe(*commands):
    """Arguments that run these commands as a pipe."""
    return "sh", "-c", " | ".join(shlex.join(map(str, command)) for command in commands)


def python(program, path):
    return sys.executable, "-c", program, path


def line_cases(fecscan, path, of):
    return Case(
        f"Lines{of}",
        number,
        arm(fecscan, "`fecscan count`", fecscan, "count", path)
        + arm(fecscan, "`fecscan count -j 1`", fecscan, "count", "-j", "1", path)
        + arm("wc", "`wc -l`", "wc", "-l", path)
        + arm("grep", "`grep -c ''`", "grep", "-c", "", path)
        + arm("mawk", "mawk", "mawk", "END { print NR }", path)
        + arm("xan", "`xan count`", "xan", "count", "-n", "-d", "|", path)
        + arm("duckdb", "DuckDB", *python(DUCKDB_LINES, path))
        + arm("polars", "Polars", *python(POLARS_LINES, path)),
    )


def report_case(fecscan, path, of):
    return Case(
        f"The whole report, four answers{of}",
        report,
        arm(fecscan, "`fecscan`", fecscan, "-f", "challenge", path)
        + arm(fecscan, "`fecscan -j 1`", fecscan, "-f", "challenge", "-j", "1", path)
        + arm("mawk", "mawk", "mawk", "-F", "|", MAWK_REPORT, path)
        + arm("duckdb", "DuckDB", *python(DUCKDB_REPORT, path))
        + arm("polars", "Polars", *python(POLARS_REPORT, path)),
    )


def cases(fecscan, path, small):
    """What is compared on the file at `path`, and on its first lines at `small`."""
    cat = ("cat", path)
    unquoted = ("xan", "input", "-d", "|", "--no-quoting", path)
    return [
        line_cases(fecscan, path, ""),
        Case(
            "Lines, from a pipe",
            number,
            arm(fecscan, "`cat FILE \\| fecscan count`", *pipe(cat, (fecscan, "count")))
            + arm("wc", "`cat FILE \\| wc -l`", *pipe(cat, ("wc", "-l"))),
        ),
        report_case(fecscan, path, ""),
        Case(
            "Donations by month alone (fecscan answers the other questions too)",
            months,
            arm(fecscan, "`fecscan`", fecscan, "-f", "challenge", path)
            + arm("mawk", "mawk", "mawk", "-F", "|", MAWK_MONTHS, path)
            + arm("duckdb", "DuckDB", *python(DUCKDB_MONTHS, path))
            + arm("polars", "Polars", *python(POLARS_MONTHS, path)),
        ),
        Case(
            "Lines by STATE (fecscan has no command for it)",
            counts,
            arm("mawk", "mawk", "mawk", "-F", "|", '{ n[$10]++ } END { for (k in n) print k "," n[k] }', path)
            + arm("xan", "`xan input --no-quoting \\| xan freq`", *pipe(unquoted, ("xan", "freq", "-n", "-A", "-s", "9")))
            + arm("duckdb", "DuckDB", *python(DUCKDB_STATES, path))
            + arm("polars", "Polars", *python(POLARS_STATES, path))
            + arm("xan", "`xan freq`", "xan", "freq", "-n", "-d", "|", "-A", "-s", "9", path)
            + arm("xan", "`xan freq -p`", "xan", "freq", "-p", "-n", "-d", "|", "-A", "-s", "9", path),
        ),
        line_cases(fecscan, small, f" of a file of {SMALL_LINES:,}"),
        report_case(fecscan, small, f", on a file of {SMALL_LINES:,} lines"),
    ]


# --- Running and timing. ---

ENVIRONMENT = os.environ | {"LC_ALL": "C"}


def run(arm):
    """What the program says, whether it succeeds, and how long that takes."""
    start = time.perf_counter()
    # A pipe and not /dev/null: grep stops early on /dev/null.
    ended = subprocess.run(shlex.split(arm.command), stdin=subprocess.DEVNULL, capture_output=True, env=ENVIRONMENT)
    seconds = time.perf_counter() - start
    succeeded = ended.returncode == 0
    said = ended.stdout if succeeded else ended.stderr
    return said.decode("latin-1"), succeeded, seconds


def time_by_hyperfine(arm):
    with tempfile.NamedTemporaryFile(suffix=".json") as results:
        options = ["-N", "--runs", "1", "--output", "pipe", "--style", "none", "--export-json", results.name]
        subprocess.run(["hyperfine", *options, arm.command], check=True, capture_output=True, env=ENVIRONMENT)
        return json.load(results)["results"][0]["times"][0]


def time_by_hand(arm):
    return run(arm)[2]


def measure(case, rounds, timer):
    """Times those arms of the case whose answer is that of the first, and answers what the others say."""
    others = {}
    expected, succeeded, _ = run(case.arms[0])
    if not succeeded:
        sys.exit(f"{case.arms[0].command}\nfailed: {expected}")
    right = []
    for arm in case.arms:
        said, succeeded, _ = run(arm)
        if succeeded and case.answer(said) == case.answer(expected):
            right.append(arm)
        else:
            last = (said.strip().splitlines() or ["none"])[-1]
            others[arm.name] = last if succeeded else f"failed, {last}"
    for done in range(rounds):
        for arm in right:
            if done < LEAST_ROUNDS or sum(arm.seconds) < PATIENCE:
                arm.seconds.append(timer(arm))
    return others


def print_table(case, others):
    timed = [arm for arm in case.arms if arm.seconds]
    timed.sort(key=lambda arm: statistics.median(arm.seconds))
    base = statistics.median(case.arms[0].seconds)
    print(f"\n**{case.title}**\n\n| program | seconds, median | least to most | to {case.arms[0].name} |")
    print("|---|---|---|---|")
    for arm in timed:
        median, least, most = statistics.median(arm.seconds), min(arm.seconds), max(arm.seconds)
        print(f"| {arm.name} | {median:.4f} | {least:.4f}-{most:.4f} | {median / base:.2f} |")
    for name, said in others.items():
        print(f"| {name} | another answer: {said[:80]} | | |")
    sys.stdout.flush()


def versions():
    commands = [["wc", "--version"], ["mawk", "-W", "version"], ["hyperfine", "--version"], ["xan", "--version"]]
    for command in commands:
        if there(command[0]):
            said = subprocess.run(command, capture_output=True, text=True)
            version = (said.stdout + said.stderr).splitlines()[0]
            yield version if version[0].isalpha() else f"{command[0]} {version}"
    for module in ("duckdb", "polars"):
        if there(module):
            yield f"{module} {importlib.import_module(module).__version__}"
    yield f"Python {platform.python_version()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="a file of contributions, such as itcont.txt")
    parser.add_argument("--fecscan", default=ROOT / "target/release/fecscan", help="the program; default: %(default)s")
    parser.add_argument("--rounds", type=int, default=7, help="how often each program is timed; default: %(default)s")
    arguments = parser.parse_args()
    fecscan, path = str(arguments.fecscan), arguments.file.resolve()
    if not path.is_file():
        sys.exit(f"{path} is not a file: fecscan generate makes one")
    if not shutil.which(fecscan):
        sys.exit(f"{fecscan} is not there: cargo build --release")

    timer = time_by_hyperfine if there("hyperfine") else time_by_hand
    print(f"{path.name}, {path.stat().st_size:,} bytes; {os.cpu_count()} processors; {arguments.rounds} rounds;")
    print("; ".join(versions()))
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder, "small.txt")
        with path.open("rb") as lines, small.open("wb") as first:
            first.writelines(islice(lines, SMALL_LINES))
        for case in cases(fecscan, path, small):
            if case.arms:
                print_table(case, measure(case, arguments.rounds, timer))


if __name__ == "__main__":
    main()
