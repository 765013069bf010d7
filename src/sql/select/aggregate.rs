//! Binds calls of aggregates.

use sqlparser::ast::{self, Expr};
use sqlparser::tokenizer::Span;

use crate::sql::aggregates::{COUNT_DISTINCT, Function, Keeps, Takes};
use crate::sql::bind::{self, Names};
use crate::sql::expression::Expression;
use crate::sql::messages::Wrong;
use crate::sql::plan::Aggregate;
use crate::sql::types::Type;
use crate::sql::value::Value;

/// Binds a call of an aggregate, whose arguments are of rows.
pub(super) fn aggregate(
    function: &'static Function,
    call: &ast::Function,
    span: Span,
    names: &mut dyn Names,
) -> Result<Aggregate, Wrong> {
    let function = match function.keeps {
        _ if !is_distinct(call) => function,
        Keeps::Count => &COUNT_DISTINCT,
        // The least of distinct values is that of all.
        Keeps::Extreme(_) => function,
        _ => return Err(Wrong::distinct_in(function, span)),
    };
    if function.takes == Takes::Keys && call.filter.is_some() {
        return Err(Wrong::filter_behind(function.names[0], span));
    }
    let filter = call.filter.as_ref();
    let filter = filter
        .map(|tree| bind::condition(tree, "FILTER", names))
        .transpose()?;
    let trees = if is_star(call) && function.takes == Takes::RowsOrValue {
        Vec::new()
    } else {
        bind::arguments_of(call, span)?
    };
    let trees = match trees[..] {
        // A row of several columns.
        [Expr::Tuple(columns)] if *function == COUNT_DISTINCT => columns.iter().collect(),
        _ => {
            if !function.arguments().contains(&trees.len()) {
                return Err(Wrong::aggregate_arguments(function, span));
            }
            trees
        }
    };
    let of = trees.iter().map(|tree| bind::expression(tree, names));
    let mut of = of.collect::<Result<Vec<_>, _>>()?;
    let takes_share = matches!(function.takes, Takes::NumberAndShare | Takes::ValueAndShare);
    let share = match of.pop_if(|_| takes_share) {
        Some(last) => share(&last, span)?,
        None => 0.5,
    };
    check(function, &of, span)?;
    Ok(Aggregate {
        function,
        of,
        share,
        filter,
    })
}

/// Checks the types of the arguments.
fn check(function: &Function, of: &[Expression], span: Span) -> Result<(), Wrong> {
    let Some(gives) = of.first().map(|of| of.gives) else {
        return Ok(());
    };
    match function.takes {
        Takes::Exact if gives == Type::Double => Err(Wrong::sum_of_double(function, span)),
        Takes::Exact | Takes::Number | Takes::NumberAndShare
            if !gives.is_number() && gives != Type::Null =>
        {
            Err(Wrong::takes(function.names[0], "numbers", gives, span))
        }
        Takes::Condition if !matches!(gives, Type::Boolean | Type::Null) => {
            Err(Wrong::takes(function.names[0], "a condition", gives, span))
        }
        Takes::ValueAndShare if gives == Type::Varchar => {
            Err(Wrong::quantile_of_text(function, span))
        }
        _ => Ok(()),
    }
}

fn is_distinct(call: &ast::Function) -> bool {
    matches!(
        &call.args,
        ast::FunctionArguments::List(list)
            if list.duplicate_treatment == Some(ast::DuplicateTreatment::Distinct)
    )
}

fn is_star(call: &ast::Function) -> bool {
    matches!(
        &call.args,
        ast::FunctionArguments::List(list)
            if matches!(&list.args[..], [ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Wildcard)])
    )
}

/// Returns a share from 0 to 1.
fn share(of: &Expression, span: Span) -> Result<f64, Wrong> {
    let share = of.as_literal().and_then(Value::double);
    let share = share.filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| Wrong::no_share(span))
}
