#!/usr/bin/env python3
"""The long campaign: faults by the thousand, one row of the table for each kind.

    tests/campaign/run.py [--quick] [--scale X] [--jobs N] [--program PATH] [--seed S] [--log FILE]
    tests/campaign/run.py --rows 5,7 [--only WORDS] [--part 2/3] [--tally FILE] ...

The first form is the whole campaign. The second is some rows of it, by number or by words of their names, or one part of
their trials; a tally keeps the outcomes of such runs, for one table. --scale multiplies the numbers of trials.

All rows draw from the questions of questions.py, whose answers are compared with slow ones in Python. Faults wait for a
state or for progress of the program, never for a length of time; the time limit only ends a hang. A trial ends no process
but its own. The log (default: standard error) has each trial that did not end cleanly, and the exit status is 1 if there
was one. A fault that came after the program's end is no trial.

Rows need root, strace and others (needs.py). The run ends with a list of the rows that could not be tried. With
FECSCAN_REQUIRE=root,strace,... it fails if one of these is missing.
"""
import argparse
import json
import multiprocessing
import os
import queue
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from typing import Callable, NamedTuple

import compressed
import files
import joined
import memory
import mutations
import partials
import results
import settings
import system_calls
from needs import CHECKS, have, required
from trial import OTHER, Program, Row, Share, table

QUICK_SCALE = 0.01
# What some trials of a row need.
OPTIONAL = ("avx2", "avx512", "zstd", "pyarrow")


class Fault(NamedTuple):
    """A row of the table: its number and name, how its trials are made, and what they need of the machine."""
    number: str
    name: str
    trials: Callable
    needs: tuple = ()
    # Rows that repeat tests in Rust, or take long to begin, are left out of the quick run.
    is_quick: bool = True


def faults(program, work):
    """Returns all rows. Their numbers of trials are those of scale 1."""
    def row(number, name, function, *arguments, needs=(), quick=True, in_work=True, **options):
        places = (work,) if in_work else ()
        return Fault(number, name, lambda row: function(program, row, *places, *arguments, **options), needs, quick)

    strace, mounts = ("root", "strace"), ("root", "mount")
    return [
        row("1, 2, 18", "task boundaries, levels, threads, ways to read", settings.all_equal, 20_000, quick=False),
        row("4", "arbitrary bytes, under AddressSanitizer", mutations.run, 60_000, quick=False, in_work=False),
        row("5", "file cut while mapped", files.truncations, 1000),
        row("5", "file cut while mapped, and made whole again", files.truncations, 300, regrow=True),
        row("6", "disk that fails under the map", files.failing_disk, 120, needs=("root", "loop")),
        row("7", "file overwritten, appended to, renamed, replaced, linked, unlinked", files.changes, 1000),
        row("8", "inputs that are no files, against wc", files.special_files, 84, needs=("wc",)),
        row("8", "inputs that are no files, every question", files.special_inputs, 400),
        row("9", "map refused", system_calls.maps_refused, 600, needs=strace),
        row("10", "threads refused", system_calls.threads_refused, 600, needs=strace),
        row("11", "system calls fail, the Nth time, once or from then on", system_calls.injections, 20_000, needs=strace),
        row("11", "no random numbers", system_calls.random_numbers_refused, 150, needs=strace),
        row("12", "standard output full, closed, a closed pipe", results.standard_output, 500),
        row("13", "killed while it writes to -o", results.kills, 1000),
        row("13", "ended by a signal, where files have names", results.kills_of_named, 100, needs=mounts),
        row("13", "disk full", results.full_disk, 500, needs=mounts),
        row("13", "file size limit", results.file_size_limit, 3000, needs=("prlimit",)),
        row("14", "little memory", memory.little_memory, 3, needs=("root", "cgroup")),
        row("14", "lines of 4 GiB in little memory", memory.long_lines, needs=("root", "cgroup"), quick=False),
        row("14", "few addresses", memory.few_addresses, 10_000),
        row("15", "compressed files that are damaged or cut", compressed.damaged, 15_000, quick=False),
        row("15", "archives that lie, bombs, very many members", compressed.lying, 1000, quick=False),
        row("16", "hostile text on a terminal", results.hostile_text, 1000),
        row("17", "twelve names", files.names, 1000),
        row("20", "reader that stops reading", results.stalled_readers, 200, needs=("root",)),
        row("21, 30", "more groups than memory", memory.many_groups, 60, needs=("root", "cgroup")),
        row("23", "joined files that are damaged, double, missing", joined.joined_files, 3000),
        row("24, 25", "ranges at any bytes; partials lost, doubled, damaged, of another file or question", partials.tilings, 5000,
            quick=False),
        row("25", "one byte of a partial changed", partials.flipped_bytes, 25_000),
        row("27", "file that changes through a shared map", files.shared_map, 500),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few trials of most rows")
    parser.add_argument("--scale", type=float, default=1.0, help="how many times as many trials")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="how many trials at a time")
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
    CHECKS.update((level, lambda level=level: level in settings.levels(program)) for level in ("avx2", "avx512", "neon"))
    options.scale *= QUICK_SCALE if options.quick else 1
    tally = read_tally(options.tally)
    # SIGTERM tidies up, as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # Some trials end the program by signals that would leave an image of it.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    asked = [fault for fault in faults(program, None) if is_asked(fault, options)]
    missing = {fault.name: [need for need in fault.needs if not have(need)] for fault in asked}
    tried = [fault.name for fault in asked if not missing[fault.name]]
    done = []
    for row in run_all(program, options, tried):
        done.append(row)
        if row.fault in tally:
            row.join(tally[row.fault])
        tally[row.fault] = row.tally()
        if options.tally:
            with open(options.tally, "w") as file:
                json.dump(tally, file, indent=1)
    if options.tally:
        done = all_of(tally, faults(program, None))
    print(table(done))
    for row in done:
        if row.late and not row.trials:
            print(f"NO TRIAL: {row.fault}: {row.late:,} {row.late_what}")
    not_tried = [f"{name}: needs {', '.join(needs)}" for name, needs in missing.items() if needs]
    not_tried += [f"trials with {need}" for need in OPTIONAL if not have(need)]
    for line in not_tried:
        print(f"NOT TRIED: {line}")
    if "FECSCAN_SKIPPED" in os.environ:
        with open(os.environ["FECSCAN_SKIPPED"], "a") as file:
            file.writelines(f"campaign: {line}\n" for line in not_tried)
    lacking = [need for need in required() if not have(need)]
    if lacking:
        print(f"FECSCAN_REQUIRE: {', '.join(lacking)} is missing")
    return 0 if all(row.clean for row in done) and not lacking else 1


def is_asked(fault, options):
    if options.rows and not set(options.rows.split(",")) & set(fault.number.split(", ")):
        return False
    if options.only and options.only not in fault.name or options.without and options.without in fault.name:
        return False
    return fault.is_quick or not options.quick


def run_all(program, options, names):
    """Runs rows in several processes, each of which makes a part of the trials of each row. Yields rows when they are done."""
    outcomes = multiprocessing.Queue()
    parts = [Share(f"{(options.part.nth - 1) * options.jobs + job}/{options.part.parts * options.jobs}")
             for job in range(1, options.jobs + 1)]
    workers = [multiprocessing.Process(target=run_part, args=(program, options, names, part, outcomes)) for part in parts]
    rows = {fault.name: Row(fault.number, fault.name) for fault in faults(program, None) if fault.name in names}
    waiting = dict.fromkeys(names, len(workers))
    try:
        for worker in workers:
            worker.start()
        while any(waiting.values()):
            try:
                name, tally = outcomes.get(timeout=5)
            except queue.Empty:
                ended = [worker.exitcode for worker in workers if worker.exitcode]
                if ended:
                    sys.exit(f"a part of the campaign ended before its rows, with status {ended[0]}")
                continue
            rows[name].join(tally)
            waiting[name] -= 1
            if not waiting[name]:
                print("| " + " | ".join(rows[name].cells()) + " |", file=sys.stderr, flush=True)
                yield rows[name]
        for worker in workers:
            worker.join()
    finally:
        for worker in workers:
            if worker.is_alive():
                worker.terminate()
                worker.join()


def run_part(program, options, names, part, outcomes):
    """Makes one part of the trials of each row, in a folder of its own."""
    log = open(options.log, "a") if options.log else sys.stderr
    memory_disk = "/dev/shm" if os.path.isdir("/dev/shm") else None
    for name in names:
        work = tempfile.mkdtemp(prefix="fecscan-campaign-", dir=memory_disk)
        fault = next(fault for fault in faults(program, work) if fault.name == name)
        row = Row(fault.number, fault.name, log, part, options.scale, options.seed)
        begun = time.monotonic()
        try:
            fault.trials(row)
        except Exception:
            # A right answer that could not be found is a trial that failed.
            row.add(OTHER, traceback.format_exc())
        finally:
            shutil.rmtree(work, ignore_errors=True)
        row.seconds = time.monotonic() - begun
        outcomes.put((name, row.tally()))


def read_tally(path):
    if not path or not os.path.exists(path):
        return {}
    with open(path) as file:
        return json.load(file)


def all_of(tally, every):
    """The rows of the table that have been tried, in its order."""
    tried = [Row(fault.number, fault.name) for fault in every if fault.name in tally]
    for row in tried:
        row.join(tally[row.fault])
    return tried


if __name__ == "__main__":
    sys.exit(main())
