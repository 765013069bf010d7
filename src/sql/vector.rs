//! The values of an expression in up to 32 rows, side by side, with a mask of those that are not NULL.

use std::borrow::Cow;

use super::types::Type;
use super::value::Value;
use crate::scan::{ROWS, Vector};

/// A bit for each row.
pub(super) type Mask = u32;

/// Returns the mask of the first `rows`.
pub(super) fn first(rows: usize) -> Mask {
    debug_assert!(rows <= ROWS);
    (u64::MAX >> (64 - rows.max(1))) as Mask * Mask::from(rows > 0)
}

/// Calls `see` with the number of each row of a mask.
#[inline(always)]
pub(super) fn each(mut mask: Mask, mut see: impl FnMut(usize)) {
    while mask != 0 {
        see(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}

/// The values of an expression. Those that are NULL are unspecified.
#[derive(Clone, Debug)]
pub(super) struct Values<'a> {
    /// The rows whose value is not NULL.
    pub(super) valid: Mask,
    pub(super) data: Data<'a>,
}

/// Values of one type.
#[derive(Clone, Debug)]
pub(super) enum Data<'a> {
    /// The rows that are true.
    Boolean(Mask),
    /// Numbers of up to 64 bits: whole ones, units of decimals, or days `YYYYMMDD`. Amounts are such numbers.
    Whole([i64; ROWS]),
    /// Whole numbers and units of decimals of 128 bits.
    Wide(Box<[i128; ROWS]>),
    Double([f64; ROWS]),
    Text(Texts<'a>),
}

/// Texts, each somewhere.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "values of 32 rows stay on the stack"
)]
pub(super) enum Texts<'a> {
    /// Cells of a file.
    Cells(&'a Vector<'a>),
    /// Bytes that an expression has made, and where each text lies in them.
    Made(Vec<u8>, [[u32; 2]; ROWS]),
    /// Texts of a table, wherever they lie.
    Slices(Box<[&'a [u8]; ROWS]>),
    /// The same text in all rows.
    Same(Cow<'a, [u8]>),
}

impl<'a> Texts<'a> {
    /// Returns the texts of these rows, one after the other. Where there is no row, the text is empty.
    pub(super) fn gathered(self, rows: impl Iterator<Item = (usize, Option<usize>)>) -> Texts<'a> {
        match self {
            Texts::Cells(cells) => {
                let mut made: [&[u8]; ROWS] = [&[]; ROWS];
                for (nth, row) in rows {
                    made[nth] = row.map_or(&[], |row| cells.cell(row).bytes());
                }
                Texts::Slices(Box::new(made))
            }
            Texts::Made(bytes, spans) => {
                let mut made = [[0; 2]; ROWS];
                rows.for_each(|(nth, row)| made[nth] = row.map_or([0; 2], |row| spans[row]));
                Texts::Made(bytes, made)
            }
            Texts::Slices(texts) => {
                let mut made: [&[u8]; ROWS] = [&[]; ROWS];
                rows.for_each(|(nth, row)| made[nth] = row.map_or(&[], |row| texts[row]));
                Texts::Slices(Box::new(made))
            }
            same @ Texts::Same(_) => same,
        }
    }

    /// Returns the text of a row.
    #[inline(always)]
    pub(super) fn get(&self, row: usize) -> &[u8] {
        match self {
            Texts::Cells(cells) => cells.cell(row).bytes(),
            Texts::Made(bytes, spans) => {
                let [start, end] = spans[row];
                &bytes[start as usize..end as usize]
            }
            Texts::Slices(texts) => texts[row],
            Texts::Same(text) => text,
        }
    }

    /// Returns texts that `make` appends for each row of a mask. Those that it refuses are NULL.
    pub(super) fn made(
        rows: Mask,
        mut make: impl FnMut(usize, &mut Vec<u8>) -> bool,
    ) -> (Texts<'static>, Mask) {
        // Names have some twenty bytes. Growing takes a twentieth of the time of `first_name(NAME) = 'MARY'`.
        let (mut bytes, mut spans, mut valid) = (Vec::with_capacity(512), [[0; 2]; ROWS], 0);
        each(rows, |row| {
            let start = bytes.len();
            if make(row, &mut bytes) {
                valid |= 1 << row;
            } else {
                bytes.truncate(start);
            }
            spans[row] = [start as u32, bytes.len() as u32];
        });
        (Texts::Made(bytes, spans), valid)
    }
}

impl<'a> Values<'a> {
    /// Returns a value for the first `rows`.
    pub(super) fn same(value: &'a Value, rows: usize) -> Values<'a> {
        let data = match value {
            Value::Null => Data::Boolean(0),
            Value::Boolean(is) => Data::Boolean(if *is { Mask::MAX } else { 0 }),
            Value::Whole(number) | Value::Decimal { units: number, .. } => {
                match i64::try_from(*number) {
                    Ok(number) => Data::Whole([number; ROWS]),
                    Err(_) => Data::Wide(Box::new([*number; ROWS])),
                }
            }
            Value::Double(number) => Data::Double([*number; ROWS]),
            Value::Date(day) => Data::Whole([i64::from(*day); ROWS]),
            Value::Text(text) => Data::Text(Texts::Same(Cow::Borrowed(text))),
        };
        let valid = if *value == Value::Null {
            0
        } else {
            first(rows)
        };
        Values { valid, data }
    }

    /// Returns values that are all NULL.
    pub(super) fn null() -> Values<'static> {
        Values {
            valid: 0,
            data: Data::Boolean(0),
        }
    }

    /// Returns the value of a row.
    pub(super) fn get(&self, row: usize, of: Type) -> Value {
        if self.valid >> row & 1 == 0 {
            return Value::Null;
        }
        match (&self.data, of) {
            (Data::Boolean(mask), _) => Value::Boolean(mask >> row & 1 == 1),
            (Data::Whole(numbers), Type::Date) => Value::Date(numbers[row] as u32),
            (Data::Double(numbers), _) => Value::Double(numbers[row]),
            (Data::Text(texts), _) => Value::text(texts.get(row)),
            (_, Type::Decimal(_, scale)) => {
                let units = self.wide(row);
                Value::Decimal { units, scale }
            }
            _ => Value::Whole(self.wide(row)),
        }
    }

    /// Returns the whole number, or the units, of a row.
    #[inline(always)]
    pub(super) fn wide(&self, row: usize) -> i128 {
        match &self.data {
            Data::Whole(numbers) => numbers[row].into(),
            Data::Wide(numbers) => numbers[row],
            _ => 0,
        }
    }

    /// Returns the numbers with a binary exponent of a row.
    #[inline(always)]
    pub(super) fn double(&self, row: usize) -> f64 {
        match &self.data {
            Data::Double(numbers) => numbers[row],
            _ => 0.0,
        }
    }

    /// Returns the text of a row.
    #[inline(always)]
    pub(super) fn text(&self, row: usize) -> &[u8] {
        match &self.data {
            Data::Text(texts) => texts.get(row),
            _ => &[],
        }
    }

    /// Returns the rows that are true, and not NULL.
    #[inline(always)]
    pub(super) fn is_true(&self) -> Mask {
        match self.data {
            Data::Boolean(mask) => mask & self.valid,
            _ => 0,
        }
    }

    /// Returns the rows that are false, and not NULL.
    #[inline(always)]
    pub(super) fn is_false(&self) -> Mask {
        match self.data {
            Data::Boolean(mask) => !mask & self.valid,
            _ => 0,
        }
    }

    /// Returns numbers of 128 bits, whatever their width.
    #[inline(always)]
    pub(super) fn all_wide(&self) -> Cow<'_, [i128; ROWS]> {
        match &self.data {
            Data::Wide(numbers) => Cow::Borrowed(numbers),
            Data::Whole(numbers) => Cow::Owned(numbers.map(i128::from)),
            _ => Cow::Owned([0; ROWS]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_the_first_rows() {
        assert_eq!([0, 1, 31, 32].map(first), [0, 1, u32::MAX >> 1, u32::MAX]);
        let mut seen = Vec::new();
        each(0b1010_0001, |row| seen.push(row));
        assert_eq!(seen, [0, 5, 7]);
    }
}
