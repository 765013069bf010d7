//! The design by the letter, without this crate: a mapped file, chunks cut at newlines, a fold of rayon over them, pipes and newlines by
//! memchr, counts in ahash's maps. It prints what `fecscan -f challenge` prints, and shows what the scanner adds:
//! `cargo run --release --example by_the_letter itcont.txt`.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::fs::File;

use ahash::AHashMap;
use memchr::{memchr, memchr2_iter, memrchr};
use memmap2::{Advice, Mmap};
use rayon::prelude::*;

const CHUNK: usize = 2 << 20;
const NAMES: [u64; 3] = [0, 432, 43243];

#[derive(Default)]
struct Counts<'a> {
    lines: u64,
    months: BTreeMap<[u8; 6], u64>,
    first_names: AHashMap<&'a [u8], u64>,
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

fn main() -> std::io::Result<()> {
    let path = std::env::args_os().nth(1).expect("name a file");
    // SAFETY: nothing writes to the file meanwhile.
    let map = unsafe { Mmap::map(&File::open(path)?)? };
    map.advise(Advice::Sequential)?;
    #[cfg(target_os = "linux")]
    let _ = map.advise(Advice::HugePage);
    let counts = chunks(&map)
        .into_par_iter()
        .fold(Counts::default, Counts::chunk);
    let counts = counts.reduce(Counts::default, Counts::merge);
    let lines: Vec<_> = map.split(|&byte| byte == b'\n').take(43_244).collect();
    for index in NAMES {
        let name = lines
            .get(index as usize)
            .and_then(|line| line.split(|&b| b == b'|').nth(7));
        let name = name.map_or("null".into(), |name| {
            String::from_utf8_lossy(name.trim_ascii())
        });
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
    let most = counts
        .first_names
        .iter()
        .max_by(|one, other| one.1.cmp(other.1).then(other.0.cmp(one.0)));
    if let Some((name, lines)) = most {
        println!(
            "The most common first name is: {} and it occurs: {lines} times.",
            String::from_utf8_lossy(name)
        );
    }
    Ok(())
}
