"""Row 15: compressed inputs that are damaged, cut, bombs, lie about themselves, or have very many members."""
import os
import random
import struct
import subprocess
import zlib

from trial import ERROR, OTHER, RIGHT, WRONG, outcome

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
    """`content` as one frame with a checksum; none where there is no such program."""
    try:
        return subprocess.run(["zstd", "-q", "-c", "--check"], input=content, stdout=subprocess.PIPE, check=True).stdout
    except FileNotFoundError:
        return None


class Trials:
    """Runs the program on compressed files, whose whole text has a known answer."""

    def __init__(self, program, row, work):
        self.program, self.row = program, row
        self.directory = os.path.join(work, "compressed")
        os.makedirs(self.directory, exist_ok=True)
        with open(os.path.join(work, "data.txt"), "rb") as file:
            lines = file.readlines()
        # The sizes differ, and the last is a line.
        self.pieces = [b"".join(lines[start:end]) for start, end in ((0, 170), (170, 299), (299, 300))]
        self.answers = {}

    def answer(self, command, text):
        """The answer to `text` as it is, as if it were called `input`."""
        key = (tuple(command), text)
        if key not in self.answers:
            path = os.path.join(self.directory, "input")
            with open(path, "wb") as file:
                file.write(text)
            self.answers[key] = self.program.answer([*command, "input"], cwd=self.directory)
        return self.answers[key]

    def run(self, packed, texts, what, command=("count",), noted=False):
        """One trial: the answer is that to one of the `texts`, or there is one message which says where, and no result."""
        right = {self.answer(command, text) for text in texts}
        with open(os.path.join(self.directory, "input"), "wb") as file:
            file.write(packed)
        status, out, err = self.program.run([*command, "input"], cwd=self.directory)
        kind = outcome((status, out, err), right)
        named = err.startswith(b"fecscan: input: ") and err.count(b"\n") == 1
        if kind == ERROR and not named or kind == RIGHT and err and not noted:
            kind = OTHER
        if os.listdir(self.directory) != ["input"]:
            kind = OTHER
        self.row.add(kind, f"{what} {command}: {status} {out[:300]} {err}")
        return kind


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
    if zstd(b"") is None:
        row.note("without zstd, which there is no program here to make")
    else:
        files["zstd"] = (zstd(text), [text])
        files["zstd of three"] = (b"".join(map(zstd, pieces)), [text, *shorter])
    for name, (packed, texts) in files.items():
        assert tried.run(packed, texts[:1], f"{name}, whole") == RIGHT, name
    for trial in row.share.of(range(trials)):
        chance = random.Random(f"{program.seed} {trial}")
        name = chance.choice(sorted(files))
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
        command = chance.choice((("count",), ("--force", "-f", "json"), ("count", "-j", "1"), ("--force", "-f", "json", "--task-size", "512")))
        tried.run(bytes(spoiled), texts, f"{name}, {how} at {where}, {length} (trial {trial})", command)


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

    lies = {
        "sizes": ("size", "local_size", "packed_size", "local_packed_size", "crc", "local_crc"),
        "methods": ("method", "local_method"),
    }
    cases = []
    for of in range(3):
        for field in lies["sizes"]:
            for value in (0, 1, 0xfffffffe, lambda old: old - 1, lambda old: old + 1, lambda old: old * 2):
                cases.append((f"{field} of {of}", lambda of=of, field=field, value=value: one(of, **{field: value}), []))
        for value in (0, 1, 2 ** 31, lambda old: old - 1, lambda old: old + 1):
            cases.append((f"both sizes of {of}", lambda of=of, value=value: one(of, size=value, local_size=value), []))
        for field in lies["methods"]:
            for value in (STORED, DEFLATED, BZIP2, 99):
                if value != members()[of].method:
                    cases.append((f"{field} of {of}", lambda of=of, field=field, value=value: one(of, **{field: value}), []))
        cases.append((f"other name of {of}", lambda of=of: one(of, local_name=b"other.txt"), []))
        cases.append((f"encrypted {of}", lambda of=of: one(of, flags=ENCRYPTED), []))
        cases.append((f"the place of {of}", lambda of=of: one(of, at=3), []))
        cases.append((f"the place of {of} behind", lambda of=of: one(of, at=0xfffffff0), []))
    second = Member(b"b.txt", text)
    second.at = 0
    cases += [
        ("members that share their bytes", lambda: archive([Member(b"a.txt", text), second]), []),
        ("a name twice", lambda: archive([Member(b"a.txt", pieces[0]), Member(b"a.txt", pieces[1])]), []),
        ("no member", lambda: archive([]), []),
        ("65,536 members", lambda: archive([Member(b"%d.txt" % i, b"|\n", STORED) for i in range(65_536)]), [b"|\n" * 65_536]),
        ("100,001 members", lambda: archive([Member(b"%d.txt" % i, b"|\n", STORED) for i in range(100_001)]), []),
        ("a zip bomb", lambda: archive([bomb_member()]), []),
        ("a gzip bomb", lambda: b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + zeros(2048) + bytes(8), []),
        ("a gzip bomb of members", lambda: gzip(bytes(1 << 20), 9) * 2048, []),
    ]
    # A lie may be harmless: the answer is the same, or an error, never another answer.
    step = max(1, len(cases) // trials) if trials else 1
    for what, make, texts in row.share.of(cases[::step]):
        packed = make()
        for command in (("count",), ("--force", "-f", "json")):
            tried.run(packed, texts or [text], what, command)


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
