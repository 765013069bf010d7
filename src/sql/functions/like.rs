//! The patterns of LIKE and ILIKE.

use memchr::memmem;

use super::{Prepared, Row, literal_text};
use crate::fec::texts;
use crate::sql::expression::Expression;

/// A pattern of LIKE: texts with anything between them, and characters of which any will do.
#[derive(Clone, Debug)]
pub(in crate::sql) struct Like {
    pieces: Box<[Piece]>,
    /// Whether a text begins with the first piece, and ends with the last.
    is_bound: [bool; 2],
    has_any: bool,
}

/// Characters one after the other.
type Piece = Box<[Token]>;

#[derive(Clone, Debug)]
enum Token {
    Text(Box<[u8]>),
    AnyCharacter,
}

/// Reads a pattern. Letters are in their small form if their case is ignored.
pub(super) fn prepare_like(
    arguments: &[Expression],
    ignores_case: bool,
) -> Result<Prepared, String> {
    let pattern = literal_text(arguments, 1).unwrap_or_default();
    let escape = literal_text(arguments, 2);
    let mut escape = escape.as_deref().map(str::chars);
    let escaping = escape.as_mut().and_then(Iterator::next);
    if escape.is_some_and(|mut more| more.next().is_some()) {
        return Err("an escape is one character".to_owned());
    }
    let (mut pieces, mut tokens, mut text) = (Vec::new(), Vec::new(), String::new());
    let end_text = |text: &mut String, tokens: &mut Vec<Token>| {
        if !text.is_empty() {
            let mut bytes = Vec::new();
            if ignores_case {
                texts::lower(text.as_bytes(), &mut bytes);
            } else {
                bytes.extend_from_slice(text.as_bytes());
            }
            tokens.push(Token::Text(bytes.into()));
            text.clear();
        }
    };
    let mut chars = pattern.chars();
    let mut has_any = false;
    let (mut begins, mut ends) = (true, true);
    while let Some(c) = chars.next() {
        if Some(c) == escaping {
            let next = chars.next();
            text.push(next.ok_or("the pattern ends in its escape")?);
            ends = true;
            continue;
        }
        ends = true;
        match c {
            '%' => {
                end_text(&mut text, &mut tokens);
                begins &= has_any || !tokens.is_empty();
                if !tokens.is_empty() {
                    pieces.push(std::mem::take(&mut tokens).into());
                }
                has_any = true;
                ends = false;
            }
            '_' => {
                end_text(&mut text, &mut tokens);
                tokens.push(Token::AnyCharacter);
            }
            c => text.push(c),
        }
    }
    end_text(&mut text, &mut tokens);
    if !tokens.is_empty() {
        pieces.push(tokens.into());
    }
    Ok(Prepared::Like(Like {
        pieces: pieces.into(),
        is_bound: [begins, ends],
        has_any,
    }))
}

pub(super) fn like(row: Row<'_>, ignores_case: bool) -> bool {
    let Prepared::Like(pattern) = row.prepared else {
        return false;
    };
    if !ignores_case {
        return pattern.is_met_by(row.text(0));
    }
    let mut text = Vec::new();
    texts::lower(row.text(0), &mut text);
    pattern.is_met_by(&text)
}

impl Like {
    /// Returns the pattern of texts that have another one anywhere.
    pub(in crate::sql) fn containing(text: &[u8]) -> Like {
        let piece: Piece = [Token::Text(text.into())].into();
        Like {
            pieces: [piece].into(),
            is_bound: [false, false],
            has_any: true,
        }
    }

    /// Returns the text that texts are, or begin with, and whether they are it; none for other patterns.
    pub(in crate::sql) fn plain(&self) -> Option<(&[u8], bool)> {
        let text: &[u8] = match &*self.pieces {
            [] if !self.has_any => b"",
            [piece] => match &**piece {
                [Token::Text(text)] => text,
                _ => return None,
            },
            _ => return None,
        };
        match (self.has_any, self.is_bound) {
            (false, _) => Some((text, true)),
            (true, [true, false]) => Some((text, false)),
            _ => None,
        }
    }

    /// Returns the texts that stand in each text which is like the pattern.
    pub(in crate::sql) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        let tokens = self.pieces.iter().flat_map(|piece| piece.iter());
        tokens.filter_map(|token| match token {
            Token::Text(text) => Some(&**text),
            Token::AnyCharacter => None,
        })
    }

    /// Says whether a text is like the pattern. The first place of each piece will do: what comes after it has the most room then.
    pub(in crate::sql) fn is_met_by(&self, text: &[u8]) -> bool {
        let is_utf8 = text.is_ascii() || std::str::from_utf8(text).is_ok();
        let [mut begins, ends] = self.is_bound;
        let mut rest = text;
        if !self.has_any {
            return match &*self.pieces {
                [] => text.is_empty(),
                [piece, ..] => end_of(piece, text, is_utf8) == Some(text.len()),
            };
        }
        let last = self.pieces.len();
        for (nth, piece) in self.pieces.iter().enumerate() {
            let is_last = nth + 1 == last && ends;
            if begins && nth == 0 {
                let Some(end) = end_of(piece, rest, is_utf8) else {
                    return false;
                };
                rest = &rest[end..];
            } else if is_last {
                return places(rest, is_utf8).any(|start| {
                    end_of(piece, &rest[start..], is_utf8) == Some(rest.len() - start)
                });
            } else {
                let found = match &**piece {
                    [Token::Text(text)] => memmem::find(rest, text).map(|start| start + text.len()),
                    piece => places(rest, is_utf8).find_map(|start| {
                        let end = end_of(piece, &rest[start..], is_utf8)?;
                        Some(start + end)
                    }),
                };
                let Some(end) = found else { return false };
                rest = &rest[end..];
            }
            begins = false;
        }
        true
    }
}

/// Returns where characters begin, and the end.
fn places(text: &[u8], is_utf8: bool) -> impl Iterator<Item = usize> + '_ {
    let begins = move |place: &usize| !is_utf8 || text.get(*place).is_none_or(|b| b & 0xc0 != 0x80);
    (0..=text.len()).filter(begins)
}

/// Returns where a piece ends that begins the text.
fn end_of(piece: &[Token], text: &[u8], is_utf8: bool) -> Option<usize> {
    let mut end = 0;
    for token in piece {
        end += match token {
            Token::Text(wanted) => text[end..].starts_with(wanted).then_some(wanted.len())?,
            Token::AnyCharacter => {
                let rest = text.get(end..).filter(|rest| !rest.is_empty())?;
                let more = rest[1..]
                    .iter()
                    .take_while(|byte| is_utf8 && *byte & 0xc0 == 0x80);
                1 + more.count()
            }
        };
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::types::Type;
    use crate::sql::value::Value;
    use proptest::prelude::*;

    fn is_like(text: &str, pattern: &str) -> bool {
        let literal = |text: &str| Expression::literal(Value::text(text.as_bytes()), Type::Varchar);
        let prepared = prepare_like(&[literal(text), literal(pattern)], false).unwrap();
        let Prepared::Like(pattern) = prepared else {
            unreachable!()
        };
        pattern.is_met_by(text.as_bytes())
    }

    /// The pattern as a regular expression.
    fn is_match(text: &str, pattern: &str) -> bool {
        let pieces = pattern.chars().map(|c| match c {
            '%' => "(?s:.*)".to_owned(),
            '_' => "(?s:.)".to_owned(),
            c => regex::escape(&c.to_string()),
        });
        let regex = format!("^{}$", pieces.collect::<String>());
        regex::Regex::new(&regex).unwrap().is_match(text)
    }

    proptest! {
        #[test]
        fn patterns_mean_their_regular_expressions(text in "[abñ]{0,7}", pattern in "[abñ%_]{0,7}") {
            prop_assert_eq!(is_like(&text, &pattern), is_match(&text, &pattern), "{} {}", text, pattern);
        }
    }
}
