//! The words and shares of `words.txt`, in the forms that rows draw from.

use std::iter::repeat_n;

use super::CYCLE;
use super::candidate::Seats;
use super::first_names::FirstNames;
use super::months::Months;
use super::text::Word;

/// Values, each as often as its share says. A choice is a number below the sum of all shares.
#[derive(Debug)]
pub(super) struct Choice {
    values: Vec<&'static str>,
    /// The value of each number. Searching the sums of the shares instead makes rows of oppexp a fifth
    /// slower.
    places: Vec<u8>,
}

impl Choice {
    fn new(entries: &[(&'static str, u32)]) -> Choice {
        let places = entries.iter().zip(0u8..);
        let places = places.flat_map(|(entry, place)| repeat_n(place, entry.1 as usize));
        Choice {
            values: entries.iter().map(|&(value, _)| value).collect(),
            places: places.collect(),
        }
    }

    /// Returns the sum of all shares.
    pub(super) fn total(&self) -> u32 {
        self.places.len() as u32
    }

    pub(super) fn at(&self, number: u32) -> &'static str {
        self.values[usize::from(self.places[number as usize])]
    }
}

/// Choices that depend on a value of the row.
#[derive(Debug)]
pub(super) struct ChoiceBy {
    choices: Vec<(&'static str, Choice)>,
}

impl ChoiceBy {
    /// Returns the choice of `value`, or the one of all other values.
    pub(super) fn value(&self, value: &str) -> &Choice {
        let mut choices = self.choices.iter();
        let found = choices.find(|(of, _)| *of == value || of.is_empty());
        &found.expect("a choice for all values").1
    }
}

/// The lists of `words.txt`.
pub(super) struct Lists(Vec<List>);

struct List {
    name: &'static str,
    /// The value that the list belongs to.
    value: &'static str,
    /// Entries and their shares.
    entries: Vec<(&'static str, u32)>,
}

/// The lists whose entries have years, after a letter perhaps. They are those of the cycle 2018.
const WITH_YEARS: [&str; 4] = [
    "months",
    "transfer_elections",
    "expenditure_elections",
    "years",
];

impl Lists {
    fn new(cycle: u16) -> Lists {
        let mut lists = Lists(Vec::new());
        let lines = include_str!("words.txt").lines();
        for mut line in lines.filter(|line| *line != "#" && !line.starts_with("# ")) {
            if let Some((head, rest)) = line.strip_prefix('[').and_then(|l| l.split_once(']')) {
                let (name, value) = head.split_once(' ').unwrap_or((head, ""));
                lists.0.push(List {
                    name,
                    value,
                    entries: Vec::new(),
                });
                line = rest.strip_prefix(' ').unwrap_or(rest);
            }
            for entry in line.split('|').filter(|entry| !entry.is_empty()) {
                let entries = match entry.strip_prefix('@') {
                    Some(other) => lists.entries(other).to_vec(),
                    None => vec![share(entry)],
                };
                let list = lists.0.last_mut().expect("a name");
                let has_years = WITH_YEARS.contains(&list.name) && cycle != CYCLE;
                list.entries
                    .extend(entries.into_iter().map(|(text, share)| {
                        let text = if has_years {
                            of_cycle(text, cycle)
                        } else {
                            text
                        };
                        (text, share)
                    }));
            }
        }
        lists
    }

    /// Returns the entries of list `name` that belongs to no value.
    pub(super) fn entries(&self, name: &str) -> &[(&'static str, u32)] {
        let mut lists = self.0.iter();
        let found = lists.find(|list| list.name == name && list.value.is_empty());
        &found.unwrap_or_else(|| panic!("no list {name}")).entries
    }

    /// Returns list `name` with each entry as often as its share says.
    pub(super) fn words(&self, name: &str) -> Vec<Word> {
        let entries = self.entries(name).iter();
        let words = entries.map(|&(text, times)| (Word::new(text), times as usize));
        words
            .flat_map(|(word, times)| repeat_n(word, times))
            .collect()
    }
}

/// Returns an entry of the cycle 2018, such as `P2018`, `201704` or none, as one of another cycle.
fn of_cycle(text: &'static str, cycle: u16) -> &'static str {
    let start = text
        .find(|c: char| c.is_ascii_digit())
        .unwrap_or(text.len());
    let (letter, digits) = text.split_at(start);
    let Some(year) = digits.get(..4).and_then(|year| year.parse::<u16>().ok()) else {
        return text;
    };
    format!("{letter}{:04}{}", year + cycle - CYCLE, &digits[4..]).leak()
}

/// Splits an entry and its share: `CA*13`.
fn share(entry: &'static str) -> (&'static str, u32) {
    let share = entry.rsplit_once('*');
    let share = share.and_then(|(text, times)| Some((text, times.parse().ok()?)));
    share.unwrap_or((entry, 1))
}

/// Something made of the lists of a name.
pub(super) trait FromLists {
    fn from_lists(lists: &Lists, name: &str) -> Self;
}

impl FromLists for Choice {
    fn from_lists(lists: &Lists, name: &str) -> Choice {
        Choice::new(lists.entries(name))
    }
}

impl FromLists for ChoiceBy {
    fn from_lists(lists: &Lists, name: &str) -> ChoiceBy {
        let mut choices = Vec::new();
        for list in lists.0.iter().filter(|list| list.name == name) {
            choices.push((list.value, Choice::new(&list.entries)));
        }
        choices.sort_by_key(|(value, _)| value.is_empty());
        ChoiceBy { choices }
    }
}

/// Tables of words are drawn from by a few random bits. Some end in empty words, for optional parts:
/// copying an empty word costs less than a branch that the processor mispredicts half of the time.
impl<const N: usize> FromLists for [Word; N] {
    fn from_lists(lists: &Lists, name: &str) -> [Word; N] {
        let words = lists.words(name);
        words
            .try_into()
            .unwrap_or_else(|words: Vec<Word>| panic!("{} {name}", words.len()))
    }
}

macro_rules! words {
    ($($name:ident: $form:ty,)+) => {
        /// All words and shares, by the names of their lists.
        #[derive(Debug)]
        pub(super) struct Words {
            $(pub(super) $name: $form,)+
        }

        impl Words {
            pub(super) fn new(cycle: u16) -> Words {
                let lists = Lists::new(cycle);
                Words {
                    $($name: FromLists::from_lists(&lists, stringify!($name)),)+
                }
            }
        }
    };
}

words! {
    first_names: FirstNames,
    fronts: [Word; 64],
    backs: [Word; 128],
    names_without_comma: [Word; 16],
    middles: [Word; 64],
    suffixes: [Word; 128],
    towns: [Word; 128],
    states: [Word; 96],
    employers: [Word; 128],
    firms: [Word; 64],
    occupations: [Word; 64],
    ranks: [Word; 128],
    amounts: [Word; 64],
    months: Months,
    amendments: Choice,
    reports: Choice,
    election_reports: Choice,
    elections: Choice,
    transfers: Choice,
    to_candidates: Choice,
    transfer_amounts: Choice,
    transfer_elections: Choice,
    transfer_memos: Choice,
    expenditure_elections: Choice,
    expenditure_memos: Choice,
    purposes: Choice,
    categories: ChoiceBy,
    house_seats: Seats,
    parties: Choice,
    register_fronts: [Word; 32],
    name_ends: Choice,
    years: ChoiceBy,
    status: Choice,
    incumbency: ChoiceBy,
    boxes: [Word; 4],
    streets: [Word; 16],
    suites: [Word; 12],
    kinds: Choice,
    designations: ChoiceBy,
    committee_parties: ChoiceBy,
    frequencies: ChoiceBy,
    interests: ChoiceBy,
    adjectives: ChoiceBy,
    organizations: ChoiceBy,
    committee_names: ChoiceBy,
    candidate_names: ChoiceBy,
    connected: ChoiceBy,
    trades: [Word; 16],
    values: [Word; 16],
}
