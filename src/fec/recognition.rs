//! Which schema a file has: by its name, or by its first rows.

use std::ffi::OsStr;
use std::path::Path;

use super::schema::Schema;

impl Schema {
    /// Recognizes the schema by the name of a file: `itcont.txt`, `itcont_2018_20180101.txt`,
    /// `cm.txt`, `cn16.txt`.
    ///
    /// ```
    /// use fecscan::fec::schema::Schema;
    /// assert_eq!(Schema::of_file_name("data/itpas2.txt".as_ref()), Some(Schema::Pas2));
    /// assert_eq!(Schema::of_file_name("indiv16.txt".as_ref()), Some(Schema::Indiv));
    /// assert_eq!(Schema::of_file_name("cmte.txt".as_ref()), None);
    /// ```
    pub fn of_file_name(path: &OsStr) -> Option<Schema> {
        let file = Path::new(path).file_name()?.to_str()?.to_ascii_lowercase();
        let begins_with = |stem: &str| {
            file.strip_prefix(stem)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphabetic()))
        };
        Schema::ALL.into_iter().find(|schema| {
            let (name, stem, _) = schema.facts();
            begins_with(name) || begins_with(stem)
        })
    }

    /// Recognizes the schema by the rows in `head`, the first bytes of a file.
    ///
    /// More than half of the rows must have its number of columns and its identifiers. A last line
    /// without a newline may be cut off, so it counts only if it is the only one. Rows of indiv
    /// and oth differ in ENTITY_TP alone; the more frequent kind wins. Rows of webl are rows of weball.
    ///
    /// ```
    /// use fecscan::fec::schema::Schema;
    /// let head = b"H0AL01048|2018|2018|C00990012|H|P|185121\n";
    /// assert_eq!(Schema::likely(head), Some(Schema::Ccl));
    /// assert_eq!(Schema::likely(b"# fecscan\n\nA program.\n"), None);
    /// ```
    pub fn likely(head: &[u8]) -> Option<Schema> {
        let whole = head.iter().rposition(|&b| b == b'\n').unwrap_or(head.len());
        let lines = head[..whole]
            .split(|&b| b == b'\n')
            .map(<[u8]>::trim_ascii_end);
        let number = |schema: Schema| {
            let mut known = Schema::ALL.into_iter();
            known.position(|known| known == schema).unwrap_or_default()
        };
        let mut rows = [0; Schema::ALL.len()];
        let mut others = 0;
        for line in lines.filter(|line| !line.is_empty()) {
            match Schema::of_row(line) {
                Some(schema) => rows[number(schema)] += 1,
                None => others += 1,
            }
        }
        // Rows of indiv and oth support each other against the rest.
        let similar = |schema: Schema| match schema {
            Schema::Indiv | Schema::Oth => rows[number(Schema::Indiv)] + rows[number(Schema::Oth)],
            _ => rows[number(schema)],
        };
        let total: usize = rows.iter().sum::<usize>() + others;
        Schema::ALL
            .into_iter()
            .rev()
            .max_by_key(|&schema| (similar(schema), rows[number(schema)]))
            .filter(|&schema| 2 * similar(schema) > total)
    }

    /// Says whether rows of `other` could be of this schema, because both have the same columns: indiv and oth, weball and webl.
    pub(crate) fn is_like(self, other: Schema) -> bool {
        self.columns() == other.columns()
    }

    pub(super) fn of_row(line: &[u8]) -> Option<Schema> {
        let columns: Vec<&[u8]> = line.split(|&b| b == b'|').collect();
        let (committee, candidate) = (is_committee(columns[0]), is_candidate(columns[0]));
        match columns.len() {
            7 if candidate && is_committee(columns[3]) => Some(Schema::Ccl),
            15 if committee => Some(Schema::Cm),
            15 if candidate => Some(Schema::Cn),
            // Old rows of indiv have no ENTITY_TP.
            21 if committee && matches!(columns[6], b"IND" | b"") => Some(Schema::Indiv),
            21 if committee => Some(Schema::Oth),
            22 if committee && (columns[16].is_empty() || is_candidate(columns[16])) => {
                Some(Schema::Pas2)
            }
            26 if committee => Some(Schema::Oppexp),
            27 if committee => Some(Schema::Webk),
            30 if candidate => Some(Schema::Weball),
            _ => None,
        }
    }
}

/// Checks for the form of a committee's identifier, such as `C00990012`.
fn is_committee(column: &[u8]) -> bool {
    column.len() == 9 && column[0] == b'C' && column[1..].iter().all(u8::is_ascii_digit)
}

/// Checks for the form of a candidate's identifier, such as `H0AL01048` or `P80003338`.
fn is_candidate(column: &[u8]) -> bool {
    column.len() == 9
        && matches!(column[0], b'H' | b'S' | b'P')
        && column[1].is_ascii_digit()
        && column[2..4].iter().all(u8::is_ascii_alphanumeric)
        && column[4..].iter().all(u8::is_ascii_digit)
}
