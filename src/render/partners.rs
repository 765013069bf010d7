//! Notes on rows without a partner in a joined file.

use super::numbers::grouped;
use crate::join::{Counted, WithoutPartner};

/// Returns a note on rows or identifiers without a partner, in one sentence.
pub fn note(without: &WithoutPartner) -> String {
    let file = &without.file;
    let one_or_many = |one: &str, many: &str| match without.count {
        1 => format!("1 {one} has no partner in {file}"),
        count => format!("{} {many} have no partner in {file}", grouped(count)),
    };
    match without.counted {
        Counted::RowsOfSeveral => match without.count {
            1 => format!("1 row has several partners in {file}, and counts once for each"),
            count => format!(
                "{} rows have several partners in {file}, and count once for each",
                grouped(count)
            ),
        },
        Counted::Identifiers => one_or_many("identifier", "identifiers"),
        Counted::Rows => one_or_many("row", "rows") + ", so columns of that file are empty",
        Counted::TestedRows => {
            one_or_many("row", "rows") + ", so conditions find columns of that file empty"
        }
    }
}
