#!/usr/bin/env python3
"""Writes the FEC's bulk files of all ten schemas with random rows, plain and packed as the FEC packs them, and prints the answers to
questions about each. The rows are split by Python, and packed by its zipfile: fecscan has no part in it.

tests/bulk_files.py FOLDER SEED
"""

import gzip
import json
import random
import sys
import zipfile
from decimal import Decimal
from pathlib import Path

COMMITTEES = ["C00990001", "C00990002", "C00990003"]
CANDIDATES = ["H8CA00001", "S0NY00002", "P80000003", "H6AL01048"]
STATES = ["CA", "NY", "TX", "", "ZZ"]
INDIV = (
    "CMTE_ID AMNDT_IND RPT_TP TRANSACTION_PGI IMAGE_NUM TRANSACTION_TP ENTITY_TP NAME CITY STATE ZIP_CODE EMPLOYER OCCUPATION "
    "TRANSACTION_DT TRANSACTION_AMT OTHER_ID TRAN_ID FILE_NUM MEMO_CD MEMO_TEXT SUB_ID"
).split()
WEB = (
    "CAND_ID CAND_NAME CAND_ICI PTY_CD CAND_PTY_AFFILIATION TTL_RECEIPTS TRANS_FROM_AUTH TTL_DISB TRANS_TO_AUTH COH_BOP COH_COP "
    "CAND_CONTRIB CAND_LOANS OTHER_LOANS CAND_LOAN_REPAY OTHER_LOAN_REPAY DEBTS_OWED_BY TTL_INDIV_CONTRIB CAND_OFFICE_ST "
    "CAND_OFFICE_DISTRICT SPEC_ELECTION PRIM_ELECTION RUN_ELECTION GEN_ELECTION GEN_ELECTION_PRECENT OTHER_POL_CMTE_CONTRIB "
    "POL_PTY_CONTRIB CVG_END_DT INDIV_REFUNDS CMTE_REFUNDS"
).split()
# The name of the archive, the member with and without a year, the columns, the key, and the amount.
SCHEMAS = {
    "indiv": ("itcont.txt", INDIV, "STATE", "TRANSACTION_AMT"),
    "oth": ("itoth.txt", INDIV, "STATE", "TRANSACTION_AMT"),
    "pas2": ("itpas2.txt", INDIV[:16] + ["CAND_ID"] + INDIV[16:], "STATE", "TRANSACTION_AMT"),
    "cm": (
        "cm.txt",
        "CMTE_ID CMTE_NM TRES_NM CMTE_ST1 CMTE_ST2 CMTE_CITY CMTE_ST CMTE_ZIP CMTE_DSGN CMTE_TP CMTE_PTY_AFFILIATION "
        "CMTE_FILING_FREQ ORG_TP CONNECTED_ORG_NM CAND_ID".split(),
        "CMTE_ST",
        None,
    ),
    "cn": (
        "cn.txt",
        "CAND_ID CAND_NAME CAND_PTY_AFFILIATION CAND_ELECTION_YR CAND_OFFICE_ST CAND_OFFICE CAND_OFFICE_DISTRICT CAND_ICI "
        "CAND_STATUS CAND_PCC CAND_ST1 CAND_ST2 CAND_CITY CAND_ST CAND_ZIP".split(),
        "CAND_OFFICE_ST",
        None,
    ),
    "ccl": ("ccl.txt", "CAND_ID CAND_ELECTION_YR FEC_ELECTION_YR CMTE_ID CMTE_TP CMTE_DSGN LINKAGE_ID".split(), "CMTE_ID", None),
    "oppexp": (
        "oppexp.txt",
        "CMTE_ID AMNDT_IND RPT_YR RPT_TP IMAGE_NUM LINE_NUM FORM_TP_CD SCHED_TP_CD NAME CITY STATE ZIP_CODE TRANSACTION_DT "
        "TRANSACTION_AMT TRANSACTION_PGI PURPOSE CATEGORY CATEGORY_DESC MEMO_CD MEMO_TEXT ENTITY_TP SUB_ID FILE_NUM TRAN_ID "
        "BACK_REF_TRAN_ID".split(),
        "STATE",
        "TRANSACTION_AMT",
    ),
    "weball": ("weball18.txt", WEB, "CAND_OFFICE_ST", "TTL_RECEIPTS"),
    "webl": ("webl18.txt", WEB, "CAND_OFFICE_ST", "TTL_RECEIPTS"),
    "webk": (
        "webk18.txt",
        "CMTE_ID CMTE_NM CMTE_TP CMTE_DSGN CMTE_FILING_FREQ TTL_RECEIPTS TRANS_FROM_AFF INDV_CONTRIB OTHER_POL_CMTE_CONTRIB "
        "CAND_CONTRIB CAND_LOANS TTL_LOANS_RECEIVED TTL_DISB TRANF_TO_AFF INDV_REFUNDS OTHER_POL_CMTE_REFUNDS CAND_LOAN_REPAY "
        "LOAN_REPAY COH_BOP COH_COP DEBTS_OWED_BY NONFED_TRANS_RECEIVED CONTRIB_TO_OTHER_CMTE IND_EXP PTY_COORD_EXP "
        "NONFED_SHARE_EXP CVG_END_DT".split(),
        "CMTE_TP",
        "TTL_RECEIPTS",
    ),
}


def value(draw: random.Random, schema: str, column: str, number: int) -> str:
    slashes = schema in ("oppexp", "weball", "webl", "webk")
    if column == "CMTE_ID":
        return draw.choice(COMMITTEES)
    if column == "CAND_ID":
        return draw.choice(CANDIDATES if schema in ("cn", "ccl", "weball", "webl") else [*CANDIDATES, ""])
    if column in ("STATE", "CMTE_ST", "CAND_OFFICE_ST", "CAND_ST"):
        return draw.choice(STATES)
    if column in ("TRANSACTION_AMT", "TTL_RECEIPTS", "TTL_DISB", "COH_COP"):
        return draw.choice(["0", "5", "250", "-40", "1000.5", "12.34", str(draw.randrange(10**6))])
    if column in ("TRANSACTION_DT", "CVG_END_DT"):
        return draw.choice(["12/31/2018", "01/02/2017", ""] if slashes else ["12312018", "01022017", ""])
    if column == "ENTITY_TP":
        return {"indiv": "IND", "oth": draw.choice(["COM", "PAC", "ORG"])}.get(schema, draw.choice(["ORG", "COM"]))
    if column == "CMTE_TP":
        return draw.choice("QNHSP")
    if column == "SUB_ID":
        return str(4000000000000000000 + number)
    if column == "MEMO_TEXT":
        return draw.choice(["", '"UNCLOSED', "A, B", "C:\\x", "#1"])
    return draw.choice(["", "X", "A B", column[:3]])


def text_of(draw: random.Random, schema: str) -> tuple[list[list[str]], list[bytes]]:
    columns = SCHEMAS[schema][1]
    rows = [[value(draw, schema, column, nth) for column in columns] for nth in range(draw.choice([1, 2, 7, 40]))]
    end = "|" if schema == "oppexp" else ""
    return rows, [("|".join(row) + end).encode() + b"\n" for row in rows]


def packings(draw: random.Random, folder: Path, schema: str, lines: list[bytes]):
    """Writes a file for each way to pack the lines, and yields the options that read it, and its path."""
    member = SCHEMAS[schema][0]
    whole = b"".join(lines)
    bare = draw.random() < 0.3
    if bare:
        whole = whole[:-1]
    folder.mkdir()
    for name, text in [(member, whole), (member.upper(), whole.replace(b"\n", b"\r\n")), (f"{schema}18.txt", whole)]:
        place = folder / f"{len(list(folder.iterdir()))}"
        place.mkdir()
        (place / name).write_bytes(text)
        yield [], place / name
    (folder / f"{member}.gz").write_bytes(gzip.compress(whole))
    yield [], folder / f"{member}.gz"

    def archive(name: str, members: list[tuple[str, bytes]]) -> Path:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        method = draw.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
        with zipfile.ZipFile(path, "w", method) as out:
            for member_name, text in members:
                out.writestr(member_name, text)
        return path

    metadata = b"\0\x05\x16\x07\0\x02\0\0Mac OS X        \0\x02\0\0\0\n\0|\n"
    cut = draw.randrange(len(lines) + 1)
    end = len(b"".join(lines[:cut]))
    first, second = whole[:end], whole[end:]
    stem = member.removesuffix(".txt")
    slices = [(f"by_date/{stem}_2018_1.txt", first), (f"by_date/{stem}_2018_2.txt", second)]
    yield [], archive(f"{schema}18.zip", [(member, whole)])
    yield [], archive(f"a/{schema}18.zip", [(member, whole), *slices])
    yield ["--slices"], archive(f"b/{schema}18.zip", [*slices, (member, whole)])
    yield [], archive(f"c/{schema}18.zip", [(f"._{member}", metadata), (member, whole), (f"__MACOSX/._{member}", metadata)])
    yield ["--member", f"*{member}"], archive(
        f"d/{schema}18.zip", [(f"{schema}18/", b""), (f"{schema}18/{member}", whole), (f"__MACOSX/{schema}18/._{member}", metadata)]
    )
    yield [], archive(f"e/{schema}18.zip", [(member.upper(), whole)])


def answers(schema: str, rows: list[list[str]]) -> dict:
    _, columns, key, amount = SCHEMAS[schema]
    at = columns.index(key)
    groups: dict[str, list] = {}
    for row in rows:
        group = groups.setdefault(row[at], [0, Decimal(0)])
        group[0] += 1
        if amount:
            group[1] += Decimal(row[columns.index(amount)])
    lines = [",".join([name, str(count), *([f"{total:.2f}"] if amount else [])]) for name, (count, total) in groups.items()]
    wanted = rows[0][at]
    return {
        "key": key,
        "amount": amount,
        "groups": sorted(lines),
        "value": wanted,
        "with_value": sum(row[at] == wanted for row in rows),
        "rows": [dict(zip(columns, row)) for row in rows],
        "width": len(columns) + (schema == "oppexp"),
    }


def main() -> None:
    folder, seed = Path(sys.argv[1]), int(sys.argv[2])
    draw = random.Random(seed)
    found = []
    for schema in SCHEMAS:
        rows, lines = text_of(draw, schema)
        answer = answers(schema, rows)
        for options, path in packings(draw, folder / schema, schema, lines):
            newlines = len(rows) - (not unpacked_ends_with_newline(path))
            found.append({"schema": schema, "path": str(path), "options": options, "newlines": newlines, **answer})
    json.dump(found, sys.stdout)


def unpacked_ends_with_newline(path: Path) -> bool:
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes()).endswith(b"\n")
    if path.suffix != ".zip":
        return path.read_bytes().endswith(b"\n")
    with zipfile.ZipFile(path) as members:
        name = next(name for name in members.namelist() if not name.endswith("/") and "._" not in name and "by_date" not in name)
        return members.read(name).endswith(b"\n")


if __name__ == "__main__":
    main()
