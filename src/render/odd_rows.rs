//! A note on rows with another number of columns than the schema's.

use super::numbers::grouped;

/// Returns a note on this number of rows, if there are any. `which` follows the noun, such as ` of the old version`.
pub fn note(rows: u64, which: &str) -> Option<String> {
    let rows = match rows {
        0 => return None,
        1 => format!("1 row{which} has"),
        rows => format!("{} rows{which} have", grouped(rows)),
    };
    Some(format!(
        "{rows} more or fewer columns than the schema, so values may stand in other columns"
    ))
}
