//! What names mean in expressions of the rows of files: columns of the rows, and of joined tables.

use std::sync::Arc;

use sqlparser::ast::{self, Expr};
use sqlparser::tokenizer::Span;

use super::bind::{self, Names};
use super::canonical::Named;
use super::expression::{Expression, Node};
use super::file::{self, Joined, Read};
use super::messages::Wrong;
use super::scope::ScopeTable;
use super::types::Type;
use crate::fec::schema::Schema;
use crate::join::{Found, Partners};

/// Where expressions of rows stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clause {
    /// A condition of a filter.
    Condition,
    /// A list of columns.
    List,
}

/// Finds the columns of expressions of rows of a schema.
pub(super) struct RowNames<'p> {
    pub(super) table: ScopeTable,
    pub(super) schema: Schema,
    pub(super) partners: &'p Partners,
    clause: Clause,
    /// The columns that are read, by their numbers in expressions.
    pub(super) read: Vec<Read>,
    /// For each of them its shortest name.
    pub(super) shown: Vec<String>,
    /// The columns that are named, in their order.
    pub(super) named: Vec<Named>,
    depth: usize,
}

impl<'p> RowNames<'p> {
    pub(super) fn new(schema: Schema, partners: &'p Partners, clause: Clause) -> RowNames<'p> {
        RowNames {
            schema,
            table: file::table(0, schema, None),
            partners,
            clause,
            read: Vec::new(),
            shown: Vec::new(),
            named: Vec::new(),
            depth: 0,
        }
    }

    /// Binds a condition.
    pub(super) fn condition(&mut self, tree: &Expr) -> Result<Expression, Wrong> {
        bind::condition(tree, "a condition", self)
    }

    /// Returns the number of a column in expressions.
    fn number(&mut self, read: Read) -> usize {
        let known = self.read.iter().position(|known| *known == read);
        known.unwrap_or_else(|| {
            let found = Found {
                place: read.place,
                joined: read.joined.as_ref().map(|joined| joined.column.clone()),
            };
            self.shown.push(self.partners.shown(self.schema, &found));
            self.read.push(read);
            self.read.len() - 1
        })
    }

    /// Returns the column of a joined table, or of the rows by the name of their table, and its name there.
    fn of_partners(&self, name: &str, span: Span) -> Result<(Read, String), Wrong> {
        let schema = self.schema;
        let wrong = |error: crate::Error| Wrong::of_error(&error, span);
        let found = self.partners.column(schema, name).map_err(wrong)?;
        let (of, place) = found.schema_and_place(schema);
        let column = of.column_at(place);
        let shown = column.map_or_else(
            || format!("#{}", place + 1),
            |column| column.name.to_owned(),
        );
        let gives = column.map_or(Type::Varchar, |column| {
            file::type_of(column, of.layout().is_none())
        });
        let Found { place, joined } = found;
        let read = Read {
            table: 0,
            place,
            gives,
            has_line_breaks: joined.is_none() && self.table.has_line_breaks,
            joined: joined.map(|column| {
                let partners = self.partners.clone();
                Arc::new(Joined { partners, column })
            }),
        };
        Ok((read, shown))
    }
}

impl Names for RowNames<'_> {
    fn column(&mut self, table: Option<&str>, name: &ast::Ident) -> Result<Expression, Wrong> {
        let span = name.span;
        let is_own = table.is_none_or(|table| table.eq_ignore_ascii_case(&self.table.name));
        let own = if is_own {
            self.table.column(&name.value, span)?
        } else {
            None
        };
        let (read, shown) = match (own, table) {
            (Some(column), _) => {
                let read = Read {
                    table: 0,
                    place: column.place,
                    gives: column.gives,
                    has_line_breaks: self.table.has_line_breaks,
                    joined: None,
                };
                (read, column.name.clone())
            }
            (None, Some(table)) if !is_own => {
                self.of_partners(&format!("{table}.{}", name.value), span)?
            }
            (None, None) if !self.partners.is_empty() => self.of_partners(&name.value, span)?,
            _ => return Err(self.table.unknown(&name.value, span)),
        };
        self.named.push(Named {
            span,
            name: shown,
            joined: read
                .joined
                .as_ref()
                .map(|joined| joined.column.schema.name()),
        });
        let gives = read.gives;
        Ok(Expression {
            of: Node::Column(self.number(read)),
            gives,
        })
    }

    fn aggregate(&mut self, call: &ast::Function, span: Span) -> Result<Expression, Wrong> {
        let name = call.name.to_string();
        Err(match self.clause {
            Clause::Condition => Wrong::aggregate_here(&name, "a condition", span),
            Clause::List => Wrong::of_many_rows(&format!("the aggregate {name}"), span),
        })
    }

    fn window(&mut self, call: &ast::Function, span: Span) -> Result<Expression, Wrong> {
        let name = call.name.to_string();
        Err(match self.clause {
            Clause::Condition => Wrong::window_here(&name, "a condition", span),
            Clause::List => Wrong::of_many_rows(&format!("the window function {name}"), span),
        })
    }

    fn depth(&mut self) -> &mut usize {
        &mut self.depth
    }

    fn is_never_null(&self, of: &Expression) -> bool {
        match of.of {
            Node::Column(nth) => self
                .read
                .get(nth)
                .is_some_and(|read| read.gives == Type::Varchar && read.joined.is_none()),
            _ => false,
        }
    }
}
