"""XXH3-128 of more than 240 bytes, without a seed, as https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md describes it."""
import struct

MASK = (1 << 64) - 1
PRIME32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
PRIME64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
START = (PRIME32[2], *PRIME64[:4], PRIME32[1], PRIME64[4], PRIME32[0])
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
STRIPE, BLOCK = 64, 1024
SHORTEST = 241


def words(data, at=0, count=8):
    return struct.unpack_from(f"<{count}Q", data, at)


SECRETS = [words(SECRET, at) for at in range(0, 129, 8)]


def add_stripe(sums, stripe, secret):
    for nth in range(8):
        keyed = stripe[nth] ^ secret[nth]
        sums[nth ^ 1] = (sums[nth ^ 1] + stripe[nth]) & MASK
        sums[nth] = (sums[nth] + (keyed & 0xFFFFFFFF) * (keyed >> 32)) & MASK


def merged(sums, secret, start):
    for nth in range(4):
        product = (sums[2 * nth] ^ secret[2 * nth]) * (sums[2 * nth + 1] ^ secret[2 * nth + 1])
        start += (product & MASK) ^ product >> 64
    start &= MASK
    start = (start ^ start >> 37) * 0x165667919E3779F9 & MASK
    return start ^ start >> 32


def hash_of(data):
    """Returns the hash as the bytes of a little-endian number."""
    assert len(data) >= SHORTEST
    sums = list(START)
    stripes = (len(data) - 1) // STRIPE
    for nth in range(stripes):
        add_stripe(sums, words(data, nth * STRIPE), SECRETS[nth % 16])
        if nth % 16 == 15:
            sums = [(one ^ one >> 47 ^ key) * PRIME32[0] & MASK for one, key in zip(sums, SECRETS[16])]
    add_stripe(sums, words(data, len(data) - STRIPE), words(SECRET, 121))
    low = merged(sums, words(SECRET, 11), len(data) * PRIME64[0] & MASK)
    high = merged(sums, words(SECRET, 117), ~(len(data) * PRIME64[1]) & MASK)
    return struct.pack("<2Q", low, high)
