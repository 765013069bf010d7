#!/usr/bin/env python3
"""Twenty questions to fecscan and its peers: equal answers, and times in the same rounds.

    cargo build --release && cargo build --release --manifest-path benches/peers/Cargo.toml
    benches/peers/peers.py FOLDER [--rows 18245416] [--rounds 5] [--only name,stations] [--markdown]

Generates its files in the folder, unless they are there. Peers are csveee with folds written by hand (src/main.rs), DuckDB,
Polars and chdb of the Python that runs it, and xan and mawk if they are on the PATH. The design by the letter
(examples/by_the_letter.rs) and challenge.go answer the report, if they are built. A missing peer is left out, with a note.
Every program answers before it is timed, and an answer that differs is an error. Times are those of whole processes with
their default threads, each program once a round. R is the report in the same rounds. FileHugePages tells how much of the
page cache is in pages of 2 MB.
"""

import argparse
import csv
import importlib.util
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from rounds import CONTRIBUTIONS, INDIV, ROOT, run  # noqa: E402

DUCKDB = """
import duckdb
duckdb.sql("SET enable_progress_bar = false")
def table(file, delimiter, header, names):
    names = {name: 'VARCHAR' for name in names}
    return (f"read_csv('{file}', delim='{delimiter}', header={header}, quote='', escape='', auto_detect=false, columns={names})")
query = %r
for name, of in %r.items():
    query = query.replace('{' + name + '}', table(*of))
answer = duckdb.sql(query)
for row in answer.fetchall() if answer else []:
    print(*('' if value is None else value for value in row), sep='|')
"""

CHDB = """
import chdb
def table(file, delimiter, header, names):
    form = 'TSVRawWithNames' if header else 'CSV'
    types = ', '.join(f'{name} String' for name in names)
    return f"file('{file}', '{form}', '{types}')"
query = %r
tables = %r
for name, of in tables.items():
    query = query.replace('{' + name + '}', table(*of))
settings = (f" SETTINGS format_csv_delimiter = '{tables[next(iter(tables))][1]}', format_csv_allow_double_quotes = 0, "
    "format_csv_allow_single_quotes = 0, input_format_csv_empty_as_default = 0, group_by_use_nulls = 0, "
    "optimize_count_from_files = 0")
text = str(chdb.query(query + settings, 'TSVRaw'))
print(text.replace(chr(9), '|').replace('\\\\N', ''), end='')
"""

POLARS = """
import polars as pl
from polars import col
def table(file, delimiter, header, names):
    csv = pl.scan_csv(file, separator=delimiter, has_header=header, quote_char=None, schema={name: pl.String for name in names},
        encoding='utf8-lossy')
    return csv.with_columns(pl.col(pl.String).fill_null(''))
tables = {name: table(*of) for name, of in %r.items()}
globals().update(tables)
amount = col('TRANSACTION_AMT').cast(pl.Decimal(18, 2), strict=False)
day = col('TRANSACTION_DT').str.to_date('%%m%%d%%Y', strict=False)
zip5 = col('ZIP_CODE').str.slice(0, 5)
first_name = col('NAME').str.extract(r', \\s*([^, ]+)').fill_null('')
answer = %s
for row in answer.collect(engine='streaming').iter_rows() if answer is not None else []:
    print(*('' if value is None else value for value in row), sep='|')
"""

CM = """CMTE_ID CMTE_NM TRES_NM CMTE_ST1 CMTE_ST2 CMTE_CITY CMTE_ST CMTE_ZIP CMTE_DSGN CMTE_TP CMTE_PTY_AFFILIATION
CMTE_FILING_FREQ ORG_TP CONNECTED_ORG_NM CAND_ID""".split()
LINE = """orderkey partkey suppkey linenumber quantity price discount tax returned status shipped committed received instruct mode
comment""".split()

# The files of the questions: name, delimiter, header, names of columns.
TABLES = {
    "indiv": ("indiv18.txt", "|", False, INDIV),
    "cm": ("cm.txt", "|", False, CM),
    "stations": ("stations.txt", ";", False, ["station", "degrees"]),
    "lineitem": ("lineitem.tbl", "|", False, [*LINE, "nothing"]),
    "tabs": ("lineitem.tsv", "\t", True, LINE),
}

# What the dialects of SQL say in their own words.
WORDS = {
    "DuckDB": {
        "amount": "TRY_CAST(TRANSACTION_AMT AS DECIMAL(18, 2))",
        "number": "CAST({} AS DECIMAL(18, 2))",
        "month": "coalesce(strftime(TRY_CAST(TRY_STRPTIME(TRANSACTION_DT, '%m%d%Y') AS DATE), '%Y-%m'), '')",
        "first": r"regexp_extract(NAME, ', \s*([^, ]+)', 1)",
        "google": "EMPLOYER ILIKE '%google%'",
        "median": "median(TRY_CAST(TRANSACTION_AMT AS DECIMAL(18, 2)))",
        "copy": "COPY (SELECT {columns} FROM {{indiv}}) TO '{file}' ({format})",
        "distinct": "count(DISTINCT NAME)",
        "empty": "coalesce({}, '')",
    },
    "chdb": {
        "amount": "toDecimal64OrNull(TRANSACTION_AMT, 2)",
        "number": "toDecimal64({}, 2)",
        "month": """ifNull(formatDateTime(parseDateTimeOrNull(TRANSACTION_DT, '%m%d%Y'), '%Y-%m'), '')""",
        "first": r"extract(NAME, ', \\s*([^, ]+)')",
        "google": "EMPLOYER ILIKE '%google%'",
        "median": "quantileExactInclusive(0.5)(toFloat64OrNull(TRANSACTION_AMT))",
        "copy": "SELECT {columns} FROM {{indiv}} INTO OUTFILE '{file}' TRUNCATE FORMAT {format}",
        "distinct": "uniqExact(NAME)",
        "empty": "{}",
    },
}

# Of each question: the tables that it reads, the arguments of fecscan, a query, and an expression for Polars. A word of the
# dialect is in brackets.
QUESTIONS = {
    "count": ("indiv", "count indiv18.txt", "SELECT count(*) FROM {indiv}", "indiv.select(pl.len())"),
    "report": (
        "indiv",
        "-f json --name 0 indiv18.txt",
        """SELECT CASE WHEN coalesce(month, '') = '' THEN first ELSE month END, n FROM (SELECT month, first, count(*) AS n FROM (SELECT
        substr(IMAGE_NUM, 1, 4) || '-' || substr(IMAGE_NUM, 5, 2) AS month, [first] AS first FROM {indiv})
        GROUP BY GROUPING SETS ((month), (first)))""",
        """pl.concat([indiv.group_by((col('IMAGE_NUM').str.slice(0, 4) + '-' + col('IMAGE_NUM').str.slice(4, 2)).alias('key'))
        .len(), indiv.group_by(first_name.alias('key')).len().filter(col('key') != '').top_k(1, by='len')])""",
    ),
    "state": (
        "indiv",
        "by STATE indiv18.txt",
        "SELECT STATE, count(*) FROM {indiv} GROUP BY 1",
        "indiv.group_by('STATE').len()",
    ),
    "state_sum": (
        "indiv",
        "by STATE --sum amount indiv18.txt",
        "SELECT STATE, count(*), sum([amount]) FROM {indiv} GROUP BY 1",
        "indiv.group_by('STATE').agg(pl.len(), amount.sum())",
    ),
    "contributions": (
        "indiv",
        "by STATE --sum amount --contributions indiv18.txt",
        f"SELECT STATE, count(*), sum([amount]) FROM {{indiv}} WHERE TRANSACTION_TP IN {tuple(CONTRIBUTIONS)} GROUP BY 1",
        f"indiv.filter(col('TRANSACTION_TP').is_in({CONTRIBUTIONS})).group_by('STATE').agg(pl.len(), amount.sum())",
    ),
    "month_sum": (
        "indiv",
        """by "strftime(date, '%Y-%m')" --sum amount indiv18.txt""",
        "SELECT [month], count(*), sum([amount]) FROM {indiv} GROUP BY 1",
        "indiv.group_by(day.dt.strftime('%Y-%m').fill_null('')).agg(pl.len(), amount.sum())",
    ),
    "name": (
        "indiv",
        "by NAME --top 10 indiv18.txt",
        "SELECT NAME, count(*) FROM {indiv} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10",
        "indiv.group_by('NAME').len().sort('len', 'NAME', descending=[True, False]).head(10)",
    ),
    "donors": (
        "indiv",
        "by 'NAME, zip5(zip)' --top 10 indiv18.txt",
        """SELECT NAME, CASE WHEN length(ZIP_CODE) >= 5 THEN substr(ZIP_CODE, 1, 5) ELSE '' END, count(*) FROM {indiv} GROUP BY 1, 2
        ORDER BY 3 DESC, 1, 2 LIMIT 10""",
        """indiv.group_by('NAME', zip5).len().sort('len', 'NAME', 'ZIP_CODE', descending=[True, False, False]).head(10)""",
    ),
    "work": (
        "indiv",
        "by EMPLOYER,OCCUPATION --top 10 indiv18.txt",
        "SELECT EMPLOYER, OCCUPATION, count(*) FROM {indiv} GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 10",
        """indiv.group_by('EMPLOYER', 'OCCUPATION').len().sort('len', 'EMPLOYER', 'OCCUPATION',
        descending=[True, False, False]).head(10)""",
    ),
    "first_name": (
        "indiv",
        "by first_name(NAME) --top 10 indiv18.txt",
        "SELECT [first], count(*) FROM {indiv} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10",
        "indiv.group_by(first_name.alias('first')).len().sort('len', 'first', descending=[True, False]).head(10)",
    ),
    "distinct": (
        "indiv",
        "by STATE --agg 'count(DISTINCT NAME)' indiv18.txt",
        "SELECT STATE, count(*), [distinct] FROM {indiv} GROUP BY 1",
        "indiv.group_by('STATE').agg(pl.len(), col('NAME').n_unique())",
    ),
    "median": (
        "indiv",
        "by STATE --agg median(amount) indiv18.txt",
        "SELECT STATE, count(*), [median] FROM {indiv} GROUP BY 1",
        "indiv.group_by('STATE').agg(pl.len(), amount.median())",
    ),
    "buckets": (
        "indiv",
        """by "CASE WHEN amount < 200.01 THEN '<200.01' WHEN amount < 500 THEN '200.01 to <500' WHEN amount < 1000 THEN
        '500 to <1000' WHEN amount < 2000 THEN '1000 to <2000' WHEN amount IS NULL THEN '' ELSE '>=2000' END" --sum amount
        indiv18.txt""",
        """SELECT CASE WHEN [amount] < 200.01 THEN '<200.01' WHEN [amount] < 500 THEN '200.01 to <500' WHEN [amount] < 1000 THEN
        '500 to <1000' WHEN [amount] < 2000 THEN '1000 to <2000' WHEN [amount] IS NULL THEN '' ELSE '>=2000' END, count(*),
        sum([amount]) FROM {indiv} GROUP BY 1""",
        """indiv.group_by(amount.cut([200.01, 500, 1000, 2000], left_closed=True, labels=['<200.01', '200.01 to <500',
        '500 to <1000', '1000 to <2000', '>=2000']).cast(pl.String)).agg(pl.len(), amount.sum().alias('sum'))""",
    ),
    "state_ca": (
        "indiv",
        """count --where "STATE = 'CA'" indiv18.txt""",
        "SELECT count(*) FROM {indiv} WHERE STATE = 'CA'",
        "indiv.filter(col('STATE') == 'CA').select(pl.len())",
    ),
    "large": (
        "indiv",
        """count --where "amount >= 1000" indiv18.txt""",
        "SELECT count(*) FROM {indiv} WHERE [amount] >= 1000",
        "indiv.filter(amount >= 1000).select(pl.len())",
    ),
    "google": (
        "indiv",
        """count --where "employer ILIKE '%google%'" indiv18.txt""",
        "SELECT count(*) FROM {indiv} WHERE [google]",
        "indiv.filter(col('EMPLOYER').str.contains('(?i)google')).select(pl.len())",
    ),
    "committees": (
        "indiv cm",
        "by CMTE_ID,CMTE_NM --sum amount --with cm.txt indiv18.txt",
        """SELECT CMTE_ID, [CMTE_NM], n, total FROM (SELECT CMTE_ID, count(*) AS n, sum([amount]) AS total FROM {indiv} GROUP BY 1) AS
        sums LEFT JOIN (SELECT CMTE_ID, CMTE_NM FROM {cm}) AS names USING (CMTE_ID)""",
        """indiv.group_by('CMTE_ID').agg(pl.len(), amount.sum()).join(cm.select('CMTE_ID', 'CMTE_NM'), on='CMTE_ID', how='left')
        .select('CMTE_ID', col('CMTE_NM').fill_null(''), 'len', 'TRANSACTION_AMT')""",
    ),
    "csv": (
        "indiv",
        "export -f csv --types raw --columns NAME,STATE,date,amount -o out.fecscan indiv18.txt",
        "[copy] NAME,STATE,TRANSACTION_DT,TRANSACTION_AMT csv,HEADER_false CSV",
        "indiv.select('NAME', 'STATE', 'TRANSACTION_DT', 'TRANSACTION_AMT').sink_csv('out.Polars', include_header=False)",
    ),
    "ndjson": (
        "indiv",
        "export -f ndjson -o out.fecscan indiv18.txt",
        "[copy] * json JSONEachRow",
        "indiv.sink_ndjson('out.Polars')",
    ),
    "parquet": (
        "indiv",
        "export -f parquet --types raw -o out.fecscan indiv18.txt",
        "[copy] * parquet Parquet",
        "indiv.sink_parquet('out.Polars')",
    ),
    "stations": (
        "stations",
        "by #1 --delimiter ; --types #2=number --agg 'min(#2), avg(#2), max(#2)' stations.txt",
        "SELECT station, count(*), min([degrees]), avg([degrees]), max([degrees]) FROM {stations} GROUP BY 1",
        """stations.with_columns(col('degrees').cast(pl.Decimal(18, 2))).group_by('station').agg(pl.len(),
        min=col('degrees').min(), mean=col('degrees').cast(pl.Float64).mean(), max=col('degrees').max())""",
    ),
    "lineitem": (
        "lineitem",
        "by #9,#10 --delimiter pipe --types #6=number --sum #6 lineitem.tbl",
        "SELECT returned, status, count(*), sum([price]) FROM {lineitem} GROUP BY 1, 2",
        "lineitem.group_by('returned', 'status').agg(pl.len(), col('price').cast(pl.Decimal(18, 2)).sum())",
    ),
    "tabs": (
        "tabs",
        "by mode --delimiter tab --header --types price=number --sum price lineitem.tsv",
        "SELECT mode, count(*), sum([price]) FROM {tabs} GROUP BY 1",
        "tabs.group_by('mode').agg(pl.len(), col('price').cast(pl.Decimal(18, 2)).sum())",
    ),
}

# Makes rows with pipes of CSV without quotes.
BARS = "| tr , '|'"

# The same in the words of other programs, where they have them.
OTHERS = {
    "count": {"mawk": ["mawk", "END { print NR }", "indiv18.txt"], "wc": ["wc", "-l", "indiv18.txt"]},
    "state": {
        "mawk": ["mawk", "-F|", r'{ n[$10]++ } END { for (k in n) printf "%s|%d\n", k, n[k] }', "indiv18.txt"],
        # By itself, xan takes quotes for those of CSV, and loses rows. With -p, it takes the first row for names.
        "xan": ["sh", "-c", f"xan input --no-quoting -d '|' indiv18.txt | xan groupby -n 9 'count() as n' {BARS}"],
    },
    "stations": {
        "xan": ["sh", "-c", f"xan groupby -n -d ';' 0 'count() as n, min(col(1)), mean(col(1)), max(col(1))' stations.txt {BARS}"],
    },
    "report": {"Go": [str(ROOT / "benches/peers/target/challenge"), "indiv18.txt"]},
}

# csveee answers these; a CSV or a file of Parquet it does not write.
NOT_OF_CSVEEE = ("csv", "ndjson", "parquet")


def query_of(question, dialect):
    """A question in a dialect of SQL."""
    words, query = WORDS[dialect], QUESTIONS[question][2]
    if query.startswith("[copy]"):
        _, columns, duckdb, clickhouse = query.split()
        form = duckdb if dialect == "DuckDB" else clickhouse
        form = f"FORMAT {form.replace('_', ' ')}" if dialect == "DuckDB" else form
        return words["copy"].format(columns=columns, file=f"out.{dialect}", format=form)
    for word in ("amount", "month", "first", "google", "median", "distinct"):
        query = query.replace(f"[{word}]", words[word])
    for column in ("degrees", "price"):
        query = query.replace(f"[{column}]", words["number"].format(column))
    query = query.replace("[CMTE_NM]", words["empty"].format("CMTE_NM"))
    return query


def arms_of(question, options):
    """The commands of all programs that answer a question."""
    names, asked, _, polars = QUESTIONS[question]
    tables = {name: TABLES[name] for name in names.split()}
    arguments = shlex.split(asked)
    if arguments[0] == "by":
        arguments += ["-f", "csv"]
    python = [sys.executable, "-c"]
    arms = {
        "fecscan": [options.fecscan, *arguments],
        "csveee": [options.csveee, question, tables[names.split()[0]][0]],
        "DuckDB": [*python, DUCKDB % (query_of(question, "DuckDB"), tables)],
        "Polars": [*python, POLARS % (tables, f"({polars})")],
        "chdb": [*python, CHDB % (query_of(question, "chdb"), tables)],
    }
    if question in NOT_OF_CSVEEE:
        del arms["csveee"]
    if question == "report":
        arms["by the letter"] = [options.letter, "indiv18.txt"]
    return arms | OTHERS.get(question, {})


def is_there(name, command):
    module = {"DuckDB": "duckdb", "Polars": "polars", "chdb": "chdb"}.get(name)
    return importlib.util.find_spec(module) if module else shutil.which("xan" if name == "xan" else command[0])


def normal(value):
    """A value as all programs write it: numbers with two decimals."""
    try:
        return value if value.isdigit() and len(value) > 15 else f"{float(value):.2f}"
    except ValueError:
        return value


def answer_of(question, name, text):
    """The rows of an answer, in any order; of a file the number of its rows."""
    if question in NOT_OF_CSVEEE:
        return rows_of_file(question, f"out.{name}")
    if question == "report":
        return report_of(name, text)
    if question in ("count", "state_ca", "large", "google"):
        return text.split()[0]
    if name == "fecscan":
        rows = list(csv.reader(text.splitlines()))[1:]
    else:
        rows = [line.split("|") for line in text.splitlines()]
    if question in ("distinct", "median") and name != "csveee":
        rows = [[row[0], row[2]] for row in rows]
    return sorted(tuple(map(normal, row)) for row in rows)


def are_same(answer, other):
    """Compares answers. Means of floats may differ from exact ones where these are rounded."""
    if answer == other or not isinstance(answer, list) or len(answer) != len(other):
        return answer == other
    pairs = [pair for row, of_other in zip(answer, other) for pair in zip(row, of_other) if pair[0] != pair[1]]
    try:
        return all(abs(float(one) - float(two)) < 0.0101 for one, two in pairs)
    except ValueError:
        return False


def rows_of_file(question, file):
    if question == "parquet":
        import duckdb

        return duckdb.sql(f"SELECT count(*), count(DISTINCT STATE), max(SUB_ID) FROM read_parquet('{file}')").fetchall()
    with open(file, "rb") as lines:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: lines.read(1 << 24), b"")) - (file == "out.fecscan" and question == "csv")


def report_of(name, text):
    """Months, and the most common first name."""
    if name == "fecscan":
        report = json.loads(text)
        months = [(month["month"], month["lines"]) for month in report["months"]]
        return sorted([*months, *((first["first_name"], first["lines"]) for first in report["first_names"])])
    if name == "by the letter":
        lines = [line.split() for line in text.splitlines()]
        months = [(line[5], int(line[-1])) for line in lines if line[0] == "Donations"]
        return sorted([*months, *((line[6], int(line[-2])) for line in lines if line[:3] == ["The", "most", "common"])])
    rows = [line.rsplit("|", 1) for line in text.splitlines()]
    rows = [(key, int(lines)) for key, lines in rows if key not in ("lines", "")]
    months = [row for row in rows if row[0][:2] == "20"]
    return sorted([*months, max((row for row in rows if row[0][:2] != "20"), key=lambda row: row[1])])


def make_files(options):
    """Generates what is missing."""
    generate = lambda file, *arguments: (  # noqa: E731
        Path(file).exists() or subprocess.run([options.fecscan, "generate", *arguments, "-o", file], check=True)
    )
    generate("indiv18.txt", "--rows", str(options.rows))
    generate("cm.txt", "--schema", "cm", "--rows", "10000")
    import polars as pl

    if not Path("stations.txt").exists():
        # As many stations as the challenge has, with names as long as those of towns: 3 to 12 bytes, and a few of 20.
        stations = [f"{number * 7919 % 100_003:03x}" + "burg" * (number % 3) + " on the river" * (number % 25 == 7) for number in range(413)]
        with open("stations.txt", "wb") as file:
            for part in range(100):
                rows = options.stations // 100
                number = pl.int_range(rows, eager=True).hash(part)
                degrees = (number // 413 % 1999).cast(pl.Int64) - 999
                text = (degrees / 10).round(1).cast(pl.String)
                names = pl.Series(stations).gather((number % 413).cast(pl.UInt32))
                pl.DataFrame([names.alias("a"), text.alias("b")]).write_csv(file, separator=";", include_header=False, quote_style="never")
    if not Path("lineitem.tbl").exists():
        rows = options.lines
        hashed = lambda seed, below: pl.int_range(rows, eager=True).hash(seed) % below  # noqa: E731
        of = lambda seed, values: pl.Series(values).gather(hashed(seed, len(values)).cast(pl.UInt32))  # noqa: E731
        day = lambda seed: (pl.lit("199") + pl.lit(hashed(seed, 9)).cast(pl.String) + "-0" + pl.lit(hashed(seed + 1, 9) + 1).cast(pl.String) + "-1" + pl.lit(hashed(seed + 2, 9)).cast(pl.String))  # noqa: E731
        cents = lambda seed, below: pl.lit(hashed(seed, below).cast(pl.Int64) / 100).round(2)  # noqa: E731
        frame = pl.select(
            pl.int_range(rows) // 4 + 1, pl.lit(hashed(1, 200_000)).alias("b"), pl.lit(hashed(2, 10_000)).alias("c"),
            (pl.int_range(rows) % 4 + 1).alias("d"), pl.lit(hashed(3, 50) + 1).alias("e"), cents(4, 10_000_000).alias("f"),
            cents(5, 11).alias("g"), cents(6, 9).alias("h"), pl.lit(of(7, ["A", "N", "R"])).alias("i"), pl.lit(of(8, ["F", "O"])).alias("j"),
            day(9).alias("k"), day(12).alias("l"), day(15).alias("m"),
            pl.lit(of(18, ["DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"])).alias("n"),
            pl.lit(of(19, ["AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"])).alias("o"),
            pl.lit(of(20, ["carefully final deposits", "quickly", "furiously regular ideas sleep", "blithely even"])).alias("p"),
        )  # fmt: skip
        frame.columns = LINE
        frame.write_csv("lineitem.tsv", separator="\t", float_precision=2, quote_style="never")
        frame.with_columns(pl.lit("").alias("q")).write_csv("lineitem.tbl", separator="|", float_precision=2, include_header=False, quote_style="never")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=18_245_416)
    parser.add_argument("--stations", type=int, default=100_000_000)
    parser.add_argument("--lines", type=int, default=12_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--fecscan", default=str(ROOT / "target/release/fecscan"))
    parser.add_argument("--csveee", default=str(ROOT / "benches/peers/target/release/fecscan-peers"))
    parser.add_argument("--letter", default=str(ROOT / "target/release/examples/by_the_letter"))
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(QUESTIONS))
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    os.chdir(options.folder)
    make_files(options)
    huge = [line.split()[1] for line in open("/proc/meminfo") if line.startswith("FileHugePages")]
    print(f"FileHugePages {int(huge[0]) / 1e6:.1f} GB" if huge else "no FileHugePages", file=sys.stderr)
    peers = ["csveee", "DuckDB", "Polars", "chdb", "others"]
    print("| question | fecscan, s | R |", " | ".join(peers), "|\n|---|" + "---:|" * (2 + len(peers)))
    for question in options.only:
        arms = arms_of(question, options)
        for name in [name for name, command in arms.items() if not is_there(name, command)]:
            print(f"{question}: {name} is not there and left out", file=sys.stderr)
            del arms[name]
        answers = {name: answer_of(question, name, run(command)[0]) for name, command in arms.items()}
        for name, answer in answers.items():
            if not are_same(answer, answers["fecscan"]):
                sys.exit(f"{question}: {name} and fecscan differ: {str(answer)[:300]} and {str(answers['fecscan'])[:300]}")
        arms["R"] = [options.fecscan, "indiv18.txt"]
        seconds = {name: [] for name in arms}
        for turn in range(options.rounds):
            for name in list(arms) if turn % 2 == 0 else list(arms)[::-1]:
                seconds[name].append(run(arms[name])[1])
        ratio = {name: statistics.median(b / a for a, b in zip(seconds["fecscan"], seconds[name])) for name in arms}
        cells = [f"{statistics.median(seconds['fecscan']):.3f}", f"{1 / ratio.pop('R'):.2f}"]
        ratio.pop("fecscan")
        cells += [f"{ratio.pop(name):.1f}" if name in ratio else "" for name in peers[:-1]]
        cells.append(", ".join(f"{name} {times:.1f}" for name, times in ratio.items()))
        print("|", " ".join(QUESTIONS[question][1].split()).replace("|", "\\|"), "|", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
