//! Refuses clauses that the parser reads, and a plan has no place for. Each function names all fields of its node, so a clause that a later
//! parser reads does not compile before it has a line here.

use sqlparser::ast::{self, Distinct, Query, Spanned, TableFactor};

use crate::sql::messages::Wrong;

/// A clause, whether it is there, and what to write instead.
type Clause = (&'static str, bool, &'static str);

fn refuse(clauses: &[Clause], node: &impl Spanned) -> Result<(), Wrong> {
    match clauses.iter().find(|(_, is_there, _)| *is_there) {
        Some((clause, _, instead)) => Err(Wrong::unsupported(clause, instead, node.span())),
        None => Ok(()),
    }
}

pub(super) fn of_query(query: &Query) -> Result<(), Wrong> {
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
    let interpolates = order_by.iter().any(|order| order.interpolate.is_some());
    let clauses = [
        ("FETCH", fetch.is_some(), "write LIMIT"),
        (
            "FOR",
            for_clause.is_some() || !locks.is_empty(),
            "leave it out",
        ),
        ("SETTINGS", settings.is_some(), "leave it out"),
        ("FORMAT", format_clause.is_some(), "write -f FORMAT"),
        (
            "|>",
            !pipe_operators.is_empty(),
            "write the clauses of SELECT",
        ),
        ("INTERPOLATE", interpolates, "leave it out"),
        (
            "WITH FILL",
            orders.any(|order| order.with_fill.is_some()),
            "leave it out",
        ),
    ];
    refuse(&clauses, query)
}

pub(super) fn of_select(select: &ast::Select) -> Result<(), Wrong> {
    let ast::Select {
        select_token: _,
        optimizer_hints: _,
        distinct,
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
    let is_on = matches!(distinct, Some(Distinct::On(_)));
    let clauses = [
        ("INTO", into.is_some(), "write the result with -o FILE"),
        ("TOP", top.is_some(), "write LIMIT"),
        ("LATERAL VIEW", !lateral_views.is_empty(), "leave it out"),
        (
            "DISTINCT ON",
            is_on,
            "write QUALIFY row_number() OVER (PARTITION BY x ORDER BY y) = 1",
        ),
        (
            "EXCLUDE behind SELECT",
            exclude.is_some(),
            "write * EXCLUDE (x)",
        ),
        ("PREWHERE", prewhere.is_some(), "write WHERE"),
        (
            "CONNECT BY",
            !connect_by.is_empty(),
            "join the table with itself",
        ),
        ("CLUSTER BY", !cluster_by.is_empty(), "write ORDER BY"),
        ("DISTRIBUTE BY", !distribute_by.is_empty(), "write ORDER BY"),
        ("SORT BY", !sort_by.is_empty(), "write ORDER BY"),
        ("SELECT AS", value_table_mode.is_some(), "write SELECT"),
        ("a word such as SQL_NO_CACHE", has_modifiers, "leave it out"),
    ];
    refuse(&clauses, select)
}

/// Refuses what stands behind the name of a table.
pub(super) fn of_table(table: &TableFactor) -> Result<(), Wrong> {
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
    let clauses = [
        (
            "a function in FROM",
            args.is_some(),
            "write FROM 'FILE' or FROM indiv",
        ),
        ("a hint behind a table", has_hints, "leave it out"),
        (
            "a clause behind a table",
            is_other || sample.is_some(),
            "leave it out",
        ),
    ];
    refuse(&clauses, table)
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
    let clauses = [
        ("{fn ..}", *uses_odbc_syntax, "write the call alone"),
        (
            "a call with two lists of arguments",
            has_parameters,
            "write one list",
        ),
        (
            "WITHIN GROUP",
            !within_group.is_empty(),
            "write quantile_cont(x, 0.5)",
        ),
        (
            "IGNORE NULLS or RESPECT NULLS",
            null_treatment.is_some(),
            "leave it out, and NULLs out of the rows with WHERE",
        ),
    ];
    refuse(&clauses, call)
}
