//! Numbers packed to as few bits as they have: the three encodings of Parquet that do it.
//!
//! The format: <https://parquet.apache.org/docs/file-format/data-pages/encodings/>.

/// The number of bits of a value; none for zero.
pub(super) fn bits(value: u64) -> u32 {
    u64::BITS - value.leading_zeros()
}

/// Packs `values` of `width` bits, from the lowest bit of the first byte on. The last byte is padded.
pub(super) fn pack<T: Copy + Into<u64>>(values: &[T], width: u32, out: &mut Vec<u8>) {
    if width == 0 {
        return;
    }
    let (mut word, mut filled) = (0_u64, 0);
    for &value in values {
        let value: u64 = value.into();
        word |= value << filled;
        filled += width;
        if filled >= u64::BITS {
            out.extend_from_slice(&word.to_le_bytes());
            filled -= u64::BITS;
            word = match filled {
                0 => 0,
                _ => value >> (width - filled),
            };
        }
    }
    let rest = filled.div_ceil(8) as usize;
    out.extend_from_slice(&word.to_le_bytes()[..rest]);
}

/// Runs shorter than this are packed.
const RUN: usize = 8;

/// Encodes `values` of `width` bits as runs of the same value and packed groups of eight.
pub(super) fn encode_runs(values: &[u32], width: u32, out: &mut Vec<u8>) {
    let (mut packed, mut at) = (0, 0);
    while at < values.len() {
        let value = values[at];
        let same = values[at..].iter().take_while(|&&v| v == value).count();
        // Packed values come by eights, the last ones of all excepted.
        let taken = (at - packed).next_multiple_of(8) - (at - packed);
        at += same;
        if same >= RUN + taken {
            encode_packed(&values[packed..at - same + taken], width, out);
            push_varint(((same - taken) as u64) << 1, out);
            out.extend_from_slice(&value.to_le_bytes()[..width.div_ceil(8) as usize]);
            packed = at;
        }
    }
    encode_packed(&values[packed..], width, out);
}

fn encode_packed(values: &[u32], width: u32, out: &mut Vec<u8>) {
    if values.is_empty() {
        return;
    }
    let groups = values.len().div_ceil(8);
    push_varint((groups as u64) << 1 | 1, out);
    let end = out.len() + groups * width as usize;
    pack(values, width, out);
    out.resize(end, 0);
}

/// The number of deltas that share a base.
const BLOCK: usize = 128;
/// The number of deltas that share a width.
const MINIBLOCK: usize = 32;

/// Encodes `values` as the differences of neighbours.
pub(super) fn encode_deltas<T: Copy + Into<i64>>(values: &[T], out: &mut Vec<u8>) {
    push_varint(BLOCK as u64, out);
    push_varint((BLOCK / MINIBLOCK) as u64, out);
    push_varint(values.len() as u64, out);
    let mut last = values.first().map_or(0, |&first| first.into());
    push_zigzag(last, out);
    let mut deltas = [0_i64; BLOCK];
    for block in values.get(1..).unwrap_or_default().chunks(BLOCK) {
        for (delta, &value) in deltas.iter_mut().zip(block) {
            let value: i64 = value.into();
            *delta = value.wrapping_sub(last);
            last = value;
        }
        let deltas = &deltas[..block.len()];
        let base = deltas.iter().copied().min().unwrap_or_default();
        push_zigzag(base, out);
        let widths = out.len();
        out.resize(widths + BLOCK / MINIBLOCK, 0);
        for (nth, deltas) in deltas.chunks(MINIBLOCK).enumerate() {
            let mut above = [0_u64; MINIBLOCK];
            for (above, &delta) in above.iter_mut().zip(deltas) {
                *above = delta.wrapping_sub(base).cast_unsigned();
            }
            let width = bits(above.iter().fold(0, |all, above| all | above));
            out[widths + nth] = width as u8;
            pack(&above, width, out);
        }
    }
}

pub(super) fn push_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn push_zigzag(value: i64, out: &mut Vec<u8>) {
    push_varint((value << 1 ^ value >> 63).cast_unsigned(), out);
}
