//! Notes on rows without a partner in a joined file.

use super::numbers::{counted, one_or_many};
use crate::join::{Counted, WithoutPartner};

/// Returns a note on rows or identifiers without a partner, in one sentence.
pub fn note(without: &WithoutPartner) -> String {
    let &WithoutPartner {
        count, ref file, ..
    } = without;
    let rows = counted(count, "row has", "rows have");
    match without.counted {
        Counted::RowsOfSeveral => {
            let count = one_or_many(count, "counts", "count");
            format!("{rows} several partners in {file}, and {count} once for each")
        }
        Counted::Identifiers => {
            let identifiers = counted(count, "identifier has", "identifiers have");
            format!("{identifiers} no partner in {file}")
        }
        Counted::Rows => {
            format!("{rows} no partner in {file}, so columns of that file are empty")
        }
        Counted::TestedRows => {
            format!(
                "{rows} no partner in {file}, so conditions find columns of that file empty, and != holds"
            )
        }
    }
}
