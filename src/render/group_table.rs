//! Groups as a table for people: aligned, with shares, bars on a terminal, the rest, and a footer.

use std::io::{self, Write};

use super::answer::Pieces;
use super::measure::{Measure, Share, shown};
use super::numbers::grouped as with_commas;
use super::page::{Bars, Data, Drawing, Glyphs, Look, Page, Style, columns};
use super::sentences::{sentences, why_empty};
use crate::fold::by::{Group, Grouped, Rest, Value};

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
    count: usize,
    values: Vec<usize>,
    measure: Measure,
    share: Share,
    bars: Option<Bars>,
}

/// The width of a share, such as `100.00 %`. Shares of a sum may be larger, if some groups are
/// negative.
const SHARE_COLUMNS: usize = "100.00 %".len();

impl<'a> Table<'a> {
    fn new(grouped: &'a Grouped, page: &Page) -> Table<'a> {
        let mut table = Table {
            grouped,
            keys: grouped.key_names().iter().map(String::len).collect(),
            count: "count".len(),
            values: grouped.aggregate_names().iter().map(String::len).collect(),
            measure: Measure::of(grouped),
            share: Share::of(grouped),
            bars: None,
        };
        let mut most = 0;
        for group in grouped.iter() {
            for (nth, width) in table.keys.iter_mut().enumerate() {
                *width = (*width).max(width_of(page, &shown_key(page, group.key(nth))));
            }
            table.widen(group.count(), |nth| group.value(nth));
            most = most.max(table.measure.length(group));
        }
        if let Some(rest) = grouped.rest() {
            table.keys[0] = table.keys[0].max(REST.len());
            table.widen(rest.count, |nth| rest.values[nth]);
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

    fn widen(&mut self, count: u64, value: impl Fn(usize) -> Option<Value>) {
        self.count = self.count.max(with_commas(count).len());
        for (nth, width) in self.values.iter_mut().enumerate() {
            *width = (*width).max(shown(value(nth)).len());
        }
    }

    fn columns(&self) -> usize {
        let widths = self.keys.iter().chain(&self.values);
        let gaps = GAP.len() * (self.keys.len() + self.values.len() + 1);
        widths.sum::<usize>() + self.count + SHARE_COLUMNS + gaps
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
        let names = grouped.key_names().iter();
        let keys: Vec<_> = names.map(|name| name.as_bytes().to_vec()).collect();
        let values = grouped.aggregate_names().to_vec();
        let mut header = self.row(page, keys, "count".to_owned(), "share".to_owned(), values);
        // Readers take unnamed bars beside a sum for the sum.
        if let Some(bars) = self.bars.filter(|_| !self.values.is_empty()) {
            let name: String = self
                .measure
                .name(grouped)
                .chars()
                .take(bars.columns)
                .collect();
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
            self.rest(page, rest);
        }
        page.line(format_args!(""));
        Ok(())
    }

    fn group(&self, page: &mut Page, group: Group<'_>) {
        let keys = (0..self.keys.len()).map(|nth| shown_key(page, group.key(nth)));
        let values = (0..self.values.len()).map(|nth| group.value(nth));
        let share = self.share.shown(group.count(), |nth| group.value(nth));
        let count = with_commas(group.count());
        let mut row = self.row(
            page,
            keys.collect(),
            count,
            share,
            values.map(shown).collect(),
        );
        if let Some(bars) = self.bars {
            row.extend_from_slice(GAP.as_bytes());
            if let value @ 1.. = self.measure.length(group) {
                row.extend_from_slice(bars.bar(value).as_bytes());
            }
        }
        page.out.extend_from_slice(row.trim_ascii_end());
        page.line(format_args!(""));
    }

    fn rest(&self, page: &mut Page, rest: &Rest) {
        let mut keys = vec![Vec::new(); self.keys.len()];
        keys[0] = REST.as_bytes().to_vec();
        let values = rest.values.iter().map(|value| shown(*value)).collect();
        let share = self.share.shown(rest.count, |nth| rest.values[nth]);
        let row = self.row(page, keys, with_commas(rest.count), share, values);
        page.styled(Style::Note, row.trim_ascii_end());
        page.line(format_args!(""));
    }

    fn row(
        &self,
        page: &Page,
        keys: Vec<Vec<u8>>,
        count: String,
        share: String,
        values: Vec<String>,
    ) -> Vec<u8> {
        let mut row = Vec::new();
        for (key, width) in keys.iter().zip(&self.keys) {
            let key = cut(page, key, *width);
            row.extend_from_slice(&key);
            row.resize(row.len() + width.saturating_sub(width_of(page, &key)), b' ');
            row.extend_from_slice(GAP.as_bytes());
        }
        let mut number = |text: &str, width: usize| {
            row.extend_from_slice(format!("{text:>width$}{GAP}").as_bytes());
        };
        number(&count, self.count);
        let of_rows = matches!(self.share, Share::Rows(_));
        if of_rows {
            number(&share, SHARE_COLUMNS);
        }
        for (nth, (value, width)) in values.iter().zip(&self.values).enumerate() {
            number(value, *width);
            if matches!(self.share, Share::Sum(summed, _) if summed == nth) {
                number(&share, SHARE_COLUMNS);
            }
        }
        row.truncate(row.len() - GAP.len());
        row
    }
}

pub(super) const REST: &str = "(rest)";

pub(super) const EMPTY: &str = "(empty)";

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
fn cut(page: &Page, key: &[u8], width: usize) -> Vec<u8> {
    if !is_cut(page) {
        return key.to_vec();
    }
    let text = super::decoded(key);
    let end = match page.look.glyphs {
        Glyphs::Blocks => '…',
        Glyphs::Ascii => '~',
    };
    if text.chars().count() > width {
        text.chars()
            .take(width - 1)
            .chain([end])
            .collect::<String>()
            .into()
    } else {
        key.to_vec()
    }
}
