//! The order of rows.

use rayon::slice::ParallelSliceMut;

use super::{Column, ColumnData, Table};
use crate::workers;

/// Where NULL stands in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sql) enum Nulls {
    First,
    Last,
}

/// How rows are ordered by a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sql) struct Order {
    pub(in crate::sql) column: usize,
    pub(in crate::sql) is_descending: bool,
    pub(in crate::sql) nulls: Nulls,
}

impl Order {
    /// Returns the order of ascending values of a column, with NULL behind them.
    pub(in crate::sql) fn ascending(column: usize) -> Order {
        Order {
            column,
            is_descending: false,
            nulls: Nulls::Last,
        }
    }
}

/// What rows are compared by first: a number for each of the values that the first two orders name.
struct Head {
    of_values: [u64; 2],
    row: usize,
}

impl Column {
    /// Returns a number for the value of a row: a row with a lesser number comes first. Says whether equal numbers mean equal values.
    fn head(&self, row: usize, order: &Order) -> (u64, bool) {
        let (first, last) = (0, u64::MAX);
        if !self.valid[row] {
            let head = match order.nulls {
                Nulls::First => first,
                Nulls::Last => last,
            };
            return (head, true);
        }
        let of_whole = |number: i128| {
            let fits = i64::try_from(number);
            let head = fits.map(|it| it.cast_unsigned() ^ 1 << 63);
            head.unwrap_or(if number < 0 { first } else { last })
        };
        let mut is_all = true;
        let head = match &self.data {
            ColumnData::Boolean(list) => 1 + u64::from(list[row]),
            ColumnData::Whole(list) => of_whole(list[row].into()),
            ColumnData::Wide(list) => of_whole(list[row]),
            ColumnData::Double(_) => return (1, false),
            ColumnData::Text { .. } => {
                // The first seven bytes, and one more than how many there are, of which nine means eight or more: no text has the number of NULL.
                let mut bytes = [0; 8];
                let text = self.text(row);
                let taken = text.len().min(7);
                bytes[..taken].copy_from_slice(&text[..taken]);
                bytes[7] = text.len().min(8) as u8 + 1;
                is_all = text.len() < 8;
                u64::from_be_bytes(bytes)
            }
        };
        let head = if order.is_descending { !head } else { head };
        (head, is_all && head != first && head != last)
    }
}

impl Table {
    /// Returns the numbers of the rows in an order, the first `most` of them.
    pub(in crate::sql) fn sorted(&self, orders: &[Order], most: Option<usize>) -> Vec<usize> {
        let (mut rows, known) = self.heads(orders);
        let compare = |one: &Head, other: &Head| {
            let rest = || self.compare(&orders[known..], one.row, other.row);
            let of_values = one.of_values.cmp(&other.of_values);
            of_values.then_with(rest).then(one.row.cmp(&other.row))
        };
        if let Some(most) = most.filter(|most| *most < rows.len()) {
            if most > 0 {
                rows.select_nth_unstable_by(most - 1, compare);
            }
            rows.truncate(most);
        }
        if workers::in_pool() {
            rows.par_sort_unstable_by(compare);
        } else {
            rows.sort_unstable_by(compare);
        }
        rows.into_iter().map(|head| head.row).collect()
    }

    /// Returns the heads of all rows, and how many of the orders need no comparison where heads are equal. Without heads, the order of 350,000 groups with
    /// small counts and two names took twice the time.
    fn heads(&self, orders: &[Order]) -> (Vec<Head>, usize) {
        let mut heads: Vec<_> = (0..self.len())
            .map(|row| Head {
                of_values: [0; 2],
                row,
            })
            .collect();
        let mut known = 0;
        for (nth, order) in orders.iter().take(2).enumerate() {
            let column = &self.columns[order.column];
            let mut are_whole = true;
            for (row, head) in heads.iter_mut().enumerate() {
                let (number, is_whole) = column.head(row, order);
                head.of_values[nth] = number;
                are_whole &= is_whole;
            }
            if !are_whole {
                break;
            }
            known += 1;
        }
        (heads, known)
    }

    /// Returns the numbers of rows that differ in some columns, the first of each.
    pub(in crate::sql) fn distinct(&self, columns: &[Order]) -> Vec<usize> {
        let mut numbers = self.sorted(columns, None);
        numbers.dedup_by(|one, other| self.compare(columns, *one, *other).is_eq());
        numbers.sort_unstable();
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::types::Type;
    use crate::sql::value::Value;

    /// Texts of up to nine bytes that differ in their lengths, or in the last of equal beginnings.
    #[test]
    fn heads_order_as_values_do() {
        let mut texts = vec![Value::Null];
        for length in 0..10 {
            for last in [0, b'a', 0xff] {
                let mut text = vec![last; length];
                texts.push(Value::text(&text));
                text.fill(b'a');
                text.push(last);
                texts.push(Value::text(&text));
            }
        }
        let numbers = [i64::MIN, -1, 0, 1, i64::MAX].map(|number| Value::Whole(number.into()));
        let mut table = Table::new([Type::Varchar, Type::BigInt]);
        for text in &texts {
            for number in numbers.iter().chain([&Value::Null]) {
                table.columns[0].push_value(text);
                table.columns[1].push_value(number);
            }
        }
        let of_column = |column| {
            [
                (false, Nulls::First),
                (false, Nulls::Last),
                (true, Nulls::First),
                (true, Nulls::Last),
            ]
            .map(|(is_descending, nulls)| Order {
                column,
                is_descending,
                nulls,
            })
        };
        for first in [of_column(0), of_column(1)].concat() {
            for second in [of_column(0), of_column(1)].concat() {
                let orders = [first, second];
                let mut expected: Vec<_> = (0..table.len()).collect();
                expected.sort_by(|one, other| table.compare(&orders, *one, *other));
                assert_eq!(table.sorted(&orders, None), expected, "{orders:?}");
                assert_eq!(table.sorted(&orders, Some(7)), expected[..7], "{orders:?}");
            }
        }
    }
}
