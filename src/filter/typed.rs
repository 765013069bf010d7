//! Values as they are typed: in a list, and in quotes.

use super::predicate::Values;

/// The characters that no value has outside of quotes: they seem to begin another condition.
pub(super) const COMPARING: [char; 3] = ['=', '<', '>'];

/// Parses the beginning of a value.
pub(super) fn prefix(value: &str) -> Result<String, String> {
    match quoted(value.trim()) {
        None => Ok(value.trim_start().to_owned()),
        Some(Ok((prefix, ""))) => Ok(prefix),
        Some(Ok(_)) => Err("has something after its value in quotes".to_owned()),
        Some(Err(what)) => Err(what.to_owned()),
    }
}

/// Parses values with commas between them. Blanks around a value do not count. In quotes a value may hold
/// anything: `"SMITH, JOHN"`.
pub(super) fn values(list: &str) -> Result<Values, String> {
    let mut texts: Vec<Box<[u8]>> = Vec::new();
    let mut rest = list;
    loop {
        let value;
        (value, rest) = match quoted(rest.trim_start()) {
            Some(quoted) => {
                let (value, after) = quoted?;
                (value, after.trim_start())
            }
            None => {
                let (value, after) = rest.split_at(rest.find(',').unwrap_or(rest.len()));
                if value.contains(COMPARING) {
                    let value = value.trim();
                    return Err(format!(
                        "has the value '{value}', and a value with = < > needs quotes: \"{value}\""
                    ));
                }
                (value.trim().to_owned(), after)
            }
        };
        texts.push(value.into_bytes().into());
        rest = match rest.strip_prefix(',') {
            Some(rest) => rest,
            None if rest.is_empty() => return Ok(Values::new(texts)),
            None => return Err(format!("has '{rest}' after a value in quotes")),
        };
    }
}

/// Parses the value in quotes that `text` begins with, if it does, and returns what follows. Two quotes
/// stand for one.
pub(super) fn quoted(text: &str) -> Option<Result<(String, &str), &'static str>> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let mut value = String::new();
    let mut rest = &text[1..];
    loop {
        let Some((part, after)) = rest.split_once(quote) else {
            return Some(Err("has a quote without its partner"));
        };
        value.push_str(part);
        match after.strip_prefix(quote) {
            Some(after) => {
                value.push(quote);
                rest = after;
            }
            None => return Some(Ok((value, after))),
        }
    }
}
