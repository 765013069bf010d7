//! Functions of functions as words: `upper(left(NAME, 3))`, and parts of days.

use super::values::{
    ValueWords, amount, cased, first_name, itself, prefix, value_or_null, whole, zip5,
};
use crate::fec::derived;
use crate::scan::Vector;
use crate::scan::simd::Level;

/// A function that makes words of words, for keys that are several of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordStep {
    Upper,
    Lower,
    /// Of at most this number of characters.
    Prefix(u64),
    Zip5,
    /// Of a column as it stands.
    FirstName,
    /// Of a column of dates: of existing days, and NULL of an empty value.
    Day(DayPart),
    /// Of a column of whole numbers, as it stands, or NULL.
    Whole,
    /// Of a column of amounts: the hundredths, or NULL.
    Amount,
}

/// What is taken of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DayPart {
    /// `YYYYMMDD`.
    Day,
    /// The first day of the month.
    FirstOfMonth,
    FirstOfYear,
    Year,
    /// Without a zero in front.
    Month,
    /// `YYYY-MM`.
    YearAndMonth,
}

impl ValueWords {
    /// Returns what `steps` make of the values of a column, one after the other.
    #[inline(always)]
    pub(crate) fn of_steps(
        level: impl Level,
        steps: &[WordStep],
        column: &Vector<'_>,
        rows: usize,
    ) -> ValueWords {
        let (values, rest) = match steps {
            [WordStep::FirstName, rest @ ..] => {
                let mut values = ValueWords::NONE;
                for nth in 0..rows {
                    let value = first_name(level, column.cell(nth));
                    (values.words[nth], values.bits[nth]) = value;
                }
                (values, rest)
            }
            [WordStep::Zip5, rest @ ..] => (ValueWords::with(column, zip5), rest),
            [WordStep::Day(part), rest @ ..] => (ValueWords::of_days(column, *part), rest),
            [WordStep::Whole, rest @ ..] => (ValueWords::with(column, whole), rest),
            [WordStep::Amount, rest @ ..] => (ValueWords::with(column, amount), rest),
            // The whole value may be longer than a word.
            [WordStep::Prefix(most), rest @ ..] => {
                let most = *most;
                let values = ValueWords::with(column, |bytes, length| prefix(bytes, length, most));
                (values, rest)
            }
            _ => (ValueWords::with(column, itself), steps),
        };
        rest.iter().fold(values, |values, step| match *step {
            WordStep::Upper => values.then(|bytes, length| cased(bytes, length, b'a')),
            WordStep::Lower => values.then(|bytes, length| cased(bytes, length, b'A')),
            WordStep::Prefix(most) => values.then(|bytes, length| prefix(bytes, length, most)),
            WordStep::Zip5 => values.then(zip5),
            WordStep::FirstName | WordStep::Day(_) | WordStep::Whole | WordStep::Amount => {
                ValueWords::NONE
            }
        })
    }

    #[inline(always)]
    fn of_days(column: &Vector<'_>, part: DayPart) -> ValueWords {
        match part {
            DayPart::Day => ValueWords::with(column, |bytes, length| {
                let (day, is_right) = day(bytes, length);
                value_or_null(length, is_right, day, 64)
            }),
            DayPart::FirstOfMonth => ValueWords::with(column, |bytes, length| {
                let (day, is_right) = day(bytes, length);
                let first = day & 0x0000_ffff_ffff_ffff | 0x3130_0000_0000_0000;
                value_or_null(length, is_right, first, 64)
            }),
            DayPart::FirstOfYear => ValueWords::with(column, |bytes, length| {
                let (day, is_right) = day(bytes, length);
                let first = day & 0x0000_0000_ffff_ffff | 0x3130_3130_0000_0000;
                value_or_null(length, is_right, first, 64)
            }),
            DayPart::Year => ValueWords::with(column, |bytes, length| {
                let (day, is_right) = day(bytes, length);
                value_or_null(length, is_right, day << 32, 32)
            }),
            DayPart::YearAndMonth => ValueWords::with(column, |bytes, length| {
                let (month, _) = derived::month_of_eight(bytes.to_le_bytes());
                value_or_null(length, day(bytes, length).1, month, 56)
            }),
            DayPart::Month => ValueWords::with(column, |bytes, length| {
                let (_, is_right) = day(bytes, length);
                // Without a zero in front.
                let has_one_digit = bytes as u8 == b'0';
                let digits = bytes << 48;
                let one = digits & 0xff00_0000_0000_0000;
                let word = if has_one_digit { one } else { digits };
                value_or_null(length, is_right, word, if has_one_digit { 8 } else { 16 })
            }),
        }
    }
}

/// Returns a day `YYYYMMDD` of a date of eight digits, and whether the bytes are a day that exists, of a year of four digits. Dates in another form
/// may be days, too.
#[inline(always)]
fn day(bytes: u64, length: u64) -> (u64, bool) {
    let (_, is_month) = derived::month_of_eight(bytes.to_le_bytes());
    let number = |bytes: u64| (bytes & 0xf) * 10 + (bytes >> 8 & 0xf);
    let (month, of_month) = (number(bytes), number(bytes >> 16));
    let is_in_all = of_month.wrapping_sub(1) < 28;
    let is_in_most = (of_month == 29) | (of_month == 30);
    // A bit for each month of 31 days.
    let is_last = (of_month == 31) & (0x15aa >> (month & 15) & 1 == 1);
    let exists = is_in_all | is_in_most & (month != 2) | is_last;
    let has_year = bytes >> 32 & 0xff != u64::from(b'0');
    let is_right = is_month & exists & has_year & (length == 8);
    (bytes.rotate_left(32), is_right)
}
