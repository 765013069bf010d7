//! Ranges of an archive that is read by slices.
//!
//! The contents of its slices, one after the other, are the bytes that a range cuts. A slice belongs to the range that
//! holds its first byte, as a line of a plain file does. So ranges that tile the bytes have each slice once.

use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use serde::{Deserialize, Serialize};

use super::archive::Member;
use super::schemas::schema_of_names;
use crate::coding::json::name;
use crate::fec::schema::Schema;

/// A slice of an archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Slice {
    /// The whole name of the member.
    #[serde(with = "name")]
    pub name: OsString,
    /// The bytes of its content.
    pub bytes: u64,
}

impl Slice {
    pub(super) fn of(member: &Member) -> Slice {
        Slice {
            name: OsString::from_vec(member.name.clone()),
            bytes: member.expected.bytes,
        }
    }
}

/// Returns each of the slices, and the byte at which it begins. A directory may lie about sizes, so sums are bounded.
pub(crate) fn beginnings(slices: &[Slice]) -> impl Iterator<Item = (u64, &Slice)> {
    slices.iter().scan(0_u64, |place, slice| {
        let begins = *place;
        *place = place.saturating_add(slice.bytes);
        Some((begins, slice))
    })
}

/// Says for each of the slices whether it is to be read, because it begins in the range `asked`. Slices without bytes at the
/// end begin where the range of the last bytes ends, and are read with it: a directory may be wrong about them.
pub(super) fn chosen(slices: &[Slice], asked: Option<Range<u64>>) -> impl Iterator<Item = bool> {
    let asked = asked.unwrap_or(0..u64::MAX);
    let end = bytes_of(slices);
    let is_chosen = move |begins| asked.contains(&begins) || begins == end && asked.end == end;
    beginnings(slices).map(move |(begins, _)| is_chosen(begins))
}

/// Returns the bytes of all slices together.
pub(crate) fn bytes_of(slices: &[Slice]) -> u64 {
    let bytes = slices.iter().map(|slice| slice.bytes);
    bytes.fold(0, u64::saturating_add)
}

/// Returns the bytes of the slices that begin in `asked`.
pub(crate) fn slices_beginning_in(slices: &[Slice], asked: &Range<u64>) -> Range<u64> {
    let first_at = |place: u64| {
        let mut begins = beginnings(slices).map(|(begins, _)| begins);
        begins
            .find(|begins| *begins >= place)
            .unwrap_or_else(|| bytes_of(slices))
    };
    let start = first_at(asked.start);
    start..first_at(asked.end).max(start)
}

/// Returns the schemas by which the slices of the archive at `path` are read, each once.
pub(super) fn schemas_of(slices: &[Slice], named: Option<Schema>, path: &OsStr) -> Vec<Schema> {
    let mut schemas = Vec::new();
    for slice in slices {
        let member = OsStr::from_bytes(slice.name.as_bytes());
        let schema = schema_of_names(named, Some(member), path).unwrap_or(Schema::Indiv);
        if !schemas.contains(&schema) {
            schemas.push(schema);
        }
    }
    schemas
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ranges of slices of several sizes, also empty ones, against slices found one by one.
    #[test]
    fn a_range_has_the_slices_that_begin_in_it() {
        for sizes in [&[][..], &[3], &[0, 2, 0, 0, 4, 1], &[5, 0], &[u64::MAX, 7]] {
            let name = OsString::from("a");
            let slice = |&bytes: &u64| (name.clone(), bytes);
            let slices = sizes.iter().map(slice);
            let slices: Vec<_> = slices.map(|(name, bytes)| Slice { name, bytes }).collect();
            let total = bytes_of(&slices);
            for start in 0..10 {
                for end in (start..12).chain([u64::MAX]) {
                    let found = slices_beginning_in(&slices, &(start..end));
                    let begin = beginnings(&slices).filter(|(at, _)| (start..end).contains(at));
                    let begin: Vec<_> = begin.collect();
                    let what = format!("{sizes:?} {start}..{end}: {found:?}");
                    match (begin.first(), begin.last()) {
                        (Some((first, _)), Some((last, slice))) => {
                            let end = last.saturating_add(slice.bytes).min(total);
                            assert_eq!(found, *first..end, "{what}");
                        }
                        _ => assert!(found.is_empty(), "{what}"),
                    }
                }
            }
        }
    }
}
