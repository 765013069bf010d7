//! Cells as Arrow's arrays.

use std::sync::Arc;

use arrow_array::builder::PrimitiveBuilder;
use arrow_array::types::{ArrowPrimitiveType, Date32Type, Decimal128Type, Int64Type};
use arrow_array::{ArrayRef, PrimitiveArray, StringArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field};

use super::AMOUNT;
use super::block::Cells;
use crate::fec::{amount, date, trimmed};
use crate::render::decoded;
use crate::scan::Cell;

/// Returns cells as values of the field's type. Adds to `unreadable` the number of those that are not blank and have
/// none.
pub(super) fn array(field: &Field, cells: Cells, unreadable: &mut u64) -> ArrayRef {
    let day = |cell: Cell<'_>| date::of_column(&cell).map(date::days_since_1970);
    let integer = |cell: Cell<'_>| amount::integer(&cell);
    let amount = |cell: Cell<'_>| cell.hundredths()?.amount().map(i128::from);
    match field.data_type() {
        DataType::Utf8 => Arc::new(texts(field, cells)),
        DataType::Date32 => Arc::new(numbers::<Date32Type>(&cells, unreadable, day)),
        DataType::Int64 => Arc::new(numbers::<Int64Type>(&cells, unreadable, integer)),
        type_of_amounts if *type_of_amounts == AMOUNT => {
            let amounts = numbers::<Decimal128Type>(&cells, unreadable, amount);
            Arc::new(amounts.with_data_type(AMOUNT))
        }
        decimal => {
            let &DataType::Decimal128(_, decimals) = decimal else {
                unreachable!("columns have no other types");
            };
            let number =
                |cell: Cell<'_>| Some(amount::number(&cell, decimals.cast_unsigned())?.units);
            let numbers = numbers::<Decimal128Type>(&cells, unreadable, number);
            Arc::new(numbers.with_data_type(decimal.clone()))
        }
    }
}

fn numbers<T: ArrowPrimitiveType>(
    cells: &Cells,
    unreadable: &mut u64,
    read: impl Fn(Cell<'_>) -> Option<T::Native>,
) -> PrimitiveArray<T> {
    let mut numbers = PrimitiveBuilder::<T>::with_capacity(cells.len());
    for cell in cells.iter() {
        let number = read(cell);
        *unreadable += u64::from(number.is_none() && !trimmed(&cell).is_empty());
        numbers.append_option(number);
    }
    numbers.finish()
}

/// Returns the texts of cells, without a copy if they are ASCII.
fn texts(field: &Field, cells: Cells) -> StringArray {
    if cells.bytes().is_ascii() {
        let (bytes, ends) = cells.into_bytes_and_ends();
        return text_array(field, bytes, OffsetBuffer::new(ends.into()));
    }
    decoded_texts(field, cells.iter().map(Cell::bytes))
}

pub(super) fn decoded_texts<'c>(
    field: &Field,
    texts: impl Iterator<Item = &'c [u8]>,
) -> StringArray {
    let (mut bytes, mut lengths) = (Vec::new(), Vec::new());
    for text in texts {
        let text = decoded(text);
        bytes.extend_from_slice(text.as_bytes());
        lengths.push(text.len());
    }
    text_array(field, bytes, OffsetBuffer::from_lengths(lengths))
}

fn text_array(field: &Field, bytes: Vec<u8>, ends: OffsetBuffer<i32>) -> StringArray {
    let is_present = |nth: usize| ends[nth] < ends[nth + 1];
    let present = field
        .is_nullable()
        .then(|| NullBuffer::new(BooleanBuffer::collect_bool(ends.len() - 1, is_present)));
    StringArray::new(ends, Buffer::from_vec(bytes), present)
}
