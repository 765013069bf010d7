"""One trial: the program is run once, something goes wrong, and the run has one of a few outcomes."""
import itertools
import os
import random
import signal
import subprocess
from collections import Counter

TIMEOUT = 600  # seconds that end a hang; trials take a second or two, but the machine may be busy
FEWEST = 6  # trials of a row, however small the scale

RIGHT, ERROR, PANIC, CRASH, WRONG, HANG, OTHER = OUTCOMES = (
    "right answer", "error, status 2", "panic", "crash", "wrong, status 0", "hang", "anything else")


class Program:
    """The program under test, and the seed of random choices."""

    def __init__(self, path, seed):
        self.path = os.path.abspath(path)
        self.seed = seed

    def start(self, arguments, before=(), **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        for name in ("FECSCAN_SIMD", "NO_COLOR", "RUST_BACKTRACE"):
            environment.pop(name, None)
        # The session of its own lets `end` kill exactly the processes of this trial.
        return subprocess.Popen([*before, self.path, *map(os.fspath, arguments)], env=environment,
                                start_new_session=True, **options)

    def run(self, arguments, before=(), seconds=TIMEOUT, **options):
        """Runs the program to its end. Returns status (None if it hung), standard output and standard error."""
        return finish(self.start(arguments, before, **options), seconds)

    def answer(self, arguments, **options):
        """Returns the output of a run without faults."""
        status, out, err = self.run(arguments, **options)
        assert (status, err) == (0, b""), (arguments, status, err)
        return out


def finish(child, seconds=TIMEOUT):
    try:
        out, err = child.communicate(timeout=seconds)
        return child.returncode, out or b"", err or b""
    except subprocess.TimeoutExpired:
        end(child)
        return None, b"", b""
    except BaseException:
        end(child)
        raise


def end(child):
    os.killpg(child.pid, signal.SIGKILL)
    child.communicate()


def outcome(ended, expected, sent=(), statuses=(0,)):
    """Returns the outcome of a run. `expected` is a set of right answers; `sent` are signals that the trial itself sent."""
    status, out, err = ended
    if status is None:
        return HANG
    if b"panicked" in err:
        return PANIC
    # The C library aborts with this message. A handler of SIGABRT may hide the signal.
    if b"Fatal glibc error: " in err:
        return CRASH
    # Rust aborts the process if an allocation fails, with a message.
    without_memory = err.startswith(b"memory allocation of ") and status in (2, -signal.SIGABRT)
    if without_memory and not out:
        return ERROR
    if status < 0:
        return RIGHT if -status in sent else CRASH
    if status in statuses:
        return RIGHT if out in expected else WRONG
    # The message may be the loader's, which begins with the program's name too.
    return ERROR if status == 2 and err.startswith(b"fecscan: ") and not out else OTHER


class Share:
    """The Nth of some equal parts of all trials."""

    def __init__(self, text="1/1"):
        self.nth, self.parts = map(int, text.split("/"))
        if not 1 <= self.nth <= self.parts:
            raise ValueError(text)

    def of(self, cases):
        """Returns this part of the cases, whose order is the same in all parts."""
        return itertools.islice(cases, self.nth - 1, None, self.parts)

    def number(self, trials):
        """Returns this part of a number of equal trials."""
        return trials * self.nth // self.parts - trials * (self.nth - 1) // self.parts


class Row:
    """A row of the table: a kind of fault, and the outcomes of its trials."""

    def __init__(self, number, fault, log=None, share=Share(), scale=1.0, seed=1):
        self.number, self.fault, self.log, self.share, self.scale, self.seed = number, fault, log, share, scale, seed
        self.outcomes = Counter()
        self.notes = []
        self.seconds = 0.0
        # How many trials do not count because the fault came too late, and the words for them.
        self.late, self.late_what = 0, ""

    def chance(self):
        """Returns random choices that differ from part to part."""
        return random.Random(f"{self.seed} {self.fault} {self.share.nth}")

    def scaled(self, trials):
        return max(FEWEST, round(trials * self.scale))

    def count(self, trials):
        """Returns this part of a number of trials."""
        return self.share.number(self.scaled(trials))

    def pick(self, cases, trials):
        """Returns this part of so many of the cases, or of all of them if they are fewer. All parts agree on the choice."""
        cases = list(cases)
        if self.scaled(trials) < len(cases):
            cases = random.Random(f"{self.seed} {self.fault}").sample(cases, self.scaled(trials))
        return self.share.of(cases)

    def add(self, result, detail=""):
        self.outcomes[result] += 1
        if result not in (RIGHT, ERROR):
            print(f"  {self.number} {self.fault}: {result}: {detail}", file=self.log, flush=True)

    def must_be_right(self, result, detail=""):
        """Adds a trial in which an error is not clean."""
        self.add(OTHER if result == ERROR else result, detail)

    def leave_out(self, what):
        self.late, self.late_what = self.late + 1, what

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def join(self, earlier):
        """Adds the tally of an earlier run of another part."""
        self.outcomes.update(earlier["outcomes"])
        self.seconds += earlier["seconds"]
        self.late, self.late_what = self.late + earlier["late"], self.late_what or earlier["late_what"]
        for text in earlier["notes"]:
            self.note(text)

    def tally(self):
        return {name: getattr(self, name) for name in ("outcomes", "seconds", "late", "late_what", "notes")}

    @property
    def trials(self):
        return sum(self.outcomes.values())

    @property
    def clean(self):
        # A program that ends before any fault reaches it has passed no trial.
        is_tried = self.trials > 0 or self.late == 0
        return is_tried and self.outcomes[RIGHT] + self.outcomes[ERROR] == self.trials

    def cells(self):
        counts = [f"{self.outcomes[kind]:,}" for kind in OUTCOMES]
        notes = [*self.notes, f"{self.late:,} more {self.late_what} and are not counted"] if self.late else self.notes
        return [str(self.number), self.fault + "".join(f"; {note}" for note in notes), f"{self.trials:,}", *counts,
                f"{self.seconds:,.0f}"]


def table(rows):
    total = Row("", "all")
    for row in rows:
        total.outcomes.update(row.outcomes)
        total.seconds += row.seconds
    heads = ["#", "fault", "trials", *OUTCOMES, "seconds"]
    lines = ["| " + " | ".join(heads) + " |", "|---|---|" + "---:|" * (len(heads) - 2)]
    lines += ["| " + " | ".join(row.cells()) + " |" for row in [*rows, total]]
    return "\n".join(lines)
