//! Groups in all formats. Tables for programs have the rows of the statement: the keys, `count`, and the aggregates. Text has more: shares, the
//! rest after the cut, and a footer.

use std::io::{self, Write};

use super::answer::{Answer, Table};
use super::format::Format;
use super::group_table;
use super::notes::lacking;
use super::page::Look;
use super::sentences::without_sentences;
use super::{html, result_notes};
use crate::grouped::Grouped;

impl Answer for Grouped {
    fn tables(&self) -> Vec<Table<'_>> {
        self.rows.tables()
    }

    fn text(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        group_table::write(self, look, out)
    }

    fn html(&self, command: &str, title: Option<&str>) -> Option<Vec<u8>> {
        Some(html::groups(self, command, title))
    }

    fn svg(&self, title: Option<&str>) -> Option<Vec<u8>> {
        html::groups_chart(self, title)
    }
}

/// Returns notes on values that are none of their type, and on rows with several matches or none. Formats for programs get those that text
/// and pages tell. A chart without a page has its own.
pub fn notes(grouped: &Grouped, format: Format) -> Vec<String> {
    let mut notes = result_notes(&grouped.rows.unread, &grouped.rows.matches);
    notes.extend(grouped.rows.matches.iter().filter_map(lacking));
    if !format.is_for_people() {
        notes.extend(without_sentences(grouped));
    }
    if format == Format::Svg {
        let of_chart = html::chart_notes(grouped).into_iter();
        notes.extend(of_chart.map(|note| format!("the {note}")));
    }
    notes
}
