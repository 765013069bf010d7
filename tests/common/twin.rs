//! The slow twin: the report as the contract words it, with nothing in common with the program but
//! the words.
//!
//! One thread, one line after the other, every column split out, a real regular expression, maps of
//! strings. The result is a JSON value, keyed as `-f json` is.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::bytes::Regex;
use serde_json::{Value, json};

use super::condition::Condition;

/// A question, in the twin's own words.
#[derive(Clone, Debug)]
pub struct Asked {
    pub names: Vec<u64>,
    pub top: usize,
    pub transaction_date: bool,
}

impl Default for Asked {
    fn default() -> Asked {
        Asked {
            names: vec![0, 432, 43243],
            top: 1,
            transaction_date: false,
        }
    }
}

/// Returns the report on `files`, each a path and its bytes.
pub fn report(files: &[(&str, &[u8])], asked: &Asked) -> Value {
    filtered_report(files, asked, &[])
}

/// Returns the report on the lines of `files` for which all `conditions` hold.
pub fn filtered_report(files: &[(&str, &[u8])], asked: &Asked, conditions: &[Condition]) -> Value {
    static EXPRESSION: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?-u), \s*([^, ]+)").unwrap());
    let mut lines: Vec<&[u8]> = Vec::new();
    let mut file_values = Vec::new();
    let mut lines_scanned = 0;
    for (path, bytes) in files {
        let mut of_file = lines_of(bytes);
        lines_scanned += of_file.len();
        of_file.retain(|line| conditions.iter().all(|condition| condition.holds(line)));
        file_values.push(json!({ "path": path, "bytes": bytes.len(), "lines": of_file.len() }));
        lines.extend(of_file);
    }
    let mut months: BTreeMap<String, u64> = BTreeMap::new();
    let mut first_names: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    let (mut without_month, mut without_first_name) = (0, 0);
    for line in &lines {
        match month(line, asked.transaction_date) {
            Some(month) => *months.entry(month).or_default() += 1,
            None => without_month += 1,
        }
        let name = column(line, 8).map(trim);
        match name.and_then(|name| EXPRESSION.captures(name)) {
            Some(found) => *first_names.entry(found[1].to_vec()).or_default() += 1,
            None => without_first_name += 1,
        }
    }
    let name_at = |&index: &u64| {
        let name = lines
            .get(index as usize)
            .and_then(|line| column(line, 8))
            .map(|name| text(trim(name)));
        json!({ "index": index, "name": name })
    };
    let mut ranked: Vec<_> = first_names.iter().collect();
    ranked.sort_by(|(name, lines), (other, more)| more.cmp(lines).then(name.cmp(other)));
    let ranked = ranked
        .iter()
        .take(asked.top)
        .map(|(name, lines)| json!({ "first_name": text(name), "lines": lines }));
    let mut report = json!({
        "files": file_values,
        "lines": lines.len(),
        "names": asked.names.iter().map(name_at).collect::<Vec<_>>(),
        "month_column": if asked.transaction_date { "TRANSACTION_DT" } else { "IMAGE_NUM" },
        "months": months.iter().map(|(month, lines)| json!({ "month": month, "lines": lines })).collect::<Vec<_>>(),
        "lines_without_month": without_month,
        "first_names": ranked.collect::<Vec<_>>(),
        "distinct_first_names": first_names.len(),
        "lines_without_first_name": without_first_name,
    });
    if !conditions.is_empty() {
        report["lines_scanned"] = lines_scanned.into();
    }
    report
}

/// The lines of `bytes`, without their ends.
pub fn lines_of(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<_> = bytes.split(|&b| b == b'\n').collect();
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    lines
        .into_iter()
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .collect()
}

/// The columns of a line; none if it is blank.
pub fn columns(line: &[u8]) -> Vec<&[u8]> {
    if line.is_empty() {
        Vec::new()
    } else {
        line.split(|&b| b == b'|').collect()
    }
}

/// The column of `line` with this number, counted from one.
fn column(line: &[u8], number: usize) -> Option<&[u8]> {
    columns(line).get(number - 1).copied()
}

fn month(line: &[u8], transaction_date: bool) -> Option<String> {
    let digits = |bytes: &[u8]| {
        bytes
            .iter()
            .all(u8::is_ascii_digit)
            .then(|| String::from_utf8(bytes.to_vec()).unwrap())
    };
    if transaction_date {
        let date = digits(trim(column(line, 14)?)).filter(|date| date.len() == 8)?;
        Some(format!("{}-{}", &date[4..], &date[..2]))
    } else {
        let six = digits(trim(column(line, 5)?).get(..6)?)?;
        Some(format!("{}-{}", &six[..4], &six[4..]))
    }
}

pub fn trim(mut bytes: &[u8]) -> &[u8] {
    const SPACE: &[u8] = b" \t\n\r\x0b\x0c";
    while let [first, rest @ ..] = bytes {
        if !SPACE.contains(first) {
            break;
        }
        bytes = rest;
    }
    while let [rest @ .., last] = bytes {
        if !SPACE.contains(last) {
            break;
        }
        bytes = rest;
    }
    bytes
}

/// UTF-8, or else Windows-1252. The table was made by another program's decoder:
/// `bytes.decode('cp1252')`.
pub fn text(bytes: &[u8]) -> String {
    const FROM_0X80: &str = "€\u{fffd}‚ƒ„…†‡ˆ‰Š‹Œ\u{fffd}Ž\u{fffd}\u{fffd}‘’“”•–—˜™š›œ\u{fffd}žŸ";
    let decode = |byte: &u8| match byte {
        0x80..=0x9f => FROM_0X80.chars().nth(usize::from(byte - 0x80)).unwrap(),
        _ => char::from(*byte),
    };
    String::from_utf8(bytes.to_vec()).unwrap_or_else(|_| bytes.iter().map(decode).collect())
}
