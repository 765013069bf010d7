//! Binds joins: their tables, their conditions, and the columns of USING.

use sqlparser::ast::{self, BinaryOperator, Expr, JoinConstraint, JoinOperator, Spanned};
use sqlparser::tokenizer::Span;

use super::binder::Binder;
use super::semi_join::SemiJoin;
use crate::sql::bind;
use crate::sql::expression::Expression;
use crate::sql::messages::Wrong;
use crate::sql::plan::all_of;
use crate::sql::scope::{Merged, Named, Scope, ScopeTable};

/// The tables of FROM, from left to right.
pub(super) struct From<'a> {
    /// The first table, and then the tables up to each join.
    scopes: Vec<Scope>,
    joins: Vec<Written<'a>>,
    semi_joins: Vec<SemiJoin<'a>>,
}

/// What FROM says of rows.
#[derive(Default)]
pub(super) struct BoundFrom {
    pub(super) joins: Vec<BoundJoin>,
    /// The conditions of semi-joins and anti-joins.
    pub(super) conditions: Vec<Expression>,
}

/// A join as it is written.
struct Written<'a> {
    /// None for a comma, whose equalities stand in WHERE.
    constraint: Option<&'a JoinConstraint>,
    /// Whether rows without a match are kept: of the tables before, and of the joined one.
    keeps: [bool; 2],
    span: Span,
}

/// A join of the tables before with the next one. Columns have the numbers in which the binder reads them.
pub(super) struct BoundJoin {
    pub(super) keys: [Vec<Expression>; 2],
    pub(super) condition: Option<Expression>,
    pub(super) keeps: [bool; 2],
}

impl<'a> From<'a> {
    pub(super) fn new(table: ScopeTable) -> From<'a> {
        let scope = Scope {
            tables: vec![table],
            merged: Vec::new(),
        };
        From {
            scopes: vec![scope],
            joins: Vec::new(),
            semi_joins: Vec::new(),
        }
    }

    /// Returns all tables.
    pub(super) fn scope(&self) -> &Scope {
        self.scopes.last().expect("there is a table")
    }

    /// Adds a table to those before.
    pub(super) fn join(&mut self, mut table: ScopeTable, join: &'a ast::Join) -> Result<(), Wrong> {
        let span = join.relation.span();
        if join.global {
            return Err(Wrong::unsupported("GLOBAL", "leave it out", span));
        }
        if let JoinOperator::CrossJoin(_) = &join.join_operator {
            return self.comma(table, span);
        }
        let (keeps, constraint) = match &join.join_operator {
            JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => {
                ([false, false], constraint)
            }
            JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => {
                ([true, false], constraint)
            }
            JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => {
                ([false, true], constraint)
            }
            JoinOperator::FullOuter(constraint) => ([true, true], constraint),
            JoinOperator::Semi(constraint) | JoinOperator::Anti(constraint) => {
                self.semi_joins.push(SemiJoin {
                    before: self.scopes.len() - 1,
                    of: Scope {
                        tables: vec![table],
                        merged: Vec::new(),
                    },
                    constraint,
                    is_anti: matches!(join.join_operator, JoinOperator::Anti(_)),
                    span,
                });
                return Ok(());
            }
            _ => {
                let instead = "JOIN, LEFT JOIN, RIGHT JOIN and FULL JOIN are";
                return Err(Wrong::unsupported("such a join", instead, span));
            }
        };
        let crosses = self.joins.iter().any(|join| join.constraint.is_none());
        if keeps[1] && crosses {
            // WHERE joins the tables of CROSS JOIN, and is asked of the rows without a match, too.
            let what = "a RIGHT JOIN or FULL JOIN after CROSS JOIN";
            let instead = "put the CROSS JOIN into a query in FROM";
            return Err(Wrong::unsupported(what, instead, span));
        }
        let mut scope = self.scope_before(&table, span)?;
        let nth = scope.tables.len();
        if let JoinConstraint::Using(names) = constraint {
            for name in names {
                let name = column_of(name)?;
                merge(&mut scope, &table, nth, keeps, name)?;
            }
        }
        // Rows without a match have NULL.
        let may_be_null = |table: &mut ScopeTable| {
            let columns = table.columns.iter_mut();
            columns.for_each(|column| column.is_never_null = false);
        };
        if keeps[0] {
            may_be_null(&mut table);
        }
        if keeps[1] {
            scope.tables.iter_mut().for_each(may_be_null);
        }
        scope.tables.push(table);
        self.scopes.push(scope);
        self.joins.push(Written {
            constraint: Some(constraint),
            keeps,
            span,
        });
        Ok(())
    }

    /// Adds a table after a comma, or CROSS JOIN.
    pub(super) fn comma(&mut self, table: ScopeTable, span: Span) -> Result<(), Wrong> {
        let mut scope = self.scope_before(&table, span)?;
        scope.tables.push(table);
        self.scopes.push(scope);
        self.joins.push(Written {
            constraint: None,
            keeps: [false, false],
            span,
        });
        Ok(())
    }

    /// Returns the tables before another one, which has another name.
    fn scope_before(&self, table: &ScopeTable, span: Span) -> Result<Scope, Wrong> {
        let before = self.scope();
        if before.has_table(&table.name) {
            let what = format!("two tables are named {}", table.name);
            return Err(Wrong::other(what, "name one of them with AS", span));
        }
        Ok(before.clone())
    }

    /// Binds what the joins say. WHERE is `selection`, and names columns of all tables.
    pub(super) fn bind<'t>(
        &'t self,
        selection: Option<&Expr>,
        binder: &mut Binder<'t, '_>,
    ) -> Result<BoundFrom, Wrong> {
        let mut bound = BoundFrom::default();
        for (nth, written) in self.joins.iter().enumerate() {
            binder.clause = "ON";
            let [before, after] = [&self.scopes[nth], &self.scopes[nth + 1]];
            let (keys, conditions) = match written.constraint {
                None => {
                    (binder.scope, binder.clause) = (self.scope(), "WHERE");
                    (equalities(selection, nth + 1, binder)?, Vec::new())
                }
                Some(JoinConstraint::Using(names)) => {
                    let mut keys = [Vec::new(), Vec::new()];
                    for name in names {
                        let name = column_of(name)?;
                        binder.scope = before;
                        let one = bind::Names::column(binder, None, name)?;
                        binder.scope = after;
                        let table = &after.tables[nth + 1].name;
                        let other = bind::Names::column(binder, Some(table), name)?;
                        push_key(&mut keys, one, other, name.span)?;
                    }
                    (keys, Vec::new())
                }
                Some(JoinConstraint::On(tree)) => {
                    binder.scope = after;
                    on(tree, nth + 1, binder)?
                }
                Some(JoinConstraint::Natural) => {
                    let instead = "write USING (x)";
                    return Err(Wrong::unsupported("a NATURAL join", instead, written.span));
                }
                _ => {
                    let instead = "write JOIN .. ON a.x = b.y";
                    return Err(Wrong::unsupported(
                        "a join without ON",
                        instead,
                        written.span,
                    ));
                }
            };
            if keys[0].is_empty() {
                return Err(Wrong::unsupported(
                    "a join without an equality of columns of both tables",
                    "write JOIN .. ON a.x = b.y, or FROM 'indiv*.txt' for the rows of several files",
                    written.span,
                ));
            }
            bound.joins.push(BoundJoin {
                keys,
                condition: all_of(conditions),
                keeps: written.keeps,
            });
        }
        for semi_join in &self.semi_joins {
            if self.joins.iter().any(|join| join.keeps[1]) {
                let what = "a RIGHT JOIN or FULL JOIN beside SEMI JOIN or ANTI JOIN";
                let instead = "put one of them into a query in FROM";
                return Err(Wrong::unsupported(what, instead, semi_join.span));
            }
            binder.clause = "ON";
            binder.scope = &self.scopes[semi_join.before];
            bound.conditions.push(semi_join.condition(binder)?);
        }
        binder.scope = self.scope();
        Ok(bound)
    }
}

/// Makes one column of two that USING names.
fn merge(
    scope: &mut Scope,
    table: &ScopeTable,
    nth: usize,
    keeps: [bool; 2],
    name: &ast::Ident,
) -> Result<(), Wrong> {
    let (text, span) = (&name.value, name.span);
    let is_it = |column: &&crate::sql::scope::ScopeColumn| column.name.eq_ignore_ascii_case(text);
    let no_column = |scope: &Scope| {
        let wrong = scope.unknown(text, span);
        Err(wrong)
    };
    let Some(place) = table.columns.iter().position(|column| is_it(&column)) else {
        return no_column(&Scope {
            tables: vec![table.clone()],
            merged: Vec::new(),
        });
    };
    let right = [nth, place];
    let (left, mut hidden) = match scope.named(None, text, span)? {
        Named::Column(table, column) if is_it(&&scope.tables[table].columns[column]) => {
            (vec![[table, column]], Vec::new())
        }
        Named::Merged(merged) => (merged.of.clone(), merged.hidden.clone()),
        _ => return no_column(scope),
    };
    hidden.push(right);
    let of = match keeps {
        [_, false] => left,
        [false, true] => vec![right],
        [true, true] => [left, vec![right]].concat(),
    };
    scope
        .merged
        .retain(|merged| !merged.name.eq_ignore_ascii_case(text));
    scope.merged.push(Merged {
        name: text.clone(),
        of,
        hidden,
    });
    Ok(())
}

pub(super) fn column_of(name: &ast::ObjectName) -> Result<&ast::Ident, Wrong> {
    match &name.0[..] {
        [part] => part.as_ident(),
        _ => None,
    }
    .ok_or_else(|| Wrong::unsupported(&name.to_string(), "write USING (x)", name.span()))
}

/// Keys of both sides, and what else is true of both.
type Conditions = ([Vec<Expression>; 2], Vec<Expression>);

/// Returns the equalities of WHERE that join the tables before with the one with a number. WHERE tests them once more.
fn equalities(
    selection: Option<&Expr>,
    nth: usize,
    binder: &mut Binder<'_, '_>,
) -> Result<[Vec<Expression>; 2], Wrong> {
    let mut conjuncts = Vec::new();
    if let Some(tree) = selection {
        conjuncts_of(tree, &mut conjuncts);
    }
    let mut keys = [Vec::new(), Vec::new()];
    for tree in conjuncts {
        if let Some([one, other]) = equality(tree, nth, binder)? {
            push_key(&mut keys, one, other, tree.span())?;
        }
    }
    Ok(keys)
}

/// Binds an equality of the tables before with the one with a number, in this order.
fn equality(
    tree: &Expr,
    nth: usize,
    binder: &mut Binder<'_, '_>,
) -> Result<Option<[Expression; 2]>, Wrong> {
    let Expr::BinaryOp {
        left,
        op: BinaryOperator::Eq,
        right,
    } = tree
    else {
        return Ok(None);
    };
    let one = bind::expression(left, binder)?;
    let other = bind::expression(right, binder)?;
    Ok(match (side(&one, nth, binder), side(&other, nth, binder)) {
        (Some(Side::Before), Some(Side::Table)) => Some([one, other]),
        (Some(Side::Table), Some(Side::Before)) => Some([other, one]),
        _ => None,
    })
}

/// Binds ON: equalities of the tables before with the one with a number, and other conditions, connected by AND.
fn on(tree: &Expr, nth: usize, binder: &mut Binder<'_, '_>) -> Result<Conditions, Wrong> {
    let mut conjuncts = Vec::new();
    conjuncts_of(tree, &mut conjuncts);
    let (mut keys, mut conditions) = ([Vec::new(), Vec::new()], Vec::new());
    for tree in conjuncts {
        match equality(tree, nth, binder)? {
            Some([one, other]) => push_key(&mut keys, one, other, tree.span())?,
            None => conditions.push(bind::condition(tree, "ON", binder)?),
        }
    }
    Ok((keys, conditions))
}

fn conjuncts_of<'e>(tree: &'e Expr, all: &mut Vec<&'e Expr>) {
    match tree {
        Expr::BinaryOp {
            left,
            op: BinaryOperator::And,
            right,
        } => {
            conjuncts_of(left, all);
            conjuncts_of(right, all);
        }
        Expr::Nested(inner) => conjuncts_of(inner, all),
        other => all.push(other),
    }
}

/// The side of a join that all columns of an expression are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Before,
    Table,
}

/// Returns the side of an expression, if all its columns are on one. Tables after number `nth` are on neither.
fn side(of: &Expression, nth: usize, binder: &Binder<'_, '_>) -> Option<Side> {
    let mut tables = Vec::new();
    of.each_column(&mut |column| tables.push(binder.read[column].table));
    if tables.is_empty() {
        None
    } else if tables.iter().all(|table| *table < nth) {
        Some(Side::Before)
    } else if tables.iter().all(|table| *table == nth) {
        Some(Side::Table)
    } else {
        None
    }
}

/// Adds two sides that are equal, in the type that they have in common.
fn push_key(
    keys: &mut [Vec<Expression>; 2],
    one: Expression,
    other: Expression,
    span: Span,
) -> Result<(), Wrong> {
    let ([one, other], _) = bind::comparable([one, other], span)?;
    keys[0].push(one);
    keys[1].push(other);
    Ok(())
}
