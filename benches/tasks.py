#!/usr/bin/env python3
"""Twenty-four tasks that recur with the FEC's files, by fecscan, DuckDB and Polars: equal answers, time in the same rounds.

    cargo build --release
    benches/tasks.py FOLDER [--rows 18245416] [--rounds 3] [--only 4,13]

Generates its files in the folder, unless they are there: two cycles, an older version, joined files, a table of zip codes.
Needs duckdb and polars in the Python that runs it. Every program answers before it is timed, and an answer that differs is
an error. Times are those of whole processes with their default threads, each program once a round; memory is the most
anonymous memory seen. R is the report in the same rounds.
"""

import argparse
import csv
import os
import shlex
import statistics
import subprocess
import sys
from pathlib import Path

from rounds import CONTRIBUTIONS, INDIV, ROOT, run

COLUMNS = {
    "cm": """CMTE_ID CMTE_NM TRES_NM CMTE_ST1 CMTE_ST2 CMTE_CITY CMTE_ST CMTE_ZIP CMTE_DSGN CMTE_TP CMTE_PTY_AFFILIATION
    CMTE_FILING_FREQ ORG_TP CONNECTED_ORG_NM CAND_ID""",
    "cn": """CAND_ID CAND_NAME CAND_PTY_AFFILIATION CAND_ELECTION_YR CAND_OFFICE_ST CAND_OFFICE CAND_OFFICE_DISTRICT CAND_ICI
    CAND_STATUS CAND_PCC CAND_ST1 CAND_ST2 CAND_CITY CAND_ST CAND_ZIP""",
    "ccl": "CAND_ID CAND_ELECTION_YR FEC_ELECTION_YR CMTE_ID CMTE_TP CMTE_DSGN LINKAGE_ID",
    "pas2": """CMTE_ID AMNDT_IND RPT_TP TRANSACTION_PGI IMAGE_NUM TRANSACTION_TP ENTITY_TP NAME CITY STATE ZIP_CODE EMPLOYER
    OCCUPATION TRANSACTION_DT TRANSACTION_AMT OTHER_ID CAND_ID TRAN_ID FILE_NUM MEMO_CD MEMO_TEXT SUB_ID""",
    "oppexp": """CMTE_ID AMNDT_IND RPT_YR RPT_TP IMAGE_NUM LINE_NUM FORM_TP_CD SCHED_TP_CD NAME CITY STATE ZIP_CODE
    TRANSACTION_DT TRANSACTION_AMT TRANSACTION_PGI PURPOSE CATEGORY CATEGORY_DESC MEMO_CD MEMO_TEXT ENTITY_TP SUB_ID FILE_NUM
    TRAN_ID BACK_REF_TRAN_ID NOTHING""",
}
COLUMNS = {name: text.split() for name, text in COLUMNS.items()} | dict.fromkeys(["indiv", "later", "old", "oth"], INDIV)

# The file of each table, and how `fecscan generate` makes it.
FILES = {
    "indiv": ("indiv18.txt", "--rows {rows}"),
    "later": ("indiv20.txt", "--rows {rows} --seed 2"),
    "cm": ("cm.txt", "--schema cm --rows 10000"),
    "cn": ("cn.txt", "--schema cn --rows 4000"),
    "ccl": ("ccl.txt", "--schema ccl --rows 4000"),
    "oth": ("itoth.txt", "--schema oth --rows {tenth}"),
    "pas2": ("itpas2.txt", "--schema pas2 --rows {tenth}"),
    "oppexp": ("oppexp.txt", "--schema oppexp --rows {tenth}"),
}

DUCKDB = """
import sys, duckdb
duckdb.sql("SET enable_progress_bar = false")
duckdb.sql("CREATE MACRO number(text) AS TRY_CAST(text AS DECIMAL(18, 2))")
duckdb.sql("CREATE MACRO day(text) AS TRY_CAST(TRY_STRPTIME(text, '%%m%%d%%Y') AS DATE)")
for table, (file, columns) in %r.items():
    names = {name: 'VARCHAR' for name in columns}
    csv = f"read_csv('{file}', delim='|', header=false, quote='', escape='', auto_detect=false, null_padding=true, columns={names})"
    blanks = ', '.join(f"coalesce({name}, '') AS {name}" for name in columns)
    duckdb.sql(f"CREATE VIEW {table} AS SELECT {blanks} FROM {csv}")
for table in ('zip', 'totals'):
    duckdb.sql(f"CREATE VIEW {table} AS SELECT * FROM read_csv('{table}.csv', header=true, all_varchar=true)")
answer = duckdb.sql(%r)
for row in answer.fetchall() if answer else []:
    print(*('' if value is None else value for value in row), sep='|')
"""

POLARS = """
import sys, polars as pl
from polars import col
def table(file, columns):
    names = {name: pl.String for name in columns}
    csv = pl.scan_csv(file, separator='|', has_header=False, quote_char=None, schema=names, encoding='utf8-lossy',
        truncate_ragged_lines=True)
    return csv.with_columns(pl.col(pl.String).fill_null(''))
tables = %r
%s = (table(*of) for of in tables.values())
zips, totals = (pl.scan_csv(f'{name}.csv', infer_schema=False) for name in ('zip', 'totals'))
amount = col('TRANSACTION_AMT').cast(pl.Decimal(18, 2), strict=False)
day = col('TRANSACTION_DT').str.to_date('%%m%%d%%Y', strict=False)
zip5 = col('ZIP_CODE').str.slice(0, 5)
answer = %s
for row in answer.collect(engine='streaming').iter_rows() if answer is not None else []:
    print(*('' if value is None else value for value in row), sep='|')
"""

GIFTS = f"TRANSACTION_TP IN {tuple(CONTRIBUTIONS)}"
GIVEN = f"col('TRANSACTION_TP').is_in({CONTRIBUTIONS})"
LINE = ", ".join(INDIV)
ZIP5 = "CASE WHEN length(ZIP_CODE) >= 5 THEN substr(ZIP_CODE, 1, 5) ELSE '' END"

# Of each task its number and name, the arguments of fecscan, a query for DuckDB, and an expression for Polars.
TASKS = {
    "1 Parquet": (
        "export -f parquet -o out.fecscan indiv18.txt",
        """COPY (SELECT * REPLACE (number(TRANSACTION_AMT) AS TRANSACTION_AMT, day(TRANSACTION_DT) AS TRANSACTION_DT,
        TRY_CAST(SUB_ID AS BIGINT) AS SUB_ID) FROM indiv) TO 'out.duckdb' (FORMAT parquet)""",
        """indiv.with_columns(amount, day, col('SUB_ID').cast(pl.Int64, strict=False)).sink_parquet('out.polars')""",
    ),
    "2 CSV for a database": (
        "export -f csv --types raw -o out.fecscan indiv18.txt",
        "COPY indiv TO 'out.duckdb' (FORMAT csv)",
        "indiv.sink_csv('out.polars')",
    ),
    "3 several cycles": (
        "by cycle,STATE indiv18.txt indiv20.txt",
        """SELECT cycle, STATE, count(*) FROM (SELECT 2018 AS cycle, STATE FROM indiv UNION ALL SELECT 2020, STATE FROM later)
        GROUP BY 1, 2""",
        """pl.concat([indiv.select('STATE', cycle=2018), later.select('STATE', cycle=2020)]).group_by('cycle', 'STATE').len()""",
    ),
    "4 by candidate, through the committee": (
        "by 'cm.CAND_ID, CAND_NAME' --sum amount --with cm.txt --with cn.txt indiv18.txt",
        """SELECT coalesce(cm.CAND_ID, ''), coalesce(CAND_NAME, ''), count(*), sum(number(TRANSACTION_AMT)) FROM indiv
        LEFT JOIN cm USING (CMTE_ID) LEFT JOIN cn ON cn.CAND_ID = cm.CAND_ID GROUP BY 1, 2""",
        """indiv.join(cm.select('CMTE_ID', 'CAND_ID'), on='CMTE_ID', how='left').join(cn.select('CAND_ID', 'CAND_NAME'),
        on='CAND_ID', how='left').group_by('CAND_ID', 'CAND_NAME').agg(pl.len(), amount.sum())""",
    ),
    "5 through every link": (
        """sql "SELECT CAND_ID, count(*), sum(amount) FROM indiv LEFT JOIN (SELECT DISTINCT CMTE_ID, CAND_ID FROM 'ccl.txt')
        USING (CMTE_ID) GROUP BY 1" indiv18.txt""",
        """SELECT coalesce(CAND_ID, ''), count(*), sum(number(TRANSACTION_AMT)) FROM indiv
        LEFT JOIN (SELECT DISTINCT CMTE_ID, CAND_ID FROM ccl) USING (CMTE_ID) GROUP BY 1""",
        """indiv.join(ccl.select('CMTE_ID', 'CAND_ID').unique(), on='CMTE_ID', how='left').group_by('CAND_ID').agg(pl.len(),
        amount.sum())""",
    ),
    "6 top donors of a candidate": (
        """by 'NAME, zip5(zip)' --sum amount --where "cm.CAND_ID = 'H8MD05900'" --with cm.txt --sort 'count DESC' --top 10
        indiv18.txt""",
        f"""SELECT NAME, {ZIP5}, count(*), sum(number(TRANSACTION_AMT)) FROM indiv JOIN cm USING (CMTE_ID)
        WHERE CAND_ID = 'H8MD05900' GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 10""",
        """indiv.join(cm.filter(col('CAND_ID') == 'H8MD05900').select('CMTE_ID'), on='CMTE_ID').group_by('NAME', zip5)
        .agg(pl.len(), amount.sum()).sort('len', 'NAME', 'ZIP_CODE', descending=[True, False, False]).head(10)""",
    ),
    "7 by county": (
        "by geo.county --sum amount --with geo=zip.csv --on zip5(zip)=geo.zip indiv18.txt",
        f"""SELECT coalesce(county, ''), count(*), sum(number(TRANSACTION_AMT)) FROM indiv
        LEFT JOIN zip ON zip.zip = {ZIP5} GROUP BY 1""",
        """indiv.with_columns(zip=zip5).join(zips, on='zip', how='left').group_by('county').agg(pl.len(), amount.sum())""",
    ),
    "8 employers, normalised": (
        "by upper(trim(EMPLOYER)) --top 10 indiv18.txt",
        "SELECT upper(trim(EMPLOYER)), count(*) FROM indiv GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10",
        """indiv.group_by(col('EMPLOYER').str.strip_chars().str.to_uppercase()).len().sort('len', 'EMPLOYER',
        descending=[True, False]).head(10)""",
    ),
    "9 by month": (
        """by "strftime(date, '%Y-%m')" --sum amount indiv18.txt""",
        """SELECT coalesce(strftime(day(TRANSACTION_DT), '%Y-%m'), ''), count(*), sum(number(TRANSACTION_AMT)) FROM indiv
        GROUP BY 1""",
        "indiv.group_by(day.dt.strftime('%Y-%m')).agg(pl.len(), amount.sum())",
    ),
    "10 by weekday": (
        "by isodow(date) indiv18.txt",
        "SELECT coalesce(isodow(day(TRANSACTION_DT))::VARCHAR, ''), count(*) FROM indiv GROUP BY 1",
        "indiv.group_by(day.dt.weekday()).len()",
    ),
    "11 repeat donors": (
        """sql "SELECT NAME, zip5(zip), count(*) FROM indiv GROUP BY 1, 2 HAVING count(*) >= 5 ORDER BY 3 DESC, 1, 2 LIMIT 10"
        indiv18.txt""",
        f"SELECT NAME, {ZIP5}, count(*) FROM indiv GROUP BY 1, 2 HAVING count(*) >= 5 ORDER BY 3 DESC, 1, 2 LIMIT 10",
        """indiv.group_by('NAME', zip5).len().filter(col('len') >= 5).sort('len', 'NAME', 'ZIP_CODE',
        descending=[True, False, False]).head(10)""",
    ),
    "12 most gifts in a day": (
        """sql "SELECT NAME, date, count(*) FROM indiv GROUP BY 1, 2 HAVING count(*) >= 2 ORDER BY 3 DESC, 1, date NULLS FIRST
        LIMIT 10" indiv18.txt""",
        """SELECT NAME, coalesce(day(TRANSACTION_DT)::VARCHAR, ''), count(*) FROM indiv GROUP BY 1, 2 HAVING count(*) >= 2
        ORDER BY 3 DESC, 1, 2 LIMIT 10""",
        """indiv.group_by('NAME', day.cast(pl.String).fill_null('')).len().filter(col('len') >= 2).sort('len', 'NAME',
        'TRANSACTION_DT', descending=[True, False, False]).head(10)""",
    ),
    "13 medians and percentiles": (
        "by STATE --agg 'median(amount), quantile_disc(amount, 0.9)' indiv18.txt",
        """SELECT STATE, count(*), median(number(TRANSACTION_AMT)), quantile_disc(number(TRANSACTION_AMT), 0.9) FROM indiv
        GROUP BY 1""",
        """indiv.group_by('STATE').agg(pl.len(), median=amount.median(), most=amount.sort().get(
        ((amount.count() * 0.9).ceil() - 1).cast(pl.Int64)))""",
    ),
    "14 size buckets": (
        """by "CASE WHEN amount < 200.01 THEN '<200.01' WHEN amount < 500 THEN '200.01 to <500' WHEN amount < 1000 THEN
        '500 to <1000' WHEN amount < 2000 THEN '1000 to <2000' WHEN amount IS NULL THEN '' ELSE '>=2000' END" --sum amount
        indiv18.txt""",
        """SELECT CASE WHEN number(TRANSACTION_AMT) < 200.01 THEN '<200.01' WHEN number(TRANSACTION_AMT) < 500 THEN
        '200.01 to <500' WHEN number(TRANSACTION_AMT) < 1000 THEN '500 to <1000' WHEN number(TRANSACTION_AMT) < 2000 THEN
        '1000 to <2000' WHEN number(TRANSACTION_AMT) IS NULL THEN '' ELSE '>=2000' END, count(*),
        sum(number(TRANSACTION_AMT)) FROM indiv GROUP BY 1""",
        """indiv.group_by(amount.cut([200.01, 500, 1000, 2000], left_closed=True,
        labels=['<200.01', '200.01 to <500', '500 to <1000', '1000 to <2000', '>=2000']).cast(pl.String)).agg(pl.len(),
        amount.sum().alias('sum'))""",
    ),
    "15 in-state money": (
        """by CAND_OFFICE_ST --sum amount --where "STATE = CAND_OFFICE_ST" --with cm.txt --with cn.txt indiv18.txt""",
        # In one FROM, DuckDB 2.0 joins rows and candidates by their states first, and needs more than 40 GB on the disk.
        """WITH offices AS MATERIALIZED (SELECT CMTE_ID, CAND_OFFICE_ST FROM cm JOIN cn ON cn.CAND_ID = cm.CAND_ID)
        SELECT CAND_OFFICE_ST, count(*), sum(number(TRANSACTION_AMT)) FROM indiv JOIN offices USING (CMTE_ID)
        WHERE STATE = CAND_OFFICE_ST AND STATE != '' GROUP BY 1""",
        """indiv.join(cm.select('CMTE_ID', 'CAND_ID'), on='CMTE_ID').join(cn.select('CAND_ID', 'CAND_OFFICE_ST'), on='CAND_ID')
        .filter(col('STATE') == col('CAND_OFFICE_ST'), col('STATE') != '').group_by('CAND_OFFICE_ST').agg(pl.len(),
        amount.sum())""",
    ),
    "16 small donors: totals beside rows": (
        """by cm.CAND_ID --sum amount --agg "max(w.total::DECIMAL)" --contributions --where "w.total IS NOT NULL" --with cm.txt
        --with w=totals.csv --on cm.CAND_ID=w.id indiv18.txt""",
        f"""SELECT cm.CAND_ID, count(*), sum(number(TRANSACTION_AMT)), max(number(total)) FROM indiv JOIN cm USING (CMTE_ID)
        JOIN totals ON totals.id = cm.CAND_ID WHERE {GIFTS} GROUP BY 1""",
        f"""indiv.filter({GIVEN}).join(cm.select('CMTE_ID', 'CAND_ID'), on='CMTE_ID').join(totals, left_on='CAND_ID',
        right_on='id').group_by('CAND_ID').agg(pl.len(), amount.sum(), col('total').cast(pl.Float64).max())""",
    ),
    "17 vendors and purposes": (
        "by NAME,PURPOSE --sum amount --sort 'count DESC' --top 10 oppexp.txt",
        """SELECT NAME, PURPOSE, count(*), sum(number(TRANSACTION_AMT)) FROM oppexp GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2
        LIMIT 10""",
        """oppexp.group_by('NAME', 'PURPOSE').agg(pl.len(), amount.sum()).sort('len', 'NAME', 'PURPOSE',
        descending=[True, False, False]).head(10)""",
    ),
    "18 for and against a candidate": (
        """by CAND_NAME,TRANSACTION_TP --sum amount --where "TRANSACTION_TP IN ('24A', '24E')" --with cn.txt itpas2.txt""",
        """SELECT coalesce(CAND_NAME, ''), TRANSACTION_TP, count(*), sum(number(TRANSACTION_AMT)) FROM pas2
        LEFT JOIN cn USING (CAND_ID) WHERE TRANSACTION_TP IN ('24A', '24E') GROUP BY 1, 2""",
        """pas2.filter(col('TRANSACTION_TP').is_in(['24A', '24E'])).join(cn.select('CAND_ID', 'CAND_NAME'), on='CAND_ID',
        how='left').group_by('CAND_NAME', 'TRANSACTION_TP').agg(pl.len(), amount.sum())""",
    ),
    "19 transfers, with both names": (
        """by 'cm.CMTE_NM, other.CMTE_NM AS other' --sum amount --where "other.CMTE_NM IS NOT NULL" --with cm.txt --with other=cm.txt --on
        OTHER_ID=other.CMTE_ID itoth.txt""",
        """SELECT cm.CMTE_NM, other.CMTE_NM, count(*), sum(number(TRANSACTION_AMT)) FROM oth JOIN cm USING (CMTE_ID)
        JOIN cm other ON other.CMTE_ID = OTHER_ID GROUP BY 1, 2""",
        """oth.join(cm.select('CMTE_ID', 'CMTE_NM'), on='CMTE_ID').join(cm.select(OTHER_ID='CMTE_ID', other='CMTE_NM'),
        on='OTHER_ID').group_by('CMTE_NM', 'other').agg(pl.len(), amount.sum())""",
    ),
    "20 what changed since last week": (
        "diff old.txt indiv18.txt",
        f"""SELECT count(*) FILTER (o.SUB_ID IS NULL), count(*) FILTER (n.SUB_ID IS NULL), count(*) FILTER (o.line != n.line),
        count(*) FILTER (o.line = n.line) FROM (SELECT SUB_ID, concat_ws('|', {LINE}) AS line FROM old) o
        FULL JOIN (SELECT SUB_ID, concat_ws('|', {LINE}) AS line FROM indiv) n USING (SUB_ID)""",
        """old.select('SUB_ID', line=pl.concat_str(pl.all(), separator='|')).join(indiv.select('SUB_ID',
        line=pl.concat_str(pl.all(), separator='|')), on='SUB_ID', how='full').select(
        added=col('line').is_null().sum(), gone=col('line_right').is_null().sum(),
        changed=(col('line') != col('line_right')).sum(), equal=(col('line') == col('line_right')).sum())""",
    ),
    "21 rows that occur twice": (
        "sql 'SELECT SUB_ID, count(*) FROM indiv GROUP BY 1 HAVING count(*) >= 2' indiv18.txt",
        "SELECT SUB_ID, count(*) FROM indiv GROUP BY 1 HAVING count(*) >= 2",
        "indiv.group_by('SUB_ID').len().filter(col('len') >= 2)",
    ),
    "22 a random sample": (
        "export --sample 1000 -f csv --types raw -o out.fecscan indiv18.txt",
        "COPY (FROM indiv USING SAMPLE 1000) TO 'out.duckdb' (FORMAT csv)",
        "pl.LazyFrame(indiv.collect(engine='streaming').sample(1000)).sink_csv('out.polars')",
    ),
    "23 rows by name, amount, date": (
        """export --where "NAME ~ '^SMITH.*MARY' AND amount >= 500 AND date >= '2017-06-01'" --columns NAME,STATE,amount
        indiv18.txt""",
        """SELECT NAME, STATE, TRANSACTION_AMT FROM indiv WHERE regexp_matches(NAME, '^SMITH.*MARY') AND
        number(TRANSACTION_AMT) >= 500 AND day(TRANSACTION_DT) >= '2017-06-01'""",
        """indiv.filter(col('NAME').str.contains('^SMITH.*MARY'), amount >= 500, day >= pl.date(2017, 6, 1)).select('NAME',
        'STATE', 'TRANSACTION_AMT')""",
    ),
    "24 who gave to several": (
        """sql "SELECT NAME, count(*), count(DISTINCT CMTE_ID) FROM indiv WHERE CMTE_ID IN ('C00990137', 'C00990184', 'C00990016')
        GROUP BY 1 HAVING count(DISTINCT CMTE_ID) >= 2" indiv18.txt""",
        """SELECT NAME, count(*), count(DISTINCT CMTE_ID) FROM indiv WHERE CMTE_ID IN ('C00990137', 'C00990184', 'C00990016')
        GROUP BY 1 HAVING count(DISTINCT CMTE_ID) >= 2""",
        """indiv.filter(col('CMTE_ID').is_in(['C00990137', 'C00990184', 'C00990016'])).group_by('NAME').agg(pl.len(),
        several=col('CMTE_ID').n_unique()).filter(col('several') >= 2)""",
    ),
}


def make_files(fecscan, folder, rows):
    for file, arguments in FILES.values():
        if not (folder / file).exists():
            arguments = arguments.format(rows=rows, tenth=max(rows // 10, 1000)).split()
            subprocess.run([fecscan, "generate", *arguments, "-o", folder / file], check=True)
    # Of a hundred rows, the older version lacks one, has another amount in one, and has one that is gone.
    if not (folder / "old.txt").exists():
        with (folder / "indiv18.txt").open("rb") as new, (folder / "old.txt").open("wb") as old:
            for number, line in enumerate(new):
                if number % 100 == 0:
                    continue
                columns = line.rstrip(b"\n").split(b"|")
                if number % 100 == 1:
                    columns[14] = b"9" + columns[14]
                    line = b"|".join(columns) + b"\n"
                old.write(line)
                if number % 100 == 2:
                    old.write(b"|".join([*columns[:20], b"1" + columns[20]]) + b"\n")
    (folder / "zip.csv").write_text(
        "zip,county\n" + "".join(f"{number:05},county {number // 40}\n" for number in range(0, 100_000, 2))
    )
    candidates = sorted({line.split("|")[0] for line in (folder / "cn.txt").read_text("latin-1").splitlines()})
    (folder / "totals.csv").write_text(
        "id,total\n" + "".join(f"{candidate},{number * 37}.50\n" for number, candidate in enumerate(candidates))
    )


def normal(value):
    """A value as all programs write it: numbers with two decimals."""
    value = value.strip()
    try:
        return f"{float(value):.2f}" if len(value) < 16 else value
    except ValueError:
        return value


def answer_of(task, name, text):
    """The rows of an answer, in any order; of a file its size in rows and columns."""
    if "-o out." in TASKS[task][0]:
        file = f"out.{name.lower()}"
        if "parquet" in TASKS[task][0]:
            import duckdb

            sums = "count(*), sum(TRANSACTION_AMT), count(TRANSACTION_DT), sum(SUB_ID % 1000)"
            rows = duckdb.sql(f"SELECT {sums} FROM read_parquet('{file}')").fetchall()
            return [tuple(normal(str(value)) for value in row) for row in rows]
        with open(file, newline="", encoding="latin-1") as rows:
            return [sum(1 for _ in csv.reader(rows))]
    if name != "fecscan":
        rows = [line.split("|") for line in text.splitlines()]
    elif task.startswith("20"):
        rows = [[line.split()[2].replace(",", "") for line in text.splitlines() if line[0] in "+-~="]]
    else:
        rows = list(csv.reader(text.splitlines()))[1:]
    return sorted(tuple(map(normal, row)) for row in rows)


def arms_of(task, fecscan):
    asked, sql, polars = TASKS[task]
    arguments = shlex.split(asked)
    if arguments[0] in ("by", "sql", "export") and "-f" not in arguments:
        arguments += ["-f", "csv"]
    tables = {name: (FILES[name][0] if name in FILES else "old.txt", columns) for name, columns in COLUMNS.items()}
    return {
        "fecscan": [fecscan, *arguments],
        "DuckDB": [sys.executable, "-c", DUCKDB % (tables, sql)],
        "Polars": [sys.executable, "-c", POLARS % (tables, ", ".join(tables), f"({polars})")],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=18_245_416)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fecscan", type=Path, default=ROOT / "target/release/fecscan")
    parser.add_argument("--only", type=lambda text: text.split(","))
    options = parser.parse_args()
    fecscan = str(options.fecscan.resolve())
    options.folder.mkdir(exist_ok=True)
    make_files(fecscan, options.folder.resolve(), options.rows)
    os.chdir(options.folder)
    print("| task | fecscan, s | R | MB | DuckDB, s | MB | ratio | Polars, s | MB | ratio |\n|" + "---|" * 10)
    for task in TASKS:
        if options.only and task.split()[0] not in options.only:
            continue
        arms = arms_of(task, fecscan)
        answers = {name: answer_of(task, name, run(command)[0]) for name, command in arms.items()}
        for name, answer in answers.items():
            if answer != answers["fecscan"]:
                apart = sorted(set(answer) ^ set(answers["fecscan"]), key=str)[:6]
                sys.exit(f"{task}: {name} answers {len(answer)} rows, fecscan {len(answers['fecscan'])}: {apart}")
        arms["R"] = [fecscan, "indiv18.txt"]
        seconds, memory = {name: [] for name in arms}, dict.fromkeys(arms, 0)
        for turn in range(options.rounds):
            for name in list(arms) if turn % 2 == 0 else list(arms)[::-1]:
                _, taken, most = run(arms[name])
                seconds[name].append(taken)
                memory[name] = max(memory[name], most)
        ratio = {name: statistics.median(b / a for a, b in zip(seconds["fecscan"], seconds[name])) for name in arms}
        cells = [f"{statistics.median(seconds['fecscan']):.2f}", f"{1 / ratio['R']:.2f}", memory["fecscan"]]
        for name in ("DuckDB", "Polars"):
            cells += [f"{statistics.median(seconds[name]):.1f}", memory[name], f"{ratio[name]:.0f}"]
        print("|", task, "|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main()
