#!/usr/bin/env python3
"""The long campaign: faults by the thousand, one row of the table for each kind.

    tests/campaign/run.py [--quick] [--program PATH] [--seed S] [--log FILE]
    tests/campaign/run.py --rows 5,7 [--only WORDS] [--part 2/3] [--tally FILE] ...

The first form is the whole campaign. The second is some rows of it, by number or by words of their names, or one part of
their trials; a tally keeps the outcomes of such runs, for one table.

It needs python3 and strace, and root for the rows that mount; these say so if they can't be run. Faults wait for a
state or for progress of the program, never for a length of time; the time limit only ends a hang. A trial ends no process
but its own. The log (default: standard error) has each trial that did not end cleanly, and the exit status is 1 if there
was one. A fault that came after the program's end is no trial.
"""
import argparse
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time

import compressed
import exports
import files
import mutations
import partials
import results
import settings
import system_calls
from trial import Program, Row, Share, table


def rows(program, work, quick):
    """Yields number and name of each row, and the function that makes its trials."""
    def few(many, some):
        return some if quick else many

    yield "1, 2", "task boundaries, levels, threads, ways to read", lambda row: settings.all_equal(program, row, few(1, 16))
    if not quick:
        yield "4", "arbitrary bytes, under AddressSanitizer", lambda row: mutations.run(program, row, 1_000_000)
    yield "5", "file cut while mapped", lambda row: files.truncations(program, row, work, few(1000, 40))
    yield "5", "file cut while mapped, and made whole again", lambda row: files.truncations(
        program, row, work, few(300, 20), regrow=True)
    yield "6", "disk that fails under the map", lambda row: files.failing_disk(program, row, work, few(40, 4))
    yield "7", "file overwritten, appended to, renamed, replaced, linked, unlinked", lambda row: files.changes(
        program, row, work, few(640, 32))
    yield "8", "inputs that are no files, against wc", lambda row: files.special_files(program, row, work)
    yield "9", "map refused", lambda row: system_calls.maps_refused(program, row, work)
    yield "10", "threads refused", lambda row: system_calls.threads_refused(program, row, work)
    yield "11", "system calls fail, the Nth time, once or from then on", lambda row: system_calls.injections(
        program, row, work, few(1, 10))
    yield "11", "no random numbers", lambda row: system_calls.random_numbers_refused(program, row, work)
    yield "12", "standard output full, closed, a closed pipe", lambda row: results.standard_output(program, row, work)
    yield "13", "killed while it writes to -o", lambda row: results.kills(program, row, work, few(1000, 40))
    yield "13", "ended by a signal, where files have names", lambda row: results.kills_of_named(
        program, row, work, few(99, 9))
    yield "13", "disk full", lambda row: results.full_disk(program, row, work, few(160, 16))
    yield "13", "file size limit", lambda row: results.file_size_limit(program, row, work, few(600, 60))
    yield "14", "little memory", lambda row: results.little_memory(program, row, work, few(8, 0.1))
    yield "14", "few addresses", lambda row: results.few_addresses(program, row, work, few(11, 499))
    yield "15", "compressed files that are damaged or cut", lambda row: compressed.damaged(program, row, work, few(6000, 120))
    yield "15", "archives that lie, bombs, very many members", lambda row: compressed.lying(program, row, work, few(None, 30))
    yield "16", "hostile text on a terminal", lambda row: results.hostile_text(program, row, work)
    yield "17", "twelve names", lambda row: files.names(program, row, work)
    yield "18", "exports that Python reads back", lambda row: exports.read_back(program, row, few(1, 5))
    yield "24, 25", "ranges at any bytes; partials lost, doubled, damaged, of another file or question", lambda row: partials.tilings(
        program, row, work, few(5000, 150))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few trials of each kind")
    parser.add_argument("--program", default="target/release/fecscan")
    parser.add_argument("--seed", type=int, default=1, help="of the random moments")
    parser.add_argument("--rows", help="rows of these numbers only, such as 5,7")
    parser.add_argument("--only", help="rows whose name has this in it")
    parser.add_argument("--without", help="rows whose name has not this in it")
    parser.add_argument("--part", type=Share, default=Share(), help="the Nth of so many parts of each row, such as 2/3")
    parser.add_argument("--tally", help="where counts are kept: those of earlier parts are added")
    parser.add_argument("--log", help="where trials that are not clean go")
    options = parser.parse_args()
    program = Program(options.program, options.seed)
    log = open(options.log, "a") if options.log else sys.stderr
    tally = read_tally(options.tally)
    asked = {number.strip() for number in options.rows.split(",")} if options.rows else None
    # SIGTERM tidies up, as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # Some trials end the program by signals that would leave an image of it.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    work = tempfile.mkdtemp(prefix="fecscan-campaign-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    done = []
    try:
        data, odd = (os.path.join(work, name) for name in ("data.txt", "odd.txt"))
        assert program.run(["generate", "--rows", "300", "--hostile", "-o", data])[0] == 0
        with open(odd, "wb") as file:
            file.writelines(b"%d|odd, %d\n" % (n, n) for n in range(30_000))
        for number, fault, trials in rows(program, work, options.quick):
            other = options.only and options.only not in fault or options.without and options.without in fault
            if other or asked and not asked & set(number.split(", ")):
                continue
            row = Row(number, fault, log, options.part)
            print(f"{number}: {fault} ...", file=sys.stderr, flush=True)
            begun = time.monotonic()
            trials(row)
            row.seconds = time.monotonic() - begun
            print("| " + " | ".join(row.cells()) + " |", file=sys.stderr, flush=True)
            if fault in tally:
                row.join(tally[fault])
            tally[fault] = row.tally()
            done.append(row)
    finally:
        shutil.rmtree(work, ignore_errors=True)
        if options.tally:
            with open(options.tally, "w") as file:
                json.dump(tally, file, indent=1)
    print(table(done if not options.tally else all_of(tally, rows(program, work, False))))
    return 0 if all(row.clean for row in done) else 1


def read_tally(path):
    if not path or not os.path.exists(path):
        return {}
    with open(path) as file:
        return json.load(file)


def all_of(tally, rows):
    """The rows of the table that have been tried, in its order."""
    tried = [Row(number, fault, None) for number, fault, _ in rows if fault in tally]
    for row in tried:
        row.join(tally[row.fault])
    return tried


if __name__ == "__main__":
    sys.exit(main())
