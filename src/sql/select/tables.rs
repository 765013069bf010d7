//! The tables that a statement names, before it is bound.

use sqlparser::ast::{
    self, Expr, FunctionArguments, InTarget, JoinConstraint, JoinOperator, OrderByKind, Query,
    SelectItem, SetExpr, Spanned, TableFactor, WindowType,
};
use sqlparser::tokenizer::Span;

use super::items::children;
use crate::sql::bind;
use crate::sql::messages::Wrong;
use crate::sql::parse::START;
use crate::sql::parse::refused;

/// What FROM names: a path, or a schema.
#[derive(Clone, Debug)]
pub(in crate::sql) struct TableName {
    pub(in crate::sql) name: String,
    /// Whether it stands in quotes.
    pub(in crate::sql) is_path: bool,
    /// Whether these are the quotes of a text.
    pub(super) is_text: bool,
    pub(in crate::sql) span: Span,
}

impl TableName {
    /// Returns the name of a table, and its alias.
    pub(super) fn of(table: &TableFactor) -> Result<(TableName, Option<&ast::TableAlias>), Wrong> {
        refused::of_table(table)?;
        let TableFactor::Table { name, alias, .. } = table else {
            unreachable!("others are refused");
        };
        let span = name.span();
        let [part] = &name.0[..] else {
            let what = format!("{name} is not a schema");
            let advice = format!("a file stands in single quotes: FROM '{name}'");
            return Err(Wrong::other(what, advice, span));
        };
        let ident = part.as_ident();
        let ident = ident.ok_or_else(|| Wrong::no_table(&name.to_string(), span))?;
        let name = TableName {
            name: ident.value.clone(),
            is_path: ident.quote_style.is_some(),
            is_text: ident.quote_style == Some('\''),
            span,
        };
        Ok((name, alias.as_ref()))
    }

    /// Says whether both name the same files.
    pub(super) fn is(&self, other: &TableName) -> bool {
        self.is_path == other.is_path
            && if self.is_path {
                self.name == other.name
            } else {
                self.name.eq_ignore_ascii_case(&other.name)
            }
    }
}

/// Returns the tables that a query names, each once, without those of WITH.
pub(in crate::sql) fn tables(query: &Query) -> Vec<TableName> {
    let mut found = Found::default();
    found.query(query);
    found.tables
}

/// Returns the condition that ON says.
fn condition_of(join: &ast::Join) -> Option<&Expr> {
    match &join.join_operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint) => match constraint {
            JoinConstraint::On(condition) => Some(condition),
            _ => None,
        },
        _ => None,
    }
}

#[derive(Default)]
struct Found {
    tables: Vec<TableName>,
    /// The names of WITH.
    named: Vec<String>,
}

impl Found {
    fn query(&mut self, query: &Query) {
        let named = self.named.len();
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.query(&cte.query);
            self.named.push(cte.alias.name.value.clone());
        }
        self.set(&query.body);
        if let Some(OrderByKind::Expressions(orders)) =
            query.order_by.as_ref().map(|order| &order.kind)
        {
            orders.iter().for_each(|order| self.expression(&order.expr));
        }
        self.named.truncate(named);
    }

    fn set(&mut self, body: &SetExpr) {
        match body {
            SetExpr::Select(select) => self.select(select),
            SetExpr::Query(query) => self.query(query),
            SetExpr::SetOperation { left, right, .. } => {
                self.set(left);
                self.set(right);
            }
            _ => {}
        }
    }

    fn select(&mut self, select: &ast::Select) {
        for from in &select.from {
            self.factor(&from.relation);
            for join in &from.joins {
                self.factor(&join.relation);
                condition_of(join)
                    .iter()
                    .for_each(|condition| self.expression(condition));
            }
        }
        for item in &select.projection {
            if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item {
                self.expression(expr);
            }
        }
        if let ast::GroupByExpr::Expressions(keys, _) = &select.group_by {
            keys.iter().for_each(|key| self.expression(key));
        }
        let conditions = [&select.selection, &select.having, &select.qualify];
        let conditions = conditions.into_iter().flatten();
        conditions.for_each(|condition| self.expression(condition));
    }

    fn factor(&mut self, table: &TableFactor) {
        if let TableFactor::Derived { subquery, .. } = table {
            return self.query(subquery);
        }
        let Ok((name, _)) = TableName::of(table) else {
            return;
        };
        let mut named = self.named.iter();
        let is_named = named.any(|known| known.eq_ignore_ascii_case(&name.name)) && !name.is_text;
        if !is_named && !self.tables.iter().any(|known| known.is(&name)) {
            self.tables.push(name);
        }
    }

    fn expression(&mut self, tree: &Expr) {
        match tree {
            Expr::Subquery(query) => self.query(query),
            Expr::Exists { subquery, .. } => self.query(subquery),
            Expr::In {
                expr,
                target: InTarget::Subquery(query),
                ..
            } => {
                self.expression(expr);
                self.query(query);
            }
            Expr::Function(function) => self.call(function),
            other => {
                let mut parts = Vec::new();
                children(other, &mut parts);
                parts.into_iter().for_each(|part| self.expression(part));
            }
        }
    }

    fn call(&mut self, function: &ast::Function) {
        if let FunctionArguments::Subquery(query) = &function.args {
            self.query(query);
        }
        let arguments = bind::arguments_of(function, START).unwrap_or_default();
        let window = match &function.over {
            Some(WindowType::WindowSpec(spec)) => Some(spec),
            _ => None,
        };
        let orders = window.iter().flat_map(|spec| &spec.order_by);
        let window = window.iter().flat_map(|spec| &spec.partition_by);
        let all = window.chain(orders.map(|order| &order.expr));
        let all = all.chain(function.filter.as_deref()).chain(arguments);
        all.for_each(|part| self.expression(part));
    }
}
