//! First names: how often each occurs.
//!
//! The frequencies follow the law of Zipf and Mandelbrot. The head is a list of names with
//! frequencies proportional to 1 / (7.1 + rank). JOHN has 2.6 % of all rows, as in the 2018 file,
//! and the whole list three quarters.
//!
//! The tail is a sequence of octaves of made-up names. An octave has half of the rows of the one
//! before and 1.57 times as many names. Within an octave, all names are equally frequent. The
//! exponent of the law is thus 1 + ln 2 / ln 1.57 = 2.5. This and the size of the first octave fit
//! the numbers of different names in real files:
//!
//! | rows       | real           | generated, seed 1 |
//! |------------|----------------|-------------------|
//! | 20,000     | 2,468 to 2,605 | 2,466             |
//! | 18,245,416 | 51,169         | 51,428            |

use super::random::{Random, scaled};
use super::text::{Text, Word};
use super::words::{FromLists, Lists};

/// First names and their frequencies.
#[derive(Debug)]
pub(super) struct FirstNames {
    head: Vec<Word>,
    /// The place of each name of the head, as often as it is frequent. The tail has the missing
    /// slots.
    slots: Vec<u16>,
    octaves: [Octave; 12],
    syllables: Vec<Word>,
}

/// Equally frequent names of the tail.
#[derive(Clone, Copy, Debug)]
struct Octave {
    /// The number of the first name.
    start: u32,
    names: u32,
}

/// The number of slots: a name of one slot has one row in 8,192.
const SLOTS: usize = 1 << 13;

/// The number of bits that choose a syllable.
const SYLLABLE_BITS: u32 = 6;

impl FromLists for FirstNames {
    fn from_lists(lists: &Lists, name: &str) -> FirstNames {
        let head = lists.words(name);
        let slots_of =
            |rank: usize| (SLOTS as f64 * 0.0264 / (1.0 + 0.14 * rank as f64)).round() as usize;
        let slots = (0..head.len())
            .flat_map(|rank| std::iter::repeat_n(rank as u16, slots_of(rank)))
            .collect();
        let mut next = Octave {
            start: 0,
            names: 460,
        };
        let octaves = std::array::from_fn(|_| {
            let octave = next;
            next = Octave {
                start: octave.start + octave.names,
                names: octave.names * 157 / 100,
            };
            octave
        });
        let syllables = lists.words("syllables");
        assert_eq!(syllables.len(), 1 << SYLLABLE_BITS);
        assert!(
            next.start < 1 << (3 * SYLLABLE_BITS),
            "three syllables must suffice"
        );
        FirstNames {
            head,
            slots,
            octaves,
            syllables,
        }
    }
}

impl FirstNames {
    /// Returns a name of the head. `fraction` is one of 2^32.
    pub(super) fn common(&self, fraction: u32) -> &Word {
        let slot = scaled(u64::from(fraction), self.slots.len() as u32) as usize;
        &self.head[usize::from(self.slots[slot])]
    }

    /// Appends a first name, chosen by the lowest 13 of `bits`.
    #[inline(always)]
    pub(super) fn append(&self, text: &mut Text, bits: u64, random: &mut Random) {
        match self.slots.get(bits as usize % SLOTS) {
            Some(&place) => text.word(&self.head[usize::from(place)]),
            None => self.append_rare(text, random),
        }
    }

    fn append_rare(&self, text: &mut Text, random: &mut Random) {
        let bits = random.bits();
        // Leading zeros halve from one number to the next, as octaves do.
        let octave = self.octaves[(bits.leading_zeros() as usize).min(self.octaves.len() - 1)];
        let name = (octave.start + scaled(bits, octave.names)) as usize;
        let mask = self.syllables.len() - 1;
        text.word(&self.syllables[name & mask]);
        text.word(&self.syllables[name >> SYLLABLE_BITS & mask]);
        let third = name >> (2 * SYLLABLE_BITS);
        if third > 0 {
            text.word(&self.syllables[third]);
        }
    }
}
