//! The functions of columns. A function is one entry here.

use super::arguments::{Arguments, Parameters};
use super::word::{WordFunction, word_of, word_of_number};
use std::cmp::Ordering;

use crate::fec::number::Number;
use crate::fec::schema::Kind;
use crate::fec::{date, derived, texts, trimmed};
use crate::scan::Cell;

/// A function of a column: its name, its parameters and its values.
pub(crate) struct Function {
    /// The name, as typed before the parenthesis.
    pub(crate) name: &'static str,
    /// What the function takes, in words and as kinds of columns.
    pub(crate) takes: (&'static str, &'static [Kind]),
    /// The parameters after the column.
    pub(crate) parameters: Parameters,
    /// The kind of its values, if it is not that of the column.
    pub(crate) gives: Option<Kind>,
    /// Appends the value. A column that has none gives no bytes.
    pub(crate) append: fn(Cell<'_>, &Arguments, &mut Vec<u8>),
    /// How rows side by side make values of up to eight bytes.
    pub(crate) words: Option<WordFunction>,
    /// What a value is, in words.
    pub(crate) form: &'static str,
    /// Says whether a text may be a value.
    pub(crate) makes: fn(&str) -> bool,
    /// Returns the function and the value that are meant by a text which is no value.
    pub(crate) meant: fn(&str) -> Option<(&'static str, String)>,
    pub(crate) order: ValueOrder,
    /// How long a value takes to make, among functions.
    pub(crate) cost: u32,
    /// Whether rows may be grouped by the column, and these groups by the function, if the column has few values.
    pub(crate) is_of_groups: bool,
}

impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        self.name == other.name
    }
}

impl Eq for Function {}

/// How `<` and its like compare values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueOrder {
    /// As texts, with a value of the function.
    Texts,
    /// As numbers.
    Numbers,
    /// As the columns themselves.
    Columns,
}

pub(super) const DATES: (&str, &[Kind]) =
    ("dates and image numbers", &[Kind::Date, Kind::ImageNumber]);
const NAMES: (&str, &[Kind]) = ("names", &[Kind::Text]);
const ALL: (&str, &[Kind]) = ("values", &Kind::ALL);

/// A function of dates, whose values compare as texts.
const OF_DATES: Function = Function {
    name: "",
    takes: DATES,
    parameters: Parameters::None,
    gives: Some(Kind::Text),
    append: |_, _, _| (),
    words: None,
    form: "",
    makes: |_| true,
    meant: |text| match month_meant(text) {
        Some(month) => Some(("month", month)),
        None => has_form(text, "0000").then(|| ("year", text.to_owned())),
    },
    order: ValueOrder::Texts,
    cost: 2,
    is_of_groups: true,
};

/// A function of any column, which makes any text.
const OF_TEXTS: Function = Function {
    takes: ALL,
    meant: |_| None,
    order: ValueOrder::Columns,
    form: "a text",
    is_of_groups: false,
    ..OF_DATES
};

pub(crate) static FUNCTIONS: [Function; 16] = [
    Function {
        name: "day",
        append: |cell, _, value| {
            if let Some(day) = derived::date(&cell) {
                value.extend_from_slice(&date::iso_bytes(day));
            }
        },
        form: "a day such as 2018-01-31",
        makes: |text| has_form(text, "0000-00-00"),
        meant: |text| match date::of_column(text.as_bytes()) {
            Some(day) => Some(("day", date::iso(day))),
            None => (OF_DATES.meant)(text),
        },
        ..OF_DATES
    },
    Function {
        name: "week",
        append: |cell, _, value| value.extend(derived::week(&cell).iter().flatten()),
        words: Some(WordFunction::Each(|cell| word_of(derived::week(cell)))),
        form: "a week such as 2018-W05",
        makes: |text| has_form(text, "0000-W00"),
        ..OF_DATES
    },
    Function {
        name: "month",
        append: |cell, _, value| {
            if let Some(date) = cell.eight_bytes()
                && let Some(month) = derived::month_of_date(*date)
            {
                let end = value.len() + 7;
                value.extend_from_slice(&(month >> 8).to_le_bytes());
                value.truncate(end);
            } else if let Some(month) = derived::month(&cell) {
                value.extend_from_slice(&month);
            }
        },
        words: Some(WordFunction::Month),
        form: "a month such as 2018-01",
        makes: |text| has_form(text, "0000-00"),
        // As a word it is made as fast as the column is read.
        is_of_groups: false,
        ..OF_DATES
    },
    Function {
        name: "quarter",
        append: |cell, _, value| value.extend(derived::quarter(&cell).iter().flatten()),
        words: Some(WordFunction::Each(|cell| word_of(derived::quarter(cell)))),
        form: "a quarter such as 2018-Q1",
        makes: |text| has_form(text, "0000-Q0"),
        ..OF_DATES
    },
    Function {
        name: "year",
        gives: Some(Kind::Number),
        append: |cell, _, value| value.extend(derived::year(&cell).iter().flatten()),
        words: Some(WordFunction::Year),
        form: "a year such as 2018",
        makes: |text| has_form(text, "0000"),
        meant: |text| month_meant(text).map(|month| ("month", month)),
        order: ValueOrder::Numbers,
        // As a word it is made as fast as the column is read.
        is_of_groups: false,
        ..OF_DATES
    },
    Function {
        name: "weekday",
        gives: Some(Kind::Number),
        append: |cell, _, value| value.extend(derived::weekday(&cell)),
        words: Some(WordFunction::Each(|cell| {
            word_of(derived::weekday(cell).map(|day| [day]))
        })),
        form: "a digit from 1, Monday, to 7, Sunday",
        makes: |text| matches!(text.as_bytes(), [b'1'..=b'7']),
        meant: |text| {
            let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
            let typed = text.to_ascii_lowercase();
            let nth = names.iter().position(|name| typed.starts_with(name))?;
            Some(("weekday", (nth + 1).to_string()))
        },
        order: ValueOrder::Numbers,
        ..OF_DATES
    },
    Function {
        name: "zip5",
        takes: ("zip codes", &[Kind::ZipCode]),
        gives: None,
        append: |cell, _, value| {
            if let Some(five) = derived::zip5(&cell).first_chunk::<5>() {
                value.extend_from_slice(five);
            }
        },
        words: Some(WordFunction::Zip5),
        form: "five digits",
        makes: |text| has_form(text, "00000"),
        meant: |text| {
            // Spreadsheets drop the zero of the north-east.
            let meant = if has_form(text, "0000") {
                format!("0{text}")
            } else {
                String::from_utf8_lossy(derived::zip5(text.as_bytes())).into_owned()
            };
            Some(("zip5", meant))
        },
        cost: 1,
        ..OF_TEXTS
    },
    Function {
        name: "zip3",
        takes: ("zip codes", &[Kind::ZipCode]),
        append: |cell, _, value| {
            if let Some(three) = derived::zip5(&cell).first_chunk::<3>() {
                value.extend_from_slice(three);
            }
        },
        words: Some(WordFunction::Zip3),
        form: "three digits",
        makes: |text| has_form(text, "000"),
        meant: |text| {
            let five = derived::zip5(text.as_bytes());
            let three = five.first_chunk::<3>()?;
            Some(("zip3", String::from_utf8_lossy(three).into_owned()))
        },
        cost: 1,
        ..OF_TEXTS
    },
    Function {
        name: "first_name",
        takes: NAMES,
        append: |cell, _, value| value.extend_from_slice(derived::first_name(&cell)),
        words: Some(WordFunction::FirstName),
        form: "one word",
        makes: |text| first_name_meant(text) == text,
        meant: |text| Some(("first_name", first_name_meant(text))),
        cost: 4,
        ..OF_TEXTS
    },
    Function {
        name: "last_name",
        takes: NAMES,
        append: |cell, _, value| value.extend_from_slice(derived::last_name(&cell)),
        form: "the part before the comma, without blanks around it",
        makes: |text| derived::last_name(text.as_bytes()) == text.as_bytes(),
        meant: |text| {
            let meant = String::from_utf8_lossy(derived::last_name(text.as_bytes()));
            Some(("last_name", meant.into_owned()))
        },
        cost: 3,
        ..OF_TEXTS
    },
    Function {
        name: "upper",
        append: |cell, _, value| texts::upper(&cell, value),
        words: Some(WordFunction::Upper),
        form: "a text in capitals",
        makes: |text| text.to_uppercase() == text,
        meant: |text| Some(("upper", text.to_uppercase())),
        cost: 3,
        is_of_groups: true,
        ..OF_TEXTS
    },
    Function {
        name: "lower",
        append: |cell, _, value| texts::lower(&cell, value),
        words: Some(WordFunction::Lower),
        form: "a text in small letters",
        makes: |text| text.to_lowercase() == text,
        meant: |text| Some(("lower", text.to_lowercase())),
        cost: 3,
        is_of_groups: true,
        ..OF_TEXTS
    },
    Function {
        name: "trim",
        gives: None,
        append: |cell, _, value| value.extend_from_slice(trimmed(&cell)),
        words: Some(WordFunction::Trim),
        form: "a text without blanks around it",
        makes: |text| trimmed(text.as_bytes()) == text.as_bytes(),
        is_of_groups: true,
        ..OF_TEXTS
    },
    Function {
        name: "prefix",
        parameters: Parameters::Length,
        append: |cell, arguments, value| {
            if let Arguments::Length(length) = *arguments {
                value.extend_from_slice(texts::prefix(&cell, length));
            }
        },
        words: Some(WordFunction::Prefix(0)),
        form: "the beginning of a text",
        ..OF_TEXTS
    },
    Function {
        name: "len",
        gives: Some(Kind::Number),
        append: |cell, _, value| texts::push_number(texts::len(&cell), value),
        words: Some(WordFunction::Each(|cell| word_of_number(texts::len(cell)))),
        form: "a number of characters",
        makes: |text| text.bytes().all(|b| b.is_ascii_digit()),
        order: ValueOrder::Numbers,
        ..OF_TEXTS
    },
    Function {
        name: "bin",
        takes: ("numbers", &[Kind::Number]),
        parameters: Parameters::Bounds,
        append: |cell, arguments, value| {
            if let Arguments::Bounds(numbers, labels) = arguments {
                let hundredths = cell.hundredths().map(|number| number.0);
                let order = |bound: &Number| bound.order_of(hundredths, &cell);
                if order(&numbers[0]).is_some() {
                    let nth = numbers.partition_point(|bound| order(bound) != Some(Ordering::Less));
                    value.extend_from_slice(labels[nth].as_bytes());
                }
            }
        },
        form: "a range such as '<200', '200 to <500' or '>=1000'",
        is_of_groups: true,
        ..OF_TEXTS
    },
];

/// Returns the function with a name, in letters of either case.
pub(crate) fn named(name: &str) -> Option<&'static Function> {
    let mut functions = FUNCTIONS.iter();
    functions.find(|function| function.name.eq_ignore_ascii_case(name))
}

/// Says whether a text has digits where `form` has zeros, and its other bytes.
fn has_form(text: &str, form: &str) -> bool {
    let is_right = |(byte, form)| match form {
        b'0' => u8::is_ascii_digit(&byte),
        _ => byte == form,
    };
    text.len() == form.len() && text.bytes().zip(form.bytes()).all(is_right)
}

/// Returns the first name of a name, or of one that stands alone.
fn first_name_meant(text: &str) -> String {
    let name = if text.contains(',') {
        text.to_owned()
    } else {
        format!(", {text}")
    };
    String::from_utf8_lossy(derived::first_name(name.as_bytes())).into_owned()
}

/// Returns the month that `typed` means in another form, such as `01/2018`, `1-31-2018` or `201801`.
pub(crate) fn month_meant(typed: &str) -> Option<String> {
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<_> = typed.split(['/', '-', '.']).collect();
    if !parts.iter().all(is_number) {
        return None;
    }
    let (year, month) = match parts[..] {
        // The first two digits are a month or a century.
        [digits] if matches!(digits.len(), 6 | 8) => {
            if &digits[..2] <= "12" {
                (&digits[digits.len() - 4..], &digits[..2])
            } else {
                (&digits[..4], &digits[4..6])
            }
        }
        [year, month] | [year, month, _] if year.len() == 4 => (year, month),
        [month, year] | [month, _, year] if year.len() == 4 => (year, month),
        _ => return None,
    };
    let month: u32 = month.parse().ok()?;
    (1..=12)
        .contains(&month)
        .then(|| format!("{year}-{month:02}"))
}

#[cfg(test)]
mod tests;
