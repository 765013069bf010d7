//! What functions take besides a column: a length, or bounds of ranges.

use std::fmt;

use crate::fec::number::Number;

/// What a function takes besides a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameters {
    None,
    /// A number of characters.
    Length,
    /// Numbers that ascend.
    Bounds,
}

/// What a call gives for the parameters.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Arguments {
    None,
    Length(usize),
    /// The numbers, and the name of the values below the first, between two, and from the last on.
    Bounds(Vec<Number>, Vec<String>),
}

impl Parameters {
    /// Returns what may stand behind the column.
    pub(crate) fn example(self) -> &'static str {
        match self {
            Parameters::None => "",
            Parameters::Length => ",3",
            Parameters::Bounds => ",200,500,1000",
        }
    }

    /// Reads what stands behind the first comma of a call.
    ///
    /// # Errors
    /// What the function takes instead, with an example.
    pub(crate) fn read(self, typed: &[&str]) -> Result<Arguments, &'static str> {
        match (self, typed) {
            (Parameters::None, []) => Ok(Arguments::None),
            (Parameters::None, _) => Err("takes one column and nothing else"),
            (Parameters::Length, &[length]) if !length.starts_with('+') => match length.parse() {
                Ok(length @ 1..) => Ok(Arguments::Length(length)),
                _ => Err(TAKES_LENGTH),
            },
            (Parameters::Length, _) => Err(TAKES_LENGTH),
            (Parameters::Bounds, []) => Err(TAKES_BOUNDS),
            (Parameters::Bounds, _) => {
                let number = |typed: &&str| Number::of(typed.as_bytes());
                let numbers: Option<Vec<_>> = typed.iter().map(number).collect();
                let numbers = numbers.filter(|numbers| numbers.is_sorted_by(Number::is_less));
                let numbers = numbers.ok_or(TAKES_BOUNDS)?;
                let between = numbers.windows(2);
                let between = between.map(|pair| format!("{} to <{}", pair[0].text, pair[1].text));
                let first = numbers.first().map(|first| format!("<{}", first.text));
                let last = numbers.last().map(|last| format!(">={}", last.text));
                let labels = first.into_iter().chain(between).chain(last).collect();
                Ok(Arguments::Bounds(numbers, labels))
            }
        }
    }
}

const TAKES_LENGTH: &str = "takes a column and a number of characters";
const TAKES_BOUNDS: &str = "takes a column and numbers that ascend";

impl fmt::Display for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arguments::None => Ok(()),
            Arguments::Length(length) => write!(f, ",{length}"),
            Arguments::Bounds(numbers, _) => {
                let mut numbers = numbers.iter();
                numbers.try_for_each(|number| write!(f, ",{}", number.text))
            }
        }
    }
}
