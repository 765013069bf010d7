"""The questions of compare.py in the words of other programs, which print the sentences of the challenge."""

MAWK_MONTHS = r"""
{ months[substr($5, 1, 6)]++ }
END {
    for (month in months) {
        for (at = count++; at > 0 && sorted[at - 1] > month; at--) sorted[at] = sorted[at - 1]
        sorted[at] = month
    }
    for (at = 0; at < count; at++)
        printf "Donations per month and year: %s-%s and donation count: %d\n", \
            substr(sorted[at], 1, 4), substr(sorted[at], 5), months[sorted[at]]
}
"""

MAWK_REPORT = (
    r"""
{
    name = $8
    sub(/^ +/, "", name); sub(/ +$/, "", name)
    if (NR == 1 || NR == 433 || NR == 43244) names[NR] = name
    if (match(name, /, +[^, ]+/)) {
        first = substr(name, RSTART + 2, RLENGTH - 2)
        sub(/^ +/, "", first)
        firsts[first]++
    }
}
function print_name(number) {
    printf "Name: %s at index: %d\n", (number in names) ? names[number] : "null", number - 1
}
END {
    print_name(1); print_name(433); print_name(43244)
    printf "Total file line count: %d\n", NR
}
"""
    + MAWK_MONTHS
    + r"""
END {
    for (first in firsts)
        if (firsts[first] > most || firsts[first] == most && first < best) { most = firsts[first]; best = first }
    printf "The most common first name is: %s and it occurs: %d times.\n", best, most
}
"""
)

SENTENCES = r"""
def print_names(names):
    for index, name in zip([0, 432, 43243], names):
        print(f"Name: {'null' if name is None else name} at index: {index}")

def print_lines(lines):
    print(f"Total file line count: {lines}")

def print_months(months):
    for month, lines in sorted(months):
        print(f"Donations per month and year: {month[:4]}-{month[4:]} and donation count: {lines}")

def print_first_name(first_name, lines):
    print(f"The most common first name is: {first_name} and it occurs: {lines} times.")
"""

# Column names are given so that nothing must be guessed from the first lines.
DUCKDB = r"""
import sys, duckdb
names = {f"column{number:02}": "VARCHAR" for number in range(1, 22)}
csv = f"read_csv('{sys.argv[1]}', delim='|', header=false, quote='', escape='', auto_detect=false, columns={names})"
query = duckdb.sql
# It would be drawn on standard output.
query("SET enable_progress_bar = false")
"""
DUCKDB_LINES = DUCKDB + r"""
print(query(f"SELECT count(*) FROM {csv}").fetchall()[0][0])
"""
DUCKDB_MONTHS = SENTENCES + DUCKDB + r"""
print_months(query(f"SELECT substr(column05, 1, 6), count(*) FROM {csv} GROUP BY ALL").fetchall())
"""
DUCKDB_STATES = DUCKDB + r"""
for state, lines in query(f"SELECT column10, count(*) FROM {csv} GROUP BY ALL").fetchall():
    print(f"{state or ''},{lines}")
"""
DUCKDB_REPORT = SENTENCES + DUCKDB + r"""
def name_at(line):
    found = query(f"SELECT coalesce(trim(column08), '') FROM {csv} LIMIT 1 OFFSET {line}").fetchall()
    return found[0][0] if found else None

print_names([name_at(line) for line in (0, 432, 43243)])
# All counts in one pass.
counts = query(f'''
    WITH entries AS (
        SELECT substr(column05, 1, 6) AS month, regexp_extract(trim(column08), ', \\s*([^, ]+)', 1) AS first_name
        FROM {csv})
    SELECT grouping(month, first_name), month, first_name, count(*) FROM entries
    GROUP BY GROUPING SETS ((month), (first_name), ())
''').fetchall()
print_lines(next(lines for of, _, _, lines in counts if of == 3))
print_months((month, lines) for of, month, _, lines in counts if of == 1)
firsts = ((first, lines) for of, _, first, lines in counts if of == 2 and first)
print_first_name(*min(firsts, key=lambda entry: (-entry[1], entry[0].encode())))
"""

POLARS = r"""
import sys, polars as pl
names = {f"column{number:02}": pl.String for number in range(1, 22)}
csv = pl.scan_csv(sys.argv[1], separator='|', has_header=False, quote_char=None, schema=names, encoding='utf8-lossy')
month = pl.col('column05').str.slice(0, 6).alias('month')
"""
POLARS_LINES = POLARS + r"""
print(csv.select(pl.len()).collect().item())
"""
POLARS_MONTHS = SENTENCES + POLARS + r"""
print_months(csv.group_by(month).len().collect().iter_rows())
"""
POLARS_STATES = POLARS + r"""
for state, lines in csv.group_by('column10').len().collect().iter_rows():
    print(f"{state or ''},{lines}")
"""
POLARS_REPORT = SENTENCES + POLARS + r"""
name = pl.col('column08').str.strip_chars()
first_name = name.str.extract(r', \s*([^, ]+)', 1).alias('first_name')
lines, months, first_names, *names = pl.collect_all([
    csv.select(pl.len()),
    csv.group_by(month).len(),
    csv.group_by(first_name).len().drop_nulls(),
    *(csv.slice(line, 1).select(name) for line in (0, 432, 43243)),
])
print_names([frame.item() if frame.height else None for frame in names])
print_lines(lines.item())
print_months(months.iter_rows())
print_first_name(*min(first_names.iter_rows(), key=lambda entry: (-entry[1], entry[0].encode())))
"""
