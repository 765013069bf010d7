#!/usr/bin/env python3
"""Measures how `fecscan by NAME --top 10` grows with the number of groups and the length of keys.

    cargo build --release
    benches/key_growth.py --reference OTHER_FECSCAN [--fecscan FECSCAN ...] [--rows 10000000] [--only 100000x20,100000x20s]

Writes one file after the other, of up to 3.4 GB, to a temporary folder (TMPDIR), measures it and removes it. A case is
the number of groups, the length of keys, and `s` for skewed keys: the nth has 1/n of the rows of the first. Keys of a
case with `c` share a hash for anyone who guesses the second of its factors. Ratios are to the report of `--reference` in
the same rounds; memory is the most anonymous memory seen. Every answer is checked.
"""

import argparse
import random
import re
import statistics
import sys
import tempfile
from array import array
from pathlib import Path

from rounds import ROOT, run

CASES = "2x2 676x2 1000x20 1000x200 100000x8 100000x20 100000x20s 100000x200 10000000x8 10000000x20 10000000x20s 10000000x200"
COLLIDING = b"COLLIDES"


def key_of(group, length, kind):
    """Keys are in the order of their groups: eight letters of the number, among others that all keys share."""
    letters = bytearray(min(length, 8))
    for place in reversed(range(len(letters))):
        group, letter = divmod(group, 26)
        letters[place] = ord("A") + letter
    if kind == "c":
        return bytes(letters) + COLLIDING + b"K" * (length - 16)
    return b"K" * (length - len(letters)) + bytes(letters)


def write(path, rows, groups, length, kind):
    """Writes a file of so many rows. Returns the ten most frequent keys, with their rows."""
    chance = random.Random(1).random
    counts = array("Q", bytes(8 * groups))
    with open(path, "wb", 1 << 20) as file:
        for _ in range(rows):
            group = int(groups ** chance()) - 1 if kind == "s" else int(groups * chance())
            counts[group] += 1
            file.write(
                b"C00401224|N|Q1|P2018|201810189115624205|15|IND|%b|AUSTIN|TX|787011234|NONE|RETIRED|10182018|250||"
                b"SA11AI.4417|1100000|||4102220181000000000\n" % key_of(group, length, kind)
            )
    first = sorted(range(groups), key=lambda group: (-counts[group], group))[:10]
    return [f"{key_of(group, length, kind).decode()},{counts[group]}" for group in first if counts[group]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fecscan", nargs="+", default=[str(ROOT / "target/release/fecscan")])
    parser.add_argument("--reference", required=True)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default=CASES.replace(" ", ","))
    options = parser.parse_args()
    print("| groups, bytes | " + " | ".join(map(str, options.fecscan)) + " |")
    print("|---" * (1 + len(options.fecscan)) + "|")
    for case in options.only.split(","):
        groups, length, kind = re.fullmatch(r"(\d+)x(\d+)([sc]?)", case).groups()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "itcont.txt"
            expected = write(path, options.rows, int(groups), int(length), kind)
            ratios = {program: [] for program in options.fecscan}
            memory = dict.fromkeys(options.fecscan, 0)
            for turn in range(options.rounds):
                unit = run([options.reference, path])[1]
                for program in options.fecscan[:: 1 if turn % 2 == 0 else -1]:
                    out, seconds, most = run([program, "by", "NAME", "--top", "10", "-f", "csv", path])
                    if out.splitlines()[1:] != expected:
                        sys.exit(f"{case}: {program} answers\n{out}instead of\n" + "\n".join(expected))
                    ratios[program].append(seconds / unit)
                    memory[program] = max(memory[program], most)
        cells = [f"{statistics.median(ratios[program]):.2f}, {memory[program]} MB" for program in options.fecscan]
        print(f"| {case} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
