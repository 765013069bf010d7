//! Notes on an export, for people.

use super::Exported;
use crate::render::{grouped, partners};

/// Returns notes on values that could not be parsed, one for each column, and on rows without a partner, one
/// for each joined file.
pub fn notes(exported: &Exported) -> Vec<String> {
    let unparsed = exported.unparsed.iter().map(|(name, count)| match count {
        1 => format!("1 value of {name} could not be parsed, and is null"),
        _ => format!(
            "{} values of {name} could not be parsed, and are null",
            grouped(*count)
        ),
    });
    let without_partner = exported.without_partner.iter();
    unparsed
        .chain(without_partner.map(partners::note))
        .collect()
}
