//! What names mean in the clauses of a query: columns, aliases, keys, aggregates.

use sqlparser::ast::{self, Expr, GroupByExpr, Query, Spanned};
use sqlparser::tokenizer::Span;

use super::aggregate::aggregate;
use super::grouping::GroupBy;
use super::has_no_aggregate;
use super::items::{Item, aliases, has_aggregate, has_name, has_window};
use super::queries::Queries;
use super::window::{spec_of, window};
use crate::sql::aggregates::{Function, Takes};
use crate::sql::bind::{self, Names};
use crate::sql::expression::{Expression, Node};
use crate::sql::file::Read;
use crate::sql::messages::Wrong;
use crate::sql::parse::using_sample::UsingSample;
use crate::sql::plan::Aggregate;
use crate::sql::run::window::Window;
use crate::sql::scope::{Named, Scope};
use crate::sql::types::Type;

/// Finds the columns and aggregates that names mean.
pub(super) struct Binder<'t, 'f> {
    pub(super) queries: &'t mut Queries<'f>,
    pub(super) scope: &'t Scope,
    /// The named expressions of SELECT, which other clauses may use.
    pub(super) aliases: Vec<(String, &'t Expr)>,
    pub(super) read: Vec<Read>,
    /// The groups, once the keys are known.
    pub(super) groups: Option<Groups>,
    /// The window functions, whose values are columns from [`WINDOWS`] on.
    pub(super) windows: Vec<Window>,
    /// The windows that have names.
    pub(super) named_windows: &'t [ast::NamedWindowDefinition],
    pub(super) is_in_aggregate: bool,
    pub(super) clause: &'static str,
    /// How many expressions stand within each other.
    pub(super) depth: usize,
}

/// The number of the first column of window functions, until it is known how many others there are.
pub(super) const WINDOWS: usize = usize::MAX / 2;

pub(super) struct Groups {
    pub(super) keys: Vec<Expression>,
    /// Whether GROUP BY names the keys.
    pub(super) are_named: bool,
    pub(super) aggregates: Vec<Aggregate>,
}

impl Names for Binder<'_, '_> {
    fn column(&mut self, table: Option<&str>, name: &ast::Ident) -> Result<Expression, Wrong> {
        let span = name.span;
        if let Some(table) = table.filter(|table| !self.scope.has_table(table)) {
            if self.queries.is_outer(Some(table), &name.value) {
                let name = format!("{table}.{}", name.value);
                return Err(Wrong::correlated(&name, &self.scope.title(), span));
            }
            return Err(Wrong::no_table(table, span));
        }
        let orders = ["ORDER BY", "DISTINCT ON"].contains(&self.clause);
        if orders && name.value.starts_with('#') && name.quote_style.is_none() {
            // There it is a column of SELECT.
            let what = format!("{} in {}", name.value, self.clause);
            return Err(Wrong::unsupported(
                &what,
                "write the column's name, or its number in SELECT",
                span,
            ));
        }
        if name.value.starts_with('#') && table.is_none() && !self.scope.has_numbers() {
            let (name, title) = (&name.value, self.scope.title());
            let what = format!("{name} is a column of a file, and {title} is none");
            return Err(Wrong::other(what, "write the name of the column", span));
        }
        let alias = self.alias(&name.value).filter(|_| table.is_none());
        let found = if alias.is_some_and(|tree| self.wins(&name.value, tree)) {
            None
        } else {
            self.found(table, name)?
        };
        match (found, alias) {
            (Some(_), alias) if self.groups.is_some() => {
                // In HAVING, a name of SELECT wins over a column that is no key.
                match alias.filter(|_| self.clause == "HAVING") {
                    Some(tree) => bind::expression(tree, self),
                    None => Err(Wrong::not_grouped(&name.value, span)),
                }
            }
            (Some(found), _) => Ok(found),
            (None, Some(tree)) if self.clause != "ON" => bind::expression(tree, self),
            _ if self.queries.is_outer(None, &name.value) => {
                Err(Wrong::correlated(&name.value, &self.scope.title(), span))
            }
            _ => Err(self.unknown(table, &name.value, span)),
        }
    }

    fn whole(&mut self, tree: &Expr) -> Result<Option<Expression>, Wrong> {
        let Some(groups) = self.groups.take() else {
            return Ok(None);
        };
        // The same expression of a row is the key.
        let read = self.read.len();
        let bound = if has_aggregate(tree) || has_window(tree) {
            None
        } else {
            bind::expression(tree, self).ok()
        };
        let keys = groups.keys.iter();
        let found = bound
            .filter(|bound| !bound.is_constant())
            .and_then(|bound| {
                let nth = keys.clone().position(|key| *key == bound)?;
                Some(Expression {
                    of: Node::Column(nth),
                    gives: groups.keys[nth].gives,
                })
            });
        // Columns that only this attempt has read.
        self.read.truncate(read);
        self.groups = Some(groups);
        Ok(found)
    }

    fn aggregate(&mut self, call: &ast::Function, span: Span) -> Result<Expression, Wrong> {
        let name = call.name.to_string();
        let Some(groups) = self.groups.take() else {
            return Err(Wrong::aggregate_here(&name, self.clause, span));
        };
        let keys = groups.keys.len();
        // What it is of is of rows.
        self.is_in_aggregate = true;
        let aggregate = match Function::named(&name.to_lowercase()) {
            Some(function) if function.takes == Takes::Keys => {
                self.grouping(function, call, &groups, span)
            }
            Some(function) => aggregate(function, call, span, self),
            None => Err(Wrong::no_function(&name, None, span)),
        };
        self.is_in_aggregate = false;
        let mut groups = groups;
        let bound = aggregate.map(|aggregate| {
            let gives = aggregate.gives();
            let nth = place_of(&mut groups.aggregates, aggregate);
            Expression {
                of: Node::Column(keys + nth),
                gives,
            }
        });
        self.groups = Some(groups);
        bound
    }

    fn window(&mut self, call: &ast::Function, span: Span) -> Result<Expression, Wrong> {
        let name = call.name.to_string();
        if self.is_in_aggregate {
            return Err(Wrong::window_here(&name, "an aggregate", span));
        }
        if !["SELECT", "QUALIFY", "ORDER BY"].contains(&self.clause) {
            return Err(Wrong::window_here(&name, self.clause, span));
        }
        let over = call.over.as_ref().expect("a window function has OVER");
        let spec = spec_of(over, self.named_windows)?;
        let clause = std::mem::replace(&mut self.clause, "a window");
        let window = window(call, spec, self, span);
        self.clause = clause;
        let window = window?;
        let gives = window.gives;
        let nth = place_of(&mut self.windows, window);
        Ok(Expression::column(WINDOWS + nth, gives))
    }

    fn subquery(&mut self, query: &Query) -> Result<(usize, Vec<Type>), Wrong> {
        self.queries.subquery(query, self.scope)
    }

    fn depth(&mut self) -> &mut usize {
        &mut self.depth
    }

    fn is_never_null(&self, of: &Expression) -> bool {
        let Node::Column(nth) = of.of else {
            return false;
        };
        let is_it = |read: &Read| {
            let mut columns = self.scope.tables[read.table].columns.iter();
            columns.any(|column| column.place == read.place && column.is_never_null)
        };
        self.groups.is_none() && self.read.get(nth).is_some_and(is_it)
    }
}

/// Adds an item unless it is there. Returns its place.
pub(super) fn place_of<T: PartialEq>(items: &mut Vec<T>, item: T) -> usize {
    let known = items.iter().position(|known| *known == item);
    known.unwrap_or_else(|| {
        items.push(item);
        items.len() - 1
    })
}

impl<'t, 'f> Binder<'t, 'f> {
    pub(super) fn new(
        select: &'t ast::Select,
        scope: &'t Scope,
        queries: &'t mut Queries<'f>,
    ) -> Binder<'t, 'f> {
        Binder {
            queries,
            scope,
            aliases: aliases(&select.projection),
            read: Vec::new(),
            groups: None,
            windows: Vec::new(),
            named_windows: &select.named_window,
            is_in_aggregate: false,
            clause: "",
            depth: 0,
        }
    }

    /// Returns the sample of the rows of FROM.
    pub(super) fn sample(
        &self,
        select: &ast::Select,
        has_joins: bool,
    ) -> Result<Option<UsingSample>, Wrong> {
        let sample = self.queries.sample_of(select);
        let Some(joined) = sample.filter(|_| has_joins) else {
            return Ok(sample);
        };
        let what = "a sample of joined rows";
        let instead = "join a sample of one table: FROM (FROM indiv USING SAMPLE 1%) i JOIN cm USING (CMTE_ID)";
        Err(Wrong::unsupported(what, instead, joined.span))
    }

    /// Binds the condition of a clause, if it has one.
    pub(super) fn condition(
        &mut self,
        clause: &'static str,
        tree: Option<&Expr>,
    ) -> Result<Option<Expression>, Wrong> {
        self.clause = clause;
        tree.map(|tree| bind::condition(tree, clause, self))
            .transpose()
    }

    /// Binds GROUP BY, whose keys may be items of SELECT. Returns the grouping sets.
    pub(super) fn group_by(
        &mut self,
        query: &Query,
        select: &ast::Select,
        items: &[Item],
    ) -> Result<Vec<Vec<usize>>, Wrong> {
        let group_by = GroupBy {
            binder: self,
            items,
            keys: Vec::new(),
            trees: Vec::new(),
            is_twice: false,
        };
        let are_all = matches!(select.group_by, GroupByExpr::All(_));
        let (keys, sets) = group_by.bind(&select.group_by)?;
        // GROUP BY ALL makes no groups if every item is constant.
        if !(are_all && keys.is_empty() && has_no_aggregate(query, select)) {
            self.groups = Some(Groups {
                are_named: !keys.is_empty() && !are_all,
                keys,
                aggregates: Vec::new(),
            });
        }
        Ok(sets)
    }

    /// Binds the expressions of SELECT.
    pub(super) fn items(&mut self, items: &[Item]) -> Result<Vec<Expression>, Wrong> {
        self.clause = "SELECT";
        let items = items.iter();
        items
            .map(|item| bind::expression(&item.tree, self))
            .collect()
    }

    /// Binds QUALIFY. A window function stands there or in SELECT.
    pub(super) fn qualify(&mut self, tree: Option<&Expr>) -> Result<Option<Expression>, Wrong> {
        let condition = self.condition("QUALIFY", tree)?;
        let Some(tree) = tree.filter(|_| self.windows.is_empty()) else {
            return Ok(condition);
        };
        let what = "QUALIFY without a window function";
        let instead = "write WHERE, or HAVING for groups";
        Err(Wrong::unsupported(what, instead, tree.span()))
    }

    fn unknown(&self, table: Option<&str>, name: &str, span: Span) -> Wrong {
        let mut tables = self.scope.tables.iter();
        let named = table.and_then(|name| tables.find(|of| of.name.eq_ignore_ascii_case(name)));
        match named {
            Some(table) => table.unknown(name, span),
            None => self.scope.unknown(name, span),
        }
    }

    /// Returns a column of a table, which is read then.
    pub(super) fn read(&mut self, table: usize, column: usize) -> Expression {
        let of = &self.scope.tables[table];
        let column = &of.columns[column];
        let read = Read {
            table,
            place: column.place,
            gives: column.gives,
            has_line_breaks: of.has_line_breaks,
        };
        Expression::column(place_of(&mut self.read, read), column.gives)
    }

    /// Returns the column that a name means, if any.
    fn found(
        &mut self,
        table: Option<&str>,
        name: &ast::Ident,
    ) -> Result<Option<Expression>, Wrong> {
        Ok(match self.scope.named(table, &name.value, name.span)? {
            Named::Nothing => None,
            Named::Column(table, column) => Some(self.read(table, column)),
            Named::Merged(merged) => {
                let all = merged.of.iter();
                let all = all.map(|&[table, column]| self.read(table, column));
                Some(bind::coalesced(all.collect(), name.span)?)
            }
        })
    }

    /// Says whether a name of SELECT wins over a column. It wins over `cycle` and `member`, which no table of DuckDB has, but not within its own expression.
    fn wins(&self, name: &str, tree: &Expr) -> bool {
        self.scope.is_extra(name) && !has_name(tree, name)
    }

    /// Returns the expression of SELECT with a name.
    fn alias(&self, name: &str) -> Option<&'t Expr> {
        let mut aliases = self.aliases.iter();
        let found = aliases.find(|(alias, _)| alias.eq_ignore_ascii_case(name));
        found.map(|(_, tree)| *tree)
    }

    /// Binds `grouping(..)`, whose arguments are keys.
    fn grouping(
        &mut self,
        function: &'static Function,
        call: &ast::Function,
        groups: &Groups,
        span: Span,
    ) -> Result<Aggregate, Wrong> {
        if !groups.are_named {
            return Err(Wrong::grouping_without_keys(function, span));
        }
        // Names of SELECT mean nothing here.
        let aliases = std::mem::take(&mut self.aliases);
        let bound = aggregate(function, call, span, self);
        self.aliases = aliases;
        let bound = bound?;
        if bound.of.iter().all(|of| groups.keys.contains(of)) {
            Ok(bound)
        } else {
            Err(Wrong::no_key(function, span))
        }
    }

    /// Refuses a key whose name is the short one of a column, and that of another expression of SELECT.
    pub(super) fn refuse_ambiguous_key(
        &mut self,
        tree: &Expr,
        key: &Expression,
    ) -> Result<(), Wrong> {
        let Expr::Identifier(name) = tree else {
            return Ok(());
        };
        if self.scope.is_extra(&name.value) {
            return Ok(());
        }
        let is_short = match self.scope.named(None, &name.value, name.span)? {
            Named::Column(table, column) => {
                let column = &self.scope.tables[table].columns[column];
                !column.name.eq_ignore_ascii_case(&name.value)
            }
            _ => false,
        };
        let Some(alias) = self.alias(&name.value).filter(|_| is_short) else {
            return Ok(());
        };
        if bind::expression(alias, self).is_ok_and(|alias| alias == *key) {
            return Ok(());
        }
        let what = format!("{} is a column, and a name in SELECT", name.value);
        let advice = "choose another name, or write the number of the column in SELECT: GROUP BY 1";
        Err(Wrong::other(what, advice, name.span))
    }
}
