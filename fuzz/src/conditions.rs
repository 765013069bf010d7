//! Comparisons for conditions: any text is conditions or an error, and conditions keep the rows that a
//! slow definition keeps.

use std::sync::LazyLock;

use fecscan::Error;
use fecscan::fec::schema::Schema;
use fecscan::filter::Filter;
use fecscan::fold::{Fold, LineCount};
use fecscan::input::Part;
use fecscan::scan::{Need, Rows};
use regex::Regex;
use regex::bytes::{Regex as BytesRegex, RegexBuilder};

use crate::common::condition::{compares as holds, number};
use crate::common::memory_file::MemoryFile;
use crate::common::{function_twin, twin};
use crate::names::{column, is_beyond, key, place};
use crate::{choices, is_text, setting};

pub const OPERATORS: [&str; 9] = ["=", "!=", "^=", "<", "<=", ">", ">=", "~", "!~"];

/// Compares the rows that conditions keep with the twin's.
pub fn compare(data: &[u8]) {
    let ([column, form, way @ ..], data) = choices::<5>(data);
    let column = usize::from(column) % 22;
    let (texts, bytes) = match form % 4 {
        0 => typed(data, |text| vec![text.to_owned()]),
        1 => typed(data, |text| text.split(';').map(str::to_owned).collect()),
        _ => made(data),
    };
    let Some(conditions) = Conditions::new(texts) else {
        return;
    };
    if !is_text(bytes) {
        return;
    }
    let (setting, file) = (setting(way), MemoryFile::new(bytes));
    let what = format!("{:?}, {setting:?}", conditions.texts);
    let engine = setting.engine().with_filter(conditions.filter.clone());
    let path = [file.path.as_ref()];
    let found = setting.fold(&engine, &Collect(column), &[], &path);
    let Some(expected) = conditions.kept(bytes, column) else {
        assert!(found.is_err(), "{what}: no such column");
        return;
    };
    let mut found = found.unwrap();
    found.partial.sort();
    assert_eq!(found.partial, expected, "{what}");
    let lines = (expected.len() as u64, conditions.lines_scanned(bytes));
    assert_eq!((found.lines, found.lines_scanned), lines, "{what}");
    if !conditions.texts.is_empty() {
        let found = setting.fold(&engine, &LineCount, &[], &path).unwrap();
        assert_eq!((found.lines, found.lines_scanned), lines, "{what}");
    }
}

/// Conditions, for the program and for the twin.
pub struct Conditions {
    pub texts: Vec<String>,
    pub filter: Filter,
    /// Of each condition its alternatives.
    tests: Vec<Vec<Test>>,
}

impl Conditions {
    /// Parses conditions. Panics if the program and the twin disagree on whether they are right; returns `None`
    /// if they are wrong, or beyond the twin.
    pub fn new(texts: Vec<String>) -> Option<Conditions> {
        if texts.iter().any(|text| is_beyond(text)) {
            return None;
        }
        let alternatives = |text: &String| match &text.split("||").collect::<Vec<_>>()[..] {
            [one] => Some(vec![Test::new(one)?]),
            several => several.iter().map(|one| Test::new(one.trim())).collect(),
        };
        let tests: Option<Vec<_>> = texts.iter().map(alternatives).collect();
        match (Filter::new(&texts), tests) {
            (Ok(filter), Some(tests)) => Some(Conditions {
                texts,
                filter,
                tests,
            }),
            (Err(error), None) => {
                assert!(error.with_advice().contains("; "), "what to do? {error}");
                None
            }
            (found, _) => panic!("{texts:?}: {found:?}"),
        }
    }

    /// Returns the number of lines before the conditions, if there are any conditions.
    pub fn lines_scanned(&self, bytes: &[u8]) -> Option<u64> {
        (!self.texts.is_empty()).then(|| twin::lines_of(bytes).len() as u64)
    }

    /// Returns the lines that pass as a file, or `None` if a condition names an unknown column.
    pub fn lines(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let lines = self.kept(bytes, 0)?.into_iter();
        // A line may end with a carriage return of its own.
        Some(
            lines
                .flat_map(|(_, line, _)| [line, b"\r\n".to_vec()].concat())
                .collect(),
        )
    }

    /// Returns the rows that pass, with the wanted column, or `None` if a condition names an unknown column.
    fn kept(&self, bytes: &[u8], column: usize) -> Option<Vec<Kept>> {
        let start = bytes.as_ptr() as u64;
        let mut kept = Vec::new();
        for line in twin::lines_of(bytes) {
            let columns = twin::columns(line);
            let mut passes = true;
            for any in &self.tests {
                let mut one_passes = false;
                for test in any {
                    let value = columns.get(test.column?).copied().unwrap_or_default();
                    one_passes |= test.holds(value);
                }
                passes &= one_passes;
            }
            if passes {
                let wanted = columns.get(column).map(|column| column.to_vec());
                kept.push((line.as_ptr() as u64 - start, line.to_vec(), wanted));
            }
        }
        let unknown = self
            .tests
            .iter()
            .flatten()
            .any(|test| test.column.is_none());
        (!unknown).then_some(kept)
    }
}

/// A row that was kept: its place, its line, and one of its columns.
type Kept = (u64, Vec<u8>, Option<Vec<u8>>);

/// Collects rows, with this column.
struct Collect(usize);

impl Fold for Collect {
    type Partial = Vec<Kept>;

    fn need(&self, _: &Part) -> Result<Need, Error> {
        Ok(Need::Rows(vec![self.0]))
    }

    fn partial(&self) -> Vec<Kept> {
        Vec::new()
    }

    fn rows(&self, rows: &Rows<'_>, kept: &mut Vec<Kept>) -> Result<(), Error> {
        kept.extend(rows.iter().map(|row| {
            let column = row.column(0).map(<[u8]>::to_vec);
            (row.byte(), row.line().to_vec(), column)
        }));
        Ok(())
    }

    fn merge(&self, into: &mut Vec<Kept>, from: Vec<Kept>) {
        into.extend(from);
    }
}

/// Takes the first line as the text of conditions, and the others as rows.
fn typed(data: &[u8], split: impl Fn(&str) -> Vec<String>) -> (Vec<String>, &[u8]) {
    let newline = data.iter().position(|&b| b == b'\n');
    let end = newline.unwrap_or(data.len());
    let rows = data.get(end + 1..).unwrap_or_default();
    (split(&String::from_utf8_lossy(&data[..end])), rows)
}

/// Makes up to three conditions from values of the rows, so that some rows pass. Some have an alternative.
pub fn made(data: &[u8]) -> (Vec<String>, &[u8]) {
    let ([count], mut rows) = choices(data);
    let mut picks = Vec::new();
    for nth in 0..count % 4 {
        let has_alternative = count >> (2 + nth) & 1 == 1;
        let (pick, rest) = choices::<12>(rows);
        picks.push((pick, has_alternative));
        rows = rest;
    }
    let lines = twin::lines_of(rows);
    let conditions = picks.into_iter().map(|(pick, has_alternative)| {
        let (picks, _) = pick.as_chunks::<6>();
        let picks = &picks[..1 + usize::from(has_alternative)];
        let alternatives: Vec<_> = picks.iter().map(|&pick| condition(&lines, pick)).collect();
        alternatives.join("||")
    });
    (conditions.collect(), rows)
}

fn condition(lines: &[&[u8]], [column, operator, one, other, length, form]: [u8; 6]) -> String {
    let columns = Schema::Indiv.columns();
    let nth = usize::from(column) % columns.len();
    let functions = match nth {
        4 | DATES => ["month", "year"],
        10 => ["zip5", "zip5"],
        _ => ["first_name", "last_name"],
    };
    let function = functions.get(usize::from(form / 18 % 4));
    let function = function.copied().unwrap_or_default();
    let value = |line: u8| {
        let line = lines.get(usize::from(line) % lines.len().max(1));
        let columns = line.map_or(Vec::new(), |line| twin::columns(line));
        let column = columns.get(nth).copied().unwrap_or_default();
        String::from_utf8_lossy(&function_twin::key(function, column)).into_owned()
    };
    let value = match form % 6 {
        0 => value(one),
        1 => value(one).chars().take(usize::from(length) % 8).collect(),
        2 => [value(one), value(other)].join(","),
        3 => ["^".to_owned(), value(one)].concat(),
        4 => ["\"".to_owned(), value(one), "\", ".to_owned(), value(other)].concat(),
        _ => match value(one).as_bytes() {
            // A date of the rows as the filter wants it.
            [month @ .., a, b, c, d] if month.len() == 4 => {
                let text = [&[*a, *b, *c, *d], &b"-"[..], &month[..2], b"-", &month[2..]].concat();
                String::from_utf8_lossy(&text).into_owned()
            }
            _ => "2018-02-01".to_owned(),
        },
    };
    let name = match form / 6 % 3 {
        0 => columns[nth].name.to_owned(),
        1 => columns[nth].alias.to_owned(),
        _ => format!(" #{} ", nth + 1),
    };
    let name = match function {
        "" => name,
        function => format!("{function}({name})"),
    };
    [
        &name,
        OPERATORS[usize::from(operator) % OPERATORS.len()],
        &value,
    ]
    .concat()
}

/// Says whether a column passes.
type Holds = Box<dyn Fn(&[u8]) -> bool>;

/// A condition as its documentation words it.
pub struct Test {
    /// The place of the column, or `None` for an unknown column.
    column: Option<usize>,
    /// The name of the function of it, or none.
    function: &'static str,
    holds: Holds,
}

impl Test {
    /// Returns the test of a condition, or `None` if its text is wrong.
    pub fn new(text: &str) -> Option<Test> {
        static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?s)^([^=!<>~^]*)(=|!=|\^=|<=|<|>=|>|~|!~)(.*)$").unwrap()
        });
        let parts = CONDITION.captures(text)?;
        let (name, operator, value) = (parts[1].trim(), &parts[2], parts[3].to_owned());
        let foreign = ["==", "=~", "=>", "=<", "<>"];
        let rest = &text[parts[1].len()..];
        if name.is_empty() || foreign.iter().any(|foreign| rest.starts_with(foreign)) {
            return None;
        }
        let (function, name) = key(name)?;
        let mut column = match function {
            "" => column(&name),
            function => place(function, &name).map(|(_, number)| number - 1),
        };
        let holds_dates = column == Some(DATES) && function.is_empty();
        let kind = match (column, function) {
            (Some(DATES), "") => Compared::Dates,
            (Some(AMOUNTS), "") | (_, "year") => Compared::Numbers,
            _ => Compared::Texts,
        };
        let holds: Holds = match operator {
            "=" => is_in(values(&value)?, kind, true),
            "!=" => is_in(values(&value)?, kind, false),
            "^=" => {
                let value = prefix(&value)?;
                Box::new(move |bytes| bytes.starts_with(value.as_bytes()))
            }
            "~" => matches(value.trim_start(), true)?,
            "!~" => matches(value.trim_start(), false)?,
            operator if function == "month" => compares_months(operator, value.trim())?,
            _ if function == "year" && iso(value.trim()).is_some() => return None,
            operator => {
                let compares = compares(operator, value.trim())?;
                // Only dates compare with dates.
                column = column.filter(|_| iso(value.trim()).is_some() == holds_dates);
                compares
            }
        };
        Some(Test {
            column,
            function,
            holds,
        })
    }

    /// Decides whether the condition holds for a value of its column.
    pub fn holds(&self, value: &[u8]) -> bool {
        (self.holds)(&function_twin::key(self.function, value))
    }
}

/// The place of the column that holds dates.
const DATES: usize = 13;

/// The place of the column that holds numbers.
const AMOUNTS: usize = 14;

/// What `=` compares, besides bytes.
#[derive(Clone, Copy)]
enum Compared {
    Texts,
    Numbers,
    Dates,
}

fn is_in(values: Vec<String>, kind: Compared, wanted: bool) -> Holds {
    Box::new(move |bytes| {
        let is = |value: &String| {
            let same = match kind {
                Compared::Texts => false,
                Compared::Numbers => {
                    let than = number(value.as_bytes());
                    than.is_some_and(|than| number(bytes) == Some(than))
                }
                Compared::Dates => iso(value).is_some_and(|day| date(bytes) == Some(day)),
            };
            value.as_bytes() == bytes || same
        };
        values.iter().any(is) == wanted
    })
}

/// Parses values between commas, in quotes or without, or returns `None` if they are wrong.
fn values(mut list: &str) -> Option<Vec<String>> {
    static VALUE: LazyLock<Regex> = LazyLock::new(|| {
        let double = r#""((?:[^"]|"")*)""#;
        let single = r"'((?:[^']|'')*)'";
        let bare = r#"((?:[^"',=<>][^,=<>]*)?)"#;
        Regex::new(&format!(r"(?s)^(?:{double}|{single}|{bare})")).unwrap()
    });
    let mut values = Vec::new();
    loop {
        list = list.trim_start();
        let found = VALUE.captures(list)?;
        values.push(match (found.get(1), found.get(2)) {
            (Some(double), _) => double.as_str().replace("\"\"", "\""),
            (_, Some(single)) => single.as_str().replace("''", "'"),
            _ => found[3].trim().to_owned(),
        });
        list = list[found[0].len()..].trim_start();
        if list.is_empty() {
            return Some(values);
        }
        list = list.strip_prefix(',')?;
    }
}

/// Parses a prefix, in quotes or without.
fn prefix(value: &str) -> Option<String> {
    if value.trim().starts_with(['"', '\'']) {
        values(value.trim()).filter(|all| all.len() == 1)?.pop()
    } else {
        Some(value.trim_start().to_owned())
    }
}

fn matches(expression: &str, wanted: bool) -> Option<Holds> {
    let expression = RegexBuilder::new(expression).unicode(false).build().ok()?;
    Some(Box::new(move |bytes| expression.is_match(bytes) == wanted))
}

/// Compares dates with a date, and amounts with an amount. Other bytes fail.
fn compares(operator: &str, value: &str) -> Option<Holds> {
    let operator = operator.to_owned();
    if let Some(than) = iso(value) {
        return Some(Box::new(move |bytes| {
            date(bytes).is_some_and(|date| holds(&date, &operator, &than))
        }));
    }
    let than = number(value.as_bytes())?;
    Some(Box::new(move |bytes| {
        number(bytes).is_some_and(|number| holds(&number, &operator, &than))
    }))
}

/// Compares months with a month. No month fails.
fn compares_months(operator: &str, value: &str) -> Option<Holds> {
    static MONTH: LazyLock<BytesRegex> =
        LazyLock::new(|| BytesRegex::new("(?-u)^([0-9]{4})-([0-9]{2})$").unwrap());
    let months = |bytes: &[u8]| -> Option<u32> {
        let found = MONTH.captures(bytes)?;
        let digits = [&found[1], &found[2]].concat();
        std::str::from_utf8(&digits).ok()?.parse().ok()
    };
    let (than, operator) = (months(value.as_bytes())?, operator.to_owned());
    Some(Box::new(move |bytes| {
        months(bytes).is_some_and(|month| holds(&month, &operator, &than))
    }))
}

/// Parses `YYYY-MM-DD`.
fn iso(text: &str) -> Option<i128> {
    static ISO: LazyLock<BytesRegex> =
        LazyLock::new(|| BytesRegex::new(r"(?-u)^([0-9]{4})-([0-9]{2})-([0-9]{2})$").unwrap());
    day(&ISO, [1, 2, 3], text.as_bytes())
}

/// Parses `MMDDYYYY`, `YYYYMMDD` of a year whose first digits are no month, `M/D/YYYY` or `YYYY-M-D` between white space. A time may
/// follow the last two.
fn date(bytes: &[u8]) -> Option<i128> {
    static DATE: LazyLock<[BytesRegex; 4]> = LazyLock::new(|| {
        let time = r"(?:[ T](?:[0-9]|[0-2][0-9]):(?s:.*))?";
        [
            "([0-9]{2})([0-9]{2})([0-9]{4})",
            "((?:1[3-9]|[2-9][0-9])[0-9]{2})([0-9]{2})([0-9]{2})",
            &format!("([0-9]{{1,2}})/([0-9]{{1,2}})/([0-9]{{4}}){time}"),
            &format!("([0-9]{{4}})-([0-9]{{1,2}})-([0-9]{{1,2}}){time}"),
        ]
        .map(|form| BytesRegex::new(&format!(r"(?-u)^[\s\x0b]*{form}[\s\x0b]*$")).unwrap())
    });
    let places = [[3, 1, 2], [1, 2, 3], [3, 1, 2], [1, 2, 3]];
    let mut forms = DATE.iter().zip(places);
    forms.find_map(|(expression, places)| day(expression, places, bytes))
}

/// Returns the day that `expression` captures, as a number that grows with it, or `None` for a day
/// that does not exist. `places` are the captures of year, month and day.
fn day(expression: &BytesRegex, places: [usize; 3], bytes: &[u8]) -> Option<i128> {
    let found = expression.captures(bytes)?;
    let number = |place| {
        std::str::from_utf8(&found[place])
            .unwrap()
            .parse::<i128>()
            .unwrap()
    };
    let [year, month, day] = places.map(number);
    let leap = (year % 4 == 0) != (year % 100 == 0) || year % 400 == 0;
    let february = if leap { 29 } else { 28 };
    let lengths = [0, 31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let last = *lengths.get(month as usize)?;
    (year > 0 && day > 0 && day <= last).then_some((year * 100 + month) * 100 + day)
}
