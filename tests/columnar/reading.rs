//! Writes bytes as columns, and reads the result back to values.

use std::io::{self, Cursor, Write};
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Decimal128Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_ipc::reader::StreamReader;
use arrow_schema::DataType;
use bytes::Bytes;
use fecscan::error::Error;
use fecscan::fec::schema::Schema;
use fecscan::fec::{amount, date, trimmed};
use fecscan::fold::columnar::ColumnarFold;
use fecscan::render::columnar::{
    Column, ColumnKind, ColumnarFormat, Compression, EmptyText, Layout, Written,
};
use fecscan::render::decoded;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use crate::common::run::Setting;

pub const FORMATS: [ColumnarFormat; 3] = [
    ColumnarFormat::Parquet(Compression::Snappy),
    ColumnarFormat::Parquet(Compression::Zstd),
    ColumnarFormat::Arrow,
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Null,
    Text(String),
    /// In hundredths.
    Amount(i128),
    /// After the first of 1970.
    Day(i32),
    Integer(i64),
}

/// Writes the file at `path` to memory.
pub fn write(setting: &Setting, layout: &Layout, path: &Path) -> (Vec<u8>, Written) {
    let mut out = Vec::new();
    let written = try_write(setting, layout, path, &mut out);
    let written = written.unwrap_or_else(|error| panic!("{setting:?}: {error}"));
    (out, written)
}

pub fn try_write(
    setting: &Setting,
    layout: &Layout,
    path: &Path,
    out: impl Write + Send,
) -> Result<Written, Error> {
    let engine = setting.engine();
    let fold = ColumnarFold::new(layout, out)?;
    setting.fold(&engine, &fold, &[], &[path])?;
    fold.finish(&engine)
}

/// Returns the rows of a file, each with its values.
pub fn read(format: ColumnarFormat, file: &[u8]) -> Vec<Vec<Value>> {
    match format {
        ColumnarFormat::Arrow => read_arrow(file),
        _ => read_parquet(file),
    }
}

fn read_parquet(file: &[u8]) -> Vec<Vec<Value>> {
    let reader = SerializedFileReader::new(Bytes::copy_from_slice(file)).unwrap();
    let value = |field: &Field| match field {
        Field::Null => Value::Null,
        Field::Str(text) => Value::Text(text.clone()),
        Field::Long(integer) => Value::Integer(*integer),
        Field::Date(day) => Value::Day(*day),
        Field::Decimal(amount) => {
            assert_eq!(amount.scale(), 2);
            Value::Amount(match amount.precision() {
                14 => i64::from_be_bytes(amount.data().try_into().unwrap()).into(),
                _ => i128::from_be_bytes(amount.data().try_into().unwrap()),
            })
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
        DataType::Decimal128(14 | 38, 2) => {
            Value::Amount(array.as_primitive::<Decimal128Type>().value(nth))
        }
        other => panic!("no column is of the type {other}"),
    }
}

/// Returns the rows of `bytes`, line by line and cell by cell, and the number of cells that can't be read.
pub fn expected(bytes: &[u8], columns: &[Column], empty: EmptyText) -> (Vec<Vec<Value>>, u64) {
    let mut unreadable = 0;
    let places: Vec<usize> = columns
        .iter()
        .map(|column| Schema::Indiv.column(&column.name).unwrap())
        .collect();
    let lines = bytes.split_inclusive(|&b| b == b'\n').map(|line| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line)
    });
    let rows = lines.map(|line| {
        let cells: Vec<&[u8]> = line.split(|&b| b == b'|').collect();
        let value = |(column, &place): (&Column, &usize)| {
            let cell = cells.get(place).copied().unwrap_or_default();
            let value = typed(cell, column.kind, empty);
            unreadable += u64::from(value == Value::Null && !cell.is_empty());
            value
        };
        columns.iter().zip(&places).map(value).collect()
    });
    (rows.collect(), unreadable)
}

fn typed(cell: &[u8], kind: ColumnKind, empty: EmptyText) -> Value {
    let found = match kind {
        ColumnKind::Text if cell.is_empty() && empty == EmptyText::Null => None,
        ColumnKind::Text => Some(Value::Text(decoded(cell).into_owned())),
        ColumnKind::Amount => amount::hundredths(cell)
            .filter(|amount| amount.to_string().trim_start_matches('-').len() <= 14)
            .map(Value::Amount),
        ColumnKind::Date => date::of_column(cell).map(|date| Value::Day(day(date))),
        ColumnKind::Integer => {
            let text = String::from_utf8(trimmed(cell).to_vec()).ok();
            text.and_then(|text| text.parse().ok()).map(Value::Integer)
        }
        _ => unreachable!("the tests know all kinds"),
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
