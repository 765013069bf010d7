//! Conditions in one way of writing: columns by their own names, keywords in capitals, one blank where there is any.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan, Word};

use crate::sql::parse;

/// The words that are written in capitals. Others are names.
const CAPITALS: [Keyword; 22] = [
    Keyword::AND,
    Keyword::AS,
    Keyword::BETWEEN,
    Keyword::CASE,
    Keyword::DISTINCT,
    Keyword::ELSE,
    Keyword::END,
    Keyword::ESCAPE,
    Keyword::FALSE,
    Keyword::FROM,
    Keyword::ILIKE,
    Keyword::IN,
    Keyword::IS,
    Keyword::LIKE,
    Keyword::NOT,
    Keyword::NULL,
    Keyword::OR,
    Keyword::SIMILAR,
    Keyword::THEN,
    Keyword::TO,
    Keyword::TRUE,
    Keyword::WHEN,
];

/// Returns a condition that parses in its canonical form. `named` are the names of columns that stand in it.
pub(super) fn canonical(text: &str, named: &[(Span, String)]) -> String {
    let mut out = String::new();
    let mut before: Option<TokenWithSpan> = None;
    for token in parse::tokens(text) {
        if token.token == Token::EOF {
            break;
        }
        if let Some(before) = &before
            && is_apart(&before.token, &token.token)
        {
            out.push(' ');
        }
        let name = named
            .iter()
            .find(|(span, _)| span.start == token.span.start);
        match (name, &token.token) {
            (Some((_, name)), Token::Word(word)) => push_name(name, word, &mut out),
            (_, Token::Word(word)) if word.quote_style.is_none() => {
                if CAPITALS.contains(&word.keyword) {
                    out.push_str(&word.value.to_uppercase());
                } else {
                    out.push_str(&word.value.to_lowercase());
                }
            }
            _ => out.push_str(source(text, token.span)),
        }
        before = Some(token);
    }
    out
}

fn is_capital(token: &Token) -> bool {
    matches!(token, Token::Word(word) if word.quote_style.is_none() && CAPITALS.contains(&word.keyword))
}

/// Says whether a blank stands between two tokens.
fn is_apart(one: &Token, other: &Token) -> bool {
    let opens = matches!(
        one,
        Token::LParen | Token::Period | Token::DoubleColon | Token::LBracket
    );
    let closes = matches!(
        other,
        Token::Comma
            | Token::RParen
            | Token::Period
            | Token::DoubleColon
            | Token::LBracket
            | Token::RBracket
    );
    let is_call = *other == Token::LParen && matches!(one, Token::Word(_)) && !is_capital(one);
    !(opens || closes || is_call)
}

/// Writes the name of a column: in quotes, if it could be another word without them.
fn push_name(name: &str, typed: &Word, out: &mut String) {
    let is_as_typed = typed.quote_style.is_none() && typed.value.eq_ignore_ascii_case(name);
    let is_upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    if is_as_typed || name.contains('_') && name.chars().all(is_upper) {
        out.push_str(name);
    } else {
        out.push('"');
        out.push_str(&name.replace('"', "\"\""));
        out.push('"');
    }
}

/// Returns what stands between two places.
fn source(text: &str, span: Span) -> &str {
    let place = |at: Location| {
        let mut lines = text.split_inclusive('\n');
        let before = lines.by_ref().take(at.line.saturating_sub(1) as usize);
        let before: usize = before.map(str::len).sum();
        let line = &text[before..];
        let column = at.column.saturating_sub(1) as usize;
        let inside = line
            .char_indices()
            .nth(column)
            .map_or(line.len(), |(at, _)| at);
        before + inside
    };
    &text[place(span.start)..place(span.end)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_and_keywords_are_those_of_one_way_of_writing() {
        for (typed, expected) in [
            (
                "state='ca'and  not(x in('a','it''s'))",
                "state = 'ca' AND NOT (x IN ('a', 'it''s'))",
            ),
            (
                "Upper( name )\nlike 'Ñ%' -- a comment",
                "upper(name) LIKE 'Ñ%'",
            ),
            (
                "CAST(x as date)>='2018-01-01'",
                "cast(x AS date) >= '2018-01-01'",
            ),
            ("a.b::integer + x[1:2] > 5", "a.b::integer + x[1 : 2] > 5"),
        ] {
            assert_eq!(canonical(typed, &[]), expected);
            assert_eq!(canonical(expected, &[]), expected);
        }
    }
}
