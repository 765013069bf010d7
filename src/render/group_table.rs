//! Groups as a table for people: aligned, with shares, bars on a terminal, the rest, and a footer.

use std::io::{self, Write};
use std::iter;

use super::answer::Pieces;
use super::measure::{self, Measure, Share};
use super::page::{Bars, Data, Drawing, Glyphs, Look, Page, Style, columns};
use super::sentences::{sentences, why_empty};
use crate::fold::by::{EMPTY, Group, Grouped, Value};

/// Keys are not cut to less than this on a terminal.
const KEY_COLUMNS_MIN: usize = 8;

/// Keys are cut to leave this much room for bars.
const BAR_COLUMNS_MIN: usize = 8;

const GAP: &str = "  ";

/// Writes the page: the inputs, then each grouping with what there is to say of it.
pub(super) fn write(answers: &[Grouped], look: Look, out: &mut dyn Write) -> io::Result<()> {
    let mut pieces = Pieces::new(out);
    let mut page = Page::new(look);
    for (nth, grouped) in answers.iter().enumerate() {
        if nth == 0 {
            page.files(&grouped.files, grouped.lines, grouped.lines_scanned);
        }
        page.line(format_args!(""));
        if grouped.is_empty() && grouped.rest().is_none() {
            page.line(format_args!("There are no groups: {}.", why_empty(grouped)));
        } else {
            Table::new(grouped, &page).write(&mut page, &mut pieces)?;
        }
        for sentence in sentences(grouped) {
            page.note(&sentence);
        }
    }
    pieces.bytes.append(&mut page.out);
    pieces.write()
}

struct Table<'a> {
    grouped: &'a Grouped,
    /// The width of each key.
    keys: Vec<usize>,
    /// The widths of the count, the aggregates and the share.
    numbers: Vec<usize>,
    measure: Measure,
    share: Share,
    bars: Option<Bars>,
}

impl<'a> Table<'a> {
    fn new(grouped: &'a Grouped, page: &Page) -> Table<'a> {
        let share = Share::of(grouped);
        let mut table = Table {
            grouped,
            keys: grouped.key_names().iter().map(String::len).collect(),
            numbers: share.names(grouped).into_iter().map(str::len).collect(),
            measure: Measure::of(grouped),
            share,
            bars: None,
        };
        // Shares of a sum may be larger, if some groups are negative.
        table.numbers[share.place()] = "100.00 %".len();
        let mut most = 0;
        for group in grouped.iter() {
            for (nth, width) in table.keys.iter_mut().enumerate() {
                *width = (*width).max(width_of(page, &shown_key(page, group.key(nth))));
            }
            table.widen(group.count(), &measure::values(grouped, group));
            most = most.max(table.measure.length(group));
        }
        if let Some(rest) = grouped.rest() {
            table.keys[0] = table.keys[0].max(REST.len());
            table.widen(rest.count, &rest.values);
        }
        let has_bars = page.look.drawing != Drawing::Plain;
        let bar = if has_bars {
            GAP.len() + BAR_COLUMNS_MIN
        } else {
            0
        };
        table.fit(page.look, bar);
        let others = table.columns() + GAP.len();
        if has_bars && page.look.columns.is_none_or(|all| all > others) {
            let columns = page.bar_columns(others);
            table.bars = Some(Bars {
                most,
                columns,
                glyphs: page.look.glyphs,
            });
        }
        table
    }

    fn widen(&mut self, count: u64, values: &[Option<Value>]) {
        for (nth, number) in measure::count_and_values(count, values).enumerate() {
            let after_share = usize::from(nth >= self.share.place());
            let width = &mut self.numbers[nth + after_share];
            *width = number.len().max(*width);
        }
    }

    fn columns(&self) -> usize {
        let widths = self.keys.iter().chain(&self.numbers);
        let gaps = GAP.len() * (self.keys.len() + self.numbers.len() - 1);
        widths.sum::<usize>() + gaps
    }

    /// Cuts the widest keys, until rows and a `bar` of these columns fit the terminal.
    fn fit(&mut self, look: Look, bar: usize) {
        let Some(all) = look.columns else { return };
        let mut over = (self.columns() + bar).saturating_sub(all);
        while over > 0
            && let Some(widest) = self.keys.iter_mut().max()
            && *widest > KEY_COLUMNS_MIN
        {
            *widest -= 1;
            over -= 1;
        }
    }

    fn write(&self, page: &mut Page, pieces: &mut Pieces<'_>) -> io::Result<()> {
        let grouped = self.grouped;
        let keys = grouped.key_names().iter().map(|name| name.clone().into());
        let names = self.share.names(grouped).into_iter().map(str::to_owned);
        let mut header = self.row(page, keys, names);
        // Readers take unnamed bars beside a sum for the sum.
        if let Some(bars) = self.bars.filter(|_| !grouped.aggregate_names().is_empty()) {
            let name = self.measure.name(grouped).chars();
            let name: String = name.take(bars.columns).collect();
            header.extend_from_slice(format!("{GAP}{name}").as_bytes());
        }
        page.styled(Style::Heading, header.trim_ascii_end());
        page.line(format_args!(""));
        for group in grouped.iter() {
            self.group(page, group);
            if page.out.len() >= 1 << 16 {
                pieces.bytes.append(&mut page.out);
                pieces.write_if_many()?;
            }
        }
        if let Some(rest) = grouped.rest() {
            let no_keys = iter::repeat_n(Vec::new(), self.keys.len() - 1);
            let keys = iter::once(REST.into()).chain(no_keys);
            let row = self.row(page, keys, self.share.numbers(rest.count, &rest.values));
            page.styled(Style::Note, row.trim_ascii_end());
            page.line(format_args!(""));
        }
        page.line(format_args!(""));
        Ok(())
    }

    fn group(&self, page: &mut Page, group: Group<'_>) {
        let keys = (0..self.keys.len()).map(|nth| shown_key(page, group.key(nth)));
        let values = measure::values(self.grouped, group);
        let numbers = self.share.numbers(group.count(), &values);
        let mut row = self.row(page, keys, numbers);
        if let Some(bars) = self.bars {
            row.extend_from_slice(GAP.as_bytes());
            if let value @ 1.. = self.measure.length(group) {
                row.extend_from_slice(bars.bar(value).as_bytes());
            }
        }
        page.out.extend_from_slice(row.trim_ascii_end());
        page.line(format_args!(""));
    }

    fn row(
        &self,
        page: &Page,
        keys: impl Iterator<Item = Vec<u8>>,
        numbers: impl IntoIterator<Item = String>,
    ) -> Vec<u8> {
        let mut row = Vec::new();
        for (key, width) in keys.zip(&self.keys) {
            let key = cut(page, key, *width);
            row.extend_from_slice(&key);
            row.resize(row.len() + width.saturating_sub(width_of(page, &key)), b' ');
            row.extend_from_slice(GAP.as_bytes());
        }
        for (number, width) in numbers.into_iter().zip(&self.numbers) {
            row.extend_from_slice(format!("{number:>width$}{GAP}").as_bytes());
        }
        row.truncate(row.len() - GAP.len());
        row
    }
}

pub(super) const REST: &str = "(rest)";

/// Returns a key as it is shown.
fn shown_key(page: &Page, key: &[u8]) -> Vec<u8> {
    match key {
        b"" => EMPTY.as_bytes().to_vec(),
        key => page.data(key),
    }
}

/// Says whether keys are cut: on a terminal of known width only.
fn is_cut(page: &Page) -> bool {
    page.look.columns.is_some() && page.look.data == Data::Escaped
}

/// Returns the width of a key. Elsewhere, a very long one moves the rest of its row.
fn width_of(page: &Page, key: &[u8]) -> usize {
    if is_cut(page) {
        super::decoded(key).chars().count()
    } else {
        columns(key)
    }
}

/// Cuts a key to `width`, where keys are cut.
fn cut(page: &Page, key: Vec<u8>, width: usize) -> Vec<u8> {
    if !is_cut(page) || width_of(page, &key) <= width {
        return key;
    }
    let end = match page.look.glyphs {
        Glyphs::Blocks => '…',
        Glyphs::Ascii => '~',
    };
    let text = super::decoded(&key);
    let text = text.chars().take(width - 1).chain([end]);
    text.collect::<String>().into()
}
