//! Groups in all formats, row by row: there may be millions.
//!
//! Tables for programs have the keys, `count`, and the aggregates. No value is an empty field. JSON is
//! one array, with one object a line: keys are text, counts and aggregates are numbers, dates are text,
//! and no value is null. Text has more: shares, the rest after the cut, and a footer.

use std::io::{self, Write};

use super::answer::{Answer, Field, Table};
use super::format::Format;
use super::group_table;
use super::page::Look;
use super::sentences::{self, without_sentences};
use super::{html, notes};
use crate::fold::by::Grouped;

/// Groupings of the same rows. There is at least one.
impl Answer for &[Grouped] {
    fn tables(&self) -> Vec<Table<'_>> {
        self.iter().map(table).collect()
    }

    fn text(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        group_table::write(self, look, out)
    }

    fn html(&self, command: &str, title: Option<&str>) -> Option<Vec<u8>> {
        Some(html::groups(self, command, title))
    }

    /// Draws the first grouping.
    fn svg(&self, title: Option<&str>) -> Option<Vec<u8>> {
        html::groups_chart(&self[0], title)
    }
}

/// Returns groups as rows: the keys, the count, and the aggregates.
fn table(grouped: &Grouped) -> Table<'_> {
    let [keys, aggregates] = [grouped.key_names(), grouped.aggregate_names()];
    let names = keys.iter().map(String::as_str).chain(["count"]);
    let names = names.chain(aggregates.iter().map(String::as_str));
    Table::new(names.collect(), grouped.len(), move |nth| {
        let group = grouped.group(nth);
        let values = (0..aggregates.len()).map(|nth| Field::Value(group.value(nth)));
        let keys = (0..keys.len()).map(|nth| Field::from(group.key(nth)));
        keys.chain([Field::count(group.count())])
            .chain(values)
            .collect()
    })
}

/// Returns a note on each joined file that lacks partners of some rows. Formats for programs get notes on aggregates that lack values of
/// some lines, and on the order of groups, which text and pages tell. A chart without a page has its own.
pub fn notes(answers: &[Grouped], format: Format) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for grouped in answers {
        let mut all = Vec::new();
        if !format.is_for_people() {
            all.extend(without_sentences(grouped));
        }
        let without_partner = grouped.without_partner.iter();
        all.extend(without_partner.map(notes::without_partner));
        if !format.is_for_people() {
            all.extend(sentences::order(grouped).map(|order| format!("the groups {order}")));
        }
        all.retain(|note| !notes.contains(note));
        notes.extend(all);
    }
    if format == Format::Svg {
        notes.extend((answers.len() > 1).then(|| "the chart shows the first grouping".to_owned()));
        let of_chart = html::chart_notes(&answers[0]).into_iter();
        notes.extend(of_chart.map(|note| format!("the {note}")));
    }
    notes
}
