//! What names mean in expressions of the rows of files: columns of the rows, and of tables that they are joined with.

use sqlparser::ast::{self, Expr};
use sqlparser::tokenizer::Span;

use super::bind::{self, Names};
use super::expression::{Expression, Node};
use super::file::{self, Read};
use super::given::{GivenTables, JOINABLE};
use super::messages::Wrong;
use super::parse::canonical::Named;
use super::scope::{Named as Found, Scope, ScopeTable};
use super::types::Type;
use crate::fec::schema::Schema;

/// Where expressions of rows stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clause {
    /// A condition of a filter.
    Condition,
    /// A list of columns.
    List,
}

/// Finds the columns of expressions of rows of a schema.
pub(super) struct RowNames {
    pub(super) table: ScopeTable,
    pub(super) schema: Schema,
    /// The tables that rows are joined with.
    joined: Scope,
    clause: Clause,
    /// The columns that are read, by their numbers in expressions.
    pub(super) read: Vec<Read>,
    /// For each of them its shortest name.
    pub(super) shown: Vec<String>,
    /// The columns that are named, in their order.
    pub(super) named: Vec<Named>,
    depth: usize,
}

impl RowNames {
    pub(super) fn new(schema: Schema, clause: Clause) -> RowNames {
        RowNames {
            schema,
            table: file::table(0, schema, None),
            joined: Scope {
                tables: Vec::new(),
                merged: Vec::new(),
            },
            clause,
            read: Vec::new(),
            shown: Vec::new(),
            named: Vec::new(),
            depth: 0,
        }
    }

    /// Finds the columns of tables that rows are joined with, too.
    pub(super) fn with_tables(mut self, tables: &GivenTables) -> RowNames {
        self.joined.tables = tables.iter().map(|table| table.scope_table()).collect();
        self
    }

    /// Binds a condition.
    pub(super) fn condition(&mut self, tree: &Expr) -> Result<Expression, Wrong> {
        bind::condition(tree, "WHERE", self)
    }

    /// Returns a column, which is read then, and its name.
    fn read(&mut self, read: Read, name: &str) -> Expression {
        let gives = read.gives;
        let known = self.read.iter().position(|known| *known == read);
        let nth = known.unwrap_or_else(|| {
            self.read.push(read);
            self.shown.push(name.to_owned());
            self.read.len() - 1
        });
        Expression::column(nth, gives)
    }
}

/// Returns the error for a table that is not joined.
fn not_joined(table: &str, span: Span) -> Wrong {
    let is_it = |(schema, _): &(Schema, &str)| schema.name().eq_ignore_ascii_case(table);
    if !JOINABLE.iter().any(is_it) {
        return Wrong::no_table(table, span);
    }
    let advice = format!("add --with {}.txt", table.to_lowercase());
    Wrong::other(format!("{table} is not joined"), advice, span)
}

impl Names for RowNames {
    fn column(&mut self, table: Option<&str>, name: &ast::Ident) -> Result<Expression, Wrong> {
        let span = name.span;
        let is_own = table.is_none_or(|table| table.eq_ignore_ascii_case(&self.table.name));
        let own = if is_own {
            self.table.column(&name.value, span)?.cloned()
        } else {
            None
        };
        let (of, nth, column) = match own {
            Some(column) => (&self.table, 0, column),
            None => match self.joined.named(table, &name.value, span)? {
                Found::Column(nth, column) => {
                    let of = &self.joined.tables[nth];
                    (of, nth + 1, of.columns[column].clone())
                }
                _ if is_own => return Err(self.table.unknown(&name.value, span)),
                _ => return Err(not_joined(table.unwrap_or_default(), span)),
            },
        };
        self.named.push(Named {
            span,
            name: column.name.clone(),
            joined: (nth > 0).then(|| of.name.clone()),
        });
        let read = Read {
            table: nth,
            place: column.place,
            gives: column.gives,
            has_line_breaks: of.has_line_breaks,
        };
        Ok(self.read(read, &column.name))
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
                .is_some_and(|read| read.gives == Type::Varchar && read.table == 0),
            _ => false,
        }
    }
}
