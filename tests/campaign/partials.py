"""Rows 24 and 25: files cut into ranges at any bytes, and archives at any slices, whose partials merge to the bytes of one run, or are
refused by name."""
import itertools
import os
import random
import shutil
import zipfile

from questions import Folder, questions
from settings import ROOT, levels
from trial import CRASH, ERROR, HANG, OTHER, PANIC, RIGHT, WRONG, outcome

QUESTIONS = (
    ["report", "--force", "--schema", "indiv", "--name", "0,1,5,40,1000", "--top", "3", "--strict"],
    ["report", "--force", "--schema", "indiv", "--month-column", "14", "--where", "STATE <> 'CA'", "--name", "3,2"],
    ["count"],
    ["count", "--schema", "indiv", "--where", "NAME ~ 'A'"],
    ["by", "STATE", "--schema", "indiv", "--sum", "amount", "--agg", "avg(amount)"],
    ["by", "NAME, date_trunc('month', date) AS month", "--schema", "indiv", "--agg", "min(date), max(amount), count(DISTINCT CITY)", "--sort", "NAME, month"],
    ["by", "CITY", "--schema", "indiv", "--agg", "count(DISTINCT NAME), median(amount)", "--top", "3", "--contributions"],
    ["by", "SUB_ID", "--schema", "indiv", "--sum", "amount", "--agg", "max(date)"],
    ["by", "CMTE_NM,STATE", "--schema", "indiv", "--sum", "amount", "--with", "cm.txt"],
    ["by", "CAND_NAME", "--schema", "indiv", "--agg", "count(DISTINCT CMTE_NM)", "--with", "cm.txt", "--with", "cn.txt"],
    ["count", "--schema", "indiv", "--where", "CMTE_ST = 'CA'", "--with", "cm.txt"],
)
FORMATS = {"report": ("text", "json", "csv", "challenge"), "count": ("text", "json"), "by": ("text", "json", "csv", "tsv", "markdown", "parquet")}
# Bytes that matter to cutting, and some that don't.
FAVOURED = b"\n\n\r\r|| ,aA0"


def tilings(program, row, work, trials):
    """Makes partials of random tilings of random files, breaks some of them, and merges them in any order."""
    joined = Folder(program, os.path.join(work, "joined"), 1)
    folder = os.path.join(work, "partials")
    for nth in row.share.of(range(row.scaled(trials))):
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        for name in ("cm.txt", "cn.txt"):
            os.symlink(os.path.abspath(joined.at(name)), os.path.join(folder, name))
        row.add(*Trial(program, folder, random.Random(f"{program.seed} {nth}")).run())
    shutil.rmtree(folder, ignore_errors=True)


def flipped_bytes(program, row, work, trials):
    """Changes one byte of a partial, each in turn: the merge refuses it by name."""
    folder = Folder(program, os.path.join(work, "flipped"), 60)
    merged = [question for question in questions() if question.parts_of]
    sizes = {}
    for question in merged:
        folder.answer(question)
        sizes[question] = [(name, os.path.getsize(folder.at(name))) for name in question.files]
    places = ((question, name, place) for question in merged for name, size in sizes[question] for place in range(size))
    chance = row.chance()
    for question, name, place in row.pick(places, trials):
        whole = folder.read(name)
        flipped = bytearray(whole)
        flipped[place] ^= chance.choice((1 << chance.randrange(8), chance.randrange(1, 256)))
        folder.write(name, flipped)
        ended = folder.run(question)
        folder.write(name, whole)
        kind = question.judge(ended, folder.answer(question))
        # A partial that is not what was written is no answer, even if the answer would be the same.
        row.add(OTHER if kind == RIGHT or kind == ERROR and name.encode() not in ended[2] else kind,
                f"{question}: byte {place} of {name}: {whole[place]} became {flipped[place]}: {ended[0]} {ended[1][:200]} {ended[2]}")


class Trial:
    def __init__(self, program, folder, chance):
        self.program, self.folder, self.chance = program, folder, chance
        self.levels = levels(program)
        self.question = list(chance.choice(QUESTIONS))
        self.format = chance.choice(FORMATS[self.question[0]])
        self.reads_slices = chance.random() < 0.4
        if self.reads_slices:
            if "--name" in self.question:
                at = self.question.index("--name")
                del self.question[at:at + 2]
            self.question.append("--slices")
        # The bytes that ranges of each file cut.
        self.extents = {}
        # The partials: the path, the file, the range or none.
        self.partials = []

    def run(self):
        files = [self.make_file(nth) for nth in range(self.chance.choice((1, 1, 2, 3)))]
        whole = self.program.run([*self.question, "-f", self.format, *self.settings(), *files], cwd=self.folder)
        if whole[0] not in (0, 1):
            return OTHER, f"the whole run {self.question} {files}: {whole}"
        for file in files:
            for asked in self.tiling(self.extents[file]):
                problem = self.write_partial(file, asked)
                if problem:
                    return problem
        self.partials = self.any_order()
        fault = self.chance.choice((None, None, None, self.lose, self.double, self.damage, self.cut, self.ask_another, self.change_file))
        culprit = fault() if fault else None
        if culprit is None and self.chance.random() < 0.3:
            self.join_some()
        merged = self.program.run(["merge", "-f", self.format, "-j", "2", *(path for path, *_ in self.partials)], cwd=self.folder)
        detail = f"{self.question} {self.format} {fault and fault.__name__} {self.partials}: {merged}, expected {culprit or whole}"
        kind = outcome(merged, {whole[1]}, statuses=(whole[0],))
        if culprit is None:
            return (RIGHT if kind == RIGHT else kind if kind in (PANIC, CRASH, HANG, WRONG) else OTHER), detail
        if kind == ERROR:
            return (ERROR if os.fsencode(culprit) in merged[2] else OTHER), detail
        return (WRONG if merged[0] in (0, 1) else OTHER), detail

    def make_file(self, nth):
        """Copies a fixture, perhaps with bytes changed, or makes lines of nonsense."""
        path, chance = f"file{nth}.txt", self.chance
        fixtures = sorted(name for name in os.listdir(os.path.join(ROOT, "fixtures")) if name.endswith(".txt"))
        if chance.random() < 0.8:
            with open(os.path.join(ROOT, "fixtures", chance.choice(fixtures)), "rb") as file:
                content = bytearray(file.read())
            for _ in range(chance.choice((0, 0, 1, 20))):
                if content:
                    content[chance.randrange(len(content))] = chance.choice(FAVOURED)
        else:
            content = bytes(chance.choice(FAVOURED) for _ in range(chance.randrange(300)))
        # Copies are the same file, which one run may read twice, and a merge refuses.
        content = b"%d%s" % (nth, bytes(content))
        self.extents[path] = len(content)
        if self.reads_slices and chance.random() < 0.7:
            cuts = sorted(chance.randrange(len(content) + 1) for _ in range(chance.choice((0, 1, 3, 8))))
            self.write_archive(path, [content[start:end] for start, end in zip([0, *cuts], [*cuts, len(content)])])
        else:
            with open(os.path.join(self.folder, path), "wb") as file:
                file.write(content)
        return path

    def write_archive(self, path, slices):
        """Writes an archive of slices, which may be cut inside of lines or empty, and of the member that they repeat."""
        members = [(f"by_date/{nth}.txt", content) for nth, content in enumerate(slices)]
        self.chance.shuffle(members)
        members.insert(self.chance.randrange(len(members) + 1), ("itcont.txt", b"".join(slices)))
        method = self.chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
        with zipfile.ZipFile(os.path.join(self.folder, path), "w", method) as archive:
            for member in members:
                archive.writestr(*member)

    def settings(self):
        chance = self.chance
        return ["-j", str(chance.choice((1, 2, 3))), "--io", chance.choice(("mmap", "read")), "--simd", chance.choice(self.levels),
                "--task-size", str(chance.choice((1, 7, 64, 4096, 1 << 20)))]

    def tiling(self, size):
        """Cuts a file anywhere, also behind its end, and more than once at a place."""
        cuts = sorted(self.chance.randrange(size + 4) for _ in range(self.chance.choice((0, 1, 1, 2, 5))))
        if self.chance.random() < 0.3 and cuts:
            cuts.append(cuts[-1])
        places = ["", *map(str, cuts), ""]
        return list(zip(places, places[1:]))

    def write_partial(self, file, asked, extra=()):
        path = f"{len(self.partials)}.part"
        options = [*self.question, *extra, *self.settings(), "--range", ":".join(asked), "--partial", path, file]
        if asked == ("", "") and self.chance.random() < 0.5:
            options = [*self.question, *extra, *self.settings(), "--partial", path, file]
        ended = self.program.run(options, cwd=self.folder)
        if ended[0] != 0:
            return OTHER, f"{options}: {ended}"
        self.partials.append((path, file, asked))
        return None

    def any_order(self):
        """Returns the partials in any order that names the files in theirs."""
        by_file = [list(pieces) for _, pieces in itertools.groupby(self.partials, lambda partial: partial[1])]
        for pieces in by_file:
            self.chance.shuffle(pieces)
        first = [pieces.pop() for pieces in by_file]
        rest = list(itertools.chain(*by_file))
        self.chance.shuffle(rest)
        return [*first, *rest]

    def join_some(self):
        """Merges the last partials to one."""
        count = self.chance.randrange(1, len(self.partials) + 1)
        kept, joined = self.partials[:-count], self.partials[-count:]
        ended = self.program.run(["merge", "--partial", "joined.part", *(path for path, *_ in joined)], cwd=self.folder)
        if ended[0] == 0:
            self.partials = [*kept, ("joined.part", None, None)]

    def lose(self):
        """Loses a partial of bytes that no other one has. Returns what a refusal names; none if nothing is lost."""
        whole = {file for _, file, asked in self.partials if asked == ("", "")}
        for nth, (_, file, asked) in enumerate(self.partials):
            if file not in whole and self.covers_bytes(file, asked):
                del self.partials[nth]
                return file
        return None

    def covers_bytes(self, file, asked):
        """Tells whether a range holds bytes of its file, and is not empty or behind its end."""
        size = self.extents[file]
        return int(asked[0] or 0) < min(int(asked[1] or size), size)

    def double(self):
        # To count nothing twice changes nothing.
        some = [partial for partial in self.partials if self.covers_bytes(*partial[1:])]
        path, file, asked = self.chance.choice(some)
        if self.chance.random() < 0.5:
            self.partials.append((path, file, asked))
            return path
        shutil.copy(os.path.join(self.folder, path), os.path.join(self.folder, "copy.part"))
        self.partials.append(("copy.part", file, asked))
        return "copy.part"

    def damage(self):
        path = self.chance.choice(self.partials)[0]
        with open(os.path.join(self.folder, path), "r+b") as file:
            place = self.chance.randrange(os.path.getsize(file.name))
            file.seek(place)
            byte = file.read(1)[0]
            file.seek(place)
            file.write(bytes([byte ^ 1 << self.chance.randrange(8)]))
        return path

    def cut(self):
        path = self.chance.choice(self.partials)[0]
        full = os.path.join(self.folder, path)
        os.truncate(full, self.chance.randrange(os.path.getsize(full)))
        return path

    def ask_another(self):
        """Answers another question for one partial."""
        if len(self.partials) < 2:
            return None
        nth = self.chance.randrange(1, len(self.partials))
        path, file, asked = self.partials[nth]
        options = [*self.question, "--where", "ZIP_CODE <> '1'", "--schema", "indiv", "--range", ":".join(asked), "--partial", path, file]
        ended = self.program.run(options, cwd=self.folder)
        return path if ended[0] == 0 else f"could not ask another question: {ended}"

    def change_file(self):
        """Writes one partial anew, of another version of its file."""
        several = [nth for nth, (_, file, _) in enumerate(self.partials) if file in [known for _, known, _ in self.partials[:nth]]]
        if not several:
            return None
        path, file, asked = self.partials[self.chance.choice(several)]
        full = os.path.join(self.folder, file)
        with open(full, "rb") as unchanged:
            content = unchanged.read()
        if zipfile.is_zipfile(full):
            with zipfile.ZipFile(full) as archive:
                names = [name for name in archive.namelist() if name != "itcont.txt"]
                slices = [archive.read(name) for name in names]
            # One line more, in any slice.
            slices[self.chance.randrange(len(slices))] += b"?\n"
            self.write_archive(file, slices)
        else:
            with open(full, "wb") as changed:
                # The same size, or another one.
                changed.write(content[:-1] + (b"?" if self.chance.random() < 0.5 else b"?\n"))
        ended = self.program.run([*self.question, "--range", ":".join(asked), "--partial", path, file], cwd=self.folder)
        with open(full, "wb") as restored:
            restored.write(content)
        return path if ended[0] == 0 else f"could not read the changed file: {ended}"
