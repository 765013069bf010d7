//! The statement that options of a command are short for.

use std::fmt;

use super::canonical;
use super::names::{Clause, RowNames};
use super::{Filter, bind};
use crate::error::Error;
use crate::fec::schema::{CONTRIBUTION_TYPES, Schema};
use crate::join::Partners;
use crate::sql::projection::SelectList;
use sqlparser::ast::SelectItem;

/// The clauses of a statement, each as SQL. It is written on one line.
///
/// ```
/// use fecscan::sql::Shorthand;
/// let statement = Shorthand {
///     select: vec!["NAME".to_owned(), "amount".to_owned()],
///     from: Shorthand::files(&["itcont.txt"]),
///     conditions: vec!["amount >= 1000".to_owned()],
///     limit: Some(10),
///     ..Shorthand::default()
/// };
/// let expected = "SELECT NAME, amount FROM 'itcont.txt' WHERE amount >= 1000 LIMIT 10";
/// assert_eq!(statement.to_string(), expected);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shorthand {
    /// What is selected.
    pub select: Vec<String>,
    /// The table, with an alias perhaps.
    pub from: String,
    /// Whole clauses, such as `LEFT JOIN 'cm.txt' AS cm ON cm.CMTE_ID = indiv.CMTE_ID`.
    pub joins: Vec<String>,
    /// All must be true.
    pub conditions: Vec<String>,
    /// Whether the rows are contributions by individuals.
    pub contributions: bool,
    /// The most rows.
    pub limit: Option<u64>,
}

impl Shorthand {
    /// Returns files as FROM names them: a path, or all rows of several.
    pub fn files<P: AsRef<str>>(paths: &[P]) -> String {
        let quoted = |path: &P| format!("'{}'", path.as_ref().replace('\'', "''"));
        if let [path] = paths {
            return quoted(path);
        }
        let selects = paths
            .iter()
            .map(|path| format!("SELECT * FROM {}", quoted(path)));
        format!("({})", selects.collect::<Vec<_>>().join(" UNION ALL "))
    }

    /// Returns a list of columns of rows that are called `own`, if they are joined with `partners`.
    #[cfg_attr(
        not(feature = "cli"),
        expect(dead_code, reason = "the program shows statements")
    )]
    pub(crate) fn list(
        list: &SelectList,
        schema: Schema,
        partners: &Partners,
        own: Option<&str>,
    ) -> Result<Vec<String>, Error> {
        let all = || own.map_or("*".to_owned(), |own| format!("{own}.*"));
        if list.is_empty() {
            return Ok(vec![all()]);
        }
        let written = list.parts.iter().map(|part| {
            let mut names = RowNames::new(schema, partners, Clause::List);
            for item in &part.items {
                if let SelectItem::UnnamedExpr(tree)
                | SelectItem::ExprWithAlias { expr: tree, .. } = item
                {
                    let bound = bind::expression(tree, &mut names);
                    bound.map_err(|wrong| wrong.error_in(&part.text))?;
                }
            }
            Ok(canonical::in_statement(&part.text, &names.named, own))
        });
        written.collect()
    }

    /// Returns the conditions of a filter on such rows.
    #[cfg_attr(
        not(feature = "cli"),
        expect(dead_code, reason = "the program shows statements")
    )]
    pub(crate) fn conditions(
        filter: &Filter,
        schema: Schema,
        own: Option<&str>,
    ) -> Result<Vec<String>, Error> {
        let written = filter.conditions.iter().map(|condition| {
            let mut names = RowNames::new(schema, &filter.partners, Clause::Condition);
            let bound = names.condition(&condition.tree);
            bound.map_err(|wrong| wrong.error_in(&condition.text))?;
            Ok(canonical::in_statement(&condition.text, &names.named, own))
        });
        written.collect()
    }
}

impl fmt::Display for Shorthand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SELECT {} FROM {}", self.select.join(", "), self.from)?;
        self.joins
            .iter()
            .try_for_each(|join| write!(f, " {join}"))?;
        let mut conditions = self.conditions.clone();
        if conditions.len() + usize::from(self.contributions) > 1 {
            // An OR binds less than the AND between conditions.
            conditions = conditions.iter().map(|of| format!("({of})")).collect();
        }
        if self.contributions {
            let types = CONTRIBUTION_TYPES.map(|kind| format!("'{kind}'"));
            conditions.push(format!("TRANSACTION_TP IN ({})", types.join(", ")));
        }
        if !conditions.is_empty() {
            write!(f, " WHERE {}", conditions.join(" AND "))?;
        }
        match self.limit {
            Some(limit) => write!(f, " LIMIT {limit}"),
            None => Ok(()),
        }
    }
}
