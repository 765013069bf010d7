//! Files to be joined, as a user names them.

use std::ffi::{OsStr, OsString};

use sqlparser::ast::{BinaryOperator, Expr, Ident, Spanned};
use sqlparser::tokenizer::Span;

use crate::error::Error;
use crate::fec::schema::Schema;
use crate::sql::messages::Wrong;
use crate::sql::parse;

/// A file to be joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    /// The path of the file.
    pub path: OsString,
    pub(crate) on: Option<On>,
}

/// How scanned rows lead to the rows of a named table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct On {
    /// The name of the table.
    pub(crate) name: String,
    /// The expression of a scanned row, or of a table joined before.
    pub(crate) key: Expr,
    /// The column of the table that has the same value.
    pub(crate) column: Ident,
}

impl Join {
    /// Returns a join of committees, candidates or links by the FEC's own keys.
    pub fn new(path: impl AsRef<OsStr>) -> Join {
        Join {
            path: path.as_ref().to_owned(),
            on: None,
        }
    }

    /// Returns a join of any table under a name, as in `zip5(ZIP_CODE) = geo.zip`: an expression of the scanned rows, the
    /// name, and a column of the table.
    ///
    /// ```
    /// use fecscan::sql::Join;
    /// assert!(Join::on("zip.csv", "zip5(zip) = geo.zip").is_ok());
    /// assert!(Join::on("zip.csv", "geo.zip = zip5(zip)").is_ok());
    /// assert!(Join::on("zip.csv", "zip5(zip) = zip").is_err());
    /// ```
    ///
    /// # Errors
    /// A usage error for another form, or a name that a schema has.
    pub fn on(path: impl AsRef<OsStr>, on: &str) -> Result<Join, Error> {
        Ok(Join {
            path: path.as_ref().to_owned(),
            on: Some(On::parse(on).map_err(|wrong| wrong.error_in(on))?),
        })
    }

    /// Returns the name of the table, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.on.as_ref().map(|on| on.name.as_str())
    }
}

impl On {
    fn parse(text: &str) -> Result<On, Wrong> {
        let mut tree = parse::expression(text)?;
        while let Expr::Nested(inner) = tree {
            tree = *inner;
        }
        let span = tree.span();
        let Expr::BinaryOp {
            left,
            op: BinaryOperator::Eq,
            right,
        } = tree
        else {
            return Err(wrong_form(span));
        };
        // Of `cm.CAND_ID = w.CAND_ID`, the table is w.
        let is_of_given = |table: &[Ident; 2]| !is_of_schema(&table[0].value);
        let (key, table) = match (named_column(&left), named_column(&right)) {
            (Some(table), Some(other)) if is_of_given(&table) && !is_of_given(&other) => {
                (*right, table)
            }
            (_, Some(table)) => (*left, table),
            (Some(table), None) => (*right, table),
            (None, None) => return Err(wrong_form(span)),
        };
        let [name, column] = table;
        check_name(&name)?;
        Ok(On {
            name: name.value,
            key,
            column,
        })
    }
}

fn wrong_form(span: Span) -> Wrong {
    let what = "no column of a named table stands alone on a side of the =";
    let instead =
        "write an expression of the rows, and a column of the table: \"zip5(ZIP_CODE) = geo.zip\"";
    Wrong::other(what, instead, span)
}

/// Returns the name of a table, and that of its column.
fn named_column(tree: &Expr) -> Option<[Ident; 2]> {
    let Expr::CompoundIdentifier(parts) = tree else {
        return None;
    };
    let parts: &[Ident; 2] = parts.as_slice().try_into().ok()?;
    Some(parts.clone())
}

/// Says whether `text` has the form of a table's name.
pub fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    bytes
        .next()
        .is_some_and(|byte| is_part(byte) && !byte.is_ascii_digit())
        && bytes.all(is_part)
}

fn is_of_schema(name: &str) -> bool {
    let mut schemas = Schema::ALL.into_iter();
    schemas.any(|schema| schema.name().eq_ignore_ascii_case(name))
}

fn check_name(name: &Ident) -> Result<(), Wrong> {
    let text = &name.value;
    if !is_name(text) {
        let what = format!("'{text}' is not the name of a table");
        let instead = "a name has letters, digits and _, and begins with no digit";
        return Err(Wrong::other(what, instead, name.span));
    }
    if is_of_schema(text) {
        let what = format!("{text} is the name of a schema of the FEC's");
        let instead = format!("choose another for the table, such as {text}2");
        return Err(Wrong::other(what, instead, name.span));
    }
    Ok(())
}
