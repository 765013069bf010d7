//! The words, made ready to be copied and drawn.

use super::words::*;

/// A word and room behind it, so that it can be copied without a look at its length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    pub(super) bytes: [u8; WORD_BYTES],
    pub(super) length: usize,
}

pub(super) const WORD_BYTES: usize = 48;

impl Word {
    pub(super) fn new(text: &str) -> Word {
        let mut bytes = [0; WORD_BYTES];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Word {
            bytes,
            length: text.len(),
        }
    }
}

/// How many first names one is drawn from: 13 bits.
pub(super) const FIRST_NAME_SLOTS: usize = 1 << 13;

/// The words, ready to be copied.
#[derive(Clone, Debug)]
pub(super) struct Vocabulary {
    pub(super) first_names: Vec<Word>,
    /// Each first name as often as it is common. Behind these begin the made-up ones.
    pub(super) first_name_slots: Vec<u16>,
    pub(super) syllables: Vec<Word>,
    pub(super) fronts: Vec<Word>,
    pub(super) backs: Vec<Word>,
    pub(super) names_without_comma: Vec<Word>,
    pub(super) suffixes: Vec<Word>,
    pub(super) towns: Vec<Word>,
    pub(super) states: Vec<Word>,
    pub(super) employers: Vec<Word>,
    pub(super) firms: Vec<Word>,
    pub(super) occupations: Vec<Word>,
    pub(super) amounts: Vec<Word>,
}

impl Vocabulary {
    pub(super) fn new() -> Vocabulary {
        let words = |texts: &[&str]| texts.iter().map(|text| Word::new(text)).collect();
        // JOHN has 2.6 % of all lines; the others follow about as they do in a real file.
        let slots = |rank: usize| {
            (FIRST_NAME_SLOTS as f64 * 0.0262 / (1.0 + 0.14 * rank as f64)).round() as usize
        };
        let of_rank = |rank: usize| std::iter::repeat_n(rank as u16, slots(rank));
        Vocabulary {
            first_names: words(FIRST_NAMES),
            first_name_slots: (0..FIRST_NAMES.len()).flat_map(of_rank).collect(),
            syllables: words(&SYLLABLES),
            fronts: words(&FRONTS),
            backs: words(&BACKS),
            names_without_comma: words(&NAMES_WITHOUT_COMMA),
            suffixes: words(&SUFFIXES),
            towns: words(&TOWNS),
            states: words(&STATES),
            employers: words(&EMPLOYERS),
            firms: words(&FIRMS),
            occupations: words(&OCCUPATIONS),
            amounts: words(&AMOUNTS),
        }
    }
}
