#!/usr/bin/env python3
"""Doubles one size after the other, and measures how the time of whole processes grows.

    cargo build --release
    benches/growth.py [--fecscan FECSCAN] [--rounds 3] [--only files,columns]

A series has a command for each of its sizes. A point is the least processor time of all rounds, less that of a process with one row: other
work on the machine changes it little. The exponent is the slope of the last points on a double logarithmic scale, where 1 is linear. A point
that takes more than 20 seconds (`--seconds`) or 2 GB of memory ends its series, which then fails. A refusal is measured as an answer is.

The exit status is 1 if an exponent exceeds 1.2 and REASONS does not name it, or if a series fails.
"""

import argparse
import datetime
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path

from rounds import ROOT

MEGABYTES_MAX = 2000
EXPONENT_MAX = 1.2

# Shorter times are mostly those of the system.
SECONDS_MIN = 0.03

# The series whose exponents may exceed EXPONENT_MAX, and why.
REASONS = {
    "joined rows, condition": "presumably the table of identifiers outgrows the caches: its look-ups are of constant number",
    "joined rows, key": "presumably the table of identifiers outgrows the caches: its look-ups are of constant number",
    "members and joined rows": "presumably the table of identifiers outgrows the caches: its look-ups are of constant number",
}

ROW = "C00401224|N|Q1|P2018|201810189115624205|15|IND|{name}|AUSTIN|{state}|787011234|NONE|RETIRED|10182018|{amount}||SA11AI.4417|1100000|||{sub}\n"
CM = "C{nth:08}|COMMITTEE {nth}|TREASURER|1 MAIN ST||AUSTIN|{state}|787011234|U|Q|IND|Q||NONE|\n"
CONDITIONS_AN_OPTION = 200
TWO_MORE = "SELECT STATE, CITY, month(date), count(*) FROM indiv GROUP BY GROUPING SETS (STATE, CITY, month(date))"
STATES = ["CA", "NY", "TX", "WA", "OH"]


def row(nth, name="ROE, JO", amount=250):
    return ROW.format(name=name, state=STATES[nth % 5], amount=amount, sub=4102220181000000000 + nth)


def write(path, text):
    Path(path).write_text(text)
    return path


def rows(count, **made):
    """A file of so many rows. `made` are functions of the number of a row."""
    return write("itcont.txt", "".join(row(nth, **{key: make(nth) for key, make in made.items()}) for nth in range(count)))


def files(*options):
    def command(count):
        Path("in").mkdir(exist_ok=True)
        paths = [f"in/{nth}" for nth in range(count)]
        for nth, path in enumerate(paths):
            if not os.path.exists(path):
                write(path, row(nth))
        return [*options, "--schema", "indiv", *paths]

    return command


def archive(members):
    with zipfile.ZipFile("indiv18.zip", "w") as file:
        for name, text in members:
            file.writestr(name, text)
    return "indiv18.zip"


def members(count):
    return ["by", "STATE", "-f", "csv", archive((f"itcont{nth}.txt", row(nth)) for nth in range(count))]


def member_headers(count):
    return ["count", "--header", archive((f"{nth}.txt", f"a{nth},b\n1,2\n") for nth in range(count))]


def committees(count):
    return write("cm.txt", "".join(CM.format(nth=nth, state=STATES[nth % 5]) for nth in range(count)))


def members_joined(count):
    table = committees(2000 * count)
    file = archive((f"itcont{nth}.txt", row(nth)) for nth in range(count))
    return ["count", "--where", "CMTE_ST = 'CA'", "--with", table, file]


def joined_condition(count):
    return ["count", "--where", "CMTE_ST = 'CA'", "--with", committees(count), rows(1000)]


def joined_key(count):
    committees(count)
    text = "".join(row(nth).replace("C00401224", f"C{nth:08}") for nth in range(count))
    return ["by", "CMTE_NM", "--top", "10", "--with", "cm.txt", write("itcont.txt", text)]


def header(*options, tall=1):
    def command(count):
        line = ",".join(f"c{nth}" for nth in range(count))
        values = ",".join(str(nth) for nth in range(count))
        return [*options, "--header", write("wide.csv", f"{line}\n" + f"{values}\n" * tall)]

    return command


def all_named(count):
    """The columns by name, which an argument of 128 KiB has room for."""
    command = header()(count)
    columns = ",".join(f"c{nth}" for nth in range(count))
    return ["export", "-f", "csv", "--columns", columns, *command]


def day_first(count):
    line = ",".join(f"d{nth}" for nth in range(count))
    return ["count", "--header", write("wide.csv", f"{line}\n" + ",".join(["31/12/2018"] * count) + "\n")]


def empty_names(count):
    return ["count", "--header", "--where", "#1 = '1'", write("wide.csv", "a" + "," * count + "\n" + "1," * count + "1\n")]


def names_from(count):
    names = write("names.csv", ",".join(f"c{nth}" for nth in range(count)))
    return ["count", "--names-from", names, "--where", "c1 = '1'", write("wide.csv", "0," * (count - 1) + "0\n")]


def named_values(count):
    values = ", ".join(f"'V{nth:04}'" for nth in range(count))
    return ["count", "--where", f"NAME IN ({values})", rows(20000)]


def connected(operator, conditions):
    """Returns options with these conditions. An option has at most 500 operators, and there may be 64 options."""
    some = [conditions[start:start + CONDITIONS_AN_OPTION] for start in range(0, len(conditions), CONDITIONS_AN_OPTION)]
    return [word for one in some for word in ("--where", f" {operator} ".join(one))]


def conditions(count):
    return ["count", *connected("AND", [f"CITY <> 'V{nth}'" for nth in range(count)]), rows(2000)]


def expressions(count):
    """As few letters as possible for as large an expression as possible."""
    return ["count", *connected("OR", ["#9 ~ '([ab]{99}){99}'"] * count), rows(10)]


def nested(count):
    return ["count", "--where", "trim(" * count + "NAME" + ")" * count + " = 'X'", rows(10)]


def groups(*options):
    return lambda count: ["by", "NAME", *options, rows(count, name=lambda nth: f"NAME {nth * 7919 % count}")]


def medians(*options):
    """Groups of ten different numbers. All but ten groups become the rest."""

    def command(count):
        name = lambda nth: f"NAME {nth % (count // 10)}"
        return ["by", "NAME", "--agg", "median(amount)", *options, rows(count, name=name, amount=lambda nth: nth * 7919 % count + 1)]

    return command


def chosen_medians(count):
    *_, file = medians()(count)
    return ["sql", "SELECT NAME, median(amount) FROM indiv GROUP BY 1 HAVING median(amount) < 0", file]


def distinct(count):
    return ["by", "STATE", "--agg", "count(DISTINCT NAME)", "-f", "csv", rows(count, name=lambda nth: f"NAME {nth}")]


def partners(tables):
    """Tables of so many rows with one key: a row has as many partners, or their product."""

    def command(count):
        each = max(round(count ** (1 / tables)), 1)
        joins = []
        for nth in range(tables):
            path = write(f"t{nth}.csv", "key,v\n" + "".join(f"CA,{value}\n" for value in range(each)))
            joins += ["--with", f"t{nth}={path}", "--on", f"STATE=t{nth}.key"]
        keys = ", ".join(f"t{nth}.v AS v{nth}" for nth in range(tables))
        return ["by", keys, "--top", "10", *joins, rows(1)]

    return command


def long_line(*options):
    return lambda count: [*options, "--delimiter", "pipe", write("long.txt", ("x" * (count - 1) + "\n") * 8)]


def joined_value(*options):
    """A joined value of so many bytes in each of 200 rows."""

    def command(count):
        table = write("t.csv", f"key,v\nCA,{'x' * count}\n")
        file = write("itcont.txt", row(0) * 200)
        return ["export", *options, "--columns", "STATE,t.v", "--with", f"t={table}", "--on", "STATE=t.key", file]

    return command


def partials(program):
    """Partials of one file, each of which lists rows with too few columns."""

    def command(count):
        Path("p").mkdir(exist_ok=True)
        for old in Path("p").iterdir():
            old.unlink()
        block = row(0) * 5 + "short|row\n" * 5
        path = write("itcont.txt", block * count)
        for nth in range(count):
            part = f"{nth * len(block)}:{(nth + 1) * len(block)}"
            subprocess.run([program, "--strict", "--range", part, "--partial", f"p/{nth}", path], stderr=subprocess.DEVNULL)
        return ["merge", *(f"p/{nth}" for nth in range(count))]

    return command


def series(program):
    return {
        "files": (files("by", "STATE", "-f", "csv"), 5000, 5),
        "files, two more tables": (files("sql", TWO_MORE), 5000, 5),
        "files, counted": (files("count"), 5000, 5),
        "files, median of a group": (files("by", "STATE", "--agg", "median(amount)"), 5000, 5),
        "files, partial": (files("by", "STATE", "--partial", "partial"), 5000, 5),
        "members": (members, 2500, 5),
        "members with other headers": (member_headers, 2000, 5),
        "members and joined rows": (members_joined, 8, 6),
        "joined rows, condition": (joined_condition, 50_000, 5),
        "joined rows, key": (joined_key, 25_000, 5),
        "columns of a header": (header("count"), 25_000, 5),
        "columns, with a condition": (header("count", "--where", "c1 = '1'"), 25_000, 5),
        "columns without a name": (empty_names, 25_000, 5),
        "columns of days": (day_first, 12_000, 5),
        "columns, csv": (header("export", "-f", "csv"), 25_000, 5),
        "columns, named": (all_named, 750, 5),
        "columns, json": (header("export", "-f", "ndjson", tall=20), 6000, 5),
        "columns, parquet": (header("export", "-o", "out.parquet"), 500, 5),
        "columns, arrow": (header("export", "-o", "out.arrow"), 1000, 5),
        "columns, xlsx": (header("export", "-o", "out.xlsx"), 1000, 5),
        "names from a file": (names_from, 25_000, 5),
        "values in a list": (named_values, 400, 5),
        "conditions": (conditions, 50, 5),
        "regular expressions": (expressions, 350, 5),
        "functions inside of functions": (nested, 1250, 5),
        "groups": (groups("-f", "csv"), 40_000, 5),
        "groups, ten of them": (groups("--top", "10"), 40_000, 5),
        "groups, as text": (groups("--sum", "amount"), 40_000, 5),
        "different numbers": (medians("-f", "csv"), 50_000, 5),
        "different numbers, ten groups": (medians("--top", "10"), 50_000, 5),
        "different numbers, groups chosen": (chosen_medians, 50_000, 5),
        "distinct values": (distinct, 50_000, 5),
        "partners in one table": (partners(1), 20_000, 5),
        "partners in two tables": (partners(2), 100_000, 5),
        "partners in three tables": (partners(3), 100_000, 5),
        "bytes of a line": (long_line("count", "--where", "#1 = 'x'"), 1 << 19, 5),
        "bytes of a line, csv": (long_line("export", "-f", "csv"), 1 << 19, 5),
        "bytes of a joined value, csv": (joined_value("-f", "csv"), 1 << 19, 5),
        "bytes of a joined value, parquet": (joined_value("-o", "out.parquet"), 1 << 19, 5),
        "partials": (partials(program), 100, 5),
    }


def measure(command, most_seconds):
    """Returns the processor's seconds, the most anonymous memory in MB, and the exit status; none for a process that took too much."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most, is_over, done = 0, False, threading.Event()

    def watch():
        nonlocal most, is_over
        while not done.wait(0.005):
            try:
                status = Path(f"/proc/{process.pid}/status").read_text()
                ticks = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
            except (OSError, ValueError):
                return
            for line in status.splitlines():
                if line.startswith("RssAnon"):
                    most = max(most, int(line.split()[1]) // 1024)
            seconds = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
            # A process that waits for ever takes no time of the processor.
            waits = time.perf_counter() - start > 30 * most_seconds
            if most > MEGABYTES_MAX or seconds > most_seconds or waits:
                is_over = True
                process.send_signal(signal.SIGKILL)
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    done.set()
    watcher.join()
    return used.ru_utime + used.ru_stime, most, None if is_over else process.returncode


def slope(points):
    """Returns the exponent by the last three points that are not too short; none of fewer. A quadratic part shows at the end."""
    points = [(math.log(size), math.log(seconds)) for size, seconds in points if seconds > SECONDS_MIN][-3:]
    if len(points) < 3:
        return None
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points))
    over = sum((x - mean_x) * (y - mean_y) for x, y in points)
    return over / sum((x - mean_x) ** 2 for x, _ in points)


def run(program, make, first, count, options, start):
    """Returns the points, the most memory, and how the series ended, if it ended early."""
    points, most, end = [], 0, ""
    for size in (first << nth for nth in range(count)):
        command = [program, *make(size)]
        turns = []
        for _ in range(options.rounds):
            seconds, memory, status = measure(command, options.seconds)
            turns.append(seconds)
            most = max(most, memory)
            if status != 0:
                break
            # A long run is no shorter a second time.
            if seconds > 5:
                break
        points.append((size, max(min(turns) - start, 1e-4)))
        if status is None:
            return points, most, f"FAILS: {size:,} takes more than {options.seconds} s or {MEGABYTES_MAX} MB"
        if status < 0:
            return points, most, f"FAILS: {size:,} ends by signal {-status}"
        # Status 1 is an answer as well: a note, or rows that are strict.
        if status > 1:
            end = f"refused from {size:,} on" if not end else end
    return points, most, end


def processor():
    names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return names[0].split(":")[1].strip() if names else "an unknown processor"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fecscan", default=str(ROOT / "target/release/fecscan"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=20, help="the most of a point")
    parser.add_argument("--only", default="", help="the beginnings of names of series, with commas between them")
    options = parser.parse_args()
    program = str(Path(options.fecscan).resolve())
    chosen = tuple(filter(None, options.only.split(",")))
    print(f"{datetime.date.today():%d %B %Y}, {processor()}, {os.cpu_count()} processors, {options.rounds} rounds\n")
    print("| what doubles | sizes | seconds of the last | exponent | MB | |")
    print("|---|---:|---:|---:|---:|---|")
    failures = 0
    for name, (make, first, count) in series(program).items():
        if chosen and not name.startswith(chosen):
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            write("one.txt", row(0))
            start = min(measure([program, "count", "--schema", "indiv", "one.txt"], options.seconds)[0] for _ in range(5))
            points, most, end = run(program, make, first, count, options, start)
            os.chdir("/")
        exponent = slope(points)
        if exponent and exponent > EXPONENT_MAX:
            reason = REASONS.get(name)
            end = f"{end}; {reason}" if reason else f"FAILS: more than {EXPONENT_MAX}; {end}"
        failures += "FAILS" in end
        sizes = f"{points[0][0]:,} to {points[-1][0]:,}"
        shown = f"{exponent:.2f}" if exponent else "-"
        print(f"| {name} | {sizes} | {points[-1][1]:.2f} | {shown} | {most} | {end.rstrip('; ')} |", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
