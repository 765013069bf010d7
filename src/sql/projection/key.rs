//! Keys of rows, as they are typed, and bound to the rows of files.

use sqlparser::ast::{Expr, Spanned};

use super::bind::Binding;
use super::{ColumnKind, ExportColumns, Types, ValueForm};
use crate::error::Error;
use crate::fec::schema::Schema;
use crate::sql::bind;
use crate::sql::expression::Node;
use crate::sql::messages::Wrong;
use crate::sql::names::{Clause, RowNames};
use crate::sql::parse;
use crate::sql::select::title_of;

/// A key of rows: columns, and expressions of them.
#[derive(Clone, Debug)]
pub(crate) struct RowKey {
    text: String,
    parts: Vec<Expr>,
}

impl RowKey {
    /// Parses a key such as `CMTE_ID, upper(NAME)`.
    ///
    /// # Errors
    /// If the text is no list of expressions. The error names the line and the column.
    pub(crate) fn parse(text: &str) -> Result<RowKey, Error> {
        let parts = parse::expressions(text, "key").map_err(|wrong| wrong.error_in(text))?;
        let text = text.to_owned();
        Ok(RowKey { text, parts })
    }

    /// Returns the names of the parts, with commas between them.
    pub(crate) fn name(&self) -> String {
        let names = self.parts.iter().map(title_of);
        names.collect::<Vec<_>>().join(",")
    }

    /// Finds the parts in rows of `schema`. A column is its bytes in the row, of whatever type; any other expression is text.
    ///
    /// # Errors
    /// If the schema lacks a column, if types do not fit, or if a part is the same in all rows.
    pub(crate) fn bind(&self, schema: Schema) -> Result<ExportColumns, Error> {
        let mut names = RowNames::new(schema, Clause::List);
        let mut bound = Binding::new(Types::Raw, ValueForm::Text, ColumnKind::Column);
        for part in &self.parts {
            let pushed = push_part(part, &mut names, &mut bound);
            pushed.map_err(|wrong| wrong.error_in(&self.text))?;
        }
        Ok(bound.finish())
    }
}

fn push_part(part: &Expr, names: &mut RowNames, bound: &mut Binding) -> Result<(), Wrong> {
    let of = bind::expression(part, names)?;
    let mut has_column = false;
    of.each_column(&mut |_| has_column = true);
    if !has_column {
        let what = format!("{part} is the same in all rows, so it is not a key");
        let advice = "name a column, such as CMTE_ID or #1";
        return Err(Wrong::other(what, advice, part.span()));
    }
    match of.of {
        Node::Column(nth) => bound.push_in_row(title_of(part), names.read[nth].place),
        _ => bound.push(title_of(part), &of, &names.read, &names.shown),
    }
    Ok(())
}
