//! Compares values side by side.

use std::cmp::Ordering;

use crate::scan::ROWS;
use crate::sql::expression::Comparison;
use crate::sql::value::compare_doubles;
use crate::sql::vector::{Data, Mask, Values, each};

/// Returns the rows in which two values compare so.
pub(super) fn compare(
    comparison: Comparison,
    one: &Values<'_>,
    other: &Values<'_>,
    rows: Mask,
) -> Mask {
    let holds = |order: &dyn Fn(usize) -> Ordering| {
        let mut holds = 0;
        each(rows, |row| {
            holds |= Mask::from(comparison.holds(order(row))) << row;
        });
        holds
    };
    match (&one.data, &other.data) {
        (Data::Whole(one), Data::Whole(other)) => compare_whole(comparison, one, other) & rows,
        (Data::Double(one), Data::Double(other)) => {
            holds(&|row| compare_doubles(one[row], other[row]))
        }
        (Data::Text(one), Data::Text(other)) => holds(&|row| one.get(row).cmp(other.get(row))),
        (Data::Boolean(one), Data::Boolean(other)) => {
            holds(&|row| (one >> row & 1).cmp(&(other >> row & 1)))
        }
        _ => holds(&|row| one.wide(row).cmp(&other.wide(row))),
    }
}

/// Returns the rows in which numbers compare so. Each comparison has a loop of its own.
fn compare_whole(comparison: Comparison, one: &[i64; ROWS], other: &[i64; ROWS]) -> Mask {
    #[inline(always)]
    fn mask(one: &[i64; ROWS], other: &[i64; ROWS], holds: fn(&i64, &i64) -> bool) -> Mask {
        let mut mask = 0;
        for (row, (one, other)) in one.iter().zip(other).enumerate() {
            mask |= Mask::from(holds(one, other)) << row;
        }
        mask
    }
    match comparison {
        Comparison::Equal => mask(one, other, i64::eq),
        Comparison::NotEqual => mask(one, other, i64::ne),
        Comparison::Less => mask(one, other, i64::lt),
        Comparison::AtMost => mask(one, other, i64::le),
        Comparison::Greater => mask(one, other, i64::gt),
        Comparison::AtLeast => mask(one, other, i64::ge),
    }
}

impl Comparison {
    #[inline(always)]
    pub(in crate::sql) fn holds(self, order: Ordering) -> bool {
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::AtMost => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::AtLeast => order.is_ge(),
        }
    }
}
