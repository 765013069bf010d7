"""Slow answers: what docs/dialect.md and the help say in words, in a few lines of Python."""
import datetime
import decimal
import math
import re
from collections import Counter

WHITE = b" \t\n\x0b\x0c\r"
COLUMNS = {
    "data.txt": "CMTE_ID AMNDT_IND RPT_TP TRANSACTION_PGI IMAGE_NUM TRANSACTION_TP ENTITY_TP NAME CITY STATE ZIP_CODE EMPLOYER"
    " OCCUPATION TRANSACTION_DT TRANSACTION_AMT OTHER_ID TRAN_ID FILE_NUM MEMO_CD MEMO_TEXT SUB_ID".split(),
    "cm.txt": "CMTE_ID CMTE_NM TRES_NM CMTE_ST1 CMTE_ST2 CMTE_CITY CMTE_ST CMTE_ZIP CMTE_DSGN CMTE_TP CMTE_PTY_AFFILIATION"
    " CMTE_FILING_FREQ ORG_TP CONNECTED_ORG_NM CAND_ID".split(),
    "cn.txt": "CAND_ID CAND_NAME CAND_PTY_AFFILIATION CAND_ELECTION_YR CAND_OFFICE_ST CAND_OFFICE CAND_OFFICE_DISTRICT CAND_ICI"
    " CAND_STATUS CAND_PCC CAND_ST1 CAND_ST2 CAND_CITY CAND_ST CAND_ZIP".split(),
}
INDIV = COLUMNS["data.txt"]
AMOUNT, DATE = "TRANSACTION_AMT", "TRANSACTION_DT"
CONTRIBUTIONS = set(b"10 10J 11 11J 15 15E 15J 30 30E 30J 30T 31 31E 31J 31T 32 32E 32J 32T".split())
# What Windows-1252 leaves undefined.
UNDEFINED = {byte: "\ufffd" for byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D)}


def lines_of(content, start=0, end=None):
    """Returns the lines that begin at `start` or after, and before `end`."""
    found, place = [], 0
    for line in content.split(b"\n"):
        if start <= place and (end is None or place < end) and place < len(content):
            found.append(line.removesuffix(b"\r"))
        place += len(line) + 1
    return found


def rows_of(content, columns=INDIV, start=0, end=None):
    """Returns each line as a dictionary; columns that the line lacks are empty."""
    empty = dict.fromkeys(columns, b"")
    return [{**empty, **dict(zip(columns, line.split(b"|")))} for line in lines_of(content, start, end)]


def joined(rows, tables):
    """Adds the columns of committees and candidates. Each row of an identifier counts, and empty ones are equal, as
    in SQL; columns without one are None."""
    committees, candidates = {}, {}
    for found, name, key in ((committees, "cm.txt", "CMTE_ID"), (candidates, "cn.txt", "CAND_ID")):
        for row in rows_of(tables.get(name, b""), COLUMNS[name]):
            found.setdefault(row[key], []).append(row)
    none = {name: [dict.fromkeys(COLUMNS[name])] for name in ("cm.txt", "cn.txt")}
    for row in rows:
        for committee in committees.get(row["CMTE_ID"], none["cm.txt"]):
            for candidate in candidates.get(committee["CAND_ID"], none["cn.txt"]):
                yield {**candidate, **committee, **row}


def hundredths(cell):
    number = cell.strip(WHITE)
    if not re.fullmatch(rb"[+-]?(\d+(\.\d{0,2})?|\.\d{1,2})", number):
        return None
    return int(decimal.Decimal(number.decode()) * 100)


def dollars(number):
    return b"%s%d.%02d" % (b"-" if number < 0 else b"", abs(number) // 100, abs(number) % 100)


def with_dashes(cell):
    """Returns a date without white space. A day YYYYMMDD, whose first two digits are no month, becomes YYYY-MM-DD."""
    date = cell.strip(WHITE)
    found = re.fullmatch(rb"(\d{4})(\d\d)(\d\d)", date)
    try:
        if found and date[:2] > b"12" and datetime.date(*map(int, found.groups())):
            return b"-".join(found.groups())
    except ValueError:
        pass
    return date


def day(cell):
    date = with_dashes(cell)
    if found := re.fullmatch(rb"(\d{4})-(\d\d)-(\d\d)", date):
        date = found[2] + found[3] + found[1]
    found = re.fullmatch(rb"(\d\d)(/?)(\d\d)\2(\d{4})", date)
    try:
        return datetime.date(int(found[4]), int(found[1]), int(found[3])) if found else None
    except ValueError:
        return None


def month(cell):
    found = day(cell)
    return b"%04d-%02d" % (found.year, found.month) if found else None


def first_name(cell):
    found = re.search(rb", [ \t\n\x0b\x0c\r]*([^, ]+)", cell.strip(WHITE))
    return found[1] if found else b""


def total(numbers):
    return dollars(sum(numbers)) if numbers else None


def column(name, of=lambda cell: cell):
    return lambda row: of(row[name])


def amount(cell):
    """Returns the hundredths of an amount, which has fourteen digits at most."""
    number = hundredths(cell)
    return None if number is None or abs(number) >= 10 ** 14 else number


def numbers(rows):
    return [number for row in rows if (number := amount(row[AMOUNT])) is not None]


def days(rows):
    return [found for row in rows if (found := day(row[DATE])) is not None]


def distinct(rows, name):
    return b"%d" % len({row[name] for row in rows} - {None})


def groups(rows, keys, aggregates=(), top=None, by_sum=False):
    """Returns keys, count and aggregates of each group, in the order of the answer: by the first aggregate, if that is asked for, else by
    the count."""
    found = {}
    for row in rows:
        found.setdefault(tuple(key(row) for key in keys), []).append(row)
    def rank(members):
        if not by_sum:
            return -len(members)
        value = aggregates[0](members)
        return math.inf if value is None else -decimal.Decimal(value.decode() if isinstance(value, bytes) else value)
    ordered = sorted(found.items(), key=lambda group: (rank(group[1]), [(key is None, key or b"") for key in group[0]]))[:top]
    return [[*key, b"%d" % len(members), *(aggregate(members) for aggregate in aggregates)] for key, members in ordered]


def report(content, start=0, end=None, top=4, names=(), column_of_months="IMAGE_NUM"):
    """Returns the answer as its JSON has it, without the files."""
    lines = lines_of(content, start, end)
    cells = [line.split(b"|") for line in lines]
    rows = rows_of(content, INDIV, start, end)
    months = Counter(b"%s-%s" % (found[1], found[2]) for row in rows
                     if (found := re.match(rb"(\d{4})(\d\d)", row["IMAGE_NUM"].strip(WHITE))))
    if column_of_months == DATE:
        dates = (row[DATE].strip(WHITE) for row in rows)
        months = Counter(b"%s-%s" % (date[4:], date[:2]) for date in dates if re.fullmatch(rb"\d{8}", date))
    firsts = Counter(filter(None, (first_name(row["NAME"]) for row in rows)))
    most = sorted(firsts.items(), key=lambda first: (-first[1], first[0]))[:top]
    named = lambda nth: decoded(cells[nth][7].strip(WHITE)) if nth < len(cells) and len(cells[nth]) > 7 else None
    return {
        "lines": len(lines),
        "names": [{"index": nth, "name": named(nth)} for nth in names],
        "month_column": column_of_months,
        "months": [{"month": name.decode(), "lines": count} for name, count in sorted(months.items())],
        "lines_without_month": len(lines) - sum(months.values()),
        "first_names": [{"first_name": decoded(name), "lines": count} for name, count in most],
        "distinct_first_names": len(firsts),
        "lines_without_first_name": len(lines) - sum(firsts.values()),
    }


def typed(name, cell):
    """Returns the value that a typed column has: none for what is no such value, or beyond its type."""
    if name == AMOUNT:
        number = amount(cell)
        return None if number is None else decimal.Decimal(number) / 100
    if name == DATE:
        return day(cell)
    if name in ("FILE_NUM", "SUB_ID"):
        found = re.fullmatch(rb"[+-]?\d+", cell.strip(WHITE))
        return int(found[0]) if found and -(2 ** 63) <= int(found[0]) < 2 ** 63 else None
    return None if cell is None else decoded(cell)


def decoded(cell):
    """Returns UTF-8 as it is, and other bytes as Windows-1252."""
    try:
        return cell.decode()
    except UnicodeDecodeError:
        return "".join(UNDEFINED.get(byte) or bytes([byte]).decode("cp1252") for byte in cell)
