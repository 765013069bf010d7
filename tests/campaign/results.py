"""Rows 12, 13 and 16: results that can't be written, kills, hostile text."""
import itertools
import os
import pty
import re
import signal
import subprocess

from questions import Answer, Folder, Question, questions, without_notes
from runs import Run
from states import anonymous_bytes, is_stalled, read_bytes, wait_for_progress, wait_until
from trial import OTHER, RIGHT, WRONG, finish, outcome

HELP = (["--help"], ["--version"], ["columns", "cm"], ["man"], ["completions", "bash"],
        *([command, "--help"] for command in ("report", "count", "by", "export", "merge", "generate")))
ENDS = ("/dev/full", "closed", "for reading", "pipe, closed", "| head -c 1", "| cat")


def standard_output(program, row, work, trials):
    """Tries standard output that is full, closed, for reading only, or a pipe without a reader."""
    folder = Folder(program, os.path.join(work, "outputs"), 300)
    texts = [Question(tuple(words), inputs=()) for words in (*HELP, ["generate", "--rows", "3000"])]
    for question, where in row.pick(itertools.product([*questions(), *texts], ENDS), trials):
        answer = Answer(*program.run(question.words)) if question in texts else folder.answer(question)
        options, before = {"cwd": folder.path}, []
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
        child = program.start(question.arguments(), before, **options)
        if where == "| head -c 1":
            child.stdout.read(1)
            child.stdout.close()
            child.stdout = None
        ended = finish(child)
        if isinstance(options.get("stdout"), int):
            os.close(options["stdout"])
        status, out, err = ended
        if where.startswith("pipe") or where.startswith("| head"):
            # Notes about rows may be missing, because reading ends early.
            kind = RIGHT if status == answer.status and not without_notes(err, answer.err) else OTHER
        elif where == "| cat":
            kind = question.judge(ended, answer)
        else:
            # Full, closed, or not for writing: an error.
            kind = outcome((status, out, without_notes(err, answer.err)), set(), statuses=())
        row.add(kind, f"{question} to {where}: {status} {out[:200]} {err[:400]}")


# More memory than any export of the file takes whose rows are not piled up.
STALLED_BYTES = 256 << 20


def stalled_readers(program, row, work, trials):
    """Reads no more after some bytes, until the program waits: it has little memory then, and goes on when it is read."""
    folder = Folder(program, os.path.join(work, "stalled"), 60_000, hostile=False, compared=False)
    chance = row.chance()
    exports = [question for question in questions() if question.keeps and "--head" not in question.words]
    wanted = row.count(trials)
    while row.trials < wanted and row.late < 20 * wanted:
        question = chance.choice(exports)
        answer = folder.answer(question)
        options = question.settings("auto", chance.choice(("mmap", "read")), chance.choice((1, 2, 8)), chance.choice((1 << 14, 1 << 21)))
        child = program.start(question.arguments(options), cwd=folder.path)
        begun = os.read(child.stdout.fileno(), chance.randrange(1, 1 << 20))
        if not wait_until(child, lambda: is_stalled(child)):
            row.leave_out("were over before")
            finish(child)
            continue
        anonymous = anonymous_bytes(child)
        status, out, err = finish(child)
        kind = question.judge((status, begun + out, err), answer)
        row.must_be_right(kind if anonymous < STALLED_BYTES else OTHER, f"{question} {options}: {anonymous:,} bytes, {status} {err[:300]}")


# Signals by which users and systems end a program.
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU]

# Without /proc, an unnamed file can't be linked. So temporary files have names, as on file systems without O_TMPFILE.
WITHOUT_PROC = ["unshare", "-m", "sh", "-c", 'umount -l /proc && exec "$0" "$@"']


def is_recognisable(name):
    return name.startswith(".fecscan-") and name.endswith(".tmp")


def with_output(folder, result):
    """Yields command lines that write a file, and a question to judge what is printed."""
    for question in questions():
        if question.scanned == "data.txt" or question.parts_of:
            yield question.arguments(out=result)
        if question.command not in ("export", "merge", "diff") and question.form not in ("html", "challenge", "arrow"):
            words = list(question.words)
            if "-f" in words:
                del words[words.index("-f"):words.index("-f") + 2]
            yield [*words, "--partial", result, question.scanned]
        if question.parts_of and question.form == "json":
            yield ["merge", "--partial", result, *question.files]
    yield ["report", "--force", "--rejects", result, "-o", "/dev/null", "odd.txt"]
    yield ["generate", "--rows", str(folder.contents["data.txt"].count(b"\n")), "-j", "2", "-o", result]


def write_odd(folder, lines):
    folder.write("odd.txt", b"".join(b"%d|odd, %d\n" % (n, n) for n in range(lines)))


def written_by(program, folder, arguments, result):
    """Returns what an undisturbed run writes to the file, and its messages."""
    status, _, err = program.run(arguments, cwd=folder.path)
    assert status in (0, 1), (arguments, err)
    return read_bytes(folder.at(result)), Answer(status, b"", err)


def kills(program, row, work, trials):
    """Kills the program after some random progress while it writes to -o: the file is whole or as before, and nothing is
    beside it."""
    folder = Folder(program, os.path.join(work, "kills"), 20_000, hostile=False, compared=False)
    write_odd(folder, 30_000)
    for question in questions():
        if question.parts_of:
            folder.write_parts(question.parts_of)
    os.mkdir(folder.at("results"))
    result = folder.at("results/result")
    every, known = list(with_output(folder, "results/result")), {}
    chance = row.chance()
    signals = [signal.SIGKILL] * 4 + SIGNALS
    wanted = row.count(trials)
    while row.trials < wanted and row.late < 20 * wanted:
        arguments = chance.choice(every)
        if str(arguments) not in known:
            known[str(arguments)] = written_by(program, folder, arguments, "results/result")
            os.remove(result)
        whole, usual = known[str(arguments)]
        before = chance.choice((None, b"before"))
        if before is not None:
            folder.write("results/result", before)
        sent = chance.choice(signals)
        child = program.start(arguments, cwd=folder.path)
        wait_for_progress(child, chance.randrange(len(folder.contents["data.txt"]) + len(whole)))
        child.send_signal(sent)
        ended = finish(child)
        found = read_bytes(result) if os.path.exists(result) else None
        left = set(os.listdir(folder.at("results"))) - {"result"}
        # Between two system calls, a new file has a temporary name when it takes the place of another.
        replacing = before is not None and len(left) == 1 and all(map(is_recognisable, left))
        kind = outcome((ended[0], ended[1], without_notes(ended[2], usual.err)), {b""}, sent=(sent,), statuses=(usual.status,))
        if found not in (whole, before) or (ended[0] == usual.status and found != whole):
            kind = WRONG
        elif left and not replacing:
            kind = OTHER
        if ended[0] == usual.status and kind == RIGHT:
            row.leave_out("were done before")
        else:
            row.add(kind, f"{arguments} {sent}: {ended[0]} {ended[2][-300:]} {left}")
        for name in os.listdir(folder.at("results")):
            os.remove(folder.at(f"results/{name}"))


def kills_of_named(program, row, work, trials):
    """The same where temporary files have names: a recognisable one may be left."""
    directory = os.path.join(work, "named")
    os.makedirs(directory)
    result = os.path.join(directory, "result")
    arguments = ["generate", "--rows", "200000", "-o", result]
    program.answer(arguments, before=WITHOUT_PROC)
    whole = read_bytes(result)
    os.remove(result)
    tried = row.chance()
    wanted = row.count(trials)
    while row.trials < wanted and row.late < 20 * wanted:
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
    folder = Folder(program, os.path.join(work, "inputs"), 2000)
    write_odd(folder, 5000)
    for question in questions():
        if question.parts_of:
            folder.write_parts(question.parts_of)
    mount = folder.at("small")
    os.makedirs(mount)
    chance = row.chance()
    every, known = list(with_output(folder, "small/result")), {}
    for _ in range(row.count(trials)):
        arguments = chance.choice(every)
        if str(arguments) not in known:
            known[str(arguments)] = written_by(program, folder, arguments, "small/result")
            os.remove(folder.at("small/result"))
        whole, usual = known[str(arguments)]
        # From much too little to enough.
        size = 4096 * (1 + chance.randrange(2 + len(whole) // 2048))
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", mount], check=True)
        try:
            status, out, err = program.run(arguments, cwd=folder.path)
            found = read_bytes(folder.at("small/result")) if os.path.exists(folder.at("small/result")) else None
            left = set(os.listdir(mount)) - {"result"}
        finally:
            subprocess.run(["umount", mount], check=True)
        row.add(judge_file(usual, (status, out, err), found, whole, None, left), f"{arguments} {size}: {status} {out} {err} {left}")


def judge_file(usual, ended, found, whole, before, left):
    """Returns the outcome of a run that writes a file, which may have had other content before."""
    status, out, err = ended
    kind = outcome((status, out, without_notes(err, usual.err)), {b""}, statuses=(usual.status,))
    if found != (whole if status == usual.status else before):
        return WRONG
    return OTHER if left else kind


def file_size_limit(program, row, work, trials):
    """Limits the size of files: a write beyond it fails, and no signal ends the program."""
    folder = Folder(program, os.path.join(work, "limited"), 2000)
    write_odd(folder, 5000)
    for question in questions():
        folder.answer(question)
    os.mkdir(folder.at("results"))
    result = folder.at("results/result")
    to_file, known = list(with_output(folder, "results/result")), {}
    chance = row.chance()
    for _ in range(row.count(trials)):
        if chance.random() < 0.3:
            # Standard output is a file too, where the result goes there.
            question = chance.choice(questions())
            answer = folder.answer(question)
            size = 1 + chance.randrange(2 * len(answer.out) + 2)
            with Run(folder, question, before=["prlimit", f"--fsize={size}"]) as run:
                status, out, err = run.finish()
            # It keeps the beginning of the result.
            kind = question.judge((status, out if status == answer.status else b"", err), answer)
            row.add(kind if answer.out.startswith(out) or question.form == "text" else WRONG, f"{question} {size}: {status} {err}")
            continue
        arguments = chance.choice(to_file)
        if str(arguments) not in known:
            known[str(arguments)] = written_by(program, folder, arguments, "results/result")
            os.remove(result)
        whole, usual = known[str(arguments)]
        size = 1 + chance.randrange(2 * len(whole) + 2)
        before = chance.choice((None, b"before"))
        if before:
            folder.write("results/result", before)
        ended = program.run(arguments, ["prlimit", f"--fsize={size}"], cwd=folder.path)
        found = read_bytes(result) if os.path.exists(result) else None
        left = set(os.listdir(folder.at("results"))) - {"result"}
        row.add(judge_file(usual, ended, found, whole, before, left), f"{arguments} {size}: {ended} {left}")
        for name in os.listdir(folder.at("results")):
            os.remove(folder.at(f"results/{name}"))


HOSTILE = ("\x1b]0;title\x07", "\x1b[2J", "\x1b[31m", "\u202e", "\u2066", "\x9b31m", "<script>alert(1)</script>",
           "=cmd()", "\x00", "\r", "\x7f", "\u200b")
# The program's own codes: bold, dim, and back.
OUR_CODES = re.compile(rb"\x1b\[[0-2]?m")
HARMFUL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def hostile_text(program, row, work, trials):
    """Shows hostile fields of every column on a terminal, which must not get their codes."""
    folder = Folder(program, os.path.join(work, "hostile"), 20)
    cm = folder.contents["cm.txt"].split(b"\n", 1)
    asked = [question for question in questions() if question.scanned == "data.txt" and "--range" not in question.words
             and question.form not in ("parquet", "arrow", "html")]
    for question, text, columns in row.pick(itertools.product(asked, HOSTILE, ((7,), (4,), (13,), (0, 20))), trials):
        words = list(question.words)
        # What a terminal gets by itself is text; of rows that differ, their numbers.
        if "-f" in words and question.command != "diff":
            del words[words.index("-f"):words.index("-f") + 2]
        fields = [f"{text}{i}" if i in columns else str(i) for i in range(21)]
        if columns == (7,):
            fields[7] = f"ROE{text}, ANN{text}"
        committee = cm[0].split(b"|")
        fields[0] = committee[0].decode() if 0 not in columns else fields[0]
        committee[1] = text.encode()
        folder.write("cm.txt", b"|".join(committee) + b"\n" + cm[1])
        folder.write("data.txt", ("|".join(fields) + "\n" + text + "|\n").encode())
        status, shown = on_a_terminal(program, [*words, "data.txt"], folder.path)
        harmful = HARMFUL.search(OUR_CODES.sub(b"", shown).decode(errors="replace"))
        row.add(RIGHT if status in (0, 1) and not harmful else OTHER, f"{question} {text!r}: {status} {shown}")


def on_a_terminal(program, arguments, directory):
    master, slave = pty.openpty()
    child = program.start(arguments, stdin=slave, stdout=slave, stderr=slave, cwd=directory)
    os.close(slave)
    shown = b""
    try:
        while more := os.read(master, 65536):
            shown += more
    except OSError:
        pass  # that is how a terminal ends
    os.close(master)
    return finish(child)[0], shown
