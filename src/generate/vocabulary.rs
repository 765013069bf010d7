//! The words in tables that are drawn from by a few random bits.
//!
//! Tables end in empty words, for optional parts. Copying an empty word costs less than a branch
//! that the processor mispredicts half of the time.

use super::first_names::FirstNames;
use super::text::Word;
use super::words::*;

/// Tables of words, and the numbers of their entries.
#[derive(Debug)]
pub(super) struct Vocabulary {
    pub(super) first_names: FirstNames,
    pub(super) fronts: [Word; 64],
    /// 64 second parts and 64 empty words.
    pub(super) backs: [Word; 128],
    pub(super) names_without_comma: [Word; 16],
    /// 26 initials and 38 empty words.
    pub(super) middles: [Word; 64],
    /// 8 suffixes and 120 empty words.
    pub(super) suffixes: [Word; 128],
    /// 64 whole names and 64 first parts.
    pub(super) towns: [Word; 128],
    pub(super) states: [Word; 96],
    /// 64 whole names and 64 first parts.
    pub(super) employers: [Word; 128],
    /// 32 second parts and 32 empty words.
    pub(super) firms: [Word; 64],
    pub(super) occupations: [Word; 64],
    /// 32 first parts and 96 empty words.
    pub(super) ranks: [Word; 128],
    pub(super) amounts: [Word; 64],
}

impl Vocabulary {
    pub(super) fn new() -> Vocabulary {
        let initials: Vec<String> = ('A'..='Z').map(|letter| format!(" {letter}")).collect();
        Vocabulary {
            first_names: FirstNames::new(),
            fronts: table(FRONTS),
            backs: table(BACKS),
            names_without_comma: table(NAMES_WITHOUT_COMMA),
            middles: table(&initials.join("|")),
            suffixes: table(SUFFIXES),
            towns: table(&[TOWNS, FRONTS].join("|")),
            states: table(STATES),
            employers: table(&[EMPLOYERS, FRONTS].join("|")),
            firms: table(FIRMS),
            occupations: table(OCCUPATIONS),
            ranks: table(RANKS),
            amounts: table(AMOUNTS),
        }
    }
}

/// Makes a table of a list of words, and of empty words at its end.
fn table<const N: usize>(list: &str) -> [Word; N] {
    let mut words = words(list);
    assert!(words.len() <= N, "{} words in {N} places", words.len());
    words.resize(N, Word::EMPTY);
    words.try_into().expect("the length is right")
}

/// Splits a list of words at its pipes, and repeats those with a number: `CA*13`.
pub(super) fn words(list: &str) -> Vec<Word> {
    let entries = list.split('|').flat_map(|entry| {
        let (text, times) = entry.split_once('*').unwrap_or((entry, "1"));
        std::iter::repeat_n(Word::new(text), times.parse().expect("a number"))
    });
    entries.collect()
}
