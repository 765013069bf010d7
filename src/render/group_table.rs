//! Groups as a table for people: aligned, with shares, bars on a terminal, the rest, and a footer.

use std::io::{self, Write};
use std::iter;

use super::measure::{self, Measure, Share};
use super::page::{ALIGNED_COLUMNS, Align, Bars, Data, Drawing, GAP, Page, Style};
use super::sentences::{sentences, why_empty};
use super::shown::{Shown, widen};
use super::text::Look;
use crate::grouped::{Group, Grouped};

/// Keys are not cut to less than this on a terminal.
const KEY_COLUMNS_MIN: usize = 8;

/// Keys are cut to leave this much room for bars.
const BAR_COLUMNS_MIN: usize = 8;

pub(super) const REST: &str = "(rest)";

/// Writes the page: the inputs, the groups, and what there is to say of them.
pub(super) fn write(grouped: &Grouped, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(look);
    let (lines, scanned) = grouped.read;
    page.files(&grouped.files, lines, scanned);
    page.line(format_args!(""));
    if grouped.is_empty() && grouped.rest().is_none() {
        page.line(format_args!("There are no groups: {}.", why_empty(grouped)));
    } else {
        Table::new(grouped, &page).write(&mut page, out)?;
    }
    for sentence in sentences(grouped) {
        page.note(&sentence);
    }
    out.write_all(&page.into_bytes())
}

struct Table<'a> {
    grouped: &'a Grouped,
    measure: Measure,
    share: Share,
    bars: Option<Bars>,
    /// The number of keys, which come first.
    keys: usize,
    /// The widths of the keys, and of the count, the aggregates and the share.
    widths: Vec<usize>,
    alignments: Vec<Align>,
}

impl<'a> Table<'a> {
    fn new(grouped: &'a Grouped, page: &Page) -> Table<'a> {
        let (share, keys) = (Share::of(grouped), grouped.key_names().len());
        let numbers = share.names(grouped).len();
        let mut alignments = vec![Align::Left; keys];
        alignments.resize(keys + numbers, Align::Right);
        for nth in 0..grouped.aggregate_names().len() {
            let place = 1 + nth + usize::from(share.place() <= 1 + nth);
            if grouped.aligns_left(nth) {
                alignments[keys + place] = Align::Left;
            }
        }
        let mut table = Table {
            grouped,
            measure: Measure::of(grouped),
            share,
            bars: None,
            keys,
            widths: vec![0; keys + numbers],
            alignments,
        };
        table.widths[keys + share.place()] = "100.00 %".len();
        let mut most = 0;
        // A terminal cuts longer keys to its own width.
        let most_columns = page.look.columns.unwrap_or(ALIGNED_COLUMNS);
        for group in grouped.iter() {
            let cells = table.cells(page, group);
            widen(&mut table.widths, &cells, most_columns);
            most = most.max(table.measure.length(group));
        }
        for cells in [Some(table.names(page)), table.rest(page)].iter().flatten() {
            widen(&mut table.widths, cells, most_columns);
        }
        let has_bars = page.look.drawing != Drawing::Plain;
        let bar = if has_bars { GAP + BAR_COLUMNS_MIN } else { 0 };
        table.fit(page.look, bar);
        let others = table.columns() + GAP;
        if has_bars && page.look.columns.is_none_or(|all| all > others) {
            table.bars = Some(Bars {
                most,
                columns: page.bar_columns(others),
                glyphs: page.look.glyphs,
            });
            table.widths.push(0);
            table.alignments.push(Align::Left);
        }
        table
    }

    fn columns(&self) -> usize {
        self.widths.iter().sum::<usize>() + GAP * (self.widths.len() - 1)
    }

    /// Cuts the widest keys, until rows and a `bar` of these columns fit the terminal.
    fn fit(&mut self, look: Look, bar: usize) {
        let Some(all) = look.columns else { return };
        let mut over = (self.columns() + bar).saturating_sub(all);
        while over > 0
            && let Some(widest) = self.widths[..self.keys].iter_mut().max()
            && *widest > KEY_COLUMNS_MIN
        {
            *widest -= 1;
            over -= 1;
        }
    }

    fn names(&self, page: &Page) -> Vec<Shown> {
        let keys = self.grouped.key_names().iter().map(String::as_str);
        let names = keys.chain(self.share.names(self.grouped));
        names.map(|name| page.shown(name)).collect()
    }

    fn cells(&self, page: &Page, group: Group<'_>) -> Vec<Shown> {
        let keys = (0..self.keys).map(|nth| page.shown(&*measure::key_bytes(&group.key(nth))));
        let values = measure::values(self.grouped, group);
        let numbers = self.share.numbers(group.count(), &values).into_iter();
        keys.chain(numbers.map(|number| page.shown(number)))
            .collect()
    }

    /// Returns the row of the groups that are not listed.
    fn rest(&self, page: &Page) -> Option<Vec<Shown>> {
        let rest = self.grouped.rest()?;
        let first = page.shown(REST);
        let keys = iter::once(first).chain(iter::repeat_n(Shown::default(), self.keys - 1));
        let numbers = self.share.numbers(rest.count, &rest.values).into_iter();
        Some(
            keys.chain(numbers.map(|number| page.shown(number)))
                .collect(),
        )
    }

    fn write(&self, page: &mut Page, out: &mut dyn Write) -> io::Result<()> {
        let mut names = self.names(page);
        // Readers take unnamed bars beside a sum for the sum.
        if let Some(bars) = self
            .bars
            .filter(|_| !self.grouped.aggregate_names().is_empty())
        {
            let mut name = page.shown(self.measure.name(self.grouped));
            name.cut(bars.columns, page.look.glyphs);
            names.push(name);
        }
        self.styled(page, Style::Heading, names);
        for group in self.grouped.iter() {
            let mut cells = self.cells(page, group);
            if let Some(bars) = self.bars {
                let value = self.measure.length(group);
                let bar = (value > 0).then(|| page.shown(bars.bar(value)));
                cells.push(bar.unwrap_or_default());
            }
            self.cut_keys(page, &mut cells);
            page.row(&cells, &self.alignments, &self.widths);
            page.write_if_many(out)?;
        }
        if let Some(rest) = self.rest(page) {
            self.styled(page, Style::Note, rest);
        }
        page.line(format_args!(""));
        Ok(())
    }

    fn styled(&self, page: &mut Page, style: Style, mut cells: Vec<Shown>) {
        self.cut_keys(page, &mut cells);
        page.styled_row(style, &cells, &self.alignments, &self.widths);
    }

    /// Cuts keys on a terminal of known width.
    fn cut_keys(&self, page: &Page, cells: &mut [Shown]) {
        if page.look.columns.is_some() && page.look.data == Data::Escaped {
            let keys = cells.iter_mut().zip(&self.widths).take(self.keys);
            keys.for_each(|(key, width)| key.cut(*width, page.look.glyphs));
        }
    }
}
