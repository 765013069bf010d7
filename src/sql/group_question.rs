//! Questions of groups in a few words, and the statements that they are short for.

use std::fmt::Write;

use sqlparser::ast::{Expr, SelectItem};

use super::from::From;
use super::messages::Wrong;
use super::parse::{self, START};
use super::select::{has_window, title_of_item};
use crate::error::{Error, escaped};

/// What to group by, and what to make of each group. It is short for a statement:
///
/// ```
/// use fecscan::sql::{From, GroupQuestion};
///
/// let mut question = GroupQuestion::new("STATE, year(date) AS year")?;
/// question.add_sum("amount")?;
/// question.top = Some(10);
/// let mut from = From::new("indiv");
/// from.add_condition("amount >= 1000")?;
/// assert_eq!(
///     question.statement(&from),
///     "SELECT STATE, year(date) AS year, count(*) AS count, sum(amount) FROM indiv \
///      WHERE amount >= 1000 GROUP BY 1, 2 ORDER BY 4 DESC, 1, 2 LIMIT 10"
/// );
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GroupQuestion {
    keys: Vec<SelectItem>,
    aggregates: Vec<SelectItem>,
    /// As typed, without the keys that decide between equal groups.
    orders: Vec<parse::Order>,
    /// The number of groups to list; all of them by default.
    pub top: Option<usize>,
}

impl GroupQuestion {
    /// Parses keys: expressions with commas between them, perhaps with names, as after SELECT.
    ///
    /// # Errors
    /// A usage error if they are none.
    pub fn new(keys: &str) -> Result<GroupQuestion, Error> {
        Ok(GroupQuestion {
            keys: items(keys, "list of keys")?,
            aggregates: Vec::new(),
            orders: Vec::new(),
            top: None,
        })
    }

    /// Adds the sum of an expression.
    ///
    /// # Errors
    /// A usage error if it is none.
    pub fn add_sum(&mut self, of: &str) -> Result<(), Error> {
        let sum = parse::items(of, "expression of a sum").map_err(|wrong| wrong.error_in(of))?;
        let [SelectItem::UnnamedExpr(_)] = &sum[..] else {
            let what = "a sum is of one expression, without a name";
            let instead = "add one after the other";
            return Err(Wrong::other(what, instead, START).error_in(of));
        };
        self.add_aggregates(&format!("sum({of})"))
    }

    /// Adds aggregates, with commas between them, perhaps with names.
    ///
    /// # Errors
    /// A usage error if they are none.
    pub fn add_aggregates(&mut self, list: &str) -> Result<(), Error> {
        let items = items(list, "list of aggregates")?;
        if items.iter().any(|item| has_window(tree_of(item))) {
            let what = "a window function is of the rows of a result";
            let instead = "write the statement, and run it with fecscan sql";
            return Err(Wrong::other(what, instead, START).error_in(list));
        }
        self.aggregates.extend(items);
        Ok(())
    }

    /// Adds orders, as after ORDER BY: keys, aggregates or their names, each perhaps with DESC.
    ///
    /// # Errors
    /// A usage error if they are none.
    pub fn sort_by(&mut self, list: &str) -> Result<(), Error> {
        let orders = parse::orders(list).map_err(|wrong| wrong.error_in(list))?;
        for order in &orders {
            let again = parse::orders(&order.to_string());
            check_printed(again.is_ok_and(|again| again == [order.clone()]))?;
        }
        self.orders.extend(orders);
        Ok(())
    }

    /// Returns the keys, the aggregates and the orders as text.
    pub(crate) fn texts(&self) -> [Vec<String>; 3] {
        let texts = |items: &[SelectItem]| items.iter().map(ToString::to_string).collect();
        let orders = self.orders.iter().map(ToString::to_string);
        [texts(&self.keys), texts(&self.aggregates), orders.collect()]
    }

    /// Returns the number of keys.
    pub fn keys(&self) -> usize {
        self.keys.len()
    }

    /// Returns the number of aggregates.
    pub fn aggregates(&self) -> usize {
        self.aggregates.len()
    }

    /// Returns the expression of a key.
    pub(crate) fn key(&self, nth: usize) -> String {
        tree_of(&self.keys[nth]).to_string()
    }

    /// Says whether an aggregate is a sum or a count, which add up over groups.
    pub(crate) fn adds_up(&self, nth: usize) -> bool {
        let Expr::Function(call) = tree_of(&self.aggregates[nth]) else {
            return false;
        };
        let name = call.name.to_string().to_lowercase();
        let is_distinct = call.to_string().to_lowercase().contains("(distinct");
        ["sum", "count", "count_if"].contains(&&*name) && !is_distinct
    }

    /// Says whether an aggregate is a sum.
    pub(crate) fn is_sum(&self, nth: usize) -> bool {
        matches!(tree_of(&self.aggregates[nth]), Expr::Function(call)
            if call.name.to_string().eq_ignore_ascii_case("sum"))
    }

    /// Says whether an order was asked for.
    pub fn has_order(&self) -> bool {
        !self.orders.is_empty()
    }

    /// Returns the column of the result that groups are ordered by first, if it is one: a key, then the count, then the aggregates.
    pub(crate) fn sorted_by(&self) -> Option<usize> {
        let Some(first) = self.orders.first() else {
            let count = self.keys.len();
            return Some(count + usize::from(!self.aggregates.is_empty()));
        };
        self.column_of(first)
    }

    /// Returns the column of the result that an order names.
    fn column_of(&self, order: &parse::Order) -> Option<usize> {
        let tree = order.expr.to_string();
        if tree.eq_ignore_ascii_case("count") || tree.eq_ignore_ascii_case("count(*)") {
            return Some(self.keys.len());
        }
        if let Ok(number) = tree.parse::<usize>() {
            return number.checked_sub(1);
        }
        let items = self.keys.iter().chain(&self.aggregates);
        let is_it = |item: &SelectItem| {
            let is_named =
                title_of_item(item).is_some_and(|title| title.eq_ignore_ascii_case(&tree));
            is_named || tree_of(item).to_string().eq_ignore_ascii_case(&tree)
        };
        let place = items.clone().position(is_it)?;
        Some(place + usize::from(place >= self.keys.len()))
    }

    /// Checks that no two columns have one title.
    ///
    /// # Errors
    /// A usage error that names them.
    pub(crate) fn check_titles(&self) -> Result<(), Error> {
        let mut known = vec![Some("count".to_owned())];
        for item in self.keys.iter().chain(&self.aggregates) {
            let title = title_of_item(item);
            if known.contains(&title) {
                let title = escaped(title.unwrap_or_default().as_bytes());
                let what = format!("two columns of the answer have the name {title}");
                return Err(Error::usage(what).advise("name one of them with AS"));
            }
            known.push(title);
        }
        Ok(())
    }

    /// Returns the statement: the keys, the count, and the aggregates. Groups are ordered as was asked, else by the first aggregate, else by
    /// the count; equal ones by their keys.
    pub fn statement(&self, from: &From) -> String {
        let shown = |items: &[SelectItem]| {
            let items = items.iter().map(|item| from.item(item));
            items.collect::<Vec<_>>()
        };
        let mut select = shown(&self.keys);
        select.push("count(*) AS count".to_owned());
        select.extend(shown(&self.aggregates));
        let mut statement = format!("SELECT {}", select.join(", "));
        from.write(&mut statement);
        let keys = (1..=self.keys.len()).map(|key| key.to_string());
        let keys: Vec<_> = keys.collect();
        let orders = self.orders.iter().map(|order| {
            let (text, expr) = (order.to_string(), order.expr.to_string());
            // Behind ORDER BY, `#2` is the second column that is selected, and a name perhaps one that AS gives.
            let is_other = expr.contains('#') || from.qualified(&expr) != expr;
            match self.column_of(order).filter(|_| is_other) {
                Some(column) => text.replacen(&expr, &(column + 1).to_string(), 1),
                None => from.qualified(&text),
            }
        });
        let mut orders: Vec<_> = orders.collect();
        if orders.is_empty() {
            let first = self.keys.len() + 1 + usize::from(!self.aggregates.is_empty());
            orders.push(format!("{first} DESC"));
        }
        orders.extend(keys.iter().cloned());
        let _ = write!(statement, " GROUP BY {}", keys.join(", "));
        let _ = write!(statement, " ORDER BY {}", orders.join(", "));
        if let Some(top) = self.top {
            let _ = write!(statement, " LIMIT {top}");
        }
        statement
    }
}

/// Parses what may stand after SELECT, but for `*`.
fn items(list: &str, whole: &'static str) -> Result<Vec<SelectItem>, Error> {
    let items = parse::items(list, whole).map_err(|wrong| wrong.error_in(list))?;
    let is_expression = |item: &SelectItem| {
        matches!(
            item,
            SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. }
        )
    };
    match items.iter().find(|item| !is_expression(item)) {
        None => {
            for item in &items {
                let again = parse::items(&item.to_string(), whole);
                check_printed(again.is_ok_and(|again| again == [item.clone()]))?;
            }
            Ok(items)
        }
        Some(other) => {
            let what = format!("{other} is not an expression");
            Err(Wrong::other(what, "name the columns", START).error_in(list))
        }
    }
}

/// Refuses what is printed as something else.
fn check_printed(is_same: bool) -> Result<(), Error> {
    if is_same {
        return Ok(());
    }
    let what =
        "a text with several quotes in a row, or one behind a backslash, is not supported here";
    Err(Error::usage(what).advise("write the statement: fecscan sql \"SELECT ...\""))
}

fn tree_of(item: &SelectItem) -> &Expr {
    match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => expr,
        _ => unreachable!("items are expressions"),
    }
}
