"""Rows 12 to 14 and 16: results that can't be written, kills, little memory, hostile text."""
import os
import pty
import random
import re
import resource
import shutil
import signal
import subprocess
import time

from states import HANG_SECONDS, read_bytes, wait_for_progress, wait_until
from trial import ERROR, OTHER, RIGHT, WRONG, finish, outcome

COMMANDS = (["--force", "-f", "text"], ["--force", "-f", "json"], ["--force", "-f", "challenge"], ["--strict"], ["count"], ["export"], ["export", "-f", "json", "--head", "9"],
            ["generate", "--rows", "3000"], ["--help"], ["--version"], ["count", "--help"], ["generate", "--help"])


def standard_output(program, row, work):
    """Tries standard output that is full, closed, for reading only, or a pipe without a reader."""
    data = os.path.join(work, "data.txt")
    for command in row.share.of(COMMANDS):
        arguments = command if "--rows" in command or command[-1].startswith("--") and command != ["--strict"] else [*command, data]
        usual, right, said = program.run(arguments)
        for where in ("/dev/full", "closed", "for reading", "pipe, closed", "| head -c 1", "| cat"):
            options = {}
            before = []
            if where == "closed":
                before = ["sh", "-c", 'exec "$0" "$@" >&-']
                options["stdout"] = None
            elif where == "/dev/full":
                options["stdout"] = open(where, "wb")
            elif where == "for reading":
                options["stdout"] = open("/dev/null", "rb")
            elif where == "pipe, closed":
                reader, options["stdout"] = os.pipe()
                os.close(reader)
            child = program.start(arguments, before, **options)
            if where == "| head -c 1":
                child.stdout.read(1)
                child.stdout.close()
                child.stdout = None
            ended = finish(child)
            if isinstance(options.get("stdout"), int):
                os.close(options["stdout"])
            status, out, err = ended
            if where.startswith("pipe") or where.startswith("| head"):
                kind = RIGHT if (status, err) == (usual, said) else OTHER
            elif where == "| cat":
                kind = outcome(ended, {right}, statuses=(usual,))
            else:
                # Full, closed, or not for writing: an error.
                kind = outcome(ended, set())
            row.add(kind, f"{arguments} to {where}: {ended}")


# Signals by which users and systems end a program.
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU]

# Without /proc, an unnamed file can't be linked. So temporary files have names, as on file systems without O_TMPFILE.
WITHOUT_PROC = ["unshare", "-m", "sh", "-c", 'umount -l /proc && exec "$0" "$@"']


def is_recognisable(name):
    return name.startswith(".fecscan-") and name.endswith(".tmp")


def kills(program, row, work, trials):
    """Kills the program after some random progress while it writes to -o: the file is whole or as before, and nothing is
    beside it."""
    directory = os.path.join(work, "kills")
    os.makedirs(directory)
    result, large = os.path.join(directory, "result"), os.path.join(work, "large.txt")
    program.answer(["generate", "--rows", "100000", "-o", large])
    odd = os.path.join(work, "odd.txt")
    cases = []
    for arguments, source in ((["generate", "--rows", "100000", "-j", "2", "-o", result], large),
                              (["--force", "-f", "json", "-o", result, large], large),
                              (["export", "-f", "csv", "-j", "2", "-o", result, large], large),
                              (["--force", "-f", "json", "--rejects", result, "-o", "/dev/null", odd], odd)):
        assert program.run(arguments)[0] == 0
        cases.append((arguments, read_bytes(result), os.path.getsize(source)))
        os.remove(result)
    tried = random.Random(f"{program.seed} {row.share.nth}")
    signals = [signal.SIGKILL] * 4 + SIGNALS
    trials = row.share.number(trials)
    while row.trials < trials and row.late < 20 * trials:
        for arguments, whole, size in cases:
            before = tried.choice((None, b"before"))
            if before is not None:
                with open(result, "wb") as file:
                    file.write(before)
            sent = tried.choice(signals)
            child = program.start(arguments)
            wait_for_progress(child, tried.randrange(size + size // 2))
            child.send_signal(sent)
            ended = finish(child)
            found = read_bytes(result) if os.path.exists(result) else None
            left = set(os.listdir(directory)) - {"result"}
            # Between two system calls, a new file has a temporary name when it takes the place of another.
            replacing = before is not None and len(left) == 1 and all(map(is_recognisable, left))
            kind = outcome(ended, {b""}, sent=(sent,))
            if found not in (whole, before) or (ended[0] == 0 and found != whole):
                kind = WRONG
            elif left and not replacing:
                kind = OTHER
            if ended[0] == 0 and kind == RIGHT:
                row.leave_out("were done before")
            else:
                row.add(kind, f"{arguments} {sent}: {ended} {left}")
            for name in os.listdir(directory):
                os.remove(os.path.join(directory, name))
    os.remove(large)


def kills_of_named(program, row, work, trials):
    """The same where temporary files have names: a recognisable one may be left."""
    directory = os.path.join(work, "named")
    os.makedirs(directory)
    result = os.path.join(directory, "result")
    arguments = ["generate", "--rows", "200000", "-o", result]
    if program.run(arguments, WITHOUT_PROC)[0] != 0:
        row.note("skipped: /proc can't be unmounted here")
        return
    whole = read_bytes(result)
    os.remove(result)
    tried = random.Random(f"{program.seed} {row.share.nth}")
    trials = row.share.number(trials)
    while row.trials < trials and row.late < 20 * trials:
        for sent in SIGNALS:
            child = program.start(arguments, WITHOUT_PROC)
            wait_until(child, lambda: os.listdir(directory))
            wait_for_progress(child, tried.randrange(len(whole)))
            child.send_signal(sent)
            ended = finish(child)
            left = os.listdir(directory)
            kind = outcome(ended, {b""}, sent=(sent,))
            if os.path.exists(result) and read_bytes(result) != whole or ended[0] == 0 and left != ["result"]:
                kind = WRONG
            elif len(left) > 1 or not all(name == "result" or is_recognisable(name) for name in left):
                kind = OTHER
            if ended[0] == 0 and kind == RIGHT:
                row.leave_out("were done before")
            else:
                row.add(kind, f"{sent}: {ended} {left}")
            for name in left:
                os.remove(os.path.join(directory, name))


def full_disk(program, row, work, trials):
    """Fills up a small file system while a result is written to it."""
    mount = os.path.join(work, "small")
    os.makedirs(mount)
    result = os.path.join(mount, "result")
    for trial in row.share.of(range(trials)):
        size = 4096 * (1 + trial % 40)
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", mount], stderr=subprocess.PIPE)
        if made.returncode:
            row.note(f"skipped: {made.stderr.decode().strip()}")
            return
        try:
            odd = os.path.join(work, "odd.txt")
            arguments = (["generate", "--rows", "500", "-o", result], ["--force", "--rejects", result, "-o", "/dev/null", odd],
                         ["--force", "-f", "json", "--top", "9999", "-o", result, os.path.join(work, "data.txt")],
                         ["export", "-f", "csv", "-o", result, os.path.join(work, "data.txt")])[trial % 4]
            elsewhere = os.path.join(work, "whole")
            assert program.run([elsewhere if word == result else word for word in arguments])[0] == 0
            whole = open(elsewhere, "rb").read()
            ended = program.run(arguments)
            found = open(result, "rb").read() if os.path.exists(result) else None
            kind = outcome(ended, {b""})
            if found not in (None, whole) or (ended[0] == 0) != (found is not None):
                kind = WRONG
            elif set(os.listdir(mount)) - {"result"}:
                kind = OTHER
            row.add(kind, f"{arguments} {size}: {ended}")
        finally:
            subprocess.run(["umount", mount], check=True)


def file_size_limit(program, row, work, trials):
    """Limits the size of files: a write beyond it fails, and no signal ends the program."""
    directory = os.path.join(work, "limited")
    os.makedirs(directory)
    result, odd = os.path.join(directory, "result"), os.path.join(work, "odd.txt")
    for trial in row.share.of(range(trials)):
        arguments = (["generate", "--rows", "500", "-o", result], ["--force", "--rejects", result, "-o", "/dev/null", odd],
                     ["--force", "-f", "json", "--top", "9999", "-o", result, os.path.join(work, "data.txt")],
                     ["generate", "--rows", "500"], ["export", "-f", "csv", "-o", result, os.path.join(work, "data.txt")],
                     ["export", "-f", "csv", os.path.join(work, "data.txt")])[trial % 6]
        # From much too little to enough.
        size = 1 + 4099 * (trial // 6 % 50)
        usual = program.run(arguments)
        assert usual[0] == 0, usual
        whole = open(result, "rb").read() if result in arguments else None
        before = (None, b"before")[trial // 300 % 2] if whole else None
        for name in os.listdir(directory):
            os.remove(os.path.join(directory, name))
        if before:
            with open(result, "wb") as file:
                file.write(before)
        # Standard output is a file too, where the result goes there.
        printed = os.path.join(work, "printed")
        with open(printed, "wb") as out:
            ended = program.run(arguments, ["prlimit", f"--fsize={size}"], stdout=out)
        printed = open(printed, "rb").read()
        found = open(result, "rb").read() if os.path.exists(result) else None
        if whole is None:
            # Standard output keeps the beginning of the result.
            kind = outcome((ended[0], printed if ended[0] == 0 else b"", ended[2]), {usual[1]})
            kind = kind if usual[1].startswith(printed) else WRONG
        else:
            kind = outcome(ended, {b""})
            if found != (whole if ended[0] == 0 else before):
                kind = WRONG
            elif set(os.listdir(directory)) - {"result"}:
                kind = OTHER
        row.add(kind, f"{arguments} {size}: {ended}")


# Seconds that end a hang of a trial that reads gigabytes in a small cgroup.
LONG = 3000


def little_memory(program, row, work, gigabytes):
    """In a cgroup of 256 MiB: a large file mapped, read and from a pipe, and a line of 4 GiB."""
    large = os.path.join("/var/tmp", f"campaign-{os.getpid()}.txt")
    group = cgroup()
    if group is None:
        row.note("without a memory cgroup, which could not be made here")
    enter = ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$0" "$@"'] if group else []

    def from_pipe(command, *feeding):
        feed = subprocess.Popen(feeding, stdout=subprocess.PIPE)
        ended = program.run(command, enter, stdin=feed.stdout, seconds=LONG)
        feed.stdout.close()
        feed.wait()
        return ended

    def add(kind, what, ended):
        row.add(kind, f"{what}: {ended[0]} {ended[1][:200]} {ended[2]}")

    def of_rows(options):
        if not os.path.exists(large):
            program.run(["generate", "--rows", str(int(gigabytes * 5_600_000)), "-o", large], seconds=LONG)
        expected = program.answer(["--force", "-f", "json", large], seconds=LONG)
        if options is None:
            ended = from_pipe(["--force", "-f", "json"], "cat", large)
            expected = re.sub(rb'"path":"[^"]*"', b'"path":"-"', expected)
        else:
            ended = program.run(["--force", "-f", "json", *options, large], enter, seconds=LONG)
        add(must(outcome(ended, {expected})), options, ended)

    def line_from_pipe(command, expected):
        ended = from_pipe(command, "head", "-c", "4G", "/dev/zero")
        add(outcome(ended, expected), f"{command} of a line of 4 GiB", ended)

    def line_of_file(command, expected):
        with open(large + ".line", "wb") as file:
            file.truncate(4 << 30)
        ended = program.run([*command, large + ".line"], enter, seconds=LONG)
        add(outcome(ended, expected), f"{command} of a file of one line", ended)

    cases = [(of_rows, options) for options in (
        ["--io", "mmap"], ["--io", "read"], ["--io", "mmap", "-j", "8"], ["--io", "read", "-j", "8"], None)]
    cases += [(line_from_pipe, ["count"], {b"0\n"}), (line_from_pipe, ["--force", "-f", "json"], set()),
              (line_of_file, ["count"], {b"0 " + os.fsencode(large) + b".line\n"}), (line_of_file, [], set())]
    try:
        for case, *arguments in row.share.of(cases):
            case(*arguments)
    finally:
        for path in (large, large + ".line"):
            if os.path.exists(path):
                os.remove(path)
        if group:
            remove_cgroup(group)


def few_addresses(program, row, work, step):
    """Limits addresses in steps of some pages: there may be room for a thread's stack, but not for its other memory. Below
    16 MiB, the loader fails, or the runtime before main: the program with all its features takes 11."""
    data = os.path.join(work, "data.txt")
    small = ["--task-size", "4096"]
    commands = (["--force", "-f", "json", *small], ["count", *small, "-j", "8"], ["--force", "-f", "json", "--io", "read", "-j", "8", *small])
    expected = [program.answer([*command, data]) for command in commands]
    for pages in row.share.of(range(16 << 8, 72 << 8, step)):
        for command, answer in zip(commands, expected):
            limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (pages << 12, pages << 12))
            ended = program.run([*command, data], preexec_fn=limit)
            row.add(outcome(ended, {answer}), f"{command} in {pages} pages: {ended}")


def must(kind):
    return OTHER if kind == ERROR else kind


def cgroup():
    """Makes a memory cgroup of 256 MiB, of the second version or the first. Returns None where that fails."""
    for base, known, limit in (("/sys/fs/cgroup", "cgroup.controllers", "memory.max"),
                               ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.limit_in_bytes")):
        group = os.path.join(base, f"campaign-{os.getpid()}")
        if not os.path.exists(os.path.join(base, known)):
            continue
        try:
            os.mkdir(group)
            with open(os.path.join(group, limit), "w") as file:
                file.write(str(256 << 20))
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


HOSTILE = ("\x1b]0;title\x07", "\x1b[2J", "\x1b[31m", "\u202e", "\u2066", "\x9b31m", "<script>alert(1)</script>",
           "=cmd()", "\x00", "\r", "\x7f", "\u200b")
# The program's own codes: bold, dim, and back.
OUR_CODES = re.compile(rb"\x1b\[[0-2]?m")
HARMFUL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def hostile_text(program, row, work):
    """Shows hostile fields of every column on a terminal, which must not get their codes."""
    path = os.path.join(work, "hostile.txt")
    for text in row.share.of(HOSTILE):
        for columns in ((7,), (4,), (13,), (0, 20)):
            fields = [f"{text}{i}" if i in columns else str(i) for i in range(21)]
            if columns == (7,):
                fields[7] = f"ROE{text}, ANN{text}"
            with open(path, "wb") as file:
                file.write(("|".join(fields) + "\n" + text + "|\n").encode())
            for arguments in (["--force", "--name", "0,1", "--top", "3"], ["--force", "--strict"], ["count"]):
                status, shown = on_a_terminal(program, [*arguments, path])
                harmful = HARMFUL.search(OUR_CODES.sub(b"", shown).decode(errors="replace"))
                clean = status in (0, 1) and not harmful
                row.add(RIGHT if clean else OTHER, f"{arguments} {text!r}: {status} {shown}")
            # Off a terminal, bytes are exact.
            out = program.answer(["--force", "-f", "challenge", "--name", "0", path])
            exact = columns != (7,) or f"ROE{text}, ANN{text}".encode().strip(b" \t\r\n\x0b\x0c") in out
            row.add(RIGHT if exact else WRONG, f"{text!r}: {out}")


def on_a_terminal(program, arguments):
    master, slave = pty.openpty()
    child = program.start(arguments, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    shown = b""
    try:
        while more := os.read(master, 65536):
            shown += more
    except OSError:
        pass  # that is how a terminal ends
    os.close(master)
    return finish(child)[0], shown
