//! Texts to trees, by the crate sqlparser. No text of SQL is parsed elsewhere.

pub(super) mod canonical;
pub(super) mod refused;
pub(super) mod tokens;
pub(super) mod using_sample;

use std::any::TypeId;

pub(super) use sqlparser::ast::OrderByExpr as Order;
use sqlparser::ast::{Expr, Query, SelectItem};
use sqlparser::dialect::{Dialect, DuckDbDialect};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan};

use self::tokens::{checked_tokens, tokens, with_where};
use self::using_sample::Samples;
use super::messages::Wrong;

/// The most parts of an expression within each other. The parser has its own limit for parentheses.
const DEPTH_MOST: usize = 50;

/// DuckDB's dialect, and `#8` for the eighth column.
#[derive(Debug)]
pub(super) struct DuckDb;

impl Dialect for DuckDb {
    /// Some rules of the parser ask which dialect it is.
    fn dialect(&self) -> TypeId {
        TypeId::of::<DuckDbDialect>()
    }

    fn is_identifier_start(&self, c: char) -> bool {
        c.is_alphabetic() || c == '_' || c == '#'
    }

    fn is_identifier_part(&self, c: char) -> bool {
        c.is_alphabetic() || c.is_ascii_digit() || c == '$' || c == '_'
    }

    fn identifier_quote_style(&self, _: &str) -> Option<char> {
        Some('"')
    }

    fn supports_filter_during_aggregation(&self) -> bool {
        true
    }

    fn supports_group_by_expr(&self) -> bool {
        true
    }

    fn supports_from_first_select(&self) -> bool {
        true
    }

    fn supports_order_by_all(&self) -> bool {
        true
    }

    fn supports_select_wildcard_exclude(&self) -> bool {
        true
    }

    fn supports_trailing_commas(&self) -> bool {
        true
    }

    fn supports_array_typedef_with_brackets(&self) -> bool {
        true
    }

    fn supports_dollar_placeholder(&self) -> bool {
        true
    }

    fn supports_string_literal_column_alias(&self, explicit: bool) -> bool {
        explicit
    }

    fn supports_string_literal_table_alias(&self, explicit: bool) -> bool {
        explicit
    }

    fn supports_comma_separated_trim(&self) -> bool {
        true
    }

    fn supports_within_after_array_aggregation(&self) -> bool {
        false
    }
}

/// Parses one statement, which has to be a query. Returns the samples that its SELECTs take, too.
pub(super) fn query(text: &str) -> Result<(Box<Query>, Samples), Wrong> {
    let (tokens, samples) = using_sample::take(checked_tokens(text)?)?;
    let mut parser = parser_of(tokens);
    let first = parser.peek_token();
    let begins_query = match &first.token {
        Token::Word(word) => matches!(
            word.keyword,
            Keyword::SELECT | Keyword::FROM | Keyword::WITH
        ),
        token => *token == Token::LParen,
    };
    if !begins_query {
        return Err(Wrong::no_query(&first.token.to_string(), first.span));
    }
    let query = parser
        .parse_query()
        .map_err(|error| wrong(error, &parser, text))?;
    while parser.consume_token(&Token::SemiColon) {}
    end(&mut parser, "statement")?;
    Ok((query, samples))
}

/// Parses one expression.
pub(super) fn expression(text: &str) -> Result<Expr, Wrong> {
    let mut parser = parser(text)?;
    let first = parser.peek_token();
    if first.token == Token::EOF {
        return Err(Wrong::no_condition(first.span));
    }
    let expression = parser
        .parse_expr()
        .map_err(|error| wrong(error, &parser, text))?;
    end(&mut parser, "condition")?;
    Ok(expression)
}

/// Parses a list of columns and expressions of them, each with a name perhaps, as it stands behind SELECT.
pub(super) fn select_list(text: &str) -> Result<Vec<SelectItem>, Wrong> {
    let mut parser = parser(text)?;
    let first = parser.peek_token();
    if first.token == Token::EOF {
        return Err(Wrong::no_columns(first.span));
    }
    let items = parser
        .parse_projection()
        .map_err(|error| wrong(error, &parser, text))?;
    end(&mut parser, "list of columns")?;
    Ok(items)
}

/// Parses what stands after SELECT: expressions and their names, with commas between them. Errors call all of it a `whole`.
pub(super) fn items(text: &str, whole: &str) -> Result<Vec<SelectItem>, Wrong> {
    list(text, whole, |parser| parser.parse_select_item())
}

/// Parses expressions with commas between them. Errors call all of it a `whole`.
pub(super) fn expressions(text: &str, whole: &str) -> Result<Vec<Expr>, Wrong> {
    list(text, whole, |parser| parser.parse_expr())
}

/// Parses what stands after ORDER BY.
pub(super) fn orders(text: &str) -> Result<Vec<Order>, Wrong> {
    list(text, "order", |parser| parser.parse_order_by_expr())
}

fn list<T>(
    text: &str,
    whole: &str,
    item: impl FnMut(&mut Parser<'static>) -> Result<T, ParserError>,
) -> Result<Vec<T>, Wrong> {
    let mut parser = parser(text)?;
    let first = parser.peek_token();
    if first.token == Token::EOF {
        let what = format!("the {whole} is empty");
        return Err(Wrong::other(
            what,
            "name a column, such as STATE",
            first.span,
        ));
    }
    let items = parser
        .parse_comma_separated(item)
        .map_err(|error| wrong(error, &parser, text))?;
    end(&mut parser, whole)?;
    Ok(items)
}

/// The beginning of a text.
pub(super) const START: Span = Span {
    start: Location { line: 1, column: 1 },
    end: Location { line: 1, column: 1 },
};

fn parser(text: &str) -> Result<Parser<'static>, Wrong> {
    Ok(parser_of(checked_tokens(text)?))
}

fn parser_of(tokens: Vec<TokenWithSpan>) -> Parser<'static> {
    let parser = Parser::new(&DuckDb).with_recursion_limit(DEPTH_MOST);
    parser.with_tokens_with_locations(with_where(tokens))
}

/// Refuses more than a `whole`: a statement, or a condition.
fn end(parser: &mut Parser<'_>, whole: &str) -> Result<(), Wrong> {
    let next = parser.peek_token();
    match &next.token {
        Token::EOF => Ok(()),
        Token::Word(word) if word.keyword == Keyword::NoKeyword => Err(Wrong::syntax(
            format!("'{word}' stands where the {whole} should end or go on with a keyword"),
            next.span,
        )),
        token => Err(Wrong::syntax(
            format!("'{token}' stands where the {whole} should end"),
            next.span,
        )),
    }
}

/// Makes an error of the parser's: what it says, at the token where it stands.
fn wrong(error: ParserError, parser: &Parser<'_>, text: &str) -> Wrong {
    match error {
        ParserError::RecursionLimitExceeded => {
            Wrong::too_deep(DEPTH_MOST, parser.peek_token().span)
        }
        ParserError::TokenizerError(said) | ParserError::ParserError(said) => {
            let (what, span) = with_place(&said, text);
            if what.starts_with("No infix parser") {
                let tokens = tokens(text).into_iter();
                let mut at = tokens.filter(|token| token.span.start == span.start);
                let operator = at.next().map_or(Token::EOF, |token| token.token);
                let what = format!("the operator {operator}");
                return Wrong::unsupported(&what, "docs/sql.md lists the operators", span);
            }
            Wrong::syntax(what, span)
        }
    }
}

/// Splits what the parser says into its words and its place: `..., found: x at Line: 1, Column: 8`. The end of a text has no place there.
fn with_place(said: &str, text: &str) -> (String, Span) {
    let place = said.rsplit_once(" at Line: ").and_then(|(what, place)| {
        let (line, column) = place.split_once(", Column: ")?;
        let digits: String = column.chars().take_while(char::is_ascii_digit).collect();
        let start = Location {
            line: line.parse().ok()?,
            column: digits.parse().ok()?,
        };
        Some((what.to_owned(), Span { start, end: start }))
    });
    place.unwrap_or_else(|| match said.strip_suffix("EOF") {
        Some(before) => (format!("{before}the end"), end_of(text)),
        None => (said.to_owned(), START),
    })
}

fn end_of(text: &str) -> Span {
    let text = text.trim_end();
    let last = text.rsplit('\n').next().unwrap_or_default();
    let start = Location {
        line: text.matches('\n').count() as u64 + 1,
        column: last.chars().count() as u64 + 1,
    };
    Span { start, end: start }
}
