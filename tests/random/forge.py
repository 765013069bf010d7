#!/usr/bin/env python3
"""Merges forged partials: valid ones of random questions, whose header or state is changed at random, with the hash that fits. A merge may refuse
them or not, but it must not crash, panic, hang, or take much time or memory, and its messages must be safe on a terminal."""
import argparse
import copy
import collections
import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import args
import data as data_sets
import draw
import inputs
import trial
import xxh3

MAGIC_BYTES, HASH_BYTES = 8, 16
FORGED_A_PARTIAL = 25
# Of all questions.
SQL_SHARE = 0.3
MOST_SECONDS, MOST_BYTES, MOST_ADDRESSES = 2, 500 << 20, 8 << 30
# Seconds of a clock, where others may take the processor.
HANG_SECONDS = 60
# What a terminal would obey, and what would hide or turn text.
HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def number_at(content, at):
    """Returns the integer at a place, seven bits a byte, and where it ends."""
    value = shift = 0
    while True:
        byte = content[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def put(number):
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


class Partial:
    """The parts of a partial: the bytes before the header, the header as JSON, the state."""

    def __init__(self, content):
        assert xxh3.hash_of(content[:-HASH_BYTES]) == content[-HASH_BYTES:]
        _, at = number_at(content, MAGIC_BYTES)
        self.before = content[:at]
        size, at = number_at(content, at)
        self.header = json.loads(content[at:at + size])
        size, at = number_at(content, at + size)
        self.state = content[at:at + size]

    def framed(self, header, state):
        """Returns a partial of this header and state; none if it is too short to be hashed here."""
        content = self.before + put(len(header)) + header + put(len(state)) + state
        return content + xxh3.hash_of(content) if len(content) >= xxh3.SHORTEST else None


def nested(depth, inner="NAME"):
    return "trim(" * depth + inner + ")" * depth


ODD_NUMBERS = (0, 1, -1, 2, 127, 128, 255, 1 << 31, (1 << 32) - 1, 1 << 53, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 64, 1e300, -0.5)
ODD_TEXTS = ("", "x", "STATE", "#1", "#0", "#99999999999999999999", "\x1b]0;title\x07", "\u202eabc", "\u009b31m", "\x00", "/", "../../etc/passwd", "-", "count",
             "amount >= 0", "STATE = 'CA'", "NAME ~ '(a{1000}){1000}'", "NAME ~ '" + "(" * 5000 + "'", nested(3), nested(20_000), nested(20_000) + " = ''",
             "date_trunc('month', date)", "sum(amount) DESC", "count(DISTINCT NAME)", "median(amount) FILTER (WHERE amount > 5)", "sum(" * 5000 + "amount",
             "row_number() OVER (ORDER BY count(*))", "STATE, STATE", "1", "99999999999999999999", "(SELECT 1)", "*", "STATE AS count", "x" * 100_000, "a\nb", "\r", "STATE = NAME", " OR ".join(["STATE = 'CA'"] * 2000), "NOT " * 20_000 + "true",
             "(" * 20_000 + "true", "amount IN (" + "1, " * 20_000 + "2)", "STATE = 'CA", "month(date)", "sum(amount)", "sum(amount) > 1",
             "SELECT count(*) FROM indiv", "SELECT STATE FROM indiv", "SELECT max(NAME), count(*) FROM 'itcont.txt', '/etc/passwd' GROUP BY CITY",
             "SELECT " + "(" * 20_000 + "1", "SELECT count(*) FROM indiv" + " UNION ALL SELECT count(*) FROM indiv" * 500,
             "ffffffffffffffffffffffffffffffff")


def any_value(rng):
    return rng.choice((None, True, False, rng.choice(ODD_NUMBERS), rng.choice(ODD_TEXTS), [], {}, [rng.choice(ODD_TEXTS)] * rng.choice((1, 3, 300)),
                       {rng.choice(ODD_TEXTS): rng.choice(ODD_NUMBERS)}))


def places(value, found=None):
    """Returns all containers of JSON and their keys."""
    found = [] if found is None else found
    for key in (value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()):
        found.append((value, key))
        places(value[key], found)
    return found


def change_header(rng, header):
    """Changes one value, so that its type stays in most cases."""
    every = places(header)
    if not every:
        return
    holder, key = rng.choice(every)
    old, roll = holder[key], rng.random()
    if roll < 0.1 and isinstance(holder, dict):
        del holder[key]
    elif roll < 0.15 and isinstance(holder, dict):
        holder[rng.choice(ODD_TEXTS)] = old
    elif roll < 0.3:
        other, place = rng.choice(every)
        holder[key] = copy.deepcopy(other[place]) if rng.random() < 0.2 else any_value(rng)
    elif isinstance(old, bool):
        holder[key] = not old
    elif isinstance(old, int):
        holder[key] = rng.choice((old + 1, old - 1, 2 * old, *ODD_NUMBERS))
    elif isinstance(old, str):
        holder[key] = rng.choice((old[:-1], old + "0", old * 2, nested(rng.choice((1, 50, 20_000)), old), rng.choice(ODD_TEXTS)))
    elif isinstance(old, list):
        holder[key] = rng.choice((old[:-1], old * 2, old * 5000 if len(str(old)) < 200 else old[::-1], old[::-1], [any_value(rng)], []))
    else:
        holder[key] = any_value(rng)


def change_state(rng, state):
    """Changes a byte, an integer or a piece of the state."""
    state = bytearray(state)
    if not state:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(20)))
    at, roll = rng.randrange(len(state)), rng.random()
    if roll < 0.3:
        state[at] ^= 1 << rng.randrange(8)
    elif roll < 0.6:
        try:
            _, end = number_at(state, at)
        except IndexError:
            end = len(state)
        state[at:end] = put(rng.choice([abs(int(number)) for number in ODD_NUMBERS if number < 1e30] + [3, 5, 17, 1000]))
    elif roll < 0.7:
        del state[at:at + rng.choice((1, 2, 10, len(state)))]
    elif roll < 0.8:
        piece = state[at:at + rng.choice((1, 2, 10, 100))]
        state[at:at] = piece * rng.choice((1, 2, 1000))
    else:
        # Most of a table is the sizes of its partitions.
        state[at] = rng.choice((0, 1, 2, 127, 128, 255))
    return bytes(state)


def forged(rng, content):
    """Returns a changed partial; none if the change makes no partial."""
    partial = Partial(content)
    header, state, both = partial.header, partial.state, rng.random()
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if both < 0.65:
            change_header(rng, header)
        if both > 0.55:
            state = change_state(rng, state)
    return partial.framed(json.dumps(header).encode(), state)


def merge(program, folder, words):
    """Merges, and returns what is wrong with that, or how it ended."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))
    with open(os.path.join(folder, "out"), "wb") as out, open(os.path.join(folder, "err"), "w+b") as err:
        child = subprocess.Popen([program, "merge", *words], stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=folder, preexec_fn=limit)
        usage = waited(child)
        err.seek(0)
        said = err.read().decode(errors="replace")
    if usage is None:
        return "hang", f"no end within {HANG_SECONDS} s"
    problem = trial.failure(child.returncode, b"", said)
    if problem:
        return problem
    seconds = usage.ru_utime + usage.ru_stime
    if seconds > MOST_SECONDS:
        return "slow", f"{seconds:.1f} s of a processor: {said[:300]}"
    if usage.ru_maxrss << 10 > MOST_BYTES:
        return "memory", f"{usage.ru_maxrss >> 10} MiB: {said[:300]}"
    if harmful := HARMFUL.search(said):
        return "terminal", f"{harmful[0]!r} in {said[:300]!r}"
    return ("accepted" if child.returncode == 0 else "refused"), said


def waited(child):
    """Waits for the end of a process, and returns what it has used; none if it hangs."""
    begun = time.monotonic()
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            child.returncode = os.waitstatus_to_exitcode(status)
            return usage
        if time.monotonic() - begun > HANG_SECONDS:
            child.send_signal(signal.SIGKILL)
            child.wait()
            return None
        time.sleep(0.001)


# Statements with every kind of state, of generated contributions and committees.
STATEMENTS = (
    "SELECT STATE, sum(amount), avg(amount), median(amount), min(date), max(amount), count(amount) FROM indiv GROUP BY STATE ORDER BY 2",
    "SELECT date, amount > 50, amount / 3, nullif(CITY, ''), quantile_disc(date, 0.5), dayname(max(date)) FROM indiv GROUP BY CUBE (1, 2, 3, 4)",
    "SELECT left(NAME, 1), count(DISTINCT CITY), max(CITY), arg_max(NAME, amount), arg_min(date, CITY), bool_or(amount > 5) FROM indiv GROUP BY 1",
    "SELECT stddev(amount), arg_max(amount / 7, amount / 3), max(amount / 3), count(DISTINCT (STATE, date)), min(FILE_NUM) FROM indiv",
    "SELECT month(date), rank() OVER (ORDER BY sum(amount)), min(date) + 400 FROM indiv GROUP BY ROLLUP (month(date)) HAVING count(*) > 1",
    "SELECT c.CMTE_TP, i.STATE, count(*), arg_max(i.NAME, i.amount) FROM cm c FULL JOIN indiv i ON c.CMTE_CITY = i.CITY GROUP BY ALL",
)


def sql_partials(options, rng, folder):
    """Writes the partials of a statement, and returns their names."""
    statement, files = rng.choice(STATEMENTS), ["itcont.txt"]
    made = [["generate", "--rows", str(rng.randrange(1, 60)), "--seed", str(rng.randrange(100)), "-o", "itcont.txt"]]
    if "cm" in statement:
        files.append("cm.txt")
        made.append(["generate", "--schema", "cm", "--rows", str(rng.randrange(1, 40)), "-o", "cm.txt"])
    for command in made:
        subprocess.run([options.program, *command], stdin=subprocess.DEVNULL, capture_output=True, cwd=folder, check=True)
    size = os.path.getsize(os.path.join(folder, "itcont.txt"))
    places = ["", *map(str, sorted(rng.sample(range(size), rng.randrange(3)))), ""]
    for nth, (start, end) in enumerate(zip(places, places[1:])):
        command = ["sql", statement, "--partial", f"{nth}.part", "--range", f"{start}:{end}", *files]
        subprocess.run([options.program, *command], stdin=subprocess.DEVNULL, capture_output=True, cwd=folder, check=True)
    return [f"{nth}.part" for nth in range(len(places) - 1)]


def partials(options, rng, folder, columns, pools, levels):
    """Writes the partials of a random question, and returns their names; none if it is refused."""
    if rng.random() < SQL_SHARE:
        return sql_partials(options, rng, folder)
    data = data_sets.draw_data_set(rng, columns, pools)
    if sum(len(member.lines) for _, member in data.members()) > 300:
        return []
    inputs.write(folder, data)
    drawer = draw.Drawer(rng, data, levels)
    while True:
        asked = drawer.question()
        how = asked.settings
        # Partials of one file, and of several. A statement that is printed first writes none.
        if asked.command in ("by", "count", "report") and not asked.misuse and not how.piped and not how.as_statement:
            break
    commands, _ = args.commands(data, asked)
    if commands[-1][0] != "merge":
        at = commands[0].index("-f")
        commands = [[*commands[0][:at], "--partial", "0.part", *commands[0][at + 2:]], ["merge"]]
    for command in commands[:-1]:
        ended = subprocess.run([options.program, *command], stdin=subprocess.DEVNULL, capture_output=True, cwd=folder)
        if ended.returncode != 0:
            return []
    return [f"{nth}.part" for nth in range(len(commands) - 1)]


def run(options, job):
    """Forges this job's share of the partials, from questions of its own."""
    columns, pools = data_sets.read_pools(options.program)
    levels = trial.levels(options.program)
    work = tempfile.mkdtemp(prefix="fecscan-forged-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    tally, question = collections.Counter(), job + 1
    share = (options.partials + job) // options.jobs
    try:
        while sum(tally.values()) < share:
            rng = random.Random(f"{options.seed} forged {question}")
            folder = os.path.join(work, str(question))
            os.mkdir(folder)
            forge_some(options, rng, folder, partials(options, rng, folder, columns, pools, levels), question, tally)
            shutil.rmtree(folder)
            question += options.jobs
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return tally


def forge_some(options, rng, folder, names, question, tally):
    """Forges one of a question's partials several times, and merges it alone or with the others."""
    for nth in range(FORGED_A_PARTIAL if names else 0):
        name = rng.choice(names)
        with open(os.path.join(folder, name), "rb") as file:
            content = forged(rng, file.read())
        if content is None:
            continue
        with open(os.path.join(folder, "forged.part"), "wb") as file:
            file.write(content)
        merged = ["forged.part" if other == name else other for other in names if other == name or rng.random() < 0.8]
        words = ["-f", rng.choice(("text", "json", "csv")), "-j", rng.choice("12"), *merged]
        outcome, detail = merge(options.program, folder, words)
        tally[outcome] += 1
        if outcome not in ("accepted", "refused"):
            kept = os.path.join(options.keep, f"{options.seed}-{question}-{nth}")
            shutil.copytree(folder, kept, dirs_exist_ok=True)
            print(f"{outcome}: {detail}\n  (cd {kept}; fecscan merge {' '.join(words)})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--partials", type=int, default=300, help="how many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default="target/release/fecscan")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes forge")
    parser.add_argument("--keep", default=os.path.join(tempfile.gettempdir(), "fecscan-forged"), help="where partials that fail stay")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    begun = time.monotonic()
    if options.jobs == 1:
        tallies = [run(options, 0)]
    else:
        with multiprocessing.Pool(options.jobs) as pool:
            tallies = pool.starmap(run, [(options, job) for job in range(options.jobs)])
    tally = sum(tallies, collections.Counter())
    print(f"{sum(tally.values()):,} forged partials in {time.monotonic() - begun:,.0f} s: "
          + ", ".join(f"{number:,} {name}" for name, number in tally.most_common()))
    return 0 if set(tally) <= {"accepted", "refused"} else 1


if __name__ == "__main__":
    sys.exit(main())
