//! Folds of closures.

use std::marker::PhantomData;

use super::Fold;
use crate::error::Error;
use crate::input::Part;
use crate::scan::{Need, Row, Rows};

/// Makes a fold of closures: `add` sees one row after the other, with the named columns, and `merge` joins the states of two
/// workers. [`Query::fold`](crate::Query::fold) runs it.
///
/// Workers take tasks as they come, so rows and states have another order in each run. The result must not depend on it.
///
/// ```
/// use fecscan::{Counts, by_row};
///
/// # fn main() -> Result<(), fecscan::Error> {
/// let by_state = by_row(
///     ["STATE"],
///     Counts::default,
///     |states, row| states.add(row.column(0).unwrap_or_default(), 1),
///     Counts::merge,
/// );
/// let mut states = fecscan::scan(["fixtures/generated.txt"]).fold(by_state)?;
/// assert_eq!(states.most_common(1).lines, 100);
/// # Ok(())
/// # }
/// ```
///
/// Columns may be known at run time only, and `add` may fail, which ends the run:
///
/// ```
/// use fecscan::{Error, ErrorKind, by_row};
///
/// let columns = vec!["NAME".to_owned(), "STATE".to_owned()];
/// let longest = by_row(
///     &columns,
///     usize::default,
///     |longest, row| {
///         for nth in 0..columns.len() {
///             let value = row.column(nth);
///             let value = value.ok_or_else(|| Error::new(ErrorKind::Input, "a row lacks a column"))?;
///             *longest = value.len().max(*longest);
///         }
///         Ok(())
///     },
///     |longest, other| *longest = other.max(*longest),
/// );
/// let error = fecscan::scan(["fixtures/cut-off-row.txt"]).fold(longest).unwrap_err();
/// assert_eq!(error.to_string(), "fixtures/cut-off-row.txt: a row lacks a column (byte 1140)");
/// ```
pub fn by_row<P: Send, R: RowResult>(
    columns: impl IntoIterator<Item = impl AsRef<str>>,
    start: impl Fn() -> P + Sync,
    add: impl Fn(&mut P, Row<'_>) -> R + Sync,
    merge: impl Fn(&mut P, P) + Sync,
) -> impl Fold<Partial = P> {
    let columns = columns.into_iter();
    ByRow {
        columns: columns.map(|column| column.as_ref().to_owned()).collect(),
        start,
        add,
        merge,
        partial: PhantomData,
    }
}

/// What a closure returns that adds a row: nothing, or an error.
pub trait RowResult {
    /// Returns the error, if there is one.
    fn into_result(self) -> Result<(), Error>;
}

impl RowResult for () {
    fn into_result(self) -> Result<(), Error> {
        Ok(())
    }
}

impl RowResult for Result<(), Error> {
    fn into_result(self) -> Result<(), Error> {
        self
    }
}

struct ByRow<P, S, A, M> {
    columns: Vec<String>,
    start: S,
    add: A,
    merge: M,
    partial: PhantomData<fn() -> P>,
}

impl<P, R, S, A, M> Fold for ByRow<P, S, A, M>
where
    P: Send,
    R: RowResult,
    S: Fn() -> P + Sync,
    A: Fn(&mut P, Row<'_>) -> R + Sync,
    M: Fn(&mut P, P) + Sync,
{
    type Partial = P;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        let schema = part.certain_schema()?;
        let columns = self.columns.iter().map(|name| schema.column(name));
        Ok(Need::Rows(columns.collect::<Result<_, _>>()?))
    }

    fn partial(&self) -> P {
        (self.start)()
    }

    fn rows(&self, rows: &Rows<'_>, partial: &mut P) -> Result<(), Error> {
        rows.iter().try_for_each(|row| {
            let added = (self.add)(partial, row).into_result();
            added.map_err(|error| {
                let byte = error.byte().unwrap_or(row.byte());
                error.at_byte(byte)
            })
        })
    }

    fn merge(&self, into: &mut P, from: P) {
        (self.merge)(into, from);
    }
}
