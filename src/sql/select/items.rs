//! What is selected: expressions and their titles, and which of them have aggregates.

use sqlparser::ast::{self, Expr, SelectItem, SelectItemQualifiedWildcardKind, Spanned};
use sqlparser::tokenizer::{Span, Token};

use crate::sql::aggregates::Function;
use crate::sql::bind;
use crate::sql::messages::Wrong;
use crate::sql::parse::START;
use crate::sql::parse::tokens;
use crate::sql::scope::Scope;

/// Returns the expressions of SELECT that have names.
pub(super) fn aliases(items: &[SelectItem]) -> Vec<(String, &Expr)> {
    let named = items.iter().filter_map(|item| match item {
        SelectItem::ExprWithAlias { expr, alias } => Some((alias.value.clone(), expr)),
        _ => None,
    });
    named.collect()
}

/// An expression of SELECT.
pub(super) struct Item {
    pub(super) tree: Expr,
    pub(super) title: String,
    /// The short name of a column that `*` stands for.
    pub(super) alias: String,
}

impl Item {
    fn new(tree: &Expr, title: String) -> Item {
        Item {
            tree: tree.clone(),
            title,
            alias: String::new(),
        }
    }
}

/// Returns the title of an expression without an alias: a column's name, or the expression as written.
pub(in crate::sql) fn title_of(tree: &Expr) -> String {
    match tree {
        Expr::Identifier(name) => name.value.clone(),
        Expr::CompoundIdentifier(parts) => parts
            .last()
            .map_or_else(String::new, |name| name.value.clone()),
        other => in_small_letters(&other.to_string()),
    }
}

/// The functions that the tree has nodes of their own for, which it prints in capitals.
const PRINTED_IN_CAPITALS: [&str; 7] = [
    "CEIL",
    "EXTRACT",
    "FLOOR",
    "POSITION",
    "SUBSTR",
    "SUBSTRING",
    "TRIM",
];

/// Returns a printed expression whose functions have small letters, as all others have.
fn in_small_letters(printed: &str) -> String {
    let (mut text, mut done) = (String::new(), 0);
    for token in tokens::all_tokens(printed) {
        if let Token::Word(word) = token.token
            && word.quote_style.is_none()
            && PRINTED_IN_CAPITALS.contains(&&*word.value)
        {
            let start = tokens::place_in(printed, token.span.start);
            let end = start + word.value.len();
            if printed[end..].starts_with('(') {
                text.push_str(&printed[done..start]);
                text.push_str(&word.value.to_lowercase());
                done = end;
            }
        }
    }
    text + &printed[done..]
}

/// Returns the title of an expression, if it is one.
pub(in crate::sql) fn title_of_item(item: &SelectItem) -> Option<String> {
    match item {
        SelectItem::UnnamedExpr(expr) => Some(title_of(expr)),
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
        _ => None,
    }
}

/// Says whether `*` is selected.
pub(super) fn has_wildcard(select: &ast::Select) -> bool {
    let mut items = select.projection.iter();
    select.projection.is_empty()
        || items.any(|item| {
            matches!(
                item,
                SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)
            )
        })
}

/// Returns the expressions of SELECT. `*` stands for all columns, and `x.*` for those of a table.
pub(super) fn expanded(select: &ast::Select, scope: &Scope) -> Result<Vec<Item>, Wrong> {
    let mut items = Vec::new();
    let projection = &select.projection;
    if projection.is_empty() {
        items.extend(all_columns(scope, None, &[]));
    }
    for item in projection {
        let span = item.span();
        match item {
            SelectItem::UnnamedExpr(expr) => items.push(Item::new(expr, title_of(expr))),
            SelectItem::ExprWithAlias { alias, .. } if alias.value.is_empty() => {
                return Err(Wrong::other(
                    "a column has no name",
                    "write AS name",
                    alias.span,
                ));
            }
            SelectItem::ExprWithAlias { expr, alias } => {
                items.push(Item::new(expr, alias.value.clone()));
            }
            SelectItem::Wildcard(options) => {
                let excluded = excluded(options, item, &|name| has(scope, name, span))?;
                items.extend(all_columns(scope, None, &excluded));
            }
            SelectItem::QualifiedWildcard(
                SelectItemQualifiedWildcardKind::ObjectName(table),
                options,
            ) => {
                let excluded = excluded(options, item, &|name| has(scope, name, span))?;
                let name = table.to_string();
                let name = name.trim_matches('"');
                if !scope.has_table(name) {
                    return Err(Wrong::no_table(name, span));
                }
                items.extend(all_columns(scope, Some(name), &excluded));
            }
            other => {
                return Err(Wrong::unsupported(
                    &other.to_string(),
                    "write * or the columns",
                    span,
                ));
            }
        }
    }
    Ok(items)
}

/// Checks that a table has a column.
fn has(scope: &Scope, name: &str, span: Span) -> Result<(), Wrong> {
    let mut tables = scope.tables.iter();
    if tables.any(|table| table.has(name)) {
        Ok(())
    } else {
        Err(scope.unknown(name, span))
    }
}

/// Returns the columns behind EXCLUDE, each of which is checked.
pub(in crate::sql) fn excluded(
    options: &ast::WildcardAdditionalOptions,
    item: &SelectItem,
    check: &dyn Fn(&str) -> Result<(), Wrong>,
) -> Result<Vec<String>, Wrong> {
    let excluded: Vec<_> = match &options.opt_exclude {
        None => Vec::new(),
        Some(ast::ExcludeSelectItem::Single(name)) => vec![name.to_string()],
        Some(ast::ExcludeSelectItem::Multiple(names)) => {
            names.iter().map(ToString::to_string).collect()
        }
    };
    for name in &excluded {
        check(name.trim_matches('"'))?;
    }
    if options.opt_replace.is_some() || options.opt_rename.is_some() || options.opt_ilike.is_some()
    {
        let (what, span) = (item.to_string(), item.span());
        return Err(Wrong::unsupported(&what, "name the columns", span));
    }
    Ok(excluded)
}

/// Returns all columns, or those of a table, but for those excluded. A column of USING stands in `*` once.
fn all_columns(scope: &Scope, table: Option<&str>, excluded: &[String]) -> Vec<Item> {
    let is_named = |name: &str, list: &[String]| {
        let mut list = list.iter();
        list.any(|known| known.trim_matches('"').eq_ignore_ascii_case(name))
    };
    let is_single = scope.tables.len() == 1;
    let mut items = Vec::new();
    for (nth, of) in scope.tables.iter().enumerate() {
        if table.is_some_and(|table| !of.name.eq_ignore_ascii_case(table)) {
            continue;
        }
        for (place, column) in of.columns.iter().enumerate() {
            let mut merged = scope.merged.iter();
            let merged = merged.find(|merged| merged.name.eq_ignore_ascii_case(&column.name));
            let merged = merged.filter(|_| table.is_none());
            let is_hidden = merged.is_some_and(|merged| merged.hidden.contains(&[nth, place]));
            if !column.is_shown || is_hidden || is_named(&column.name, excluded) {
                continue;
            }
            let name = ast::Ident::with_quote('"', column.name.clone());
            let tree = if is_single || merged.is_some() {
                Expr::Identifier(name)
            } else {
                let table = ast::Ident::with_quote('"', of.name.clone());
                Expr::CompoundIdentifier(vec![table, name])
            };
            let is_alias = is_single && !is_named(&column.alias, excluded);
            let alias = Some(&column.alias).filter(|alias| is_alias && of.is_alias(alias));
            items.push(Item {
                tree,
                title: column.name.clone(),
                alias: alias.cloned().unwrap_or_default(),
            });
        }
    }
    items
}

/// Says whether an aggregate is called in an expression. One in another one is an error, which binding finds.
pub(super) fn has_aggregate(tree: &Expr) -> bool {
    has_call(tree, |function, name| {
        Function::named(name).is_some() && function.over.is_none()
    })
}

/// Says whether a window function is called in an expression.
pub(in crate::sql) fn has_window(tree: &Expr) -> bool {
    has_call(tree, |function, _| function.over.is_some())
}

/// Says whether an expression names a column, without its table.
pub(super) fn has_name(tree: &Expr, name: &str) -> bool {
    has_part(
        tree,
        |part| matches!(part, Expr::Identifier(known) if known.value.eq_ignore_ascii_case(name)),
    )
}

fn has_call(tree: &Expr, is_it: impl Fn(&ast::Function, &str) -> bool) -> bool {
    has_part(tree, |part| match part {
        Expr::Function(function) => is_it(function, &function.name.to_string().to_lowercase()),
        _ => false,
    })
}

fn has_part(tree: &Expr, is_it: impl Fn(&Expr) -> bool) -> bool {
    let mut all = vec![tree];
    let mut nth = 0;
    while let Some(tree) = all.get(nth).copied() {
        nth += 1;
        if is_it(tree) {
            return true;
        }
        match tree {
            Expr::Function(function) => {
                if let Ok(arguments) = bind::arguments_of(function, START) {
                    all.extend(arguments);
                }
                if let Some(ast::WindowType::WindowSpec(spec)) = &function.over {
                    all.extend(&spec.partition_by);
                    all.extend(spec.order_by.iter().map(|order| &order.expr));
                }
            }
            other => children(other, &mut all),
        }
    }
    false
}

/// Adds the parts of an expression.
pub(super) fn children<'e>(tree: &'e Expr, all: &mut Vec<&'e Expr>) {
    match tree {
        Expr::Nested(of)
        | Expr::UnaryOp { expr: of, .. }
        | Expr::Cast { expr: of, .. }
        | Expr::IsNull(of)
        | Expr::IsNotNull(of)
        | Expr::IsTrue(of)
        | Expr::IsNotTrue(of)
        | Expr::IsFalse(of)
        | Expr::IsNotFalse(of)
        | Expr::Extract { expr: of, .. }
        | Expr::Floor { expr: of, .. }
        | Expr::Ceil { expr: of, .. }
        | Expr::CompoundFieldAccess { root: of, .. }
        | Expr::Trim { expr: of, .. } => all.push(of),
        Expr::BinaryOp { left, right, .. }
        | Expr::IsDistinctFrom(left, right)
        | Expr::IsNotDistinctFrom(left, right) => all.extend([&**left, &**right]),
        Expr::Like { expr, pattern, .. } | Expr::ILike { expr, pattern, .. } => {
            all.extend([&**expr, &**pattern]);
        }
        Expr::Between {
            expr, low, high, ..
        } => all.extend([&**expr, &**low, &**high]),
        Expr::In {
            expr,
            target: ast::InTarget::List(list),
            ..
        } => {
            all.push(expr);
            all.extend(list);
        }
        Expr::Substring {
            expr,
            substring_from,
            substring_for,
            ..
        } => {
            let parts = [Some(expr), substring_from.as_ref(), substring_for.as_ref()];
            all.extend(parts.into_iter().flatten().map(|part| &**part));
        }
        Expr::Position { expr, r#in } => all.extend([&**expr, &**r#in]),
        Expr::Case {
            operand,
            conditions,
            else_result,
            ..
        } => {
            all.extend(operand.iter().chain(else_result).map(|part| &**part));
            for when in conditions {
                all.extend([&when.condition, &when.result]);
            }
        }
        _ => {}
    }
}
