//! All benchmarks of the library.
//!
//! `cargo bench -p fecscan-benches NAME` runs one of them, and `cargo bench -p fecscan-benches NAME/TEXT` what criterion measures of it under names with the text.
//! Arguments after `--` are criterion's.

mod archives;
#[path = "../examples/by_the_letter.rs"]
#[allow(dead_code)]
mod by_the_letter;
mod common;
mod export;
mod general;
mod generate;
mod ladders;
mod levels;
mod varint;

use std::process::exit;

use common::rounds::named_benchmark;
use ladders::{count, random, revisions};

const BENCHMARKS: [(&str, fn()); 9] = [
    ("count", count::run),
    ("random", random::run),
    ("revisions", revisions::run),
    ("general", general::run),
    ("levels", levels::run),
    ("archives", archives::run),
    ("generate", generate::run),
    ("export", export::run),
    ("varint", varint::run),
];

fn main() {
    let named = named_benchmark();
    let chosen: Vec<_> = BENCHMARKS
        .iter()
        .filter(|(name, _)| named.as_deref().is_none_or(|named| named == *name))
        .collect();
    if chosen.is_empty() {
        let names = BENCHMARKS.map(|(name, _)| name).join(", ");
        eprintln!("no benchmark has this name; there are {names}");
        exit(2);
    }
    chosen.iter().for_each(|(_, run)| run());
}
