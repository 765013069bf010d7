//! Groups as a file of columns.

use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Date32Type, Decimal128Type, Int64Type};
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_schema::{DataType, Field, SchemaRef};

use super::arrays::decoded_texts;
use super::{Compression, SUM_DIGITS, Table, schema, write_table};
use crate::error::Error;
use crate::fold::by::{Group, Grouped, ValueType};
use crate::render::Format;
use crate::workers::Workers;

/// Writes groups: the keys as text, `count`, and the aggregates. Numbers are decimals of 38 digits, with as many
/// decimals as their column has. An aggregate of no values has none here either. Returns for each aggregate how many numbers have
/// more digits. They have no value.
pub fn write_groups(
    grouped: &Grouped,
    format: Format,
    compression: Compression,
    metadata: Vec<(String, String)>,
    out: impl Write + Send,
    workers: &Workers,
) -> Result<Vec<u64>, Error> {
    let schema = Arc::new(schema(fields(grouped), metadata)?);
    let file = super::open(&schema, format, compression, out)?;
    let keys = grouped.key_names().len();
    let groups = Groups { grouped, schema };
    let mut too_long = write_table(&groups, file, workers)?;
    Ok(too_long.split_off(keys + 1))
}

struct Groups<'g> {
    grouped: &'g Grouped,
    schema: SchemaRef,
}

impl Table for Groups<'_> {
    fn columns(&self) -> usize {
        self.schema.fields().len()
    }

    fn rows(&self) -> usize {
        self.grouped.len()
    }

    fn row_bytes(&self, row: usize) -> usize {
        let group = self.grouped.group(row);
        let keys = 0..self.grouped.key_names().len();
        keys.map(|nth| group.key(nth).len()).sum()
    }

    fn array(&self, column: usize, rows: Range<usize>) -> Result<(ArrayRef, u64), Error> {
        Ok(array(self.grouped, self.schema.field(column), column, rows))
    }
}

fn fields(grouped: &Grouped) -> Vec<Field> {
    let keys = grouped.key_names().iter();
    // The key of rows without one is empty.
    let keys = keys.map(|name| Field::new(name, DataType::Utf8, false));
    let count = [Field::new("count", DataType::Int64, true)];
    let aggregates = grouped.aggregate_names().iter().enumerate();
    let aggregates =
        aggregates.map(|(nth, name)| Field::new(name, data_type(grouped.value_type(nth)), true));
    keys.chain(count).chain(aggregates).collect()
}

fn data_type(kind: ValueType) -> DataType {
    match kind {
        ValueType::Count => DataType::Int64,
        ValueType::Date => DataType::Date32,
        ValueType::Decimal(decimals) => DataType::Decimal128(SUM_DIGITS, decimals.cast_signed()),
    }
}

/// Returns values of a column, and how many have too many digits.
fn array(grouped: &Grouped, field: &Field, nth: usize, rows: Range<usize>) -> (ArrayRef, u64) {
    let groups = rows.map(|row| grouped.group(row));
    let keys = grouped.key_names().len();
    let mut too_long = 0;
    let mut units = |group: Group<'_>| {
        let Some(nth) = nth.checked_sub(keys + 1) else {
            return Some(group.count().into());
        };
        let value = group.value(nth)?;
        let units = value.units_of(grouped.value_type(nth));
        let units = units.filter(|units| units.unsigned_abs() < 10_u128.pow(SUM_DIGITS.into()));
        too_long += u64::from(units.is_none());
        units
    };
    let array: ArrayRef = match field.data_type() {
        DataType::Utf8 => Arc::new(decoded_texts(groups.map(|group| group.key(nth)), None)),
        DataType::Date32 => Arc::new(values::<Date32Type>(groups.map(&mut units))),
        DataType::Int64 => Arc::new(values::<Int64Type>(groups.map(&mut units))),
        decimal => {
            let sums = values::<Decimal128Type>(groups.map(&mut units));
            Arc::new(sums.with_data_type(decimal.clone()))
        }
    };
    (array, too_long)
}

fn values<T: ArrowPrimitiveType<Native: TryFrom<i128>>>(
    values: impl Iterator<Item = Option<i128>>,
) -> PrimitiveArray<T> {
    values
        .map(|value| T::Native::try_from(value?).ok())
        .collect()
}
