//! Binds window functions.

use sqlparser::ast::{
    self, DuplicateTreatment, Expr, FunctionArguments, NamedWindowDefinition, NamedWindowExpr,
    WindowFrameBound, WindowFrameUnits, WindowSpec, WindowType,
};
use sqlparser::tokenizer::Span;

use super::aggregate::aggregate;
use super::order_by::{order, ordinal};
use crate::sql::aggregates::{self, Keeps};
use crate::sql::bind::{self, Names};
use crate::sql::expression::{Expression, Node, OnFailure};
use crate::sql::messages::Wrong;
use crate::sql::run::window::{Bound, Frame, Function, Window};
use crate::sql::types::Type;
use crate::sql::value::Value;

/// The functions that are of windows alone.
const RANKS: [&str; 7] = [
    "row_number",
    "rank",
    "dense_rank",
    "percent_rank",
    "cume_dist",
    "ntile",
    "nth_value",
];

/// Returns what stands behind OVER.
pub(super) fn spec_of<'a>(
    over: &'a WindowType,
    named: &'a [NamedWindowDefinition],
) -> Result<&'a WindowSpec, Wrong> {
    let spec = match over {
        WindowType::WindowSpec(spec) => spec,
        WindowType::NamedWindow(name) => {
            let mut named = named.iter();
            let found = named.find(|window| window.0.value.eq_ignore_ascii_case(&name.value));
            match found.map(|window| &window.1) {
                Some(NamedWindowExpr::WindowSpec(spec)) => spec,
                _ => {
                    let what = format!("no window {} in WINDOW", name.value);
                    let advice = "write WINDOW w AS (PARTITION BY ..) behind HAVING";
                    return Err(Wrong::other(what, advice, name.span));
                }
            }
        }
    };
    match &spec.window_name {
        None => Ok(spec),
        Some(name) => Err(Wrong::unsupported(
            "a window that adds to another one",
            "write PARTITION BY and ORDER BY in each",
            name.span,
        )),
    }
}

/// Binds a call of a window function.
pub(super) fn window(
    call: &ast::Function,
    spec: &WindowSpec,
    names: &mut dyn Names,
    span: Span,
) -> Result<Window, Wrong> {
    let name = call.name.to_string().to_lowercase();
    let (function, gives) = match aggregates::Function::named(&name) {
        Some(function) => of_aggregate(function, call, names, span)?,
        None => of_ranks(call, &name, names, span)?,
    };
    let takes_frame = matches!(
        function,
        Function::Aggregate(_) | Function::First(_) | Function::Last(_)
    );
    if spec.window_frame.is_some() && !takes_frame {
        let what = format!("a frame of {name}");
        return Err(Wrong::unsupported(&what, "leave ROWS BETWEEN out", span));
    }
    let partition = spec.partition_by.iter();
    let partition = partition.map(|tree| bind::expression(tree, names));
    let partition = partition.collect::<Result<Vec<_>, _>>()?;
    let mut orders = Vec::new();
    for by in &spec.order_by {
        let of = bind::expression(&by.expr, names)?;
        let order = order(0, &by.options)?;
        orders.push((of, order.is_descending, order.nulls));
    }
    Ok(Window {
        function,
        partition,
        orders,
        frame: frame(spec, span)?,
        gives,
    })
}

fn of_aggregate(
    function: &'static aggregates::Function,
    call: &ast::Function,
    names: &mut dyn Names,
    span: Span,
) -> Result<(Function, Type), Wrong> {
    let is_distinct = matches!(
        &call.args,
        FunctionArguments::List(list)
            if list.duplicate_treatment == Some(DuplicateTreatment::Distinct)
    );
    let name = function.names[0];
    let is_known = match function.keeps {
        Keeps::Count | Keeps::Extreme(_) => true,
        Keeps::Total(_) => ["sum", "avg"].contains(&name),
        _ => false,
    };
    if is_distinct || !is_known {
        let distinct = if is_distinct { "DISTINCT in " } else { "" };
        let what = format!("{distinct}{name} over a window");
        let instead = "of aggregates, count, sum, avg, min and max are; join a query with GROUP BY that has others";
        return Err(Wrong::unsupported(&what, instead, span));
    }
    let mut bound = aggregate(function, call, span, names)?;
    let gives = bound.gives();
    // Rows that the filter leaves out count as NULL.
    if let Some(filter) = bound.filter.take() {
        let of = bound.of.pop();
        let of = of.unwrap_or_else(|| Expression::literal(Value::Boolean(true), Type::Boolean));
        let gives = of.gives;
        let null = Expression::literal(Value::Null, gives);
        let of = Node::Case(vec![[filter, of]], Box::new(null));
        bound.of.push(Expression { of, gives });
    }
    Ok((Function::Aggregate(bound), gives))
}

fn of_ranks(
    call: &ast::Function,
    name: &str,
    names: &mut dyn Names,
    span: Span,
) -> Result<(Function, Type), Wrong> {
    if call.filter.is_some() {
        let what = format!("FILTER behind {name}");
        return Err(Wrong::unsupported(&what, "FILTER is for aggregates", span));
    }
    let arguments = bind::arguments_of(call, span)?;
    Ok(match (name, &arguments[..]) {
        ("row_number", []) => (Function::RowNumber, Type::BigInt),
        ("rank", []) => (Function::Rank, Type::BigInt),
        ("dense_rank", []) => (Function::DenseRank, Type::BigInt),
        ("percent_rank", []) => (Function::PercentRank, Type::Double),
        ("cume_dist", []) => (Function::CumeDist, Type::Double),
        ("ntile", [parts]) => {
            let parts = whole(parts, names)?.filter(|parts| *parts > 0);
            let parts = parts.ok_or_else(|| no_literal("ntile", "ntile(4)", span))?;
            (Function::Ntile(parts), Type::BigInt)
        }
        ("lag" | "lead", [of, rest @ ..]) if rest.len() < 3 => shift(name, of, rest, names, span)?,
        ("first_value", [of]) => {
            let of = bind::expression(of, names)?;
            let gives = of.gives;
            (Function::First(of), gives)
        }
        ("last_value", [of]) => {
            let of = bind::expression(of, names)?;
            let gives = of.gives;
            (Function::Last(of), gives)
        }
        _ => {
            let is_known = RANKS.contains(&name)
                || ["lag", "lead", "first_value", "last_value"].contains(&name);
            let what = if is_known {
                format!("{name} with {} arguments", arguments.len())
            } else {
                format!("{name} over a window")
            };
            let instead = "row_number, rank, dense_rank, percent_rank, cume_dist, ntile, lag, lead, first_value, last_value, \
                           count, sum, avg, min and max are";
            return Err(Wrong::unsupported(&what, instead, span));
        }
    })
}

/// Binds `lag(x, 1, 0)` and `lead(x)`: the value so many rows before or after.
fn shift(
    name: &str,
    of: &Expr,
    rest: &[&Expr],
    names: &mut dyn Names,
    span: Span,
) -> Result<(Function, Type), Wrong> {
    let of = bind::expression(of, names)?;
    let by = match rest.first() {
        None => 1,
        Some(by) => {
            let by = whole(by, names)?;
            by.ok_or_else(|| no_literal(name, "lag(x, 1)", span))?
        }
    };
    let ahead = if name == "lead" {
        Some(by)
    } else {
        by.checked_neg()
    };
    let ahead = ahead.ok_or_else(|| no_literal(name, "lag(x, 1)", span))?;
    let default = match rest.get(1) {
        None => Value::Null,
        Some(default) => {
            let default = bind::expression(default, names)?;
            let default = bind::cast(default, of.gives, OnFailure::Error, span)?;
            let value = default.as_literal().cloned();
            value.ok_or_else(|| no_literal(name, "coalesce(lag(x, 1), y)", span))?
        }
    };
    let gives = of.gives;
    Ok((Function::Shift(of, ahead, default), gives))
}

/// Returns a whole number, if an expression is one.
fn whole(tree: &Expr, names: &mut dyn Names) -> Result<Option<i64>, Wrong> {
    let bound: Expression = bind::expression(tree, names)?;
    Ok(match bound.as_literal() {
        Some(Value::Whole(number)) => i64::try_from(*number).ok(),
        _ => None,
    })
}

fn no_literal(name: &str, example: &str, span: Span) -> Wrong {
    Wrong::other(
        format!("{name} takes literals behind its first argument"),
        format!("write {example}"),
        span,
    )
}

/// Binds a frame: which rows around a row an aggregate is of.
fn frame(spec: &WindowSpec, span: Span) -> Result<Frame, Wrong> {
    let Some(frame) = &spec.window_frame else {
        return Ok(Frame {
            start: Bound::Unbounded,
            end: Bound::Peer,
        });
    };
    let refused = || {
        Wrong::unsupported(
            "such a frame",
            "write ROWS BETWEEN 2 PRECEDING AND CURRENT ROW, or leave it out",
            span,
        )
    };
    let number = |tree: &Expr| {
        let number = ordinal(tree).and_then(|number| i64::try_from(number).ok());
        number.ok_or_else(refused)
    };
    let is_rows = match frame.units {
        WindowFrameUnits::Rows => true,
        WindowFrameUnits::Range => false,
        WindowFrameUnits::Groups => return Err(refused()),
    };
    let bound = |bound: &WindowFrameBound| match bound {
        WindowFrameBound::CurrentRow if is_rows => Ok(Bound::Row(0)),
        WindowFrameBound::CurrentRow => Ok(Bound::Peer),
        WindowFrameBound::Preceding(Some(rows)) if is_rows => Ok(Bound::Row(-number(rows)?)),
        WindowFrameBound::Following(Some(rows)) if is_rows => Ok(Bound::Row(number(rows)?)),
        _ => Err(refused()),
    };
    let start = match &frame.start_bound {
        WindowFrameBound::Preceding(None) => Bound::Unbounded,
        other => bound(other)?,
    };
    let end = match frame
        .end_bound
        .as_ref()
        .unwrap_or(&WindowFrameBound::CurrentRow)
    {
        WindowFrameBound::Following(None) => Bound::Unbounded,
        other => bound(other)?,
    };
    if let (Bound::Row(start), Bound::Row(end)) = (start, end)
        && start > end
    {
        return Err(refused());
    }
    Ok(Frame { start, end })
}
