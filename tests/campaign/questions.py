"""The questions that every row of the campaign draws from, and the right answers to them.

A question is a command line in a folder of inputs. Its right answer is the output of an undisturbed run: one thread, the portable
level, files read and not mapped. Before that output counts as right, it is compared with a slow answer in Python, if the question
has one. Questions without one are other formats of questions that have one.
"""
import functools
import json
import os
import re
import zipfile
import zlib
from dataclasses import dataclass
from typing import Callable, NamedTuple

import slow
from needs import have
from reading import READERS, difference, read_rows
from slow import AMOUNT, DATE, INDIV, column
from trial import OTHER, RIGHT, WRONG, outcome

UNDISTURBED = ("-j", "1", "--simd", "portable", "--io", "read")
NOTE = re.compile(rb"fecscan: (.+: )?note: ")
# The folder's files have names that tell no schema, and fixtures may have no row of it.
SCHEMA = ("--schema", "indiv")
MONTH = "strftime(date, '%Y-%m')"
# The bytes of the file that ranges take.
RANGE = (20_000, 50_000)
# Where partials cut the file.
CUTS = (0, 7_001, 41_234, None)


class Answer(NamedTuple):
    status: int
    out: bytes
    err: bytes


@dataclass(frozen=True)
class Question:
    """A command line; the inputs that it reads, all of them files of the folder; and a slow answer."""
    words: tuple
    inputs: tuple = ("data.txt",)
    # Returns the first difference to the slow answer, of the output and the contents of the inputs.
    check: Callable = None
    # The question whose partials are merged.
    parts_of: "Question" = None
    # What standard output keeps at an error: "rows", or nothing.
    keeps: str = ""

    @property
    def command(self):
        return self.words[0] if not self.words[0].startswith("-") else "report"

    @property
    def scanned(self):
        """Returns the file that is mapped: none for merge and generate."""
        return self.inputs[-1] if self.inputs and not self.parts_of else None

    @property
    def can_be_piped(self):
        # A page tells the time of a file, which a pipe has not.
        # Rows that differ take two passes.
        return self.scanned == "data.txt" and "--range" not in self.words and self.form != "html" and self.command != "diff"

    @property
    def form(self):
        return self.words[self.words.index("-f") + 1] if "-f" in self.words else {"export": "ndjson"}.get(self.command, "text")

    def arguments(self, options=(), out=None, data=None):
        """Returns the command line with more options, perhaps with an output, and another path of the scanned file."""
        files = self.files if data is None else [data]
        return [*self.words, *options, *(("-o", out) if out else ()), *files]

    @property
    def files(self):
        """Returns the files that are named without an option."""
        if self.parts_of:
            return [f"{self.parts_of.key}.{nth}.part" for nth in range(len(CUTS) - 1)]
        return [self.scanned] if self.scanned else []

    @property
    def read(self):
        """Returns all files that the program opens."""
        return self.files if self.parts_of else list(self.inputs)

    @property
    def key(self):
        """Returns a name for files that belong to the question."""
        return f"{self.command}-{zlib.crc32(' '.join(self.words).encode()):08x}"

    def settings(self, level, io, threads, task_bytes):
        """Returns options that decide how the work is done."""
        if self.parts_of:
            # A merge says if it has more threads than processors.
            return ["-j", str(min(threads, len(os.sched_getaffinity(0))))]
        return ["-j", str(threads), "--simd", level, "--io", io, "--task-size", str(task_bytes)]

    def __str__(self):
        return " ".join(self.arguments())

    def judge(self, ended, answer, keeps_part=False):
        """Returns the outcome of a run. After an error, an export's standard output may hold whole rows, or a part of one
        where the program ended at once."""
        status, out, err = ended
        if status == answer.status and status is not None and b"panicked" not in err and b"Fatal" not in err:
            # Notes are part of the answer.
            if out != answer.out:
                return WRONG
            return RIGHT if err == answer.err else OTHER
        if status == 2 and self.command == "count" and out.startswith(b"0 "):
            # As wc does.
            out = b""
        if status == 2 and out and (self.keeps or self.form == "xlsx"):
            if not is_beginning(self.form, out, answer.out, keeps_part):
                return OTHER
            out = b""
        kind = outcome((status, out, without_notes(err, answer.err)), set(), statuses=())
        # Status 0 or 1 where another one is right.
        return WRONG if status in (0, 1) and kind == OTHER else kind


def without_notes(err, usual):
    """Returns messages without the notes of an undisturbed run."""
    lines = err.splitlines(keepends=True)
    return b"".join(line for line in lines if line not in usual.splitlines(keepends=True) and not NOTE.match(line))


def is_beginning(form, out, whole, keeps_part):
    """Tells whether `out` is the beginning of the whole output, and ends with a row. A workbook has no rows that end."""
    if form == "xlsx":
        return keeps_part and whole.startswith(out)
    if form == "json" and out.endswith(b"\n]\n"):
        # The list of the rows so far is closed.
        out = out.removesuffix(b"\n]\n")
        return whole.startswith(out) and whole[len(out):len(out) + 1] in (b",", b"\n")
    if form == "json" and out == b"[]\n":
        return True
    if form == "text":
        # The widths of columns may differ.
        pieces = lambda text: [b" ".join(line.split()) for line in text.split(b"\n")]
        found, right = pieces(out), pieces(whole)
        last = found.pop()
        return found == right[:len(found)] and (not last or keeps_part)
    if form in ("parquet", "arrow"):
        found, right = read_rows(form, out), read_rows(form, whole)
        return found == right[:len(found)]
    return whole.startswith(out) and (keeps_part or out.endswith(b"\n"))


def check_report(start=0, end=None, **asked):
    def check(out, contents):
        found = json.loads(out)
        right = slow.report(contents["data.txt"], start, end, **asked)
        wrong = [key for key in right if found.get(key) != right[key]]
        return f"{wrong[0]}: {found.get(wrong[0])} instead of {right[wrong[0]]}" if wrong else None
    return check


def check_newlines(out, contents):
    right = contents["data.txt"].count(b"\n")
    return None if int(out.split()[0]) == right else f"{out} instead of {right}"


def check_count(of, start=0, end=None):
    def check(out, contents):
        right = sum(map(of, slow.joined(slow.rows_of(contents["data.txt"], INDIV, start, end), contents)))
        return None if int(out.split()[0]) == right else f"{out} instead of {right}"
    return check


def check_groups(form, keys, aggregates=(), of=lambda row: True, start=0, end=None, top=None, by_sum=False):
    def check(out, contents):
        rows = [row for row in slow.joined(slow.rows_of(contents["data.txt"], INDIV, start, end), contents) if of(row)]
        right = slow.groups(rows, keys, aggregates, top, by_sum)
        return difference(form, out, None, right)
    return check


def check_rows(form, names, of=lambda row: True, start=0, end=None, head=None):
    def check(out, contents):
        rows = [row for row in slow.joined(slow.rows_of(contents["data.txt"], INDIV, start, end), contents) if of(row)]
        right = [[row[name] for name in names] for row in rows[:head]]
        return difference(form, out, list(names), right)
    return check


def check_diff(names, old_rows=False):
    """Compares rows that differ: added and changed ones of the new version, then removed ones, with the changed rows there."""
    def keys_of(content):
        row = lambda line: {**dict.fromkeys(INDIV, b""), **dict(zip(INDIV, line.split(b"|")))}
        lines = [(row(line), line) for line in slow.lines_of(content)]
        found = {}
        for row, line in lines:
            found.setdefault(row["SUB_ID"], []).append(line)
        found.pop(b"", None)
        return [(row, line) for row, line in lines if row["SUB_ID"]], found

    def check(out, contents):
        (old_lines, old), (new_lines, new) = map(keys_of, (contents["old.txt"], contents["data.txt"]))
        changed = {row["SUB_ID"] for row, line in new_lines if line not in old.get(row["SUB_ID"], [line])}
        right = [(b"~" if row["SUB_ID"] in old else b"+", row) for row, line in new_lines if line not in old.get(row["SUB_ID"], [])]
        for row, _ in old_lines:
            if row["SUB_ID"] not in new:
                right.append((b"-", row))
            elif old_rows and row["SUB_ID"] in changed:
                right.append((b"<", row))
        return difference("csv", out, ["change", *names], [[sign, *(row[name] for name in names)] for sign, row in right])
    return check


def report(*words, check=None, **more):
    return Question(("report", "--force", *SCHEMA, *words), check=check, **more)


def export(form, *words, names=INDIV, of=lambda row: True, start=0, end=None, head=None, **more):
    check = check_rows(form, names, of, start, end, head) if form in READERS else None
    chosen = ("--columns", ",".join(names)) if names is not INDIV else ()
    # The check has the bytes of the file.
    chosen += ("--types", "raw") if form in ("csv", "tsv") else ()
    return Question(("export", *SCHEMA, "-f", form, *chosen, *words), check=check, keeps="rows", **more)


def scans():
    """Yields the questions of one file."""
    names = (3, 0, 1, 12)
    asked = ("--name", "3,0,1,12", "--top", "4")
    json_report = report("-f", "json", *asked, check=check_report(names=names))
    yield json_report
    yield report("-f", "json", *asked, "--month-column", "TRANSACTION_DT", check=check_report(names=names, column_of_months=DATE))
    yield report("-f", "json", "--strict", *asked, check=check_report(names=names))
    for form in ("text", "csv", "challenge", "html", "markdown"):
        yield report("-f", form, *asked)

    chosen = lambda row: row["STATE"] in (b"CA", b"NY") and (slow.hundredths(row[AMOUNT]) or 0) >= 10_000
    yield Question(("count",), check=check_newlines)
    yield Question(("count", *SCHEMA, "--where", "STATE IN ('CA', 'NY')", "--where", "amount >= 100"), check=check_count(chosen))
    yield Question(("count", *SCHEMA, "--contributions"), check=check_count(lambda row: row["TRANSACTION_TP"] in slow.CONTRIBUTIONS))

    state = column("STATE")
    most = lambda rows: slow.dollars(max(slow.numbers(rows))) if slow.numbers(rows) else None
    amounts = (lambda rows: slow.total(slow.numbers(rows)), most)
    by_state = ("by", "STATE", *SCHEMA, "--sum", "amount", "--agg", "max(amount)")
    yield Question((*by_state, "-f", "csv"), check=check_groups("csv", [state], amounts, by_sum=True))
    for form in ("text", "html", "parquet", "arrow", "xlsx"):
        yield Question((*by_state, "-f", form))
    first = lambda rows: (b"%s" % str(min(slow.days(rows))).encode()) if slow.days(rows) else None
    zips = lambda rows: slow.distinct(rows, "ZIP_CODE")
    yield Question(("by", f"NAME, {MONTH}", *SCHEMA, "--agg", "min(date), max(amount), count(DISTINCT zip)", "--sort", "count DESC", "-f", "tsv"),
                   check=check_groups("tsv", [column("NAME"), column(DATE, slow.month)], (first, most, zips)))
    yield Question(("by", "first_name(name), entity", *SCHEMA, "--top", "20", "-f", "json"),
                   check=check_json_groups([column("NAME", slow.first_name), column("ENTITY_TP")], top=20))
    # As many groups as rows.
    yield Question(("by", "TRAN_ID", *SCHEMA, "--sum", "amount", "-f", "csv"), check=check_groups("csv", [column("TRAN_ID")], amounts[:1], by_sum=True))
    yield Question(("by", "CITY", *SCHEMA, "--where", "STATE <> 'CA'", "--agg", "count(DISTINCT NAME)", "--sort", "count DESC", "-f", "csv"),
                   check=check_groups("csv", [column("CITY")], (lambda rows: slow.distinct(rows, "NAME"),),
                                      lambda row: row["STATE"] != b"CA"))

    few = ("SUB_ID", "NAME", "CMTE_ID", "MEMO_TEXT")
    for form in ("ndjson", "json", "csv", "tsv", "parquet", "arrow"):
        yield export(form)
    yield export("text")
    # A single column has rules of its own.
    for form, chosen_names in (("ndjson", few), ("csv", few), ("csv", ("CITY",)), ("json", ("CITY",)), ("tsv", ("CITY",))):
        yield export(form, names=chosen_names)
    yield export("csv", "--where", "STATE <> 'CA'", of=lambda row: row["STATE"] != b"CA")
    yield export("ndjson", "--head", "9", head=9)


def check_json_groups(keys, top=None):
    def check(out, contents):
        right = slow.groups(slow.rows_of(contents["data.txt"]), keys, (), top)
        found = json.loads(out)
        right = [[*map(slow.decoded, key), int(count)] for *key, count in right]
        return None if [list(group.values()) for group in found] == right else f"{found} instead of {right}"
    return check


def joins():
    """Yields questions with columns of committees and candidates."""
    with_cm, with_both = ("--with", "cm.txt"), ("--with", "cm.txt", "--with", "cn.txt")
    cm, both = ("cm.txt", "data.txt"), ("cm.txt", "cn.txt", "data.txt")
    total = lambda rows: slow.total(slow.numbers(rows))
    yield Question(("by", "CMTE_NM", *SCHEMA, "--sum", "amount", "-f", "csv", *with_cm), cm,
                   check_groups("csv", [column("CMTE_NM")], (total,), by_sum=True))
    yield Question(("by", f"CAND_NAME, {MONTH}", *SCHEMA, "-f", "tsv", *with_both), both,
                   check_groups("tsv", [column("CAND_NAME"), column(DATE, slow.month)]))
    yield Question(("count", *SCHEMA, "--where", "CMTE_ST = 'CA'", *with_cm), cm, check_count(lambda row: row["CMTE_ST"] == b"CA"))
    yield Question(("by", "STATE", *SCHEMA, "--agg", "count(DISTINCT CMTE_NM)", "--sort", "count DESC", "-f", "csv", *with_cm), cm,
                   check_groups("csv", [column("STATE")], (lambda rows: slow.distinct(rows, "CMTE_NM"),)))
    yield export("csv", *with_both, names=("SUB_ID", "CMTE_NM", "CAND_NAME"), inputs=both)
    yield export("ndjson", *with_cm, "--where", "CMTE_ST IS DISTINCT FROM 'CA'", names=("SUB_ID", "CMTE_NM"), inputs=cm,
                 of=lambda row: row["CMTE_ST"] != b"CA")
    yield export("parquet", *with_cm, names=("SUB_ID", "CMTE_NM", "NAME"), inputs=cm)
    yield Question(("report", "--force", *SCHEMA, "-f", "text", "--where", "CMTE_ST = 'CA'", *with_cm), cm)


def versions():
    """Yields questions of two versions of the file."""
    names = ("SUB_ID", "NAME", "CMTE_ID")
    for words in ((), ("--old",)):
        diff = ("diff", *SCHEMA, "-f", "csv", "--types", "raw", "--columns", ",".join(names), *words, "old.txt")
        yield Question(diff, ("old.txt", "data.txt"), check_diff(names, bool(words)), keeps="rows")


def ranges():
    """Yields questions of the lines that begin in some bytes."""
    start, end = RANGE
    asked = ("--range", f"{start}:{end}")
    yield report("-f", "json", "--name", "1", "--top", "4", *asked, check=check_report(start, end, names=(1,)))
    yield Question(("count", *SCHEMA, "--where", "STATE <> 'CA'", *asked), check=check_count(lambda row: row["STATE"] != b"CA", start, end))
    yield Question(("by", "STATE", *SCHEMA, "-f", "csv", *asked), check=check_groups("csv", [column("STATE")], start=start, end=end))
    yield export("csv", *asked, start=start, end=end)


def slices():
    """Yields questions of an archive of slices, which hold the lines of the file in its order."""
    archive = ("slices.zip",)
    total = lambda rows: slow.total(slow.numbers(rows))
    yield report("-f", "json", "--top", "4", "--slices", check=check_report_of_slices, inputs=archive)
    yield Question(("count", "--slices"), archive, check_newlines)
    yield Question(("by", "STATE", *SCHEMA, "--sum", "amount", "-f", "csv", "--slices"), archive, check_groups("csv", [column("STATE")], (total,), by_sum=True))
    yield export("csv", "--slices", inputs=archive)


def check_report_of_slices(out, contents):
    right, found = slow.report(contents["data.txt"]), json.loads(out)
    wrong = [key for key in right if key != "names" and found.get(key) != right[key]]
    return f"{wrong[0]}: {found.get(wrong[0])} instead of {right[wrong[0]]}" if wrong else None


def merges(scanned):
    """Yields merges of the partials of other questions, whose answer is that of one run."""
    for question in scanned:
        if question.command in ("export", "diff") or "--range" in question.words or question.form in ("html", "challenge", "arrow"):
            continue
        if question.scanned == "data.txt":
            yield Question(("merge", "-f", question.form), tuple(question.inputs), parts_of=question)


@functools.cache
def questions():
    """Returns all questions."""
    scanned = [*scans(), *joins(), *versions(), *ranges()]
    return [*scanned, *slices(), *merges(scanned)]


def another_version(content):
    """Returns the lines but some, some of them changed, the first ones last, and some of other keys."""
    lines = content.splitlines(keepends=True)
    changed = [line.replace(b"|", b"|Z", 1) if nth % 7 == 3 else line for nth, line in enumerate(lines) if nth % 5]
    others = [line.rstrip(b"\r\n") + b"9\n" for line in lines[::11]]
    return b"".join(changed[10:] + changed[:10] + others)


class Folder:
    """A folder with all inputs of the questions, and the right answers to them."""

    def __init__(self, program, path, rows=None, content=None, hostile=True, compared=True):
        self.program, self.path = program, path
        # Slow answers to a large file take too long. The questions are compared on small ones.
        self.compared = compared
        os.makedirs(path, exist_ok=True)
        if content is None:
            self.generate("data.txt", "--rows", str(rows), *(["--hostile"] if hostile else []))
        else:
            self.write("data.txt", content)
        self.generate("cm.txt", "--schema", "cm", "--rows", "400")
        self.generate("cn.txt", "--schema", "cn", "--rows", "300")
        self.write("old.txt", another_version(self.read("data.txt")))
        self.contents = {name: self.read(name) for name in ("data.txt", "old.txt", "cm.txt", "cn.txt")}
        self.answers = {}
        self.write_slices()

    def generate(self, name, *options):
        self.program.answer(["generate", *options, "-o", self.at(name)])

    def at(self, name):
        return os.path.join(self.path, name)

    def read(self, name):
        with open(self.at(name), "rb") as file:
            return file.read()

    def write(self, name, content):
        with open(self.at(name), "wb") as file:
            file.write(content)

    def write_slices(self):
        content = self.contents["data.txt"]
        cuts = [0, *(content.find(b"\n", len(content) * nth // 3) + 1 for nth in (1, 2)), len(content)]
        with zipfile.ZipFile(self.at("slices.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("itcont.txt", content)
            for nth, (start, end) in enumerate(zip(cuts, cuts[1:])):
                archive.writestr(f"by_date/{nth}.txt", content[start:max(start, end)])

    def run(self, question, options=(), **more):
        return self.program.run(question.arguments(options), cwd=self.path, **more)

    def answer(self, question, piped=False):
        """Returns the right answer, which was compared with the slow one."""
        key = (question.words, question.parts_of and question.parts_of.words, piped)
        if key not in self.answers:
            self.answers[key] = self.find_answer(question, piped)
        return self.answers[key]

    def find_answer(self, question, piped):
        if question.parts_of:
            whole = self.answer(question.parts_of)
            self.write_parts(question.parts_of)
            merged = Answer(*self.program.run(question.arguments(), cwd=self.path))
            assert merged[:2] == whole[:2], (str(question), merged, whole)
            return merged
        feed = {"stdin": open(self.at("data.txt"), "rb")} if piped else {}
        arguments = question.arguments(UNDISTURBED, data="-" if piped else None)
        answer = Answer(*self.program.run(arguments, cwd=self.path, **feed))
        said = without_notes(answer.err, b"")
        assert answer.status == 0 and not said or answer.status == 1 and "--strict" in question.words, (arguments, answer)
        if self.compared and question.check and (question.form not in ("parquet", "arrow") or have("pyarrow")):
            found = question.check(answer.out, self.contents)
            assert found is None, f"{' '.join(arguments)} in {self.path}: not the slow answer: {found}"
        return answer

    def write_parts(self, question):
        """Writes partials of ranges that tile the file."""
        for nth, (start, end) in enumerate(zip(CUTS, CUTS[1:])):
            words, at = list(question.words), f"{question.key}.{nth}.part"
            if "-f" in words:
                del words[words.index("-f"):words.index("-f") + 2]
            asked = f"{start}:{'' if end is None else end}"
            ended = self.program.run([*words, "--range", asked, "--partial", at, question.scanned], cwd=self.path)
            assert ended[0] == 0, (question, ended)

    def link(self, path, but=()):
        """Makes a folder with links to all files but some, which trials put there themselves."""
        os.makedirs(path)
        for name in os.listdir(self.path):
            if name not in but:
                os.symlink(os.path.abspath(self.at(name)), os.path.join(path, name))
        return path
