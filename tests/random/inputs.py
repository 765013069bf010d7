"""Writes the files of a data set."""
import gzip
import os
import zipfile

import pyarrow


def write(folder, data):
    for file in data.files:
        path = os.path.join(folder, file.path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_file(path, file)
    for table in data.tables:
        with open(os.path.join(folder, table.path), "wb") as out:
            out.write(content_of_table(table))
    if data.old is not None:
        # Named so that the old version tells the same schema.
        header = [data.files[0].members[0].lines[0]] if data.header else []
        os.makedirs(os.path.join(folder, "old"), exist_ok=True)
        with open(os.path.join(folder, old_path(data)), "wb") as out:
            out.write(b"".join(line + b"\n" for line in [*header, *data.old]))


def old_path(data):
    names = {"indiv": "itcont", "oth": "itoth", "pas2": "itpas2"}
    return f"old/{names.get(data.schema, data.schema or 'rows')}.txt"


def content_of_table(table):
    rows = list(table.rows)
    if table.leads is not None:
        rows.insert(0, tuple(column.name.encode() for column in table.columns))
    return b"".join(table.delimiter.join(row) + b"\n" for row in rows)


def write_file(path, file):
    whole = b"".join(member.content for member in file.members)
    if file.form in ("zip", "slices"):
        write_archive(path, file)
        return
    with open(path, "wb") as out:
        if file.form == "gz":
            whole = gzip.compress(whole, 1)
        if file.form == "zst":
            whole = zstd(whole)
        out.write(whole)


def zstd(content):
    out = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(out, "zstd") as stream:
        stream.write(content)
    return out.getvalue().to_pybytes()


def write_archive(path, file):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member in file.members:
            archive.writestr(member.name, member.content)
        if file.form == "slices":
            for name, content in slices_of(file.members[0]):
                archive.writestr(name, content.translate(OTHER_DIGITS) if file.slices_differ else content)
        for name, content in file.clutter:
            archive.writestr(name, content)


OTHER_DIGITS = bytes.maketrans(b"123", b"456")


def slices_of(member):
    """Returns the rows of a member again, cut by date as the FEC cuts them."""
    lines = member.content.splitlines(keepends=True) if b"\r" not in member.content else [member.content]
    third = len(lines) // 3 + 1
    stem = member.name.removesuffix(".txt")
    pieces = [b"".join(lines[start:start + third]) for start in range(0, len(lines), third)]
    return [(f"by_date/{stem}_2018010{nth + 1}_2018010{nth + 2}.txt", piece) for nth, piece in enumerate(pieces)]
