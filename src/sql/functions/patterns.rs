//! LIKE, ILIKE, and regular expressions.

use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};

use super::{Function, Gives, Kernel, OF_TEXT, Parameter, Prepared, Row, literal_text, re2};
use crate::fec::texts;
use crate::sql::expression::Expression;
use crate::sql::types::Type;

/// The most bytes that a compiled regular expression may have.
const REGEX_BYTES_MOST: usize = 1 << 20;

const WITH_PATTERN: Function = Function {
    takes: &[
        Parameter::Text,
        Parameter::TextLiteral,
        Parameter::TextLiteral,
    ],
    gives: Gives::Always(Type::Boolean),
    ..OF_TEXT
};

pub(super) static TABLE: &[Function] = &[
    Function {
        names: &["~~"],
        optional: 1,
        kernel: Kernel::Boolean(|row| like(row, false)),
        prepare: |arguments| prepare_like(arguments, false),
        help: "whether a text is like a pattern, in which % is any text and _ any character: 'abc' LIKE 'a%'",
        ..WITH_PATTERN
    },
    Function {
        names: &["~~*"],
        optional: 1,
        kernel: Kernel::Boolean(|row| like(row, true)),
        prepare: |arguments| prepare_like(arguments, true),
        help: "LIKE with letters in either case: 'ABC' ILIKE 'a%'",
        ..WITH_PATTERN
    },
    Function {
        names: &["regexp_matches", "~"],
        optional: 1,
        kernel: Kernel::Boolean(|row| match row.prepared {
            Prepared::Regex(regex, _) => regex.is_match(row.text(0)),
            _ => false,
        }),
        prepare: |arguments| {
            let options = literal_text(arguments, 2);
            Ok(Prepared::Regex(
                regex_of(arguments, options.as_deref(), "ics")?,
                Replacement::default(),
            ))
        },
        help: "whether a regular expression is found in a text, also written ~: regexp_matches('abc', 'b.'); the option 'i' ignores case",
        ..WITH_PATTERN
    },
    Function {
        names: &["regexp_extract"],
        takes: &[
            Parameter::Text,
            Parameter::TextLiteral,
            Parameter::WholeLiteral,
        ],
        optional: 1,
        gives: Gives::Always(Type::Varchar),
        kernel: Kernel::Text(|row, out| {
            let Prepared::Regex(regex, replacement) = row.prepared else {
                return;
            };
            let found = regex.captures(row.text(0));
            let group = found
                .as_ref()
                .and_then(|found| found.get(replacement.group));
            out.extend_from_slice(group.map_or(b"", |group| group.as_bytes()));
        }),
        prepare: |arguments| {
            let regex = regex_of(arguments, None, "")?;
            let group = match (arguments.get(2), literal_text(arguments, 2)) {
                (None, _) => Ok(0),
                (Some(_), group) => group.unwrap_or_default().parse(),
            };
            let group = group.map_err(|_| "a group has a number from 0 on".to_owned())?;
            let replacement = Replacement {
                group,
                ..Replacement::default()
            };
            Ok(Prepared::Regex(regex, replacement))
        },
        help: "what a regular expression finds in a text, or a group of it: regexp_extract('abc', 'b(.)', 1) is 'c'",
    },
    Function {
        names: &["regexp_replace"],
        takes: &[
            Parameter::Text,
            Parameter::TextLiteral,
            Parameter::TextLiteral,
            Parameter::TextLiteral,
        ],
        optional: 1,
        gives: Gives::Always(Type::Varchar),
        kernel: Kernel::Text(regexp_replace),
        prepare: |arguments| {
            let options = literal_text(arguments, 3).unwrap_or_default();
            let regex = regex_of(arguments, Some(&options), "icsg")?;
            let text = literal_text(arguments, 2).unwrap_or_default();
            let replacement = Replacement {
                parts: parts_of(&text),
                is_global: options.contains('g'),
                group: 0,
            };
            Ok(Prepared::Regex(regex, replacement))
        },
        help: "a text with another one in place of what a regular expression finds first, or with the option 'g' everywhere: regexp_replace('abc', '(b)', '[\\1]') is 'a[b]c'",
    },
];

/// What a call takes from what it finds.
#[derive(Clone, Debug, Default)]
pub(in crate::sql) struct Replacement {
    parts: Box<[Part]>,
    is_global: bool,
    group: usize,
}

#[derive(Clone, Debug)]
enum Part {
    Text(Box<str>),
    Group(usize),
}

/// Reads a replacement in which `\1` is the first group, and `\\` a backslash.
fn parts_of(text: &str) -> Box<[Part]> {
    let (mut parts, mut plain) = (Vec::new(), String::new());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, chars.clone().next()) {
            ('\\', Some(digit)) if digit.is_ascii_digit() => {
                parts.push(Part::Text(std::mem::take(&mut plain).into()));
                parts.push(Part::Group(digit as usize - '0' as usize));
                chars.next();
            }
            ('\\', Some('\\')) => {
                plain.push('\\');
                chars.next();
            }
            (c, _) => plain.push(c),
        }
    }
    parts.push(Part::Text(plain.into()));
    parts.into()
}

fn regexp_replace(row: Row<'_>, out: &mut Vec<u8>) {
    let text = row.text(0);
    let Prepared::Regex(regex, replacement) = row.prepared else {
        return;
    };
    let most = if replacement.is_global { usize::MAX } else { 1 };
    let is_utf8 = text.is_ascii() || std::str::from_utf8(text).is_ok();
    let mut rest = 0;
    for found in regex.captures_iter(text).take(most) {
        let whole = found.get(0).expect("the whole is a group");
        // Nothing is found within a character.
        if whole.is_empty() && is_utf8 && text.get(whole.start()).is_some_and(|b| b & 0xc0 == 0x80)
        {
            continue;
        }
        out.extend_from_slice(&text[rest..whole.start()]);
        for part in &replacement.parts {
            match part {
                Part::Text(text) => out.extend_from_slice(text.as_bytes()),
                Part::Group(nth) => {
                    let group = found.get(*nth);
                    out.extend_from_slice(group.map_or(b"", |group| group.as_bytes()));
                }
            }
        }
        rest = whole.end();
    }
    out.extend_from_slice(&text[rest..]);
}

/// Compiles the second argument, with options in letters, of which some are `known`.
fn regex_of(arguments: &[Expression], options: Option<&str>, known: &str) -> Result<Regex, String> {
    let text = literal_text(arguments, 1).unwrap_or_default();
    let options = options.unwrap_or_default();
    if let Some(unknown) = options.chars().find(|c| !known.contains(*c)) {
        return Err(format!(
            "the option '{unknown}' of regular expressions is not supported"
        ));
    }
    // Of two options that contradict each other, the later one counts.
    let case = options.chars().rfind(|c| matches!(c, 'i' | 'c'));
    let mut builder = RegexBuilder::new(&re2::translated(&text)?);
    builder.case_insensitive(case == Some('i'));
    builder.dot_matches_new_line(options.contains('s'));
    builder.size_limit(REGEX_BYTES_MOST);
    builder.build().map_err(|error| {
        let error = error.to_string();
        let last = error.lines().last().unwrap_or_default();
        last.strip_prefix("error: ").unwrap_or(last).to_owned()
    })
}

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
fn prepare_like(arguments: &[Expression], ignores_case: bool) -> Result<Prepared, String> {
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

fn like(row: Row<'_>, ignores_case: bool) -> bool {
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
