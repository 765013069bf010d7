//! What `fecscan help sql` says of functions.

use super::aggregates::Function as Aggregate;
use super::bind::REWRITTEN;
use super::functions::Function;

/// Returns the names of all functions, each with a line of help. Operators are not among them.
pub fn functions() -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = Function::all().map(|function| (function.names[0], function.help));
    let all = all.filter(|(name, _)| name.starts_with(|c: char| c.is_ascii_alphabetic()));
    let aggregates = Aggregate::all();
    let aggregates = aggregates.map(|function| (function.names[0], function.help));
    all.chain(aggregates)
        .chain(REWRITTEN.map(|name| (name, rewritten_help(name))))
}

/// Returns the help of a function that is written as another expression.
pub(super) fn rewritten_help(name: &str) -> &'static str {
    match name {
        "coalesce" => "the first value that is not NULL: coalesce(amount, 0)",
        "concat" => "texts one after the other, NULL as an empty one: concat(CITY, ', ', STATE)",
        "concat_ws" => {
            "texts that are not NULL, with another one between two: concat_ws(', ', CITY, STATE)"
        }
        "date_part" => "a part of a DATE: date_part('year', date), as EXTRACT(year FROM date)",
        "greatest" => "the greatest of values, without NULL: greatest(amount, 0)",
        "if" => "one of two values: if(amount > 0, 'gift', 'refund')",
        "ifnull" => "a value, or another one where it is NULL: ifnull(amount, 0)",
        "least" => "the least of values, without NULL: least(amount, 200)",
        _ => "a value, or NULL where it equals another one: nullif(EMPLOYER, '')",
    }
}
