//! Names and their lines in the order of their bytes, as partials have them.

use super::most_common::MostCommon;
use crate::coding::{Damaged, Put, Reader};

/// Names and their lines, each name once, ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct SortedNames {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The first eight bytes. They decide most comparisons without a look at the others.
    first: u64,
    start: usize,
    length: usize,
    lines: u64,
}

impl SortedNames {
    fn push(&mut self, name: &[u8], lines: u64) {
        self.entries.push(Entry {
            first: first_bytes(name),
            start: self.bytes.len(),
            length: name.len(),
            lines,
        });
        self.bytes.extend_from_slice(name);
    }

    fn name(&self, entry: &Entry) -> &[u8] {
        &self.bytes[entry.start..][..entry.length]
    }

    /// Returns the names that `each` shows, each once, in any order.
    pub(crate) fn of(each: impl FnOnce(&mut dyn FnMut(&[u8], u64))) -> SortedNames {
        let mut names = SortedNames::default();
        each(&mut |name, lines| names.push(name, lines));
        let mut entries = std::mem::take(&mut names.entries);
        entries.sort_unstable_by_key(|entry| (entry.first, names.name(entry)));
        names.entries = entries;
        names
    }

    /// Returns the names of several lists, with their lines in all of them.
    pub(crate) fn merged(lists: &[SortedNames]) -> SortedNames {
        let all = lists.iter().flat_map(|list| {
            let entries = list.entries.iter();
            entries.map(move |entry| (entry.first, list.name(entry), entry.lines))
        });
        let mut all: Vec<_> = all.collect();
        // A stable sort finds the lists, which ascend, and merges them.
        all.sort_by_key(|&(first, name, _)| (first, name));
        let mut merged = SortedNames::default();
        for same in all.chunk_by(|(_, one, _), (_, other, _)| one == other) {
            merged.push(same[0].1, same.iter().map(|(.., lines)| lines).sum());
        }
        merged
    }

    /// Ranks the names.
    pub(crate) fn most_common(&self, count: usize) -> MostCommon {
        let mut ranking = MostCommon::default();
        for entry in &self.entries {
            ranking.consider(count, self.name(entry), entry.lines);
        }
        ranking
    }

    pub(crate) fn store(&self, out: &mut Vec<u8>) {
        out.put_number(self.entries.len() as u64);
        for entry in &self.entries {
            out.put_bytes(self.name(entry));
            out.put_number(entry.lines);
        }
    }

    /// Reads names of at most this number of lines together.
    pub(crate) fn load(lines: u64, reader: &mut Reader<'_>) -> Result<SortedNames, Damaged> {
        let mut names = SortedNames::default();
        let mut left = lines;
        let mut before: Option<&[u8]> = None;
        let length = reader.length()?;
        for _ in 0..length {
            let (name, lines) = (reader.bytes()?, reader.number()?);
            left = left.checked_sub(lines).ok_or(Damaged)?;
            if lines == 0 || before.is_some_and(|before| before >= name) {
                return Err(Damaged);
            }
            names.push(name, lines);
            before = Some(name);
        }
        Ok(names)
    }
}

/// Returns the first eight bytes of a name or key, zeros where it has none. Numbers compare as the bytes do.
pub(crate) fn first_bytes(name: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = name.len().min(bytes.len());
    bytes[..length].copy_from_slice(&name[..length]);
    u64::from_be_bytes(bytes)
}
