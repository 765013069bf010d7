//! People: their names, places and work.
//!
//! First names follow the law of Zipf and Mandelbrot. The head is a list of names with frequencies
//! proportional to 1 / (7.1 + rank). The tail is a sequence of octaves of made-up names. An octave has
//! half of the rows of the one before and 1.57 times as many names, all equally frequent. The exponent
//! of the law is thus 1 + ln 2 / ln 1.57 = 2.5. `docs/generate.md` compares the numbers of names.

use super::random::{Random, scaled};
use super::words::{FromLists, Lists};
use super::writer::{RowWriter, Word};

#[derive(Debug)]
pub(super) struct FirstNames {
    head: Vec<Word>,
    /// The place of each name of the head, as often as it is frequent. The tail has the missing
    /// slots.
    slots: Vec<u16>,
    /// The first name of each octave of the tail, and their number.
    octaves: [(u32, u32); 12],
}

/// The number of slots: a name of one slot has one row in 8,192.
const SLOTS: usize = 1 << 13;

impl FromLists for FirstNames {
    fn from_lists(lists: &Lists, name: &str) -> FirstNames {
        let head = lists.words(name);
        let share = |rank: usize| SLOTS as f64 * 0.0264 / (1.0 + 0.14 * rank as f64);
        let slots = |rank| std::iter::repeat_n(rank as u16, share(rank).round() as usize);
        let (mut next, mut names) = (0, 460);
        FirstNames {
            slots: (0..head.len()).flat_map(slots).collect(),
            head,
            octaves: std::array::from_fn(|_| {
                let octave = (next, names);
                (next, names) = (next + names, names * 157 / 100);
                octave
            }),
        }
    }
}

/// A name of the register, as numbers of words.
#[derive(Clone, Copy)]
pub(super) struct Person {
    surname: u64,
    first: u64,
    middle: u64,
}

impl Person {
    pub(super) fn new(random: &mut Random) -> Person {
        let bits = random.bits();
        Person {
            surname: bits,
            first: bits >> 32,
            middle: random.below(64).into(),
        }
    }
}

impl RowWriter<'_> {
    /// Appends NAME of a contributor.
    #[inline(always)]
    pub(super) fn name(&mut self) {
        let words = self.words;
        let (bits, more) = (self.random.bits(), self.random.bits());
        if bits & 0xfff < 12 {
            return self.pick(&words.names_without_comma, more);
        }
        self.pick(&words.fronts, bits >> 12);
        self.pick(&words.backs, bits >> 18);
        if bits >> 25 & 63 == 0 {
            self.byte(b'-');
            self.pick(&words.fronts, more >> 58);
        }
        self.text(", ");
        match bits >> 31 & 0xfff {
            0..2 => self.text("JR., "),
            2..10 => self.byte(b' '),
            _ => {}
        }
        match more & 0xfff {
            // One first name in a hundred is an initial.
            0..41 => self.byte(b'A' + scaled(more >> 12, 26) as u8),
            41..43 => {
                self.first_name(more >> 12);
                self.byte(b'-');
                self.first_name(more >> 25);
            }
            _ => self.first_name(more >> 12),
        }
        let middle = bits >> 43 & 63;
        self.pick(&words.middles, middle);
        if middle >= 58 {
            self.text(match middle {
                58..60 => " & ",
                60 => "  ",
                _ => " ",
            });
            self.first_name(more >> 38);
        }
        self.pick(&words.suffixes, bits >> 49);
    }

    /// Appends a first name, chosen by the lowest 13 of `bits`.
    #[inline(always)]
    fn first_name(&mut self, bits: u64) {
        let FirstNames { head, slots, .. } = &self.words.first_names;
        match slots.get(bits as usize % SLOTS) {
            Some(&place) => self.word(&head[usize::from(place)]),
            None => self.rare_first_name(),
        }
    }

    fn rare_first_name(&mut self) {
        let bits = self.random.bits();
        let octaves = &self.words.first_names.octaves;
        // Leading zeros halve from one number to the next, as octaves do.
        let (first, names) = octaves[(bits.leading_zeros() as usize).min(octaves.len() - 1)];
        let name = u64::from(first + scaled(bits, names));
        let syllables = &self.words.syllables;
        self.pick(syllables, name);
        self.pick(syllables, name >> 6);
        if name >> 12 > 0 {
            self.pick(syllables, name >> 12);
        }
    }

    pub(super) fn firm(&mut self) {
        let words = self.words;
        let bits = self.random.bits();
        self.pick(&words.fronts, bits);
        self.pick(&words.backs, bits >> 6);
        self.pick(&words.firms, bits >> 13 & 31);
    }

    /// Appends EMPLOYER and OCCUPATION, with a pipe between them.
    #[inline(always)]
    pub(super) fn work(&mut self, bits: u64) {
        let words = self.words;
        // Whole names need no second part, and some occupations no first.
        let is_whole = bits & 127 < 64;
        self.pick(&words.employers, bits);
        self.pick(
            &words.firms,
            (bits >> 7 & 31) + if is_whole { 32 } else { 0 },
        );
        self.byte(b'|');
        let occupation = bits >> 12 & 63;
        self.pick(
            &words.ranks,
            (bits >> 18 & 63) + if occupation < 30 { 64 } else { 0 },
        );
        self.pick(&words.occupations, occupation);
    }

    /// Appends CITY, STATE and ZIP_CODE, with pipes between them.
    #[inline(always)]
    pub(super) fn place(&mut self, bits: u64) {
        self.town(bits);
        self.byte(b'|');
        let random = self.random.bits();
        self.state(random >> 32);
        self.byte(b'|');
        let zip = scaled(random, 1_000_000_000);
        let length = match random >> 56 {
            0 => 0,
            1..112 => 5,
            _ => 9,
        };
        self.zip(zip.into(), length);
    }

    /// Appends the first `length` of nine digits.
    #[inline(always)]
    pub(super) fn zip(&mut self, zip: u64, length: usize) {
        self.digits::<9>(zip);
        self.len -= 9 - length;
    }

    /// Appends an address: a street and its second line, unless they are left out, a city, `home` or any
    /// state, and a zip code.
    ///
    /// The shares are in this order: no street, post-office boxes, a suite, no zip code, zip codes of nine
    /// digits, Washington. Many committees are in Washington.
    pub(super) fn address(
        &mut self,
        random: &mut Random,
        streets: bool,
        shares: [u32; 6],
        home: Option<&str>,
    ) {
        let (words, start) = (self.words, self.len);
        let [no_street, boxes, suite, no_zip, long_zip, capital] = shares;
        let is_capital = random.chance(capital);
        if !random.chance(no_street) {
            let (is_box, bits) = (random.chance(boxes), random.bits());
            if is_box {
                self.pick(&words.boxes, bits);
                self.number(bits >> 32 & 0xffff);
            } else {
                self.number(1 + (bits >> 32 & 0xfff));
                self.byte(b' ');
                self.pick(&words.fronts, bits >> 8);
                self.pick(&words.backs, bits >> 14);
                self.pick(&words.streets, bits >> 44);
            }
        }
        self.byte(b'|');
        if random.chance(suite) {
            let bits = random.bits();
            self.pick(&words.suites, bits);
            self.number(100 + (bits >> 32) % 1500);
        }
        self.byte(b'|');
        if !streets {
            self.len = start;
        }
        let (town, zip) = (random.bits(), random.bits());
        if is_capital {
            self.text("WASHINGTON|DC");
        } else {
            self.town(town);
            self.byte(b'|');
            match home {
                Some(state) => self.text(state),
                None => self.state(town >> 32),
            }
        }
        self.byte(b'|');
        let (no_zip, long_zip) = (random.chance(no_zip), random.chance(long_zip));
        self.zip(
            zip,
            if no_zip {
                0
            } else if long_zip {
                9
            } else {
                5
            },
        );
    }

    #[inline(always)]
    pub(super) fn town(&mut self, bits: u64) {
        // The first half of the towns needs no second part.
        let is_whole = bits & 127 < 64;
        self.pick(&self.words.towns, bits);
        self.pick(
            &self.words.backs,
            (bits >> 7 & 63) + if is_whole { 64 } else { 0 },
        );
    }

    /// Appends a state. `fraction` has 32 bits.
    #[inline(always)]
    pub(super) fn state(&mut self, fraction: u64) {
        self.pick(&self.words.states, scaled(fraction, 96).into());
    }

    /// Appends a surname of the register or the name of a place there.
    pub(super) fn place_name(&mut self, bits: u64) {
        self.pick(&self.words.register_fronts, bits);
        self.pick(&self.words.backs, bits >> 5 & 63);
    }

    pub(super) fn last_name(&mut self, person: Person) {
        self.place_name(person.surname);
    }

    /// Appends the first name, one of the common ones.
    pub(super) fn given_name(&mut self, person: Person) {
        let FirstNames { head, slots, .. } = &self.words.first_names;
        let slot = scaled(person.first, slots.len() as u32);
        self.word(&head[usize::from(slots[slot as usize])]);
    }

    /// Appends the first name, and the initial of the second if there is one.
    pub(super) fn given_names(&mut self, person: Person) {
        self.given_name(person);
        self.pick(&self.words.middles, person.middle);
    }

    /// Appends a name as LAST, FIRST M.
    pub(super) fn last_name_first(&mut self, person: Person, random: &mut Random) {
        self.last_name(person);
        self.text(", ");
        self.given_names(person);
        self.text(random.one_of(&self.words.name_ends));
    }
}
