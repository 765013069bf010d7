"""Rows 14, 21 and 30: little memory, few addresses, and more groups than memory."""
import os
import resource
import subprocess
import time

from questions import Answer, Folder, questions
from states import HANG_SECONDS
from trial import ERROR, OTHER, outcome

# Seconds that end a hang of a trial that reads gigabytes in a small cgroup.
LONG = 3000
MIB = 1 << 20
ROWS_OF_A_GIGABYTE = 5_600_000


class Group:
    """A memory cgroup: trials enter it before the program starts."""

    def __init__(self, limit):
        self.path = cgroup(limit)
        self.enter = ["bash", "-c", f'echo $$ > {self.path}/cgroup.procs && exec "$0" "$@"']
        # A checksum stands for an output of gigabytes.
        self.enter_and_sum = ["bash", "-c", f'echo $$ > {self.path}/cgroup.procs && set -o pipefail && "$0" "$@" | cksum']

    def __enter__(self):
        return self

    def __exit__(self, *_):
        remove_cgroup(self.path)


class Large:
    """A generated file of a size in gigabytes, outside of memory."""

    def __init__(self, program, gigabytes):
        self.path = os.path.join("/var/tmp", f"campaign-{os.getpid()}.txt")
        program.run(["generate", "--rows", str(int(gigabytes * ROWS_OF_A_GIGABYTE)), "-o", self.path], seconds=LONG)

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        os.remove(self.path)


SUMMED = ["bash", "-c", 'set -o pipefail; "$0" "$@" | cksum']
LARGE_QUESTIONS = (
    ["report", "--force", "-f", "json"], ["count"], ["count", "--where", "STATE = 'CA'"],
    ["by", "STATE", "--sum", "amount", "-f", "csv"], ["by", "STATE", "--agg", "count(DISTINCT CMTE_ID)", "-f", "csv"],
    ["export", "-f", "csv"], ["export", "-f", "ndjson", "--columns", "SUB_ID,NAME"], ["export", "-f", "parquet"],
    ["export", "-f", "arrow", "--columns", "SUB_ID,amount"])
LARGE_WAYS = (["--io", "mmap"], ["--io", "read"], ["--io", "mmap", "-j", "8"], ["--io", "read", "-j", "8"], ["pipe"])


def little_memory(program, row, work, gigabytes):
    """In a cgroup of 256 MiB: a large file mapped, read and from a pipe."""
    gigabytes = max(0.1, gigabytes * row.scale)
    cases = list(row.pick([(command, way) for command in LARGE_QUESTIONS for way in LARGE_WAYS], 45))
    if not cases:
        return
    with Group(256 * MIB) as group, Large(program, gigabytes) as large:
        expected = {}
        for command, way in cases:
            if str(command) not in expected:
                expected[str(command)] = program.run([*command, large], SUMMED, seconds=LONG)
            if way == ["pipe"]:
                feed = subprocess.Popen(["cat", large], stdout=subprocess.PIPE)
                ended = program.run([*command, "-"], group.enter_and_sum, stdin=feed.stdout, seconds=LONG)
                feed.stdout.close()
                feed.wait()
                # The path is part of some answers, and so of their sums.
                if command[0] in ("report", "count") or {"parquet", "arrow"} & set(command):
                    with open(large, "rb") as file:
                        usual = program.run([*command, "-"], SUMMED, stdin=file, seconds=LONG)
                else:
                    usual = expected[str(command)]
            else:
                ended, usual = program.run([*command, *way, large], group.enter_and_sum, seconds=LONG), expected[str(command)]
            assert usual[0] == 0, (command, usual)
            row.must_be_right(outcome(ended, {usual[1]}), f"{command} {way}: {ended}")


def long_lines(program, row, work):
    """A line of 4 GiB in a cgroup of 256 MiB: it is counted, and is an error elsewhere."""
    path = os.path.join("/var/tmp", f"campaign-{os.getpid()}.line")
    commands = (["count"], ["report", "--force", "-f", "json"], ["by", "STATE", "-f", "csv", "--schema", "indiv"],
                ["export", "-f", "csv", "--schema", "indiv"])
    with Group(256 * MIB) as group:
        for command, way in row.pick([(command, way) for command in commands for way in ("pipe", "mmap", "read")], 12):
            if way == "pipe":
                feed = subprocess.Popen(["head", "-c", "4G", "/dev/zero"], stdout=subprocess.PIPE)
                status, out, err = program.run(command, group.enter, stdin=feed.stdout, seconds=LONG)
                feed.stdout.close()
                feed.wait()
            else:
                with open(path, "wb") as file:
                    file.truncate(4 << 30)
                status, out, err = program.run([*command, "--io", way, path], group.enter, seconds=LONG)
                os.remove(path)
            if command == ["count"]:
                row.must_be_right(outcome((status, out.split()[0] if out else b"", err), {b"0"}), f"{command} {way}: {status} {out} {err}")
            else:
                # An export has written its head.
                kept = b"" if command[0] == "export" and out.count(b"\n") == 1 else out
                row.add(outcome((status, kept, err), set(), statuses=()), f"{command} {way}: {status} {out[:200]} {err}")


MANY_GROUPS = (
    ["by", "SUB_ID"], ["by", "SUB_ID", "--sum", "amount"], ["by", "NAME,SUB_ID", "--sum", "amount", "--agg", "min(date)"],
    ["by", "STATE", "--agg", "count(DISTINCT SUB_ID)"], ["by", "NAME", "--agg", "count(DISTINCT TRAN_ID), count(DISTINCT SUB_ID)"],
    ["by", "MEMO_TEXT,EMPLOYER,OCCUPATION,NAME,CITY,SUB_ID,TRAN_ID", "--agg", "avg(amount)"])


def many_groups(program, row, work, trials):
    """More groups, distinct values and long keys than memory: an error with advice, or the right answer."""
    cases = [(command, memory, threads) for command in MANY_GROUPS for memory in
             (("cgroup", 64), ("cgroup", 128), ("addresses", 128), ("addresses", 256), ("addresses", 512), ("addresses", 1024),
              ("--max-groups", 100_000)) for threads in (1, 2, 64)]
    chosen = list(row.pick(cases, trials))
    if not chosen:
        return
    with Large(program, 0.15) as large:
        expected = {}
        for command, (how, limit), threads in chosen:
            if str(command) not in expected:
                expected[str(command)] = Answer(*program.run([*command, "-f", "csv", large], SUMMED, seconds=LONG))
            options = ["-f", "csv", "-j", str(threads), large]
            if how == "cgroup":
                with Group(limit * MIB) as group:
                    ended = program.run([*command, *options], group.enter_and_sum, seconds=LONG)
            elif how == "addresses":
                addresses = lambda: resource.setrlimit(resource.RLIMIT_AS, (limit * MIB, limit * MIB))
                ended = program.run([*command, "--io", "read", *options], SUMMED, seconds=LONG, preexec_fn=addresses)
            else:
                ended = program.run([*command, how, str(limit), *options], SUMMED, seconds=LONG)
            status, out, err = ended
            if status and status > 128:
                # The shell's status for a signal.
                status = 128 - status
            # A run that failed sums nothing up.
            kind = outcome((status, b"" if status == 2 else out, err), {expected[str(command)].out})
            advises = b"--max-groups" in err or b"memory" in err
            row.add(kind if kind != ERROR or advises else OTHER, f"{command} {how} {limit} -j {threads}: {ended}")


def few_addresses(program, row, work, trials):
    """Limits addresses in steps of some pages: there may be room for a thread's stack, but not for its other memory. With
    fewer pages than --version needs, the loader fails, or the runtime before main."""
    folder = Folder(program, os.path.join(work, "addresses"), 300)

    def at_most(pages):
        return lambda: resource.setrlimit(resource.RLIMIT_AS, (pages << 12, pages << 12))

    starts = (pages for pages in range(4 << 8, 64 << 8, 16) if program.run(["--version"], preexec_fn=at_most(pages))[0] == 0)
    least = next(starts)
    limits = range(least, least + (56 << 8), 11)
    cases = [(question, pages, threads) for question in questions() for pages in limits for threads in (2, 8)]
    for question, pages, threads in row.pick(cases, trials):
        answer = folder.answer(question)
        options = question.settings("auto", ("mmap", "read")[pages % 2], threads, 4096)
        ended = folder.run(question, options, preexec_fn=at_most(pages))
        row.add(question.judge(ended, answer), f"{question} {options} in {pages} pages: {ended[0]} {ended[1][:100]} {ended[2][:400]}")


def cgroup(limit=256 * MIB):
    """Makes a memory cgroup, of the second version or the first. Returns None where that fails."""
    for base, known, name in (("/sys/fs/cgroup", "cgroup.controllers", "memory.max"),
                              ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.limit_in_bytes")):
        group = os.path.join(base, f"campaign-{os.getpid()}")
        if not os.path.exists(os.path.join(base, known)):
            continue
        try:
            os.mkdir(group)
            with open(os.path.join(group, name), "w") as file:
                file.write(str(limit))
            return group
        except OSError:
            if os.path.isdir(group):
                os.rmdir(group)
    return None


def remove_cgroup(group):
    """Removes the group once its last process has gone."""
    begun = time.monotonic()
    while True:
        try:
            return os.rmdir(group)
        except OSError:
            if time.monotonic() - begun > HANG_SECONDS:
                raise
