//! The functions of columns. A function is one entry here.

use super::arguments::{Arguments, Parameters};
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
}

impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        self.name == other.name
    }
}

impl Eq for Function {}

const DATES: (&str, &[Kind]) = ("dates and image numbers", &[Kind::Date, Kind::ImageNumber]);
const NAMES: (&str, &[Kind]) = ("names", &[Kind::Text]);
const ALL: (&str, &[Kind]) = ("values", &Kind::ALL);

/// A function of dates.
const OF_DATES: Function = Function {
    name: "",
    takes: DATES,
    parameters: Parameters::None,
    gives: Some(Kind::Text),
    append: |_, _, _| (),
};

/// A function of any column, which makes any text.
const OF_TEXTS: Function = Function {
    takes: ALL,
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
        ..OF_DATES
    },
    Function {
        name: "week",
        append: |cell, _, value| value.extend(derived::week(&cell).iter().flatten()),
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
        ..OF_DATES
    },
    Function {
        name: "quarter",
        append: |cell, _, value| value.extend(derived::quarter(&cell).iter().flatten()),
        ..OF_DATES
    },
    Function {
        name: "year",
        gives: Some(Kind::Number),
        append: |cell, _, value| value.extend(derived::year(&cell).iter().flatten()),
        ..OF_DATES
    },
    Function {
        name: "weekday",
        gives: Some(Kind::Number),
        append: |cell, _, value| value.extend(derived::weekday(&cell)),
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
        ..OF_TEXTS
    },
    Function {
        name: "first_name",
        takes: NAMES,
        append: |cell, _, value| value.extend_from_slice(derived::first_name(&cell)),
        ..OF_TEXTS
    },
    Function {
        name: "last_name",
        takes: NAMES,
        append: |cell, _, value| value.extend_from_slice(derived::last_name(&cell)),
        ..OF_TEXTS
    },
    Function {
        name: "upper",
        append: |cell, _, value| texts::upper(&cell, value),
        ..OF_TEXTS
    },
    Function {
        name: "lower",
        append: |cell, _, value| texts::lower(&cell, value),
        ..OF_TEXTS
    },
    Function {
        name: "trim",
        gives: None,
        append: |cell, _, value| value.extend_from_slice(trimmed(&cell)),
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
        ..OF_TEXTS
    },
    Function {
        name: "len",
        gives: Some(Kind::Number),
        append: |cell, _, value| texts::push_number(texts::len(&cell), value),
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
        ..OF_TEXTS
    },
];

/// Returns the function with a name, in letters of either case.
pub(crate) fn named(name: &str) -> Option<&'static Function> {
    let mut functions = FUNCTIONS.iter();
    functions.find(|function| function.name.eq_ignore_ascii_case(name))
}
