//! Binds calls of aggregates.

use sqlparser::ast;
use sqlparser::tokenizer::Span;

use crate::sql::bind::{self, Names};
use crate::sql::expression::{Expression, Node};
use crate::sql::messages::Wrong;
use crate::sql::plan::{Aggregate, Kind};
use crate::sql::types::Type;
use crate::sql::value::Value;

/// Binds a call of an aggregate, whose arguments are of rows.
pub(super) fn aggregate(
    call: &ast::Function,
    span: Span,
    names: &mut dyn Names,
) -> Result<Aggregate, Wrong> {
    let name = call.name.to_string().to_lowercase();
    let is_distinct = matches!(
        &call.args,
        ast::FunctionArguments::List(list)
            if list.duplicate_treatment == Some(ast::DuplicateTreatment::Distinct)
    );
    let filter = call.filter.as_ref();
    let filter = filter
        .map(|tree| bind::condition(tree, "FILTER", names))
        .transpose()?;
    // Rows that the filter leaves out count as NULL.
    let of_chosen = |of: Expression| match filter.clone() {
        None => of,
        Some(filter) => {
            let gives = of.gives;
            let null = Expression::literal(Value::Null, gives);
            let of = Node::Case(vec![[filter, of]], Box::new(null));
            Expression { of, gives }
        }
    };
    let star = matches!(
        &call.args,
        ast::FunctionArguments::List(list)
            if matches!(&list.args[..], [ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Wildcard)])
    );
    let one = || Expression::literal(Value::Boolean(true), Type::Boolean);
    if name == "count"
        && (star || matches!(bind::arguments_of(call, span), Ok(none) if none.is_empty()))
    {
        let of = filter.is_some().then(|| of_chosen(one()));
        return Ok(Aggregate {
            kind: Kind::Count,
            of,
        });
    }
    let arguments = bind::arguments_of(call, span)?;
    let bound = arguments.iter().map(|tree| bind::expression(tree, names));
    let mut bound = bound.collect::<Result<Vec<_>, _>>()?;
    let takes_share = matches!(&*name, "quantile_disc" | "quantile_cont" | "quantile");
    if bound.len() != 1 + usize::from(takes_share) {
        let count = if takes_share {
            "2 arguments"
        } else {
            "1 argument"
        };
        let example = if takes_share {
            "quantile_disc(amount, 0.9)"
        } else {
            "sum(amount)"
        };
        return Err(Wrong::other(
            format!("{name} takes {count}"),
            format!("write {example}"),
            span,
        ));
    }
    let share = if takes_share {
        Some(share(&bound.pop().expect("two"), span)?)
    } else {
        None
    };
    let of = bound.pop().expect("one");
    let gives = of.gives;
    let numbers = |kind: Kind| match gives {
        Type::Double if matches!(kind, Kind::Sum | Kind::Average) => Err(Wrong::unsupported(
            &format!("{kind} of DOUBLE, which would depend on the order of rows,"),
            "cast the values: sum(CAST(x AS DECIMAL(18,4)))",
            span,
        )),
        of if of.is_number() || of == Type::Null => Ok(kind),
        of => Err(Wrong::takes(&kind.to_string(), "numbers", of, span)),
    };
    let kind = match &*name {
        "count" if is_distinct => Kind::CountDistinct,
        "count" => Kind::Count,
        "sum" => numbers(Kind::Sum)?,
        "avg" | "mean" => numbers(Kind::Average)?,
        "min" | "bool_and" => Kind::Least,
        "max" | "bool_or" => Kind::Greatest,
        "median" => numbers(Kind::QuantileContinuous(0.5))?,
        "quantile_cont" => numbers(Kind::QuantileContinuous(share.unwrap_or(0.5)))?,
        _ => Kind::QuantileDiscrete(share.unwrap_or(0.5)),
    };
    if is_distinct && !matches!(kind, Kind::CountDistinct | Kind::Least | Kind::Greatest) {
        let what = format!("DISTINCT in {name}");
        return Err(Wrong::unsupported(&what, "count(DISTINCT x) is", span));
    }
    if name.starts_with("bool_") && !matches!(gives, Type::Boolean | Type::Null) {
        return Err(Wrong::takes(&name, "a condition", gives, span));
    }
    let is_text = gives == Type::Varchar;
    if is_text && !matches!(kind, Kind::Count | Kind::CountDistinct) {
        let instead = "count(DISTINCT x) is; for the first text, order the rows and write LIMIT 1";
        return Err(Wrong::unsupported(
            &format!("{name} of a text"),
            instead,
            span,
        ));
    }
    Ok(Aggregate {
        kind,
        of: Some(of_chosen(of)),
    })
}

/// Returns a share from 0 to 1.
fn share(of: &Expression, span: Span) -> Result<f64, Wrong> {
    let share = of.as_literal().and_then(Value::double);
    share
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| {
            Wrong::other(
                "a quantile takes a share from 0 to 1",
                "write quantile_disc(amount, 0.9)",
                span,
            )
        })
}
