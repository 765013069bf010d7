//! The design by the letter, without this crate: a mapped file, chunks cut at newlines, a fold of rayon over them, pipes and newlines by
//! memchr, counts in ahash's maps. It prints what `fecscan -f challenge` prints, and shows what the scanner adds:
//! `cargo run --release --example by_the_letter itcont.txt`.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use ahash::AHashMap;
use memchr::{memchr, memchr2_iter, memrchr};
use memmap2::{Advice, Mmap};
use rayon::prelude::*;

const CHUNK: usize = 2 << 20;
const NAMES: [usize; 3] = [0, 432, 43243];

/// Counts of the lines of chunks.
#[derive(Default)]
pub struct Counts<'a> {
    /// All lines.
    pub lines: u64,
    /// Lines by the first six digits of IMAGE_NUM.
    pub months: BTreeMap<[u8; 6], u64>,
    /// Lines by first name.
    pub first_names: AHashMap<&'a [u8], u64>,
}

impl<'a> Counts<'a> {
    fn chunk(mut self, chunk: &'a [u8]) -> Counts<'a> {
        let (mut column, mut start) = (1, 0);
        for end in
            memchr2_iter(b'|', b'\n', chunk).chain((!chunk.ends_with(b"\n")).then_some(chunk.len()))
        {
            let value = &chunk[start..end];
            match column {
                5 => {
                    if let Some(month) = value
                        .first_chunk()
                        .filter(|m| m.iter().all(u8::is_ascii_digit))
                    {
                        *self.months.entry(*month).or_default() += 1;
                    }
                }
                8 => {
                    if let Some(name) = first_name(value) {
                        *self.first_names.entry(name).or_default() += 1;
                    }
                }
                _ => {}
            }
            start = end + 1;
            column += 1;
            if chunk.get(end) != Some(&b'|') {
                self.lines += 1;
                column = 1;
            }
        }
        self
    }

    fn merge(mut self, other: Counts<'a>) -> Counts<'a> {
        self.lines += other.lines;
        for (month, lines) in other.months {
            *self.months.entry(month).or_default() += lines;
        }
        for (name, lines) in other.first_names {
            *self.first_names.entry(name).or_default() += lines;
        }
        self
    }
}

fn first_name(name: &[u8]) -> Option<&[u8]> {
    let comma = name.windows(2).position(|pair| pair == b", ")?;
    let rest = name[comma + 2..].trim_ascii_start();
    let first = rest.split(|&byte| byte == b' ' || byte == b',').next()?;
    (!first.is_empty()).then_some(first)
}

/// Cuts the bytes after the last newline of each `CHUNK` of them.
fn chunks(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut chunks = Vec::new();
    while !bytes.is_empty() {
        let most = CHUNK.min(bytes.len());
        let end = match memrchr(b'\n', &bytes[..most]) {
            Some(newline) => newline + 1,
            None => memchr(b'\n', bytes).map_or(bytes.len(), |newline| newline + 1),
        };
        let (chunk, rest) = bytes.split_at(end);
        chunks.push(chunk);
        bytes = rest;
    }
    chunks
}

/// Maps the file at `path`, and advises that its pages be huge and read in order.
pub fn map(path: &Path) -> std::io::Result<Mmap> {
    // SAFETY: nothing writes to the file meanwhile.
    let map = unsafe { Mmap::map(&File::open(path)?)? };
    map.advise(Advice::Sequential)?;
    #[cfg(target_os = "linux")]
    let _ = map.advise(Advice::HugePage);
    Ok(map)
}

/// Counts all lines, on all cores.
pub fn counts(bytes: &[u8]) -> Counts<'_> {
    let counts = chunks(bytes)
        .into_par_iter()
        .fold(Counts::default, Counts::chunk);
    counts.reduce(Counts::default, Counts::merge)
}

/// Returns the names of three lines.
pub fn names(bytes: &[u8]) -> [Option<&[u8]>; 3] {
    let lines: Vec<_> = bytes
        .split(|&byte| byte == b'\n')
        .take(NAMES[2] + 1)
        .collect();
    NAMES.map(|index| {
        let name = lines.get(index)?.split(|&b| b == b'|').nth(7)?;
        Some(name.trim_ascii())
    })
}

/// Returns the most common first name and its lines. Ties go to the name that sorts first.
pub fn most_common<'a>(counts: &Counts<'a>) -> Option<(&'a [u8], u64)> {
    let names = counts
        .first_names
        .iter()
        .map(|(name, lines)| (*name, *lines));
    names.max_by(|one, other| one.1.cmp(&other.1).then(other.0.cmp(one.0)))
}

fn main() -> std::io::Result<()> {
    let path = std::env::args_os().nth(1).expect("name a file");
    let map = map(Path::new(&path))?;
    let counts = counts(&map);
    for (index, name) in NAMES.into_iter().zip(names(&map)) {
        let name = name.map_or("null".into(), String::from_utf8_lossy);
        println!("Name: {name} at index: {index}");
    }
    println!("Total file line count: {}", counts.lines);
    for (month, lines) in &counts.months {
        let month = String::from_utf8_lossy(month);
        println!(
            "Donations per month and year: {}-{} and donation count: {lines}",
            &month[..4],
            &month[4..]
        );
    }
    if let Some((name, lines)) = most_common(&counts) {
        println!(
            "The most common first name is: {} and it occurs: {lines} times.",
            String::from_utf8_lossy(name)
        );
    }
    Ok(())
}
