//! Two versions of files, compared, as an answer.

use std::io::{self, Write};

use super::answer::{Answer, Field, Table};
use super::json::Json;
use super::notes;
use super::numbers::{counted, grouped, one_or_many};
use super::page::{Align, Look, Page};
use crate::diff::{Diff, Version};
use crate::error::escaped;

impl Diff {
    fn rows(&self) -> [(&'static str, &'static str, u64); 4] {
        [
            ("+", "added", self.added),
            ("-", "removed", self.removed),
            ("~", "changed", self.changed),
            ("=", "equal", self.equal),
        ]
    }

    /// Returns the numbers of rows as a sentence.
    pub fn summary(&self) -> String {
        let numbers = self.rows();
        let numbers = numbers.map(|(_, name, rows)| format!("{} {name}", grouped(rows)));
        format!("rows: {}", numbers.join(", "))
    }

    /// Returns notes on rows and keys for which the numbers need an explanation.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for (name, version) in [("old", &self.old), ("new", &self.new)] {
            let which = format!(" of the {name} version");
            notes.extend(notes::odd_rows(version.odd_rows, version.rows, &which));
            if version.without_key > 0 {
                notes.push(format!(
                    "{} of the {name} version {} no {}, compared with none",
                    counted(version.without_key, "row", "rows"),
                    one_or_many(version.without_key, "has", "have"),
                    self.key
                ));
            }
            if version.double_keys > 0 {
                let named = version.first_double_keys.iter();
                let mut named: Vec<_> = named.map(|key| escaped(key).to_string()).collect();
                if !named.is_empty() && version.double_keys > named.len() as u64 {
                    named.push("...".to_owned());
                }
                notes.push(format!(
                    "{} of {} {} in several rows of the {name} version{}{}",
                    counted(version.double_keys, "value", "values"),
                    self.key,
                    one_or_many(version.double_keys, "stands", "stand"),
                    if named.is_empty() { "" } else { ": " },
                    named.join(", ")
                ));
            }
        }
        notes
    }
}

impl Answer for Diff {
    fn tables(&self) -> Vec<Table<'_>> {
        let rows = self.rows().into_iter();
        let rows = rows.map(|(sign, _, rows)| [sign.into(), Field::Count(rows)]);
        vec![Table::of_rows(["change", "rows"], rows)]
    }

    fn text(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        let mut page = Page::new(look);
        let rows = self.rows();
        let rows = rows.map(|(sign, name, rows)| {
            [
                page.shown(format!("{sign} {name}")),
                page.shown(grouped(rows)),
            ]
        });
        page.aligned("", &[Align::Left, Align::Right], &rows);
        out.write_all(&page.into_bytes())
    }

    fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        fn version(version: &Version) -> Json<'_> {
            let keys = version.first_double_keys.iter();
            Json::object([
                ("rows", version.rows.into()),
                ("odd_rows", version.odd_rows.into()),
                ("without_key", version.without_key.into()),
                ("double_keys", version.double_keys.into()),
                ("first_double_keys", keys.map(|key| &key[..]).collect()),
            ])
        }
        let diff = Json::object([
            ("key", self.key[..].into()),
            ("added", self.added.into()),
            ("removed", self.removed.into()),
            ("changed", self.changed.into()),
            ("equal", self.equal.into()),
            ("old", version(&self.old)),
            ("new", version(&self.new)),
        ]);
        out.write_all(&diff.line())
    }
}
