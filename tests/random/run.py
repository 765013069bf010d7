#!/usr/bin/env python3
"""Asks random questions, and compares the answers with DuckDB's and Python's. See README.md."""
import argparse
import collections
import multiprocessing
import os
import random
import shlex
import shutil
import sys
import tempfile
import time

import args
import costs
import data as data_sets
import expected
import inputs
import module
import draw
import shrink
import sql
import trial

QUESTIONS_A_SET = 40
# Further differences, of a data set and of a process, are not shrunk, and have two lines.
SHRUNK_A_SET, REPORTED_MOST = 2, 20


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=2000, help="how many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default="target/release/fecscan")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes ask")
    parser.add_argument("--only", help="the one question with this number, such as 17.3: as a difference is reported")
    parser.add_argument("--keep", help="a folder where the files of differences stay")
    parser.add_argument("--module", nargs="?", const=module.SOURCES, metavar="FOLDER",
                        help="ask the questions of by through the package for Python, which is in python/src, or in FOLDER; needs nanoarrow")
    parser.add_argument("--verbose", action="store_true", help="print each question")
    options = parser.parse_args()
    options.reported = 0
    options.program = os.path.abspath(options.program)
    begun = time.monotonic()
    sets = -(-options.questions // QUESTIONS_A_SET)
    if options.only or options.jobs == 1:
        tallies = [ask_sets(options, range(sets))]
    else:
        with multiprocessing.Pool(options.jobs) as pool:
            tallies = pool.starmap(ask_sets, [(options, range(job, sets, options.jobs)) for job in range(options.jobs)])
    tally = collections.Counter()
    for found in tallies:
        tally.update(found)
    for problem in [] if options.only or options.module else costs.problems(options.program, options.seed):
        print(f"\nDIFFERENCE slow: {problem}")
        tally["outcome", "slow"] += 1
    print_tally(tally, time.monotonic() - begun)
    return 1 if any(key[0] == "outcome" and key[1] not in ("right", "refused") for key in tally) else 0


def ask_sets(options, numbers):
    """Asks the questions of some data sets, and returns how often which outcome came with what."""
    columns, pools = data_sets.read_pools(options.program)
    connection, tally = sql.connect(options.program), collections.Counter()
    work = tempfile.mkdtemp(prefix="fecscan-random-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    asked = 0
    chosen = tuple(map(int, options.only.split("."))) if options.only else None
    levels = trial.levels(options.program)
    package = module.load(options.module, options.program) if options.module else None
    try:
        for number in [chosen[0]] if chosen else numbers:
            rng = random.Random(f"{options.seed} {number}")
            data = data_sets.draw_data_set(rng, columns, pools)
            folder = os.path.join(work, str(number))
            os.mkdir(folder)
            inputs.write(folder, data)
            sql.load(connection, data)
            failed = 0
            for nth in range(min(QUESTIONS_A_SET, options.questions - number * QUESTIONS_A_SET) if not chosen else QUESTIONS_A_SET):
                # Each question has random choices of its own, so that it can be asked alone.
                asked = draw.Drawer(random.Random(f"{options.seed} {number} {nth}"), data, levels).question()
                if chosen and nth != chosen[1]:
                    continue
                if package:
                    asked = module.adapted(asked)
                    if asked is None:
                        continue
                one = trial.Trial(options.program, connection, folder, data, asked, package)
                outcome, detail = one.run()
                count(tally, data, asked, outcome, detail)
                if options.verbose or chosen:
                    print(f"{number}.{nth} {outcome}: {shlex.join(args.commands(data, asked)[0][-1])}\n  {detail}", flush=True)
                if outcome not in ("right", "refused"):
                    failed += 1
                    report(options, one, f"{number}.{nth}", outcome, detail, failed <= SHRUNK_A_SET)
                    sql.load(connection, data)
            shutil.rmtree(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return tally


def count(tally, data, asked, outcome, detail):
    tally["outcome", outcome] += 1
    for kind, name in (("command", asked.command), ("format", asked.form), ("level", asked.settings.level), ("schema", data.schema or "other")):
        tally[kind, name, outcome == "right"] += 1
    if outcome.startswith("refused"):
        # Without names, values and numbers, messages are of few kinds.
        tally["refusal", trial.kind_of_message(detail)] += 1


def report(options, one, number, outcome, detail, is_shrunk):
    options.reported += is_shrunk
    if not is_shrunk or options.reported > REPORTED_MOST:
        print(f"DIFFERENCE {outcome}: {detail[:200]}\n  again: --seed {options.seed} --only {number}", flush=True)
        return
    one, detail = shrink.shrunk(one, outcome, detail)
    print(f"\nDIFFERENCE {outcome}: {detail}\n{one.reproduction()}\n"
          f"  again: tests/random/run.py --seed {options.seed} --only {number} --program {options.program}", flush=True)
    if options.keep:
        shutil.copytree(one.folder, os.path.join(options.keep, number), dirs_exist_ok=True)


def print_tally(tally, seconds):
    outcomes = {name: number for (kind, name), number in ((key, value) for key, value in tally.items() if key[0] == "outcome")}
    total = sum(outcomes.values())
    print(f"\n{total:,} questions in {seconds:,.1f} s, {total / max(seconds, 0.001):.0f} a second: "
          + ", ".join(f"{number:,} {name}" for name, number in sorted(outcomes.items())))
    for kind in ("command", "format", "level", "schema"):
        names = sorted({key[1] for key in tally if key[0] == kind})
        print(f"{kind}: " + ", ".join(f"{name} {tally[kind, name, True]:,} of {tally[kind, name, True] + tally[kind, name, False]:,}" for name in names))
    refusals = [(number, key[1]) for key, number in tally.items() if key[0] == "refusal"]
    for number, text in sorted(refusals, reverse=True):
        print(f"refused {number:,}: {text}")


if __name__ == "__main__":
    sys.exit(main())
