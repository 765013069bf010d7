//! Patterns: LIKE, ILIKE, and regular expressions.

use regex::bytes::{Regex, RegexBuilder};

use super::like::{like, prepare_like};
use super::{Function, Gives, Kernel, OF_TEXT, Parameter, Prepared, Row, literal_text, re2};
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
        names: &["regexp_full_match"],
        optional: 1,
        kernel: Kernel::Boolean(|row| match row.prepared {
            Prepared::Regex(regex, _) => regex.is_match(row.text(0)),
            _ => false,
        }),
        prepare: |arguments| {
            let options = literal_text(arguments, 2).unwrap_or_default();
            // By itself, so that a)(b is refused.
            let part = regex_of(arguments, Some(&options), "ics")?;
            let whole = compiled(&format!(r"\A(?:{part})\z"), &options)?;
            Ok(Prepared::Regex(whole, Replacement::default()))
        },
        help: "whether a regular expression is all of a text: regexp_full_match('abc', 'a.c'); the option 'i' ignores case",
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
    compiled(&re2::translated(&text)?, options)
}

/// Compiles a pattern with options that are known.
fn compiled(pattern: &str, options: &str) -> Result<Regex, String> {
    // Of two options that contradict each other, the later one counts.
    let case = options.chars().rfind(|c| matches!(c, 'i' | 'c'));
    let mut builder = RegexBuilder::new(pattern);
    builder.case_insensitive(case == Some('i'));
    builder.dot_matches_new_line(options.contains('s'));
    builder.size_limit(REGEX_BYTES_MOST);
    builder.build().map_err(|error| {
        let error = error.to_string();
        let last = error.lines().last().unwrap_or_default();
        last.strip_prefix("error: ").unwrap_or(last).to_owned()
    })
}
