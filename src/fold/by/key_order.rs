//! The order of keys: by their bytes, and ranges by their numbers. Where an order names keys, dates are ordered by the calendar, and
//! numbers by value, also in columns without a type.

use std::cmp::Ordering;

use super::question::Sort;
use super::sort::key_prefix;
use crate::expr::{KEY_SEPARATOR, Key, values_of};
use crate::fec::schema::Kind;
use crate::fec::{date, number};

/// Compares keys with separators between them, one after the other. A separator itself would compare with other bytes.
pub(super) fn compare_keys(one: &[u8], other: &[u8]) -> Ordering {
    let rank = |byte: u8| {
        if byte == KEY_SEPARATOR {
            0
        } else {
            u16::from(byte) + 1
        }
    };
    let place = one.iter().zip(other).position(|(one, other)| one != other);
    match place {
        Some(place) => rank(one[place]).cmp(&rank(other[place])),
        None => one.len().cmp(&other.len()),
    }
}

/// Says whether a key is a range, whose order is not that of its bytes.
pub(super) fn has_ranges(keys: &[Key]) -> bool {
    keys.iter().any(|key| key.function.has_ranges())
}

/// Compares values of a kind that has an order of its own. Other texts than days and numbers come first.
fn compare_values(kind: &Kind, one: &[u8], other: &[u8]) -> Ordering {
    match kind {
        Kind::Date => date::of_column(one).cmp(&date::of_column(other)),
        _ => number::compare(one, other).unwrap_or_else(|| {
            let is_number = |value| number::decimals_of(value).is_some();
            is_number(one).cmp(&is_number(other))
        }),
    }
}

fn has_own_order(kind: &Kind) -> bool {
    matches!(kind, Kind::Date | Kind::Number | Kind::Untyped)
}

/// Returns a number that orders groups as [`compare`] does for keys without ranges, unless it is the same.
pub(super) fn prefix(kinds: &[Kind], sort: Sort, key: &[u8]) -> u128 {
    let (key, first) = match sort {
        Sort::KeyColumn(nth) => (key_part(sort, key), nth),
        _ => (key, 0),
    };
    if !kinds.get(first).is_some_and(has_own_order) {
        return key_prefix(key);
    }
    let value = values_of(key).next().unwrap_or_default();
    match kinds[first] {
        Kind::Date => date::of_column(value).map_or(0, u128::from),
        _ => number::prefix(value),
    }
}

/// Compares groups by all `keys`, which have these `kinds`, or by the one that `sort` names.
pub(super) fn compare(
    keys: &[Key],
    kinds: &[Kind],
    sort: Sort,
    one: &[u8],
    other: &[u8],
) -> Ordering {
    if !has_ranges(keys) && !kinds.iter().any(has_own_order) {
        return compare_keys(key_part(sort, one), key_part(sort, other));
    }
    let both = values_of(one).zip(values_of(other)).zip(keys).enumerate();
    let (skip, take) = match sort {
        Sort::KeyColumn(nth) => (nth, 1),
        _ => (0, usize::MAX),
    };
    let orderings = both
        .skip(skip)
        .take(take)
        .map(|(nth, ((one, other), key))| {
            let place = |value| key.function.range_place(value);
            let by_value = match kinds.get(nth).filter(|kind| has_own_order(kind)) {
                Some(kind) => compare_values(kind, one, other),
                None => place(one).cmp(&place(other)),
            };
            by_value.then_with(|| one.cmp(other))
        });
    { orderings }
        .find(|ordering| ordering.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Returns the bytes of a key that an order by keys compares.
pub(super) fn key_part(sort: Sort, key: &[u8]) -> &[u8] {
    match sort {
        Sort::KeyColumn(nth) => {
            let value = values_of(key).nth(nth);
            value.expect("the question has as many keys")
        }
        _ => key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::list::{Role, parse};

    #[test]
    fn numbers_are_ordered_by_value_and_their_prefixes_alike() {
        let ascending = ", x,-1234567890123456789012345678901234567890,-10,-2,-.55555555555,-.5,-0,0,.0000000001,02,2,2.0,9,10,\
                         10.000000001,10.0000000011,9999999999999999.5,1234567890123456789012345678901234567890";
        let ascending: Vec<_> = ascending.split(',').collect();
        let (keys, kinds) = (parse("amount", Role::Group).unwrap(), [Kind::Number]);
        let prefix = |text: &str| prefix(&kinds, Sort::Key, text.as_bytes());
        for (nth, one) in ascending.iter().enumerate() {
            for other in &ascending[nth + 1..] {
                let [first, second] = [one, other].map(|text| text.as_bytes());
                let ordering = compare(&keys, &kinds, Sort::Key, first, second);
                assert_eq!(ordering, Ordering::Less, "{one} {other}");
                assert!(prefix(one) <= prefix(other), "{one} {other}");
            }
        }
        assert!(prefix("9") < prefix("10"));
    }

    #[test]
    fn keys_compare_one_after_the_other() {
        let texts = [
            "", "\n", "\nA", "A", "A\n", "A\nB", "A!\n", "A!", "AB\n", "a\n", "\0\n", "\0",
            "A\t\n", "A\nB\nC",
        ];
        let split = |text: &str| {
            text.split('\n')
                .map(|key| key.as_bytes().to_vec())
                .collect::<Vec<_>>()
        };
        for one in texts {
            for other in texts {
                // Questions have the same number of keys in all groups.
                let (keys, others) = (split(one), split(other));
                if keys.len() == others.len() {
                    let found = compare_keys(one.as_bytes(), other.as_bytes());
                    assert_eq!(found, keys.cmp(&others), "{one} {other}");
                }
            }
        }
    }
}
