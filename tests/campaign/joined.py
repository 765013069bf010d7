"""Row 23: joined files that are damaged, cut, missing, of another kind, empty, too large, or have double or empty identifiers."""
import os

from compressed import gzip
from questions import Folder, questions, without_notes
from trial import ERROR, OTHER, RIGHT, WRONG, outcome

FAULTS = ("whole", "double", "empty identifiers", "short rows", "no rows", "shuffled", "cut", "damaged", "missing", "folder",
          "other kind", "gzip", "gzip, cut", "gzip, damaged", "random bytes")


def joined_files(program, row, work, trials):
    """Every question with joined files, one of which is spoiled: the slow answer to the file as it is, or an error that names it."""
    folder = Folder(program, os.path.join(work, "joined"), 300)
    whole = dict(folder.contents)
    chance = row.chance()
    asked = [question for question in questions() if len(question.inputs) > 1 and question.check and not question.parts_of
             and question.command != "diff" and question.form not in ("parquet", "arrow")]
    for _ in range(row.count(trials)):
        question, fault = chance.choice(asked), chance.choice(FAULTS)
        name = chance.choice(question.inputs[:-1])
        # The name of the file tells its kind, so other rows have empty columns.
        content = whole["data.txt"] if fault == "other kind" else spoiled(fault, whole[name], chance)
        path = folder.at(name)
        os.remove(path)
        written = content
        if fault == "folder":
            os.mkdir(path)
        elif fault.startswith("gzip"):
            written = bytearray(gzip(whole[name]))
            if fault == "gzip, cut":
                del written[chance.randrange(4, len(written)):]
            elif fault == "gzip, damaged":
                written[chance.randrange(10, len(written))] ^= 1 << chance.randrange(8)
        if written is not None and fault != "folder":
            folder.write(name, written)
        status, out, err = folder.run(question)
        if fault == "folder":
            os.rmdir(path)
        folder.write(name, whole[name])
        what = f"{question}: {name} {fault}: {status} {out[:200]} {err[:400]}"
        if status in (0, 1):
            # The joined file is read as it is, a damaged one too, unless it can't be.
            wrong = question.check(out, {**whole, name: content}) if content is not None else "an answer"
            row.add(WRONG if wrong else RIGHT, f"{what}: {wrong}")
        else:
            said = without_notes(err, b"")
            kind = outcome((status, out, said), set(), statuses=())
            row.add(kind if kind != ERROR or name.encode() in said else OTHER, what)


def spoiled(fault, content, chance):
    """Returns the rows that the joined file has after a fault; none where it can't be read."""
    lines = content.splitlines(keepends=True)
    if fault in ("missing", "folder", "gzip, cut"):
        return None
    if fault == "double":
        # A later row has the identifier of an earlier one.
        one, other = chance.choice(lines), chance.choice(lines)
        lines.append(one.split(b"|", 1)[0] + b"|" + other.split(b"|", 1)[1])
    elif fault == "empty identifiers":
        lines = [line if chance.random() < 0.9 else b"|" + line.split(b"|", 1)[1] for line in lines]
    elif fault == "short rows":
        lines = [line if chance.random() < 0.9 else b"|".join(line.split(b"|")[:chance.randrange(1, 15)]).rstrip(b"\n") + b"\n" for line in lines]
    elif fault == "no rows":
        lines = []
    elif fault == "shuffled":
        chance.shuffle(lines)
    elif fault == "cut":
        return content[:chance.randrange(1, len(content))]
    elif fault == "damaged":
        changed = bytearray(content)
        for _ in range(chance.choice((1, 10))):
            changed[chance.randrange(len(changed))] = chance.choice(b"\n|\r A0\xff")
        return bytes(changed)
    elif fault == "random bytes":
        return bytes(chance.choice(b"\n|\r A0\xff\x00") for _ in range(chance.randrange(2000)))
    return b"".join(lines)
