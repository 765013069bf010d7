//! Calls of functions, and `x[2:3]`.

use sqlparser::ast::{
    self, AccessExpr, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Subscript,
};
use sqlparser::tokenizer::Span;

use super::operators::compare;
use super::types::{cast, cast_literal, in_common, is_text_literal};
use super::{Names, as_boolean, coalesced, expression, folded, whole};
use crate::error::escaped;
use crate::fec::schema::nearest;
use crate::sql::aggregates::Function as Aggregate;
use crate::sql::expression::{Comparison, Expression, Node, OnFailure};
use crate::sql::functions::{Function, WrongCall};
use crate::sql::help::rewritten_help;
use crate::sql::messages::Wrong;
use crate::sql::parse::refused;
use crate::sql::types::Type;
use crate::sql::value::Value;

/// Binds a call of a function that is no aggregate.
pub(in crate::sql) fn call(
    name: &str,
    arguments: Vec<Expression>,
    span: Span,
) -> Result<Expression, Wrong> {
    let function = Function::named(name).ok_or_else(|| unknown(name, span))?;
    let has_day = arguments.iter().any(|of| of.gives == Type::Date);
    let arguments =
        arguments
            .into_iter()
            .enumerate()
            .map(|(nth, of)| match function.wanted(nth, of.gives) {
                Some(wanted) if of.gives == Type::Null => {
                    Ok(Expression::literal(Value::Null, wanted))
                }
                // DuckDB has functions of days and numbers for several types, and does not choose one for a text, unless another argument is a DATE.
                Some(wanted)
                    if is_text_literal(&of)
                        && (wanted.is_whole() || wanted == Type::Date && has_day) =>
                {
                    cast_literal(&of, wanted, None, span)
                }
                _ => Ok(of),
            });
    let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
    let (gives, prepared) = function.bind(&arguments).map_err(|wrong| {
        let title = match wrong {
            WrongCall::Argument(nth) => arguments[nth].gives.to_string(),
            _ => String::new(),
        };
        Wrong::call(function, &wrong, &title, span)
    })?;
    let of = Node::Call(function, arguments, prepared);
    Ok(folded(Expression { of, gives }))
}

/// Returns the error for an unknown function.
fn unknown(name: &str, span: Span) -> Wrong {
    let known = Function::all().flat_map(|function| function.names.iter().copied());
    let aggregates = Aggregate::all().flat_map(|aggregate| aggregate.names.iter().copied());
    let known = known.chain(aggregates).chain(REWRITTEN);
    let mut others = ELSEWHERE.iter();
    let other = others.find(|(known, _)| name.eq_ignore_ascii_case(known));
    let near = other.map_or_else(|| nearest(name, known), |(_, here)| Some(*here));
    Wrong::no_function(name, near, span)
}

/// Functions that people know from elsewhere, and what fecscan has instead.
const ELSEWHERE: [(&str, &str); 9] = [
    ("approx_count_distinct", "count(DISTINCT x)"),
    ("charindex", "strpos"),
    ("first", "any_value"),
    ("mid", "substr"),
    ("nvl", "coalesce"),
    ("string_split", "split_part"),
    ("strptime", "CAST(x AS DATE)"),
    ("to_char", "strftime"),
    ("to_date", "CAST(x AS DATE)"),
];

/// The functions that are written as other expressions.
pub(in crate::sql) const REWRITTEN: [&str; 9] = [
    "coalesce",
    "concat",
    "concat_ws",
    "date_part",
    "greatest",
    "if",
    "ifnull",
    "least",
    "nullif",
];

pub(in crate::sql) fn call_tree(
    function: &ast::Function,
    names: &mut dyn Names,
    span: Span,
) -> Result<Expression, Wrong> {
    refused::of_call(function)?;
    let name = function.name.to_string().to_lowercase();
    if function.over.is_some() {
        return names.window(function, span);
    }
    if Aggregate::named(&name).is_some() {
        return names.aggregate(function, span);
    }
    if Function::named(&name).is_none() && !REWRITTEN.contains(&&*name) && name != "datepart" {
        return Err(unknown(&name, span));
    }
    if function.filter.is_some() {
        return Err(Wrong::filter_behind(&name, span));
    }
    let arguments = arguments_of(function, span)?;
    let arguments = arguments
        .into_iter()
        .map(|argument| expression(argument, names));
    let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
    match (&*name, arguments.len()) {
        ("coalesce", 1..) | ("ifnull", 2) => coalesced(arguments, span),
        ("nullif", 2) => {
            let [one, other]: [Expression; 2] = arguments.try_into().expect("two");
            let gives = if is_text_literal(&one) {
                Type::Varchar
            } else {
                one.gives
            };
            let equal = compare(Comparison::Equal, one.clone(), other, span)?;
            let null = Expression::literal(Value::Null, gives);
            let of = Node::Case(vec![[equal, null]], Box::new(one));
            Ok(folded(Expression { of, gives }))
        }
        ("if", 3) => {
            let [when, yes, no]: [Expression; 3] = arguments.try_into().expect("three");
            let when = as_boolean(when, "if", span)?;
            let (mut both, gives) = in_common(vec![yes, no], span)?;
            let (no, yes) = (both.swap_remove(1), both.swap_remove(0));
            let of = Node::Case(vec![[when, yes]], Box::new(no));
            Ok(folded(Expression { of, gives }))
        }
        ("greatest" | "least", 1..) => {
            let wanted = if name == "least" {
                Comparison::Less
            } else {
                Comparison::Greater
            };
            let (all, gives) = in_common(arguments, span)?;
            Ok(folded(Expression {
                of: Node::Extreme(wanted, all),
                gives,
            }))
        }
        ("concat", 1..) => concat(arguments, &[], span),
        ("concat_ws", 2..) => {
            let mut arguments = arguments;
            let separator = arguments.remove(0);
            let text = separator.as_literal().and_then(Value::bytes);
            let Some(text) = text.filter(|_| separator.gives == Type::Varchar) else {
                let what = "the first argument of concat_ws is what stands between the others";
                let advice = "write a text in single quotes: concat_ws(', ', CITY, STATE)";
                return Err(Wrong::other(what, advice, span));
            };
            concat(arguments, &text, span)
        }
        ("date_part" | "datepart", 2) => {
            let mut arguments = arguments;
            let of = arguments.pop().expect("two");
            let Some(part) = arguments[0].as_literal().and_then(Value::bytes) else {
                let what = "the part of date_part is a text in single quotes";
                return Err(Wrong::other(what, rewritten_help(&name), span));
            };
            extract(&String::from_utf8_lossy(&part), of, span)
        }
        _ if REWRITTEN.contains(&&*name) => {
            let what = format!("{name} takes other arguments");
            Err(Wrong::other(what, rewritten_help(&name), span))
        }
        _ => call(&name, arguments, span),
    }
}

/// Binds texts one after the other, with a separator between two.
fn concat(all: Vec<Expression>, separator: &[u8], span: Span) -> Result<Expression, Wrong> {
    let texts = all
        .into_iter()
        .map(|of| cast(of, Type::Varchar, OnFailure::Error, span));
    let texts = texts.collect::<Result<Vec<_>, _>>()?;
    Ok(folded(Expression {
        of: Node::Concat(texts, separator.into()),
        gives: Type::Varchar,
    }))
}

/// Binds a part of a day: `EXTRACT(year FROM date)` and `date_part('year', date)`.
pub(super) fn extract(part: &str, of: Expression, span: Span) -> Result<Expression, Wrong> {
    let name = match &*part.to_ascii_lowercase() {
        "year" | "years" => "year",
        "quarter" | "quarters" => "quarter",
        "month" | "months" | "mon" => "month",
        "week" | "weeks" => "week",
        "day" | "days" => "day",
        "dow" | "dayofweek" | "weekday" => "dayofweek",
        "isodow" => "isodow",
        "doy" | "dayofyear" => "dayofyear",
        _ => {
            let what = format!("a day has no part '{}'", escaped(part.as_bytes()));
            let advice = "write year, quarter, month, week, day, dow, isodow or doy";
            return Err(Wrong::other(what, advice, span));
        }
    };
    call(name, vec![of], span)
}

/// Returns the arguments of a call, which have no names.
pub(in crate::sql) fn arguments_of(
    function: &ast::Function,
    span: Span,
) -> Result<Vec<&Expr>, Wrong> {
    let list = match &function.args {
        FunctionArguments::None => return Ok(Vec::new()),
        FunctionArguments::List(list) if list.clauses.is_empty() => list,
        _ => {
            let instead = "write the arguments with commas between them";
            return Err(Wrong::unsupported(&function.to_string(), instead, span));
        }
    };
    let arguments = list.args.iter().map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(argument)) => Ok(argument),
        other => {
            let instead = "write the arguments with commas between them";
            Err(Wrong::unsupported(&other.to_string(), instead, span))
        }
    });
    arguments.collect()
}

/// Binds `x[2]` and `x[2:3]`.
pub(in crate::sql) fn access_of(
    of: Expression,
    access: &AccessExpr,
    names: &mut dyn Names,
    span: Span,
) -> Result<Expression, Wrong> {
    match access {
        AccessExpr::Subscript(Subscript::Index { index }) => {
            let index = expression(index, names)?;
            call("array_extract", vec![of, index], span)
        }
        AccessExpr::Subscript(Subscript::Slice {
            lower_bound,
            upper_bound,
            stride: None,
        }) => {
            let mut bound = |bound: &Option<Expr>, default| match bound {
                Some(bound) => expression(bound, names),
                None => Ok(whole(default)),
            };
            let bounds = [bound(lower_bound, 1)?, bound(upper_bound, -1)?];
            let [from, to] = bounds;
            call("array_slice", vec![of, from, to], span)
        }
        other => Err(Wrong::unsupported(&other.to_string(), "write x[2:3]", span)),
    }
}
