#!/usr/bin/env python3
"""Sweeps the number of threads, reports the knee, and simulates more cores than there are.

    cargo build --release
    benches/threads.py itcont.txt [--rounds 5] [--fecscan FECSCAN] [--only count,report] [--cores 64] [--memory 300]

Times whole processes, every number of threads once a round, and checks that all answers are the same. The knee is the
last number of threads whose doubling still made the question at least 1.5 times as fast. A file in the page cache is meant;
its pages of 2 MB are printed, because they decide.

More threads than processors share these, so what a thread costs shows: its partial, its share of the merge, and its
switches. The simulation takes that cost, the start, and the time of a task on one thread. Each core takes one task after the
other. A task waits if all cores together would read more than `--memory` GB/s. Partials merge in pairs, so a core waits for as
many merges as the number of cores has doublings. What it leaves out: caches that cores share, a second socket, locks of the
kernel, a clock that slows down.
"""

import argparse
import math
import os
import statistics
import sys
import tempfile
from pathlib import Path

from rounds import ROOT, run

QUESTIONS = {
    "count": ["count"],
    "report": ["report"],
    "state": ["by", "STATE", "--sum", "amount"],
    "employer": ["by", "EMPLOYER", "--top", "10"],
    "name": ["by", "NAME", "--top", "10"],
}
TASK_BYTES = 2 << 20


def doubled(first, most):
    """Numbers from the first on, each twice the one before, and the last of all."""
    numbers = [first]
    while numbers[-1] * 2 <= most:
        numbers.append(numbers[-1] * 2)
    return numbers + [most] * (numbers[-1] < most)


def knee(seconds):
    """The last number of threads whose doubling was worth it."""
    threads = sorted(seconds)
    for fewer, more in zip(threads, threads[1:]):
        if seconds[fewer] / seconds[more] < 1.5 ** math.log2(more / fewer):
            return fewer
    return threads[-1]


def simulated(cores, size, start, task, thread, memory):
    """The seconds on so many cores, and what they are spent on beside scanning."""
    tasks = math.ceil(size / TASK_BYTES)
    together = min(cores, tasks)
    turns = math.ceil(tasks / together)
    scan = turns * task
    waits = max(0.0, turns * together * TASK_BYTES / memory - scan)
    merge = thread * (1 + math.log2(together))
    shares = {"the last tasks": scan - tasks * task / together, "memory": waits, "merging": merge, "the start": start}
    return start + scan + waits + merge, max(shares, key=shares.get) if max(shares.values()) > 0.1 * scan else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--fecscan", default=str(ROOT / "target/release/fecscan"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default=",".join(QUESTIONS))
    parser.add_argument("--cores", type=int, default=64)
    parser.add_argument("--memory", type=float, default=300, help="GB/s of all cores together")
    options = parser.parse_args()
    size, processors = options.file.stat().st_size, len(os.sched_getaffinity(0))
    few, many = doubled(1, processors), [4 * processors, 16 * processors]
    huge = next(line for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("FileHugePages"))
    print(f"{size / 1e9:.2f} GB, {processors} processors, {' '.join(huge.split())}\n")
    nothing = tempfile.NamedTemporaryFile(suffix=".txt")
    start = statistics.median(run([options.fecscan, "count", nothing.name])[1] for _ in range(20))
    print("| question | " + " | ".join(f"{number} threads" for number in few + many) + " | knee | a thread more |")
    print("|---" * (3 + len(few + many)) + "|")
    rows = []
    for name in options.only.split(","):
        seconds, answers = {number: [] for number in few + many}, set()
        for turn in range(options.rounds):
            for number in sorted(seconds, reverse=turn % 2):
                # A chosen size of tasks allows more threads than processors.
                command = [*QUESTIONS[name], "-j", str(number), "--task-size", str(TASK_BYTES), "-f", "json", options.file]
                answer, taken, _ = run([options.fecscan, *command])
                answers.add(answer)
                seconds[number].append(taken)
        if len(answers) != 1:
            sys.exit(f"{name}: the answers of several numbers of threads differ")
        middle = {number: statistics.median(taken) for number, taken in seconds.items()}
        thread = processors * max(0.0, middle[many[-1]] - middle[processors]) / (many[-1] - processors)
        cells = [f"{middle[number]:.3f} s, {size / middle[number] / 1e9:.1f} GB/s" for number in few + many]
        found = knee({number: middle[number] for number in few})
        print(f"| {name} | " + " | ".join(cells) + f" | {found} | {thread * 1e3:.2f} ms |", flush=True)
        # The best of few rounds: neighbours of a shared machine only add.
        rows.append((name, (min(seconds[1]) - start) / math.ceil(size / TASK_BYTES), thread))
    cores = doubled(1, options.cores)
    print(f"\nSimulated, {options.memory:.0f} GB/s of memory, {start * 1e3:.1f} ms to start:\n")
    print("| question | " + " | ".join(f"{number} cores" for number in cores) + " | knee | what limits the last |")
    print("|---" * (3 + len(cores)) + "|")
    for name, task, thread in rows:
        times = {number: simulated(number, size, start, task, thread, options.memory * 1e9) for number in cores}
        found = knee({number: seconds for number, (seconds, _) in times.items()})
        cells = [f"{seconds:.3f} s" for seconds, _ in times.values()]
        print(f"| {name} | " + " | ".join(cells) + f" | {found} | {times[cores[-1]][1]} |", flush=True)


if __name__ == "__main__":
    main()
