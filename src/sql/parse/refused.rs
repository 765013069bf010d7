//! Refuses clauses that the parser reads, and a plan has no place for. Each function names all fields of its node, so a clause that a later
//! parser reads does not compile before it has a line here.

use sqlparser::ast::{self, Query, Spanned, TableFactor};
use sqlparser::tokenizer::Span;

use crate::sql::messages::Wrong;

/// A clause, the place of what stands in it if it is there, and what to write instead.
type Clause = (&'static str, Option<Span>, &'static str);

fn refuse(clauses: &[Clause]) -> Result<(), Wrong> {
    let found = clauses.iter().find_map(|(clause, span, instead)| {
        let span = (*span)?;
        Some(Wrong::unsupported(clause, instead, span))
    });
    found.map_or(Ok(()), Err)
}

/// Returns the place of the first of some nodes.
fn first<T: Spanned>(nodes: &[T]) -> Option<Span> {
    nodes.first().map(Spanned::span)
}

/// Refuses clauses after a SELECT, or after a UNION of several.
pub(in crate::sql) fn of_query(query: &Query) -> Result<(), Wrong> {
    let Query {
        with: _,
        body: _,
        order_by,
        limit_clause: _,
        fetch,
        locks,
        for_clause,
        settings,
        format_clause,
        pipe_operators,
    } = query;
    let orders = order_by.iter().map(|order| &order.kind);
    let mut orders = orders.flat_map(|kind| match kind {
        ast::OrderByKind::Expressions(all) => &all[..],
        ast::OrderByKind::All(_) => &[],
    });
    let at = |is_there: bool| is_there.then(|| query.span());
    let interpolates = order_by.iter().any(|order| order.interpolate.is_some());
    let fills = orders.find(|order| order.with_fill.is_some());
    refuse(&[
        ("FETCH", fetch.as_ref().map(Spanned::span), "write LIMIT"),
        (
            "FOR",
            at(for_clause.is_some() || !locks.is_empty()),
            "leave it out",
        ),
        ("SETTINGS", at(settings.is_some()), "leave it out"),
        ("FORMAT", at(format_clause.is_some()), "write -f FORMAT"),
        (
            "|>",
            at(!pipe_operators.is_empty()),
            "write the clauses of SELECT",
        ),
        ("INTERPOLATE", at(interpolates), "leave it out"),
        ("WITH FILL", fills.map(Spanned::span), "leave it out"),
    ])
}

/// Refuses clauses of a SELECT.
pub(in crate::sql) fn of_select(select: &ast::Select) -> Result<(), Wrong> {
    let ast::Select {
        select_token: _,
        optimizer_hints: _,
        distinct: _,
        select_modifiers,
        top,
        top_before_distinct: _,
        projection: _,
        exclude,
        into,
        from: _,
        lateral_views,
        prewhere,
        selection: _,
        connect_by,
        group_by: _,
        cluster_by,
        distribute_by,
        sort_by,
        having: _,
        named_window: _,
        qualify: _,
        window_before_qualify: _,
        value_table_mode,
        flavor: _,
    } = select;
    let has_modifiers = select_modifiers
        .as_ref()
        .is_some_and(|modifiers| modifiers.is_any_set());
    let at = |is_there: bool| is_there.then(|| select.span());
    refuse(&[
        (
            "INTO",
            into.as_ref().map(Spanned::span),
            "write the result with -o FILE",
        ),
        ("TOP", at(top.is_some()), "write LIMIT"),
        ("LATERAL VIEW", first(lateral_views), "leave it out"),
        (
            "EXCLUDE after SELECT",
            exclude.as_ref().map(Spanned::span),
            "write * EXCLUDE (x)",
        ),
        (
            "PREWHERE",
            prewhere.as_ref().map(Spanned::span),
            "write WHERE",
        ),
        (
            "CONNECT BY",
            first(connect_by),
            "join the table with itself",
        ),
        ("CLUSTER BY", first(cluster_by), "write ORDER BY"),
        ("DISTRIBUTE BY", first(distribute_by), "write ORDER BY"),
        ("SORT BY", first(sort_by), "write ORDER BY"),
        ("SELECT AS", at(value_table_mode.is_some()), "write SELECT"),
        (
            "a word such as SQL_NO_CACHE",
            at(has_modifiers),
            "leave it out",
        ),
    ])
}

/// Refuses what stands after the name of a table.
pub(in crate::sql) fn of_table(table: &TableFactor) -> Result<(), Wrong> {
    let TableFactor::Table {
        name: _,
        alias: _,
        args,
        with_hints,
        version,
        with_ordinality,
        partitions,
        json_path,
        sample,
        index_directives,
        inheritance,
    } = table
    else {
        let instead = "write FROM 'FILE' or FROM indiv";
        return Err(Wrong::unsupported(
            &table.to_string(),
            instead,
            table.span(),
        ));
    };
    let has_hints =
        !(with_hints.is_empty() && partitions.is_empty() && index_directives.is_empty());
    let is_other =
        version.is_some() || *with_ordinality || json_path.is_some() || inheritance.is_some();
    let at = |is_there: bool| is_there.then(|| table.span());
    let advice_on_files =
        "write FROM 'FILE'; --delimiter, --types and --decimal-separator say how it is read";
    refuse(&[
        ("a function in FROM", at(args.is_some()), advice_on_files),
        ("a hint after a table", at(has_hints), "leave it out"),
        (
            "a clause after a table",
            at(is_other || sample.is_some()),
            "leave it out",
        ),
    ])
}

/// Refuses what stands in a call beside its arguments and FILTER.
pub(in crate::sql) fn of_call(call: &ast::Function) -> Result<(), Wrong> {
    let ast::Function {
        name: _,
        uses_odbc_syntax,
        parameters,
        args: _,
        within_group,
        filter: _,
        null_treatment,
        over: _,
    } = call;
    let has_parameters = !matches!(parameters, ast::FunctionArguments::None);
    let at = |is_there: bool| is_there.then(|| call.span());
    let of_nulls = "leave it out, and NULLs out of the rows with WHERE";
    refuse(&[
        ("{fn ..}", at(*uses_odbc_syntax), "write the call alone"),
        (
            "a call with two lists of arguments",
            at(has_parameters),
            "write one list",
        ),
        (
            "WITHIN GROUP",
            first(within_group),
            "write quantile_cont(x, 0.5)",
        ),
        (
            "IGNORE NULLS or RESPECT NULLS",
            at(null_treatment.is_some()),
            of_nulls,
        ),
    ])
}
