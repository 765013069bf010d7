//! Operators of conditions: of those on rows, and of those on groups.

use std::cmp::Ordering;

use super::predicate::Compare;

/// An operator between a key and its values.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Operator {
    /// As it is typed.
    pub(crate) name: &'static str,
    pub(super) takes: Takes,
    /// What the predicate of a row that passes says.
    pub(super) wanted: bool,
}

/// What stands after an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// Values with commas between them.
    Values,
    /// The beginning of a value.
    Prefix,
    /// A number, a date, or a value of the function before the operator.
    Value(Compare),
    /// A regular expression.
    Expression,
}

impl Operator {
    const fn new(name: &'static str, takes: Takes, wanted: bool) -> Operator {
        Operator {
            name,
            takes,
            wanted,
        }
    }

    /// Says whether it is that of `--contributions`, which is not typed.
    pub(super) fn is_unnamed(&self) -> bool {
        self.name.is_empty()
    }

    /// Says whether it compares values that have an order.
    pub(crate) fn compares(&self) -> bool {
        matches!(self.takes, Takes::Values | Takes::Value(_))
    }

    /// Says whether it holds of a value that compares so with the value after it.
    pub(crate) fn holds(&self, ordering: Ordering) -> bool {
        match self.takes {
            Takes::Value(compare) => compare.holds(ordering),
            _ => ordering.is_eq() == self.wanted,
        }
    }
}

/// The operators, in the order of help texts. Where several begin alike, the longest is meant.
pub(super) static OPERATORS: [Operator; 9] = [
    Operator::new("=", Takes::Values, true),
    Operator::new("!=", Takes::Values, false),
    Operator::new("<", Takes::Value(Compare::Less), true),
    Operator::new("<=", Takes::Value(Compare::AtMost), true),
    Operator::new(">", Takes::Value(Compare::Greater), true),
    Operator::new(">=", Takes::Value(Compare::AtLeast), true),
    Operator::new("~", Takes::Expression, true),
    Operator::new("!~", Takes::Expression, false),
    Operator::new("^=", Takes::Prefix, true),
];

/// The operator of `--contributions`, which has no name as a condition.
pub(super) static UNNAMED: Operator = Operator::new("", Takes::Values, true);

/// What other languages write, and what to write here.
const FOREIGN_OPERATORS: [(&str, &str); 5] = [
    ("==", "="),
    ("=~", "~"),
    ("=>", ">="),
    ("=<", "<="),
    ("<>", "!="),
];

/// Finds the operator at the beginning of `text`. Returns its form there, which may be that of another language, and the operator.
pub(crate) fn operator_at(text: &str) -> Option<(&'static str, &'static Operator)> {
    let ours = OPERATORS.iter().map(|ours| (ours.name, ours.name));
    let known = ours
        .chain(FOREIGN_OPERATORS)
        .filter(|(typed, _)| text.starts_with(typed));
    let (typed, name) = known.max_by_key(|(typed, _)| typed.len())?;
    let operator = OPERATORS.iter().find(|operator| operator.name == name);
    operator.map(|operator| (typed, operator))
}
