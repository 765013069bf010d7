//! Committees, and the rows of cm.
//!
//! Column lengths and shares follow the 10,127 rows of a real cm of January 2015 whose CMTE_TP is
//! neither C, E nor I. Committees of these three types have identifiers of their own, and no rows in
//! indiv. Names are made of templates: `register_words` has them.

use super::Generator;
use super::address::{Address, CAMPAIGN_ADDRESSES, COMMITTEE_ADDRESSES};
use super::candidate::{Candidate, Office, Person, place_name};
use super::random::{Random, Stream};
use super::register::{CONDUITS, FIRST_COMMITTEE, Role, role};
use super::register_words::*;
use super::row::RowWriter;

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
    connected: Connected,
    words: u64,
}

/// The kinds of CONNECTED_ORG_NM.
#[derive(Clone, Copy)]
enum Connected {
    Empty,
    None,
    Organization,
}

impl Committee {
    /// Returns committee `number` of the register.
    pub(super) fn new(generator: &Generator, number: u64) -> Committee {
        let mut random = Random::new(generator.recipe.seed, Stream::CommitteeFacts, number);
        match role(number) {
            Role::Independent => Committee::independent(number, &mut random),
            Role::Principal(candidate) => {
                let candidate = Candidate::new(generator, candidate);
                let templates = principal_names(candidate.office);
                let names = Names::of_candidate(&mut random, templates);
                let kind = candidate.office.committee_kind();
                Committee::of_candidate(number, candidate, (kind, "P"), names, &mut random)
            }
            Role::Authorized(candidate) => {
                let candidate = Candidate::new(generator, candidate);
                let names = Names::of_candidate(&mut random, AUTHORIZED_NAMES);
                let kind = candidate.office.committee_kind();
                Committee::of_candidate(number, candidate, (kind, "A"), names, &mut random)
            }
            Role::Joint(candidate) => {
                let candidate = Candidate::new(generator, candidate);
                let own = candidate.office.committee_kind();
                let kind = random.share(&[("N", 830), (own, 0)]);
                let names = Names::of_candidate(&mut random, JOINT_NAMES);
                Committee::of_candidate(number, candidate, (kind, "J"), names, &mut random)
            }
        }
    }

    fn of_candidate(
        number: u64,
        candidate: Candidate,
        (kind, designation): (&'static str, &'static str),
        names: Names,
        random: &mut Random,
    ) -> Committee {
        // Joint funds have no party.
        let has_party = designation != "J" && !random.chance(30);
        Committee {
            number,
            kind,
            designation,
            party: if has_party { candidate.party } else { "" },
            frequency: random.share(&[("Q", 937), ("T", 46), ("A", 0)]),
            interest: "",
            names,
            candidate: Some(candidate),
        }
    }

    fn independent(number: u64, random: &mut Random) -> Committee {
        let conduit = CONDUITS.iter().find(|(conduit, _)| *conduit == number);
        let kind = match conduit {
            Some(_) => "V",
            None => random.share(KINDS),
        };
        let designation = random.share(designations(kind));
        let party = random.share(parties(kind));
        let frequency = random.share(frequencies(kind));
        let interest = random.share(interests(kind));
        let mut names = Names::independent(random, kind, interest);
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
    fn of_candidate(random: &mut Random, templates: &[&'static str]) -> Names {
        Names {
            committee: random.one_of(templates),
            organization: random.one_of(JOINT_NAMES),
            connected: random.share(&[
                (Connected::Empty, 800),
                (Connected::None, 110),
                (Connected::Organization, 0),
            ]),
            words: random.bits(),
        }
    }

    fn independent(random: &mut Random, kind: &str, interest: &str) -> Names {
        let connected = match interest {
            "" => [(Connected::Empty, 534), (Connected::None, 297)],
            _ => [(Connected::Empty, 338), (Connected::None, 30)],
        };
        let organization = (Connected::Organization, 0);
        Names {
            committee: random.one_of(committee_names(kind, interest)),
            organization: random.one_of(organizations(interest)),
            connected: random.share(&[connected[0], connected[1], organization]),
            words: random.bits(),
        }
    }
}

impl Office {
    /// Returns CMTE_TP of the committees of a candidate.
    fn committee_kind(self) -> &'static str {
        match self {
            Office::House => "H",
            Office::Senate => "S",
            Office::President => "P",
        }
    }
}

fn principal_names(office: Office) -> &'static [&'static str] {
    match office {
        Office::House => HOUSE_NAMES,
        Office::Senate => SENATE_NAMES,
        Office::President => PRESIDENT_NAMES,
    }
}

/// Returns the address of committee `number`.
pub(super) fn address(generator: &Generator, committee: &Committee) -> Address {
    let seed = generator.recipe.seed;
    let mut random = Random::new(seed, Stream::CommitteeAddress, committee.number);
    let state = match &committee.candidate {
        Some(candidate) if candidate.office != Office::President => Some(candidate.seat.state),
        _ => None,
    };
    let shares = match committee.candidate {
        Some(_) => &CAMPAIGN_ADDRESSES,
        None => &COMMITTEE_ADDRESSES,
    };
    Address::new(&mut random, shares, state)
}

impl RowWriter<'_> {
    /// Appends row `number` of cm.
    pub(super) fn committee_row(&mut self, number: u64) {
        let start = self.text.len();
        let committee = Committee::new(self.generator, number);
        self.committee_id(number);
        self.text.byte(b'|');
        self.committee_name(&committee);
        self.text.byte(b'|');
        self.treasurer(&committee);
        self.text.byte(b'|');
        self.address(&address(self.generator, &committee));
        for column in [
            committee.designation,
            committee.kind,
            committee.party,
            committee.frequency,
            committee.interest,
        ] {
            self.text.byte(b'|');
            self.text.str(column);
        }
        self.text.byte(b'|');
        match committee.names.connected {
            Connected::Empty => {}
            Connected::None => self.text.text(b"NONE"),
            Connected::Organization => self.fill(committee.names.organization, &committee),
        }
        self.text.byte(b'|');
        if let Some(candidate) = committee.candidate {
            candidate.id(&mut self.text);
        }
        self.end(start);
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

    /// Appends a template with its parts filled in; `register_words` lists the parts.
    fn fill(&mut self, template: &str, committee: &Committee) {
        let words = &self.generator.words;
        let bits = committee.names.words;
        let mut rest = template;
        while let Some((text, part)) = rest.split_once('%') {
            self.text.str(text);
            let person = committee.candidate.map(|candidate| candidate.person);
            match (part.as_bytes()[0], person) {
                (b'F', Some(person)) => person.first(words, &mut self.text),
                (b'L', Some(person)) => person.last(words, &mut self.text),
                (b'P', _) => place_name(bits, words, &mut self.text),
                (b'A', _) => self.text.str(REGISTER_FRONTS[(bits & 31) as usize]),
                (b'G', _) => self.text.word(&words.firms[(bits >> 13 & 31) as usize]),
                (b'U', _) => self.text.str(TRADES[(bits >> 18) as usize % TRADES.len()]),
                (b'V', _) => self.text.str(VALUES[(bits >> 26) as usize % VALUES.len()]),
                (b'N', _) => self.text.number(1 + (bits >> 34) % 999),
                (b'R', _) => self.text.str(adjective(committee.party)),
                (b'O', _) => self.fill(committee.names.organization, committee),
                (other, _) => panic!("%{} in {template:?}", char::from(other)),
            }
            rest = &part[1..];
        }
        self.text.str(rest);
    }

    /// Appends TRES_NM.
    fn treasurer(&mut self, committee: &Committee) {
        let words = &self.generator.words;
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
            person.last(words, &mut self.text);
            self.text.text(b", ");
            person.first(words, &mut self.text);
            person.middle(words, &mut self.text);
            self.text.str(random.share(&NAME_ENDS));
        } else {
            person.first(words, &mut self.text);
            person.middle(words, &mut self.text);
            self.text.byte(b' ');
            person.last(words, &mut self.text);
        }
    }
}
