"""Rows 9 to 11: system calls that fail, by strace's injection of faults."""
import itertools
import os
import random
import re
import subprocess
from collections import Counter
from typing import NamedTuple

from questions import Answer, Folder, Question, questions, without_notes
from trial import ERROR, OTHER, RIGHT, WRONG

# The calls that fail, and their errors. brk is left out: the kernel's never returns an error, and the C library takes one
# for an address. Limits on memory are other rows. So is getrandom, without which Rust's runtime panics.
FAILURES = {
    "openat": ("EMFILE", "EACCES", "EIO", "EINTR"),
    "read": ("EIO", "EINTR"),
    "pread64": ("EIO", "EINTR"),
    "pwrite64": ("ENOSPC", "EIO", "EINTR"),
    "mmap": ("ENOMEM",),
    "munmap": ("ENOMEM",),
    "mprotect": ("ENOMEM",),
    "madvise": ("EINVAL", "ENOMEM"),
    "write": ("ENOSPC", "EIO", "EINTR"),
    "fsync": ("EIO", "EINTR"),
    "rename": ("EXDEV", "EIO", "ENOSPC"),
    "linkat": ("EXDEV", "EIO", "ENOENT", "EPERM"),
    "unlink": ("EIO",),
    "statx": ("EIO", "ENOMEM"),
    "newfstatat": ("EIO", "ENOMEM"),
    "fstat": ("EIO",),
    "lseek": ("EIO",),
    "fcntl": ("EMFILE",),
    "readlink": ("EIO", "ENOENT"),
    "fchmod": ("EPERM",),
    "ioctl": ("ENOTTY",),
    "clone3": ("EAGAIN", "ENOMEM"),
    "rt_sigaction": ("EINVAL",),
    "sched_getaffinity": ("EPERM",),
    "close": ("EIO", "EINTR"),
}
# Calls on the data file itself, which other threads make too: strace counts them for each thread, and only if the
# loader's own are left out does the first one that a worker makes fail.
ON_THE_DATA = ("openat", "read", "pread64", "mmap", "statx", "lseek", "close", "fcntl")
# Rust's runtime sets the main thread's signal stack last before `main`. Earlier calls fail in the loader or the runtime,
# which panics without that stack.
LAST_BEFORE_MAIN = re.compile(r"\d+ +sigaltstack\(\{")


GENERATE = Question(("generate", "--rows", "3000", "-j", "2"), inputs=())


class Job(NamedTuple):
    """A run to disturb: a question, where its input comes from, and where its results go."""
    question: Question
    options: tuple = ()
    piped: bool = False

    @property
    def arguments(self):
        if self.question is GENERATE:
            return [*GENERATE.words, *self.options]
        return self.question.arguments(self.options, data="-" if self.piped else None)

    def __str__(self):
        return " ".join(self.arguments)


def jobs():
    """Returns runs of every question, in every way of working, with every kind of output."""
    found = [Job(GENERATE, ("-o", "result"))]
    for nth, question in enumerate(questions()):
        small = ("-j", "2") if question.parts_of else ("-j", "2", "--task-size", "4096", "--io", ("mmap", "read")[nth % 2])
        found.append(Job(question, small))
        found.append(Job(question, (*small, "-o", ("result", "existing")[nth % 2])))
        if question.can_be_piped:
            found.append(Job(question, small[:4], piped=True))
        if question.command == "report":
            found.append(Job(question, (*small, "--rejects", "rejects")) if not question.parts_of else found[-1])
        if not question.parts_of and question.command != "export" and "-f" not in question.words and "--slices" not in question.words:
            found.append(Job(question, (*small, "--partial", "result")))
    return found


class Directory:
    """A folder that is made anew for each run, with links to the inputs of the questions."""

    def __init__(self, program, work):
        self.program, self.path = program, os.path.join(work, "injection")
        self.folder = Folder(program, os.path.join(work, "inputs"), 300)
        for question in questions():
            self.folder.answer(question)
        self.inputs = set(os.listdir(self.folder.path))
        self.folder.link(self.path)

    def run(self, job, before=()):
        """Returns status, standard output, messages, and the files that were made."""
        for name in set(os.listdir(self.path)) - self.inputs:
            os.remove(os.path.join(self.path, name))
        with open(os.path.join(self.path, "existing"), "w") as file:
            file.write("before")
        feed = open(self.folder.at("data.txt"), "rb") if job.piped else subprocess.DEVNULL
        status, out, err = self.program.run(job.arguments, before, cwd=self.path, stdin=feed)
        made = {}
        for name in sorted(set(os.listdir(self.path)) - self.inputs):
            with open(os.path.join(self.path, name), "rb") as file:
                made[name] = file.read()
        return status, out, err, made

    def usual(self, job):
        """Returns a run without faults: its answer, and the files that it makes."""
        *answer, made = self.run(job)
        assert answer[0] in (0, 1), (str(job), answer)
        right = self.folder.answer(job.question, job.piped) if job.question is not GENERATE and "--partial" not in job.options else None
        written = made.get("result") or made["existing"] if "-o" in job.options else answer[1]
        # The questions with a path in the answer have the same one here.
        assert right is None or written == right.out, (str(job), written, right)
        return Answer(*answer), made

    def is_as_good(self, job, made):
        """Tells whether a partial of other bytes merges to the right answer: if the file's schema could not be looked up, the
        question in it has columns as they were typed."""
        if set(made) != {"existing", "result"}:
            return False
        status, out, _ = self.program.run(["merge", "-f", job.question.form, "result"], cwd=self.path)
        return status in (0, 1) and out == self.folder.answer(job.question).out

    def calls(self, job):
        """Returns how often each call is made before main, and in all, without a fault."""
        trace = self.path + ".trace"
        self.run(job, ["strace", "-f", "-o", trace])
        made, early, begun = Counter(), Counter(), False
        with open(trace, errors="replace") as lines:
            for line in lines:
                name = re.match(r"\d+ +(\w+)\(", line)
                if name:
                    made[name[1]] += 1
                    if not begun:
                        early[name[1]] += 1
                        begun = bool(LAST_BEFORE_MAIN.match(line))
        os.remove(trace)
        return early, made

    def injected(self, job, call, error, when, on=None):
        """A run in which `call` fails; only that on the file `on`, if one is given."""
        path = ["-P", on, "-P", os.path.realpath(os.path.join(self.path, on))] if on else []
        status, out, err, made = self.run(job, ["strace", "-f", "-o", "/dev/null", *path, "-e", f"trace={call}",
                                                "-e", f"inject={call}:error={error}:when={when}"])
        # strace says which path it has resolved, and where no call failed because the thread was ending.
        return status, out, re.sub(rb"(?m)^strace: (Requested path|Failed to tamper with process) .*\n", b"", err), made


def injections(program, row, work, trials):
    """Every call fails, the Nth time, once or from then on."""
    directory = Directory(program, work)
    every = jobs()
    chance = row.chance()
    wanted = row.count(trials)
    # Some faults of each job in turn, until there are enough.
    known = {}
    for job in itertools.cycle(row.share.of(random.Random(program.seed).sample(every, len(every)))):
        if row.trials >= wanted:
            return
        if str(job) not in known:
            known[str(job)] = directory.usual(job), list(plans(directory, job))
            chance.shuffle(known[str(job)][1])
        (answer, made), left = known[str(job)]
        for _ in range(min(len(left), 40, wanted - row.trials)):
            call, error, when, on = left.pop()
            found = directory.injected(job, call, error, when, on)
            if "--partial" in job.options and found[3] != made and directory.is_as_good(job, found[3]):
                found = *found[:3], made
            what = f"{call} {error} {when} on {on or 'any'}"
            row.add(judge(job.question, found, answer, made, call),
                    f"{job}: {what}: {found[0]} {found[1][-200:]} {found[2][-300:]} {sorted(found[3])}")
        if not any(left for _, left in known.values()) and len(known) >= len(every) // row.share.parts:
            return


def plans(directory, job):
    """Yields all faults of a run: the call, the error, when it fails and on which file."""
    early, made = directory.calls(job)
    # The number of calls differs from run to run with the luck of threads: two more than there were.
    places = [(call, None, range(early[call] + 1, made[call] + 3)) for call in FAILURES]
    places += [(call, name, range(1, 9)) for call in ON_THE_DATA for name in job.question.read]
    for call, on, counts in places:
        for nth in counts:
            for error in FAILURES[call]:
                # An interrupted call is made again: if that goes on for ever, so does the program.
                for when in (f"{nth}", f"{nth}+") if error != "EINTR" else (f"{nth}",):
                    yield call, error, when, on


def judge(question, found, answer, made, call):
    status, printed, err, found_made = found
    if call == "write" and status == 2 and not without_notes(err, answer.err):
        # The message could not be written either.
        err = b"fecscan: "
    if status == answer.status and call == "write":
        # A note could not be written.
        err = answer.err
    if status == 2 and "rejects" in made and printed == answer.out:
        # The report was whole before the other file failed.
        printed = b""
    if status == answer.status and found_made != made:
        return WRONG
    result = question.judge((status, printed, err), answer, keeps_part=call == "write")
    if result == RIGHT:
        return RIGHT
    # What failed may be the directory's or the standard output's last step: the file may be there whole,
    # but not in part, and nothing beside it.
    whole = all(found_made[name] in (made.get(name), b"before") for name in found_made)
    return result if whole or result not in (RIGHT, ERROR) else OTHER


def random_numbers_refused(program, row, work, trials):
    """Rust's runtime panics without random numbers, as the program does at a bug: one line, status 2, and no result."""
    directory = Directory(program, work)
    for job in row.pick(jobs(), trials):
        answer, made = directory.usual(job)
        found = directory.injected(job, "getrandom", "EIO", "1+")
        status, printed, err, left = found
        ends = status == 2 and not printed and err.startswith(b"fecscan: panicked at ") and err.count(b"\n") == 1
        # Some C libraries make random numbers without a call.
        result = ERROR if ends and left == {"existing": b"before"} else judge(job.question, found, answer, made, "getrandom")
        row.add(result, f"{job}: {status} {err[-300:]}")


def maps_refused(program, row, work, trials):
    """The file can't be mapped: it is read, and the answer is the same."""
    directory = Directory(program, work)
    cases = itertools.product(questions(), ("ENOMEM", "EACCES", "ENODEV", "EAGAIN", "EPERM"), ("auto", "mmap"), range(1, 6))
    for question, error, io, threads in row.pick(cases, trials):
        job = Job(question, tuple(question.settings("auto", io, threads, 4096)))
        answer = directory.folder.answer(question)
        found = directory.injected(job, "mmap", error, "1+", question.read[-1])
        row.must_be_right(question.judge(found[:3], answer), f"{job}: {error}: {found[0]} {found[2][-300:]}")


def threads_refused(program, row, work, trials):
    """Threads can't be had, from the first, second ... on: fewer do the work."""
    directory = Directory(program, work)
    cases = itertools.product(questions(), ("EAGAIN", "ENOMEM", "EPERM"), (2, 3, 8, 64), (1, 2, 3, 7, 60))
    for question, error, threads, nth in row.pick(cases, trials):
        job = Job(question, tuple(question.settings("auto", "auto", threads, 512)))
        found = directory.injected(job, "clone3", error, f"{nth}+")
        row.must_be_right(question.judge(found[:3], directory.folder.answer(question)),
                          f"{job}: {error} {nth}: {found[0]} {found[2][-300:]}")
