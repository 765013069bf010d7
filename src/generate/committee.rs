//! Committees, and the rows of cm and ccl.
//!
//! Column lengths and shares follow the 10,127 rows of a real cm of January 2015 whose CMTE_TP is
//! neither C, E nor I. Committees of these three types have identifiers of their own, and no rows in
//! indiv. Names are made of templates.

use super::Generator;
use super::candidate::Candidate;
use super::people::Person;
use super::random::{Random, stream};
use super::register::{self, CONDUITS, FIRST_COMMITTEE, role};
use super::writer::{RowWriter, row};

pub(super) struct Committee {
    number: u64,
    kind: &'static str,
    designation: &'static str,
    pub(super) candidate: Option<Candidate>,
    party: &'static str,
    frequency: &'static str,
    /// ORG_TP.
    interest: &'static str,
    /// The templates of CMTE_NM, of the organization, and of CONNECTED_ORG_NM.
    names: [&'static str; 3],
    /// The words in names.
    bits: u64,
}

impl Committee {
    /// Returns committee `number` of the register.
    pub(super) fn new(generator: &Generator, number: u64) -> Committee {
        let mut random = generator.random(stream::COMMITTEE_FACTS, number);
        let Some((designation, candidate)) = role(number) else {
            return Committee::independent(generator, number, &mut random);
        };
        let words = &generator.words;
        let candidate = Candidate::new(generator, candidate);
        let is_joint = designation == "J";
        let mut kind = candidate.office;
        if is_joint && random.chance(830) {
            kind = "N";
        }
        let is_principal = designation == "P";
        let of = if is_principal { kind } else { designation };
        let names = [
            random.one_of(words.candidate_names.value(of)),
            random.one_of(words.candidate_names.value("J")),
            random.one_of(words.connected.value("candidate")),
        ];
        let bits = random.bits();
        // Joint funds have no party.
        let has_party = !is_joint && !random.chance(30);
        Committee {
            number,
            kind,
            designation,
            party: if has_party { candidate.party } else { "" },
            frequency: random.one_of(words.frequencies.value("candidate")),
            interest: "",
            names,
            bits,
            candidate: Some(candidate),
        }
    }

    fn independent(generator: &Generator, number: u64, random: &mut Random) -> Committee {
        let words = &generator.words;
        let conduit = CONDUITS.iter().find(|(conduit, _)| *conduit == number);
        let kind = conduit.map_or_else(|| random.one_of(&words.kinds), |_| "V");
        let designation = random.one_of(words.designations.value(kind));
        let party = random.one_of(words.committee_parties.value(kind));
        let frequency = random.one_of(words.frequencies.value(kind));
        let interest = random.one_of(words.interests.value(kind));
        let of = match (kind, interest) {
            ("X" | "Y", _) => "party",
            (_, "") => "none",
            _ => interest,
        };
        let name = random.one_of(words.committee_names.value(of));
        let name = conduit.map_or(name, |(_, name)| name);
        let organization = random.one_of(words.organizations.value(interest));
        let of = if interest.is_empty() { "none" } else { "" };
        let names = [name, organization, random.one_of(words.connected.value(of))];
        let bits = random.bits();
        Committee {
            number,
            kind,
            designation,
            candidate: None,
            party,
            frequency,
            interest,
            names,
            bits,
        }
    }

    /// Returns ENTITY_TP of the committee as a receiver.
    pub(super) fn entity(&self) -> &'static str {
        match (&self.candidate, self.kind) {
            (Some(_), _) => "CCM",
            (None, "X" | "Y") => "PTY",
            (None, "Q" | "N") => "PAC",
            (None, _) => "COM",
        }
    }
}

/// LINKAGE_ID of the first row of ccl.
const FIRST_LINKAGE: u64 = 200_000;

impl RowWriter<'_> {
    pub(super) fn committee_row(&mut self, number: u64) {
        let committee = Committee::new(self.generator, number);
        row!(self:
            CMTE_ID => self.committee_id(number),
            CMTE_NM => self.committee_name(&committee),
            TRES_NM => self.treasurer(&committee),
            CMTE_ST1 CMTE_ST2 CMTE_CITY CMTE_ST CMTE_ZIP => self.committee_address(&committee, true),
            CMTE_DSGN => self.text(committee.designation),
            CMTE_TP => self.text(committee.kind),
            CMTE_PTY_AFFILIATION => self.text(committee.party),
            CMTE_FILING_FREQ => self.text(committee.frequency),
            ORG_TP => self.text(committee.interest),
            CONNECTED_ORG_NM => self.fill(committee.names[2], &committee),
            CAND_ID => committee.candidate.iter().for_each(|candidate| self.candidate_id(candidate)),
        );
    }

    /// Appends row `number` of ccl, which links committees and candidates.
    pub(super) fn link_row(&mut self, number: u64) {
        let (candidate, committee) = register::link(number);
        let candidate = Candidate::new(self.generator, candidate);
        let committee = Committee::new(self.generator, committee);
        row!(self:
            CAND_ID => self.candidate_id(&candidate),
            CAND_ELECTION_YR => self.text(candidate.year),
            FEC_ELECTION_YR => self.number(self.generator.recipe.cycle.into()),
            CMTE_ID => self.committee_id(committee.number),
            CMTE_TP => self.text(committee.kind),
            CMTE_DSGN => self.text(committee.designation),
            LINKAGE_ID => self.digits::<6>(FIRST_LINKAGE + number),
        );
    }

    pub(super) fn committee_id(&mut self, number: u64) {
        self.byte(b'C');
        self.digits::<8>(FIRST_COMMITTEE + number);
    }

    pub(super) fn committee_name(&mut self, committee: &Committee) {
        self.fill(committee.names[0], committee);
    }

    /// Appends a template with its parts filled in; `words.txt` lists the parts.
    fn fill(&mut self, template: &str, committee: &Committee) {
        let words = self.words;
        let bits = committee.bits;
        let person = committee.candidate.map(|candidate| candidate.person);
        let mut rest = template;
        while let Some((text, part)) = rest.split_once('%') {
            self.text(text);
            match (part.as_bytes()[0], person) {
                (b'F', Some(person)) => self.given_name(person),
                (b'L', Some(person)) => self.last_name(person),
                (b'P', _) => self.place_name(bits),
                (b'A', _) => self.pick(&words.register_fronts, bits),
                (b'G', _) => self.pick(&words.firms, bits >> 13 & 31),
                (b'U', _) => self.pick(&words.trades, bits >> 18),
                (b'V', _) => self.pick(&words.values, bits >> 26),
                (b'N', _) => self.number(1 + (bits >> 34) % 999),
                (b'R', _) => self.text(words.adjectives.value(committee.party).at(0)),
                (b'O', _) => self.fill(committee.names[1], committee),
                (other, _) => panic!("%{} in {template:?}", char::from(other)),
            }
            rest = &part[1..];
        }
        self.text(rest);
    }

    fn treasurer(&mut self, committee: &Committee) {
        let mut random = self
            .generator
            .random(stream::COMMITTEE_NAME, committee.number);
        let person = Person::new(&mut random);
        let last_name_first = if committee.candidate.is_some() {
            262
        } else {
            541
        };
        if random.chance(1) {
            return;
        }
        if random.chance(last_name_first) {
            return self.last_name_first(person, &mut random);
        }
        self.given_names(person);
        self.byte(b' ');
        self.last_name(person);
    }

    /// Appends the address of a committee, with its `streets` or without.
    pub(super) fn committee_address(&mut self, committee: &Committee, streets: bool) {
        let mut random = self
            .generator
            .random(stream::COMMITTEE_ADDRESS, committee.number);
        let (shares, home) = match &committee.candidate {
            Some(candidate) => ([1, 380, 76, 2, 163, 26], candidate.home()),
            None => ([1, 170, 239, 2, 114, 153], None),
        };
        self.address(&mut random, streets, shares, home);
    }
}
