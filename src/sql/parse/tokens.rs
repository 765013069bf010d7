//! The tokens of a text, and the limits on what a statement has.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan, Tokenizer};

use crate::sql::messages::Wrong;
use crate::sql::parse::DuckDb;

/// The most bytes of a statement.
pub(in crate::sql) const STATEMENT_BYTES_MOST: usize = 256 << 10;

/// The most operators of a statement.
const OPERATORS_MOST: usize = 500;

/// The most queries of a statement, with those within others.
pub(in crate::sql) const QUERIES_MOST: usize = 200;

/// The most joins of a statement. Each row of one is a row of the next.
const JOINS_MOST: usize = 64;

/// The most regular expressions of a statement, or of all conditions of a filter. Each may take a megabyte.
pub(in crate::sql) const REGEXES_MOST: usize = 64;

/// Returns the tokens of a text that parses, blanks and comments among them.
pub(in crate::sql) fn all_tokens(text: &str) -> Vec<TokenWithSpan> {
    // Quotes within quotes stay as they stand.
    let mut tokenizer = Tokenizer::new(&DuckDb, text).with_unescape(false);
    tokenizer.tokenize_with_location().unwrap_or_default()
}

/// Returns the place of a byte in a text.
pub(in crate::sql) fn place_in(text: &str, at: Location) -> usize {
    let before = text.split_inclusive('\n').take(at.line as usize - 1);
    let start: usize = before.map(str::len).sum();
    let mut characters = text[start..].char_indices();
    let place = characters.nth(at.column as usize - 1);
    place.map_or(text.len(), |(place, _)| start + place)
}

/// Returns the tokens of a condition that parses, without blanks and comments.
pub(in crate::sql) fn tokens(text: &str) -> Vec<TokenWithSpan> {
    let tokens = all_tokens(text).into_iter();
    tokens.filter(|token| !is_blank(token)).collect()
}

/// Adds the WHERE that DuckDB does not ask for: `sum(x) FILTER (y > 0)`.
pub(in crate::sql) fn with_where(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let is_filter = |token: &TokenWithSpan| is_keyword(&token.token, Keyword::FILTER);
    if !tokens.iter().any(is_filter) {
        return tokens;
    }
    let mut all: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len() + 1);
    for token in tokens {
        let before = all.iter().rev().filter(|token| !is_blank(token));
        let before: Vec<_> = before.take(3).collect();
        let is_opened = matches!(
            before[..],
            [parenthesis, filter, call]
                if parenthesis.token == Token::LParen && is_filter(filter) && call.token == Token::RParen
        );
        if is_opened && !is_blank(&token) && !is_keyword(&token.token, Keyword::WHERE) {
            let clause = Token::make_keyword("WHERE");
            all.push(TokenWithSpan::new(clause, token.span));
        }
        all.push(token);
    }
    all
}

fn is_blank(token: &TokenWithSpan) -> bool {
    matches!(token.token, Token::Whitespace(_))
}

/// Returns the tokens of a text, which has no more of anything than it may.
pub(in crate::sql) fn checked_tokens(text: &str) -> Result<Vec<TokenWithSpan>, Wrong> {
    if text.len() > STATEMENT_BYTES_MOST {
        return Err(Wrong::too_long(text.len(), STATEMENT_BYTES_MOST));
    }
    let tokens = Tokenizer::new(&DuckDb, text).tokenize_with_location();
    let tokens = tokens.map_err(|error| {
        let start = error.location;
        Wrong::syntax(error.message, Span { start, end: start })
    })?;
    // A chain of operators is a tree as deep as it is long.
    let mut operators = tokens.iter().filter(|token| is_operator(&token.token));
    if let Some(last) = operators.nth(OPERATORS_MOST) {
        return Err(Wrong::too_many_operators(OPERATORS_MOST, last.span));
    }
    // A chain of UNION is as deep as it is long, too.
    let mut queries = tokens
        .iter()
        .filter(|token| is_keyword(&token.token, Keyword::SELECT));
    if let Some(last) = queries.nth(QUERIES_MOST) {
        return Err(Wrong::too_many_queries(QUERIES_MOST, last.span));
    }
    let mut joins = tokens
        .iter()
        .filter(|token| is_keyword(&token.token, Keyword::JOIN));
    if let Some(last) = joins.nth(JOINS_MOST) {
        return Err(Wrong::too_many_joins(JOINS_MOST, last.span));
    }
    let mut regexes = tokens.iter().filter(|token| makes_regex(&token.token));
    if let Some(last) = regexes.nth(REGEXES_MOST) {
        return Err(Wrong::too_many_regexes(REGEXES_MOST, last.span));
    }
    Ok(tokens)
}

pub(in crate::sql) fn is_keyword(token: &Token, keyword: Keyword) -> bool {
    matches!(token, Token::Word(word) if word.keyword == keyword && word.quote_style.is_none())
}

/// Returns the number of regular expressions in a condition that parses.
pub(in crate::sql) fn regexes(text: &str) -> usize {
    let tokens = tokens(text);
    tokens
        .iter()
        .filter(|token| makes_regex(&token.token))
        .count()
}

/// Says whether a regular expression stands before or behind a token.
fn makes_regex(token: &Token) -> bool {
    match token {
        Token::Word(word) => word.value.to_ascii_lowercase().starts_with("regexp_"),
        Token::Tilde
        | Token::TildeAsterisk
        | Token::ExclamationMarkTilde
        | Token::ExclamationMarkTildeAsterisk => true,
        _ => false,
    }
}

fn is_operator(token: &Token) -> bool {
    match token {
        Token::Word(word) => matches!(
            word.keyword,
            Keyword::AND
                | Keyword::OR
                | Keyword::NOT
                | Keyword::IS
                | Keyword::LIKE
                | Keyword::ILIKE
                | Keyword::IN
                | Keyword::BETWEEN
                | Keyword::AT
                | Keyword::COLLATE
                | Keyword::DIV
                | Keyword::MATCH
                | Keyword::MEMBER
                | Keyword::NOTNULL
                | Keyword::OPERATOR
                | Keyword::OVERLAPS
                | Keyword::PRIOR
                | Keyword::REGEXP
                | Keyword::RLIKE
                | Keyword::SIMILAR
                | Keyword::XOR
                | Keyword::UNION
                | Keyword::EXCEPT
                | Keyword::INTERSECT
                | Keyword::MINUS
        ),
        Token::Number(..) | Token::SingleQuotedString(_) | Token::Whitespace(_) => false,
        Token::Comma | Token::LParen | Token::RParen | Token::Period | Token::EOF => false,
        _ => true,
    }
}
