//! The errors of statements that run, and of partials of them. They have no place in the statement.

use crate::error::{Error, ErrorKind};
use crate::fec::number::plain;
use crate::fec::schema::Schema;
use crate::sql::evaluate::Fault;
use crate::sql::messages::shown;
use crate::sql::types::{Type, WIDTH_MAX};
use crate::sql::value::Value;

impl Fault {
    /// Returns the error for a row whose value can't be known.
    pub(in crate::sql) fn error(&self) -> Error {
        let error = |what: String, advice: &str| Error::new(ErrorKind::Input, what).advise(advice);
        let wider = match self {
            Fault::OutOfRange(Type::Decimal(WIDTH_MAX, _)) => Type::Double,
            Fault::OutOfRange(Type::Decimal(_, scale)) => Type::Decimal(WIDTH_MAX, *scale),
            _ => Type::HugeInt,
        };
        match self {
            Fault::OutOfRange(Type::Date) => error(
                "a day of a row is outside of the years 1 to 9999".to_owned(),
                "leave such rows out",
            ),
            Fault::OutOfRange(of) => error(
                format!("a number of a row is outside of the range of {of}"),
                &format!("cast what it is made of to a wider type: CAST(x AS {wider})"),
            ),
            Fault::DivisionByZero => error(
                "a row divides by zero".to_owned(),
                "divide by NULL instead, which gives NULL: x // nullif(y, 0)",
            ),
            Fault::NoCast(value, to) => error(
                format!("the value {} of a row is not of type {to}", shown(value)),
                instead_of(value, *to),
            ),
            Fault::Refused(why) => error((*why).to_owned(), "leave such rows out"),
        }
    }
}

/// Says what to do with a value that a cast refuses. To make NULL of a number with separators would lose the number.
fn instead_of(value: &Value, to: Type) -> &'static str {
    let is_number = |decimal| match value {
        Value::Text(text) => to.is_number() && plain(text, decimal).is_some(),
        _ => false,
    };
    if is_number(b'.') {
        "take its commas out: replace(x, ',', '')"
    } else if is_number(b',') {
        "write its comma as a point: replace(replace(x, '.', ''), ',', '.')"
    } else {
        "TRY_CAST makes NULL of such values"
    }
}

/// Returns the error for a query that should have one row.
pub(in crate::sql) fn several_rows(rows: usize) -> Error {
    let what = format!("a query within an expression has {rows} rows, and can have one");
    Error::new(ErrorKind::Input, what).advise("add LIMIT 1, or take an aggregate such as max")
}

/// Returns the error for a joined table that is too large.
pub(in crate::sql) fn no_room_for_join() -> Error {
    let what = "memory has no room for the smaller one of two joined tables";
    Error::new(ErrorKind::Input, what)
        .advise("choose its rows and columns in a query first: JOIN (SELECT .. FROM .. WHERE ..)")
}

/// Returns the error for a partial of rows.
pub(in crate::sql) fn partial_of_rows(schema: Schema) -> Error {
    let what = format!(
        "the statement selects rows of {}, and a partial holds groups",
        schema.subject()
    );
    Error::usage(what)
        .advise("add GROUP BY or aggregates; to write rows in parts, export ranges of the file")
}

/// Returns the error for a partial of a table that the statement reads twice.
pub(in crate::sql) fn partial_of_two_passes(schema: Schema) -> Error {
    let what = format!(
        "the statement reads {} more than once, and a partial is of one pass",
        schema.subject()
    );
    Error::usage(what).advise("write partials of a statement that names it once in FROM")
}

/// Returns the error for a partial of a sample of rows.
pub(in crate::sql) fn partial_of_sample() -> Error {
    let what = "a partial has the groups of all rows, and the statement takes a sample";
    Error::usage(what).advise("leave out USING SAMPLE, or write the sample to a file first")
}

/// Returns the error for a partial of a table that the statement does not read.
pub(in crate::sql) fn partial_of_nothing() -> Error {
    Error::usage("the statement does not read the table of the first file")
        .advise("name a file of another table first")
}

/// Returns the error for results of queries within others that are too large.
pub(in crate::sql) fn no_room_for_tables() -> Error {
    let what = "the tables of inner queries and joins are larger than memory has room for";
    Error::new(ErrorKind::Input, what).advise("choose fewer rows and columns there, or group")
}
