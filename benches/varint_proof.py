#!/usr/bin/env python3
"""Proves the integers of partials for all 2^64 numbers: src/coding/varint.rs, operation by operation, as formulas of 64 bits.

pip install z3-solver, then: benches/varint_proof.py. Prints a line for each claim, and fails if one has a counterexample. Then it changes
a constant of the code in turn, and fails unless each change breaks a claim.

The argument in short. `spread` adds to a word its upper part times 2^n - 1, so that the part moves up by n bits, into bits that are zero:
no carry. Three such steps move halves of 28 bits, of 14 and of 7 bits apart, so each byte has seven bits of the number. `number_of` takes the
same steps back. The length is the place of the highest bit in groups of seven. The bit for more bytes is set in all but the last,
and `take` finds the first byte without it. Bytes that end too early are left to the tests beside the code: they take the same path, padded with zeros.
"""
import pathlib
import re
import sys

from z3 import BitVec, BitVecVal, Concat, Extract, If, LShR, Or, Solver, UDiv, UGE, ULT, ZeroExt, sat, unsat

WORD = 64
SOURCE = pathlib.Path(__file__).resolve().parent.parent / "src/coding/varint.rs"
CONSTANTS = {
    "MORE": 0x8080_8080_8080_8080,
    "low 56 bits": 0x00FF_FFFF_FFFF_FFFF,
    "upper 28": 0x00FF_FFFF_F000_0000,
    "upper 14": 0x0FFF_C000_0FFF_C000,
    "upper 7": 0x3F80_3F80_3F80_3F80,
    "factor of 28": 15,
    "factor of 14": 3,
    "even bytes": 0x007F_007F_007F_007F,
    "odd bytes": 0x7F00_7F00_7F00_7F00,
    "even 14": 0x0000_3FFF_0000_3FFF,
    "odd 14": 0x3FFF_0000_3FFF_0000,
    "even 28": 0x0000_0000_0FFF_FFFF,
    "odd 28": 0x0FFF_FFFF_0000_0000,
    "bits a byte": 7,
    "sign": 63,
}


def word(number):
    return BitVecVal(number, WORD)


def bit_length(number):
    """64 - (number | 1).leading_zeros()."""
    length = word(1)
    for bit in range(1, WORD):
        length = If(Extract(bit, bit, number) == 1, word(bit + 1), length)
    return length


def spread(number, c):
    bits = number & c["low 56 bits"]
    bits = bits + (bits & c["upper 28"]) * c["factor of 28"]
    bits = bits + (bits & c["upper 14"]) * c["factor of 14"]
    return bits + (bits & c["upper 7"])


def put(number, c):
    """Returns the ten bytes that `put` can write, the first one lowest, and how many of them count."""
    per_byte = c["bits a byte"]
    length = UDiv(bit_length(number) + (per_byte - 1), word(per_byte))
    up_to_eight = (word(1) << (8 * (length - 1))) - 1
    more = If(UGE(length, 9), word(c["MORE"]), c["MORE"] & up_to_eight)
    ninth = Extract(7, 0, LShR(number, 56)) & 0x7F
    tenth = Extract(7, 0, LShR(number, 63))
    ninth = If(tenth == 0, ninth, ninth | 0x80)
    low = spread(number, c) | more
    return Concat(tenth, ninth, low), length


def number_of(bits, c):
    bits = bits & c["even bytes"] | LShR(bits & c["odd bytes"], 1)
    bits = bits & c["even 14"] | LShR(bits & c["odd 14"], 2)
    return bits & c["even 28"] | LShR(bits & c["odd 28"], 4)


def take(written, c):
    """Returns whether there is a number at the start of ten bytes, the number, and its length."""
    low = Extract(63, 0, written)
    ninth, tenth = ZeroExt(56, Extract(71, 64, written)), ZeroExt(56, Extract(79, 72, written))
    ends = ~low & c["MORE"]
    lowest = ends & -ends
    length = word(0)
    for byte in reversed(range(8)):
        length = If(Extract(8 * byte + 7, 8 * byte + 7, ends) == 1, word(byte + 1), length)
    short = number_of(low & (ends ^ (ends - 1)), c)
    last = LShR(low, 8 * (length - 1)) & 0xFF
    is_short = Or(last != 0, length == 1)
    long = number_of(low, c) | (ninth & 0x7F) << 56
    is_nine = ULT(ninth, 0x80)
    is_long = If(is_nine, ninth != 0, tenth == 1)
    in_eight = lowest != 0
    found = If(in_eight, is_short, is_long)
    number = If(in_eight, short, If(is_nine, long, long | word(1) << 63))
    return found, number, If(in_eight, length, If(is_nine, word(9), word(10)))


def claims(c):
    """Yields each claim, and what would refute it."""
    number, behind, bytes_ = BitVec("number", WORD), BitVec("behind", 80), BitVec("bytes", 80)
    written, length = put(number, c)
    # Any bytes can stand behind the ones that count.
    mask = (BitVecVal(1, 80) << (8 * ZeroExt(16, length))) - 1
    found, read, read_length = take(written & mask | behind & ~mask, c)
    yield "take(put(x)) is x, whatever follows", Or(~found, read != number, read_length != length)
    shortest = word(1)
    for size in range(2, 11):
        shortest = If(UGE(number, word(1) << (7 * (size - 1))), word(size), shortest)
    yield "the length is the shortest", length != shortest
    # Read alone, the first byte gives a number of one byte; other lengths are those of the word.
    found, read, read_length = take(bytes_, c)
    again, again_length = put(read, c)
    kept = (BitVecVal(1, 80) << (8 * ZeroExt(16, read_length))) - 1
    different = Or(again_length != read_length, (again ^ bytes_) & kept != 0)
    yield "what take accepts is what put writes", If(found, different, False)
    zigzag = number << 1 ^ number >> c["sign"]
    yield "unzigzag(zigzag(x)) is x", (LShR(zigzag, 1) ^ -(zigzag & 1)) != number
    unzigzag = LShR(number, 1) ^ -(number & 1)
    yield "zigzag(unzigzag(x)) is x", (unzigzag << 1 ^ unzigzag >> c["sign"]) != number


def refuted(refutation):
    """Returns a counterexample, or None if there is none."""
    solver = Solver()
    solver.add(refutation)
    answer = solver.check()
    assert answer in (sat, unsat), f"the solver gave up: {answer}"
    return solver.model() if answer == sat else None


def check_constants():
    """Fails unless the masks of the code are those of the formulas."""
    code = SOURCE.read_text().split("#[cfg(test)]")[0]
    masks = {int(mask.replace("_", ""), 16) for mask in re.findall(r"\b0x[0-9a-f]{4}_[0-9a-f_]+", code)}
    modelled = {mask for mask in CONSTANTS.values() if mask > 0xFFFF}
    if masks != modelled:
        sys.exit(f"the masks differ: {sorted(map(hex, masks ^ modelled))}")


def main():
    check_constants()
    for claim, refutation in claims(CONSTANTS):
        model = refuted(refutation)
        if model is not None:
            sys.exit(f"REFUTED: {claim}: {model}")
        print(f"proved for all numbers of 64 bits: {claim}", flush=True)
    for name, value in CONSTANTS.items():
        changed = CONSTANTS | {name: value ^ (1 << (value.bit_length() - 1)) or 2}
        broken = next((claim for claim, refutation in claims(changed) if refuted(refutation)), None)
        if broken is None:
            sys.exit(f"a changed constant breaks no claim: {name}")
        print(f"a changed constant is noticed: {name}: {broken}", flush=True)


if __name__ == "__main__":
    main()
