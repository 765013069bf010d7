//! The report: the four questions of the challenge, answered in one pass.
//!
//! A fold like any other, of two columns. It is tuned in that the level's own instructions take the
//! first name out of NAME.

mod question;
mod refusal;
mod stored;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use ahash::RandomState;

pub use self::question::{LeftOut, MonthColumn, OddRowPolicy, OtherKinds, ReportQuestion};
use super::counts::Counts;
use super::months::Months;
use super::odd_rows::{OddRow, OddRows};
use super::{ChunkPlace, FileLines, Fold, Folded, Order};
use crate::error::Error;
use crate::fec::first_name::{Located, first_name, locate};
use crate::fec::month::Month;
use crate::fec::trimmed;
use crate::input::Part;
use crate::scan::simd::{Level, WINDOW_BYTES};
use crate::scan::{Cells, Need, RowVisitor, Rows, chunk_at};

/// The columns of the report, counted from zero.
const IMAGE_NUM: usize = 4;
const NAME: usize = 7;
const TRANSACTION_DT: usize = 13;

/// The answers.
///
/// ```
/// let report = fecscan::scan(["fixtures/plain.txt"]).report(Default::default())?;
/// assert_eq!(report.lines, 8);
/// assert_eq!(report.first_names, [(b"JOHN".to_vec(), 3)]);
/// assert_eq!(report.names[0].as_deref(), Some(&b"MARLOWE, JOHN Q"[..]));
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// The question.
    pub question: ReportQuestion,
    /// The inputs, in the order given.
    pub files: Vec<FileLines>,
    /// The number of lines that passed the filter.
    pub lines: u64,
    /// The number of all lines, if a filter chose among them.
    pub lines_scanned: Option<u64>,
    /// For each line of [`ReportQuestion::names`] the trimmed bytes of column 8. None without such a line, or
    /// without that column.
    pub names: Vec<Option<Vec<u8>>>,
    /// The months that have lines, ascending, and how many.
    pub months: Vec<(Month, u64)>,
    /// The number of lines without a month.
    pub lines_without_month: u64,
    /// The most common first names and their lines, most common first.
    pub first_names: Vec<(Vec<u8>, u64)>,
    /// The number of different first names.
    pub distinct_first_names: u64,
    /// The number of lines without a first name.
    pub lines_without_first_name: u64,
    /// The first rows that break the schema, if they were to be listed.
    #[doc(hidden)]
    pub odd_rows: Vec<OddRow>,
    /// The number of all rows that break the schema.
    #[doc(hidden)]
    pub odd_row_count: u64,
}

/// Receives every row that breaks the schema, in the order of the inputs, with its bytes.
pub type OddRowSink = dyn Fn(&OddRow, &[u8]) -> Result<(), Error> + Send + Sync;

/// The fold that makes the report.
#[derive(Clone)]
pub struct ReportFold {
    question: ReportQuestion,
    sink: Option<Arc<OddRowSink>>,
    /// The number of lines before the range.
    lines_before: u64,
    /// The seed of the hash tables, the same for all workers.
    random: RandomState,
}

impl fmt::Debug for ReportFold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fold = f.debug_struct("ReportFold");
        fold.field("question", &self.question)
            .finish_non_exhaustive()
    }
}

/// What a worker, or all of them, have made of the rows.
#[derive(Debug)]
pub struct Partial {
    months: Months,
    first_names: Counts,
    odd_rows: OddRows,
}

impl ReportFold {
    /// Returns a fold that answers `question`.
    pub fn new(question: ReportQuestion) -> ReportFold {
        ReportFold {
            question,
            sink: None,
            lines_before: 0,
            random: RandomState::new(),
        }
    }

    /// Returns the same fold, which hands every row that breaks the schema to `sink`.
    pub fn with_odd_row_sink(mut self, sink: Arc<OddRowSink>) -> ReportFold {
        self.sink = Some(sink);
        self
    }

    /// Returns the same fold for a range of a file with this number of lines before it. Numbers of odd rows count
    /// them.
    pub fn with_lines_before(mut self, lines_before: u64) -> ReportFold {
        self.lines_before = lines_before;
        self
    }

    /// Returns the answers, from the result of a run with [`ReportQuestion::names`] as numbered lines. In a
    /// rayon pool, its threads share the work.
    pub fn report(&self, folded: Folded<Partial>) -> Report {
        let Folded {
            files,
            lines,
            lines_scanned,
            partial,
            numbered,
            ..
        } = folded;
        let months = partial.months.ascending();
        let mut first_names = partial.first_names;
        let ranking = first_names.most_common(self.question.top);
        let name_at = |&index: &u64| {
            let place = numbered.binary_search_by_key(&index, |(line, _)| *line);
            // A blank line has no columns, so its empty column is never the eighth.
            let name = place.ok().and_then(|place| {
                let (_, line) = &numbered[place];
                line.split(|&b| b == b'|').nth(NAME)
            });
            name.map(|name| trimmed(name).to_vec())
        };
        Report {
            question: self.question.clone(),
            files,
            lines,
            lines_scanned,
            names: self.question.names.iter().map(name_at).collect(),
            lines_without_month: lines - months.iter().map(|(_, lines)| lines).sum::<u64>(),
            months,
            distinct_first_names: ranking.distinct,
            lines_without_first_name: lines - ranking.lines,
            first_names: ranking.into_vec(),
            odd_row_count: partial.odd_rows.total,
            odd_rows: partial.odd_rows.into_listed(),
        }
    }

    fn checks_rows(&self) -> bool {
        self.sink.is_some() || self.question.odd_rows == OddRowPolicy::List
    }
}

impl Fold for ReportFold {
    type Partial = Partial;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        if self.question.other_kinds == OtherKinds::Refuse {
            refusal::refuse_other_kinds(part)?;
            if self.checks_rows() {
                refusal::refuse_guessed_columns(part)?;
            }
        }
        let month = match self.question.month_column {
            MonthColumn::ImageNum => IMAGE_NUM,
            MonthColumn::TransactionDate => TRANSACTION_DT,
        };
        Ok(Need::Pair(columns(month)))
    }

    fn partial(&self) -> Partial {
        Partial {
            months: Months::default(),
            first_names: Counts::with_seed(self.random.clone()),
            odd_rows: OddRows::after(self.lines_before),
        }
    }

    fn rows(&self, rows: &Rows<'_>, partial: &mut Partial) -> Result<(), Error> {
        if self.checks_rows() {
            partial.odd_rows.check(rows, self.sink.is_some());
        }
        match self.question.month_column {
            MonthColumn::ImageNum => rows.each_row(ReportRows::<IMAGE_NUM>(partial)),
            MonthColumn::TransactionDate => rows.each_row(ReportRows::<TRANSACTION_DT>(partial)),
        }
        Ok(())
    }

    fn merge(&self, into: &mut Partial, from: Partial) {
        into.months.merge(from.months);
        into.first_names.merge(from.first_names);
        into.odd_rows.merge(from.odd_rows);
    }

    fn order(&self) -> Order {
        if self.checks_rows() {
            Order::Input
        } else {
            Order::Any
        }
    }

    fn end_chunk(
        &self,
        place: &ChunkPlace<'_>,
        partial: &mut Partial,
    ) -> Result<ControlFlow<()>, Error> {
        let ended = partial.odd_rows.end_chunk(place, self.sink.as_deref());
        ended.map(|()| ControlFlow::Continue(()))
    }
}

/// Counts the month and the first name of every row. The month is in column `MONTH`.
struct ReportRows<'a, const MONTH: usize>(&'a mut Partial);

impl<const MONTH: usize> RowVisitor for ReportRows<'_, MONTH> {
    const COLUMNS: [usize; 2] = columns(MONTH);

    #[inline(always)]
    fn row<L: Level>(&mut self, level: L, row: Cells<'_>) {
        let (name, month) = Self::PLACES;
        if !self.0.count_month::<MONTH>(&row, month) {
            self.0.count_unusual_month::<MONTH>(row.column(month));
        }
        if !self.0.count_first_name(level, &row, name) {
            self.0.count_unusual_first_name(row.column(name));
        }
    }

    #[cold]
    #[inline(never)]
    fn odd_row(&mut self, row: Cells<'_>) {
        let (name, month) = Self::PLACES;
        self.0.count_unusual_month::<MONTH>(row.column(month));
        self.0.count_unusual_first_name(row.column(name));
    }
}

impl<const MONTH: usize> ReportRows<'_, MONTH> {
    /// The places of NAME and of the month in the columns, which ascend.
    const PLACES: (usize, usize) = if MONTH < NAME { (1, 0) } else { (0, 1) };
}

/// Returns the columns of the report, ascending.
const fn columns(month: usize) -> [usize; 2] {
    if month < NAME {
        [month, NAME]
    } else {
        [NAME, month]
    }
}

impl Partial {
    /// Counts the month of a row, if it is where it usually is.
    #[inline(always)]
    fn count_month<const MONTH: usize>(&mut self, row: &Cells<'_>, nth: usize) -> bool {
        let Some(bytes) = row.first_bytes(nth) else {
            return false;
        };
        match MONTH {
            TRANSACTION_DT => row.length(nth) == 8 && self.months.add_date(*bytes),
            _ => self.months.add_digits(*bytes),
        }
    }

    /// Counts the first name of a row, if it has a usual one or none.
    #[inline(always)]
    fn count_first_name<L: Level>(&mut self, level: L, row: &Cells<'_>, nth: usize) -> bool {
        let Some(bytes) = row.first_bytes::<{ WINDOW_BYTES + 16 }>(nth) else {
            return false;
        };
        let window = bytes.first_chunk().expect("the bytes begin with a window");
        let (commas, blanks) = (level.eq(window, b','), level.eq(window, b' '));
        match locate(row.length(nth), commas, blanks, level.controls(window)) {
            Located::At(start, length) => match chunk_at(bytes, start) {
                Some(bytes) => self.first_names.add_soon(bytes, length),
                None => false,
            },
            Located::Nowhere => true,
            Located::Unclear => false,
        }
    }

    /// Counts the month of a column with white space before it, without a month, or at the very end of
    /// the head.
    #[cold]
    #[inline(never)]
    fn count_unusual_month<const MONTH: usize>(&mut self, column: Option<&[u8]>) {
        let month = match MONTH {
            TRANSACTION_DT => Month::of_date,
            _ => Month::of_image_number,
        };
        if let Some(month) = column.and_then(month) {
            self.months.add(month, 1);
        }
    }

    /// Counts the first name of a long NAME, with unusual white space, or at the end of the head.
    #[cold]
    #[inline(never)]
    fn count_unusual_first_name(&mut self, name: Option<&[u8]>) {
        if let Some(first_name) = name.and_then(first_name) {
            self.first_names.add(first_name, 1);
        }
    }
}

#[cfg(test)]
mod tests;
