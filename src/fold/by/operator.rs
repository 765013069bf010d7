//! Operators of conditions on groups.

use std::cmp::Ordering;

/// An operator between a count or an aggregate and a value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Operator {
    /// As it is typed.
    pub(super) name: &'static str,
    /// Whether it holds of a value that is less, equal, greater.
    holds: [bool; 3],
}

/// The operators. Where several begin alike, the longest stands first.
static OPERATORS: [Operator; 6] = [
    Operator {
        name: "<=",
        holds: [true, true, false],
    },
    Operator {
        name: ">=",
        holds: [false, true, true],
    },
    Operator {
        name: "!=",
        holds: [true, false, true],
    },
    Operator {
        name: "=",
        holds: [false, true, false],
    },
    Operator {
        name: "<",
        holds: [true, false, false],
    },
    Operator {
        name: ">",
        holds: [false, false, true],
    },
];

impl Operator {
    /// Finds the operator at the beginning of `text`.
    pub(super) fn at(text: &str) -> Option<&'static Operator> {
        OPERATORS
            .iter()
            .find(|operator| text.starts_with(operator.name))
    }

    /// Says whether it holds of a value that compares so with the value after it.
    pub(super) fn holds(&self, ordering: Ordering) -> bool {
        self.holds[(ordering as i8 + 1) as usize]
    }
}
