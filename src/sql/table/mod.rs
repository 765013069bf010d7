//! A table in memory: the result of a statement.

pub(super) mod batch;
mod order;
pub(super) mod set_operation;

use std::cmp::Ordering;
use std::ops::Range;

pub(super) use self::order::{Nulls, Order};
use super::file::Read;
use super::types::Type;
use super::value::{Value, compare_doubles};
use super::vector::{Data, Mask, Texts, Values, each};
use crate::scan::ROWS;

/// A column of a table.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) gives: Type,
    valid: Vec<bool>,
    data: ColumnData,
}

#[derive(Clone, Debug)]
enum ColumnData {
    Boolean(Vec<bool>),
    Whole(Vec<i64>),
    Wide(Vec<i128>),
    Double(Vec<f64>),
    Text { bytes: Vec<u8>, ends: Vec<usize> },
}

impl Column {
    pub(super) fn new(gives: Type) -> Column {
        let data = match gives {
            Type::Null | Type::Boolean => ColumnData::Boolean(Vec::new()),
            Type::Integer | Type::BigInt | Type::Date => ColumnData::Whole(Vec::new()),
            Type::HugeInt | Type::Decimal(..) => ColumnData::Wide(Vec::new()),
            Type::Double => ColumnData::Double(Vec::new()),
            Type::Varchar => ColumnData::Text {
                bytes: Vec::new(),
                ends: Vec::new(),
            },
        };
        Column {
            gives,
            valid: Vec::new(),
            data,
        }
    }

    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.valid.len()
    }

    /// Adds the value of a row.
    pub(super) fn push(&mut self, from: &Values<'_>, row: usize) {
        let is_valid = from.valid >> row & 1 == 1;
        self.valid.push(is_valid);
        match &mut self.data {
            ColumnData::Boolean(list) => list.push(from.is_true() >> row & 1 == 1),
            ColumnData::Whole(list) => list.push(from.wide(row) as i64),
            ColumnData::Wide(list) => list.push(from.wide(row)),
            ColumnData::Double(list) => list.push(from.double(row)),
            ColumnData::Text { bytes, ends } => {
                if is_valid {
                    bytes.extend_from_slice(from.text(row));
                }
                ends.push(bytes.len());
            }
        }
    }

    /// Adds a value of this type, or NULL.
    pub(super) fn push_value(&mut self, value: &Value) {
        self.push(&Values::same(value, 1), 0);
    }

    /// Returns the values of up to [`ROWS`] rows.
    pub(super) fn values(&self, rows: Range<usize>) -> Values<'_> {
        let mask = |bits: &[bool]| {
            let bits = bits[rows.clone()].iter().enumerate();
            bits.fold(0, |mask: Mask, (row, bit)| mask | Mask::from(*bit) << row)
        };
        let data = match &self.data {
            ColumnData::Boolean(list) => Data::Boolean(mask(list)),
            ColumnData::Whole(list) => Data::Whole(padded(&list[rows.clone()])),
            ColumnData::Wide(list) => Data::Wide(Box::new(padded(&list[rows.clone()]))),
            ColumnData::Double(list) => Data::Double(padded(&list[rows.clone()])),
            ColumnData::Text { .. } => {
                let mut texts: [&[u8]; ROWS] = [&[]; ROWS];
                for (row, text) in rows.clone().zip(&mut texts) {
                    *text = self.text(row);
                }
                Data::Text(Texts::Slices(Box::new(texts)))
            }
        };
        let valid = mask(&self.valid);
        Values { valid, data }
    }

    /// Returns the values of up to [`ROWS`] rows in any order. None is NULL.
    pub(super) fn values_of(&self, rows: impl Iterator<Item = Option<u32>> + Clone) -> Values<'_> {
        let rows = || {
            let rows = rows.clone().enumerate();
            rows.filter_map(|(nth, row)| Some((nth, row? as usize)))
        };
        let mask = |bits: &[bool]| {
            rows().fold(0, |mask: Mask, (nth, row)| {
                mask | Mask::from(bits[row]) << nth
            })
        };
        let data = match &self.data {
            ColumnData::Boolean(list) => Data::Boolean(mask(list)),
            ColumnData::Whole(list) => {
                let mut made = [0; ROWS];
                rows().for_each(|(nth, row)| made[nth] = list[row]);
                Data::Whole(made)
            }
            ColumnData::Wide(list) => {
                let mut made = [0; ROWS];
                rows().for_each(|(nth, row)| made[nth] = list[row]);
                Data::Wide(Box::new(made))
            }
            ColumnData::Double(list) => {
                let mut made = [0.0; ROWS];
                rows().for_each(|(nth, row)| made[nth] = list[row]);
                Data::Double(made)
            }
            ColumnData::Text { .. } => {
                let mut texts: [&[u8]; ROWS] = [&[]; ROWS];
                rows().for_each(|(nth, row)| texts[nth] = self.text(row));
                Data::Text(Texts::Slices(Box::new(texts)))
            }
        };
        let valid = mask(&self.valid);
        Values { valid, data }
    }

    /// Adds all rows of another column of this type.
    fn append(&mut self, from: &Column) {
        self.valid.extend_from_slice(&from.valid);
        match (&mut self.data, &from.data) {
            (ColumnData::Boolean(list), ColumnData::Boolean(from)) => list.extend_from_slice(from),
            (ColumnData::Whole(list), ColumnData::Whole(from)) => list.extend_from_slice(from),
            (ColumnData::Wide(list), ColumnData::Wide(from)) => list.extend_from_slice(from),
            (ColumnData::Double(list), ColumnData::Double(from)) => list.extend_from_slice(from),
            (
                ColumnData::Text { bytes, ends },
                ColumnData::Text {
                    bytes: others,
                    ends: further,
                },
            ) => {
                let before = bytes.len();
                bytes.extend_from_slice(others);
                ends.extend(further.iter().map(|end| before + end));
            }
            _ => unreachable!("both columns have one type"),
        }
    }

    /// Returns the rows with these numbers.
    fn rows(&self, numbers: &[usize]) -> Column {
        fn chosen<T: Copy>(list: &[T], numbers: &[usize]) -> Vec<T> {
            numbers.iter().map(|row| list[*row]).collect()
        }
        let data = match &self.data {
            ColumnData::Boolean(list) => ColumnData::Boolean(chosen(list, numbers)),
            ColumnData::Whole(list) => ColumnData::Whole(chosen(list, numbers)),
            ColumnData::Wide(list) => ColumnData::Wide(chosen(list, numbers)),
            ColumnData::Double(list) => ColumnData::Double(chosen(list, numbers)),
            ColumnData::Text { .. } => {
                let texts = || numbers.iter().map(|row| self.text(*row));
                let mut bytes = Vec::with_capacity(texts().map(<[u8]>::len).sum());
                let ends = texts().map(|text| {
                    bytes.extend_from_slice(text);
                    bytes.len()
                });
                let ends = ends.collect();
                ColumnData::Text { bytes, ends }
            }
        };
        Column {
            gives: self.gives,
            valid: chosen(&self.valid, numbers),
            data,
        }
    }

    fn bytes(&self) -> usize {
        let values = match &self.data {
            ColumnData::Boolean(list) => list.len(),
            ColumnData::Whole(list) => size_of_val(&list[..]),
            ColumnData::Wide(list) => size_of_val(&list[..]),
            ColumnData::Double(list) => size_of_val(&list[..]),
            ColumnData::Text { bytes, ends } => bytes.len() + size_of_val(&ends[..]),
        };
        values + self.valid.len()
    }

    /// Returns the text of a row.
    pub(super) fn text(&self, row: usize) -> &[u8] {
        match &self.data {
            ColumnData::Text { bytes, ends } => {
                let start = row.checked_sub(1).map_or(0, |before| ends[before]);
                &bytes[start..ends[row]]
            }
            _ => &[],
        }
    }

    /// Returns the value of a row.
    pub(super) fn get(&self, row: usize) -> Value {
        if !self.valid[row] {
            return Value::Null;
        }
        match (&self.data, self.gives) {
            (ColumnData::Boolean(list), _) => Value::Boolean(list[row]),
            (ColumnData::Whole(list), Type::Date) => Value::Date(list[row] as u32),
            (ColumnData::Whole(list), _) => Value::Whole(list[row].into()),
            (ColumnData::Wide(list), Type::Decimal(_, scale)) => Value::Decimal {
                units: list[row],
                scale,
            },
            (ColumnData::Wide(list), _) => Value::Whole(list[row]),
            (ColumnData::Double(list), _) => Value::Double(list[row]),
            (ColumnData::Text { .. }, _) => Value::text(self.text(row)),
        }
    }

    /// Compares two rows; NULL comes first, or last.
    pub(super) fn compare(&self, one: usize, other: usize, nulls: Nulls) -> Ordering {
        match (self.valid[one], self.valid[other]) {
            (true, true) => {}
            (is_one, is_other) => {
                let last = is_other.cmp(&is_one);
                return if nulls == Nulls::Last {
                    last
                } else {
                    last.reverse()
                };
            }
        }
        match &self.data {
            ColumnData::Boolean(list) => list[one].cmp(&list[other]),
            ColumnData::Whole(list) => list[one].cmp(&list[other]),
            ColumnData::Wide(list) => list[one].cmp(&list[other]),
            ColumnData::Double(list) => compare_doubles(list[one], list[other]),
            ColumnData::Text { .. } => self.text(one).cmp(self.text(other)),
        }
    }

    /// Compares a row with a value of another place. None is NULL.
    #[inline(always)]
    fn compare_with(&self, row: usize, other: &Values<'_>, at: usize) -> Ordering {
        match &self.data {
            ColumnData::Boolean(list) => list[row].cmp(&(other.is_true() >> at & 1 == 1)),
            ColumnData::Whole(list) => i128::from(list[row]).cmp(&other.wide(at)),
            ColumnData::Wide(list) => list[row].cmp(&other.wide(at)),
            ColumnData::Double(list) => compare_doubles(list[row], other.double(at)),
            ColumnData::Text { .. } => self.text(row).cmp(other.text(at)),
        }
    }
}

fn padded<T: Copy + Default>(list: &[T]) -> [T; ROWS] {
    let mut padded = [T::default(); ROWS];
    padded[..list.len()].copy_from_slice(list);
    padded
}

/// Columns of the same length.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) columns: Vec<Column>,
}

impl Table {
    pub(super) fn new(types: impl IntoIterator<Item = Type>) -> Table {
        Table {
            columns: types.into_iter().map(Column::new).collect(),
        }
    }

    /// Returns all columns, as an expression reads them whose columns have their numbers here.
    pub(super) fn read_all(&self) -> Vec<Read> {
        let columns = self.columns.iter().enumerate();
        let read = |(place, column): (usize, &Column)| Read {
            table: 0,
            place,
            gives: column.gives,
            has_line_breaks: false,
        };
        columns.map(read).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.columns.first().map_or(0, Column::len)
    }

    /// Returns about how many bytes of memory the rows take.
    pub(super) fn bytes(&self) -> usize {
        self.columns.iter().map(Column::bytes).sum()
    }

    /// Adds rows of values, one of each column.
    pub(super) fn push(&mut self, values: &[Values<'_>], row: usize) {
        for (column, values) in self.columns.iter_mut().zip(values) {
            column.push(values, row);
        }
    }

    /// Adds all rows of another table.
    pub(super) fn append(&mut self, other: &Table) {
        for (column, from) in self.columns.iter_mut().zip(&other.columns) {
            column.append(from);
        }
    }

    /// Returns the rows with these numbers.
    pub(super) fn rows(&self, numbers: &[usize]) -> Table {
        let columns = self.columns.iter().map(|column| column.rows(numbers));
        Table {
            columns: columns.collect(),
        }
    }

    /// Compares two rows.
    pub(super) fn compare(&self, orders: &[Order], one: usize, other: usize) -> Ordering {
        let mut compared = orders.iter().map(|order| {
            let column = &self.columns[order.column];
            if order.is_descending {
                // NULL does not turn with the direction.
                let nulls = match order.nulls {
                    Nulls::First => Nulls::Last,
                    Nulls::Last => Nulls::First,
                };
                column.compare(one, other, nulls).reverse()
            } else {
                column.compare(one, other, order.nulls)
            }
        });
        let decides = compared.find(|order| order.is_ne());
        decides.unwrap_or(Ordering::Equal)
    }

    /// Compares `values` of the column of an order with that of the row `last`. Returns the rows of a mask whose values come before it, and those
    /// that equal it.
    pub(super) fn before_and_equal(
        &self,
        last: usize,
        order: &Order,
        values: &Values<'_>,
        rows: Mask,
    ) -> [Mask; 2] {
        let column = &self.columns[order.column];
        if !column.valid[last] {
            let before = match order.nulls {
                Nulls::First => 0,
                Nulls::Last => rows & values.valid,
            };
            return [before, rows & !values.valid];
        }
        let nulls = rows & !values.valid;
        let [mut before, mut equal] = match order.nulls {
            Nulls::First => [nulls, 0],
            Nulls::Last => [0, 0],
        };
        each(rows & values.valid, |row| {
            let ordering = column.compare_with(last, values, row);
            let is_before = if order.is_descending {
                ordering.is_lt()
            } else {
                ordering.is_gt()
            };
            before |= Mask::from(is_before) << row;
            equal |= Mask::from(ordering.is_eq()) << row;
        });
        [before, equal]
    }
}
