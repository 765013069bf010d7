"""Rows 5 to 8, 17 and 27: files that change, disks that fail, special files, and names of all kinds."""
import mmap
import os
import random
import socket
import subprocess
import threading

from questions import Folder, questions, without_notes
from runs import Run
from states import has_open, is_mapped, wait_for_progress, wait_for_tick_after, wait_until
from trial import ERROR, OTHER, RIGHT, WRONG, outcome

CHANGING_ROWS = 30_000


def of_a_file():
    """Returns the questions that scan the file or the archive."""
    return [question for question in questions() if not question.parts_of]


def truncations(program, row, work, trials, regrow=False):
    """Cuts a file while it is mapped, after some random progress, to a random length; or cuts it and makes it whole again."""
    folder = Folder(program, os.path.join(work, "mapped"), CHANGING_ROWS, hostile=False, compared=False)
    content = {name: folder.read(name) for name in ("data.txt", "slices.zip")}
    chance = row.chance()
    lengths = (0, 1, 4095, 4096, 4097)
    wanted = row.count(trials)
    while row.trials < wanted and row.late < 20 * wanted:
        question = chance.choice(of_a_file())
        name, to_file = question.scanned, chance.random() < 0.3
        path, whole = folder.at(name), content[name]
        answer = folder.answer(question)
        options = question.settings("auto", "mmap", chance.choice((1, 2, 3)), chance.choice((1 << 16, 1 << 21)))
        length = chance.choice([*lengths, chance.randrange(len(whole)), chance.randrange(len(whole))])
        with Run(folder, question, options, to_file) as run:
            wait_until(run.child, lambda: is_mapped(run.child, path))
            wait_for_progress(run.child, chance.randrange(len(whole)))
            mapped = is_mapped(run.child, path)
            os.truncate(path, length)
            if regrow:
                os.truncate(path, len(whole))
            kind, what = run.judge([answer], any_rows=True)
        with open(path, "r+b") as file:
            file.seek(length)
            file.write(whole[length:])
        if mapped:
            row.add(kind, f"cut to {length}: {what}")
        else:
            row.leave_out("came too late")


def changes(program, row, work, trials):
    """Overwrites, appends to, renames, replaces, links or unlinks the file when the program has opened it. The answer is
    that to the file before or after, or there is none. (A call to write that began before the file was opened can't be
    noticed: the kernel notes the time when a call begins.)"""
    at = lambda name: os.path.join(work, name)
    old = Folder(program, at("old"), CHANGING_ROWS, hostile=False, compared=False)
    program.answer(["generate", "--rows", str(CHANGING_ROWS), "--seed", "2", "-o", at("new.txt")])
    with open(at("new.txt"), "rb") as file:
        new = file.read()
    os.remove(at("new.txt"))
    old_content = old.read("data.txt")
    versions = [old, *(Folder(program, at(name), content=content, compared=False) for name, content in
                       (("new", new), ("more", old_content + b"one|more\n")))]
    path, other = old.at("data.txt"), os.path.join(work, "other.txt")

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

    def rename():
        os.rename(path, other)

    def link():
        os.link(path, other)

    def chmod():
        os.chmod(path, 0o600)

    def replace():
        os.replace(other, path)

    def remove():
        os.remove(path)

    harmless = (rename, link, chmod, replace, remove)
    asked = [question for question in of_a_file() if question.scanned == "data.txt"]
    chance = row.chance()
    wanted = row.count(trials)
    while row.trials < wanted and row.late < 20 * wanted:
        question, io = chance.choice(asked), chance.choice(("mmap", "read"))
        change = chance.choice((*harmless, overwrite, overwrite_in_place_and_restore_times, append))
        if os.path.exists(other):
            os.remove(other)
        put(path, old_content)
        answers = [version.answer(question) for version in versions]
        os.chmod(path, 0o644)
        if change is replace:
            put(other, new)
        wait_for_tick_after(path)
        with Run(old, question, ["--io", io], to_file=chance.random() < 0.3) as run:
            if not wait_until(run.child, lambda: has_open(run.child, path)):
                row.leave_out("were over before")
                continue
            wait_for_progress(run.child, chance.randrange(len(old_content)))
            change()
            if change in (rename, remove):
                # The name is no leftover of the run.
                run.names.discard("data.txt")
            kind, what = run.judge(answers, any_rows=True)
        # These leave the bytes as they are. chmod counts as a change.
        if kind == ERROR and change in (rename, link, replace, remove):
            kind = OTHER
        row.add(kind, f"{change.__name__}: {what}")


def shared_map(program, row, work, trials):
    """Changes bytes of the file through a map of another process, which the kernel does not tell: any answer or an error,
    but no panic, no signal, no read outside."""
    folder = Folder(program, os.path.join(work, "shared"), 3000)
    path = folder.at("data.txt")
    chance = row.chance()
    for _ in range(row.count(trials)):
        question = chance.choice([question for question in of_a_file() if question.scanned == "data.txt"])
        options = question.settings("auto", "mmap", chance.choice((1, 2)), chance.choice((64, 4096, 1 << 20)))
        with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as shared:
            with Run(folder, question, options) as run:
                done = threading.Event()

                def spoil(writer=random.Random(chance.random())):
                    while not done.is_set():
                        place = writer.randrange(len(shared))
                        shared[place] = writer.choice(b"\n\n\r||,  A0\xff")

                thread = threading.Thread(target=spoil)
                thread.start()
                status, out, err = run.finish()
                done.set()
                thread.join()
            kept = out if status in (0, 1) else b""
            row.add(outcome((status, kept, err), {kept}, statuses=(0, 1)), f"{run.arguments}: {status} {err}")


def failing_disk(program, row, work, trials):
    """Cuts the backing file of a loop device: the rest of the disk can't be read."""
    backing, mount = os.path.join("/var/tmp", f"campaign-{os.getpid()}.img"), os.path.join(work, "disk")
    os.makedirs(mount, exist_ok=True)

    def call(*command):
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout.strip()

    device, chance = None, row.chance()
    wanted = row.count(trials)
    try:
        while row.trials < wanted:
            with open(backing, "wb") as file:
                file.truncate(64 << 20)
            call("mkfs.ext4", "-q", "-O", "^has_journal", backing)
            device = call("losetup", "-f", "--show", "--direct-io=on", backing)
            call("mount", device, mount)
            folder = Folder(program, os.path.join(mount, "files"), 100_000, hostile=False, compared=False)
            asked = chance.sample(of_a_file(), 4)
            answers = [folder.answer(question) for question in asked]
            call("umount", mount)
            call("mount", "-o", "ro", device, mount)
            os.truncate(backing, (4 << 20) + chance.randrange(48 << 20))
            for question, answer in zip(asked, answers):
                with Run(folder, question, ["--io", chance.choice(("mmap", "read"))]) as run:
                    kind, what = run.judge([answer], keeps_part=True)
                row.add(kind if kind != ERROR or "error" in what else OTHER, what)
            call("umount", mount)
            call("losetup", "-d", device)
            device = None
    finally:
        if os.path.ismount(mount):
            subprocess.run(["umount", mount], stderr=subprocess.DEVNULL)
        if device:
            subprocess.run(["losetup", "-d", device], stderr=subprocess.DEVNULL)
        if os.path.exists(backing):
            os.remove(backing)


def special_files(program, row, work, trials):
    """Compares count with wc on special files and on files whose size is given as 0, alone and beside others."""
    directory = os.path.join(work, "special")
    os.makedirs(directory)
    at = lambda name: os.path.join(directory, name)
    for name, content in (("empty", b""), ("plain", b"a\nb"), ("cr", b"\r\n\r")):
        with open(at(name), "wb") as file:
            file.write(content)
    make_special(directory)
    names = ["empty", "plain", "cr", "folder", "dangling", "circle", "socket", "missing", "plain/x", "/dev/null",
             "/proc/self/status", "/proc/cpuinfo", "/sys/kernel/mm/transparent_hugepage/enabled", "-"]
    cases = [(arguments, stdin) for name in names for arguments in ([name], [name, "plain"], ["plain", name, name])
             for stdin in (None, "cr")]
    for arguments, stdin in row.pick(cases, trials):
        feed = lambda: open(at(stdin), "rb") if stdin else subprocess.DEVNULL
        wc = subprocess.run(["wc", "-l", *arguments], cwd=directory, stdin=feed(), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env={**os.environ, "LC_ALL": "C.UTF-8"})
        status, out, err = program.run(["count", *arguments], cwd=directory, stdin=feed())
        # Where wc fails with 1, we do with 2, and say as much.
        same = out == wc.stdout and status == (2 if wc.returncode else 0)
        told = len(err.splitlines()) == len(wc.stderr.splitlines()) and b"panicked" not in err
        row.add((ERROR if status else RIGHT) if same and told else OTHER, f"{arguments}: {status} {out} {err} {wc}")


def make_special(directory):
    at = lambda name: os.path.join(directory, name)
    os.mkdir(at("folder"))
    os.symlink("nowhere", at("dangling"))
    os.symlink("circle", at("circle"))
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(at("socket"))


def special_inputs(program, row, work, trials):
    """Asks every question of inputs that can't be read, of an empty device, a FIFO, and standard input from its middle."""
    folder = Folder(program, os.path.join(work, "inputs"), 300)
    make_special(folder.path)
    os.mkfifo(folder.at("fifo"))
    content = folder.read("data.txt")
    asked = [question for question in questions() if question.can_be_piped and question.check and question.form not in ("parquet", "arrow")]
    names = ("folder", "dangling", "circle", "socket", "missing", "data.txt/x", "/dev/null", "fifo", "offset")
    for question, name in row.pick([(question, name) for question in asked for name in names], trials):
        start, feed = 0, None
        options = {}
        if name == "fifo":
            feed = subprocess.Popen(["sh", "-c", "cat data.txt > fifo"], cwd=folder.path)
        elif name == "offset":
            start = random.Random(str(question)).randrange(len(content))
            options["stdin"] = open(folder.at("data.txt"), "rb", buffering=0)
            options["stdin"].seek(start)
        status, out, err = program.run(question.arguments(data="-" if name == "offset" else name), cwd=folder.path, **options)
        if feed:
            feed.wait()
        right = {**folder.contents, "data.txt": b"" if name == "/dev/null" else content[start:]}
        if name in ("/dev/null", "fifo", "offset"):
            # A report of nothing and an export of no rows have answers too.
            wrong = question.check(out, right) if status in (0, 1) else f"{status} {err}"
            kind = RIGHT if not wrong else WRONG if status in (0, 1) else OTHER
        else:
            wrong = ""
            kind = outcome((status, b"" if question.command == "count" and out else out, err), set(), statuses=())
            kind = kind if name.encode() in err else OTHER
        row.add(kind, f"{question} of {name} from {start}: {wrong}: {status} {out[:200]} {err}")


NAMES = (b"not\xffutf-8", b"\xc3\x28", b"new\nline", b"-dash", b"--", b"-", b" ", b"\x1b[31m", b"\xe2\x80\xaex", b"*", b"$(x)", b"count")


def takes_name(question, where):
    """Tells whether a question has a file of this kind."""
    if where == "joined":
        return "cm.txt" in question.words
    return where != "partial" or question.command not in ("diff", "export") and "--range" not in question.words


def names(program, row, work, trials):
    """Tries twelve names that are not UTF-8, or have special characters, as inputs, joined files, partials and outputs."""
    folder = Folder(program, os.path.join(work, "names"), 300)
    asked = [question for question in questions() if question.scanned == "data.txt" and question.check
             and question.form not in ("parquet", "arrow")]
    kinds = ("input", "joined", "output", "partial")
    cases = [(question, name, where) for question in asked for name in NAMES for where in kinds if takes_name(question, where)]
    for question, name, where in row.pick(cases, trials):
        given = os.fsdecode(b"./-" if name == b"-" else name)
        words, data = list(question.words), "data.txt"
        if where == "input":
            data = given
        elif where == "joined":
            words[words.index("cm.txt") - 1:words.index("cm.txt") + 1] = [f"--with={given}"]
        elif where == "output":
            words.append(f"--output={given}")
        else:
            if "-f" in words:
                del words[words.index("-f"):words.index("-f") + 2]
            words.append(f"--partial={given}")
        path = os.path.join(os.fsencode(folder.path), name)
        if where in ("input", "joined"):
            os.symlink(folder.at("data.txt" if where == "input" else "cm.txt"), path)
        status, out, err = program.run([*words, "--", data], cwd=folder.path)
        # --strict names the rows that break the schema.
        said = without_notes(err, b"") if status == 0 else b""
        if where == "partial" and status in (0, 1):
            form = ["-f", question.form]
            status, out, err = program.run(["merge", *form, "--", given], cwd=folder.path)
        elif where == "output" and status in (0, 1):
            with open(path, "rb") as file:
                out = file.read()
        wrong = question.check(out, folder.contents) if status in (0, 1) else "no answer"
        harmless = all(byte >= 0x20 or byte == 0x0a for byte in err) and err.isascii()
        kind = WRONG if wrong else RIGHT if harmless and not said else OTHER
        row.add(kind if status in (0, 1) else OTHER, f"{question} {where} {name}: {wrong}: {status} {err}")
        os.remove(path)
