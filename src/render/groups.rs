//! Groups in all formats, row by row: there may be millions.
//!
//! Tables for programs have the keys, `count`, and the aggregates. No value is an empty field. JSON is
//! one array, with one object a line: keys are text, counts and aggregates are numbers, dates are text,
//! and no value is null. Text has more: shares, the rest after the cut, and a footer.

use std::io::{self, Write};
use std::slice;

use super::answer::{Answer, Field, Table, nothing_to_draw};
use super::format::Format;
use super::group_table;
use super::html;
use super::page::Look;
use super::partners;
use super::sentences::{self, without_sentences};
use crate::fold::by::Grouped;

impl Answer for Grouped {
    fn tables(&self) -> Vec<Box<dyn Table + '_>> {
        vec![Box::new(Groups(self))]
    }

    fn text(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        group_table::write(slice::from_ref(self), look, out)
    }

    fn html(&self, command: &str, title: Option<&str>) -> io::Result<Vec<u8>> {
        Ok(html::groups(slice::from_ref(self), command, title))
    }

    fn svg(&self, title: Option<&str>) -> io::Result<Vec<u8>> {
        html::groups_chart(self, title).ok_or_else(nothing_to_draw)
    }
}

/// Several groupings of the same rows. There is at least one.
impl Answer for &[Grouped] {
    fn tables(&self) -> Vec<Box<dyn Table + '_>> {
        self.iter().flat_map(Answer::tables).collect()
    }

    fn text(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        group_table::write(self, look, out)
    }

    fn html(&self, command: &str, title: Option<&str>) -> io::Result<Vec<u8>> {
        Ok(html::groups(self, command, title))
    }

    /// Draws the first grouping.
    fn svg(&self, title: Option<&str>) -> io::Result<Vec<u8>> {
        self[0].svg(title)
    }
}

/// Groups as rows: the keys, the count, and the aggregates.
struct Groups<'a>(&'a Grouped);

impl Table for Groups<'_> {
    fn names(&self) -> Vec<&str> {
        let keys = self.0.key_names().iter().map(String::as_str);
        let aggregates = self.0.aggregate_names().iter().map(String::as_str);
        keys.chain(["count"]).chain(aggregates).collect()
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn row(&self, nth: usize) -> Vec<Field<'_>> {
        let group = self.0.group(nth);
        let keys = (0..self.0.key_names().len()).map(|nth| Field::from(group.key(nth)));
        let values = (0..self.0.aggregate_names().len()).map(|nth| Field::Value(group.value(nth)));
        let count = [Field::count(group.count())];
        keys.chain(count).chain(values).collect()
    }
}

/// Returns a note for each aggregate that lacks values of some lines, and for each joined file that lacks partners of some. Formats for
/// programs get one on the order of groups, and a chart without a page has its own.
pub fn notes(answers: &[Grouped], format: Format) -> Vec<String> {
    let order = |grouped: &Grouped| {
        let order = sentences::order(grouped).filter(|_| !format.is_for_people());
        order.map(|order| format!("the groups {order}"))
    };
    let without_partner = |grouped: &Grouped| {
        let without = grouped.without_partner.iter();
        without.map(partners::note).collect::<Vec<_>>()
    };
    let mut notes = Vec::new();
    for grouped in answers {
        let all = without_sentences(grouped).chain(without_partner(grouped));
        let all = all.chain(order(grouped));
        let all: Vec<_> = all.filter(|note| !notes.contains(note)).collect();
        notes.extend(all);
    }
    if format == Format::Svg {
        let of_chart = answers.first().into_iter().flat_map(html::chart_notes);
        notes.extend(of_chart.map(|note| format!("the {note}")));
    }
    notes
}
