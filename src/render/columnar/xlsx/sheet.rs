//! Sheets, and the values of their cells.

use std::fmt::Display;
use std::io::{self, Seek, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Decimal128Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use flate2::write::DeflateEncoder;
use flate2::{Compression, CrcWriter};
use tempfile::SpooledTempFile;

use super::XML;
use crate::error::{Error, ErrorKind, escaped};
use crate::fec::amount::Decimal;
use crate::fec::date;
use crate::render::shown::columns;
use crate::render::{Field, decoded, grouped, xml};

/// The most rows of a sheet, with the row of names.
const ROWS: u32 = 1 << 20;
const COLUMNS: usize = 1 << 14;
/// The width of the widest columns.
const WIDTH_MAX: usize = 60;
/// The most characters of a cell, as UTF-16 counts them.
const CHARACTERS: usize = 32_767;
/// The number of digits that a spreadsheet keeps.
const DIGITS: u32 = 15;
/// The number of bytes of a compressed sheet that stay in memory.
const SPOOLED: usize = 32 << 20;
/// The number of bytes of XML that are compressed at once.
const PIECE: usize = 64 << 10;
/// The number of the first day of 1970.
const EPOCH: i32 = 25_569;
/// The number of the first of March 1900. Before it stands the 29th of February 1900, which only spreadsheets know.
const MARCH_1900: i32 = 61;

/// A sheet on its way into a file.
pub(super) struct Sheet {
    names: Vec<String>,
    /// What stands before the number of the row in the name of each cell: `A` to `XFD`.
    letters: Vec<String>,
    /// The number of rows so far; zero before the row of names.
    pub(super) rows: u32,
    xml: Vec<u8>,
    compressed: CrcWriter<DeflateEncoder<SpooledTempFile>>,
}

pub(super) struct Compressed {
    /// The checksum of the XML.
    pub(super) crc: u32,
    /// The number of bytes of the XML.
    pub(super) bytes: u64,
    pub(super) spool: SpooledTempFile,
}

/// Returns the value at a place of a column of rows.
pub(super) fn field_at(array: &ArrayRef, nth: usize) -> Field<'_> {
    if array.is_null(nth) {
        return Field::Null;
    }
    match *array.data_type() {
        DataType::Date32 => {
            let day = array.as_primitive::<Date32Type>().value(nth);
            Field::Date(date::of_days_since_1970(day))
        }
        DataType::Int64 => {
            let units = array.as_primitive::<Int64Type>().value(nth).into();
            Field::Number(Decimal { units, decimals: 0 })
        }
        DataType::Float64 => Field::Double(array.as_primitive::<Float64Type>().value(nth)),
        DataType::Boolean => Field::Boolean(array.as_boolean().value(nth)),
        DataType::Decimal128(_, decimals) => {
            let units = array.as_primitive::<Decimal128Type>().value(nth);
            let decimals = decimals.cast_unsigned();
            Field::Number(Decimal { units, decimals })
        }
        _ => array.as_string::<i32>().value(nth).into(),
    }
}

/// Returns about how many columns a field takes, up to [`WIDTH_MAX`].
pub(super) fn width_of(field: &Field<'_>) -> usize {
    match field {
        Field::Text(text) => columns(text, WIDTH_MAX),
        Field::Count(_) | Field::Number(_) => field.bytes().len() * 4 / 3,
        Field::Null | Field::Date(_) | Field::Double(_) | Field::Boolean(_) => field.bytes().len(),
    }
}

impl Sheet {
    pub(super) fn new(names: Vec<String>) -> Result<Sheet, Error> {
        if names.len() > COLUMNS {
            let what = format!("has at most {} columns", grouped(COLUMNS as u64));
            return Err(refused(&what).advise("choose fewer columns, or csv: -f csv"));
        }
        for (nth, name) in names.iter().enumerate() {
            if let Some(all) = characters_over(name) {
                let (most, number) = (most_characters(), nth + 1);
                let what = format!(
                    "has at most {most} characters in a cell, and the name of column {number} has {all}"
                );
                return Err(refused(&what).advise("choose csv, -f csv, or leave the column out"));
            }
        }
        let spool = SpooledTempFile::new(SPOOLED);
        let encoder = DeflateEncoder::new(spool, Compression::fast());
        Ok(Sheet {
            letters: (0..names.len()).map(letters).collect(),
            names,
            rows: 0,
            xml: Vec::new(),
            compressed: CrcWriter::new(encoder),
        })
    }

    /// Writes what stands before the first row, and the names. Columns are as wide as some rows, of these widths, need.
    pub(super) fn begin(&mut self, measured: impl Iterator<Item = Vec<usize>>) {
        let widths = self.names.iter();
        let widths = widths.map(|name| columns(name.as_bytes(), WIDTH_MAX));
        let mut widths: Vec<_> = widths.collect();
        for row in measured {
            for (width, needed) in widths.iter_mut().zip(row) {
                *width = needed.max(*width);
            }
        }
        self.push_xml(XML);
        self.push_xml(
            "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetViews>\
             <sheetView workbookViewId=\"0\"><pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" \
             state=\"frozen\"/></sheetView></sheetViews><cols>",
        );
        for (nth, width) in (1..).zip(widths) {
            let width = width.clamp(8, WIDTH_MAX) + 2;
            self.push_xml(&format!(
                "<col min=\"{nth}\" max=\"{nth}\" width=\"{width}\" customWidth=\"1\"/>"
            ));
        }
        self.push_xml("</cols><sheetData><row r=\"1\">");
        self.rows = 1;
        for nth in 0..self.names.len() {
            let name = self.names[nth].clone();
            self.push_text(nth, &name, " s=\"1\"");
        }
        self.push_xml("</row>");
    }

    pub(super) fn push<'f>(&mut self, row: impl Iterator<Item = Field<'f>>) -> Result<(), Error> {
        if self.rows == ROWS {
            let what = format!(
                "has at most {} rows below the names",
                grouped(u64::from(ROWS) - 1)
            );
            let advice = "choose csv, -f csv, or fewer rows: --head N or --sample N";
            return Err(refused(&what).advise(advice));
        }
        self.rows += 1;
        self.push_xml(&format!("<row r=\"{}\">", self.rows));
        for (nth, field) in row.enumerate() {
            match field {
                Field::Text(text) => {
                    let text = decoded(&text);
                    self.check_characters(nth, &text)?;
                    self.push_text(nth, &text, "");
                }
                Field::Date(day) => match date::days_since_1970(day) + EPOCH {
                    ..MARCH_1900 => self.push_text(nth, &date::iso(day), ""),
                    number => self.push_number(nth, number, " s=\"2\""),
                },
                Field::Null => {}
                Field::Double(number) if number.is_finite() => self.push_number(nth, number, ""),
                Field::Double(_) | Field::Boolean(_) => {
                    let text = field.bytes();
                    self.push_text(nth, &decoded(&text), "");
                }
                Field::Count(count) => self.push_number(nth, count, " s=\"3\""),
                Field::Number(number) => self.push_decimal(nth, number),
            }
        }
        self.push_xml("</row>");
        if self.xml.len() >= PIECE {
            self.compress()
        } else {
            Ok(())
        }
    }

    fn push_decimal(&mut self, nth: usize, number: Decimal) {
        if number.units.unsigned_abs() >= 10_u128.pow(DIGITS) {
            return self.push_text(nth, &number.to_string(), "");
        }
        // A whole number may be a year, or identify something.
        let style = if number.decimals == 2 { " s=\"4\"" } else { "" };
        self.push_number(nth, number, style);
    }

    fn push_xml(&mut self, xml: &str) {
        self.xml.extend_from_slice(xml.as_bytes());
    }

    fn push_number(&mut self, nth: usize, number: impl Display, style: &str) {
        self.push_cell(nth, style);
        self.push_xml(&format!("><v>{number}</v></c>"));
    }

    fn push_text(&mut self, nth: usize, text: &str, style: &str) {
        if text.is_empty() {
            return;
        }
        self.push_cell(nth, style);
        let is_blank = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
        let bytes = text.as_bytes();
        self.push_xml(if is_blank(bytes.first()) || is_blank(bytes.last()) {
            " t=\"inlineStr\"><is><t xml:space=\"preserve\">"
        } else {
            " t=\"inlineStr\"><is><t>"
        });
        push_escaped(&mut self.xml, text);
        self.push_xml("</t></is></c>");
    }

    fn push_cell(&mut self, nth: usize, style: &str) {
        let (letters, row) = (&self.letters[nth], self.rows);
        // Writing to a vector does not fail.
        let _ = write!(self.xml, "<c r=\"{letters}{row}\"{style}");
    }

    fn check_characters(&self, nth: usize, text: &str) -> Result<(), Error> {
        let Some(all) = characters_over(text) else {
            return Ok(());
        };
        let (most, name) = (most_characters(), escaped(self.names[nth].as_bytes()));
        let row = grouped(self.rows.into());
        let what =
            format!("has at most {most} characters in a cell, and {name} has {all} in row {row}");
        Err(refused(&what).advise("choose csv, -f csv, or leave the column out"))
    }

    fn compress(&mut self) -> Result<(), Error> {
        let written = self.compressed.write_all(&self.xml);
        self.xml.clear();
        written.map_err(of_spool)
    }

    pub(super) fn finish(mut self) -> Result<Compressed, Error> {
        self.push_xml("</sheetData></worksheet>");
        self.compress()?;
        let crc = self.compressed.crc().sum();
        let mut encoder = self.compressed.into_inner();
        encoder.try_finish().map_err(of_spool)?;
        let bytes = encoder.total_in();
        let mut spool = encoder.finish().map_err(of_spool)?;
        spool.rewind().map_err(of_spool)?;
        Ok(Compressed { crc, bytes, spool })
    }
}

/// Returns how many characters a text has, if a cell can't hold them.
fn characters_over(text: &str) -> Option<String> {
    // No text has more characters than bytes.
    if text.len() <= CHARACTERS {
        return None;
    }
    let characters = text.encode_utf16().count();
    (characters > CHARACTERS).then(|| grouped(characters as u64))
}

fn most_characters() -> String {
    grouped(CHARACTERS as u64)
}

/// Returns the letters of a column: `A` to `Z`, then `AA`.
fn letters(nth: usize) -> String {
    let last = char::from(b'A' + (nth % 26) as u8);
    match nth / 26 {
        0 => last.to_string(),
        before => letters(before - 1) + &last.to_string(),
    }
}

/// Appends a text as XML. A character that XML lacks gets the name `_x0001_`, as does a carriage return, which readers take for a newline. A
/// text that looks like such a name begins with `_x005F_`.
fn push_escaped(out: &mut Vec<u8>, text: &str) {
    let name = |c: char| format!("_x{:04X}_", u32::from(c));
    let mut push = |part: &str| out.extend_from_slice(part.as_bytes());
    let mut rest = text;
    let is_named =
        |rest: &str, at| rest[at..].starts_with('\r') || is_escape(&rest.as_bytes()[at..]);
    while let Some((at, found)) = rest
        .match_indices(['\r', '_'])
        .find(|(at, _)| is_named(rest, *at))
    {
        xml::escape(&rest[..at], &mut push, name);
        found.chars().for_each(|c| push(&name(c)));
        rest = &rest[at + found.len()..];
    }
    xml::escape(rest, push, name);
}

/// Says whether a text begins like the name of a character: `_x000D_`.
fn is_escape(text: &[u8]) -> bool {
    matches!(text, [b'_', b'x', digits @ .., ] if digits.len() > 4
        && digits[4] == b'_' && digits[..4].iter().all(u8::is_ascii_hexdigit))
}

fn refused(what: &str) -> Error {
    Error::new(ErrorKind::Output, format!("a sheet of xlsx {what}"))
}

fn of_spool(error: io::Error) -> Error {
    let doing = "the temporary file of the sheet can't be written";
    Error::io(ErrorKind::Output, doing, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_the_letters_of_spreadsheets() {
        let expected = [
            (0, "A"),
            (25, "Z"),
            (26, "AA"),
            (701, "ZZ"),
            (702, "AAA"),
            (16_383, "XFD"),
        ];
        for (nth, name) in expected {
            assert_eq!(letters(nth), name);
        }
    }

    #[test]
    fn texts_are_escaped_where_a_spreadsheet_would_read_something_else() {
        for (text, xml) in [
            ("=1+1", "=1+1"),
            ("a<b>&c", "a&lt;b&gt;&amp;c"),
            ("a\rb\u{1}\tc\n", "a_x000D_b_x0001_\tc\n"),
            ("_x000D_ _x00_ _y000D_", "_x005F_x000D_ _x00_ _y000D_"),
            ("_x000D__x000d_", "_x005F_x000D__x005F_x000d_"),
            ("é\u{ffff}", "é_xFFFF_"),
        ] {
            let mut out = Vec::new();
            push_escaped(&mut out, text);
            assert_eq!(String::from_utf8(out).unwrap(), xml);
        }
    }
}
