//! Candidates, and the rows of cn.
//!
//! The shares of empty columns follow all files of 2004 to 2026: 17.3 % of the rows have no CAND_PCC,
//! 4.1 % no CAND_ICI, and 91.3 % no CAND_ST2. The shares of the offices follow the 3,403 candidates of
//! a real ccl of January 2015. Shares of CAND_ELECTION_YR and CAND_STATUS are guesses.

use super::Generator;
use super::address::{Address, CANDIDATE_ADDRESSES};
use super::random::{Random, Stream};
use super::register::{self, CANDIDATES};
use super::register_words::{HOUSE_SEATS, NAME_ENDS, PARTIES, REGISTER_FRONTS};
use super::row::RowWriter;
use super::text::Text;
use super::vocabulary::Vocabulary;

/// A candidate.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) office: Office,
    pub(super) seat: Seat,
    /// Counts the candidates of the seat.
    nth: u64,
    pub(super) party: &'static str,
    pub(super) year: u64,
    pub(super) person: Person,
    incumbency: &'static str,
    status: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Office {
    House,
    Senate,
    President,
}

/// The place that a candidate runs for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seat {
    pub(super) state: &'static str,
    pub(super) district: u64,
}

/// A name, as numbers of words.
#[derive(Clone, Copy)]
pub(super) struct Person {
    surname: u32,
    first: u32,
    middle: u32,
}

/// The places that candidates run for.
#[derive(Debug)]
pub(super) struct Seats {
    /// One seat for each district.
    house: Vec<Seat>,
    states: Vec<&'static str>,
}

impl Seats {
    pub(super) fn new() -> Seats {
        let states = HOUSE_SEATS.split('|').map(|entry| entry.split_at(2));
        let districts = |(state, count): (&'static str, &str)| {
            let count: u64 = count.parse().expect("a number");
            // A state with one seat has district 00.
            let first = u64::from(count > 1);
            (first..first + count).map(move |district| Seat { state, district })
        };
        Seats {
            house: states.clone().flat_map(districts).collect(),
            states: states.map(|(state, _)| state).collect(),
        }
    }
}

impl Candidate {
    /// Returns candidate `number` of the register.
    pub(super) fn new(generator: &Generator, number: u64) -> Candidate {
        let mut random = Random::new(generator.recipe.seed, Stream::CandidateFacts, number);
        let (neighborhood, place) = (number / CANDIDATES, number % CANDIDATES);
        // Of 40 candidates, 29 are for the House, 7 for the Senate, and 4 for president.
        let (office, nth) = match (place * 13 + 5) % CANDIDATES {
            house @ 0..29 => (Office::House, neighborhood * 29 + house),
            senate @ 29..36 => (Office::Senate, neighborhood * 7 + senate - 29),
            president => (Office::President, neighborhood * 4 + president - 36),
        };
        let Seats { house, states } = &generator.seats;
        let (districts, state_count) = (house.len() as u64, states.len() as u64);
        let at_large = |state| Seat { state, district: 0 };
        let (seat, nth) = match office {
            // Neighbors run in different states: 211 has no factor of 435.
            Office::House => (house[(nth * 211 % districts) as usize], nth / districts),
            Office::Senate => (
                at_large(states[(nth % state_count) as usize]),
                nth / state_count,
            ),
            Office::President => (at_large("US"), nth),
        };
        let year = random.share(match office {
            Office::President => &[(2020, 700), (2016, 200), (2012, 0)],
            _ => &YEARS,
        });
        let status = random.share(&[("C", 480), ("N", 280), ("P", 220), ("F", 0)]);
        Candidate {
            office,
            seat,
            nth,
            party: random.share(&PARTIES),
            year,
            person: Person::new(&mut random),
            incumbency: match status {
                "C" => random.share(&[("C", 550), ("I", 240), ("O", 200), ("", 0)]),
                _ => random.share(&[("C", 620), ("O", 310), ("", 0)]),
            },
            status,
        }
    }

    /// Appends CAND_ID.
    ///
    /// No real candidate has such an identifier. In a real file of 2015, the highest serial numbers were
    /// 508 (House), 11,327 (Senate) and 5,832 (president).
    pub(super) fn id(&self, text: &mut Text) {
        // The year of the first candidacy. The candidates of a seat take turns.
        let digit = b"86420"[((self.nth + self.seat.district) % 5) as usize];
        let serial = self.nth / 5;
        match self.office {
            Office::House => {
                text.text(&[b'H', digit]);
                text.str(self.seat.state);
                text.digits::<2>(self.seat.district);
                text.digits::<3>(900 + serial);
            }
            Office::Senate => {
                text.text(&[b'S', digit]);
                text.str(self.seat.state);
                text.digits::<5>(90_000 + serial);
            }
            Office::President => {
                text.text(&[b'P', digit]);
                text.digits::<7>(9_000_000 + self.nth);
            }
        }
    }
}

/// Appends a surname or the name of a place.
pub(super) fn place_name(bits: u64, words: &Vocabulary, text: &mut Text) {
    text.str(REGISTER_FRONTS[(bits & 31) as usize]);
    text.word(&words.backs[(bits >> 5 & 63) as usize]);
}

impl Person {
    pub(super) fn new(random: &mut Random) -> Person {
        let bits = random.bits();
        Person {
            surname: bits as u32,
            first: (bits >> 32) as u32,
            middle: random.below(64),
        }
    }

    /// Appends the last name.
    pub(super) fn last(&self, words: &Vocabulary, text: &mut Text) {
        place_name(u64::from(self.surname), words, text);
    }

    /// Appends the first name, one of the common ones.
    pub(super) fn first(&self, words: &Vocabulary, text: &mut Text) {
        text.word(words.first_names.common(self.first));
    }

    /// Appends a blank and the initial of the second name, if there is one.
    pub(super) fn middle(&self, words: &Vocabulary, text: &mut Text) {
        text.word(&words.middles[self.middle as usize]);
    }
}

/// The shares of CAND_ELECTION_YR for House and Senate, in a cycle that ends in 2018.
const YEARS: [(u64, u32); 8] = [
    (2018, 620),
    (2016, 110),
    (2020, 80),
    (2014, 70),
    (2012, 50),
    (2022, 30),
    (2010, 30),
    (2008, 10),
];

impl RowWriter<'_> {
    /// Appends row `number` of cn.
    pub(super) fn candidate_row(&mut self, number: u64) {
        let start = self.text.len();
        let seed = self.generator.recipe.seed;
        let candidate = Candidate::new(self.generator, number);
        let mut random = Random::new(seed, Stream::CandidateAddress, number);
        candidate.id(&mut self.text);
        self.text.byte(b'|');
        self.candidate_name(&candidate, &mut random);
        self.text.byte(b'|');
        self.text.str(candidate.party);
        self.text.byte(b'|');
        self.text.digits::<4>(candidate.year);
        self.text.byte(b'|');
        self.text.str(candidate.seat.state);
        self.text.byte(b'|');
        self.text.byte(match candidate.office {
            Office::House => b'H',
            Office::Senate => b'S',
            Office::President => b'P',
        });
        self.text.byte(b'|');
        if !random.chance(8) {
            self.text.digits::<2>(candidate.seat.district);
        }
        self.text.byte(b'|');
        self.text.str(candidate.incumbency);
        self.text.byte(b'|');
        self.text.str(candidate.status);
        self.text.byte(b'|');
        if let Some(committee) = register::principal(number) {
            self.committee_id(committee);
        }
        self.text.byte(b'|');
        let state = match candidate.office {
            Office::President => None,
            _ => Some(candidate.seat.state),
        };
        let address = Address::new(&mut random, &CANDIDATE_ADDRESSES, state);
        self.address(&address);
        self.end(start);
    }

    /// Appends a name as LAST, FIRST M.
    fn candidate_name(&mut self, candidate: &Candidate, random: &mut Random) {
        let (words, person) = (&self.generator.words, candidate.person);
        person.last(words, &mut self.text);
        self.text.text(b", ");
        person.first(words, &mut self.text);
        person.middle(words, &mut self.text);
        self.text.str(random.share(&NAME_ENDS));
    }
}
