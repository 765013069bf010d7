//! Candidates, and the rows of cn.
//!
//! The shares of the offices follow the 3,403 candidates of a real ccl of January 2015. The shares of
//! CAND_ELECTION_YR and CAND_STATUS are guesses.

use super::Generator;
use super::people::Person;
use super::random::{Random, stream};
use super::register::{self, CANDIDATES};
use super::writer::{RowWriter, row};

#[derive(Clone, Copy)]
pub(super) struct Candidate {
    /// H, S or P: House, Senate or president.
    pub(super) office: &'static str,
    pub(super) state: &'static str,
    district: u64,
    /// Counts the candidates of the seat.
    nth: u64,
    pub(super) party: &'static str,
    pub(super) year: &'static str,
    pub(super) person: Person,
    incumbency: &'static str,
    status: &'static str,
}

impl Candidate {
    /// Returns candidate `number` of the register.
    pub(super) fn new(generator: &Generator, number: u64) -> Candidate {
        let mut random = Random::new(generator.recipe.seed, stream::CANDIDATE_FACTS, number);
        let words = &generator.words;
        let (house, senate) = (&words.house_seats, &words.senate_seats.values);
        let (seats, states) = (house.len() as u64, senate.len() as u64);
        let (neighborhood, place) = (number / CANDIDATES, number % CANDIDATES);
        // Of 40 candidates, 29 are for the House, 7 for the Senate, and 4 for president.
        let (office, (state, district), nth) = match (place * 13 + 5) % CANDIDATES {
            place @ 0..29 => {
                // Neighbors run in different states: 211 has no factor of 435.
                let nth = neighborhood * 29 + place;
                ("H", house[(nth * 211 % seats) as usize], nth / seats)
            }
            place @ 29..36 => {
                let nth = neighborhood * 7 + place - 29;
                ("S", (senate[(nth % states) as usize], 0), nth / states)
            }
            place => ("P", ("US", 0), neighborhood * 4 + place - 36),
        };
        let year = random.one_of(words.years.value(office));
        let status = random.one_of(&words.status);
        Candidate {
            office,
            state,
            district,
            nth,
            party: random.one_of(&words.parties),
            year,
            person: Person::new(&mut random),
            incumbency: random.one_of(words.incumbency.value(status)),
            status,
        }
    }

    /// Returns the state of the candidate's committees. Committees for president are in any state.
    pub(super) fn home(&self) -> Option<&'static str> {
        (self.office != "P").then_some(self.state)
    }
}

impl RowWriter<'_> {
    pub(super) fn candidate_row(&mut self, number: u64) {
        let candidate = Candidate::new(self.generator, number);
        let mut random = self.generator.random(stream::CANDIDATE_ADDRESS, number);
        row!(self:
            CAND_ID => self.candidate_id(&candidate),
            CAND_NAME => self.last_name_first(candidate.person, &mut random),
            CAND_PTY_AFFILIATION => self.text(candidate.party),
            CAND_ELECTION_YR => self.text(candidate.year),
            CAND_OFFICE_ST => self.text(candidate.state),
            CAND_OFFICE => self.text(candidate.office),
            CAND_OFFICE_DISTRICT => if !random.chance(8) { self.digits::<2>(candidate.district) },
            CAND_ICI => self.text(candidate.incumbency),
            CAND_STATUS => self.text(candidate.status),
            CAND_PCC => register::principal(number).map(|committee| self.committee_id(committee)),
            CAND_ST1 CAND_ST2 CAND_CITY CAND_ST CAND_ZIP =>
                self.address(&mut random, true, [12, 300, 87, 14, 170, 0], candidate.home()),
        );
    }

    /// Appends CAND_ID.
    ///
    /// No real candidate has such an identifier. In a real file of 2015, the highest serial numbers were
    /// 508 (House), 11,327 (Senate) and 5,832 (president).
    pub(super) fn candidate_id(&mut self, candidate: &Candidate) {
        let &Candidate {
            office,
            state,
            district,
            nth,
            ..
        } = candidate;
        self.text(office);
        // The year of the first candidacy. The candidates of a seat take turns.
        self.byte(b"86420"[((nth + district) % 5) as usize]);
        if office == "P" {
            return self.digits::<7>(9_000_000 + nth);
        }
        self.text(state);
        if office == "S" {
            return self.digits::<5>(90_000 + nth / 5);
        }
        self.digits::<2>(district);
        self.digits::<3>(900 + nth / 5);
    }
}
