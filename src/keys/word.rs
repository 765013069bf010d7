//! Keys of a few bytes, made without a detour over memory.

use super::KeyFunction;
use crate::fec::derived;
use crate::scan::Cell;

/// The key of a row, as far as it is made.
///
/// Bytes that were just written in pieces can't be loaded at once: the processor waits until the pieces have reached
/// its cache. These are put together in registers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyWord {
    /// The first byte is the lowest. Zeros follow the last.
    bytes: u128,
    /// The number of bytes. With more than sixteen, or a value that was too long, the bytes are noise.
    length: usize,
}

/// The most bytes of a key.
const BYTES_MAX: usize = 16;

/// Stands for the length of a value that is too long.
const TOO_LONG: usize = BYTES_MAX + 1;

impl KeyWord {
    /// Appends what a function made of a column, after a pipe.
    #[inline(always)]
    fn push(&mut self, (bytes, length): (u64, usize)) {
        let bytes = u128::from(bytes) << 8 | u128::from(b'|');
        // A key that begins behind the last byte is too long, and noise.
        self.bytes |= bytes.wrapping_shl(8 * self.length as u32);
        self.length += 1 + length;
    }

    /// Returns the key as [`Cell::wide_word`] does. Also none, if a value of it has more than eight bytes.
    #[inline(always)]
    pub(crate) fn wide_word(self) -> Option<u128> {
        if self.bytes as u8 == 0 || self.length > BYTES_MAX {
            return None;
        }
        Some(self.bytes << (u128::BITS - 8 * self.length as u32))
    }
}

/// Says whether values of this function can be a part of key words.
pub(crate) fn has_words(function: KeyFunction) -> bool {
    match function {
        KeyFunction::Bytes | KeyFunction::Month | KeyFunction::Year | KeyFunction::Zip5 => true,
        KeyFunction::FirstName | KeyFunction::LastName => false,
    }
}

/// Appends what `function` makes of the cells of a column to the key of each row: after a pipe, unless the key is to
/// begin with it.
pub(crate) fn push_column<'a, const FIRST: bool>(
    keys: &mut [KeyWord],
    function: KeyFunction,
    cells: impl Iterator<Item = Cell<'a>>,
) {
    let rows = keys.iter_mut().zip(cells);
    let push = |key: &mut KeyWord, value: (u64, usize)| match FIRST {
        true => (key.bytes, key.length) = (value.0.into(), value.1),
        false => key.push(value),
    };
    // A loop for each function, instead of a choice for each row.
    match function {
        KeyFunction::Bytes => rows.for_each(|(key, cell)| push(key, bytes(cell))),
        KeyFunction::Month => rows.for_each(|(key, cell)| push(key, month(cell))),
        KeyFunction::Year => rows.for_each(|(key, cell)| push(key, year(cell))),
        KeyFunction::Zip5 => rows.for_each(|(key, cell)| push(key, zip5(cell))),
        KeyFunction::FirstName | KeyFunction::LastName => {
            rows.for_each(|(key, _)| push(key, (0, TOO_LONG)));
        }
    }
}

/// Returns up to eight bytes of a column, the first one lowest, and their number.
#[inline(always)]
fn bytes(cell: Cell<'_>) -> (u64, usize) {
    match cell.word() {
        Some(word) => (word >> (u64::BITS - 8 * cell.len() as u32), cell.len()),
        None if cell.is_empty() => (0, 0),
        None => (0, TOO_LONG),
    }
}

#[inline(always)]
fn month(cell: Cell<'_>) -> (u64, usize) {
    match month_of_eight(cell) {
        Some(month) => (month & (u64::MAX >> 8), 7),
        None => first(derived::month(&cell)),
    }
}

#[inline(always)]
fn year(cell: Cell<'_>) -> (u64, usize) {
    match month_of_eight(cell) {
        Some(month) => (month & u64::from(u32::MAX), 4),
        None => first(derived::year(&cell)),
    }
}

#[inline(always)]
fn zip5(cell: Cell<'_>) -> (u64, usize) {
    first(derived::zip5(&cell).first_chunk::<5>().copied())
}

/// Returns the month of a date of eight digits, and a byte of noise.
#[inline(always)]
fn month_of_eight(cell: Cell<'_>) -> Option<u64> {
    let date = cell.word().filter(|_| cell.len() == 8)?;
    derived::month_of_date(date.to_le_bytes()).map(u64::from_le_bytes)
}

/// Returns a few bytes as a number, and their number.
#[inline(always)]
fn first<const N: usize>(bytes: Option<[u8; N]>) -> (u64, usize) {
    let Some(bytes) = bytes else { return (0, 0) };
    let mut word = [0; 8];
    word[..N].copy_from_slice(&bytes);
    (u64::from_le_bytes(word), N)
}

#[cfg(test)]
mod tests {
    use super::super::append;
    use super::*;

    /// Keys of values of every function are the same as words and as bytes written to memory.
    #[test]
    fn words_are_keys_written_to_memory() {
        let columns: [&[u8]; 18] = [
            b"",
            b"\0",
            b"C",
            b"CA",
            b"\0A",
            b"12345",
            b"1234567",
            b"12345678",
            b"123456789",
            b"01312018",
            b" 01312018",
            b"01/31/2018",
            b"0131201x",
            b"201802029090000001",
            b"90049-12",
            b"9004",
            b"K1A 0B1",
            b"a long name, of somebody",
        ];
        let functions = [KeyFunction::Bytes].into_iter().chain(KeyFunction::NAMED);
        let functions: Vec<_> = functions.collect();
        let word_of = |parts: &[(KeyFunction, Cell<'_>)]| {
            let mut words = [KeyWord::default()];
            for (nth, &(function, cell)) in parts.iter().enumerate() {
                let cells = [cell].into_iter();
                match nth {
                    0 => push_column::<true>(&mut words, function, cells),
                    _ => push_column::<false>(&mut words, function, cells),
                }
            }
            words[0].wide_word()
        };
        let mut made = 0;
        for behind in [&b""[..], b"|12345678901234567"] {
            let columns = columns.map(|column| ([column, behind].concat(), column.len()));
            let cells = columns
                .iter()
                .map(|(rest, length)| Cell::new(rest, *length));
            let cells: Vec<_> = cells.collect();
            for (&one, &other) in cells
                .iter()
                .flat_map(|one| cells.iter().map(move |o| (one, o)))
            {
                for &function in &functions {
                    for parts in [
                        &[(function, one)][..],
                        &[(function, one), (KeyFunction::Bytes, other)],
                        &[(KeyFunction::Bytes, other), (function, one)],
                        &[
                            (KeyFunction::Month, other),
                            (function, one),
                            (KeyFunction::Bytes, one),
                        ],
                    ] {
                        let mut key = Vec::new();
                        let mut is_short = true;
                        for (nth, &(function, cell)) in parts.iter().enumerate() {
                            key.extend((nth > 0).then_some(b'|'));
                            let start = key.len();
                            append(function, cell, &mut key);
                            is_short &= has_words(function) && key.len() - start <= 8;
                        }
                        let expected = Cell::from(&key[..]).wide_word().filter(|_| is_short);
                        let found = word_of(parts);
                        assert_eq!(found, expected, "{parts:?}");
                        made += usize::from(found.is_some());
                    }
                }
            }
        }
        assert!(made > 1000, "{made} keys were made");
    }
}
