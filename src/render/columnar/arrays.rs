//! Cells as Arrow's arrays.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, PrimitiveBuilder};
use arrow_array::types::{ArrowPrimitiveType, Date32Type, Decimal128Type, Float64Type, Int64Type};
use arrow_array::{ArrayRef, PrimitiveArray, StringArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer};
use arrow_schema::Field;

use super::block::Cells;
use super::results::{TooManyDigits, short};
use crate::error::Error;
use crate::fec::schema::AMOUNT_DECIMALS;
use crate::fec::{amount, date, trimmed};
use crate::render::decoded;
use crate::scan::Cell;
use crate::sql::Type;

/// What the cells of a column are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CellReading {
    /// Texts of a file, to be read as values of a type.
    Parsed(Type),
    /// Whole numbers of a file, which are texts in a sheet: a spreadsheet would round them.
    Identifiers,
    /// Values that an expression has made, in bytes.
    Made(Type),
}

/// Returns cells as values of the field's type. Adds to `unreadable` the number of those that are not blank and have
/// none.
///
/// # Errors
/// If a number has more digits than the format.
pub(super) fn array(
    field: &Field,
    reading: CellReading,
    cells: Cells,
    unreadable: &mut u64,
) -> Result<ArrayRef, Error> {
    let day = |cell: Cell<'_>| date::of_column(&cell).map(date::days_since_1970);
    let integer = |cell: Cell<'_>| amount::integer(&cell);
    let of_type = field.data_type().clone();
    Ok(match reading {
        CellReading::Parsed(Type::Date) => Arc::new(numbers::<Date32Type>(&cells, unreadable, day)),
        CellReading::Parsed(of) if of.is_whole() => {
            Arc::new(numbers::<Int64Type>(&cells, unreadable, integer))
        }
        CellReading::Parsed(Type::Decimal(_, AMOUNT_DECIMALS)) => {
            let amount = |cell: Cell<'_>| cell.hundredths()?.amount().map(i128::from);
            let amounts = numbers::<Decimal128Type>(&cells, unreadable, amount);
            Arc::new(amounts.with_data_type(of_type))
        }
        CellReading::Parsed(Type::Decimal(_, scale)) => {
            let number = |cell: Cell<'_>| Some(amount::number(&cell, scale)?.units);
            let numbers = numbers::<Decimal128Type>(&cells, unreadable, number);
            Arc::new(numbers.with_data_type(of_type))
        }
        CellReading::Made(Type::Date) => Arc::new(made::<Date32Type>(&cells, |cell| {
            Ok(date::days_since_1970(units(cell) as u32))
        })?),
        CellReading::Made(Type::Boolean) => {
            let mut truths = BooleanBuilder::with_capacity(cells.len());
            for (nth, cell) in cells.iter().enumerate() {
                let is = (!cells.is_null(nth)).then(|| cell.first() == Some(1));
                truths.append_option(is);
            }
            Arc::new(truths.finish())
        }
        CellReading::Made(Type::Double) => Arc::new(made::<Float64Type>(&cells, |cell| {
            let bytes = cell.first_chunk().copied();
            Ok(f64::from_le_bytes(bytes.unwrap_or_default()))
        })?),
        CellReading::Made(of @ (Type::Integer | Type::BigInt)) => {
            Arc::new(made::<Int64Type>(&cells, |cell| short(units(cell), of))?)
        }
        CellReading::Made(of @ (Type::HugeInt | Type::Decimal(..))) => {
            let numbers = made::<Decimal128Type>(&cells, |cell| short(units(cell), of))?;
            Arc::new(numbers.with_data_type(of_type))
        }
        CellReading::Identifiers => {
            let numbers = numbers::<Int64Type>(&cells, unreadable, integer);
            let texts = numbers.iter().map(|number| Some(number?.to_string()));
            Arc::new(texts.collect::<StringArray>())
        }
        CellReading::Parsed(_) | CellReading::Made(_) => Arc::new(texts(cells)),
    })
}

/// Returns the whole number or the units of a value that an expression has made.
fn units(cell: Cell<'_>) -> i128 {
    let bytes = cell.first_chunk().copied();
    i128::from_le_bytes(bytes.unwrap_or_default())
}

fn made<T: ArrowPrimitiveType>(
    cells: &Cells,
    read: impl Fn(Cell<'_>) -> Result<T::Native, TooManyDigits>,
) -> Result<PrimitiveArray<T>, Error> {
    let mut numbers = PrimitiveBuilder::<T>::with_capacity(cells.len());
    for (nth, cell) in cells.iter().enumerate() {
        let number = (!cells.is_null(nth)).then(|| read(cell)).transpose();
        numbers.append_option(number.map_err(TooManyDigits::error)?);
    }
    Ok(numbers.finish())
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
fn texts(cells: Cells) -> StringArray {
    let nulls = cells.has_nulls().then(|| {
        let is_valid = |nth: usize| !cells.is_null(nth);
        NullBuffer::new(BooleanBuffer::collect_bool(cells.len(), is_valid))
    });
    if cells.bytes().is_ascii() {
        let (bytes, ends) = cells.into_bytes_and_ends();
        return StringArray::new(
            OffsetBuffer::new(ends.into()),
            Buffer::from_vec(bytes),
            nulls,
        );
    }
    decoded_texts(cells.iter().map(Cell::bytes), nulls)
}

pub(super) fn decoded_texts<'c>(
    texts: impl Iterator<Item = &'c [u8]>,
    nulls: Option<NullBuffer>,
) -> StringArray {
    let (mut bytes, mut lengths) = (Vec::new(), Vec::new());
    for text in texts {
        let text = decoded(text);
        bytes.extend_from_slice(text.as_bytes());
        lengths.push(text.len());
    }
    let ends = OffsetBuffer::from_lengths(lengths);
    StringArray::new(ends, Buffer::from_vec(bytes), nulls)
}
