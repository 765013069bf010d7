//! The rows of a statement of SQL, as an answer.

use std::io::{self, Write};

use super::answer::{Answer, Field, Table};
use super::notes::several;
use super::numbers::{counted, grouped_amount, one_or_many};
use super::page::{ALIGNED_COLUMNS, Align, Look, Page, Style};
use super::shown::{Shown, widen};
use crate::fec::amount::Decimal;
use crate::fold::Matches;
use crate::sql::{ResultRows, Type, Value};

/// The rows whose cells decide how wide the columns of the text are.
const MEASURED_ROWS: usize = 1000;

impl Answer for ResultRows {
    fn tables(&self) -> Vec<Table<'_>> {
        let names = self.titles().iter().map(String::as_str).collect();
        let columns = self.titles().len();
        let row = move |row| {
            (0..columns)
                .map(|column| field(self.value(row, column)))
                .collect()
        };
        vec![Table::new(names, self.len(), row)]
    }

    fn text(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        let mut page = Page::new(look);
        let titles = self.titles().iter().map(|title| page.shown(title));
        let titles: Vec<_> = titles.collect();
        let alignments = (0..titles.len()).map(|column| match self.gives(column) {
            Type::Varchar | Type::Date | Type::Boolean | Type::Null => Align::Left,
            _ => Align::Right,
        });
        let alignments: Vec<_> = alignments.collect();
        let cells = |page: &Page, row| -> Vec<Shown> {
            let columns = 0..titles.len();
            columns
                .map(|column| shown(page, &self.value(row, column), self.gives(column)))
                .collect()
        };
        let mut widths = vec![0; titles.len()];
        widen(&mut widths, &titles, ALIGNED_COLUMNS);
        for row in 0..self.len().min(MEASURED_ROWS) {
            widen(&mut widths, &cells(&page, row), ALIGNED_COLUMNS);
        }
        page.styled_row(Style::Heading, &titles, &alignments, &widths);
        for row in 0..self.len() {
            let cells = cells(&page, row);
            let mut wide = widths.clone();
            widen(&mut wide, &cells, ALIGNED_COLUMNS);
            page.row(&cells, &alignments, &wide);
            page.write_if_many(out)?;
        }
        out.write_all(&page.into_bytes())
    }
}

/// Returns a value as people read it. Decimals and sums have separators of thousands; a whole number may be a year, or identify something.
fn shown(page: &Page, value: &Value, gives: Type) -> Shown {
    match value {
        Value::Null => page.shown("NULL"),
        Value::Text(text) => page.shown(&text[..]),
        Value::Decimal { .. } => page.shown(grouped_amount(value)),
        Value::Whole(_) if gives == Type::HugeInt => page.shown(grouped_amount(value)),
        other => page.shown(other.to_string()),
    }
}

/// Returns a value as programs read it.
pub(super) fn field(value: Value) -> Field<'static> {
    let number = |units, decimals| Field::Number(Decimal { units, decimals });
    match value {
        Value::Null => Field::Null,
        Value::Boolean(is) => Field::Boolean(is),
        Value::Whole(units) => number(units, 0),
        Value::Decimal { units, scale } => number(units, scale),
        Value::Double(number) => Field::Double(number),
        Value::Date(day) => Field::Date(day),
        Value::Text(text) => Field::Text(text.into_vec().into()),
    }
}

/// Returns notes on columns with values that are none of their types.
fn unread_notes(unread: &[(String, Type, u64)]) -> impl Iterator<Item = String> {
    unread.iter().map(|(name, of, count)| {
        let kind = if *of == Type::Date { "day" } else { "number" };
        let values = counted(*count, "value", "values");
        let are = one_or_many(*count, "is not a", "are not");
        let s = one_or_many(*count, "", "s");
        format!("{values} of {name} {are} {kind}{s}, and NULL here")
    })
}

/// Returns notes on values that are none of their type, and on rows that have several matches.
pub fn notes(unread: &[(String, Type, u64)], matches: &[Matches]) -> Vec<String> {
    let several = matches.iter().filter_map(several);
    unread_notes(unread).chain(several).collect()
}
