//! The words and shares of `words.txt`, in the forms that rows draw from.

use std::iter::repeat_n;

use super::CYCLE;
use super::months::Months;
use super::people::FirstNames;
use super::writer::Word;

/// Values, each as often as its share says. A choice is a number below the sum of all shares.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) values: Vec<&'static str>,
    /// The value of each number. Searching the sums of the shares instead makes rows of oppexp a fifth
    /// slower.
    places: Vec<u8>,
}

impl Choice {
    fn new(entries: &[Entry]) -> Choice {
        let places = (0..).zip(entries);
        let places = places.flat_map(|(place, entry)| repeat_n(place, entry.1 as usize));
        Choice {
            places: places.collect(),
            values: entries.iter().map(|entry| entry.0).collect(),
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

/// Choices that depend on a value of the row. The one of all other values comes last.
#[derive(Debug)]
pub(super) struct ChoiceBy(Vec<(&'static str, Choice)>);

impl ChoiceBy {
    /// Returns the choice of `value`, or the one of all other values.
    pub(super) fn value(&self, value: &str) -> &Choice {
        let mut choices = self.0.iter();
        let found = choices.find(|(of, _)| *of == value || of.is_empty());
        &found.expect("a choice for all values").1
    }
}

/// A text and its share.
type Entry = (&'static str, u32);

/// The lists of `words.txt`: their names, the values that they belong to, and their entries.
pub(super) struct Lists(Vec<(&'static str, &'static str, Vec<Entry>)>);

impl Lists {
    fn new(cycle: u16) -> Lists {
        let mut lists = Lists(Vec::new());
        let lines = include_str!("words.txt").lines();
        for mut line in lines.filter(|line| *line != "#" && !line.starts_with("# ")) {
            if let Some((head, rest)) = line.strip_prefix('[').and_then(|l| l.split_once(']')) {
                let (name, value) = head.split_once(' ').unwrap_or((head, ""));
                lists.0.push((name, value, Vec::new()));
                line = rest.strip_prefix(' ').unwrap_or(rest);
            }
            for entry in line.split('|').filter(|entry| !entry.is_empty()) {
                let entries = match entry.strip_prefix('@') {
                    Some(other) => lists.entries(other).to_vec(),
                    None => vec![Lists::entry(entry, cycle)],
                };
                lists.0.last_mut().expect("a name").2.extend(entries);
            }
        }
        lists
    }

    /// Splits an entry and its share, `CA*13`, and moves a year in braces to the cycle. Texts with years are
    /// leaked: they are few, and a program has few generators.
    fn entry(entry: &'static str, cycle: u16) -> Entry {
        let share = entry.rsplit_once('*');
        let share = share.and_then(|(text, times)| Some((text, times.parse().ok()?)));
        let (text, share) = share.unwrap_or((entry, 1));
        let Some((before, year)) = text.split_once('{') else {
            return (text, share);
        };
        let (year, after) = year.split_once('}').expect("a brace after a year");
        let year = year.parse::<u16>().expect("a year") + cycle - CYCLE;
        (format!("{before}{year}{after}").leak(), share)
    }

    /// Returns the entries of list `name` that belongs to no value.
    pub(super) fn entries(&self, name: &str) -> &[Entry] {
        let mut lists = self.0.iter();
        let found = lists.find(|list| list.0 == name && list.1.is_empty());
        &found.unwrap_or_else(|| panic!("no list {name}")).2
    }

    /// Returns list `name` with each entry as often as its share says.
    pub(super) fn words(&self, name: &str) -> Vec<Word> {
        let entries = self.entries(name).iter();
        let words = entries.flat_map(|&(text, times)| repeat_n(Word::new(text), times as usize));
        words.collect()
    }
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
        let lists = lists.0.iter().filter(|list| list.0 == name);
        ChoiceBy(lists.map(|list| (list.1, Choice::new(&list.2))).collect())
    }
}

/// Tables of words are drawn from by a few random bits. Some end in empty words, for optional parts:
/// copying an empty word costs less than a branch that the processor mispredicts half of the time.
impl<const N: usize> FromLists for [Word; N] {
    fn from_lists(lists: &Lists, name: &str) -> [Word; N] {
        let words = lists.words(name).try_into();
        words.unwrap_or_else(|words: Vec<_>| panic!("{} {name}", words.len()))
    }
}

/// The seats of the House: states and districts. A state with one seat has district 00.
impl FromLists for Vec<(&'static str, u64)> {
    fn from_lists(lists: &Lists, name: &str) -> Vec<(&'static str, u64)> {
        let districts = |&(state, count): &Entry| {
            let first = u64::from(count > 1);
            (first..first + u64::from(count)).map(move |district| (state, district))
        };
        lists.entries(name).iter().flat_map(districts).collect()
    }
}

macro_rules! words {
    ($($form:ty: $($name:ident)+;)+) => {
        /// All words and shares, by the names of their lists.
        #[derive(Debug)]
        pub(super) struct Words {
            $($(pub(super) $name: $form,)+)+
        }

        impl Words {
            pub(super) fn new(cycle: u16) -> Words {
                let lists = Lists::new(cycle);
                Words {
                    $($($name: FromLists::from_lists(&lists, stringify!($name)),)+)+
                }
            }
        }
    };
}

words! {
    FirstNames: first_names;
    Months: months;
    Vec<(&'static str, u64)>: house_seats;
    [Word; 128]: backs suffixes towns employers ranks;
    [Word; 96]: states;
    [Word; 64]: amounts firms fronts middles occupations syllables;
    [Word; 32]: register_fronts;
    [Word; 16]: names_without_comma streets trades values;
    [Word; 12]: suites;
    [Word; 4]: boxes;
    Choice: amendments election_reports elections expenditure_elections expenditure_memos kinds name_ends parties purposes
        reports senate_seats status to_candidates transfer_amounts transfer_elections transfer_memos transfers;
    ChoiceBy: adjectives candidate_names categories committee_names committee_parties connected designations frequencies
        incumbency interests organizations years;
}
