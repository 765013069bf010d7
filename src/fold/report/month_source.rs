//! Which column tells the month of a line.

use super::{IMAGE_NUM, NAME, TRANSACTION_DT};
use crate::fec::month::Month;
use crate::fold::months::Months;
use crate::scan::Record;
use crate::scan::columns::Span;
use crate::scan::simd::Level;

/// How the month of a line is read, as a type: what is known when the code is compiled costs
/// nothing for each line.
pub(super) trait MonthSource {
    /// The columns that the report asks for, counted from zero and ascending.
    const COLUMNS: [usize; 2];
    /// Which of these tells the month, and which is NAME.
    const MONTH: usize;
    const NAME: usize;

    /// Counts the month of `record`, if it tells one.
    fn count<L: Level>(level: L, record: &Record<'_, [Span; 2]>, months: &mut Months);
}

pub(super) struct ImageNumber;

impl MonthSource for ImageNumber {
    const COLUMNS: [usize; 2] = [IMAGE_NUM, NAME];
    const MONTH: usize = 0;
    const NAME: usize = 1;

    #[inline(always)]
    fn count<L: Level>(level: L, record: &Record<'_, [Span; 2]>, months: &mut Months) {
        let met_or_made = |months: &mut Months| {
            let first = record.bytes(Self::MONTH, 0)?;
            Some(months.add_met(level, *first) || months.add_digits(*first))
        };
        if met_or_made(months) != Some(true) {
            count_unusual_month(record.column(Self::MONTH), months);
        }
    }
}

/// Counts the month of an image number that is behind white space, or none, or at the very end of
/// the input.
#[cold]
#[inline(never)]
fn count_unusual_month(image_number: Option<&[u8]>, months: &mut Months) {
    if let Some(month) = image_number.and_then(Month::of_image_number) {
        months.add(month, 1);
    }
}

pub(super) struct TransactionDate;

impl MonthSource for TransactionDate {
    const COLUMNS: [usize; 2] = [NAME, TRANSACTION_DT];
    const MONTH: usize = 1;
    const NAME: usize = 0;

    #[inline(always)]
    fn count<L: Level>(_: L, record: &Record<'_, [Span; 2]>, months: &mut Months) {
        if let Some(month) = record.column(Self::MONTH).and_then(Month::of_date) {
            months.add(month, 1);
        }
    }
}
