//! Groups in all formats, row by row: there may be millions.
//!
//! Tables for programs have the keys, `count`, and the aggregates. No value is an empty field. JSON is
//! one array, with one object a line: keys are text, counts and aggregates are numbers, dates are text,
//! and no value is null. Text has more: shares, the rest after the cut, and a footer.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::decoded;
use super::group_table;
use super::page::Look;
use super::partners;
use super::table::TableFormat;
use crate::fec::date;
use crate::fold::by::{Grouped, Value};

/// The number of bytes after which rows are written.
const PIECE_BYTES: usize = 64 << 10;

/// Writes groups as text for people.
///
/// # Errors
/// If `out` fails.
pub fn text(grouped: &Grouped, look: Look, out: &mut dyn Write) -> io::Result<()> {
    group_table::write(grouped, look, &mut Pieces::new(out))
}

/// Writes groups as a table for programs.
///
/// # Errors
/// If `out` fails.
pub fn table(grouped: &Grouped, format: TableFormat, out: &mut dyn Write) -> io::Result<()> {
    let mut pieces = Pieces::new(out);
    format.push_header(&mut pieces.bytes, &names(grouped));
    let keys = grouped.key_names().len();
    let aggregates = grouped.aggregate_names().len();
    for group in grouped.iter() {
        let count = group.count().to_string();
        let values = (0..aggregates).map(|nth| group.value(nth).map_or(String::new(), plain));
        let values: Vec<_> = values.collect();
        let mut fields: Vec<_> = (0..keys).map(|nth| group.key(nth)).collect();
        fields.push(count.as_bytes());
        fields.extend(values.iter().map(String::as_bytes));
        format.push_row(&mut pieces.bytes, &fields);
        pieces.write_if_many()?;
    }
    pieces.write()
}

/// Writes groups as an array of objects, one a line. It is valid UTF-8: other keys are decoded as
/// Windows-1252.
///
/// ```
/// use fecscan::Engine;
/// use fecscan::fold::by::{AggregateKind, ByFold, GroupQuestion};
/// use fecscan::render::groups;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut question = GroupQuestion::new("state")?;
/// question.add_aggregate(AggregateKind::Sum, "amount")?;
/// let fold = ByFold::new(question);
/// let grouped = fold.grouped(Engine::default().scan(&fold, ["fixtures/plain.txt"])?)?;
/// let mut json = Vec::new();
/// groups::json(&grouped, &mut json)?;
/// let expected = r#"[
/// {"STATE":"OR","count":7,"sum(TRANSACTION_AMT)":400.00},
/// {"STATE":"WA","count":1,"sum(TRANSACTION_AMT)":50.00}
/// ]
/// "#;
/// assert_eq!(String::from_utf8(json)?, expected);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If `out` fails.
pub fn json(grouped: &Grouped, out: &mut dyn Write) -> io::Result<()> {
    let mut pieces = Pieces::new(out);
    let quoted = |text: &str| serde_json::to_string(text).expect("text always serializes");
    let names: Vec<_> = names(grouped).into_iter().map(quoted).collect();
    let keys = grouped.key_names().len();
    let aggregates = grouped.aggregate_names().len();
    let mut line = String::new();
    for (nth, group) in grouped.iter().enumerate() {
        line.clear();
        line.push_str(if nth == 0 { "[\n{" } else { ",\n{" });
        for (nth, name) in names[..keys].iter().enumerate() {
            line.push_str(name);
            line.push(':');
            line.push_str(&quoted(&decoded(group.key(nth))));
            line.push(',');
        }
        write!(line, "\"count\":{}", group.count()).expect("memory takes all");
        for nth in 0..aggregates {
            let value = match group.value(nth) {
                None => "null".to_owned(),
                Some(date @ Value::Date(_)) => quoted(&plain(date)),
                Some(number) => plain(number),
            };
            write!(line, ",{}:{value}", names[keys + 1 + nth]).expect("memory takes all");
        }
        line.push('}');
        pieces.bytes.extend_from_slice(line.as_bytes());
        // Pieces end between rows, so no character is split.
        if pieces.bytes.len() >= PIECE_BYTES {
            pieces.write()?;
        }
    }
    let end: &[u8] = if grouped.is_empty() {
        b"[]\n"
    } else {
        b"\n]\n"
    };
    pieces.bytes.extend_from_slice(end);
    pieces.write()
}

/// Returns notes on lines whose values could not be used, one for each aggregate, and on lines without a
/// partner, one for each joined file.
pub fn notes(grouped: &Grouped) -> Vec<String> {
    let without_partner = grouped.without_partner.iter().map(partners::note);
    group_table::without_sentences(grouped)
        .chain(without_partner)
        .collect()
}

/// Returns the names of all columns.
fn names(grouped: &Grouped) -> Vec<&str> {
    let keys = grouped.key_names().iter().map(String::as_str);
    let aggregates = grouped.aggregate_names().iter().map(String::as_str);
    keys.chain(["count"]).chain(aggregates).collect()
}

/// Returns a value as programs read it.
fn plain(value: Value) -> String {
    match value {
        Value::Amount(amount) => amount.to_string(),
        Value::Date(day) => date::iso(day),
        Value::Count(count) => count.to_string(),
    }
}

/// Bytes on their way out, in pieces of whole rows.
pub(super) struct Pieces<'w> {
    pub(super) bytes: Vec<u8>,
    out: &'w mut dyn Write,
}

impl<'w> Pieces<'w> {
    fn new(out: &'w mut dyn Write) -> Pieces<'w> {
        Pieces {
            bytes: Vec::new(),
            out,
        }
    }

    /// Writes the rows so far, if they are many.
    pub(super) fn write_if_many(&mut self) -> io::Result<()> {
        if self.bytes.len() >= PIECE_BYTES {
            self.write()
        } else {
            Ok(())
        }
    }

    /// Writes the rows so far.
    pub(super) fn write(&mut self) -> io::Result<()> {
        self.out.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }
}
