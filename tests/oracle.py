#!/usr/bin/env python3
"""Works the report out slowly and independently, and prints it as `fecscan -f json` does.

    tests/oracle.py [--name I,I,...] [--top N] [--month-column IMAGE_NUM|TRANSACTION_DT] FILE...

Reads plain files only. docs/dialect.md has the meanings of lines, columns, months and first names. Bytes that are not UTF-8 are
decoded as Windows-1252.
"""
import argparse
import collections
import json
import re

SPACE = b" \t\n\r\x0b\x0c"
FIRST_NAME = re.compile(rb", \s*([^, ]+)")


def text(raw):
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(bytes([b]).decode("cp1252", "replace") for b in raw)


def month_of(columns, column):
    if column == "IMAGE_NUM":
        digits = columns[4].strip(SPACE)[:6] if len(columns) > 4 else b""
        return digits.decode() if re.fullmatch(rb"[0-9]{6}", digits) else None
    date = columns[13].strip(SPACE) if len(columns) > 13 else b""
    if not re.fullmatch(rb"[0-9]{8}", date):
        return None
    return (date[4:8] + date[0:2]).decode()


def report(paths, wanted=(0, 432, 43243), top=1, month_column="IMAGE_NUM"):
    files, names = [], {}
    months, firsts = collections.Counter(), collections.Counter()
    lines = no_month = no_first = 0
    for path in paths:
        with open(path, "rb") as handle:
            data = handle.read()
        rows = data.split(b"\n")
        if rows[-1] == b"":
            rows.pop()
        files.append({"path": path, "bytes": len(data), "lines": len(rows)})
        for row in rows:
            columns = row[:-1].split(b"|") if row.endswith(b"\r") else row.split(b"|")
            name = columns[7].strip(SPACE) if len(columns) > 7 else None
            if lines in wanted:
                names[lines] = name
            month = month_of(columns, month_column)
            if month is None:
                no_month += 1
            else:
                months[month] += 1
            match = FIRST_NAME.search(name) if name is not None else None
            if match is None:
                no_first += 1
            else:
                firsts[match.group(1)] += 1
            lines += 1
    ranked = sorted(firsts.items(), key=lambda item: (-item[1], item[0]))[:top]
    return {
        "files": files,
        "lines": lines,
        "names": [{"index": i, "name": None if names.get(i) is None else text(names[i])} for i in wanted],
        "month_column": month_column,
        "months": [{"month": f"{m[:4]}-{m[4:]}", "lines": n} for m, n in sorted(months.items())],
        "lines_without_month": no_month,
        "first_names": [{"first_name": text(f), "lines": n} for f, n in ranked],
        "distinct_first_names": len(firsts),
        "lines_without_first_name": no_first,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", default="0,432,43243")
    parser.add_argument("--top", type=int, default=1)
    parser.add_argument("--month-column", default="IMAGE_NUM")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    wanted = tuple(int(i) for i in arguments.name.split(","))
    print(json.dumps(report(arguments.files, wanted, arguments.top, arguments.month_column), ensure_ascii=False))
