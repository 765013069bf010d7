//! Expressions in one way of writing: columns by their own names, keywords in capitals, one blank where there is any.

use sqlparser::ast::Expr;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan};

use super::tokens;
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

/// A column that a condition names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sql) struct Named {
    /// Where its name stands.
    pub(in crate::sql) span: Span,
    /// Its name in its table.
    pub(in crate::sql) name: String,
    /// The joined table that has it. The table of the rows needs no name before that of a column.
    pub(in crate::sql) joined: Option<String>,
}

/// Returns an expression that parses in its canonical form.
pub(in crate::sql) fn canonical(text: &str, named: &[Named]) -> String {
    let mut tokens = tokens::tokens(text);
    tokens.retain(|token| token.token != Token::EOF);
    let column = |token: &TokenWithSpan| {
        let mut named = named.iter();
        named.find(|named| named.span.start == token.span.start)
    };
    // `indiv.STATE` is STATE.
    let is_own = |tokens: &[TokenWithSpan]| match tokens {
        [_, dot, name] => {
            let is_own = |of: &Named| of.joined.is_none();
            dot.token == Token::Period && column(name).is_some_and(is_own)
        }
        _ => false,
    };
    let mut out = String::new();
    let mut before: Option<&Token> = None;
    let mut nth = 0;
    while let Some(token) = tokens.get(nth) {
        if tokens.get(nth..nth + 3).is_some_and(is_own) {
            nth += 2;
            continue;
        }
        if before.is_some_and(|before| is_apart(before, &token.token)) {
            out.push(' ');
        }
        match (column(token), &token.token) {
            (Some(column), _) => push_name(&column.name, &mut out),
            (None, Token::Word(word)) if word.quote_style.is_none() => {
                if CAPITALS.contains(&word.keyword) {
                    out.push_str(&word.value.to_uppercase());
                } else {
                    out.push_str(&word.value.to_lowercase());
                }
            }
            _ => out.push_str(source(text, token.span)),
        }
        before = Some(&token.token);
        nth += 1;
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

/// Writes the name of a column: in quotes, if it would be another word without them.
fn push_name(name: &str, out: &mut String) {
    let is_name = match parse::expression(name) {
        Ok(Expr::Identifier(ident)) => ident.quote_style.is_none() && ident.value == name,
        _ => false,
    };
    let is_keyword = tokens::tokens(name)
        .iter()
        .any(|token| is_capital(&token.token));
    if is_name && !is_keyword {
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

    #[test]
    fn names_are_written_in_one_way() {
        for (name, expected) in [
            ("CITY", "CITY"),
            ("w_1", "w_1"),
            ("two words", "\"two words\""),
            ("and", "\"and\""),
            ("1st", "\"1st\""),
            ("a\"b", "\"a\"\"b\""),
        ] {
            let mut out = String::new();
            push_name(name, &mut out);
            assert_eq!(out, expected);
        }
        let named = |column: u64, name: &str, is_joined: bool| {
            let at = |column| Location { line: 1, column };
            let span = Span {
                start: at(column),
                end: at(column + 1),
            };
            let name = name.to_owned();
            Named {
                span,
                name,
                joined: is_joined.then(|| "cm".to_owned()),
            }
        };
        let columns = [named(7, "STATE", false), named(17, "CAND_ID", true)];
        assert_eq!(
            canonical(
                "indiv.\"state\" = x.cand_id",
                &[named(7, "STATE", false), named(19, "CAND_ID", true)]
            ),
            "STATE = x.CAND_ID"
        );
        assert_eq!(
            canonical("indiv.#10 <> cm.y", &columns),
            "STATE <> cm.CAND_ID"
        );
    }
}
