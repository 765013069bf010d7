"""Joined files: the FEC's, by their own keys, and a table of one's own with some values of a column as its keys."""
from dataclasses import dataclass

# The FEC's files that can be joined, their keys, and the files whose rows have these; others lead to cn through cm or ccl.
KEYS = {"cm": ("CMTE_ID", ("indiv", "oth", "pas2", "oppexp", "ccl")), "ccl": ("CMTE_ID", ("indiv", "oth", "pas2", "oppexp", "cm")),
        "cn": ("CAND_ID", ("pas2", "cm", "ccl"))}
THROUGH = ("indiv", "oth", "oppexp")
# Characters of keys that would need quotes in the table, or that blanks around a value would hide.
AWKWARD = b"\",;|\t\r\x00\x0b\x0c\x1b"


@dataclass(frozen=True)
class Table:
    """A joined file. `leads` is the place of the column of the rows by which they find it; none for the FEC's own keys."""
    name: str
    path: str
    columns: tuple
    rows: tuple
    key: int
    leads: int = None
    delimiter: bytes = b"|"


def draw_tables(rng, schema, columns, pools, lines, own, untyped, delimiter):
    """Returns the files that questions may join. `columns` and `pools` are those of all schemas, `own` the columns of the rows."""
    values_at = lambda place: sorted({cells[place] for line in lines[:300] if len(cells := line.removesuffix(b"\r").split(delimiter)) > place})
    found, candidates = [], []
    for name, (key, leading) in KEYS.items():
        if schema not in leading and not (name == "cn" and schema in THROUGH and candidates):
            continue
        own_values = candidates
        if schema in leading:
            own_values = [value for value in values_at(place_of(columns[schema], key)) if value]
        target = place_of(columns[name], key)
        rows = []
        for _ in range(rng.randrange(12)):
            cells = [rng.choice(pools[name][column.name] or [b""]) for column in columns[name]]
            if own_values and rng.random() < 0.7:
                cells[target] = rng.choice(own_values)
            rows.extend([tuple(cells)] * rng.choice((1, 1, 1, 1, 2)))
        if rows:
            found.append(Table(name, f"{name}.txt", columns[name], tuple(rows), target))
        if name != "cn":
            candidates = candidates + [row[place_of(columns[name], "CAND_ID")] for row in rows]
    place = rng.randrange(len(own))
    values = [value.strip() for value in values_at(place)]
    values = [value for value in values if value and not set(value) & set(AWKWARD) and value[:1] not in b"'="]
    if values:
        letters = [b"x", b"y", b"zz", b"5", b"-2.50", b"2018-01-31", b"a b"]
        rows = [(rng.choice(values), rng.choice(letters), b"%d" % rng.randrange(50)) for _ in range(rng.randrange(1, 10))]
        found.append(Table("t", "t.csv", tuple(map(untyped, ("code", "label", "size"))), tuple(rows), 0, place, b","))
    return tuple(found)


def place_of(columns, name):
    return [column.name for column in columns].index(name)
