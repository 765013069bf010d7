//! Columns that no file has, and every input: where its rows come from.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::columns::{Column, Kind};
use super::schema::Schema;

/// The place of the first of these columns, beyond the columns of all lines.
pub(crate) const ORIGIN: usize = usize::MAX / 2;

const fn column(
    name: &'static str,
    alias: &'static str,
    kind: Kind,
    meaning: &'static str,
) -> Column {
    Column {
        name,
        alias,
        kind,
        decimals: 0,
        meaning,
    }
}

/// The columns, from [`ORIGIN`] on.
pub(crate) static ORIGIN_COLUMNS: [Column; 3] = [
    // DuckDB calls it filename.
    column("file", "filename", Kind::Text, "path as given"),
    column("member", "member", Kind::Text, "member of the archive"),
    column("cycle", "cycle", Kind::Number, "even year in the names"),
];

/// Returns the place of the column with this name, in any case.
pub(crate) fn named(name: &str) -> Option<usize> {
    let mut columns = ORIGIN_COLUMNS.iter();
    let nth = columns.position(|column| {
        let mut names = [column.name, column.alias].into_iter();
        names.any(|known| known.eq_ignore_ascii_case(name))
    })?;
    Some(ORIGIN + nth)
}

/// Says whether a name means `member` or `cycle`, which the view for DuckDB lacks.
pub(crate) fn is_extra(name: &str) -> bool {
    named(name).is_some_and(|place| place > ORIGIN)
}

/// Returns the cycle of an input: the even year in the name of its file or archive, or else of the member, or else of the folder. Four
/// digits are a year as they stand, and two, from 1980 on, after a word that is the name of a schema. A folder counts if its name has nothing more.
///
/// ```
/// use fecscan::fec::origin::cycle;
/// assert_eq!(cycle("data/indiv24.zip".as_ref(), Some("itcont.txt".as_ref())), Some(2024));
/// assert_eq!(cycle("all.zip".as_ref(), Some("itcont_2018_20180101.txt".as_ref())), Some(2018));
/// assert_eq!(cycle("pas298.zip".as_ref(), None), Some(1998));
/// assert_eq!(cycle("2016/part12.txt".as_ref(), None), Some(2016));
/// assert_eq!(cycle("indiv18/itcont.txt".as_ref(), None), Some(2018));
/// assert_eq!(cycle("disk02/itcont.txt".as_ref(), None), None);
/// ```
pub fn cycle(path: &OsStr, member: Option<&OsStr>) -> Option<u32> {
    let path = Path::new(path);
    let names = [path.file_name(), member].into_iter().flatten();
    let mut years = names.filter_map(|name| year_in(name.as_bytes()));
    let folder = || {
        let name = path.parent()?.file_name()?.as_bytes();
        let rest = after_schema(name).unwrap_or(name);
        let is_year = rest.iter().all(u8::is_ascii_digit);
        year_in(name).filter(|_| is_year)
    };
    years.next().or_else(folder)
}

/// Returns the first even year in a name.
fn year_in(name: &[u8]) -> Option<u32> {
    let numbers = name.chunk_by(|one, next| one.is_ascii_digit() == next.is_ascii_digit());
    let four = numbers.filter(|digits| digits.len() == 4);
    let words = name.split(|byte| !byte.is_ascii_alphanumeric());
    let two = words.filter_map(after_schema).find_map(|rest| {
        let (year, rest) = rest.split_first_chunk::<2>()?;
        let number = number(year).filter(|_| year[0].is_ascii_digit())?;
        let ends = !rest.first().is_some_and(u8::is_ascii_digit);
        ends.then_some(number + if number < 80 { 2000 } else { 1900 })
    });
    let is_cycle = |year: &u32| (1976..2100).contains(year) && year.is_multiple_of(2);
    two.into_iter()
        .chain(four.filter_map(number))
        .find(is_cycle)
}

/// Returns what stands after the name of a schema.
fn after_schema(name: &[u8]) -> Option<&[u8]> {
    let stems = Schema::ALL.iter().flat_map(|schema| {
        let (name, file, _) = schema.facts();
        [name, file]
    });
    let begins = |stem: &&str| {
        let begin = name.get(..stem.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(stem.as_bytes()))
    };
    let longest = stems.filter(begins).map(str::len).max()?;
    Some(&name[longest..])
}

fn number(digits: &[u8]) -> Option<u32> {
    str::from_utf8(digits).ok()?.parse().ok()
}

/// The values of these columns in the rows of an input.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    /// The values, and some bytes that may be read after them.
    bytes: Vec<u8>,
    spans: [[u32; 2]; ORIGIN_COLUMNS.len()],
    /// The number of parts of the run before that of the rows.
    pub(crate) part: usize,
}

/// The bytes that may be read after a value.
const MARGIN: usize = 64;

impl Origin {
    pub(crate) fn new(path: &OsStr, member: Option<&OsStr>, part: usize) -> Origin {
        let cycle = cycle(path, member).map_or(String::new(), |year| year.to_string());
        let member = member.unwrap_or_default();
        let mut origin = Origin {
            part,
            ..Origin::default()
        };
        let values = [path.as_bytes(), member.as_bytes(), cycle.as_bytes()];
        for (span, value) in origin.spans.iter_mut().zip(values) {
            let start = origin.bytes.len() as u32;
            // What stands between columns and rows of a result.
            let value = value.iter().map(|&byte| match byte {
                b'\n' => b' ',
                byte => byte,
            });
            origin.bytes.extend(value);
            *span = [start, origin.bytes.len() as u32];
        }
        origin.bytes.resize(origin.bytes.len() + MARGIN, 0);
        origin
    }

    /// Returns the values, and where that of the column at `place` is, if it is one of these.
    pub(crate) fn value(&self, place: usize) -> Option<(&[u8], [u32; 2])> {
        let span = self.spans.get(place.wrapping_sub(ORIGIN))?;
        Some((&self.bytes, *span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_even_years_in_names() {
        for (name, year) in [
            ("indiv24.zip", Some(2024)),
            ("cm80.txt", Some(1980)),
            ("weball2020.txt", Some(2020)),
            ("itcont_2016_20151231_20160101.txt", Some(2016)),
            ("pas2_22.txt", None),
            ("indiv23.zip", None),
            ("pas222.zip", Some(2022)),
            ("Itpas222.txt", Some(2022)),
            ("itcont24.txt", Some(2024)),
            ("cn2_20.txt", None),
            ("indiv220.zip", None),
            ("two16.zip", None),
            ("old_indiv18.txt", Some(2018)),
            ("my indiv18.txt", Some(2018)),
            ("oldindiv18.txt", None),
            ("part12.txt", None),
            ("c/2016/itcont_week24.txt", Some(2016)),
            ("2015-2016/itcont.txt", None),
            ("indiv2015-2016.txt", Some(2016)),
            ("pas220/x.txt", Some(2020)),
            ("itcont.txt", None),
            ("0123456789.txt", None),
            ("", None),
        ] {
            assert_eq!(cycle(name.as_ref(), None), year, "{name}");
        }
    }
}
