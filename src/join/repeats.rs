//! Rows of a joined table that stand there twice, and so count twice where each partner counts.

use std::collections::HashSet;

use ahash::RandomState;

use super::table::Table;
use crate::fec::schema::Schema;

/// The columns of a table of links that make a pair.
const LINKED: [&str; 2] = ["CAND_ID", "CMTE_ID"];

impl Table {
    /// Returns a note on rows that count twice because the file has them twice.
    pub(crate) fn note_on_repeats(&self, name: &str) -> Option<String> {
        let (rows, pair) = self.repeats();
        let columns = pair.join(" and ");
        let what = match (rows, pair) {
            (0, _) => return None,
            (1, []) => "1 row is the same as another".to_owned(),
            (_, []) => format!("{rows} rows are the same as others"),
            (1, _) => format!("1 row repeats the {columns} of another"),
            (_, _) => format!("{rows} rows repeat the {columns} of others"),
        };
        Some(format!(
            "{name}: note: {what}, so a row that matches them is counted once for each"
        ))
    }

    /// Returns the rows of the present file that another row repeats, and the columns in which both agree: those of the pair, if the
    /// table links committees and candidates, or all.
    fn repeats(&self) -> (u64, &'static [&'static str]) {
        let is_link = self.schema.columns() == Schema::Ccl.columns();
        let pair: &[&str] = if is_link { &LINKED } else { &[] };
        let places: Vec<usize> = match pair {
            [] => (0..self.width()).collect(),
            pair => pair
                .iter()
                .filter_map(|name| self.schema.column(name).ok())
                .collect(),
        };
        let row = |number: u32| {
            let columns = places.iter().map(|&place| self.column(number, place));
            columns.collect::<Vec<_>>()
        };
        let (mut known, mut count) = (HashSet::with_hasher(RandomState::new()), 0);
        for key in self.keys() {
            let rows: Vec<u32> = self.rows(key).collect();
            if rows.len() < 2 {
                continue;
            }
            known.clear();
            for &number in rows.iter().rev() {
                let is_new = known.insert(row(number));
                count += u64::from(!is_new && number as usize >= self.earlier);
            }
        }
        (count, pair)
    }
}
