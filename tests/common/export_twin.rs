//! The slow twin of `export`: values as SQL has them, and each format read back.

use std::fmt;

use fecscan::export::{ExportQuestion, Types};
use fecscan::render;
use serde_json::Value;

use super::condition::{self, Condition};
use super::function_twin::{column, key};
use super::twin::{lines_of, text, trim};

/// A question about rows of indiv, in the twin's own words. Columns are counted from one.
#[derive(Clone, Debug, Default)]
pub struct AskedRows {
    /// An expression with an `@` in the place of its column, or nothing for the column itself, and the column; none for all columns.
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
const FILE_NUM: usize = 18;
const SUB_ID: usize = 21;
const TYPED: [usize; 4] = [DATE, AMOUNT, FILE_NUM, SUB_ID];

/// Returns an expression of a column as SQL.
pub fn sql((expression, number): (&str, usize)) -> String {
    let column = format!("#{number}");
    match expression {
        "" => column,
        expression => expression.replace('@', &column),
    }
}

impl AskedRows {
    pub fn typed(&self) -> ExportQuestion {
        let mut question = ExportQuestion::default();
        if !self.columns.is_empty() {
            let columns = self.columns.iter().map(|column| sql(*column));
            let columns: Vec<_> = columns.collect();
            question.add_columns(&columns.join(", ")).unwrap();
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

/// The rows, and the numbers of columns with values that could not be parsed, and how many.
pub fn rows(
    files: &[&[u8]],
    asked: &AskedRows,
    conditions: &[Condition],
) -> (Rows, Vec<(usize, u64)>) {
    let columns = asked.all_columns();
    let lines = files.iter().flat_map(|bytes| lines_of(bytes));
    let chosen = lines.filter(|line| conditions.iter().all(|condition| condition.holds(line)));
    let head = asked.head.map_or(usize::MAX, |head| head as usize);
    let chosen: Vec<_> = chosen.take(head).collect();
    let rows = chosen.iter().map(|line| {
        let cells = columns.iter().map(|&(expression, number)| {
            let found = made(expression, number, column(line, number), asked.typed);
            found.or((!asked.typed).then(Vec::new))
        });
        cells.collect()
    });
    let rows = Rows(rows.collect());
    let mut unparsed: Vec<(usize, u64)> = Vec::new();
    for (expression, number) in columns {
        let is_parsed = TYPED.contains(&number) && (asked.typed || !expression.is_empty());
        if !is_parsed || unparsed.iter().any(|(known, _)| *known == number) {
            continue;
        }
        let values = chosen.iter().map(|line| column(line, number));
        let count =
            values.filter(|value| typed(number, value).is_none() && !trim(value).is_empty());
        unparsed.push((number, count.count() as u64));
    }
    unparsed.retain(|(_, count)| *count > 0);
    (rows, unparsed)
}

/// What an expression makes of a column.
fn made(expression: &str, number: usize, value: &[u8], is_typed: bool) -> Cell {
    let cents = || {
        let text = String::from_utf8(typed(AMOUNT, value)?).unwrap();
        text.replace('.', "").parse::<i128>().ok()
    };
    let day = || String::from_utf8(typed(DATE, value)?).ok();
    let text = match (expression, number) {
        ("", number) if is_typed && TYPED.contains(&number) => return typed(number, value),
        ("", _) => return Some(value.to_vec()),
        ("month(@)", DATE) => day()?[5..7].trim_start_matches('0').to_owned(),
        ("date_trunc('year', @)", DATE) => format!("{}-01-01", &day()?[..4]),
        ("@ * -2", AMOUNT) => {
            let doubled = -2 * cents()?;
            let (sign, size) = (if doubled < 0 { "-" } else { "" }, doubled.abs());
            format!("{sign}{}.{:02}", size / 100, size % 100)
        }
        ("@ >= 100", AMOUNT) => (cents()? >= 10_000).to_string(),
        (call, _) => {
            let function = call.strip_suffix("(@)").expect("a function of one column");
            return Some(key(function, value));
        }
    };
    Some(text.into_bytes())
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
    pub fn read(self, bytes: &[u8], names: &[String]) -> Rows {
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
                let cells =
                    |row: csv::ByteRecord| row.iter().map(|value| Some(value.to_vec())).collect();
                rows.map(cells).collect()
            }
            Format::Tsv => {
                let text = bytes.strip_suffix(b"\n").expect("whole lines");
                let mut rows = text.split(|&b| b == b'\n');
                let header = rows.next().unwrap();
                assert_eq!(header, names.join("\t").as_bytes());
                let fields = |row: &[u8]| {
                    let fields = row.split(|&b| b == b'\t');
                    fields.map(|value| Some(unescaped(value))).collect()
                };
                rows.map(fields).collect()
            }
        })
    }

    /// Returns the rows as this format can hold them: JSON holds text, and tables hold no NULL.
    pub fn holds(self, rows: &Rows) -> Rows {
        let held = |cell: &Cell| match self {
            Format::Csv | Format::Tsv => Some(cell.clone().unwrap_or_default()),
            Format::Ndjson | Format::Json => cell.as_deref().map(|v| text(v).into_bytes()),
        };
        let rows = rows.0.iter();
        Rows(rows.map(|row| row.iter().map(held).collect()).collect())
    }
}

fn cells(object: &Value, names: &[String]) -> Vec<Cell> {
    let object = object.as_object().unwrap();
    assert_eq!(object.len(), names.len());
    let value = |name: &String| match &object[name] {
        Value::String(text) => Some(text.clone().into_bytes()),
        Value::Bool(is) => Some(is.to_string().into_bytes()),
        Value::Number(number) if number.is_i64() => Some(number.to_string().into_bytes()),
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
