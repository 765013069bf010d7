//! The schemas of the bulk files: which there are, and how files and columns are recognized.

use std::ffi::OsStr;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::columns::{CCL, CM, CN, INDIV, OPPEXP, PAS2, WEBALL, WEBK};
pub use super::columns::{Column, Kind};
use crate::error::{Error, ErrorKind, escaped};

/// One of the FEC's bulk files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Schema {
    /// `itcont.txt`: contributions by individuals.
    Indiv,
    /// `itoth.txt`: transactions from one committee to another.
    Oth,
    /// `itpas2.txt`: contributions from committees to candidates.
    Pas2,
    /// `cm.txt`: the committee master file.
    Cm,
    /// `cn.txt`: the candidate master file.
    Cn,
    /// `ccl.txt`: the links between candidates and committees.
    Ccl,
    /// `oppexp.txt`: operating expenditures.
    Oppexp,
    /// `weball.txt`: totals of all candidates.
    Weball,
    /// `webl.txt`: totals of candidates for House and Senate.
    Webl,
    /// `webk.txt`: totals of PACs and party committees.
    Webk,
}

impl Schema {
    /// Every schema.
    pub const ALL: [Schema; 10] = [
        Schema::Indiv,
        Schema::Oth,
        Schema::Pas2,
        Schema::Cm,
        Schema::Cn,
        Schema::Ccl,
        Schema::Oppexp,
        Schema::Weball,
        Schema::Webl,
        Schema::Webk,
    ];

    /// Returns the name in archives, the stem of the file inside, and the columns.
    fn facts(self) -> (&'static str, &'static str, &'static [Column]) {
        match self {
            Schema::Indiv => ("indiv", "itcont", &INDIV),
            Schema::Oth => ("oth", "itoth", &INDIV),
            Schema::Pas2 => ("pas2", "itpas2", &PAS2),
            Schema::Cm => ("cm", "cm", &CM),
            Schema::Cn => ("cn", "cn", &CN),
            Schema::Ccl => ("ccl", "ccl", &CCL),
            Schema::Oppexp => ("oppexp", "oppexp", &OPPEXP),
            Schema::Weball => ("weball", "weball", &WEBALL),
            Schema::Webl => ("webl", "webl", &WEBALL),
            Schema::Webk => ("webk", "webk", &WEBK),
        }
    }

    /// Returns the FEC's short name, as in the names of its archives.
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    /// Returns the name of the file in the FEC's archives, such as `itcont.txt`.
    pub fn file_name(self) -> String {
        format!("{}.txt", self.facts().1)
    }

    /// Returns what a row of the file is.
    pub fn meaning(self) -> &'static str {
        match self {
            Schema::Indiv => "contributions by individuals",
            Schema::Oth => "transactions from one committee to another",
            Schema::Pas2 => "contributions from committees to candidates",
            Schema::Cm => "committees",
            Schema::Cn => "candidates",
            Schema::Ccl => "links between candidates and committees",
            Schema::Oppexp => "operating expenditures",
            Schema::Weball => "totals of all candidates",
            Schema::Webl => "totals of candidates for House and Senate",
            Schema::Webk => "totals of PACs and party committees",
        }
    }

    /// Returns the columns in their order.
    pub fn columns(self) -> &'static [Column] {
        self.facts().2
    }

    /// Returns the number of columns of a row in the file. Rows of `oppexp.txt` end in an empty
    /// column without a name, so it is one more there.
    pub fn columns_on_disk(self) -> usize {
        self.columns().len() + usize::from(self == Schema::Oppexp)
    }

    /// Finds a column by its name, its alias or its number, and returns its zero-based place.
    ///
    /// Names and aliases match in any case. Numbers count from one, with or without `#`.
    ///
    /// ```
    /// use fecscan::fec::schema::Schema;
    /// for name in ["TRANSACTION_AMT", "transaction_amt", "amount", "#15", "15"] {
    ///     assert_eq!(Schema::Indiv.column(name)?, 14);
    /// }
    /// # Ok::<(), fecscan::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// A usage error for an unknown column. It suggests a name that differs in few letters.
    pub fn column(self, name: &str) -> Result<usize, Error> {
        self.named(name)
            .or_else(|| self.numbered(name))
            .ok_or_else(|| self.unknown_column(name))
    }

    /// Returns the zero-based place of the column with this name or alias, in any case.
    pub(crate) fn named(self, name: &str) -> Option<usize> {
        let columns = || self.columns().iter();
        let by_name = columns().position(|column| column.name.eq_ignore_ascii_case(name));
        by_name.or_else(|| columns().position(|column| column.alias.eq_ignore_ascii_case(name)))
    }

    /// Returns the zero-based place of the column with this number, such as `#15` or `15`.
    pub(crate) fn numbered(self, name: &str) -> Option<usize> {
        let number = name.strip_prefix('#').unwrap_or(name);
        let digits = number.bytes().all(|b| b.is_ascii_digit());
        let number = number.parse().ok().filter(|_| digits)?;
        let on_disk = 1..=self.columns_on_disk();
        on_disk.contains(&number).then(|| number - 1)
    }

    /// Returns the error for an unknown column.
    pub(crate) fn unknown_column(self, name: &str) -> Error {
        let columns = self.columns().iter();
        let known = columns.flat_map(|column| [column.name, column.alias]);
        let what = format!(
            "{} has no column '{}'",
            self.name(),
            escaped(name.as_bytes())
        );
        let names = || {
            let names: Vec<&str> = self.columns().iter().map(|column| column.name).collect();
            names.join(", ")
        };
        // A misspelt name needs no list.
        Error::new(ErrorKind::Usage, what).advise(match nearest(name, known) {
            Some(near) => format!("did you mean {near}?"),
            None => format!(
                "its columns are #1 to #{}: {}",
                self.columns_on_disk(),
                names()
            ),
        })
    }

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
        let mut rows = [0; Schema::ALL.len()];
        let mut others = 0;
        for line in lines.filter(|line| !line.is_empty()) {
            match Schema::of_row(line) {
                Some(schema) => rows[schema as usize] += 1,
                None => others += 1,
            }
        }
        // Rows of indiv and oth support each other against the rest.
        let similar = |schema: Schema| match schema {
            Schema::Indiv | Schema::Oth => {
                rows[Schema::Indiv as usize] + rows[Schema::Oth as usize]
            }
            _ => rows[schema as usize],
        };
        let total: usize = rows.iter().sum::<usize>() + others;
        Schema::ALL
            .into_iter()
            .rev()
            .max_by_key(|&schema| (similar(schema), rows[schema as usize]))
            .filter(|&schema| 2 * similar(schema) > total)
    }

    fn of_row(line: &[u8]) -> Option<Schema> {
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

/// Returns the first of the `known` names that differs least from `name`, if it differs in few letters.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_ascii_lowercase();
    let distances = known.into_iter().map(|known| {
        let distance = strsim::osa_distance(&wanted, &known.to_ascii_lowercase());
        (distance, known)
    });
    let (distance, known) = distances.min_by_key(|&(distance, _)| distance)?;
    let most = (known.len().min(wanted.len()) / 3).max(1);
    (distance <= most).then_some(known)
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

/// TRANSACTION_TP of the rows that the FEC counts as contributions by individuals.
///
/// The list is that of openFEC's database function `is_individual`, as of its migration of 2020
/// (<https://github.com/fecgov/openFEC>). The FEC's own site also infers individuals below $200
/// from the line numbers of forms. The bulk files lack these, so totals by this list are lower.
pub const CONTRIBUTION_TYPES: [&str; 19] = [
    "10", "10J", "11", "11J", "15", "15E", "15J", "30", "30E", "30J", "30T", "31", "31E", "31J",
    "31T", "32", "32E", "32J", "32T",
];

/// TRANSACTION_TP of money that goes back to a giver, as the FEC's list of transaction types has it
/// (<https://www.fec.gov/campaign-finance-data/transaction-type-code-descriptions/>). Their amounts are
/// mostly positive.
pub const REFUND_TYPES: [&str; 12] = [
    "20Y", "21Y", "22Y", "22Z", "23Y", "28L", "40Y", "40Z", "41Y", "41Z", "42Y", "42Z",
];

/// TRANSACTION_TP of money that a conduit passes on. The recipient has a row for it, too.
pub const CONDUIT_TYPES: [&str; 2] = ["24I", "24T"];

#[cfg(test)]
mod tests;
