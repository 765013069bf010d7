//! Writes bytes as columns, and reads the result back to values.

use std::io::{self, Cursor, Write};
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Decimal128Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_ipc::reader::StreamReader;
use arrow_schema::DataType;
use bytes::Bytes;
use fecscan::error::Error;
use fecscan::export::{ExportQuestion, Exported, RowFold, Types, Writing};
use fecscan::fec::schema::Schema;
use fecscan::fec::{amount, date, trimmed};
use fecscan::render::Format;
use fecscan::render::columnar::Compression;
use fecscan::render::decoded;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use crate::common::run::Setting;

pub type Columnar = (Format, Compression);

pub const FORMATS: [Columnar; 3] = [
    (Format::Parquet, Compression::Snappy),
    (Format::Parquet, Compression::Zstd),
    (Format::Arrow, Compression::Snappy),
];

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Text(String),
    /// In hundredths.
    Amount(i128),
    /// After the first of 1970.
    Day(i32),
    Integer(i64),
    /// A whole number of 128 bits.
    Huge(i128),
    Double(f64),
    Truth(bool),
}

/// Returns the question for these columns, or for all.
pub fn question(columns: &str, types: Types) -> ExportQuestion {
    let mut question = ExportQuestion::default();
    if !columns.is_empty() {
        question.add_columns(columns).unwrap();
    }
    question.types = types;
    question
}

/// Writes the file at `path` to memory.
pub fn write(
    setting: &Setting,
    question: &ExportQuestion,
    format: Columnar,
    path: &Path,
) -> (Vec<u8>, Exported) {
    let mut out = Vec::new();
    let exported = try_write(setting, question, format, path, &mut out);
    let exported = exported.unwrap_or_else(|error| panic!("{setting:?}: {error}"));
    (out, exported)
}

pub fn try_write(
    setting: &Setting,
    question: &ExportQuestion,
    format: Columnar,
    path: &Path,
    out: impl Write + Send,
) -> Result<Exported, Error> {
    let engine = setting.engine();
    let mut writing = Writing::from(format.0);
    writing.compression = format.1;
    writing.metadata = vec![("key".to_owned(), "value".to_owned())];
    let fold = RowFold::new(question.clone(), writing, out);
    let folded = setting.fold(&engine, &fold, &[], &[path])?;
    fold.finish(folded.partial, engine.workers())
}

/// Returns the rows of a file, each with its values.
pub fn read(format: Columnar, file: &[u8]) -> Vec<Vec<Value>> {
    match format {
        (Format::Arrow, _) => read_arrow(file),
        _ => read_parquet(file),
    }
}

/// Returns the names of the columns of a file.
pub fn names_in(format: Columnar, file: &[u8]) -> Vec<String> {
    if let (Format::Arrow, _) = format {
        let reader = StreamReader::try_new(Cursor::new(file), None).unwrap();
        let schema = reader.schema();
        return schema.fields().iter().map(|f| f.name().clone()).collect();
    }
    let reader = SerializedFileReader::new(Bytes::copy_from_slice(file)).unwrap();
    let schema = reader.metadata().file_metadata().schema_descr();
    let columns = schema.columns().iter();
    columns.map(|column| column.name().to_owned()).collect()
}

/// Returns a decimal's units. More digits take more bytes.
fn units(bytes: &[u8]) -> i128 {
    let sign = if bytes[0] < 0x80 { 0 } else { -1 };
    bytes
        .iter()
        .fold(sign, |units, byte| units << 8 | i128::from(*byte))
}

fn read_parquet(file: &[u8]) -> Vec<Vec<Value>> {
    let reader = SerializedFileReader::new(Bytes::copy_from_slice(file)).unwrap();
    let value = |field: &Field| match field {
        Field::Null => Value::Null,
        Field::Str(text) => Value::Text(text.clone()),
        Field::Long(integer) => Value::Integer(*integer),
        Field::Date(day) => Value::Day(*day),
        Field::Double(number) => Value::Double(*number),
        Field::Bool(is) => Value::Truth(*is),
        Field::Decimal(number) if number.scale() == 0 => {
            assert_eq!(number.data().len(), 16);
            Value::Huge(units(number.data()))
        }
        Field::Decimal(amount) => {
            assert_eq!(amount.scale(), 2);
            Value::Amount(units(amount.data()))
        }
        other => panic!("no column is of the type of {other}"),
    };
    let rows = reader.get_row_iter(None).unwrap();
    rows.map(|row| {
        let row = row.unwrap();
        row.get_column_iter()
            .map(|(_, field)| value(field))
            .collect()
    })
    .collect()
}

fn read_arrow(file: &[u8]) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for batch in StreamReader::try_new(Cursor::new(file), None).unwrap() {
        let batch = batch.unwrap();
        let row = |nth: usize| {
            batch
                .columns()
                .iter()
                .map(|array| value(array, nth))
                .collect()
        };
        rows.extend((0..batch.num_rows()).map(row));
    }
    rows
}

fn value(array: &ArrayRef, nth: usize) -> Value {
    if array.is_null(nth) {
        return Value::Null;
    }
    match array.data_type() {
        DataType::Utf8 => Value::Text(array.as_string::<i32>().value(nth).to_owned()),
        DataType::Int64 => Value::Integer(array.as_primitive::<Int64Type>().value(nth)),
        DataType::Date32 => Value::Day(array.as_primitive::<Date32Type>().value(nth)),
        DataType::Float64 => Value::Double(array.as_primitive::<Float64Type>().value(nth)),
        DataType::Boolean => Value::Truth(array.as_boolean().value(nth)),
        DataType::Decimal128(38, 0) => {
            Value::Huge(array.as_primitive::<Decimal128Type>().value(nth))
        }
        DataType::Decimal128(_, 2) => {
            Value::Amount(array.as_primitive::<Decimal128Type>().value(nth))
        }
        other => panic!("no column is of the type {other}"),
    }
}

/// Returns the rows of `bytes`, line by line and cell by cell, and the number of cells that can't be read.
pub fn expected(bytes: &[u8], question: &ExportQuestion) -> (Vec<Vec<Value>>, u64) {
    let mut unreadable = 0;
    let columns = names(question).into_iter();
    let columns: Vec<_> = columns
        .map(|name| (Schema::Indiv.column(&name).unwrap(), name))
        .collect();
    let lines = bytes.split_inclusive(|&b| b == b'\n').map(|line| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line)
    });
    let rows = lines.map(|line| {
        let cells: Vec<&[u8]> = line.split(|&b| b == b'|').collect();
        let value = |(place, name): &(usize, String)| {
            let cell = cells.get(*place).copied().unwrap_or_default();
            let value = match question.types {
                Types::Raw | Types::Expressions => Value::Text(decoded(cell).into_owned()),
                Types::Typed => typed(cell, name),
            };
            unreadable += u64::from(value == Value::Null && !trimmed(cell).is_empty());
            value
        };
        columns.iter().map(value).collect()
    });
    (rows.collect(), unreadable)
}

/// Returns the names of the columns.
pub fn names(question: &ExportQuestion) -> Vec<String> {
    if question.columns.is_empty() {
        let columns = Schema::Indiv.columns().iter();
        return columns.map(|column| column.name.to_owned()).collect();
    }
    question.columns.items().collect()
}

fn typed(cell: &[u8], name: &str) -> Value {
    let found = match name {
        "TRANSACTION_AMT" => amount::hundredths(cell)
            .filter(|amount| amount.to_string().trim_start_matches('-').len() <= 14)
            .map(Value::Amount),
        "TRANSACTION_DT" => date::of_column(cell).map(|date| Value::Day(day(date))),
        "SUB_ID" | "FILE_NUM" => {
            let text = String::from_utf8(trimmed(cell).to_vec()).ok();
            text.and_then(|text| text.parse().ok()).map(Value::Integer)
        }
        _ => Some(Value::Text(decoded(cell).into_owned())),
    };
    found.unwrap_or(Value::Null)
}

/// Counts days one by one.
pub fn day(date: u32) -> i32 {
    let (year, month, day) = (date / 10_000, date / 100 % 100, date % 100);
    let is_leap = |year: u32| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut days = day as i32 - 1;
    for earlier in 1..year {
        days += 365 + i32::from(is_leap(earlier));
    }
    for earlier in 1..month {
        days += match earlier {
            2 => 28 + i32::from(is_leap(year)),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
    }
    days - 719_162
}

/// An output that fails after so many bytes.
pub struct Failing {
    pub after: usize,
    pub kind: io::ErrorKind,
}

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.after {
            0 => Err(self.kind.into()),
            left => {
                let length = left.min(bytes.len());
                self.after -= length;
                Ok(length)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
