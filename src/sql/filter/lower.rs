//! Lowers a condition to clauses of fast predicates. A row passes if one predicate of each clause holds.
//!
//! A condition without a fast predicate stays an expression. A text of a file is never NULL, so a predicate of texts may be negated. A
//! predicate of numbers may be NULL, so NOT turns its comparison around.

use std::sync::Arc;

use super::predicate::{Pattern, Predicate, Truth};
use super::ranges::intersect;
use super::word_test::WordTest;
use crate::sql::expression::{Comparison, Expression, Node};
use crate::sql::file::Read;
use crate::sql::functions::Prepared;
use crate::sql::functions::dates::Part;
use crate::sql::functions::like::Like;
use crate::sql::types::Type;
use crate::sql::value::Value;

/// A predicate of a column.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    /// The place of the column; without meaning for an expression, which knows its columns.
    pub(super) column: usize,
    pub(super) predicate: Predicate,
    /// What the predicate must say.
    pub(super) wanted: bool,
}

/// The most clauses that `a AND b OR c AND d` is multiplied out to.
const CLAUSES_MOST: usize = 8;

/// Lowers a condition on columns that are `read`.
pub(super) fn clauses(condition: &Expression, read: &[Read]) -> Vec<Vec<Atom>> {
    let mut clauses = Vec::new();
    for conjunct in conjuncts(condition) {
        match lowered(conjunct, true, read) {
            Some(more) => clauses.extend(more),
            None => clauses.push(vec![expression(conjunct, read)]),
        }
    }
    intersect(&mut clauses);
    clauses
}

/// Returns the conditions that must all hold.
pub(in crate::sql) fn conjuncts(condition: &Expression) -> Vec<&Expression> {
    match &condition.of {
        Node::And(all) => all.iter().flat_map(conjuncts).collect(),
        _ => vec![condition],
    }
}

/// Returns the clauses of a condition, or of its negation, if each part has a fast predicate.
fn lowered(of: &Expression, wanted: bool, read: &[Read]) -> Option<Vec<Vec<Atom>>> {
    match (&of.of, wanted) {
        (Node::Not(of), _) => lowered(of, !wanted, read),
        (Node::And(all), true) | (Node::Or(all), false) => {
            let mut clauses = Vec::new();
            for of in all {
                clauses.extend(lowered(of, wanted, read)?);
            }
            intersect(&mut clauses);
            Some(clauses)
        }
        (Node::Or(all), true) | (Node::And(all), false) => {
            let mut product = vec![Vec::new()];
            for of in all {
                let clauses = lowered(of, wanted, read)?;
                if product.len() * clauses.len() > CLAUSES_MOST {
                    return None;
                }
                let pairs = product.iter().flat_map(|before: &Vec<Atom>| {
                    clauses.iter().map(move |more| {
                        let both = before.iter().chain(more);
                        both.map(Atom::clone).collect()
                    })
                });
                product = pairs.collect();
            }
            Some(product)
        }
        _ => alternatives(of, wanted, read).map(|clause| vec![clause]),
    }
}

/// Returns the clause of a condition without AND, OR and NOT, or of its negation.
fn alternatives(of: &Expression, wanted: bool, read: &[Read]) -> Option<Vec<Atom>> {
    if let Node::Compare(comparison, operands) = &of.of {
        let [one, other] = &**operands;
        let (comparison, column, value) = match (one.as_literal(), other.as_literal()) {
            (None, Some(value)) => (*comparison, one, value),
            (Some(value), None) => (comparison.turned(), other, value),
            _ => return None,
        };
        let comparison = if wanted {
            comparison
        } else {
            comparison.negated()
        };
        let fast = match value {
            Value::Text(text) => of_text(comparison, column, text, read),
            value => of_number(comparison, column, value, read),
        };
        if fast.is_some() {
            return fast;
        }
    }
    if let Some((column, predicate)) = of_column(of, read) {
        return Some(vec![Atom {
            column,
            predicate,
            wanted,
        }]);
    }
    // Functions of texts give a value for each.
    let is_of_texts = matches!(of.of, Node::Call(..)) && is_of_texts(of, read);
    (is_of_texts && of.gives == Type::Boolean).then(|| {
        let atom = expression(of, read);
        vec![Atom { wanted, ..atom }]
    })
}

/// Returns the predicate of a column of texts that a list, or a function with literals, is.
fn of_column(of: &Expression, read: &[Read]) -> Option<(usize, Predicate)> {
    match &of.of {
        Node::In(of, list, false) => {
            let column = text_column(of, read)?;
            let texts = list.iter().map(|value| match value {
                Value::Text(text) => Some(text.clone()),
                _ => None,
            });
            let texts = texts.collect::<Option<Vec<_>>>()?;
            Some((column, Predicate::of_texts(texts)))
        }
        Node::Call(function, arguments, prepared) => {
            let column = text_column(arguments.first()?, read)?;
            // A pattern that is NULL has no text.
            let is_null = |of: &Expression| of.as_literal() == Some(&Value::Null);
            if arguments.iter().any(is_null) {
                return None;
            }
            let literal = arguments.get(1).and_then(Expression::as_literal);
            let predicate = match (function.names[0], prepared, literal) {
                ("~~", Prepared::Like(like), _) => match like.plain() {
                    Some((text, true)) => Predicate::of_texts([text.into()]),
                    Some((text, false)) => Predicate::beginning(text),
                    None => Pattern::like(like.clone()),
                },
                ("~~*", Prepared::Like(like), _) => Pattern::ilike(like.clone()),
                ("contains", _, Some(Value::Text(text))) => Pattern::like(Like::containing(text)),
                ("starts_with", _, Some(Value::Text(text))) => Predicate::beginning(text),
                ("regexp_matches", Prepared::Regex(regex, _), _) => {
                    let has_options = arguments.len() > 2;
                    match beginning_of(regex.as_str()).filter(|_| !has_options) {
                        Some(text) => Predicate::beginning(text),
                        None => Pattern::regex(regex.clone(), has_options),
                    }
                }
                _ => return None,
            };
            Some((column, predicate))
        }
        // zip5 of a zip code equals five digits if the zip code begins with them.
        Node::Compare(Comparison::Equal, operands) => {
            let [
                Expression {
                    of: Node::Call(function, arguments, _),
                    ..
                },
                other,
            ] = &**operands
            else {
                return None;
            };
            let column = text_column(arguments.first()?, read)?;
            let Value::Text(text) = other.as_literal()? else {
                return None;
            };
            let is_zip = text.len() == 5 && text.iter().all(u8::is_ascii_digit);
            let is_beginning = function.names[0] == "zip5" && is_zip;
            is_beginning.then(|| (column, Predicate::beginning(text)))
        }
        _ => None,
    }
}

/// Returns `SMITH` of the regular expression `^SMITH`, which has nothing but a beginning.
fn beginning_of(regex: &str) -> Option<&[u8]> {
    let text = regex.strip_prefix('^')?.as_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b" ,'".contains(byte);
    text.iter().all(is_plain).then_some(text)
}

/// Says whether an expression is of texts of a file and literals alone, through functions that give a value for each.
fn is_of_texts(of: &Expression, read: &[Read]) -> bool {
    match &of.of {
        Node::Column(_) => text_column(of, read).is_some(),
        Node::Literal(value) => *value != Value::Null,
        Node::Call(function, arguments, _) => {
            !function.may_fail() && arguments.iter().all(|of| is_of_texts(of, read))
        }
        _ => false,
    }
}

fn of_text(
    comparison: Comparison,
    column: &Expression,
    text: &[u8],
    read: &[Read],
) -> Option<Vec<Atom>> {
    let column = text_column(column, read)?;
    let predicate = match comparison {
        Comparison::Equal | Comparison::NotEqual => Predicate::of_texts([text.into()]),
        other => Predicate::Text(other, text.into()),
    };
    let wanted = comparison != Comparison::NotEqual;
    Some(vec![Atom {
        column,
        predicate,
        wanted,
    }])
}

/// Returns the ranges of the numbers or days that compare so with a literal.
fn of_number(
    comparison: Comparison,
    column: &Expression,
    value: &Value,
    read: &[Read],
) -> Option<Vec<Atom>> {
    let is_plain = matches!(column.of, Node::Column(_));
    let (column, [least, greatest]) = match &column.of {
        // The column is cast if the literal has more decimals. A cast that can't fail is left out, and units of the literal are compared.
        Node::Cast(of, _) => {
            let (front, _) = of.gives.digits_with(column.gives)?;
            let decimals = column.gives.scale()?.checked_sub(of.gives.scale()?)?;
            if front > column.gives.width()? - column.gives.scale()? {
                return None;
            }
            (&**of, equal_to(value, decimals)?)
        }
        Node::Call(function, arguments, prepared) => {
            let days = days_of_part(function.names[0], prepared, value)?;
            (arguments.last()?, days)
        }
        _ => (column, equal_to(value, 0)?),
    };
    let Node::Column(nth) = column.of else {
        return None;
    };
    let read = read.get(nth)?;
    let is_whole = is_plain && read.gives == Type::BigInt;
    let reading = read.reading();
    if reading.is_none() && !is_whole {
        return None;
    }
    let (before, after) = (least.checked_sub(1)?, greatest.checked_add(1)?);
    let ranges: &[[i128; 2]] = match comparison {
        Comparison::Equal => &[[least, greatest]],
        Comparison::NotEqual => &[[i128::MIN, before], [after, i128::MAX]],
        Comparison::Less => &[[i128::MIN, before]],
        Comparison::AtMost => &[[i128::MIN, greatest]],
        Comparison::Greater => &[[after, i128::MAX]],
        Comparison::AtLeast => &[[least, i128::MAX]],
    };
    // Of numbers that are read side by side, the least one stands for none.
    let smallest = i64::MIN + i64::from(!is_whole);
    let bound = |bound: i128| bound.clamp(smallest.into(), i64::MAX.into()) as i64;
    let atoms = ranges.iter().map(|range| {
        let is_possible = range[0] <= i64::MAX.into() && range[1] >= smallest.into();
        let range = if is_possible {
            range.map(bound)
        } else {
            [1, 0]
        };
        Atom {
            column: read.place,
            predicate: match reading {
                Some(reading) => Predicate::Range(reading, range),
                None => Predicate::WholeRange(range),
            },
            wanted: true,
        }
    });
    Some(atoms.collect())
}

/// Returns the range of the numbers that equal a literal with `decimals` more decimals than theirs. The range of a literal between two numbers
/// is empty: it begins above the literal and ends below.
fn equal_to(value: &Value, decimals: u8) -> Option<[i128; 2]> {
    let units = match *value {
        Value::Decimal { units, .. } => units,
        Value::Whole(number) => number,
        Value::Date(day) => day.into(),
        _ => return None,
    };
    let factor = 10_i128.checked_pow(decimals.into())?;
    let below = units.div_euclid(factor);
    let is_exact = units.rem_euclid(factor) == 0;
    Some([below + i128::from(!is_exact), below])
}

/// Returns the range of the days, as `YYYYMMDD`, whose year or truncated day equals a literal. The range of a literal that is no first day
/// is empty.
fn days_of_part(function: &str, prepared: &Prepared, value: &Value) -> Option<[i128; 2]> {
    let (days, part, is_exact) = match (function, prepared, value) {
        ("year", _, Value::Whole(year)) => (10_000, *year, true),
        ("date_trunc", Prepared::Part(Part::Year), Value::Date(day)) => {
            (10_000, i128::from(day / 10_000), day % 10_000 == 101)
        }
        ("date_trunc", Prepared::Part(Part::Month), Value::Date(day)) => {
            (100, i128::from(day / 100), day % 100 == 1)
        }
        _ => return None,
    };
    let first = part.checked_mul(days)?;
    let last = first.checked_add(days - 1)?;
    Some(if is_exact {
        [first, last]
    } else {
        [last + 1, last]
    })
}

/// Returns the place of a column of texts that stand in the file as they are.
fn text_column(of: &Expression, read: &[Read]) -> Option<usize> {
    let Node::Column(nth) = of.of else {
        return None;
    };
    let read = read.get(nth)?;
    read.is_plain().then_some(read.place)
}

/// Returns a predicate that evaluates an expression, whose columns get numbers of their own.
pub(super) fn expression(of: &Expression, read: &[Read]) -> Atom {
    let mut numbers: Vec<usize> = Vec::new();
    of.each_column(&mut |nth| {
        if !numbers.contains(&nth) {
            numbers.push(nth);
        }
    });
    let mut expression = of.clone();
    let place = |nth: usize| numbers.iter().position(|known| *known == nth);
    expression.each_column_mut(&mut |nth| *nth = place(*nth).unwrap_or(*nth));
    let own: Vec<_> = numbers.iter().map(|nth| read[*nth].clone()).collect();
    let truth = Truth {
        may_fail: of.may_fail(),
        test: WordTest::of(&expression, &own),
        expression,
        read: own,
    };
    Atom {
        column: 0,
        predicate: Predicate::Expression(Arc::new(truth)),
        wanted: true,
    }
}
