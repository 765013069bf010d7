//! The report: the four questions of the challenge, answered in one pass.
//!
//! Two columns of each line are asked for, the one that tells the month and NAME. The number of
//! lines and the names at given lines are ordered facts: the engine counts the former and shows the
//! latter.

mod month_source;

use std::ffi::OsString;
use std::marker::PhantomData;
use std::sync::Arc;

use ahash::RandomState;

use self::month_source::{ImageNumber, MonthSource, TransactionDate};
use super::Fold;
use super::first_names::{FirstNames, Pending};
use super::months::Months;
use super::odd_rows::{OddRows, Rows};
use super::spool::Spool;
use crate::engine::{FileLines, LineNumbers};
use crate::fec::first_name::{Located, first_name, locate};
use crate::fec::month::Month;
use crate::fec::trimmed;
use crate::input::Part;
use crate::plan::Cut;
use crate::scan::columns::Span;
use crate::scan::simd::Level;
use crate::scan::{Chunk, Record, Scratch, Visitor, count_columns, records};

/// The columns of the report, counted from zero.
const IMAGE_NUM: usize = 4;
const NAME: usize = 7;
const TRANSACTION_DT: usize = 13;

/// The column that tells the month of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MonthColumn {
    /// Column 5: when the page was filed, most often the month after the gift.
    #[default]
    ImageNum,
    /// Column 14: when the money was given.
    TransactionDate,
}

impl MonthColumn {
    /// The name of the column in the schema.
    pub fn name(self) -> &'static str {
        match self {
            MonthColumn::ImageNum => "IMAGE_NUM",
            MonthColumn::TransactionDate => "TRANSACTION_DT",
        }
    }
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The lines whose names are asked for, counted from zero over all inputs, in any order.
    pub names: Vec<u64>,
    /// How many of the most common first names are asked for.
    pub top: usize,
    /// Which column tells the month.
    pub month_column: MonthColumn,
    /// What becomes of rows that break the schema.
    pub rows: Rows,
    /// What becomes of files of another kind than the report is about.
    pub kind_check: KindCheck,
}

/// What becomes of files whose columns are not those of contributions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KindCheck {
    /// They are refused.
    #[default]
    Refuse,
    /// They are read like any other.
    Force,
}

impl Default for Question {
    fn default() -> Question {
        Question {
            names: vec![0, 432, 43243],
            top: 1,
            month_column: MonthColumn::default(),
            rows: Rows::default(),
            kind_check: KindCheck::default(),
        }
    }
}

/// The answers.
#[derive(Debug)]
pub struct Report {
    /// What was asked.
    pub question: Question,
    /// The inputs, in the order given.
    pub files: Vec<FileLines>,
    /// The number of lines of all inputs.
    pub lines: u64,
    /// For each line asked for, the trimmed bytes of column 8; none if there is no such line, or it
    /// has no such column.
    pub names: Vec<Option<Vec<u8>>>,
    /// The months that have lines, ascending, and how many.
    pub months: Vec<(Month, u64)>,
    /// The number of lines that tell no month.
    pub lines_without_month: u64,
    /// The most common first names and their lines, most common first.
    pub first_names: Vec<(Vec<u8>, u64)>,
    /// How many different first names there are.
    pub distinct_first_names: u64,
    /// The number of lines without a first name.
    pub lines_without_first_name: u64,
    /// The rows that break the schema, if they were to be noted.
    pub odd_rows: OddRows,
}

/// The fold that makes the report.
#[derive(Clone, Debug)]
pub struct ReportFold {
    question: Question,
    /// The lines whose names are asked for, ascending, each once.
    wanted: Vec<u64>,
    /// Where all rows that break the schema are set aside, if they are.
    spool: Option<Arc<Spool>>,
    /// What places first names, the same for all workers.
    random: RandomState,
}

/// What a worker, or all of them, have made of the lines so far.
#[derive(Debug)]
pub struct Partial {
    months: Months,
    first_names: FirstNames,
    /// Names at the lines asked for, ascending.
    names: Vec<(u64, Vec<u8>)>,
    path: OsString,
    columns_expected: Option<u64>,
    odd_rows: OddRows,
}

impl ReportFold {
    /// A fold that answers `question`.
    pub fn new(question: Question) -> ReportFold {
        let mut wanted = question.names.clone();
        wanted.sort_unstable();
        wanted.dedup();
        ReportFold {
            question,
            wanted,
            spool: None,
            random: RandomState::new(),
        }
    }

    /// The same fold, which sets all rows that break the schema aside in `spool`.
    pub fn with_spool(self, spool: Arc<Spool>) -> ReportFold {
        ReportFold {
            spool: Some(spool),
            ..self
        }
    }

    /// The answers, from what a run came to. None of its inputs may have been readable: then all
    /// counts are zero.
    pub fn report(self, files: Vec<FileLines>, partial: Option<Partial>) -> Report {
        let lines = files.iter().map(|file| file.lines).sum();
        let (months, mut first_names, found, odd_rows) = match partial {
            Some(partial) => (
                partial.months,
                partial.first_names,
                partial.names,
                partial.odd_rows,
            ),
            None => Default::default(),
        };
        let months = months.ascending();
        let ranking = first_names.ranking(self.question.top);
        let name_at = |index: &u64| {
            let place = found.binary_search_by_key(index, |(line, _)| *line).ok()?;
            Some(found[place].1.clone())
        };
        Report {
            files,
            lines,
            names: self.question.names.iter().map(name_at).collect(),
            lines_without_month: lines - months.iter().map(|(_, lines)| lines).sum::<u64>(),
            months,
            distinct_first_names: ranking.distinct,
            lines_without_first_name: lines - ranking.lines,
            first_names: ranking.into_vec(),
            odd_rows,
            question: self.question,
        }
    }
}

/// Looks at the lines of a chunk.
struct ReportLines<'a, M> {
    months: &'a mut Months,
    first_names: &'a mut FirstNames,
    pending: Pending,
    month_source: PhantomData<M>,
}

impl<M: MonthSource> Visitor<[Span; 2]> for ReportLines<'_, M> {
    #[inline(always)]
    fn record<L: Level>(&mut self, level: L, record: Record<'_, [Span; 2]>) {
        let Some(window) = record.bytes(M::NAME, 0) else {
            M::count(level, &record, self.months);
            return count_unusual_first_name(record.column(M::NAME), self.first_names);
        };
        let (commas, blanks) = (level.eq(window, b','), level.eq(window, b' '));
        M::count(level, &record, self.months);
        let length = record.span(M::NAME).len();
        match locate(length, commas, blanks, level.controls(window)) {
            Located::At(start, length) => {
                let counted = record.bytes(M::NAME, start).is_some_and(|bytes| {
                    self.first_names
                        .add_soon(level, bytes, length, &mut self.pending)
                });
                if counted {
                    return;
                }
            }
            Located::Nowhere => return,
            Located::Unclear => {}
        }
        count_unusual_first_name(record.column(M::NAME), self.first_names);
    }
}

/// Counts the first name of a NAME that is long, or has unusual white space, or lies at the end of the input.
#[cold]
#[inline(never)]
fn count_unusual_first_name(name: Option<&[u8]>, names: &mut FirstNames) {
    if let Some(first_name) = name.and_then(first_name) {
        names.add(first_name, 1);
    }
}

/// Looks at the lines of a chunk, and counts their columns.
struct CheckedLines<'a, M> {
    lines: ReportLines<'a, M>,
    odd_rows: &'a mut OddRows,
    columns_expected: u64,
    /// Where the haystack begins in the input, modulo 2^64: it may begin before it.
    haystack_offset: u64,
    /// The number of lines of the chunk looked at.
    looked_at: u64,
}

impl<M: MonthSource> Visitor<[Span; 2]> for CheckedLines<'_, M> {
    #[inline(always)]
    fn record<L: Level>(&mut self, level: L, record: Record<'_, [Span; 2]>) {
        let found = count_columns(level, record.line().bytes());
        if found != self.columns_expected {
            let byte = self.haystack_offset.wrapping_add(record.start() as u64);
            self.odd_rows
                .add(byte, self.looked_at, found, record.line().bytes());
        }
        self.looked_at += 1;
        self.lines.record(level, record);
    }
}

/// Folds the lines of `chunk` into `partial`, and answers how many they are.
#[inline(always)]
fn fold_chunk<M: MonthSource, L: Level>(
    level: L,
    chunk: &Chunk<'_>,
    scratch: &mut Scratch,
    partial: &mut Partial,
) -> u64 {
    let mut visitor = ReportLines::<M> {
        months: &mut partial.months,
        first_names: &mut partial.first_names,
        pending: Pending::default(),
        month_source: PhantomData,
    };
    let lines = match partial.columns_expected {
        None => records(level, chunk, &M::COLUMNS, scratch, &mut visitor),
        Some(columns_expected) => {
            let mut checked = CheckedLines {
                lines: visitor,
                odd_rows: &mut partial.odd_rows,
                columns_expected,
                haystack_offset: chunk.offset.wrapping_sub(chunk.range.start as u64),
                looked_at: 0,
            };
            let lines = records(level, chunk, &M::COLUMNS, scratch, &mut checked);
            checked.odd_rows.end_chunk();
            visitor = checked.lines;
            lines
        }
    };
    visitor.first_names.add_pending(level, &mut visitor.pending);
    lines
}

impl Fold for ReportFold {
    type Partial = Partial;
    const CUT: Cut = Cut::AtLines;

    fn partial(&self, part: &Part) -> Partial {
        Partial {
            months: Months::default(),
            first_names: FirstNames::new(self.random.clone()),
            names: Vec::new(),
            path: part.path(),
            columns_expected: self.question.rows.columns(part),
            odd_rows: OddRows::new(self.spool.clone()),
        }
    }

    #[inline(always)]
    fn chunk<L: Level>(
        &self,
        level: L,
        chunk: &Chunk<'_>,
        scratch: &mut Scratch,
        partial: &mut Partial,
    ) -> u64 {
        match self.question.month_column {
            MonthColumn::ImageNum => fold_chunk::<ImageNumber, L>(level, chunk, scratch, partial),
            MonthColumn::TransactionDate => {
                fold_chunk::<TransactionDate, L>(level, chunk, scratch, partial)
            }
        }
    }

    fn merge(&self, into: &mut Partial, from: Partial) {
        into.months.merge(&from.months);
        into.first_names.merge(from.first_names);
        into.names.extend(from.names);
        into.odd_rows.merge(from.odd_rows);
    }

    fn wanted_lines(&self) -> &[u64] {
        &self.wanted
    }

    fn wanted_line(&self, partial: &mut Partial, number: u64, line: &[u8]) {
        // A blank line has no columns, so this never takes an empty one for the eighth.
        if let Some(name) = line.split(|&b| b == b'|').nth(NAME) {
            partial.names.push((number, trimmed(name).to_vec()));
        }
    }

    fn number_lines(&self, partial: &mut Partial, numbers: &LineNumbers) {
        partial.first_names.end_part();
        if let Some(expected) = partial.columns_expected {
            partial
                .odd_rows
                .number_lines(&partial.path, expected, numbers);
        }
    }
}

#[cfg(test)]
mod tests;
