//! Expressions, bound: columns have numbers, and every part has its type.

use std::sync::Arc;

use super::functions::{Function, Prepared};
use super::types::Type;
use super::value::Value;

/// An expression and the type of its values.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) of: Node,
    pub(super) gives: Type,
}

/// A part of an expression. Operands have the type that the operator takes: the binder casts them.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// The column with this number.
    Column(usize),
    Literal(Value),
    Cast(Box<Expression>, OnFailure),
    Arithmetic(Operator, Box<[Expression; 2]>),
    Negate(Box<Expression>),
    Compare(Comparison, Box<[Expression; 2]>),
    /// Both are NULL, or none is and both are equal.
    IsNotDistinct(Box<[Expression; 2]>),
    /// All are true.
    And(Vec<Expression>),
    /// One is true.
    Or(Vec<Expression>),
    Not(Box<Expression>),
    IsNull(Box<Expression>),
    /// Equal to one of these values, in their order. With NULL among them, no value is unequal to all.
    In(Box<Expression>, Arc<[Value]>, bool),
    /// The value after the first condition that is true, else the last.
    Case(Vec<[Expression; 2]>, Box<Expression>),
    /// The greatest or the least of values, of which NULL is none.
    Extreme(Comparison, Vec<Expression>),
    /// Texts one after the other, with this one between two. NULL is none.
    Concat(Vec<Expression>, Box<[u8]>),
    Call(&'static Function, Vec<Expression>, Prepared),
    /// What the step with this number makes, which runs first.
    Subquery(usize, Outcome),
    /// Equal to a value of the one column of what the step with this number makes.
    InSubquery(Box<Expression>, usize),
}

/// What an expression takes of the rows of a query within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The value of the only row, or NULL.
    Value,
    /// Whether there are rows.
    Exists,
}

/// What becomes of a value that can't be cast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnFailure {
    /// The statement fails: CAST.
    Error,
    /// NULL: TRY_CAST.
    Null,
}

/// An operator of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    /// Gives numbers with a binary exponent.
    Divide,
    /// Gives whole numbers, rounded towards zero.
    DivideWhole,
    Remainder,
    /// A day and a number of days.
    AddDays,
    SubtractDays,
    /// A day and a number of months.
    AddMonths,
    /// The days between two.
    DaysBetween,
}

/// An operator of two values of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Comparison {
    /// Returns the comparison of the second value with the first.
    pub(super) fn turned(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::AtMost => Comparison::AtLeast,
            Comparison::Greater => Comparison::Less,
            Comparison::AtLeast => Comparison::AtMost,
            Comparison::Equal | Comparison::NotEqual => self,
        }
    }

    /// Returns the comparison that holds where this one does not.
    pub(super) fn negated(self) -> Comparison {
        match self {
            Comparison::Equal => Comparison::NotEqual,
            Comparison::NotEqual => Comparison::Equal,
            Comparison::Less => Comparison::AtLeast,
            Comparison::AtMost => Comparison::Greater,
            Comparison::Greater => Comparison::AtMost,
            Comparison::AtLeast => Comparison::Less,
        }
    }
}

/// Both have the same values in all rows. What is prepared follows from the arguments.
impl PartialEq for Expression {
    fn eq(&self, other: &Expression) -> bool {
        self.gives == other.gives && self.of == other.of
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Node) -> bool {
        match (self, other) {
            (Node::Column(one), Node::Column(other)) => one == other,
            // Zero may have a sign, and what is no number equals nothing.
            (Node::Literal(Value::Double(one)), Node::Literal(Value::Double(other))) => {
                one.to_bits() == other.to_bits()
            }
            (Node::Literal(one), Node::Literal(other)) => one == other,
            (Node::Cast(one, how), Node::Cast(other, same)) => one == other && how == same,
            (Node::Arithmetic(one, operands), Node::Arithmetic(other, same)) => {
                one == other && operands == same
            }
            (Node::Compare(one, operands), Node::Compare(other, same)) => {
                one == other && operands == same
            }
            (Node::IsNotDistinct(one), Node::IsNotDistinct(other)) => one == other,
            (Node::Negate(one), Node::Negate(other))
            | (Node::Not(one), Node::Not(other))
            | (Node::IsNull(one), Node::IsNull(other)) => one == other,
            (Node::And(one), Node::And(other)) | (Node::Or(one), Node::Or(other)) => one == other,
            (Node::Concat(one, between), Node::Concat(other, same)) => {
                one == other && between == same
            }
            (Node::In(one, list, null), Node::In(other, same, also)) => {
                one == other && list == same && null == also
            }
            (Node::Case(one, last), Node::Case(other, same)) => one == other && last == same,
            (Node::Extreme(one, all), Node::Extreme(other, same)) => one == other && all == same,
            (Node::Call(one, all, _), Node::Call(other, same, _)) => {
                std::ptr::eq(*one, *other) && all == same
            }
            (Node::Subquery(one, what), Node::Subquery(other, same)) => {
                one == other && what == same
            }
            (Node::InSubquery(one, step), Node::InSubquery(other, same)) => {
                one == other && step == same
            }
            _ => false,
        }
    }
}

impl Expression {
    pub(super) fn literal(value: Value, gives: Type) -> Expression {
        Expression {
            of: Node::Literal(value),
            gives,
        }
    }

    pub(super) fn boolean(of: Node) -> Expression {
        Expression {
            of,
            gives: Type::Boolean,
        }
    }

    /// Returns the value, if it is a literal.
    pub(super) fn as_literal(&self) -> Option<&Value> {
        match &self.of {
            Node::Literal(value) => Some(value),
            _ => None,
        }
    }

    /// Says whether a condition compares a value with NULL, or is NULL for that reason.
    pub(super) fn compares_null(&self) -> bool {
        let is_null = |of: &Expression| of.as_literal() == Some(&Value::Null);
        match &self.of {
            Node::Literal(_) => is_null(self),
            Node::Compare(_, of) => of.iter().any(is_null),
            Node::And(all) | Node::Or(all) => all.iter().any(Expression::compares_null),
            Node::Not(of) => of.compares_null(),
            _ => false,
        }
    }

    /// Returns the parts of an expression, from left to right.
    pub(super) fn parts(&self) -> Vec<&Expression> {
        match &self.of {
            Node::Column(_) | Node::Literal(_) | Node::Subquery(..) => Vec::new(),
            Node::Cast(of, _) | Node::Negate(of) | Node::Not(of) | Node::IsNull(of) => vec![of],
            Node::In(of, ..) | Node::InSubquery(of, _) => vec![of],
            Node::Arithmetic(_, two) | Node::Compare(_, two) | Node::IsNotDistinct(two) => {
                two.iter().collect()
            }
            Node::And(all) | Node::Or(all) | Node::Extreme(_, all) | Node::Concat(all, _) => {
                all.iter().collect()
            }
            Node::Call(_, all, _) => all.iter().collect(),
            Node::Case(branches, otherwise) => {
                let branches = branches.iter().flatten();
                branches.chain([&**otherwise]).collect()
            }
        }
    }

    /// Returns the parts of an expression, from left to right, to be changed.
    pub(super) fn parts_mut(&mut self) -> Vec<&mut Expression> {
        match &mut self.of {
            Node::Column(_) | Node::Literal(_) | Node::Subquery(..) => Vec::new(),
            Node::Cast(of, _) | Node::Negate(of) | Node::Not(of) | Node::IsNull(of) => vec![of],
            Node::In(of, ..) | Node::InSubquery(of, _) => vec![of],
            Node::Arithmetic(_, two) | Node::Compare(_, two) | Node::IsNotDistinct(two) => {
                two.iter_mut().collect()
            }
            Node::And(all) | Node::Or(all) | Node::Extreme(_, all) | Node::Concat(all, _) => {
                all.iter_mut().collect()
            }
            Node::Call(_, all, _) => all.iter_mut().collect(),
            Node::Case(branches, otherwise) => {
                let branches = branches.iter_mut().flatten();
                branches.chain([&mut **otherwise]).collect()
            }
        }
    }

    /// Returns a column of a type.
    pub(super) fn column(nth: usize, gives: Type) -> Expression {
        Expression {
            of: Node::Column(nth),
            gives,
        }
    }

    /// Lets `change` number each column of the expression anew.
    pub(super) fn each_column_mut(&mut self, change: &mut dyn FnMut(&mut usize)) {
        if let Node::Column(nth) = &mut self.of {
            change(nth);
        }
        for part in self.parts_mut() {
            part.each_column_mut(change);
        }
    }

    /// Says whether a query runs before the value is known.
    fn has_subquery(&self) -> bool {
        matches!(self.of, Node::Subquery(..) | Node::InSubquery(..))
            || self.parts().into_iter().any(Expression::has_subquery)
    }

    /// Calls `see` with the number of each column of the expression.
    pub(super) fn each_column(&self, see: &mut dyn FnMut(usize)) {
        if let Node::Column(nth) = self.of {
            see(nth);
        }
        for part in self.parts() {
            part.each_column(see);
        }
    }

    /// Returns the number of parts, at all depths.
    pub(super) fn size(&self) -> u32 {
        self.parts().iter().fold(1, |size, part| size + part.size())
    }

    /// Says whether the value of a row may be unknowable: [`Fault`](super::evaluate::Fault).
    pub(super) fn may_fail(&self) -> bool {
        let fails = match &self.of {
            Node::Arithmetic(..) | Node::Negate(_) | Node::Cast(_, OnFailure::Error) => true,
            Node::Call(function, ..) => function.may_fail(),
            _ => false,
        };
        fails || self.parts().iter().any(|part| part.may_fail())
    }

    /// Says whether the value is the same in all rows, and known.
    pub(super) fn is_constant(&self) -> bool {
        !self.has_columns() && !self.has_subquery()
    }

    /// Says whether the value may differ from row to row.
    pub(super) fn has_columns(&self) -> bool {
        let mut columns = 0;
        self.each_column(&mut |_| columns += 1);
        columns > 0
    }
}
