"""Rows 9 to 11: system calls that fail, by strace's injection of faults."""
import os
import re
import shutil
import subprocess
from collections import Counter

from trial import ERROR, OTHER, RIGHT, WRONG, outcome

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


def commands(work):
    """What is run: file by file, in every way of working, with every kind of output."""
    data = os.path.join(work, "data.txt")
    small = ["-j", "2", "--task-size", "4096"]
    yield ["--force", "-f", "json", *small, data], None
    yield ["--force", "-f", "json", *small, "--io", "read", data], None
    yield ["count", *small, data], None
    yield ["--force", "-f", "json", *small], data
    yield ["--force", "-f", "json", *small, "-o", "result", "--rejects", "rejects", data], None
    yield ["--force", "-f", "json", *small, "-o", "existing", data], None
    yield ["export", "-f", "csv", *small, "-o", "existing", data], None
    yield ["generate", "--rows", "3000", "-j", "2", "-o", "result"], None


def run(program, arguments, stdin, directory, before=()):
    """Status, all output (that of files too), and messages of a run in a fresh directory."""
    shutil.rmtree(directory, ignore_errors=True)
    os.mkdir(directory)
    with open(os.path.join(directory, "existing"), "w") as file:
        file.write("before")
    feed = open(stdin, "rb") if stdin else subprocess.DEVNULL
    status, out, err = program.run(arguments, before, cwd=directory, stdin=feed)
    files = {name: open(os.path.join(directory, name), "rb").read() for name in sorted(os.listdir(directory))}
    return status, out, err, files


def before_main(program, arguments, stdin, directory):
    """How often each call is made before main, and in all, without a fault."""
    trace = directory + ".trace"
    run(program, arguments, stdin, directory, ["strace", "-f", "-o", trace])
    made, early, begun = Counter(), Counter(), False
    for line in open(trace, errors="replace"):
        name = re.match(r"\d+ +(\w+)\(", line)
        if name:
            made[name[1]] += 1
            if not begun:
                early[name[1]] += 1
                begun = bool(LAST_BEFORE_MAIN.match(line))
    os.remove(trace)
    return early, made


def injected(program, arguments, stdin, directory, call, error, when, on=None):
    """A run in which `call` fails; only that on the file `on`, if one is given."""
    path = ["-P", on] if on else []
    inject = ["strace", "-f", "-o", "/dev/null", *path, "-e", f"trace={call}",
              "-e", f"inject={call}:error={error}:when={when}"]
    return run(program, arguments, stdin, directory, inject)


def injections(program, row, work, step=1, only=None):
    """Every call fails, the Nth time, once or from then on."""
    directory = os.path.join(work, "injection")
    data = os.path.join(work, "data.txt")
    trial = 0
    for arguments, stdin in commands(work):
        status, out, err, files = run(program, arguments, stdin, directory)
        assert status == 0, (arguments, err)
        early, made = before_main(program, arguments, stdin, directory)
        # The number of calls differs from run to run with the luck of threads: two more than there were.
        plans = [(call, None, range(early[call] + 1, made[call] + 3, step)) for call in FAILURES]
        plans += [(call, data, range(1, 12, step)) for call in ON_THE_DATA]
        for call, on, counts in plans:
            for nth in counts if not only or call in only else ():
                for error in FAILURES[call]:
                    # An interrupted call is made again: if that goes on for ever, so does the program.
                    for when in (f"{nth}", f"{nth}+") if error != "EINTR" else (f"{nth}",):
                        trial += 1
                        if trial % row.share.parts != row.share.nth % row.share.parts:
                            continue
                        found = injected(program, arguments, stdin, directory, call, error, when, on)
                        what = f"{call} {error} {when} on {on or 'any'}"
                        row.add(judge(found, out, files, call), f"{' '.join(arguments)}: {what}: {found[0]} {found[2][-300:]}")


def judge(found, out, files, call):
    status, printed, err, found_files = found
    if call == "write" and status == 2 and not err:
        # The message could not be written either.
        found = (status, printed, b"fecscan: ", found_files)
    result = outcome(found[:3], {out})
    if status == 0:
        return RIGHT if result == RIGHT and found_files == files else WRONG if result == RIGHT else result
    # What failed may be the directory's or the standard output's last step: the file may be there whole,
    # but not in part, and nothing beside it.
    whole = all(found_files[name] in (files.get(name), b"before") for name in found_files)
    return result if whole else OTHER


def random_numbers_refused(program, row, work):
    """Rust's runtime panics without random numbers, as the program does at a bug: one line, status 2, and no result."""
    directory = os.path.join(work, "injection")
    for arguments, stdin in row.share.of(commands(work)):
        _, out, _, files = run(program, arguments, stdin, directory)
        found = injected(program, arguments, stdin, directory, "getrandom", "EIO", "1+")
        status, printed, err, left = found
        ends = status == 2 and not printed and err.startswith(b"fecscan: panicked at ") and err.count(b"\n") == 1
        # Some C libraries make random numbers without a call.
        result = ERROR if ends and left == {"existing": b"before"} else judge(found, out, files, "getrandom")
        row.add(result, f"{' '.join(arguments)}: {status} {err[-300:]}")


def maps_refused(program, row, work):
    """The data file can't be mapped: it is read, and the answer is the same."""
    data = os.path.join(work, "data.txt")
    for error in row.share.of(("ENOMEM", "EACCES", "ENODEV", "EAGAIN", "EPERM")):
        for io in ("auto", "mmap"):
            for threads in range(1, 6):
                arguments = ["--force", "-f", "json", "-j", str(threads), "--io", io, "--task-size", "4096", data]
                expected = program.answer(arguments)
                status, out, err, _ = injected(
                    program, arguments, None, os.path.join(work, "injection"), "mmap", error, "1+", data)
                row.add(must_be_right((status, out, err), expected), f"{error}: {status} {err[-300:]}")


def threads_refused(program, row, work):
    """Threads can't be had, from the first, second ... on: fewer do the work."""
    data = os.path.join(work, "data.txt")
    for error in ("EAGAIN", "ENOMEM", "EPERM"):
        for threads in (2, 3, 8, 64):
            for nth in row.share.of((1, 2, 3, 7, 60)):
                arguments = ["--force", "-f", "json", "-j", str(threads), "--task-size", "512", data]
                expected = program.answer(arguments)
                status, out, err, _ = injected(
                    program, arguments, None, os.path.join(work, "injection"), "clone3", error, f"{nth}+")
                row.add(must_be_right((status, out, err), expected), f"{error} {nth}: {status} {err[-300:]}")


def must_be_right(ended, expected):
    result = outcome(ended, {expected})
    return OTHER if result == ERROR else result
