//! The functions. A function is one entry in a table: its name, what it takes and gives, how it is evaluated, and a line of help.

pub(super) mod dates;
pub(super) mod like;
mod numbers;
mod padding;
mod patterns;
mod re2;
mod texts;

use std::fmt;

use self::like::Like;
use self::patterns::Replacement;
use super::evaluate::Fault;
use super::expression::Expression;
use super::types::Type;
use super::value::Value;
use super::vector::{Data, Mask, Texts, Values, each};
use crate::scan::ROWS;

/// A function of the values of a row.
#[derive(Debug)]
pub(super) struct Function {
    /// The names, the usual one first. An operator has a name that no identifier has.
    pub(super) names: &'static [&'static str],
    /// What the arguments are.
    takes: &'static [Parameter],
    /// How many arguments at the end may be left out.
    optional: usize,
    gives: Gives,
    kernel: Kernel,
    /// Prepares what arguments that are the same in all rows say, such as a regular expression.
    prepare: fn(&[Expression]) -> Result<Prepared, String>,
    /// What the function makes, with an example.
    pub(super) help: &'static str,
}

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parameter {
    Text,
    Whole,
    Date,
    Number,
    /// A text that is the same in all rows.
    TextLiteral,
    /// A whole number that is the same in all rows.
    WholeLiteral,
}

/// The type of the values.
#[derive(Clone, Copy, Debug)]
enum Gives {
    Always(Type),
    /// One that depends on the arguments.
    Of(fn(&[Expression]) -> Type),
}

/// How the values are made, one row after the other. The row's values are not NULL.
#[derive(Clone, Copy)]
enum Kernel {
    Text(fn(Row<'_>, &mut Vec<u8>)),
    Boolean(fn(Row<'_>) -> bool),
    /// A whole number, or a day.
    Whole(fn(Row<'_>) -> i128),
    /// The same, if it can be known.
    Number(fn(Row<'_>) -> Result<i128, Fault>),
    /// A number in the type of the result.
    Typed(fn(Row<'_>, Type, Type) -> Result<Value, Fault>),
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kernel")
    }
}

/// What is known of a call before the first row.
#[derive(Clone, Debug)]
pub(super) enum Prepared {
    Nothing,
    Like(Like),
    Regex(regex::bytes::Regex, Replacement),
    /// Part of a date, or a format.
    Part(dates::Part),
    Format(Box<[dates::Directive]>),
    /// The digits behind the point of the first argument.
    Scale(u8),
}

/// The values of a row for a function.
#[derive(Clone, Copy)]
struct Row<'v> {
    arguments: &'v [Values<'v>],
    prepared: &'v Prepared,
    row: usize,
}

impl<'v> Row<'v> {
    fn text(self, nth: usize) -> &'v [u8] {
        self.arguments[nth].text(self.row)
    }

    fn whole(self, nth: usize) -> i128 {
        self.arguments[nth].wide(self.row)
    }

    /// Returns a whole number between bounds that no text reaches.
    fn place(self, nth: usize) -> i64 {
        let place = self.whole(nth).clamp(-(1 << 40), 1 << 40);
        place as i64
    }

    fn has(self, nth: usize) -> bool {
        nth < self.arguments.len()
    }

    fn day(self, nth: usize) -> u32 {
        self.whole(nth) as u32
    }
}

/// Why a call is wrong, for [`messages`](super::messages).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WrongCall {
    /// The function takes another number of arguments.
    Count,
    /// The argument with this number has another type.
    Argument(usize),
    /// The argument with this number has to be a literal.
    NoLiteral(usize),
    /// A literal is wrong.
    Literal(String),
}

impl Function {
    /// Returns the entry with a name, in any case.
    pub(super) fn named(name: &str) -> Option<&'static Function> {
        Function::all().find(|function| {
            let mut names = function.names.iter();
            names.any(|known| known.eq_ignore_ascii_case(name))
        })
    }

    pub(super) fn all() -> impl Iterator<Item = &'static Function> {
        let tables = [
            texts::TABLE,
            padding::TABLE,
            patterns::TABLE,
            dates::TABLE,
            numbers::TABLE,
        ];
        tables.into_iter().flatten()
    }

    /// Returns the type that the argument with this number has to have, where it has one of another: a literal may be cast to it.
    pub(super) fn wanted(&self, nth: usize, is: Type) -> Option<Type> {
        match self.takes.get(nth)? {
            Parameter::Text | Parameter::TextLiteral => Some(Type::Varchar),
            Parameter::Whole | Parameter::WholeLiteral => {
                Some(if is.is_whole() { is } else { Type::BigInt })
            }
            Parameter::Date => Some(Type::Date),
            Parameter::Number => Some(if is.is_number() { is } else { Type::Double }),
        }
    }

    /// Checks arguments. Returns the type of the values, and what is prepared.
    pub(super) fn bind(&self, arguments: &[Expression]) -> Result<(Type, Prepared), WrongCall> {
        let most = self.takes.len();
        if !(most - self.optional..=most).contains(&arguments.len()) {
            return Err(WrongCall::Count);
        }
        for (nth, (argument, takes)) in arguments.iter().zip(self.takes).enumerate() {
            let is_right = match takes {
                Parameter::Text | Parameter::TextLiteral => argument.gives == Type::Varchar,
                Parameter::Whole | Parameter::WholeLiteral => argument.gives.is_whole(),
                Parameter::Date => argument.gives == Type::Date,
                Parameter::Number => argument.gives.is_number(),
            };
            if !is_right {
                return Err(WrongCall::Argument(nth));
            }
            let is_literal = matches!(takes, Parameter::TextLiteral | Parameter::WholeLiteral);
            if is_literal && argument.as_literal().is_none() {
                return Err(WrongCall::NoLiteral(nth));
            }
        }
        let gives = match self.gives {
            Gives::Always(gives) => gives,
            Gives::Of(gives) => gives(arguments),
        };
        let prepared = (self.prepare)(arguments).map_err(WrongCall::Literal)?;
        Ok((gives, prepared))
    }

    /// Says whether a row's value may be unknowable.
    pub(super) fn may_fail(&self) -> bool {
        matches!(self.kernel, Kernel::Number(_) | Kernel::Typed(_))
    }

    /// Returns the number of arguments that the function takes, at least and at most.
    pub(super) fn arguments(&self) -> [usize; 2] {
        [self.takes.len() - self.optional, self.takes.len()]
    }

    /// Returns what the argument with this number is, in words.
    pub(super) fn parameter(&self, nth: usize) -> &'static str {
        match self.takes[nth] {
            Parameter::Text => "a text",
            Parameter::Whole => "a whole number",
            Parameter::Date => "a DATE",
            Parameter::Number => "a number",
            Parameter::TextLiteral => "a text in single quotes",
            Parameter::WholeLiteral => "a whole number such as 2",
        }
    }

    /// Evaluates the function in some rows, none of whose arguments is NULL.
    pub(super) fn call<'b>(
        &self,
        arguments: &[Values<'b>],
        prepared: &Prepared,
        gives: Type,
        rows: Mask,
    ) -> Result<Values<'b>, Fault> {
        let at = |row| Row {
            arguments,
            prepared,
            row,
        };
        let mut fault = None;
        let data = match self.kernel {
            Kernel::Text(make) => {
                let (texts, _) = Texts::made(rows, |row, out| {
                    make(at(row), out);
                    true
                });
                Data::Text(texts)
            }
            Kernel::Boolean(decide) => {
                let mut mask = 0;
                each(rows, |row| mask |= Mask::from(decide(at(row))) << row);
                Data::Boolean(mask)
            }
            Kernel::Whole(make) => {
                let mut numbers = [0; ROWS];
                each(rows, |row| numbers[row] = make(at(row)));
                super::evaluate::numbers_of(numbers, gives)
            }
            Kernel::Number(make) => {
                let mut numbers = [0; ROWS];
                each(rows, |row| match make(at(row)) {
                    Ok(number) => numbers[row] = number,
                    Err(error) => fault = Some(error),
                });
                super::evaluate::numbers_of(numbers, gives)
            }
            Kernel::Typed(make) => {
                let (mut numbers, mut doubles) = ([0; ROWS], [0.0; ROWS]);
                let from = self.type_of_first(arguments);
                each(rows, |row| match make(at(row), from, gives) {
                    Ok(Value::Double(number)) => doubles[row] = number,
                    Ok(Value::Whole(number)) => numbers[row] = number,
                    Ok(_) => {}
                    Err(error) => fault = Some(error),
                });
                if gives == Type::Double {
                    Data::Double(doubles)
                } else {
                    super::evaluate::numbers_of(numbers, gives)
                }
            }
        };
        fault.map_or(Ok(Values { valid: rows, data }), Err)
    }

    fn type_of_first(&self, arguments: &[Values<'_>]) -> Type {
        match arguments.first().map(|first| &first.data) {
            Some(Data::Double(_)) => Type::Double,
            _ => Type::BigInt,
        }
    }
}

/// Prepares nothing.
fn nothing(_: &[Expression]) -> Result<Prepared, String> {
    Ok(Prepared::Nothing)
}

/// Returns the text of an argument that is a literal.
fn literal_text(arguments: &[Expression], nth: usize) -> Option<String> {
    let text = arguments.get(nth)?.as_literal()?.bytes()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// A function of a text, for entries.
const OF_TEXT: Function = Function {
    names: &[],
    takes: &[Parameter::Text],
    optional: 0,
    gives: Gives::Always(Type::Varchar),
    kernel: Kernel::Boolean(|_| false),
    prepare: nothing,
    help: "",
};

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_those_of_one_function_and_each_has_help() {
        let mut known = HashSet::new();
        for function in Function::all() {
            for name in function.names {
                assert!(known.insert(name), "{name}");
            }
            assert!(function.optional <= function.takes.len());
            assert!(!function.help.is_empty(), "{:?}", function.names);
        }
    }
}
