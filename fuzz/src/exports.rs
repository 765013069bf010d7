//! Comparisons for exports: every format, read back, has the cells of the lines.

use std::iter;

use fecscan::export::{Exported, RowFold, Writing};
use fecscan::fec::schema::Schema;
use fecscan::render;
use fecscan::render::columnar::Compression;
use unicode_width::UnicodeWidthChar;

use crate::common::export_twin::{self, AskedRows, Cell, Format, Rows};
use crate::common::memory_file::MemoryFile;
use crate::common::reading::{self, Columnar, Value};
use crate::common::run::Setting;
use crate::common::twin::text;
use crate::conditions::{self, Conditions};
use crate::{choices, is_text, names, setting};

/// The formats of the export.
#[derive(Clone, Copy, Debug)]
enum Written {
    Rows(Format),
    Text,
    Columns(Columnar),
}

const FORMATS: [Written; 8] = [
    Written::Rows(Format::Ndjson),
    Written::Rows(Format::Json),
    Written::Rows(Format::Csv),
    Written::Rows(Format::Tsv),
    Written::Text,
    Written::Columns((render::Format::Arrow, Compression::Snappy)),
    Written::Columns((render::Format::Parquet, Compression::Snappy)),
    Written::Columns((render::Format::Parquet, Compression::Zstd)),
];

/// Compares an export with the twin's rows.
pub fn compare(data: &[u8]) {
    let ([form, format, head, picks @ .., level, task, shift], data) = choices::<12>(data);
    let columns = match form % 4 {
        0 => Vec::new(),
        // Lines are copied up to a column.
        1 => (1..=2 + usize::from(picks[0]) % 20)
            .map(|number| ("", number))
            .collect(),
        _ => names::keys(&picks),
    };
    let (conditions, rows) = match form / 4 % 2 {
        0 => (Conditions::new(Vec::new()), data),
        _ => conditions::made(data),
    };
    if !is_text(rows) {
        return;
    }
    let asked = AskedRows {
        columns,
        typed: form / 8 % 2 == 1,
        head: (head < 128).then_some(u64::from(head)),
    };
    let names: Vec<_> = asked.all_columns().into_iter().map(name).collect();
    let setting = setting([level, task, shift]);
    let piece_bytes = [1, 500, 4 << 20][usize::from(form / 16) % 3];
    let format = FORMATS[usize::from(format) % FORMATS.len()];
    let what = || format!("{format:?}, {asked:?}, {:?}, {setting:?}", conditions.texts);
    let file = MemoryFile::new(rows);
    let run = Run {
        setting,
        conditions: &conditions,
        asked: &asked,
        path: &file.path,
        piece_bytes,
    };
    let lines = conditions.lines(rows);
    let (expected, unparsed) = export_twin::rows(&[&lines], &asked, &[]);
    let column = |number: usize| Schema::Indiv.columns()[number - 1].name.to_owned();
    let unparsed = unparsed.into_iter();
    let unparsed: Vec<_> = unparsed
        .map(|(number, count)| (column(number), count))
        .collect();
    let exported = match format {
        Written::Rows(format) => {
            let (out, exported) = run.write(format.of_program());
            let found = format.read(&out, &names);
            assert_eq!(found, format.holds(&expected), "{}", what());
            exported
        }
        Written::Text => {
            let (out, exported) = run.write(render::Format::Text);
            let aligned = aligned(&names, &asked, &expected);
            let [out, aligned] = [&out, &aligned].map(|text| text.escape_ascii().to_string());
            assert_eq!(out, aligned, "{}", what());
            exported
        }
        Written::Columns(format) => {
            let mut writing = Writing::from(format.0);
            writing.compression = format.1;
            let (out, exported) = run.write(writing);
            assert_eq!(reading::names_in(format, &out), names, "{}", what());
            let found = reading::read(format, &out).into_iter();
            let found = Rows(
                found
                    .map(|row| row.into_iter().map(cell).collect())
                    .collect(),
            );
            assert_eq!(found, Format::Json.holds(&expected), "{}", what());
            exported
        }
    };
    assert_eq!(exported.rows, expected.0.len() as u64, "{}", what());
    let found = exported.unparsed.into_iter();
    let found: Vec<_> = found.map(|(name, _, count)| (name, count)).collect();
    assert_eq!(found, unparsed, "{}", what());
}

/// The input and the settings of an export.
struct Run<'a> {
    setting: Setting,
    conditions: &'a Conditions,
    asked: &'a AskedRows,
    path: &'a str,
    piece_bytes: usize,
}

impl Run<'_> {
    fn write(&self, writing: impl Into<Writing>) -> (Vec<u8>, Exported) {
        let mut writing = writing.into();
        writing.piece_bytes = self.piece_bytes;
        let mut out = Vec::new();
        let fold = RowFold::new(self.asked.typed(), writing, &mut out);
        let engine = self
            .setting
            .engine()
            .with_filter(self.conditions.filter.clone());
        let folded = self
            .setting
            .fold(&engine, &fold, &[], &[self.path.as_ref()]);
        let exported = fold
            .finish(folded.unwrap().partial, engine.workers())
            .unwrap();
        (out, exported)
    }
}

fn name((expression, number): (&str, usize)) -> String {
    match expression {
        "" => Schema::Indiv.columns()[number - 1].name.to_owned(),
        // As written.
        _ => export_twin::sql((expression, number)),
    }
}

/// Returns a value as the twin writes it.
fn cell(value: Value) -> Cell {
    let text = match value {
        Value::Null => return None,
        Value::Text(text) => text,
        Value::Integer(integer) => integer.to_string(),
        Value::Amount(hundredths) => {
            let (sign, all) = (
                if hundredths < 0 { "-" } else { "" },
                hundredths.unsigned_abs(),
            );
            format!("{sign}{}.{:02}", all / 100, all % 100)
        }
        Value::Day(day) => date(day),
        Value::Huge(number) => number.to_string(),
        Value::Double(number) => number.to_string(),
        Value::Truth(is) => is.to_string(),
    };
    Some(text.into_bytes())
}

/// Formats a day, counted from the first of 1970. Subtracts years and months one by one.
fn date(day: i32) -> String {
    let mut left = day + 719_162;
    let (mut year, mut month) = (1, 1);
    let is_leap = |year: i32| year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
    let days_of_year = |year| 365 + i32::from(is_leap(year));
    while left >= days_of_year(year) {
        left -= days_of_year(year);
        year += 1;
    }
    loop {
        let days = match month {
            2 => 28 + i32::from(is_leap(year)),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        if left < days {
            return format!("{year:04}-{month:02}-{:02}", left + 1);
        }
        left -= days;
        month += 1;
    }
}

/// Aligns text. The first hundred rows decide the widths, up to 200 characters. A line break in a value is spelled out.
fn aligned(names: &[String], asked: &AskedRows, rows: &Rows) -> Vec<u8> {
    let spelled = |byte: &u8| match byte {
        b'\n' => br"\n".to_vec(),
        b'\r' => br"\r".to_vec(),
        byte => vec![*byte],
    };
    let spelled = |cell: &Cell| {
        cell.as_ref()
            .map(|value| value.iter().flat_map(spelled).collect())
    };
    let rows = rows.0.iter().map(|row| row.iter().map(spelled).collect());
    let rows = Rows(rows.collect());
    let shown = |cell: &Cell| {
        let text = text(cell.as_deref().unwrap_or_default());
        let widths = text.chars().map(|c| c.width().unwrap_or(1));
        widths.sum::<usize>()
    };
    let width = |nth: usize| {
        let cells = rows.0.iter().take(100).map(|row| shown(&row[nth]).min(200));
        cells.max().unwrap_or(0).max(names[nth].len())
    };
    let widths: Vec<_> = (0..names.len()).map(width).collect();
    let header = names
        .iter()
        .map(|name| Some(name.clone().into_bytes()))
        .collect();
    let mut out = Vec::new();
    for row in iter::once(&header).chain(&rows.0) {
        let mut line = Vec::new();
        // Blanks that no value follows are left out.
        let mut end = 0;
        for (nth, (cell, key)) in iter::zip(row, asked.all_columns()).enumerate() {
            line.extend_from_slice(if nth > 0 { b"  " } else { b"" });
            let blanks = vec![b' '; widths[nth].saturating_sub(shown(cell).min(200))];
            let is_amount = key == ("", 15);
            line.extend_from_slice(if is_amount { &blanks } else { b"" });
            line.extend_from_slice(cell.as_deref().unwrap_or_default());
            if cell.as_deref().is_some_and(|value| !value.is_empty()) {
                end = line.len();
            }
            line.extend_from_slice(if is_amount { b"" } else { &blanks });
        }
        line.truncate(end);
        out.extend(line);
        out.push(b'\n');
    }
    out
}
