//! Candidates, and the rows of cn.
//!
//! The shares of empty columns follow all files of 2004 to 2026: 17.3 % of the rows have no CAND_PCC,
//! 4.1 % no CAND_ICI, and 91.3 % no CAND_ST2. The shares of the offices follow the 3,403 candidates of
//! a real ccl of January 2015. Shares of CAND_ELECTION_YR and CAND_STATUS are guesses.

use super::Generator;
use super::address::{Address, CANDIDATE_ADDRESSES};
use super::random::{Random, Stream};
use super::register::{self, CANDIDATES};
use super::row::{RowWriter, row};
use super::words::{FromLists, Lists};

/// A candidate.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    /// H, S or P: House, Senate or president.
    pub(super) office: &'static str,
    pub(super) seat: Seat,
    /// Counts the candidates of the seat.
    nth: u64,
    pub(super) party: &'static str,
    pub(super) year: &'static str,
    pub(super) person: Person,
    incumbency: &'static str,
    status: &'static str,
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

impl FromLists for Seats {
    fn from_lists(lists: &Lists, name: &str) -> Seats {
        let states = lists.entries(name);
        let districts = |&(state, count): &(&'static str, u32)| {
            // A state with one seat has district 00.
            let first = u64::from(count > 1);
            (first..first + u64::from(count)).map(move |district| Seat { state, district })
        };
        Seats {
            house: states.iter().flat_map(districts).collect(),
            states: states.iter().map(|&(state, _)| state).collect(),
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
            house @ 0..29 => ("H", neighborhood * 29 + house),
            senate @ 29..36 => ("S", neighborhood * 7 + senate - 29),
            president => ("P", neighborhood * 4 + president - 36),
        };
        let words = &generator.words;
        let Seats { house, states } = &words.house_seats;
        let (districts, state_count) = (house.len() as u64, states.len() as u64);
        let at_large = |state| Seat { state, district: 0 };
        let (seat, nth) = match office {
            // Neighbors run in different states: 211 has no factor of 435.
            "H" => (house[(nth * 211 % districts) as usize], nth / districts),
            "S" => (
                at_large(states[(nth % state_count) as usize]),
                nth / state_count,
            ),
            _ => (at_large("US"), nth),
        };
        let year = random.one_of(words.years.value(office));
        let status = random.one_of(&words.status);
        Candidate {
            office,
            seat,
            nth,
            party: random.one_of(&words.parties),
            year,
            person: Person::new(&mut random),
            incumbency: random.one_of(words.incumbency.value(status)),
            status,
        }
    }
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
}

impl RowWriter<'_> {
    /// Appends row `number` of cn.
    pub(super) fn candidate_row(&mut self, number: u64) {
        let seed = self.generator.recipe.seed;
        let candidate = Candidate::new(self.generator, number);
        let Candidate { seat, person, .. } = candidate;
        let mut random = Random::new(seed, Stream::CandidateAddress, number);
        let address;
        row!(self:
            CAND_ID => self.candidate_id(&candidate),
            CAND_NAME => self.last_name_first(person, &mut random),
            CAND_PTY_AFFILIATION => self.text.text(candidate.party),
            CAND_ELECTION_YR => self.text.text(candidate.year),
            CAND_OFFICE_ST => self.text.text(seat.state),
            CAND_OFFICE => self.text.text(candidate.office),
            CAND_OFFICE_DISTRICT => if !random.chance(8) {
                self.text.digits::<2>(seat.district);
            },
            CAND_ICI => self.text.text(candidate.incumbency),
            CAND_STATUS => self.text.text(candidate.status),
            CAND_PCC => if let Some(committee) = register::principal(number) {
                self.committee_id(committee);
            },
            CAND_ST1 CAND_ST2 => {
                let state = (candidate.office != "P").then_some(seat.state);
                address = Address::new(&mut random, CANDIDATE_ADDRESSES, state);
                self.streets(&address);
            },
            CAND_CITY CAND_ST CAND_ZIP => self.address_place(&address),
        );
    }

    /// Appends CAND_ID.
    ///
    /// No real candidate has such an identifier. In a real file of 2015, the highest serial numbers were
    /// 508 (House), 11,327 (Senate) and 5,832 (president).
    pub(super) fn candidate_id(&mut self, candidate: &Candidate) {
        let Candidate { seat, nth, .. } = candidate;
        // The year of the first candidacy. The candidates of a seat take turns.
        let digit = b"86420"[((nth + seat.district) % 5) as usize];
        self.text.text(candidate.office);
        self.text.byte(digit);
        match candidate.office {
            "H" => {
                self.text.text(seat.state);
                self.text.digits::<2>(seat.district);
                self.text.digits::<3>(900 + nth / 5);
            }
            "S" => {
                self.text.text(seat.state);
                self.text.digits::<5>(90_000 + nth / 5);
            }
            _ => self.text.digits::<7>(9_000_000 + nth),
        }
    }

    /// Appends a surname or the name of a place.
    pub(super) fn place_name(&mut self, bits: u64) {
        let words = self.words;
        self.text.word(&words.register_fronts[(bits & 31) as usize]);
        self.text.word(&words.backs[(bits >> 5 & 63) as usize]);
    }

    pub(super) fn last_name(&mut self, person: Person) {
        self.place_name(u64::from(person.surname));
    }

    /// Appends the first name, one of the common ones.
    pub(super) fn given_name(&mut self, person: Person) {
        self.text.word(self.words.first_names.common(person.first));
    }

    /// Appends the first name, and the initial of the second if there is one.
    pub(super) fn given_names(&mut self, person: Person) {
        self.given_name(person);
        self.text.word(&self.words.middles[person.middle as usize]);
    }

    /// Appends a name as LAST, FIRST M.
    pub(super) fn last_name_first(&mut self, person: Person, random: &mut Random) {
        self.last_name(person);
        self.text.text(b", ");
        self.given_names(person);
        self.text.text(random.one_of(&self.words.name_ends));
    }
}
