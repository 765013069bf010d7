"""Rows 1, 2 and 18: the fixtures and a generated file in every way of working."""
import functools
import itertools
import os
import random
import shutil

from questions import Folder, questions

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


@functools.cache
def levels(program):
    """The SIMD levels that this processor has."""
    return [level for level in ("avx512", "avx2", "neon", "portable") if program.run(["--simd", level, "/dev/null"])[0] == 0]


def all_equal(program, row, work, trials):
    """Asks every question of every fixture: the undisturbed run has the slow answer, and all ways to work have its bytes."""
    names = sorted(name for name in os.listdir(os.path.join(ROOT, "fixtures")) if name.endswith(".txt"))
    ways = list(itertools.product(levels(program), ("mmap", "read", "pipe"), (1, 2, 3, 8), (1, 7, 64, 4096, 1 << 20)))
    for name in row.share.of([*names, None]):
        folder = folder_of(program, work, name)
        chance = random.Random(f"{program.seed} {name}")
        every = itertools.cycle(questions())
        for question in itertools.islice(every, row.scaled(trials) // (len(names) + 1) + 1):
            level, io, threads, task_bytes = chance.choice(ways)
            piped = io == "pipe" and question.can_be_piped
            options = question.settings(level, "auto" if io == "pipe" else io, threads, task_bytes)
            feed = {"stdin": open(folder.at("data.txt"), "rb")} if piped else {}
            before = ["sh", "-c", 'cat | "$0" "$@"'] if piped else []
            answer = folder.answer(question, piped)
            ended = program.run(question.arguments(options, data="-" if piped else None), before, cwd=folder.path, **feed)
            row.must_be_right(question.judge(ended, answer), f"{name} {question} {options} {io}: {ended[0]} {ended[1][-300:]} {ended[2][-300:]}")
        shutil.rmtree(folder.path)


def folder_of(program, work, name):
    path = os.path.join(work, "settings")
    if name is None:
        return Folder(program, path, rows=4000)
    with open(os.path.join(ROOT, "fixtures", name), "rb") as file:
        return Folder(program, path, content=file.read())
