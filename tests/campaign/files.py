"""Rows 5 to 8 and 17: files that change, disks that fail, special files, and names of all kinds."""
import os
import random
import socket
import subprocess

from states import has_open, is_mapped, wait_for_progress, wait_for_tick_after, wait_until
from trial import ERROR, OTHER, RIGHT, WRONG, finish, outcome

MAPPED_ROWS = 130_000


def commands(path, directory):
    """Yields commands that read the file: a short scan, a longer one, one with an output."""
    result = os.path.join(directory, "result")
    yield ["count", path]
    yield ["--force", "-f", "json", path]
    yield ["--force", "-f", "json", "--strict", "-j", "3", "--task-size", "65536", path]
    yield ["--force", "-f", "json", "-j", "1", "-o", result, path]


def truncations(program, row, work, trials, regrow=False):
    """Cuts a file while it is mapped, after some random progress, to a random length; or cuts it and makes it whole again."""
    path, directory = os.path.join(work, "mapped.txt"), os.path.join(work, "mapped")
    os.makedirs(directory, exist_ok=True)
    program.answer(["generate", "--rows", str(MAPPED_ROWS), "-o", path])
    with open(path, "rb") as file:
        content = file.read()
    expected = {tuple(arguments): program.answer(arguments) for arguments in commands(path, directory)}
    result = os.path.join(directory, "result")
    whole = open(result, "rb").read()
    os.remove(result)
    lengths, tried = (0, 1, 4095, 4096, 4097), random.Random(f"{program.seed} {row.share.nth}")
    trials = row.share.number(trials)
    while row.trials < trials and row.late < 20 * trials:
        for arguments in expected:
            child = program.start(arguments)
            wait_until(child, lambda: is_mapped(child, path))
            wait_for_progress(child, tried.randrange(len(content)))
            length = tried.choice([*lengths, tried.randrange(len(content)), tried.randrange(len(content))])
            mapped = is_mapped(child, path)
            os.truncate(path, length)
            if regrow:
                os.truncate(path, len(content))
            ended = finish(child)
            restore(path, content, length)
            found = open(result, "rb").read() if os.path.exists(result) else None
            left = sorted(os.listdir(directory))
            if not mapped:
                row.leave_out("came too late")
                continue
            kind = outcome(ended, {expected[tuple(arguments)]})
            if kind == RIGHT and "-o" in arguments and found != whole:
                kind = WRONG
            if left not in ([], ["result"]) or found not in (None, whole):
                kind = OTHER
            if found is not None:
                os.remove(result)
            row.add(kind, f"{arguments} cut to {length}: {ended} {left}")
    os.remove(path)


def restore(path, content, length):
    with open(path, "r+b") as file:
        file.seek(length)
        file.write(content[length:])


def changes(program, row, work, trials):
    """Overwrites, appends to, renames, replaces, links or unlinks the file when the program has opened it. The answer is
    that to the file before or after, or there is none. (A call to write that began before the file was opened can't be
    noticed: the kernel notes the time when a call begins.)"""
    path, other = os.path.join(work, "changing.txt"), os.path.join(work, "other.txt")
    old = program.answer(["generate", "--rows", "120000"])
    new = program.answer(["generate", "--rows", "120000", "--seed", "2"])

    def put(name, content):
        with open(name, "wb") as file:
            file.write(content)

    def overwrite():
        # As cp does: cut, then written in pieces, so that there are moments of half a file.
        with open(path, "wb") as file:
            for start in range(0, len(new), 1 << 20):
                file.write(new[start:start + (1 << 20)])

    def overwrite_in_place_and_restore_times():
        times = os.stat(path)
        with open(path, "r+b") as file:
            file.write(new)
            file.truncate()
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def append():
        with open(path, "ab") as file:
            file.write(b"one|more\n")

    harmless = (lambda: os.rename(path, other), lambda: os.link(path, other), lambda: os.chmod(path, 0o600),
                lambda: os.replace(other, path), lambda: os.remove(path))
    writers = (overwrite, overwrite_in_place_and_restore_times, append)
    tried = random.Random(f"{program.seed} {row.share.nth}")
    for name in (path, other):
        put(name, old)
    variants = [["--force", "-f", "json"], ["count"], ["--force", "-f", "json", "--io", "read"], ["count", "--io", "read"]]
    answers = {}
    for options in variants:
        put(path, old)
        answers[tuple(options)] = [program.answer([*options, path])]
        for after in (new, old + b"one|more\n"):
            put(path, after)
            answers[tuple(options)].append(program.answer([*options, path]))
    answers = {options: set(found) for options, found in answers.items()}
    trials = row.share.number(trials)
    while row.trials < trials and row.late < 20 * trials:
        for change in (*harmless, *writers):
            for options in variants:
                if os.path.exists(other):
                    os.remove(other)
                put(path, old)
                os.chmod(path, 0o644)
                if change is harmless[3]:
                    put(other, new)
                wait_for_tick_after(path)
                child = program.start([*options, path])
                if not wait_until(child, lambda: has_open(child, path)):
                    finish(child)
                    row.leave_out("were over before")
                    continue
                wait_for_progress(child, tried.randrange(len(old)))
                change()
                ended = finish(child)
                kind = outcome(ended, answers[tuple(options)])
                # These leave the bytes as they are.
                if kind == ERROR and change in harmless:
                    kind = OTHER
                row.add(kind, f"{options} {getattr(change, '__name__', change)}: {ended}")


def failing_disk(program, row, work, trials):
    """Cuts the backing file of a loop device: the rest of the disk can't be read."""
    backing, mount = os.path.join("/var/tmp", f"campaign-{os.getpid()}.img"), os.path.join(work, "disk")
    os.makedirs(mount, exist_ok=True)

    def call(*command):
        subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    device = None
    try:
        for trial in row.share.of(range(trials)):
            with open(backing, "wb") as file:
                file.truncate(64 << 20)
            call("mkfs.ext4", "-q", "-O", "^has_journal", backing)
            device = subprocess.run(["losetup", "-f", "--show", "--direct-io=on", backing], check=True,
                                    stdout=subprocess.PIPE, text=True, stderr=subprocess.PIPE).stdout.strip()
            call("mount", device, mount)
            path = os.path.join(mount, "data.txt")
            program.answer(["generate", "--rows", "200000", "-o", path])
            arguments = (["count"], ["--force", "-f", "json"])[trial % 2] + ["--io", ("mmap", "read")[trial // 2 % 2], path]
            expected = program.answer(arguments)
            call("umount", mount)
            call("mount", "-o", "ro", device, mount)
            os.truncate(backing, (4 << 20) + trial * (56 << 20) // trials)
            ended = program.run(arguments)
            kind = outcome(ended, {expected})
            if kind == ERROR and b"error" not in ended[2]:
                kind = OTHER
            row.add(kind, f"{arguments}: {ended}")
            call("umount", mount)
            call("losetup", "-d", device)
            device = None
    except (OSError, subprocess.CalledProcessError) as problem:
        row.note(f"skipped: {problem}: {(getattr(problem, 'stderr', None) or b'')!r}"[:150])
    finally:
        if os.path.ismount(mount):
            subprocess.run(["umount", mount], stderr=subprocess.DEVNULL)
        if device:
            subprocess.run(["losetup", "-d", device], stderr=subprocess.DEVNULL)
        if os.path.exists(backing):
            os.remove(backing)


def special_files(program, row, work):
    """Compares with wc on special files and on files whose size is given as 0, alone and beside others."""
    directory = os.path.join(work, "special")
    os.makedirs(directory)
    at = lambda name: os.path.join(directory, name)
    for name, content in (("empty", b""), ("plain", b"a\nb"), ("cr", b"\r\n\r")):
        with open(at(name), "wb") as file:
            file.write(content)
    os.mkdir(at("folder"))
    os.symlink("nowhere", at("dangling"))
    os.symlink("circle", at("circle"))
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(at("socket"))
    names = ["empty", "plain", "cr", "folder", "dangling", "circle", "socket", "missing", "plain/x", "/dev/null",
             "/proc/self/status", "/proc/cpuinfo", "/sys/kernel/mm/transparent_hugepage/enabled", "-"]
    for name in row.share.of(names):
        for arguments in ([name], [name, "plain"], ["plain", name, name]):
            for stdin in (None, "cr"):
                feed = lambda: open(at(stdin), "rb") if stdin else subprocess.DEVNULL
                wc = subprocess.run(["wc", "-l", *arguments], cwd=directory, stdin=feed(), stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, env={**os.environ, "LC_ALL": "C.UTF-8"})
                status, out, err = program.run(["count", *arguments], cwd=directory, stdin=feed())
                # Where wc fails with 1, we do with 2, and say as much.
                same = out == wc.stdout and status == (2 if wc.returncode else 0)
                told = len(err.splitlines()) == len(wc.stderr.splitlines()) and b"panicked" not in err
                row.add((ERROR if status else RIGHT) if same and told else OTHER, f"{arguments}: {status} {out} {err} {wc}")


def names(program, row, work):
    """Tries twelve names that are not UTF-8, or have special characters, in every command."""
    directory = os.path.join(work, "names")
    os.makedirs(directory)
    twelve = [b"not\xffutf-8", b"\xc3\x28", b"new\nline", b"-dash", b"--", b"-", b" ", b"\x1b[31m", b"\xe2\x80\xaex",
              b"*", b"$(x)", b"count"]
    content = program.answer(["generate", "--rows", "50"]) + b"|odd\n"
    for name in row.share.of(twelve):
        path = os.path.join(os.fsencode(directory), name)
        with open(path, "wb") as file:
            file.write(content)
        given = b"./-" if name == b"-" else name
        for arguments in (["count"], ["--force", "-f", "challenge"], ["--force", "-f", "json"], ["--force", "-f", "json", "--io", "read"]):
            status, out, err = program.run([*arguments, "--", os.fsdecode(given)], cwd=directory)
            lines = {"count": b"51", "challenge": b"Total file line count: 51", "json": b'"lines":51'}
            right = lines[[key for key in lines if key in arguments][0]] in out
            row.add(RIGHT if (status, err) == (0, b"") and right else OTHER, f"{name}: {status} {out} {err}")
        # In messages, nothing of it reaches the terminal.
        status, out, err = program.run(["--force", "--strict", "--rejects", "odd.csv", "--", os.fsdecode(given)], cwd=directory)
        harmless = all(byte >= 0x20 or byte == 0x0a for byte in err) and err.count(b"\n") == 2 and err.isascii()
        quoted = open(os.path.join(directory, "odd.csv"), "rb").read()
        row.add(RIGHT if status == 1 and harmless and b",51," in quoted else OTHER, f"{name}: {status} {err}")
        # As an output.
        status, out, err = program.run(["count", "--output=" + os.fsdecode(given), "odd.csv"], cwd=directory)
        row.add(RIGHT if (status, out, err) == (0, b"", b"") and b"odd.csv" in open(path, "rb").read() else OTHER,
                f"-o {name}: {status} {err}")
        os.remove(path)
