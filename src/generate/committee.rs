//! Committees, and the rows of cm.
//!
//! Column lengths and shares follow the 10,127 rows of a real cm of January 2015 whose CMTE_TP is
//! neither C, E nor I. Committees of these three types have identifiers of their own, and no rows in
//! indiv. Names are made of templates.

use super::Generator;
use super::address::{Address, CAMPAIGN_ADDRESSES, COMMITTEE_ADDRESSES};
use super::candidate::{Candidate, Person};
use super::random::{Random, Stream};
use super::register::{self, CONDUITS, FIRST_COMMITTEE, Role, role};
use super::row::{RowWriter, row};
use super::words::Choice;

/// A committee.
pub(super) struct Committee {
    pub(super) number: u64,
    /// CMTE_TP.
    pub(super) kind: &'static str,
    /// CMTE_DSGN.
    pub(super) designation: &'static str,
    pub(super) candidate: Option<Candidate>,
    party: &'static str,
    frequency: &'static str,
    /// ORG_TP.
    interest: &'static str,
    names: Names,
}

/// The templates of names, and the words in them.
struct Names {
    committee: &'static str,
    organization: &'static str,
    /// CONNECTED_ORG_NM.
    connected: &'static str,
    words: u64,
}

impl Committee {
    /// Returns committee `number` of the register.
    pub(super) fn new(generator: &Generator, number: u64) -> Committee {
        let mut random = Random::new(generator.recipe.seed, Stream::CommitteeFacts, number);
        let (candidate, designation) = match role(number) {
            Role::Independent => return Committee::independent(generator, number, &mut random),
            Role::Principal(candidate) => (candidate, "P"),
            Role::Authorized(candidate) => (candidate, "A"),
            Role::Joint(candidate) => (candidate, "J"),
        };
        let words = &generator.words;
        let candidate = Candidate::new(generator, candidate);
        let is_joint = designation == "J";
        let kind = if is_joint && random.chance(830) {
            "N"
        } else {
            candidate.office
        };
        let templates = match designation {
            "P" => words.candidate_names.value(candidate.office),
            _ => words.candidate_names.value(designation),
        };
        let organizations = words.candidate_names.value("J");
        let connected = words.connected.value("candidate");
        let names = Names::new(&mut random, templates, organizations, connected);
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
            candidate: Some(candidate),
        }
    }

    fn independent(generator: &Generator, number: u64, random: &mut Random) -> Committee {
        let words = &generator.words;
        let conduit = CONDUITS.iter().find(|(conduit, _)| *conduit == number);
        let kind = match conduit {
            Some(_) => "V",
            None => random.one_of(&words.kinds),
        };
        let designation = random.one_of(words.designations.value(kind));
        let party = random.one_of(words.committee_parties.value(kind));
        let frequency = random.one_of(words.frequencies.value(kind));
        let interest = random.one_of(words.interests.value(kind));
        let templates = words.committee_names.value(match (kind, interest) {
            ("X" | "Y", _) => "party",
            (_, "") => "none",
            _ => interest,
        });
        let organizations = words.organizations.value(interest);
        let connected = words
            .connected
            .value(if interest.is_empty() { "none" } else { "" });
        let mut names = Names::new(random, templates, organizations, connected);
        if let Some((_, name)) = conduit {
            names.committee = name;
        }
        Committee {
            number,
            kind,
            designation,
            candidate: None,
            party,
            frequency,
            interest,
            names,
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

impl Names {
    fn new(
        random: &mut Random,
        committees: &Choice,
        organizations: &Choice,
        connected: &Choice,
    ) -> Names {
        Names {
            committee: random.one_of(committees),
            organization: random.one_of(organizations),
            connected: random.one_of(connected),
            words: random.bits(),
        }
    }
}

/// Returns the address of a committee.
pub(super) fn address(generator: &Generator, committee: &Committee) -> Address {
    let seed = generator.recipe.seed;
    let mut random = Random::new(seed, Stream::CommitteeAddress, committee.number);
    let (shares, state) = match committee.candidate {
        Some(Candidate { office: "P", .. }) => (CAMPAIGN_ADDRESSES, None),
        Some(candidate) => (CAMPAIGN_ADDRESSES, Some(candidate.seat.state)),
        None => (COMMITTEE_ADDRESSES, None),
    };
    Address::new(&mut random, shares, state)
}

/// LINKAGE_ID of the first row of ccl.
const FIRST_LINKAGE: u64 = 200_000;

impl RowWriter<'_> {
    /// Appends row `number` of cm.
    pub(super) fn committee_row(&mut self, number: u64) {
        let committee = Committee::new(self.generator, number);
        let address = address(self.generator, &committee);
        row!(self:
            CMTE_ID => self.committee_id(number),
            CMTE_NM => self.committee_name(&committee),
            TRES_NM => self.treasurer(&committee),
            CMTE_ST1 CMTE_ST2 => self.streets(&address),
            CMTE_CITY CMTE_ST CMTE_ZIP => self.address_place(&address),
            CMTE_DSGN => self.text.text(committee.designation),
            CMTE_TP => self.text.text(committee.kind),
            CMTE_PTY_AFFILIATION => self.text.text(committee.party),
            CMTE_FILING_FREQ => self.text.text(committee.frequency),
            ORG_TP => self.text.text(committee.interest),
            CONNECTED_ORG_NM => self.fill(committee.names.connected, &committee),
            CAND_ID => if let Some(candidate) = &committee.candidate {
                self.candidate_id(candidate);
            },
        );
    }

    /// Appends row `number` of ccl, which links committees and candidates.
    pub(super) fn link_row(&mut self, number: u64) {
        let (candidate, committee) = register::link(number);
        let candidate = Candidate::new(self.generator, candidate);
        let committee = Committee::new(self.generator, committee);
        row!(self:
            CAND_ID => self.candidate_id(&candidate),
            CAND_ELECTION_YR => self.text.text(candidate.year),
            FEC_ELECTION_YR => self.text.number(self.generator.recipe.cycle.into()),
            CMTE_ID => self.committee_id(committee.number),
            CMTE_TP => self.text.text(committee.kind),
            CMTE_DSGN => self.text.text(committee.designation),
            LINKAGE_ID => self.text.digits::<6>(FIRST_LINKAGE + number),
        );
    }

    /// Appends CMTE_ID.
    pub(super) fn committee_id(&mut self, number: u64) {
        self.text.byte(b'C');
        self.text.digits::<8>(FIRST_COMMITTEE + number);
    }

    /// Appends CMTE_NM.
    pub(super) fn committee_name(&mut self, committee: &Committee) {
        self.fill(committee.names.committee, committee);
    }

    /// Appends a template with its parts filled in; `words.txt` lists the parts.
    fn fill(&mut self, template: &str, committee: &Committee) {
        let words = self.words;
        let bits = committee.names.words;
        let mut rest = template;
        while let Some((text, part)) = rest.split_once('%') {
            self.text.text(text);
            let person = committee.candidate.map(|candidate| candidate.person);
            match (part.as_bytes()[0], person) {
                (b'F', Some(person)) => self.given_name(person),
                (b'L', Some(person)) => self.last_name(person),
                (b'P', _) => self.place_name(bits),
                (b'A', _) => self.text.word(&words.register_fronts[(bits & 31) as usize]),
                (b'G', _) => self.text.word(&words.firms[(bits >> 13 & 31) as usize]),
                (b'U', _) => self.text.word(&words.trades[(bits >> 18 & 15) as usize]),
                (b'V', _) => self.text.word(&words.values[(bits >> 26 & 15) as usize]),
                (b'N', _) => self.text.number(1 + (bits >> 34) % 999),
                (b'R', _) => self
                    .text
                    .text(words.adjectives.value(committee.party).at(0)),
                (b'O', _) => self.fill(committee.names.organization, committee),
                (other, _) => panic!("%{} in {template:?}", char::from(other)),
            }
            rest = &part[1..];
        }
        self.text.text(rest);
    }

    /// Appends TRES_NM.
    fn treasurer(&mut self, committee: &Committee) {
        let seed = self.generator.recipe.seed;
        let mut random = Random::new(seed, Stream::CommitteeName, committee.number);
        let person = Person::new(&mut random);
        let last_name_first = match committee.candidate {
            Some(_) => 262,
            None => 541,
        };
        if random.chance(1) {
            return;
        }
        if random.chance(last_name_first) {
            self.last_name_first(person, &mut random);
        } else {
            self.given_names(person);
            self.text.byte(b' ');
            self.last_name(person);
        }
    }
}
