//! Window functions over a table in memory.
//!
//! The rows are sorted by the keys of PARTITION BY, and then by ORDER BY. Rows that ORDER BY leaves in any order keep theirs in the table, so that the result is
//! the same at any number of threads. Peers are rows of a partition that ORDER BY does not tell apart. The frame of a row is a
//! range of its partition whose ends never move back from one row to the next one, so an aggregate adds each row once and takes
//! it out once.

use std::collections::VecDeque;
use std::ops::Range;

use crate::sql::aggregates::Keeps;
use crate::sql::evaluate::Fault;
use crate::sql::expression::{Comparison, Expression};
use crate::sql::plan::Aggregate;
use crate::sql::table::batch::evaluated;
use crate::sql::table::{Column, Nulls, Order, Table};
use crate::sql::types::Type;
use crate::sql::value::Value;

/// A window function, whose expressions are of the columns of a table.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::sql) struct Window {
    pub(in crate::sql) function: Function,
    pub(in crate::sql) partition: Vec<Expression>,
    pub(in crate::sql) orders: Vec<(Expression, bool, Nulls)>,
    pub(in crate::sql) frame: Frame,
    pub(in crate::sql) gives: Type,
}

#[derive(Clone, Debug, PartialEq)]
pub(in crate::sql) enum Function {
    RowNumber,
    Rank,
    DenseRank,
    PercentRank,
    CumeDist,
    /// The number of the part, of so many.
    Ntile(i64),
    /// The value of the row so many rows ahead, or another one if there is none.
    Shift(Expression, i64, Value),
    First(Expression),
    Last(Expression),
    Aggregate(Aggregate),
}

/// Which rows of the partition an aggregate is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sql) struct Frame {
    pub(in crate::sql) start: Bound,
    pub(in crate::sql) end: Bound,
}

/// An end of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sql) enum Bound {
    /// The first row of the partition, or the last one.
    Unbounded,
    /// The first of the row's peers, or the last one.
    Peer,
    /// The row so many rows ahead, or behind if the number is negative.
    Row(i64),
}

impl Window {
    /// Returns all expressions.
    pub(in crate::sql) fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        let of = match &mut self.function {
            Function::Shift(of, ..) | Function::First(of) | Function::Last(of) => Some(of),
            Function::Aggregate(aggregate) => aggregate.of.first_mut(),
            _ => None,
        };
        let orders = self.orders.iter_mut().map(|(of, ..)| of);
        of.into_iter()
            .chain(&mut self.partition)
            .chain(orders)
            .collect()
    }

    fn of(&self) -> Option<&Expression> {
        match &self.function {
            Function::Shift(of, ..) | Function::First(of) | Function::Last(of) => Some(of),
            Function::Aggregate(aggregate) => aggregate.of.first(),
            _ => None,
        }
    }

    /// Returns the values of all rows of a table.
    fn column(&self, table: &Table) -> Result<Column, Fault> {
        let orders = self.orders.iter().map(|(of, ..)| of);
        let keys: Vec<_> = self.partition.iter().chain(orders).cloned().collect();
        let keys = evaluated(table, &keys)?;
        let of: Vec<_> = self.of().cloned().into_iter().collect();
        let of = evaluated(table, &of)?;
        let partition: Vec<_> = (0..self.partition.len()).map(Order::ascending).collect();
        let mut orders = partition.clone();
        for (nth, &(_, is_descending, nulls)) in self.orders.iter().enumerate() {
            orders.push(Order {
                column: partition.len() + nth,
                is_descending,
                nulls,
            });
        }
        let rows = if orders.is_empty() {
            (0..table.len()).collect()
        } else {
            keys.sorted(&orders, None)
        };
        let mut values = vec![Value::Null; table.len()];
        for range in runs(&rows, |one, other| {
            keys.compare(&partition, one, other).is_eq()
        }) {
            let rows = &rows[range];
            let peers = runs(rows, |one, other| keys.compare(&orders, one, other).is_eq());
            let partition = Partition {
                window: self,
                rows,
                of: of.columns.first(),
                peers: &peers,
            };
            partition.values(&mut values)?;
        }
        let mut column = Column::new(self.gives);
        values.iter().for_each(|value| column.push_value(value));
        Ok(column)
    }
}

/// Returns a table with a further column for each window.
///
/// # Errors
/// If a value can't be known.
pub(in crate::sql) fn with_windows(table: &Table, windows: &[Window]) -> Result<Table, Fault> {
    let mut made = table.clone();
    for window in windows {
        made.columns.push(window.column(table)?);
    }
    Ok(made)
}

/// Returns the ranges of rows that are equal to their neighbours.
fn runs(rows: &[usize], are_equal: impl Fn(usize, usize) -> bool) -> Vec<Range<usize>> {
    let mut start = 0;
    let chunks = rows.chunk_by(|one, other| are_equal(*one, *other));
    let ranges = chunks.map(|chunk| {
        let range = start..start + chunk.len();
        start = range.end;
        range
    });
    ranges.collect()
}

/// The rows of a partition, in their order.
struct Partition<'p> {
    window: &'p Window,
    rows: &'p [usize],
    /// The values that the function is of.
    of: Option<&'p Column>,
    peers: &'p [Range<usize>],
}

impl Partition<'_> {
    /// Puts the value of each row in its place.
    fn values(&self, values: &mut [Value]) -> Result<(), Fault> {
        let mut frames = Frames::new(self);
        for (rank, peers) in self.peers.iter().enumerate() {
            for nth in peers.clone() {
                let value = match &self.window.function {
                    Function::RowNumber => whole(nth + 1),
                    Function::Rank => whole(peers.start + 1),
                    Function::DenseRank => whole(rank + 1),
                    Function::PercentRank => share(peers.start, self.rows.len() - 1),
                    Function::CumeDist => share(peers.end, self.rows.len()),
                    Function::Ntile(parts) => Value::Whole(self.part(nth, *parts).into()),
                    Function::Shift(_, ahead, default) => self
                        .row(nth as i128 + i128::from(*ahead))
                        .map_or_else(|| default.clone(), |row| self.get(row)),
                    Function::First(_) => {
                        let frame = self.frame(nth, peers);
                        let row = (!frame.is_empty()).then_some(frame.start);
                        row.map_or(Value::Null, |nth| self.get(self.rows[nth]))
                    }
                    Function::Last(_) => {
                        let frame = self.frame(nth, peers);
                        let row = (!frame.is_empty()).then(|| frame.end - 1);
                        row.map_or(Value::Null, |nth| self.get(self.rows[nth]))
                    }
                    Function::Aggregate(aggregate) => {
                        frames.aggregate(aggregate, self.frame(nth, peers))?
                    }
                };
                values[self.rows[nth]] = value;
            }
        }
        Ok(())
    }

    fn get(&self, row: usize) -> Value {
        self.of.map_or(Value::Null, |of| of.get(row))
    }

    /// Returns the row with this number in the partition.
    fn row(&self, nth: i128) -> Option<usize> {
        let nth = usize::try_from(nth).ok()?;
        self.rows.get(nth).copied()
    }

    /// Returns which of so many parts, as equal as can be, a row is in. The first ones are larger.
    fn part(&self, nth: usize, parts: i64) -> i64 {
        let (nth, rows) = (nth as i64, self.rows.len() as i64);
        let (size, larger) = (rows / parts, rows % parts);
        let in_larger = larger * (size + 1);
        if nth < in_larger {
            nth / (size + 1) + 1
        } else {
            larger + (nth - in_larger) / size.max(1) + 1
        }
    }

    fn frame(&self, nth: usize, peers: &Range<usize>) -> Range<usize> {
        let at = |ahead: i64| {
            let at = (nth as i128 + i128::from(ahead)).clamp(0, self.rows.len() as i128);
            at as usize
        };
        let Frame { start, end } = self.window.frame;
        let start = match start {
            Bound::Unbounded => 0,
            Bound::Peer => peers.start,
            Bound::Row(ahead) => at(ahead),
        };
        let end = match end {
            Bound::Unbounded => self.rows.len(),
            Bound::Peer => peers.end,
            Bound::Row(ahead) => at(ahead.saturating_add(1)),
        };
        start..end.max(start)
    }
}

fn whole(number: usize) -> Value {
    Value::Whole(number as i128)
}

fn share(of: usize, all: usize) -> Value {
    Value::Double(if all == 0 {
        0.0
    } else {
        of as f64 / all as f64
    })
}

/// The aggregate of frames that move on through a partition.
struct Frames<'p> {
    partition: &'p Partition<'p>,
    /// The rows that were added, of which those before the start are taken out.
    frame: Range<usize>,
    count: usize,
    sum: i128,
    /// Rows that may be the least or the greatest of this frame or of a later one: the best one is in front.
    best: VecDeque<usize>,
}

impl<'p> Frames<'p> {
    fn new(partition: &'p Partition<'p>) -> Frames<'p> {
        Frames {
            partition,
            frame: 0..0,
            count: 0,
            sum: 0,
            best: VecDeque::new(),
        }
    }

    /// Returns the value of a frame, which neither starts nor ends before the last one.
    fn aggregate(&mut self, aggregate: &Aggregate, frame: Range<usize>) -> Result<Value, Fault> {
        let keeps = &aggregate.function.keeps;
        if aggregate.of.is_empty() {
            return Ok(whole(frame.len()));
        }
        for nth in self.frame.end..frame.end {
            self.add(nth, keeps, aggregate.gives())?;
        }
        for nth in self.frame.start..frame.start {
            self.take_out(nth);
        }
        self.frame = frame;
        let column = self.partition.of.expect("it is of something");
        Ok(match keeps {
            Keeps::Count => whole(self.count),
            _ if self.count == 0 => Value::Null,
            Keeps::Total(value) => value(aggregate, self.sum, self.count as u64),
            _ => column.get(self.partition.rows[*self.best.front().expect("one")]),
        })
    }

    fn add(&mut self, nth: usize, keeps: &Keeps, gives: Type) -> Result<(), Fault> {
        let rows = self.partition.rows;
        let column = self.partition.of.expect("it is of something");
        let value = column.get(rows[nth]);
        if value == Value::Null {
            return Ok(());
        }
        self.count += 1;
        match keeps {
            Keeps::Total(_) => {
                let sum = self.sum.checked_add(units(&value));
                self.sum = sum.ok_or(Fault::OutOfRange(gives))?;
            }
            Keeps::Extreme(wanted) => {
                let is_worse = |known: &usize| {
                    let order = column.compare(rows[*known], rows[nth], Nulls::Last);
                    if *wanted == Comparison::Less {
                        order.is_gt()
                    } else {
                        order.is_lt()
                    }
                };
                while self.best.back().is_some_and(is_worse) {
                    self.best.pop_back();
                }
                self.best.push_back(nth);
            }
            _ => {}
        }
        Ok(())
    }

    fn take_out(&mut self, nth: usize) {
        let column = self.partition.of.expect("it is of something");
        let value = column.get(self.partition.rows[nth]);
        if value == Value::Null {
            return;
        }
        self.count -= 1;
        self.sum -= units(&value);
        if self.best.front() == Some(&nth) {
            self.best.pop_front();
        }
    }
}

/// Returns the whole number, or the units of a decimal.
fn units(value: &Value) -> i128 {
    match value {
        Value::Whole(number) | Value::Decimal { units: number, .. } => *number,
        _ => 0,
    }
}
