#!/usr/bin/env python3
"""Compares `fecscan by` with DuckDB and Polars: the same questions, the same answers, time and memory.

    cargo build --release
    target/release/fecscan generate --rows 18245416 -o itcont.txt
    benches/groups.py itcont.txt [--rounds 5] [--reference OTHER_FECSCAN] [--only name,subid]

Needs duckdb and polars in the Python that runs it; a missing one is left out, with a note. Every program answers before
it is timed, and a program whose answer differs is an error. Times are those of whole processes, each program once a
round; memory is the most anonymous memory seen (RssAnon, which leaves out the mapped file). All programs use their
default number of threads. `--reference` is another build of fecscan, whose report is the unit of the ratios.
"""

import argparse
import importlib.util
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

INDIV = """CMTE_ID AMNDT_IND RPT_TP TRANSACTION_PGI IMAGE_NUM TRANSACTION_TP ENTITY_TP NAME CITY STATE ZIP_CODE EMPLOYER
OCCUPATION TRANSACTION_DT TRANSACTION_AMT OTHER_ID TRAN_ID FILE_NUM MEMO_CD MEMO_TEXT SUB_ID""".split()

CONTRIBUTIONS = "10 10J 11 11J 15 15E 15J 30 30E 30J 30T 31 31E 31J 31T 32 32E 32J 32T".split()

DUCKDB = """
import sys, duckdb
names = {name: 'VARCHAR' for name in %r}
csv = f"read_csv('{sys.argv[1]}', delim='|', header=false, quote='', escape='', auto_detect=false, columns={names})"
duckdb.sql("SET enable_progress_bar = false")
for row in duckdb.sql(f'''%s''').fetchall():
    print(*('' if value is None else value for value in row), sep='|')
"""

POLARS = """
import sys, polars as pl
from polars import col
names = {name: pl.String for name in %r}
csv = pl.scan_csv(sys.argv[1], separator='|', has_header=False, quote_char=None, schema=names, encoding='utf8-lossy')
csv = csv.with_columns(pl.col(pl.String).fill_null(''))
amount = col('TRANSACTION_AMT').cast(pl.Int64, strict=False)
for row in (%s).collect(engine='streaming').iter_rows():
    print(*('' if value is None else value for value in row), sep='|')
"""

# For each question the arguments of fecscan, a query for DuckDB, and one for Polars.
QUESTIONS = {
    "state": (
        "by STATE --sum TRANSACTION_AMT",
        """SELECT coalesce(STATE, ''), count(*), sum(TRY_CAST(TRANSACTION_AMT AS BIGINT)) FROM {csv} GROUP BY 1
        ORDER BY 2 DESC, 1""",
        """csv.group_by('STATE').agg(pl.len(), amount.sum()).sort('len', 'STATE', descending=[True, False])""",
    ),
    "name": (
        "by NAME --top 10",
        "SELECT coalesce(NAME, ''), count(*) FROM {csv} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10",
        "csv.group_by('NAME').len().sort('len', 'NAME', descending=[True, False]).head(10)",
    ),
    "month": (
        "by month(TRANSACTION_DT),STATE --sum TRANSACTION_AMT --where ENTITY_TP=IND --contributions",
        f"""SELECT CASE WHEN regexp_matches(TRANSACTION_DT, '^[0-9]{{{{8}}}}$') THEN
        substr(TRANSACTION_DT, 5, 4) || '-' || substr(TRANSACTION_DT, 1, 2) ELSE '' END, coalesce(STATE, ''), count(*),
        sum(TRY_CAST(TRANSACTION_AMT AS BIGINT)) FROM {{csv}} WHERE ENTITY_TP = 'IND'
        AND TRANSACTION_TP IN {tuple(CONTRIBUTIONS)} GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2""",
        f"""csv.filter(col('ENTITY_TP') == 'IND', col('TRANSACTION_TP').is_in({CONTRIBUTIONS}))
        .group_by(pl.when(col('TRANSACTION_DT').str.len_bytes() == 8)
            .then(col('TRANSACTION_DT').str.slice(4, 4) + '-' + col('TRANSACTION_DT').str.slice(0, 2))
            .otherwise(pl.lit('')).alias('month'), 'STATE')
        .agg(pl.len(), amount.sum()).sort('len', 'month', 'STATE', descending=[True, False, False])""",
    ),
    "subid": (
        "by SUB_ID --top 10",
        "SELECT coalesce(SUB_ID, ''), count(*) FROM {csv} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10",
        "csv.group_by('SUB_ID').len().sort('len', 'SUB_ID', descending=[True, False]).head(10)",
    ),
}


def rows_of_csv(text):
    """The rows of fecscan's CSV, which has no quotes in these questions but around keys with commas."""
    import csv

    rows = list(csv.reader(text.splitlines()))[1:]
    return [[value.removesuffix(".00") for value in row] for row in rows]


def rows_of_pipes(text):
    return [line.split("|") for line in text.splitlines()]


def run(command):
    """Runs a program. Returns its output, the seconds, and its most anonymous memory in MB."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    most = 0
    done = threading.Event()

    def watch():
        nonlocal most
        while not done.wait(0.003):
            try:
                status = Path(f"/proc/{process.pid}/status").read_text()
            except OSError:
                return
            for line in status.splitlines():
                if line.startswith("RssAnon"):
                    most = max(most, int(line.split()[1]) // 1024)

    watcher = threading.Thread(target=watch)
    watcher.start()
    out, err = process.communicate()
    seconds = time.perf_counter() - start
    done.set()
    watcher.join()
    if process.returncode != 0:
        sys.exit(f"{command[:4]}: {err.decode()}")
    return out.decode("latin-1"), seconds, most


def arms_of(question, options):
    arguments, duckdb, polars = QUESTIONS[question]
    fecscan = [options.fecscan, *arguments.split(), "-f", "csv", options.file]
    arms = {}
    if options.reference:
        arms["R"] = (None, [options.reference, options.file])
    arms["fecscan"] = (rows_of_csv, fecscan)
    for level in options.levels:
        arms[f"fecscan --simd {level}"] = (rows_of_csv, [*fecscan, "--simd", level])
    programs = [("duckdb", "DuckDB", DUCKDB % (INDIV, duckdb)), ("polars", "Polars", POLARS % (INDIV, polars))]
    for module, name, program in programs:
        if importlib.util.find_spec(module):
            arms[name] = (rows_of_pipes, [sys.executable, "-c", program, options.file])
        else:
            print(f"{module} is not there and left out", file=sys.stderr)
    return arms


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--fecscan", default=str(ROOT / "target/release/fecscan"))
    parser.add_argument("--reference")
    parser.add_argument("--levels", type=lambda text: text.split(","), default=[], help="more levels, such as avx2")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(QUESTIONS))
    options = parser.parse_args()
    for question in options.only:
        arms = arms_of(question, options)
        answers = {name: rows(run(command)[0]) for name, (rows, command) in arms.items() if rows}
        for name, answer in answers.items():
            if answer != answers["fecscan"]:
                different = [pair for pair in zip(answer, answers["fecscan"]) if pair[0] != pair[1]][:3]
                sys.exit(f"{question}: {name} answers {len(answer)} rows, fecscan {len(answers['fecscan'])}: {different}")
        seconds = {name: [] for name in arms}
        memory = dict.fromkeys(arms, 0)
        for turn in range(options.rounds):
            for name in list(arms) if turn % 2 == 0 else list(arms)[::-1]:
                _, taken, most = run(arms[name][1])
                seconds[name].append(taken)
                memory[name] = max(memory[name], most)
        unit = "R" if "R" in arms else "fecscan"
        print(f"\n`fecscan {QUESTIONS[question][0]}`, {options.rounds} rounds\n\n| | seconds, median | ratio | MB |\n|---|---|---|---|")
        for name, taken in seconds.items():
            ratio = statistics.median(one / other for one, other in zip(taken, seconds[unit]))
            print(f"| {name} | {statistics.median(taken):.3f} | {ratio:.2f} | {memory[name]} |", flush=True)


if __name__ == "__main__":
    main()
