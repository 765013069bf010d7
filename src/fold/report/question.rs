//! Questions for the report.

/// The column that holds the month of a row.
///
/// ```
/// use fecscan::{MonthColumn, ReportQuestion};
/// let mut question = ReportQuestion::default();
/// question.month_column = MonthColumn::TransactionDate;
/// let report = fecscan::scan(["fixtures/plain.txt"]).report(question)?;
/// assert_eq!(report.months[0].0.to_string(), "2018-03");
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MonthColumn {
    /// Column 5: when the page was filed, most often the month after the gift.
    #[default]
    ImageNum,
    /// Column 14: when the money was given.
    TransactionDate,
}

impl MonthColumn {
    /// Returns the name of the column in the schema.
    pub fn name(self) -> &'static str {
        match self {
            MonthColumn::ImageNum => "IMAGE_NUM",
            MonthColumn::TransactionDate => "TRANSACTION_DT",
        }
    }
}

/// What to do with an input that does not look like contributions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OtherKinds {
    /// Refuse it: its columns 5, 8 and 14 are not those of contributions.
    #[default]
    Refuse,
    /// Report on it all the same.
    Report,
}

/// What to do with rows whose number of columns is not the schema's. They are counted in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OddRowPolicy {
    /// Nothing.
    #[default]
    Ignore,
    /// List the first, and count all.
    List,
}

/// A question for the report.
///
/// ```
/// let mut question = fecscan::ReportQuestion::default();
/// assert_eq!((&question.names[..], question.top), (&[0, 432, 43243][..], 1));
/// question.top = 10;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReportQuestion {
    /// The lines whose names to report, counted from zero over all inputs, in any order.
    pub names: Vec<u64>,
    /// The number of first names to list, the most common first.
    pub top: usize,
    /// The column that holds the month.
    pub month_column: MonthColumn,
    /// What to do with rows that break the schema.
    #[doc(hidden)]
    pub odd_rows: OddRowPolicy,
    /// What to do with files of another kind.
    #[doc(hidden)]
    pub other_kinds: OtherKinds,
    /// What the filter of the run leaves out: [`Filter::leaves_out`](crate::sql::Filter::leaves_out). Pages say it.
    #[doc(hidden)]
    pub left_out: LeftOut,
}

impl Default for ReportQuestion {
    fn default() -> ReportQuestion {
        ReportQuestion {
            names: vec![0, 432, 43243],
            top: 1,
            month_column: MonthColumn::default(),
            odd_rows: OddRowPolicy::default(),
            other_kinds: OtherKinds::default(),
            left_out: LeftOut::default(),
        }
    }
}

/// The kinds of rows that a filter leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The types of refunds and of conduit copies.
    pub refunds_and_copies: bool,
    /// Memo rows: MEMO_CD is `X`.
    pub memo_rows: bool,
}
