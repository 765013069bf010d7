"""Row 15: compressed inputs that are damaged, cut, bombs, lie about themselves, or have very many members."""
import itertools
import os
import random
import struct
import subprocess
import zlib

from needs import have
from questions import Folder, questions, without_notes
from trial import ERROR, OTHER, RIGHT, outcome

# What tells the format is not damaged: without it, a file is another one, and a text.
MAGIC_BYTES = 4
STORED, DEFLATED, BZIP2 = 0, 8, 12
ENCRYPTED = 1


def gzip(content, level=6):
    """`content` as one member."""
    packer = zlib.compressobj(level, zlib.DEFLATED, 31)
    return packer.compress(content) + packer.flush()


def deflated(content):
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()


class Member:
    """A member of a zip archive, with every field as it is written."""

    def __init__(self, name, content, method=DEFLATED):
        self.name = self.local_name = name
        self.method = self.local_method = method
        self.packed = deflated(content) if method == DEFLATED else content
        self.crc = self.local_crc = zlib.crc32(content)
        self.size = self.local_size = len(content)
        self.packed_size = self.local_packed_size = len(self.packed)
        self.flags = 0
        self.at = None  # where the directory says that it begins, if not where it does

    def local(self):
        return struct.pack("<4s5H3I2H", b"PK\3\4", 20, self.flags, self.local_method, 0, 33, self.local_crc,
                           self.local_packed_size, self.local_size, len(self.local_name), 0) + self.local_name + self.packed

    def entry(self, at):
        at = at if self.at is None else self.at
        return struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, self.flags, self.method, 0, 33, self.crc, self.packed_size,
                           self.size, len(self.name), 0, 0, 0, 0, 0o100644 << 16, at) + self.name


def archive(members):
    """A zip archive, with ZIP64 records if there are too many members for others."""
    body, directory = bytearray(), bytearray()
    for member in members:
        directory += member.entry(len(body))
        body += member.local()
    number, size, at = len(members), len(directory), len(body)
    end = b""
    if number > 0xfffe:
        end = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, number, number, size, at)
        end += struct.pack("<4sIQI", b"PK\6\7", 0, at + size, 1)
    few = min(number, 0xffff)
    return bytes(body + directory) + end + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, few, few, size, at, 0)


def zstd(content):
    """Returns `content` as one frame with a checksum."""
    return subprocess.run(["zstd", "-q", "-c", "--check"], input=content, stdout=subprocess.PIPE, check=True).stdout


class Trials:
    """Runs the program on compressed files, whose whole text has a known answer."""

    def __init__(self, program, row, work):
        self.program, self.row = program, row
        self.base = Folder(program, os.path.join(work, "whole"), 300)
        lines = [line + b"\n" for line in self.base.contents["data.txt"].split(b"\n")[:-1]]
        # The sizes differ, and the last is a line.
        self.pieces = [b"".join(lines[start:end]) for start, end in ((0, 170), (170, 299), (299, 300))]
        self.directory = self.base.link(os.path.join(work, "compressed"), but=("data.txt",))
        self.names = {*os.listdir(self.directory), "data.txt"}
        self.folders = {}
        # Texts for people say that the file is packed, rows are reported by member, and the first rows are out before a checksum.
        self.questions = [question for question in questions() if question.can_be_piped
                          and not {"--strict", "--head"} & set(question.words)
                          and (question.form not in ("text", "html", "markdown") or question.command in ("count", "export"))]
        self.work = work

    def answer(self, question, text):
        """Returns the answer to `text` as it is."""
        if text not in self.folders:
            path = os.path.join(self.work, f"text{len(self.folders)}")
            self.folders[text] = self.base if text == self.base.contents["data.txt"] else Folder(self.program, path, content=text)
        return self.folders[text].answer(question)

    def run(self, question, packed, texts, what, options=(), no_answer=False, keeps_right=True):
        """One trial: the answer is that to one of the `texts`, or there is one message which says where, and no result. The
        rows that an export keeps are right ones, unless damage is seen by a checksum that comes after them."""
        answers = [] if no_answer else [self.answer(question, text) for text in texts]
        with open(os.path.join(self.directory, "data.txt"), "wb") as file:
            file.write(packed)
        ended = self.program.run(question.arguments(options), cwd=self.directory)
        status, out, err = ended
        if status == 2 and question.keeps and not keeps_right:
            out = b""
        kinds = [question.judge((status, out, without_archive_notes(err, answer)), answer) for answer in answers]
        if no_answer:
            kinds = [outcome((status, b"" if question.keeps and status == 2 else out, err), set())]
        kind = RIGHT if RIGHT in kinds else ERROR if ERROR in kinds else kinds[0]
        said = without_notes(err, b"")
        if kind == ERROR and not (said.startswith(b"fecscan: data.txt: ") and said.count(b"\n") == 1):
            kind = OTHER
        if set(os.listdir(self.directory)) != self.names:
            kind = OTHER
        self.row.add(kind, f"{what}: {question} {options}: {status} {out[:200]} {err}")
        return kind


def without_archive_notes(err, answer):
    """Returns the messages of a run without notes about members, if the others are those of the answer."""
    return answer.err if not without_notes(err, answer.err) else err


def damaged(program, row, work, trials):
    """Whole files of each format, of which some bytes are changed, or which are cut, or of which a piece is missing or
    there twice."""
    tried = Trials(program, row, work)
    text, pieces = b"".join(tried.pieces), tried.pieces
    # Members that end where the file is cut are a shorter file.
    shorter = [b"".join(pieces[:n]) for n in (1, 2)]
    files = {
        "gzip": (gzip(text), [text]),
        "gzip of three": (b"".join(map(gzip, pieces)), [text, *shorter]),
        "zip": (archive([Member(b"itcont.txt", text)]), [text]),
        "zip of three": (archive([Member(b"%d.txt" % i, piece, (DEFLATED, STORED)[i % 2])
                                  for i, piece in enumerate(pieces)]), [text]),
    }
    if have("zstd"):
        files["zstd"] = (zstd(text), [text])
        files["zstd of three"] = (b"".join(map(zstd, pieces)), [text, *shorter])
    for name, (packed, texts) in files.items():
        for question in tried.questions:
            kind = tried.run(question, packed, texts[:1], f"{name}, whole")
            assert kind == RIGHT, (name, str(question))
    for trial in row.share.of(range(row.scaled(trials))):
        chance = random.Random(f"{program.seed} {trial}")
        name, question = chance.choice(sorted(files)), chance.choice(tried.questions)
        packed, texts = files[name]
        at = lambda: chance.randrange(MAGIC_BYTES, len(packed))
        # Half of the damage is where the directory, or the checksum, is.
        near_end = lambda: max(MAGIC_BYTES, len(packed) - 1 - chance.randrange(200))
        how = chance.choice(("bit", "bytes", "cut", "missing", "twice", "zeros", "more"))
        spoiled = bytearray(packed)
        where = chance.choice((at, near_end))()
        length = chance.choice((1, 2, 4, 8, chance.randrange(1, 4096)))
        if how == "bit":
            spoiled[where] ^= 1 << chance.randrange(8)
        elif how == "bytes":
            for place in range(where, min(where + length, len(packed))):
                spoiled[place] = chance.randrange(256)
        elif how == "cut":
            del spoiled[where:]
        elif how == "missing":
            del spoiled[where:where + length]
        elif how == "twice":
            spoiled[where:where] = packed[where:where + length]
        elif how == "zeros":
            spoiled[where:where + length] = bytes(len(spoiled[where:where + length]))
        else:
            spoiled += chance.choice((b"\0", b"x", packed[:20], bytes(100)))
        options = chance.choice(((), ("-j", "1"), ("-j", "3", "--task-size", "512")))
        tried.run(question, bytes(spoiled), texts, f"{name}, {how} at {where}, {length} (trial {trial})", options,
                  keeps_right=how == "cut")


def lying(program, row, work, trials):
    """Archives that lie about sizes, checksums, names, methods or places, are encrypted, or have members that share their
    bytes; bombs; and very many members."""
    tried = Trials(program, row, work)
    text, pieces = b"".join(tried.pieces), tried.pieces

    def members():
        return [Member(b"%d.txt" % i, piece, (DEFLATED, STORED)[i % 2]) for i, piece in enumerate(pieces)]

    def one(of, **fields):
        changed = members()
        for field, value in fields.items():
            old = getattr(changed[of], field)
            setattr(changed[of], field, value(old) & 0xffffffff if callable(value) else value)
        return archive(changed)

    cases = []

    def add(what, make, texts=(text,)):
        cases.append((what, make, texts))

    for of in range(3):
        for field in ("size", "local_size", "packed_size", "local_packed_size", "crc", "local_crc"):
            for value in (0, 1, 0xfffffffe, lambda old: old - 1, lambda old: old + 1, lambda old: old * 2):
                add(f"{field} of {of}", lambda of=of, field=field, value=value: one(of, **{field: value}))
        for value in (0, 1, 2 ** 31, lambda old: old - 1, lambda old: old + 1):
            add(f"both sizes of {of}", lambda of=of, value=value: one(of, size=value, local_size=value))
        for field in ("method", "local_method"):
            for value in (STORED, DEFLATED, BZIP2, 99):
                if value != members()[of].method:
                    add(f"{field} of {of}", lambda of=of, field=field, value=value: one(of, **{field: value}))
        add(f"other name of {of}", lambda of=of: one(of, local_name=b"other.txt"))
        add(f"encrypted {of}", lambda of=of: one(of, flags=ENCRYPTED))
        add(f"the place of {of}", lambda of=of: one(of, at=3))
        add(f"the place of {of} behind", lambda of=of: one(of, at=0xfffffff0))
    second = Member(b"b.txt", text)
    second.at = 0
    add("members that share their bytes", lambda: archive([Member(b"a.txt", text), second]))
    add("a name twice", lambda: archive([Member(b"a.txt", pieces[0]), Member(b"a.txt", pieces[1])]))
    add("no member", lambda: archive([]))
    # These have no answer but an error, or too large a one for all questions.
    add("100,001 members", lambda: archive([Member(b"%d.txt" % i, b"|\n", STORED) for i in range(100_001)]), ())
    add("a zip bomb", lambda: archive([bomb_member()]), ())
    add("a gzip bomb", lambda: b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + zeros(2048) + bytes(8), ())
    add("a gzip bomb of members", lambda: gzip(bytes(1 << 20), 9) * 2048, ())
    add("65,536 members", lambda: archive([Member(b"%d.txt" % i, b"|\n", STORED) for i in range(65_536)]), (b"|\n" * 65_536,))
    # A lie may be harmless: the answer is the same, or an error, never another answer.
    some = [question for question in tried.questions if question.check]
    for question, (what, make, texts) in row.pick(itertools.product(some, cases), trials):
        if what == "65,536 members" and question.command != "count":
            continue
        tried.run(question, make(), texts, what, no_answer=not texts, keeps_right=False)


def zeros(mebibytes):
    """So many MiB of zeros, deflated: each looks back at nothing before it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packer.compress(b"")
    first = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return first * mebibytes + b"\3\0"


def bomb_member():
    member = Member(b"bomb.txt", b"")
    member.packed = zeros(2048)
    member.packed_size = member.local_packed_size = len(member.packed)
    member.size = member.local_size = 2048 << 20
    return member
