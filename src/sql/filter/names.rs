//! What names mean in a condition: columns of the rows, and of joined tables.

use std::sync::Arc;

use sqlparser::ast::{self, Expr};
use sqlparser::tokenizer::Span;

use super::canonical::Named;
use crate::fec::schema::Schema;
use crate::join::{Found, Partners};
use crate::sql::bind::{self, Names};
use crate::sql::expression::{Expression, Node};
use crate::sql::file::{self, Joined, Read};
use crate::sql::messages::Wrong;
use crate::sql::scope::ScopeTable;
use crate::sql::types::Type;

/// Finds the columns of conditions on rows of a schema.
pub(super) struct ConditionNames<'p> {
    table: ScopeTable,
    schema: Schema,
    partners: &'p Partners,
    /// The columns that are read, by their numbers in expressions.
    pub(super) read: Vec<Read>,
    /// The columns that are named, in their order.
    pub(super) named: Vec<Named>,
    depth: usize,
}

impl<'p> ConditionNames<'p> {
    pub(super) fn new(schema: Schema, partners: &'p Partners) -> ConditionNames<'p> {
        ConditionNames {
            schema,
            table: file::table(0, schema, None),
            partners,
            read: Vec::new(),
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
            self.read.push(read);
            self.read.len() - 1
        })
    }

    /// Returns the column of a joined table, or of the rows by the name of their table.
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
        if let Some(column) = &joined {
            self.partners.refuse_several(column).map_err(wrong)?;
        }
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

impl Names for ConditionNames<'_> {
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
            is_joined: read.joined.is_some(),
        });
        let gives = read.gives;
        Ok(Expression {
            of: Node::Column(self.number(read)),
            gives,
        })
    }

    fn aggregate(&mut self, call: &ast::Function, span: Span) -> Result<Expression, Wrong> {
        Err(Wrong::aggregate_here(
            &call.name.to_string(),
            "a condition",
            span,
        ))
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
