//! The rows of a statement of SQL as a file of columns.

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::types::{ArrowPrimitiveType, Date32Type, Decimal128Type, Int64Type};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, PrimitiveArray};
use arrow_schema::{DataType, Field};

use super::{Compression, SUM_DIGITS, Table, schema, write_table};
use crate::error::{Error, ErrorKind};
use crate::fec::date;
use crate::render::{Format, decoded};
use crate::sql::{ResultRows, Type, Value};
use crate::workers::Workers;

/// Writes the rows of a statement, in columns of their types. Sums of whole numbers have 38 digits. Texts that are no UTF-8 are decoded as
/// Windows-1252, as in JSON.
///
/// # Errors
/// If two columns have one name. If a number has more digits than its column. If the output fails.
pub fn write_results(
    result: &ResultRows,
    format: Format,
    compression: Compression,
    metadata: Vec<(String, String)>,
    out: impl Write + Send,
    workers: &Workers,
) -> Result<(), Error> {
    let titles = result.titles().iter().enumerate();
    let fields = titles.map(|(nth, title)| Field::new(title, data_type(result.gives(nth)), true));
    let schema = schema(fields.collect(), metadata)?;
    let file = super::open(&Arc::new(schema), format, compression, out)?;
    write_table(&Results(result), file, workers).map(|_| ())
}

struct Results<'r>(&'r ResultRows);

impl Table for Results<'_> {
    fn columns(&self) -> usize {
        self.0.titles().len()
    }

    fn rows(&self) -> usize {
        self.0.len()
    }

    fn row_bytes(&self, row: usize) -> usize {
        (0..self.columns())
            .map(|column| self.0.text_bytes(row, column))
            .sum()
    }

    fn array(&self, column: usize, rows: Range<usize>) -> Result<(ArrayRef, u64), Error> {
        let of = self.0.gives(column);
        let values = rows.map(|row| self.0.value(row, column));
        let array: ArrayRef = match data_type(of) {
            DataType::Boolean => {
                Arc::new(BooleanArray::from_iter(values.map(|value| match value {
                    Value::Boolean(is) => Some(is),
                    _ => None,
                })))
            }
            DataType::Float64 => {
                Arc::new(Float64Array::from_iter(values.map(|value| match value {
                    Value::Double(number) => Some(number),
                    _ => None,
                })))
            }
            DataType::Utf8 => {
                let mut texts = StringBuilder::new();
                for value in values {
                    let text = value.bytes();
                    texts.append_option(text.as_deref().map(decoded));
                }
                Arc::new(texts.finish())
            }
            DataType::Date32 => Arc::new(numbers::<Date32Type>(values, of)?),
            DataType::Int64 => Arc::new(numbers::<Int64Type>(values, of)?),
            decimal => Arc::new(numbers::<Decimal128Type>(values, of)?.with_data_type(decimal)),
        };
        Ok((array, 0))
    }
}

pub(super) fn data_type(of: Type) -> DataType {
    match of {
        Type::Boolean => DataType::Boolean,
        Type::Integer | Type::BigInt => DataType::Int64,
        Type::HugeInt => DataType::Decimal128(SUM_DIGITS, 0),
        Type::Decimal(width, scale) => DataType::Decimal128(width, scale.cast_signed()),
        Type::Double => DataType::Float64,
        Type::Date => DataType::Date32,
        Type::Varchar | Type::Null => DataType::Utf8,
    }
}

fn numbers<T: ArrowPrimitiveType<Native: TryFrom<i128>>>(
    values: impl Iterator<Item = Value>,
    of: Type,
) -> Result<PrimitiveArray<T>, Error> {
    let number = |value| {
        let number = match value {
            Value::Whole(number) => number,
            Value::Decimal { units, .. } => units,
            Value::Date(day) => date::days_since_1970(day).into(),
            _ => return Ok(None),
        };
        let number = short(number, of).map(Some);
        number.map_err(TooManyDigits::error)
    };
    values.map(number).collect()
}

/// A number has more digits than its column has room for: this number of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooManyDigits(u8);

impl TooManyDigits {
    pub(super) fn error(self) -> Error {
        let what = format!("a number has more digits than its column, {}", self.0);
        Error::new(ErrorKind::Output, what).advise("write json or csv")
    }
}

/// Returns a number of a type that its column has digits for.
pub(super) fn short<N: TryFrom<i128>>(number: i128, of: Type) -> Result<N, TooManyDigits> {
    let digits = match of {
        Type::Decimal(width, _) => width,
        _ => SUM_DIGITS,
    };
    let is_short = number.unsigned_abs() < 10_u128.pow(digits.into());
    let number = N::try_from(number).ok().filter(|_| is_short);
    number.ok_or(TooManyDigits(digits))
}
