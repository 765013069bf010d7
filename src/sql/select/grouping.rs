//! Binds GROUP BY: the keys, and the grouping sets, each of which has some of them.

use sqlparser::ast::{self, Expr, GroupByExpr, Spanned};
use sqlparser::tokenizer::Span;

use super::binder::{Binder, place_of};
use super::items::{Item, has_aggregate, has_window};
use super::order_by::{no_such_column, signed_ordinal, without_parentheses};
use crate::sql::bind;
use crate::sql::expression::Expression;
use crate::sql::messages::Wrong;
use crate::sql::plan::SETS_MOST;

/// The keys of some grouping sets, by their numbers.
type Sets = Vec<Vec<usize>>;

/// The keys of GROUP BY, while they are bound.
pub(super) struct GroupBy<'b, 't, 'f> {
    pub(super) binder: &'b mut Binder<'t, 'f>,
    /// The expressions of SELECT, which numbers mean.
    pub(super) items: &'b [Item],
    pub(super) keys: Vec<Expression>,
    /// The texts of the keys.
    pub(super) trees: Vec<Expr>,
    /// Whether GROUP BY has a key in two ways, which are two keys in DuckDB: `ROLLUP (amount, 1)`.
    pub(super) is_twice: bool,
}

impl GroupBy<'_, '_, '_> {
    /// Binds GROUP BY. Returns the keys and the grouping sets: one of all keys, unless the clause names others.
    pub(super) fn bind(mut self, group_by: &GroupByExpr) -> Result<(Vec<Expression>, Sets), Wrong> {
        self.binder.clause = "GROUP BY";
        let sets = match group_by {
            GroupByExpr::All(modifiers) if modifiers.is_empty() => self.all()?,
            GroupByExpr::Expressions(trees, modifiers) if modifiers.is_empty() => {
                let mut sets = vec![Vec::new()];
                for tree in trees {
                    let factor = self.sets_of(tree)?;
                    sets = product(&sets, &factor, tree.span())?;
                }
                sets
            }
            other => {
                let instead = "write GROUP BY GROUPING SETS (..), ROLLUP (..) or CUBE (..)";
                let span = other.span();
                return Err(Wrong::unsupported(&other.to_string(), instead, span));
            }
        };
        if sets.len() > 1 && self.keys.iter().any(Expression::is_constant) {
            return Err(Wrong::literal_in_sets(group_by.span()));
        }
        if sets.len() > 1 && self.is_twice {
            return Err(Wrong::key_twice(group_by.span()));
        }
        Ok((self.keys, sets))
    }

    /// Binds all expressions of SELECT that have no aggregate.
    fn all(&mut self) -> Result<Sets, Wrong> {
        let is_of_keys = |item: &&Item| has_window(&item.tree) && !has_aggregate(&item.tree);
        if let Some(item) = self.items.iter().find(is_of_keys) {
            return Err(Wrong::window_over_keys(item.tree.span()));
        }
        for Item { tree, .. } in self.items {
            if !has_aggregate(tree) {
                let key = bind::expression(tree, self.binder)?;
                // The value of a query is one for all rows.
                if key.has_columns() {
                    place_of(&mut self.keys, key);
                }
            }
        }
        Ok(vec![(0..self.keys.len()).collect()])
    }

    /// Returns the sets that an element of GROUP BY stands for.
    fn sets_of(&mut self, tree: &Expr) -> Result<Sets, Wrong> {
        match tree {
            Expr::Tuple(trees) => Ok(vec![self.set(trees)?]),
            Expr::Rollup(elements) => {
                let elements = elements.iter().map(|element| self.set(element));
                Ok(rollup(&elements.collect::<Result<Sets, _>>()?))
            }
            Expr::Cube(elements) => {
                let elements = elements.iter().map(|element| self.set(element));
                cube(&elements.collect::<Result<Sets, _>>()?, tree.span())
            }
            Expr::GroupingSets(list) => {
                let mut sets = Vec::new();
                for set in list {
                    match &set[..] {
                        [Expr::Function(call)] => sets.extend(self.nested(call, &set[0])?),
                        _ => sets.push(self.set(set)?),
                    }
                }
                Ok(sets)
            }
            tree => Ok(vec![vec![self.key(tree)?]]),
        }
    }

    /// Returns the sets of `ROLLUP (..)` or `CUBE (..)` within GROUPING SETS, where the parser sees a call.
    fn nested(&mut self, call: &ast::Function, tree: &Expr) -> Result<Sets, Wrong> {
        let name = call.name.to_string().to_lowercase();
        if !matches!(&*name, "rollup" | "cube") {
            return Ok(vec![vec![self.key(tree)?]]);
        }
        let mut elements = Vec::new();
        for element in bind::arguments_of(call, tree.span())? {
            elements.push(match element {
                Expr::Tuple(all) => self.set(all)?,
                one => vec![self.key(one)?],
            });
        }
        match &*name {
            "rollup" => Ok(rollup(&elements)),
            _ => cube(&elements, tree.span()),
        }
    }

    /// Returns the numbers of some keys.
    fn set(&mut self, trees: &[Expr]) -> Result<Vec<usize>, Wrong> {
        trees.iter().map(|tree| self.key(tree)).collect()
    }

    /// Binds a key. Returns its number.
    fn key(&mut self, tree: &Expr) -> Result<usize, Wrong> {
        let named = without_parentheses(tree);
        let tree = match signed_ordinal(named) {
            Some(number) => {
                let item = usize::try_from(number - 1).ok();
                let item = item.and_then(|item| self.items.get(item));
                let item = item.ok_or_else(|| no_such_column(named, self.items.len()))?;
                &item.tree
            }
            None => named,
        };
        let key = bind::expression(tree, self.binder)?;
        self.binder.refuse_ambiguous_key(tree, &key)?;
        let place = place_of(&mut self.keys, key);
        match self.trees.get(place) {
            Some(known) => self.is_twice |= known != named,
            None => self.trees.push(named.clone()),
        }
        Ok(place)
    }
}

/// Returns the first elements together, all of them and then one less each time.
fn rollup(elements: &[Vec<usize>]) -> Sets {
    let counts = (0..=elements.len()).rev();
    counts.map(|count| union(&elements[..count])).collect()
}

/// Returns all choices of elements.
fn cube(elements: &[Vec<usize>], span: Span) -> Result<Sets, Wrong> {
    let mut sets = vec![Vec::new()];
    for element in elements {
        sets = product(&sets, &[element.clone(), Vec::new()], span)?;
    }
    Ok(sets)
}

/// Returns the pairs of sets, each pair as one.
fn product(some: &[Vec<usize>], others: &[Vec<usize>], span: Span) -> Result<Sets, Wrong> {
    if some.len() * others.len() > SETS_MOST {
        return Err(Wrong::too_many_sets(SETS_MOST, span));
    }
    let pairs = some.iter().flat_map(|one| {
        let others = others.iter();
        others.map(|other| union(&[one.clone(), other.clone()]))
    });
    Ok(pairs.collect())
}

/// Returns the keys that are in any set, ascending.
fn union(sets: &[Vec<usize>]) -> Vec<usize> {
    let mut keys = sets.concat();
    keys.sort_unstable();
    keys.dedup();
    keys
}
