//! Conditions on columns and functions of columns, decided by the slow twin: regular expressions, and
//! numbers and dates as strings.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::function_twin;
use super::twin::{columns, trim};

/// The names of columns that no line of indiv has. Their numbers follow those of its 21 columns.
pub const OTHER_COLUMNS: [&str; 5] = [
    "file",
    "member",
    "cycle",
    "cm.CMTE_NM",
    "cm.CMTE_PTY_AFFILIATION",
];
pub const FIRST_OTHER: usize = 22;
const AMOUNT: usize = 15;
pub const CYCLE: usize = FIRST_OTHER + 2;

/// A condition on the column with this number, counted from one, or on a function of it.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The name of the function, or none.
    pub function: &'static str,
    pub column: usize,
    pub test: Test,
}

/// What must hold for the bytes of a column.
#[derive(Clone, Debug)]
pub enum Test {
    In(Vec<String>),
    NotIn(Vec<String>),
    Prefix(String),
    Matches(String),
    MatchesNot(String),
    /// An operator, and a number, a date in ISO form, or a month.
    Number(&'static str, String),
    Date(&'static str, String),
    Month(&'static str, String),
    /// An operator, and a function of another column, or none.
    With(&'static str, &'static str, usize),
    /// One of these conditions must hold, whatever the column.
    Any(Vec<Condition>),
}

/// Returns the words of a list.
pub fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

impl Condition {
    pub fn new(column: usize, test: Test) -> Condition {
        Condition::made("", column, test)
    }

    /// Returns a condition on a function of a column.
    pub fn made(function: &'static str, column: usize, test: Test) -> Condition {
        Condition {
            function,
            column,
            test,
        }
    }

    /// Returns a condition that holds where one of `conditions` does.
    pub fn any(conditions: Vec<Condition>) -> Condition {
        Condition::new(1, Test::Any(conditions))
    }

    /// Returns the condition that `--contributions` adds, by the list of the FEC's documentation.
    pub fn contributions() -> Condition {
        const TYPES: &str = "10 10J 11 11J 15 15E 15J 30 30E 30J 30T 31 31E 31J 31T 32 32E 32J 32T";
        let types = TYPES.split(' ').map(str::to_owned).collect();
        Condition::new(6, Test::In(types))
    }

    /// Returns the condition as a user types it.
    pub fn typed(&self) -> String {
        match self.column.checked_sub(FIRST_OTHER) {
            None => self.typed_of(&format!("#{}", self.column)),
            Some(nth) => self.typed_of(OTHER_COLUMNS[nth]),
        }
    }

    /// Returns the condition as a user types it, with another name of the column.
    pub fn typed_of(&self, column: &str) -> String {
        let (operator, value) = match &self.test {
            Test::In(values) => ("=", list(values)),
            Test::NotIn(values) => ("!=", list(values)),
            Test::Prefix(value) => ("^=", quoted(value)),
            Test::Matches(value) => ("~", value.clone()),
            Test::MatchesNot(value) => ("!~", value.clone()),
            Test::Number(operator, value)
            | Test::Date(operator, value)
            | Test::Month(operator, value) => (*operator, value.clone()),
            Test::With(operator, function, column) => {
                let column = format!("#{column}");
                let other = match *function {
                    "" => column,
                    function => function_twin::called(function, &column),
                };
                (*operator, format!("{{{other}}}"))
            }
            Test::Any(conditions) => {
                let typed: Vec<_> = conditions.iter().map(Condition::typed).collect();
                return typed.join(" || ");
            }
        };
        match self.function {
            "" => format!("{column}{operator}{value}"),
            function => {
                let called = function_twin::called(function, column);
                format!("{called}{operator}{value}")
            }
        }
    }

    /// Returns the condition with other values in its lists and prefixes.
    pub fn map_values(mut self, other: &dyn Fn(&str) -> String) -> Condition {
        match &mut self.test {
            Test::In(values) | Test::NotIn(values) => {
                values.iter_mut().for_each(|value| *value = other(value));
            }
            Test::Prefix(value) => *value = other(value),
            Test::Any(conditions) => {
                let all = conditions.drain(..);
                *conditions = all.map(|condition| condition.map_values(other)).collect();
            }
            _ => {}
        }
        self
    }

    /// Decides whether the condition holds for a line. A missing column counts as empty.
    pub fn holds(&self, line: &[u8]) -> bool {
        self.holds_of(&columns(line))
    }

    /// Decides whether the condition holds for a row with these columns.
    pub fn holds_of(&self, columns: &[&[u8]]) -> bool {
        let column = columns.get(self.column - 1).copied().unwrap_or_default();
        let column = &function_twin::key(self.function, column)[..];
        // Amounts of contributions, cycles, and numbers that functions make are compared by their values.
        let is_number = [AMOUNT, CYCLE].contains(&self.column) && self.function.is_empty()
            || ["year", "weekday", "len(@)"].contains(&self.function);
        let is_in = |values: &[String]| {
            values.iter().any(|value| {
                let same =
                    || number(value.as_bytes()).is_some_and(|than| number(column) == Some(than));
                value.as_bytes() == column || is_number && same()
            })
        };
        let matches = |expression: &str| {
            Regex::new(&format!("(?-u){expression}"))
                .unwrap()
                .is_match(column)
        };
        match &self.test {
            Test::In(values) => is_in(values),
            Test::NotIn(values) => !is_in(values),
            Test::Prefix(value) => column.starts_with(value.as_bytes()),
            Test::Matches(expression) => matches(expression),
            Test::MatchesNot(expression) => !matches(expression),
            Test::Number(operator, value) => {
                let than = number(value.as_bytes()).expect("a number");
                number(column).is_some_and(|number| compares(&number, operator, &than))
            }
            Test::Date(operator, value) => {
                date(column).is_some_and(|date| compares(&date, operator, &value.replace('-', "")))
            }
            Test::Month(operator, value) => {
                let than = month(value.as_bytes()).expect("a month");
                month(column).is_some_and(|month| compares(&month, operator, &than))
            }
            Test::With(operator, function, nth) => {
                let other = columns.get(nth - 1).copied().unwrap_or_default();
                let other = &function_twin::key(function, other)[..];
                let plain = self.function.is_empty() && function.is_empty();
                let ordering = match (self.column, *nth) {
                    (15, 15) if plain => number(column).zip(number(other)).map(|(a, b)| a.cmp(&b)),
                    (14, 14) if plain => date(column).zip(date(other)).map(|(a, b)| a.cmp(&b)),
                    _ if column.is_empty() || other.is_empty() => None,
                    _ => Some(column.cmp(other)),
                };
                let is_equal = column == other || ordering.is_some_and(|ordering| ordering.is_eq());
                match *operator {
                    "=" => is_equal,
                    "!=" => !is_equal,
                    _ => {
                        ordering.is_some_and(|o| compares(&o, operator, &std::cmp::Ordering::Equal))
                    }
                }
            }
            Test::Any(conditions) => conditions
                .iter()
                .any(|condition| condition.holds_of(columns)),
        }
    }
}

fn list(values: &[String]) -> String {
    let values: Vec<_> = values.iter().map(|value| quoted(value)).collect();
    values.join(",")
}

/// Puts a value in quotes if it needs them.
fn quoted(value: &str) -> String {
    if value.trim() == value && !value.contains([',', '=', '<', '>', '"', '\'']) {
        value.to_owned()
    } else {
        format!("\"{}\"", value.replace('"', "\"\""))
    }
}

pub fn compares<T: Ord>(one: &T, operator: &str, other: &T) -> bool {
    match operator {
        "<" => one < other,
        "<=" => one <= other,
        ">" => one > other,
        ">=" => one >= other,
        _ => panic!("{operator} compares nothing"),
    }
}

/// Returns the year of `2018-01`, `2018-Q1`, `2018-W05` or `2018-01-31`, and the digits after it, as numbers.
fn month(bytes: &[u8]) -> Option<[u32; 2]> {
    let (year, month) = std::str::from_utf8(bytes).ok()?.split_once('-')?;
    let month = month.trim_start_matches(['Q', 'W']).replace('-', "");
    Some([year.parse().ok()?, month.parse().ok()?])
}

/// Returns a key that compares as the decimal does: the sign, the number of digits before the point, and each digit. Negative
/// decimals have negative digits, and a last number above all digits.
pub fn number(bytes: &[u8]) -> Option<Vec<i64>> {
    static DECIMAL: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?-u)^([+-]?)0*([0-9]*)(?:\.([0-9]*))?$").unwrap());
    let text = trim(bytes);
    let found = DECIMAL
        .captures(text)
        .filter(|_| text.iter().any(u8::is_ascii_digit))?;
    let digits = |group| found.get(group).map_or(&b""[..], |found| found.as_bytes());
    let mut decimals = digits(3).to_vec();
    while decimals.last() == Some(&b'0') {
        decimals.pop();
    }
    let all = [digits(2), &decimals].concat();
    let sign = match digits(1) {
        _ if all.is_empty() => 0,
        b"-" => -1,
        _ => 1,
    };
    let all = all.into_iter().map(|digit| sign * i64::from(digit - b'0'));
    let key = [sign, sign * digits(2).len() as i64].into_iter().chain(all);
    Some(key.chain((sign < 0).then_some(1)).collect())
}

/// Returns the hundredths of a decimal as digits, with a minus if they are less than zero. Hundredths
/// beyond 128 bits are no numbers.
pub fn decimal(bytes: &[u8]) -> Option<String> {
    const LARGEST: &str = "170141183460469231731687303715884105727";
    static DECIMAL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)^([+-]?)(?:([0-9]+)(?:\.([0-9]{0,2}))?|\.([0-9]{1,2}))$").unwrap()
    });
    let found = DECIMAL.captures(trim(bytes))?;
    let digits = |group| found.get(group).map_or(&b""[..], |found| found.as_bytes());
    let decimals = [digits(3), digits(4)].concat();
    let text = [digits(2), &decimals, &b"00"[decimals.len()..]].concat();
    let text = String::from_utf8(text).unwrap();
    let text = text.trim_start_matches('0');
    if (text.len(), text) > (LARGEST.len(), LARGEST) {
        return None;
    }
    Some(match (digits(1), text) {
        (_, "") => "0".to_owned(),
        (b"-", text) => format!("-{text}"),
        (_, text) => text.to_owned(),
    })
}

/// Returns a column without white space at its ends. A day `YYYYMMDD`, whose first two digits are no month, becomes `YYYY-MM-DD`. Days and
/// months beside slashes and hyphens get their zeros, and a time after a day goes.
pub fn with_dashes(bytes: &[u8]) -> Vec<u8> {
    static FREE: LazyLock<Regex> = LazyLock::new(|| {
        let time = r"(?:[ T](?:\d|[0-2]\d):(?s:.*))?";
        let day = r"(?:(\d\d?)/(\d\d?)/(\d{4})|(\d{4})-(\d\d?)-(\d\d?))";
        Regex::new(&format!("(?-u)^{day}{time}$")).unwrap()
    });
    let text = trim(bytes);
    if let Some(found) = FREE.captures(text) {
        let part = |group: usize| found.get(group).map(|part| part.as_bytes());
        let two = |part: &[u8]| [&b"0"[..], part].concat()[part.len() - 1..].to_vec();
        return match (part(1), part(4)) {
            (Some(month), _) => {
                let [day, year] = [part(2).unwrap(), part(3).unwrap()];
                [two(month), two(day), year.to_vec()].join(&b'/')
            }
            (None, year) => {
                let [month, day] = [part(5).unwrap(), part(6).unwrap()];
                [year.unwrap().to_vec(), two(month), two(day)].join(&b'-')
            }
        };
    }
    if text.len() == 8 && text.iter().all(u8::is_ascii_digit) && text[..2] > b"12"[..] {
        let iso = [&text[..4], &text[4..6], &text[6..]].join(&b'-');
        if date(&iso).is_some() {
            return iso;
        }
    }
    text.to_vec()
}

/// Returns `YYYYMMDD` of a day that exists, written so, `MMDDYYYY`, `MM/DD/YYYY` or `YYYY-MM-DD`.
pub fn date(bytes: &[u8]) -> Option<String> {
    static WRITTEN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?-u)^(?:(\d\d)(\d\d)(\d{4})|(\d\d)/(\d\d)/(\d{4})|(?<y>\d{4})-(?<m>\d\d)-(?<d>\d\d))$",
        )
        .unwrap()
    });
    let text = with_dashes(bytes);
    let found = WRITTEN.captures(&text)?;
    let digits = |group: usize, name: &str| {
        let plain = found.get(group).or_else(|| found.get(group + 3));
        let found = plain.or_else(|| found.name(name)).unwrap();
        String::from_utf8(found.as_bytes().to_vec()).unwrap()
    };
    let (month, day, year) = (digits(1, "m"), digits(2, "d"), digits(3, "y"));
    let [month_number, day_number, year_number] =
        [&month, &day, &year].map(|digits| digits.parse::<u32>().unwrap());
    let leap = year_number % 400 == 0 || year_number % 4 == 0 && year_number % 100 != 0;
    let days = match month_number {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => return None,
    };
    let exists = year_number > 0 && (1..=days).contains(&day_number);
    exists.then(|| year + &month + &day)
}
