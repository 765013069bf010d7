//! First names: the four searches of the revisions, and a slow definition for each.

use regex::Regex;

use crate::common::challenge::by_expression;

/// Finds the first name in a name.
pub type Find<'a> = &'a (dyn Fn(&str) -> Option<String> + Sync);

/// Revisions 0 to 6 take the capture of an expression.
pub fn by_capture() -> impl Fn(&str) -> Option<String> + Sync {
    let find = by_expression();
    move |name| find(name).map(str::to_owned)
}

/// Revision 7 cuts the first two bytes off a match, and so keeps a third byte of white space.
pub fn by_match() -> impl Fn(&str) -> Option<String> + Sync {
    let expression = Regex::new(r", [\t-\r ]*[^, ]+").expect("the expression is one");
    move |name| Some(expression.find(name)?.as_str()[2..].to_owned())
}

/// Revision 8 looks for a comma and a blank, and goes on two bytes after their place. In a name without them the place is -1, so the
/// first name begins at the second byte: ACTBLUE becomes CTBLUE.
pub fn by_index(name: &str) -> Option<String> {
    let mut first = in_words(name)?.to_owned();
    if first.ends_with(',') {
        first = first.replace(',', "");
    }
    (!first.is_empty()).then_some(first)
}

/// Revision 9 does the same without a copy, and ends the first name at a comma.
pub fn by_slice(name: &str) -> Option<&str> {
    let first = in_words(name)?;
    let first = match first.find(',') {
        Some(comma) if comma > 0 => &first[..comma],
        _ => first,
    };
    (!first.is_empty()).then_some(first)
}

fn in_words(name: &str) -> Option<&str> {
    let start = name.find(", ").map_or(1, |place| place + 2);
    let rest = name.get(start..)?;
    Some(rest.find(' ').map_or(rest, |end| &rest[..end]))
}

/// Returns what revision 7 finds, by the expression with all white space captured.
pub fn with_white_space() -> impl Fn(&str) -> Option<String> {
    let expression = Regex::new(r", ([\t-\r ]*[^, ]+)").expect("the expression is one");
    move |name| Some(expression.captures(name)?[1].to_owned())
}

/// Returns what revision 8 finds, by splits.
pub fn without_expression(name: &str) -> Option<String> {
    let first = word_after_comma(name)?;
    let commas = if first.ends_with(',') { "," } else { "" };
    let kept: String = first.chars().filter(|&c| !commas.contains(c)).collect();
    (!kept.is_empty()).then_some(kept)
}

/// Returns what revision 9 finds, by splits.
pub fn up_to_a_comma(name: &str) -> Option<String> {
    let first = word_after_comma(name)?;
    let mut parts = first.split(',');
    let cut = parts
        .next()
        .filter(|part| !part.is_empty())
        .unwrap_or(first);
    (!first.is_empty()).then(|| cut.to_owned())
}

fn word_after_comma(name: &str) -> Option<&str> {
    let rest = match name.split_once(", ") {
        Some((_, rest)) => rest,
        None => name.get(1..)?,
    };
    rest.split(' ').next()
}
