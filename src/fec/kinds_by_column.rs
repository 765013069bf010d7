//! The types that a layout gives to columns, found for each of many thousand columns.

use std::collections::HashMap;

use ahash::RandomState;

use super::layout::ColumnType;

/// The types of columns, each with its place in the list that gives them.
pub(super) struct KindsByColumn {
    /// By names in small letters.
    names: HashMap<String, (usize, ColumnType), RandomState>,
    /// By numbers without their sign.
    numbers: HashMap<String, (usize, ColumnType), RandomState>,
}

impl KindsByColumn {
    /// Returns the types that `kinds` gives by name or by number.
    pub(super) fn new(kinds: &[(String, ColumnType)]) -> KindsByColumn {
        let (mut names, mut numbers) = (HashMap::default(), HashMap::default());
        for (nth, (typed, kind)) in kinds.iter().enumerate() {
            let number = typed.strip_prefix('#').unwrap_or(typed);
            names
                .entry(typed.to_ascii_lowercase())
                .or_insert((nth, *kind));
            numbers.entry(number.to_owned()).or_insert((nth, *kind));
        }
        KindsByColumn { names, numbers }
    }

    /// Returns the type of the column with a name and a number: the first that is given.
    pub(super) fn of(&self, name: &str, number: usize) -> Option<ColumnType> {
        let by_name = self.names.get(&name.to_ascii_lowercase());
        let by_number = self.numbers.get(&number.to_string());
        let both = by_name.into_iter().chain(by_number);
        both.min_by_key(|(nth, _)| *nth).map(|(_, kind)| *kind)
    }
}
