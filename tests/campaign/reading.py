"""Results as Python's own modules, and pyarrow where it is installed, read them."""
import csv
import io
import itertools
import json

from needs import have
from slow import decoded, typed


def difference(form, out, names, expected):
    """Returns the first difference between a table that was written in a format and the expected rows of bytes."""
    try:
        found_names, rows = READERS[form](out)
    except (ValueError, csv.Error) as problem:
        return f"can't be read: {problem}"
    if form in ("parquet", "arrow"):
        expected = [[typed(name, value) for name, value in zip(names, values)] for values in expected]
    elif form in ("ndjson", "json"):
        expected = [[value if value is None else decoded(value) for value in values] for values in expected]
    else:
        expected = [[value or b"" for value in values] for values in expected]
    # A list of objects without any has no names.
    if found_names is not None and names and found_names != names:
        return f"columns {found_names}"
    for nth, (found, right) in enumerate(itertools.zip_longest(rows, expected)):
        if found != right:
            return f"row {nth}: {found} instead of {right}"
    return None


def of_objects(objects):
    keys = list(objects[0]) if objects else None
    if any(list(found) != keys for found in objects):
        raise ValueError("keys differ")
    return keys, [list(found.values()) for found in objects]


def number(text):
    """Keeps a number as it is written."""
    return text


def read_ndjson(out):
    lines = out.decode().split("\n")
    if lines.pop() != "":
        raise ValueError("the last line does not end")
    return of_objects([json.loads(line, parse_int=number, parse_float=number) for line in lines])


def read_json(out):
    return of_objects(json.loads(out.decode(), parse_int=number, parse_float=number))


def read_csv(out):
    # Latin-1 has a character for each byte.
    rows = csv.reader(io.StringIO(out.decode("latin-1"), newline=""), strict=True)
    names, *rows = [[value.encode("latin-1") for value in values] for values in rows]
    return [name.decode() for name in names], rows


def read_tsv(out):
    names, *rows = [line.split(b"\t") for line in out.removesuffix(b"\n").split(b"\n")]
    return [name.decode() for name in names], [[unescaped(value) for value in values] for values in rows]


def unescaped(value):
    meanings = {ord("t"): 9, ord("n"): 10, ord("r"): 13, ord("\\"): 92}
    found, bytes_left = bytearray(), iter(value)
    for byte in bytes_left:
        if byte == ord("\\"):
            escape = next(bytes_left, None)
            if escape not in meanings:
                raise ValueError(f"no such escape in {value}")
            byte = meanings[escape]
        found.append(byte)
    return bytes(found)


def read_parquet(out):
    import pyarrow.parquet
    return of_table(pyarrow.parquet.read_table(io.BytesIO(out)))


def read_arrow(out):
    import pyarrow.ipc
    return of_table(pyarrow.ipc.open_stream(out).read_all())


def read_rows(form, out):
    """Returns the rows of a file or stream that may be cut, as far as it can be read. Without pyarrow, there are none."""
    if not have("pyarrow"):
        return []
    import pyarrow
    import pyarrow.ipc
    import pyarrow.parquet
    rows = []
    try:
        if form == "parquet":
            return pyarrow.parquet.read_table(io.BytesIO(out)).to_pylist()
        with pyarrow.ipc.open_stream(out) as batches:
            for batch in batches:
                rows += batch.to_pylist()
    except (pyarrow.ArrowInvalid, OSError):
        # A Parquet file without its end has no rows, and a stream has those of its whole batches.
        pass
    return rows


def of_table(table):
    return table.column_names, [list(values) for values in zip(*table.to_pydict().values())]


READERS = {"ndjson": read_ndjson, "json": read_json, "csv": read_csv, "tsv": read_tsv, "parquet": read_parquet,
           "arrow": read_arrow}
