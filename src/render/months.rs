//! The months of a report, split for people, and the sentences about them that all pages share.

use super::are_of_individuals;
use super::numbers::grouped;
use crate::fec::month::Month;
use crate::fold::report::{MonthColumn, OtherKinds, Report};

/// The list of other than calendar months ends after this number.
pub(super) const OTHER_MONTHS_MAX: usize = 20;

/// The months of a report, split: image numbers of 11 digits begin with dozens of impossible months,
/// which would come first.
pub(super) struct SplitMonths {
    pub(super) calendar: Vec<(Month, u64)>,
    pub(super) other: Vec<(Month, u64)>,
    pub(super) other_lines: u64,
    /// More than a tenth of the rows have no calendar month.
    pub(super) mostly_lost: bool,
}

impl SplitMonths {
    pub(super) fn of(report: &Report) -> SplitMonths {
        let months = report.months.iter();
        let (calendar, other): (Vec<_>, Vec<_>) =
            months.partition(|(month, _)| month.is_calendar_month());
        let other_lines = other.iter().map(|(_, lines)| lines).sum();
        let lost = other_lines + report.lines_without_month;
        SplitMonths {
            calendar,
            other,
            other_lines,
            mostly_lost: report.question.month_column == MonthColumn::ImageNum
                && lost > report.lines / 10,
        }
    }

    /// Returns what is wrong with the months, if most are lost, and the option that helps.
    pub(super) fn advice(&self, report: &Report) -> Option<[String; 2]> {
        if !self.mostly_lost {
            return None;
        }
        let lost = self.other_lines + report.lines_without_month;
        let old = if self.other_lines > lost / 10 {
            ": before July 2015 it did not begin with a date"
        } else {
            ""
        };
        let (question, if_so) = match report.question.other_kinds {
            OtherKinds::Report => (" (--force: are they contributions?)", "If so, "),
            OtherKinds::Refuse => ("", ""),
        };
        let lost = format!(
            "{} of {} rows have no calendar month in IMAGE_NUM{old}{question}.",
            grouped(lost),
            grouped(report.lines)
        );
        let option =
            format!("{if_so}--month-column TRANSACTION_DT counts by the date of the gift instead.");
        Some([lost, option])
    }

    /// Returns sentences on the column that the months are from.
    pub(super) fn source(&self, report: &Report) -> Vec<&'static str> {
        if report.question.month_column == MonthColumn::TransactionDate {
            return vec![
                "Months are those of TRANSACTION_DT, column 14: the date of the gift as it was filed.",
            ];
        }
        let mut sentences = vec![
            "Months are those of IMAGE_NUM, column 5: when the page was filed, most often the month after the gift.",
        ];
        // The advice says both, if most months are lost.
        if !self.mostly_lost {
            if !self.other.is_empty() {
                sentences.push("Before July 2015 it did not begin with a date.");
            }
            sentences.push("--month-column TRANSACTION_DT counts by the date of the gift.");
        }
        sentences
    }
}

pub(super) fn rows_counted(report: &Report) -> String {
    let of_individuals = are_of_individuals(&report.files);
    match report.lines_scanned {
        None if of_individuals => {
            "Refunds and conduit copies are rows too; --contributions leaves them out.".to_owned()
        }
        None => "Refunds are rows too.".to_owned(),
        Some(all) => {
            let left_out = report.question.left_out.refunds_and_copies;
            let kinds = match (left_out, of_individuals) {
                (true, true) => "--contributions has left out refunds and conduit copies.",
                (true, false) => {
                    "--contributions has left out all but contributions by individuals."
                }
                (false, true) => {
                    "Without --contributions, refunds and conduit copies may be among them."
                }
                (false, false) => "Refunds may be among them.",
            };
            let (lines, of) = (grouped(report.lines), grouped(all));
            // Lines with several matches are as many rows.
            let what = if report.lines > all {
                format!("Rows with their partners: {lines}, of {of} lines")
            } else {
                format!("Only rows that meet the conditions: {lines} of {of}")
            };
            format!("{what}. {kinds}")
        }
    }
}
