//! Conditions of SQL, decided by the slow twin: three truth values, regular expressions, and numbers and dates as strings.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

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
pub const CYCLE: usize = FIRST_OTHER + 2;

/// A condition, as a user types it.
#[derive(Clone, Debug)]
pub enum Condition {
    Of(Operand, Test),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

/// A column, or functions of it.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// The call, with an `@` in place of the column.
    pub call: &'static str,
    /// Counted from one.
    pub column: usize,
    pub kind: Kind,
}

/// What a column has, or what functions make of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// A number with two decimals.
    Amount,
    /// A whole number of 64 bits.
    Whole,
    Day,
}

/// What must hold for a value. Literals are those of its kind: texts, numbers, or days in ISO form.
#[derive(Clone, Debug)]
pub enum Test {
    /// One of `= <> < <= > >=` and a literal.
    Is(&'static str, String),
    In(Vec<String>),
    NotIn(Vec<String>),
    Between(String, String),
    Like(String),
    NotLike(String),
    Ilike(String),
    /// A text that begins so.
    Begins(String),
    /// A regular expression that a part of the text matches.
    Matches(String),
    IsNull,
    IsNotNull,
    /// Another value than the literal. NULL is one, too.
    Differs(String),
    /// An operator, and another operand of the same kind.
    With(&'static str, Operand),
}

/// The literal for nothing.
pub const NULL: &str = "NULL";

/// A value that is not NULL.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Text(Vec<u8>),
    Number(Vec<i64>),
    Day(String),
}

/// Returns the words of a list.
pub fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Returns a text in single quotes.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Returns an operand of the columns of indiv, and of [`OTHER_COLUMNS`].
pub fn operand(call: &'static str, column: usize) -> Operand {
    let kind = match column {
        14 => Kind::Day,
        15 => Kind::Amount,
        18 | 21 | CYCLE => Kind::Whole,
        _ => Kind::Text,
    };
    Operand { call, column, kind }
}

impl Condition {
    /// Returns a condition on a column of indiv.
    pub fn new(column: usize, test: Test) -> Condition {
        Condition::made("@", column, test)
    }

    /// Returns a condition on functions of a column of indiv.
    pub fn made(call: &'static str, column: usize, test: Test) -> Condition {
        Condition::Of(operand(call, column), test)
    }

    /// Returns a condition that a column of texts is this one.
    pub fn is(column: usize, text: &str) -> Condition {
        Condition::new(column, Test::Is("=", text.to_owned()))
    }

    /// Returns a condition that an amount or a day compares so.
    pub fn compares(column: usize, operator: &'static str, literal: &str) -> Condition {
        Condition::new(column, Test::Is(operator, literal.to_owned()))
    }

    /// Returns the condition that `--contributions` adds, by the list of the FEC's documentation.
    pub fn contributions() -> Condition {
        const TYPES: &str = "10 10J 11 11J 15 15E 15J 30 30E 30J 30T 31 31E 31J 31T 32 32E 32J 32T";
        let types = TYPES.split(' ').map(str::to_owned).collect();
        Condition::new(6, Test::In(types))
    }

    /// Returns the condition as a user types it.
    pub fn typed(&self) -> String {
        self.typed_of(&column_name)
    }

    /// Returns the condition as a user types it, with these names of columns.
    pub fn typed_of(&self, name: &dyn Fn(usize) -> String) -> String {
        let joined = |all: &[Condition], word: &str| {
            let typed = all.iter().map(|one| one.typed_of(name));
            format!("({})", typed.collect::<Vec<_>>().join(word))
        };
        match self {
            Condition::Of(operand, test) => test.typed(*operand, name),
            Condition::Not(one) => format!("NOT ({})", one.typed_of(name)),
            Condition::All(all) => joined(all, " AND "),
            Condition::Any(all) => joined(all, " OR "),
        }
    }

    /// Returns the condition with other texts.
    pub fn map_texts(self, other: &dyn Fn(&str) -> String) -> Condition {
        let map = |all: Vec<Condition>| {
            let all = all.into_iter();
            all.map(|one| one.map_texts(other)).collect()
        };
        match self {
            Condition::Of(operand, test) => Condition::Of(operand, test.map_texts(other)),
            Condition::Not(one) => Condition::Not(Box::new(one.map_texts(other))),
            Condition::All(all) => Condition::All(map(all)),
            Condition::Any(all) => Condition::Any(map(all)),
        }
    }

    /// Says whether the condition is true for a line. A missing column is empty.
    pub fn holds(&self, line: &[u8]) -> bool {
        self.truth_of_line(line) == Some(true)
    }

    /// Decides the condition for a line. None is NULL.
    pub fn truth_of_line(&self, line: &[u8]) -> Option<bool> {
        let columns = columns(line);
        self.truth(&|number| Some(columns.get(number - 1).copied().unwrap_or_default()))
    }

    /// Decides the condition for a row whose columns `column` returns. None is NULL.
    pub fn truth<'a>(&self, column: &dyn Fn(usize) -> Option<&'a [u8]>) -> Option<bool> {
        match self {
            Condition::Of(operand, test) => test.truth(*operand, column),
            Condition::Not(one) => one.truth(column).map(|truth| !truth),
            Condition::All(all) => all_of(all.iter().map(|one| one.truth(column))),
            Condition::Any(all) => {
                let negated = all.iter().map(|one| one.truth(column).map(|truth| !truth));
                all_of(negated).map(|truth| !truth)
            }
        }
    }
}

/// Returns whether all are true: false if one is, and else NULL if one is.
pub fn all_of(truths: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let truths: Vec<_> = truths.into_iter().collect();
    if truths.contains(&Some(false)) {
        Some(false)
    } else if truths.contains(&None) {
        None
    } else {
        Some(true)
    }
}

/// Returns the name of a column of indiv, or of [`OTHER_COLUMNS`].
pub fn column_name(number: usize) -> String {
    match number.checked_sub(FIRST_OTHER) {
        None => format!("#{number}"),
        Some(nth) => OTHER_COLUMNS[nth].to_owned(),
    }
}

impl Operand {
    /// Returns what the functions make.
    pub fn makes(self) -> Kind {
        match self.call {
            "year(@)" | "month(@)" | "quarter(@)" | "week(@)" | "day(@)" | "isodow(@)"
            | "length(@)" => Kind::Whole,
            "date_trunc('month', @)" => Kind::Day,
            _ => self.kind,
        }
    }

    fn typed(self, name: &dyn Fn(usize) -> String) -> String {
        self.call.replace('@', &name(self.column))
    }

    /// Returns a literal that is equal to what the functions make of a line; none if that is NULL.
    pub fn literal_of(self, line: &[u8]) -> Option<String> {
        let columns = columns(line);
        let value =
            self.value(&|number| Some(columns.get(number - 1).copied().unwrap_or_default()))?;
        Some(match value {
            Value::Text(text) => String::from_utf8_lossy(&text).into_owned(),
            Value::Day(day) => format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..]),
            Value::Number(key) => {
                let digits = key[1].unsigned_abs() as usize;
                let end = key.len() - usize::from(key[0] < 0);
                let digit = |digit: &i64| (b'0' + digit.unsigned_abs() as u8) as char;
                let (whole, decimals) = key[2..end].split_at(digits);
                let [whole, decimals] =
                    [whole, decimals].map(|digits| digits.iter().map(digit).collect::<String>());
                let sign = if key[0] < 0 { "-" } else { "" };
                let point = if decimals.is_empty() { "" } else { "." };
                format!("{sign}0{whole}{point}{decimals}")
            }
        })
    }

    fn value<'a>(self, column: &dyn Fn(usize) -> Option<&'a [u8]>) -> Option<Value> {
        let bytes = column(self.column)?;
        let key = |function| function_twin::key(function, bytes);
        let number = |bytes: &[u8]| number(bytes).map(Value::Number);
        let of_day = |range: std::ops::Range<usize>| number(date(bytes)?[range].as_bytes());
        match self.call {
            "@" | "@ + 0" => match self.kind {
                Kind::Text => Some(Value::Text(bytes.to_vec())),
                Kind::Amount => number(bytes).filter(|_| is_amount(bytes)),
                Kind::Whole => number(bytes).filter(|_| is_whole(bytes)),
                Kind::Day => date(bytes).map(Value::Day),
            },
            "abs(@)" => {
                let digits = trim(bytes).strip_prefix(b"-").unwrap_or(bytes);
                number(digits).filter(|_| is_amount(bytes))
            }
            "year(@)" => of_day(0..4),
            "month(@)" => of_day(4..6),
            "day(@)" => of_day(6..8),
            "quarter(@)" => {
                let month: u32 = date(bytes)?[4..6].parse().unwrap();
                number(month.div_ceil(3).to_string().as_bytes())
            }
            "isodow(@)" => number(&key("weekday")).filter(|_| date(bytes).is_some()),
            // The number after `2018-W`.
            "week(@)" => number(date(bytes).map(|_| key("week"))?.get(6..)?),
            "date_trunc('month', @)" => Some(Value::Day(date(bytes)?[..6].to_owned() + "01")),
            "length(@)" => number(&key("len(@)")),
            "trim(@)" => Some(Value::Text(without_blanks(bytes).to_vec())),
            "upper(trim(@))" => {
                let text = without_blanks(bytes);
                Some(Value::Text(function_twin::key("upper(@)", text)))
            }
            "left(@, 2)" => Some(Value::Text(key("prefix(@,2)"))),
            "zip5(@)" | "first_name(@)" | "last_name(@)" => {
                Some(Value::Text(key(self.call.strip_suffix("(@)")?)))
            }
            call => Some(Value::Text(key(call))),
        }
    }
}

impl Test {
    fn typed(&self, operand: Operand, name: &dyn Fn(usize) -> String) -> String {
        let kind = operand.makes();
        let literal = |text: &String| match kind {
            _ if text == NULL => NULL.to_owned(),
            Kind::Amount | Kind::Whole => text.clone(),
            Kind::Text | Kind::Day => quoted(text),
        };
        let list = |texts: &[String]| texts.iter().map(literal).collect::<Vec<_>>().join(", ");
        let of = operand.typed(name);
        match self {
            Test::Is(operator, text) => format!("{of} {operator} {}", literal(text)),
            Test::In(texts) => format!("{of} IN ({})", list(texts)),
            Test::NotIn(texts) => format!("{of} NOT IN ({})", list(texts)),
            Test::Between(least, most) => {
                format!("{of} BETWEEN {} AND {}", literal(least), literal(most))
            }
            Test::Like(pattern) => format!("{of} LIKE {}", quoted(pattern)),
            Test::NotLike(pattern) => format!("{of} NOT LIKE {}", quoted(pattern)),
            Test::Ilike(pattern) => format!("{of} ILIKE {}", quoted(pattern)),
            Test::Begins(text) => format!("starts_with({of}, {})", quoted(text)),
            Test::Matches(expression) => format!("{of} ~ {}", quoted(expression)),
            Test::IsNull => format!("{of} IS NULL"),
            Test::IsNotNull => format!("{of} IS NOT NULL"),
            Test::Differs(text) => format!("{of} IS DISTINCT FROM {}", literal(text)),
            Test::With(operator, other) => format!("{of} {operator} {}", other.typed(name)),
        }
    }

    fn map_texts(mut self, other: &dyn Fn(&str) -> String) -> Test {
        match &mut self {
            Test::In(texts) | Test::NotIn(texts) => {
                texts.iter_mut().for_each(|text| *text = other(text));
            }
            Test::Is(_, text)
            | Test::Like(text)
            | Test::NotLike(text)
            | Test::Ilike(text)
            | Test::Begins(text)
            | Test::Differs(text) => *text = other(text),
            Test::Between(least, most) => (*least, *most) = (other(least), other(most)),
            Test::Matches(_) | Test::IsNull | Test::IsNotNull | Test::With(..) => {}
        }
        self
    }

    fn truth<'a>(
        &self,
        operand: Operand,
        column: &dyn Fn(usize) -> Option<&'a [u8]>,
    ) -> Option<bool> {
        let kind = operand.makes();
        let value = operand.value(column);
        let literal = |text: &String| match kind {
            _ if text == NULL => None,
            Kind::Text => Some(Value::Text(text.clone().into_bytes())),
            Kind::Amount | Kind::Whole => {
                Some(Value::Number(number(text.as_bytes()).expect("a number")))
            }
            Kind::Day => Some(Value::Day(text.replace('-', ""))),
        };
        let compare =
            |operator: &str, than: Option<Value>| Some(compares(value.as_ref()?, operator, &than?));
        // A list is true if one of it is equal, and else NULL if one of it is.
        let differs_from_all =
            |texts: &[String]| all_of(texts.iter().map(|text| compare("<>", literal(text))));
        let text = || match &value {
            Some(Value::Text(text)) => Some(&text[..]),
            Some(_) => panic!("{self:?} takes texts"),
            None => None,
        };
        match self {
            Test::Is(operator, than) => compare(operator, literal(than)),
            Test::In(texts) => differs_from_all(texts).map(|differs| !differs),
            Test::NotIn(texts) => differs_from_all(texts),
            Test::Between(least, most) => {
                let (least, most) = (literal(least), literal(most));
                all_of([compare(">=", least), compare("<=", most)])
            }
            Test::Like(pattern) => Some(is_like(text()?, pattern)),
            Test::NotLike(pattern) => Some(!is_like(text()?, pattern)),
            Test::Ilike(pattern) => {
                let text = function_twin::key("lower(@)", text()?);
                Some(is_like(&text, &pattern.to_lowercase()))
            }
            Test::Begins(begin) => Some(text()?.starts_with(begin.as_bytes())),
            Test::Matches(expression) => Some(is_match(expression, text()?)),
            Test::IsNull => Some(value.is_none()),
            Test::IsNotNull => Some(value.is_some()),
            Test::Differs(text) => Some(value != literal(text)),
            Test::With(operator, other) => compare(operator, other.value(column)),
        }
    }
}

/// Says whether a text is like a pattern, in which `%` stands for any text, and `_` for a character.
fn is_like(text: &[u8], pattern: &str) -> bool {
    let characters = |text: &str| text.chars().map(|c| c.to_string().into_bytes()).collect();
    let bytes = |text: &[u8]| text.iter().map(|&byte| vec![byte]).collect();
    let (text, pattern): (Vec<Vec<u8>>, Vec<Vec<u8>>) = match std::str::from_utf8(text) {
        Ok(text) => (characters(text), characters(pattern)),
        // Each byte of other texts is a character.
        Err(_) => (bytes(text), bytes(pattern.as_bytes())),
    };
    // Which beginnings of the pattern the text so far is like. A beginning before `%` is one after it, too.
    let with_any = |mut is_like: Vec<bool>| {
        for (nth, piece) in pattern.iter().enumerate() {
            is_like[nth + 1] |= is_like[nth] && piece == b"%";
        }
        is_like
    };
    let none = vec![false; pattern.len() + 1];
    let mut before = none.clone();
    before[0] = true;
    before = with_any(before);
    for character in &text {
        let mut after = none.clone();
        for (nth, piece) in pattern.iter().enumerate().filter(|(nth, _)| before[*nth]) {
            if piece == b"%" {
                after[nth] = true;
            } else {
                after[nth + 1] |= piece == b"_" || piece == character;
            }
        }
        before = with_any(after);
    }
    before[pattern.len()]
}

/// Says whether a part of a text matches a regular expression.
fn is_match(expression: &str, text: &[u8]) -> bool {
    regex(expression).is_match(text)
}

/// Returns a regular expression, which is compiled once.
pub fn regex(expression: &str) -> Regex {
    static KNOWN: LazyLock<Mutex<HashMap<String, Regex>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap();
    let compiled = known.entry(expression.to_owned());
    let compiled = compiled.or_insert_with(|| Regex::new(expression).unwrap());
    compiled.clone()
}

/// Returns a text without the blanks at its ends.
fn without_blanks(text: &[u8]) -> &[u8] {
    let Some(start) = text.iter().position(|&byte| byte != b' ') else {
        return &[];
    };
    let end = text.iter().rposition(|&byte| byte != b' ').unwrap();
    &text[start..=end]
}

/// Says whether a text is a number of at most fourteen digits, two of them after the point.
fn is_amount(bytes: &[u8]) -> bool {
    decimal(bytes).is_some_and(|hundredths| hundredths.trim_start_matches('-').len() <= 14)
}

/// Says whether a text is a whole number of 64 bits.
fn is_whole(bytes: &[u8]) -> bool {
    let text = std::str::from_utf8(trim(bytes));
    text.is_ok_and(|text| text.parse::<i64>().is_ok())
}

pub fn compares<T: Ord>(one: &T, operator: &str, other: &T) -> bool {
    match operator {
        "=" => one == other,
        "<>" => one != other,
        "<" => one < other,
        "<=" => one <= other,
        ">" => one > other,
        ">=" => one >= other,
        _ => panic!("{operator} compares nothing"),
    }
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
/// beyond 128 bits are not numbers.
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
