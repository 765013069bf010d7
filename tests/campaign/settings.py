"""Rows 1 and 2: the fixtures in every way of working, against the answers beside them."""
import itertools
import json
import os

from trial import OTHER, RIGHT, WRONG, outcome

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
ASKED = ["--force", "-f", "json", "--name", "3,0,0,1,12", "--top", "4"]


def levels(program):
    """The SIMD levels that this processor has."""
    return [level for level in ("avx512", "avx2", "neon", "portable") if program.run(["--simd", level, "/dev/null"])[0] == 0]


def all_equal(program, row, step):
    names = sorted(name[:-4] for name in os.listdir(os.path.join(ROOT, "fixtures")) if name.endswith(".txt"))
    ways = itertools.product(names, levels(program), ("mmap", "read", "pipe"), (1, 2, 3, 8), (1, 7, 64, 4096))
    for name, level, way, threads, task_bytes in row.share.of(itertools.islice(ways, 0, None, step)):
        path = f"fixtures/{name}.txt"
        with open(os.path.join(ROOT, "fixtures", "expected", f"{name}.json")) as file:
            expected = json.load(file)["IMAGE_NUM"]
        options = [*ASKED, "-j", str(threads), "--simd", level, "--task-size", str(task_bytes)]
        if way == "pipe":
            expected["files"][0]["path"] = "-"
            child = program.start(options, ["sh", "-c", f'cat {path} | "$0" "$@"'], cwd=ROOT)
            ended = (*reversed(child.communicate()[::-1]),)
            ended = (child.returncode, *ended)
        else:
            ended = program.run([*options, "--io", way, path], cwd=ROOT)
        kind = outcome(ended, {ended[1]})
        if kind == RIGHT:
            kind = RIGHT if json.loads(ended[1]) == expected else WRONG
        else:
            kind = OTHER
        row.add(kind, f"{name} {options} {way}: {ended}")
