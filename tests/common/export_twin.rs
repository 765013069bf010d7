//! The slow twin of `export`: values as the contract words them, and each format read back.

use std::fmt;

use fecscan::export::{ExportQuestion, Types};
use fecscan::render;
use serde_json::Value;

use super::condition::{self, Condition};
use super::function_twin::{called, column, key};
use super::twin::{lines_of, text, trim};

/// A question about rows of indiv, in the twin's own words. Columns are counted from one.
#[derive(Clone, Debug, Default)]
pub struct AskedRows {
    /// The name of a function, or none, and the column; nothing for all columns.
    pub columns: Vec<(&'static str, usize)>,
    pub typed: bool,
    pub head: Option<u64>,
}

/// A value; none for null.
pub type Cell = Option<Vec<u8>>;

/// The rows of an export.
#[derive(PartialEq, Eq)]
pub struct Rows(pub Vec<Vec<Cell>>);

/// The formats that programs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Ndjson,
    Json,
    Csv,
    Tsv,
}

pub const FORMATS: [Format; 4] = [Format::Ndjson, Format::Json, Format::Csv, Format::Tsv];

/// The columns with a type, counted from one.
const DATE: usize = 14;
const AMOUNT: usize = 15;
const SUB_ID: usize = 21;

impl AskedRows {
    pub fn typed(&self) -> ExportQuestion {
        let mut question = ExportQuestion::default();
        if !self.columns.is_empty() {
            let columns = self
                .columns
                .iter()
                .map(|(function, number)| match *function {
                    "" => format!("#{number}"),
                    function => called(function, &format!("#{number}")),
                });
            let columns: Vec<_> = columns.collect();
            question.add_columns(&columns.join(",")).unwrap();
        }
        if self.typed {
            question.types = Types::Typed;
        }
        question.head = self.head;
        question
    }

    /// The columns, all of them if none are named.
    pub fn all_columns(&self) -> Vec<(&'static str, usize)> {
        match &self.columns[..] {
            [] => (1..=21).map(|number| ("", number)).collect(),
            columns => columns.to_vec(),
        }
    }
}

/// The rows, and for each column how many values could not be parsed.
pub fn rows(files: &[&[u8]], asked: &AskedRows, conditions: &[Condition]) -> (Rows, Vec<u64>) {
    let columns = asked.all_columns();
    let mut unparsed = vec![0; columns.len()];
    let lines = files.iter().flat_map(|bytes| lines_of(bytes));
    let chosen = lines.filter(|line| conditions.iter().all(|condition| condition.holds(line)));
    let head = asked.head.map_or(usize::MAX, |head| head as usize);
    let rows = chosen.take(head).map(|line| {
        let cells = columns.iter().zip(&mut unparsed);
        let cells = cells.map(|(&(function, number), unparsed)| {
            let value = key(function, column(line, number));
            match (asked.typed, function, number) {
                (false, ..) => Some(value),
                (true, "", DATE | AMOUNT | SUB_ID) => {
                    let found = typed(number, &value);
                    *unparsed += u64::from(found.is_none() && !trim(&value).is_empty());
                    found
                }
                _ => Some(value).filter(|value| !value.is_empty()),
            }
        });
        cells.collect()
    });
    let rows = Rows(rows.collect());
    (rows, unparsed)
}

fn typed(number: usize, value: &[u8]) -> Cell {
    let text = match number {
        DATE => {
            let day = condition::date(value)?;
            format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..])
        }
        AMOUNT => {
            let hundredths = condition::decimal(value)?;
            let (sign, digits) = match hundredths.strip_prefix('-') {
                Some(digits) => ("-", digits),
                None => ("", &hundredths[..]),
            };
            if digits.len() > 14 {
                return None;
            }
            let digits = format!("{digits:0>3}");
            let (dollars, cents) = digits.split_at(digits.len() - 2);
            format!("{sign}{dollars}.{cents}")
        }
        _ => {
            let text = std::str::from_utf8(trim(value)).ok()?;
            let sign = text.starts_with(['-', '+']);
            let digits = &text[usize::from(sign)..];
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            let number: i128 = text.parse().ok()?;
            i64::try_from(number).ok()?.to_string()
        }
    };
    Some(text.into_bytes())
}

impl Format {
    pub fn of_program(self) -> render::Format {
        render::Format::named(&format!("{self:?}")).unwrap()
    }

    /// Reads an export with columns of these names.
    pub fn read(self, bytes: &[u8], names: &[String], typed: bool) -> Rows {
        let lines = || {
            let text = std::str::from_utf8(bytes).expect("JSON is UTF-8");
            text.lines().map(|line| line.parse::<Value>().unwrap())
        };
        Rows(match self {
            Format::Ndjson => {
                assert!(bytes.is_empty() || bytes.ends_with(b"\n"));
                lines().map(|value| cells(&value, names)).collect()
            }
            Format::Json => {
                let array: Value = serde_json::from_slice(bytes).unwrap();
                let objects = array.as_array().unwrap();
                objects.iter().map(|value| cells(value, names)).collect()
            }
            Format::Csv => {
                let mut reader = csv::ReaderBuilder::new();
                let mut reader = reader.has_headers(false).from_reader(bytes);
                let mut rows = reader.byte_records().map(Result::unwrap);
                let header = rows.next().expect("a header");
                assert!(header.iter().eq(names.iter().map(|name| name.as_bytes())));
                let cells = |row: csv::ByteRecord| row.iter().map(|v| cell(v, typed)).collect();
                rows.map(cells).collect()
            }
            Format::Tsv => {
                let text = bytes.strip_suffix(b"\n").expect("whole lines");
                let mut rows = text.split(|&b| b == b'\n');
                let header = rows.next().unwrap();
                assert_eq!(header, names.join("\t").as_bytes());
                let fields = |row: &[u8]| {
                    let fields = row.split(|&b| b == b'\t');
                    fields.map(|v| cell(&unescaped(v), typed)).collect()
                };
                rows.map(fields).collect()
            }
        })
    }

    /// Returns the rows as this format can hold them: JSON holds text.
    pub fn holds(self, rows: &Rows) -> Rows {
        match self {
            Format::Csv | Format::Tsv => Rows(rows.0.clone()),
            Format::Ndjson | Format::Json => {
                let decoded = |cell: &Cell| cell.as_deref().map(|v| text(v).into_bytes());
                let rows = rows.0.iter();
                Rows(rows.map(|row| row.iter().map(decoded).collect()).collect())
            }
        }
    }
}

fn cell(value: &[u8], typed: bool) -> Cell {
    (!typed || !value.is_empty()).then(|| value.to_vec())
}

fn cells(object: &Value, names: &[String]) -> Vec<Cell> {
    let object = object.as_object().unwrap();
    assert_eq!(object.len(), names.len());
    let value = |name: &String| match &object[name] {
        Value::String(text) => Some(text.clone().into_bytes()),
        // serde_json makes floats of them, which have no second decimal.
        Value::Number(number) => Some(format!("{:.2}", number.as_f64().unwrap()).into_bytes()),
        Value::Null => None,
        other => panic!("{other}"),
    };
    names.iter().map(value).collect()
}

fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut bytes = field.iter();
    let mut out = Vec::new();
    while let Some(&byte) = bytes.next() {
        out.push(match byte {
            b'\\' => match bytes.next() {
                Some(b't') => b'\t',
                Some(b'n') => b'\n',
                Some(b'r') => b'\r',
                Some(b'\\') => b'\\',
                other => panic!("{other:?} after a backslash"),
            },
            byte => byte,
        });
    }
    out
}

/// One row a line.
impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.0 {
            let value = |cell: &Cell| match cell {
                None => "null".to_owned(),
                Some(value) => format!("'{}'", value.escape_ascii()),
            };
            writeln!(f, "{}", row.iter().map(value).collect::<Vec<_>>().join(" "))?;
        }
        Ok(())
    }
}
