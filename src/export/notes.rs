//! Notes on an export, for people.

use super::Exported;
use crate::render::{counted, one_or_many, partners};

/// Returns notes on values that could not be parsed, one for each column, and on rows without a partner, one
/// for each joined file.
pub fn notes(exported: &Exported) -> Vec<String> {
    let unparsed = exported.unparsed.iter().map(|&(ref name, count)| {
        let (values, are) = (
            counted(count, "value", "values"),
            one_or_many(count, "is", "are"),
        );
        format!("{values} of {name} could not be parsed, and {are} null")
    });
    let without_partner = exported.without_partner.iter();
    unparsed
        .chain(without_partner.map(partners::note))
        .collect()
}
