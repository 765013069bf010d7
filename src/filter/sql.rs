//! Conditions as SQL writes them, in the words of this program, for advice.

use super::condition::Condition;
use super::operator::operator_at;
use crate::expr::list::outside_quotes;

/// What SQL writes otherwise.
const WORDS: [&str; 11] = [
    " and ",
    "&&",
    " or ",
    " between ",
    " in (",
    " in(",
    " is null",
    " is not null",
    "like ",
    "==",
    "<>",
];

/// The bytes of advice that a reader still takes in.
const LENGTH_MAX: usize = 200;

/// Returns options for a condition of SQL. None if it is no SQL, or no options say the same.
///
/// A word has one blank on each side. Text in quotes has no words.
pub(super) fn advice(text: &str) -> Option<String> {
    let masked = masked(text);
    if !WORDS.iter().any(|word| masked.contains(word)) {
        return None;
    }
    let parts = split(text, &[" and ", "&&"]);
    let mut conditions = Vec::new();
    let mut rest = parts.iter();
    while let Some(part) = rest.next() {
        if let Some((key, low)) = around(part, " between ") {
            let high = rest.next()?;
            conditions.extend([
                format!("{key}>={}", value(low)),
                format!("{key}<={}", value(high)),
            ]);
            continue;
        }
        let alternatives = split(part, &[" or ", "||"]);
        // Elsewhere "and" binds tighter than "or", and here looser.
        if alternatives.len() > 1 && parts.len() > 1 {
            return None;
        }
        conditions.push(any(&alternatives)?);
    }
    // Two kinds of quotes, and what a shell expands between double ones, take more than quotes around all.
    let is_plain = |condition: &String| {
        !condition.contains('\'') || !condition.contains(['"', '$', '`', '\\', '!'])
    };
    let is_sound = |condition: &String| {
        let parsed = Condition::parsed(condition);
        let has_word = |one: &Condition| one.key.column.contains(' ');
        is_plain(condition) && parsed.is_ok_and(|parsed| !parsed.iter().any(has_word))
    };
    let options = conditions.iter().all(is_sound).then(|| {
        let options = conditions.iter().map(|condition| {
            let quote = if condition.contains('\'') { '"' } else { '\'' };
            format!("--where {quote}{condition}{quote}")
        });
        options.collect::<Vec<_>>().join(" ")
    });
    options.filter(|options| options.len() <= LENGTH_MAX)
}

/// A condition, or one of its alternatives: key, operator and value.
type Term = (String, &'static str, String);

/// Returns one condition for alternatives. Values of one column are a list, and a value alone belongs to the column before.
fn any(alternatives: &[&str]) -> Option<String> {
    let mut terms: Vec<Term> = Vec::new();
    for alternative in alternatives {
        let list = terms.last_mut().filter(|(_, operator, _)| *operator == "=");
        match (term(alternative), list) {
            (Some((key, "=", value)), Some((last, _, values))) if key == *last => {
                values.push_str(&format!(",{value}"));
            }
            (Some(term), _) => terms.push(term),
            (None, Some((.., values))) if is_value(alternative) => {
                values.push_str(&format!(",{}", value(alternative)));
            }
            (None, _) => return None,
        }
    }
    let terms = terms.into_iter();
    let terms = terms.map(|(key, operator, value)| key + operator + &value);
    Some(terms.collect::<Vec<_>>().join(" || "))
}

/// Returns a condition without words; none for a value alone.
fn term(text: &str) -> Option<Term> {
    let of = |key: &str, operator, value| Some((key.to_owned(), operator, value));
    for (words, operator) in [(" is not null", "!="), (" is null", "=")] {
        if let Some((key, "")) = around(text, words) {
            return of(key, operator, String::new());
        }
    }
    for (words, operator) in [(" not in", "!="), (" in", "=")] {
        if let Some((key, list)) = around(text, words)
            && let Some(list) = list.strip_prefix('(')
            && let Some(list) = list.strip_suffix(')')
        {
            let values = split(list, &[","]);
            let are_values = values.iter().all(|value| is_value(value));
            let values: Vec<_> = values.into_iter().map(value).collect();
            return are_values.then(|| of(key, operator, values.join(",")))?;
        }
    }
    let patterns = [
        (" not like ", "!~", ""),
        (" like ", "~", ""),
        (" not ilike ", "!~", "(?i)"),
        (" ilike ", "~", "(?i)"),
    ];
    for (words, operator, flag) in patterns {
        if let Some((key, pattern)) = around(text, words) {
            let pattern = in_quotes(pattern).unwrap_or(pattern);
            let is_plain = !pattern.contains(['\\', '\'', '"']);
            return is_plain.then(|| of(key, operator, flag.to_owned() + &expression(pattern)))?;
        }
    }
    let at = masked(text).find(['=', '!', '<', '>', '~', '^'])?;
    let (key, rest) = (text[..at].trim(), &text[at..]);
    let (typed, operator) = operator_at(rest)?;
    of(key, operator.name, value(&rest[typed.len()..]))
}

/// Says whether a text is one value: a word, or text in quotes.
fn is_value(text: &str) -> bool {
    let is_word = |text: &str| {
        !text.is_empty()
            && !text.contains(|c: char| c.is_whitespace() || "()='<>~\"{}".contains(c))
            && !text.eq_ignore_ascii_case("null")
    };
    let is_text = |text: &str| !text.starts_with('{');
    in_quotes(text.trim()).map_or_else(|| is_word(text.trim()), is_text)
}

/// Returns what stands in quotes, if nothing else does.
fn in_quotes(text: &str) -> Option<&str> {
    let of = |quote: char| {
        let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
        let pairs = [quote, quote].iter().collect::<String>();
        (!inner.replace(&pairs, "").contains(quote)).then_some(inner)
    };
    ['\'', '"'].into_iter().find_map(of)
}

/// Returns the expression of a pattern, in which `%` is any text and `_` any byte.
pub(super) fn expression(pattern: &str) -> String {
    let (begin, pattern) = pattern
        .strip_prefix('%')
        .map_or(("^", pattern), |rest| ("", rest));
    let (pattern, end) = pattern
        .strip_suffix('%')
        .map_or((pattern, "$"), |rest| (rest, ""));
    let pattern = regex::escape(pattern).replace('%', ".*").replace('_', ".");
    // Blanks before an expression do not count.
    match pattern.strip_prefix(' ') {
        Some(rest) if begin.is_empty() => format!("[ ]{rest}{end}"),
        _ => format!("{begin}{pattern}{end}"),
    }
}

/// Removes the quotes of SQL from a value. Adds double ones if it needs some here.
fn value(text: &str) -> String {
    let text = text.trim();
    let inner = in_quotes(text);
    let inner = inner.map(|inner| inner.replace("''", "'"));
    match inner {
        Some(inner) if inner.contains([',', '=', '<', '>']) => format!("\"{inner}\""),
        Some(inner) => inner,
        None => text.to_owned(),
    }
}

/// Returns what stands before and after the first of these words.
fn around<'a>(text: &'a str, words: &str) -> Option<(&'a str, &'a str)> {
    let at = masked(text).find(words)?;
    Some((text[..at].trim(), text[at + words.len()..].trim()))
}

/// Splits a text at words.
fn split<'a>(text: &'a str, words: &[&str]) -> Vec<&'a str> {
    let masked = masked(text);
    let mut parts = Vec::new();
    let mut begin = 0;
    let mut at = 0;
    while at < text.len() {
        match words.iter().find(|word| masked[at..].starts_with(**word)) {
            Some(word) => {
                parts.push(text[begin..at].trim());
                at += word.len();
                begin = at;
            }
            None => at += masked[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    parts.push(text[begin..].trim());
    parts
}

/// Returns the text in small letters, with other bytes for those in quotes.
fn masked(text: &str) -> String {
    let mut bytes = vec![b'"'; text.len()];
    let mut in_single = false;
    for (at, c) in outside_quotes(text) {
        in_single ^= c == '\'';
        if c.is_ascii() && !in_single {
            bytes[at] = c.to_ascii_lowercase() as u8;
        }
    }
    String::from_utf8(bytes).expect("ASCII")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_of_sql_become_options() {
        for (text, options) in [
            ("STATE=CA OR NY", "--where 'STATE=CA,NY'"),
            ("STATE=CA or STATE='NY'", "--where 'STATE=CA,NY'"),
            (
                "STATE='CA' or CITY = 'NOME'",
                "--where 'STATE=CA || CITY=NOME'",
            ),
            (
                "amount > 1000 AND STATE=CA",
                "--where 'amount>1000' --where 'STATE=CA'",
            ),
            (
                "amount>5 && amount <> 9",
                "--where 'amount>5' --where 'amount!=9'",
            ),
            (
                "amount between 5 and 10",
                "--where 'amount>=5' --where 'amount<=10'",
            ),
            (
                "STATE=CA and date BETWEEN '2018-01-01' AND '2018-02-01'",
                "--where 'STATE=CA' --where 'date>=2018-01-01' --where 'date<=2018-02-01'",
            ),
            ("STATE in ('CA', 'NY')", "--where 'STATE=CA,NY'"),
            ("STATE NOT IN(CA)", "--where 'STATE!=CA'"),
            ("NAME in ('ROE, JO', \"X\")", "--where 'NAME=\"ROE, JO\",X'"),
            ("NAME like '%SMITH%'", "--where 'NAME~SMITH'"),
            ("NAME LIKE 'SMITH, J_%'", "--where 'NAME~^SMITH, J.'"),
            ("NAME not ilike '%a.b%c'", "--where 'NAME!~(?i)a\\.b.*c$'"),
            ("EMPLOYER is null", "--where 'EMPLOYER='"),
            ("EMPLOYER IS NOT NULL", "--where 'EMPLOYER!='"),
            ("STATE==CA", "--where 'STATE=CA'"),
            ("STATE==CA or STATE~^N", "--where 'STATE=CA || STATE~^N'"),
            ("STATE^='C' or STATE^='N'", "--where 'STATE^=C || STATE^=N'"),
            ("NAME like '% GIGI'", "--where 'NAME~[ ]GIGI$'"),
            ("STATE!=CA or STATE!=NY", "--where 'STATE!=CA || STATE!=NY'"),
            (
                "NAME = 'O''BRIEN' and STATE='CA'",
                "--where \"NAME=O'BRIEN\" --where 'STATE=CA'",
            ),
        ] {
            assert_eq!(advice(text).as_deref(), Some(options), "{text}");
        }
        for text in [
            "STATE=CA",
            "STATE CA",
            "EMPLOYER=ACME INC",
            "EMPLOYER=WORKS IN PROGRESS",
            "amount not between 5 and 10",
            "not STATE=CA and CITY=X",
            "STATE in ()",
            "STATE in ('CA', null)",
            "STATE in (select x from y)",
            "STATE='CA' or not amount",
            "STATE='CA' or NAME glob 'EV*'",
            "NAME like '%\"JACK\"'",
            "NAME like 'A\\_B'",
            "NAME in (\"O'BRIEN, J\", X)",
            "NAME==O'BRIEN$HOME",
            "EMPLOYER=BED AND BREAKFAST",
            "STATE=CA and amount>5 or amount<2",
            "EMPLOYER=\"this or that\"",
            "amount between 5",
            "amount>5 and",
            "",
        ] {
            assert_eq!(advice(text), None, "{text}");
        }
    }
}
