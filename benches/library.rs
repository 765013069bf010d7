//! All benchmarks of the library.
//!
//! `cargo bench NAME` runs one of them, and `cargo bench NAME/TEXT` what criterion measures of it under names with the text.
//! Arguments after `--` are criterion's.

mod archives;
mod challenge_ladder;
mod common;
mod count_ladder;
mod export;
mod general;
mod generate;
mod levels;
mod varint;

use std::process::exit;

use common::rounds::named_benchmark;

const BENCHMARKS: [(&str, fn()); 8] = [
    ("count_ladder", count_ladder::run),
    ("challenge_ladder", challenge_ladder::run),
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
    // The comparison with `wc -l` is a program of its own, which gets the same arguments.
    if chosen.is_empty() && named.as_deref() != Some("against_wc") {
        let names = BENCHMARKS.map(|(name, _)| name).join(", ");
        eprintln!("no benchmark has this name; there are against_wc, {names}");
        exit(2);
    }
    chosen.iter().for_each(|(_, run)| run());
}
