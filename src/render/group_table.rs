//! Groups as a table for people: aligned, with shares, bars on a terminal, the rest, and a footer.

use std::io::{self, Write};

use super::answer::Pieces;
use super::are_of_individuals;
use super::numbers::{grouped as with_commas, grouped_amount};
use super::page::{Bars, Data, Drawing, Glyphs, Look, Page, Style, columns, line_or_lines};
use crate::fec::amount::{Decimal, Hundredths};
use crate::fec::date;
use crate::fec::schema::Kind;
use crate::fold::by::{AggregateKind, Group, Grouped, Rest, RowKinds, Sort, Value};

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

pub(super) fn why_empty(grouped: &Grouped) -> &'static str {
    match grouped.lines_scanned {
        Some(1..) => "no line meets the conditions",
        _ => "there are no lines",
    }
}

/// The layout of the table.
struct Table<'a> {
    grouped: &'a Grouped,
    /// The width of each key.
    keys: Vec<usize>,
    count: usize,
    values: Vec<usize>,
    share: Share,
    /// The scale of the bars, if there are any.
    bars: Option<Bars>,
}

/// What the shares are shares of.
#[derive(Clone, Copy)]
pub(super) enum Share {
    /// All rows.
    Rows(u64),
    /// The total of the sum with this number, by which groups are sorted.
    Sum(usize, i128),
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
            share: Share::of(grouped),
            bars: None,
        };
        let mut most = 0;
        for group in grouped.iter() {
            for (nth, width) in table.keys.iter_mut().enumerate() {
                *width = (*width).max(width_of(page, &shown_key(page, group.key(nth))));
            }
            table.measure(group.count(), |nth| group.value(nth));
            most = most.max(magnitude(grouped, group));
        }
        if let Some(rest) = grouped.rest() {
            table.keys[0] = table.keys[0].max(REST.len());
            table.measure(rest.count, |nth| rest.values[nth]);
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

    fn measure(&mut self, count: u64, value: impl Fn(usize) -> Option<Value>) {
        self.count = self.count.max(with_commas(count).len());
        for (nth, width) in self.values.iter_mut().enumerate() {
            *width = (*width).max(shown(value(nth)).len());
        }
    }

    /// Returns the width of a row without its bar.
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
            let name: String = measure_name(grouped).chars().take(bars.columns).collect();
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
            if let value @ 1.. = magnitude(self.grouped, group) {
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

    /// Returns a row of cells, keys left-aligned and numbers right-aligned.
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

/// Stands for the empty key.
pub(super) const EMPTY: &str = "(empty)";

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

pub(super) fn shown(value: Option<Value>) -> String {
    match value {
        None => "-".to_owned(),
        Some(Value::Amount(amount)) => grouped_amount(amount),
        // A year or the like is no amount.
        Some(Value::Decimal(number)) if number.decimals == 0 && number.units.abs() < 10_000 => {
            number.to_string()
        }
        Some(Value::Decimal(number)) => grouped_amount(number),
        Some(Value::Date(day)) => date::iso(day),
        Some(Value::Count(count)) => with_commas(count),
    }
}

/// Returns the name of the column that bars show.
fn measure_name(grouped: &Grouped) -> &str {
    let has_dates = |nth| {
        grouped
            .iter()
            .any(|group| matches!(group.value(nth), Some(Value::Date(_))))
    };
    match grouped.question.sort() {
        Sort::Aggregate(nth) if !has_dates(nth) => &grouped.aggregate_names()[nth],
        _ => "count",
    }
}

/// Returns the length of a group's bar: its aggregate if groups are sorted by numbers, else its count.
pub(super) fn magnitude(grouped: &Grouped, group: Group<'_>) -> u128 {
    match grouped.question.sort() {
        Sort::Aggregate(nth) => match group.value(nth) {
            Some(
                Value::Amount(Hundredths(amount)) | Value::Decimal(Decimal { units: amount, .. }),
            ) => u128::try_from(amount).unwrap_or(0),
            Some(Value::Count(count)) => count.into(),
            Some(Value::Date(_)) => group.count().into(),
            None => 0,
        },
        _ => group.count().into(),
    }
}

impl Share {
    /// Chooses the total: that of the sum by which groups are sorted, if it is positive, else all rows.
    pub(super) fn of(grouped: &Grouped) -> Share {
        let by_sum = || {
            let Sort::Aggregate(nth) = grouped.question.sort() else {
                return None;
            };
            let aggregate = grouped.question.aggregates.get(nth)?;
            let rest = grouped.rest().and_then(|rest| rest.values[nth]);
            let mut values = grouped.iter().map(|group| group.value(nth)).chain([rest]);
            let total = values.try_fold(0_i128, |sum, value| match value {
                Some(
                    Value::Amount(Hundredths(amount))
                    | Value::Decimal(Decimal { units: amount, .. }),
                ) => sum.checked_add(amount),
                _ => Some(sum),
            })?;
            let is_sum = aggregate.kind == AggregateKind::Sum && total > 0;
            is_sum.then_some(Share::Sum(nth, total))
        };
        by_sum().unwrap_or(Share::Rows(grouped.lines))
    }

    pub(super) fn shown(self, count: u64, value: impl Fn(usize) -> Option<Value>) -> String {
        let share = match self {
            Share::Rows(all) => count as f64 / all.max(1) as f64,
            Share::Sum(nth, all) => match value(nth) {
                Some(
                    Value::Amount(Hundredths(amount))
                    | Value::Decimal(Decimal { units: amount, .. }),
                ) => amount as f64 / all as f64,
                _ => return "-".to_owned(),
            },
        };
        format!("{:.2} %", 100.0 * share)
    }
}

/// Returns what the rows and groups are, in sentences.
pub(super) fn sentences(grouped: &Grouped) -> Vec<String> {
    let groups = with_commas(grouped.distinct_groups);
    let groups = match grouped.rest() {
        Some(_) => format!("{} of {groups} groups", with_commas(grouped.len() as u64)),
        None if grouped.distinct_groups == 1 => "1 group".to_owned(),
        None => format!("{groups} groups"),
    };
    let rows = with_commas(grouped.lines);
    let rows = match grouped.lines_scanned {
        Some(all) => format!(
            "{} {} scanned, {rows} matching",
            with_commas(all),
            line_or_lines(all)
        ),
        None => format!("{rows} {} scanned", line_or_lines(grouped.lines)),
    };
    let without = without_sentences(grouped).map(|sentence| format!("{sentence}."));
    let kinds = grouped.row_kinds.filter(|_| grouped.lines > 0);
    let kinds = kinds.map(|kinds| kinds_sentence(kinds, are_of_individuals(&grouped.files)));
    let first = format!("{groups}; {rows}.");
    let left_out = left_out_sentence(grouped);
    let sentences = [first].into_iter().chain(left_out);
    sentences.chain(without).chain(kinds).collect()
}

/// Returns the sentence on groups that do not meet the conditions, if there are any conditions.
fn left_out_sentence(grouped: &Grouped) -> Option<String> {
    let conditions = grouped.having();
    (!conditions.is_empty()).then(|| {
        let groups = match grouped.left_out {
            1 => "1 group does".to_owned(),
            groups => format!("{} groups do", with_commas(groups)),
        };
        format!("{groups} not meet {}.", conditions.join(" and "))
    })
}

/// Returns a sentence for each aggregate that some lines have no value for.
pub(super) fn without_sentences(grouped: &Grouped) -> impl Iterator<Item = String> {
    let aggregates = grouped.question.aggregates.iter();
    let names = grouped.aggregate_names().iter().zip(aggregates);
    let counted = names
        .enumerate()
        .map(|(nth, name)| (grouped.without(nth), name));
    counted
        .filter(|(lines, _)| *lines > 0)
        .map(|(lines, (name, aggregate))| {
            let (lines, have) = match lines {
                1 => ("1 line".to_owned(), "has"),
                lines => (format!("{} lines", with_commas(lines)), "have"),
            };
            let what = if aggregate.kind.takes_kind(Kind::Date) {
                "number or date"
            } else {
                "number"
            };
            format!("{lines} {have} no {what} for {name}")
        })
}

/// Returns the sentence on rows that count money that other rows count, too.
fn kinds_sentence(kinds: RowKinds, of_individuals: bool) -> String {
    let RowKinds {
        refunds,
        copies,
        memo,
    } = kinds;
    if (refunds, copies, memo) == (0, 0, 0) {
        return "Among them are no refunds, conduit copies or memo rows.".to_owned();
    }
    let [refunds, copies, memo_rows] = [refunds, copies, memo].map(with_commas);
    let has_others = of_individuals && kinds.refunds + kinds.copies > 0;
    let hint = match (has_others, memo > 0) {
        (true, true) => " --contributions leaves out the first two, --where 'memo_cd!=X' the last.",
        (true, false) => " --contributions leaves them out.",
        (false, true) => " --where 'memo_cd!=X' leaves memo rows out.",
        (false, false) => "",
    };
    format!("Among them: refunds {refunds}, conduit copies {copies}, memo rows {memo_rows}.{hint}")
}
