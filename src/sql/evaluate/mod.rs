//! Evaluates expressions in up to 32 rows side by side.

mod arithmetic;
mod cast;
mod compare;

use self::arithmetic::arithmetic;
use self::cast::cast;
use self::compare::compare;
use super::expression::{Comparison, Expression, Node, Operator};
use super::types::Type;
use super::value::Value;
use super::vector::{Data, Mask, Texts, Values, each, first};
use crate::scan::ROWS;

/// Rows whose columns have types.
pub(super) trait Batch {
    /// Returns the number of rows, at most [`ROWS`].
    fn rows(&self) -> usize;

    /// Returns the values of a column.
    fn column(&self, nth: usize) -> Values<'_>;

    /// Returns a number that ascends with the rows of a part of the input: the byte at which the line of a row begins.
    fn place(&self, _row: usize) -> u64 {
        0
    }

    /// Returns the row of the batch that was scanned of which a joined row is made.
    fn scanned_row(&self, row: usize) -> usize {
        row
    }

    /// Returns how many rows of the input a row stands for.
    fn multiplicity(&self, _row: usize) -> u64 {
        1
    }
}

/// Why the value of a row can't be known. The statement fails, as it does in DuckDB.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fault {
    /// The number is outside of the range of its type.
    OutOfRange(Type),
    /// A division by zero.
    DivisionByZero,
    /// A value that can't be cast.
    NoCast(Value, Type),
    /// A function does not take the value.
    Refused(&'static str),
}

/// No columns, for expressions that are the same in all rows.
struct Nothing;

impl Batch for Nothing {
    fn rows(&self) -> usize {
        1
    }

    fn column(&self, _: usize) -> Values<'_> {
        Values::null()
    }
}

impl Expression {
    /// Returns the value of an expression without columns.
    pub(super) fn constant(&self) -> Result<Value, Fault> {
        let values = self.values(&Nothing, 1)?;
        Ok(values.get(0, self.gives))
    }

    /// Returns the values in the rows of a batch that are `active`; others are unspecified. A fault of another row is none.
    pub(super) fn values<'b>(
        &'b self,
        batch: &'b dyn Batch,
        active: Mask,
    ) -> Result<Values<'b>, Fault> {
        match &self.of {
            Node::Column(nth) => Ok(batch.column(*nth)),
            Node::Literal(value) => Ok(Values::same(value, batch.rows())),
            Node::Cast(of, on_failure) => {
                let values = of.values(batch, active)?;
                cast(values, of.gives, self.gives, *on_failure, active)
            }
            Node::Arithmetic(operator, operands) => {
                let [one, other] = both(operands, batch, active)?;
                arithmetic(*operator, &one, &other, self.gives, active)
            }
            Node::Negate(of) => {
                let zero = Value::Whole(0);
                let (zero, values) = (Values::same(&zero, ROWS), of.values(batch, active)?);
                if let Data::Double(numbers) = &values.data {
                    let data = Data::Double(numbers.map(|number| -number));
                    return Ok(Values { data, ..values });
                }
                arithmetic(Operator::Subtract, &zero, &values, self.gives, active)
            }
            Node::Compare(comparison, operands) => {
                let [one, other] = both(operands, batch, active)?;
                let valid = one.valid & other.valid;
                let holds = compare(*comparison, &one, &other, valid & active);
                Ok(Values {
                    valid,
                    data: Data::Boolean(holds),
                })
            }
            Node::IsNotDistinct(operands) => {
                let [one, other] = both(operands, batch, active)?;
                let valid = one.valid & other.valid;
                let equal = compare(Comparison::Equal, &one, &other, valid & active);
                Ok(Values {
                    valid: first(batch.rows()),
                    data: Data::Boolean(equal & valid | !(one.valid | other.valid)),
                })
            }
            Node::And(all) => connect(all, batch, active, true),
            Node::Or(all) => connect(all, batch, active, false),
            Node::Not(of) => {
                let values = of.values(batch, active)?;
                Ok(Values {
                    valid: values.valid,
                    data: Data::Boolean(values.is_false()),
                })
            }
            Node::IsNull(of) => {
                let values = of.values(batch, active)?;
                Ok(Values {
                    valid: first(batch.rows()),
                    data: Data::Boolean(!values.valid),
                })
            }
            Node::In(of, list, has_null) => {
                let values = of.values(batch, active)?;
                let mut found = 0;
                each(values.valid & active, |row| {
                    let value = values.get(row, of.gives);
                    let is_in = list.binary_search_by(|known| known.compare(&value)).is_ok();
                    found |= Mask::from(is_in) << row;
                });
                let valid = if *has_null { found } else { values.valid };
                Ok(Values {
                    valid,
                    data: Data::Boolean(found),
                })
            }
            Node::Case(branches, otherwise) => self.case(branches, otherwise, batch, active),
            Node::Extreme(wanted, all) => {
                let mut best = Chosen::new(self.gives);
                for of in all {
                    let values = of.values(batch, active)?;
                    let both = values.valid & best.values.valid;
                    let better = compare(*wanted, &values, &best.values, both & active);
                    best.choose(&values, values.valid & (better | !best.values.valid));
                }
                Ok(best.values)
            }
            Node::Concat(all, separator) => {
                let all = all.iter().map(|of| of.values(batch, active));
                let all = all.collect::<Result<Vec<_>, _>>()?;
                let (texts, valid) = Texts::made(first(batch.rows()), |row, out| {
                    let there = all.iter().filter(|values| values.valid >> row & 1 == 1);
                    for (nth, values) in there.enumerate() {
                        if nth > 0 {
                            out.extend_from_slice(separator);
                        }
                        out.extend_from_slice(values.text(row));
                    }
                    true
                });
                Ok(Values {
                    valid,
                    data: Data::Text(texts),
                })
            }
            Node::Subquery(..) | Node::InSubquery(..) => {
                unreachable!("queries within others have run, and are literals")
            }
            Node::Call(function, arguments, prepared) => {
                let all = arguments.iter().map(|of| of.values(batch, active));
                let all = all.collect::<Result<Vec<_>, _>>()?;
                let valid = all
                    .iter()
                    .fold(first(batch.rows()), |valid, v| valid & v.valid);
                function.call(&all, prepared, self.gives, valid & active)
            }
        }
    }

    fn case<'b>(
        &'b self,
        branches: &'b [[Expression; 2]],
        otherwise: &'b Expression,
        batch: &'b dyn Batch,
        active: Mask,
    ) -> Result<Values<'b>, Fault> {
        let mut chosen = Chosen::new(self.gives);
        let mut left = active & first(batch.rows());
        for [condition, result] in branches {
            let holds = condition.values(batch, left)?.is_true() & left;
            if holds != 0 {
                chosen.choose(&result.values(batch, holds)?, holds);
            }
            left &= !holds;
        }
        if left != 0 {
            chosen.choose(&otherwise.values(batch, left)?, left);
        }
        Ok(chosen.values)
    }
}

/// Returns NULL of a type in all rows.
pub(super) fn nulls(of: Type) -> Values<'static> {
    Chosen::new(of).values
}

/// Values that are put together from others of the same type.
pub(super) struct Chosen {
    pub(super) values: Values<'static>,
}

impl Chosen {
    pub(super) fn new(of: Type) -> Chosen {
        let data = match of {
            Type::Null | Type::Boolean => Data::Boolean(0),
            Type::Integer | Type::BigInt | Type::HugeInt | Type::Decimal(..) | Type::Date => {
                Data::Whole([0; ROWS])
            }
            Type::Double => Data::Double([0.0; ROWS]),
            Type::Varchar => Data::Text(Texts::Made(Vec::new(), [[0; 2]; ROWS])),
        };
        Chosen {
            values: Values { valid: 0, data },
        }
    }

    /// Takes the values of some rows, NULL or not.
    pub(super) fn choose(&mut self, from: &Values<'_>, rows: Mask) {
        let into = &mut self.values;
        into.valid = into.valid & !rows | from.valid & rows;
        let there = rows & from.valid;
        if let (Data::Whole(numbers), Data::Wide(_)) = (&into.data, &from.data) {
            into.data = Data::Wide(Box::new(numbers.map(i128::from)));
        }
        match &mut into.data {
            Data::Boolean(mask) => *mask = *mask & !there | from.is_true() & there,
            Data::Whole(numbers) => each(there, |row| numbers[row] = from.wide(row) as i64),
            Data::Wide(numbers) => each(there, |row| numbers[row] = from.wide(row)),
            Data::Double(numbers) => each(there, |row| numbers[row] = from.double(row)),
            Data::Text(Texts::Made(bytes, spans)) => each(there, |row| {
                let start = bytes.len() as u32;
                bytes.extend_from_slice(from.text(row));
                spans[row] = [start, bytes.len() as u32];
            }),
            Data::Text(_) => unreachable!("texts are made"),
        }
    }
}

fn both<'b>(
    operands: &'b [Expression; 2],
    batch: &'b dyn Batch,
    active: Mask,
) -> Result<[Values<'b>; 2], Fault> {
    let [one, other] = operands;
    Ok([one.values(batch, active)?, other.values(batch, active)?])
}

/// Evaluates AND, or OR: the first operand that is not `neutral` decides. Later ones see only the rows that are undecided.
fn connect<'b>(
    all: &'b [Expression],
    batch: &'b dyn Batch,
    active: Mask,
    neutral: bool,
) -> Result<Values<'b>, Fault> {
    let rows = first(batch.rows());
    let (mut decided, mut unknown) = (0, 0);
    for of in all {
        let values = of.values(batch, active & !decided)?;
        decided |= active
            & if neutral {
                values.is_false()
            } else {
                values.is_true()
            };
        unknown |= !values.valid;
        if decided == active & rows {
            break;
        }
    }
    let valid = rows & (decided | !unknown);
    let holds = if neutral { !decided } else { decided };
    Ok(Values {
        valid,
        data: Data::Boolean(holds),
    })
}

/// Returns numbers in the width of their type.
pub(super) fn numbers_of(numbers: [i128; ROWS], of: Type) -> Data<'static> {
    match of {
        Type::HugeInt | Type::Decimal(..) => Data::Wide(Box::new(numbers)),
        _ => Data::Whole(numbers.map(|number| number as i64)),
    }
}
