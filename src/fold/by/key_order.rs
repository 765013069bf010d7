//! The order of keys: by their bytes, ranges by their numbers, and dates by the calendar where an order names them.

use std::cmp::Ordering;

use super::question::Sort;
use super::sort::key_prefix;
use crate::expr::{KEY_SEPARATOR, Key, values_of};
use crate::fec::date;

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

/// Returns a number that orders groups as [`compare`] does for keys without ranges, unless it is the same.
pub(super) fn prefix(dates: &[bool], sort: Sort, key: &[u8]) -> u128 {
    let (key, first) = match sort {
        Sort::KeyColumn(nth) => (key_part(sort, key), nth),
        _ => (key, 0),
    };
    if dates.get(first) != Some(&true) {
        return key_prefix(key);
    }
    values_of(key)
        .next()
        .and_then(date::of_column)
        .map_or(0, u128::from)
}

/// Compares groups by all `keys`, or by the one that `sort` names. `dates` marks columns of dates, where other values come first.
pub(super) fn compare(
    keys: &[Key],
    dates: &[bool],
    sort: Sort,
    one: &[u8],
    other: &[u8],
) -> Ordering {
    if !has_ranges(keys) && !dates.contains(&true) {
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
            let place = |value| {
                if dates.get(nth) == Some(&true) {
                    date::of_column(value).map(|day| day as usize)
                } else {
                    key.function.range_place(value)
                }
            };
            place(one).cmp(&place(other)).then_with(|| one.cmp(other))
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
