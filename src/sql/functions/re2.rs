//! Regular expressions of RE2, which DuckDB has, in the syntax of the crate regex.

use std::iter::Peekable;
use std::str::Chars;

/// The most repetitions that RE2 takes.
const REPETITIONS_MOST: u32 = 1000;

/// Returns an expression in which `\d`, `\s` and `\w` mean characters of ASCII, as in RE2, and all else any characters.
///
/// # Errors
/// If RE2 does not take the expression, or reads it otherwise than the crate does.
pub(super) fn translated(regex: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut chars = regex.chars().peekable();
    // Whether the last part is repeated, and whether lazily.
    let mut is_repeated = false;
    while let Some(c) = chars.next() {
        let was_repeated = std::mem::take(&mut is_repeated);
        match c {
            '[' => class(&mut chars, &mut out)?,
            '\\' => out.push_str(&escape(chars.next(), false)),
            '(' => {
                out.push(c);
                group(&mut chars, &mut out)?;
            }
            '*' | '+' | '?' => {
                if was_repeated {
                    return Err(format!("'{c}' repeats a repetition"));
                }
                out.push(c);
                lazy(&mut chars, &mut out);
                is_repeated = true;
            }
            '{' => {
                if was_repeated {
                    return Err("'{' repeats a repetition".to_owned());
                }
                out.push(c);
                repetitions(&mut chars, &mut out)?;
                is_repeated = true;
            }
            c => out.push(c),
        }
    }
    Ok(out)
}

/// Translates a class, behind its bracket. A bracket, `&` and `~` in it are characters like others.
fn class(chars: &mut Peekable<Chars<'_>>, out: &mut String) -> Result<(), String> {
    out.push('[');
    if chars.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    if chars.next_if_eq(&']').is_some() {
        out.push_str("\\]");
    }
    while let Some(c) = chars.next() {
        match c {
            ']' => {
                out.push(c);
                return Ok(());
            }
            '[' if chars.peek() == Some(&':') => {
                out.push(c);
                for c in chars.by_ref() {
                    out.push(c);
                    if c == ']' {
                        break;
                    }
                }
            }
            '[' | '&' | '~' => {
                out.push('\\');
                out.push(c);
            }
            '-' if chars.peek() == Some(&'-') => {
                return Err("'--' in a class is not supported: write \\-".to_owned());
            }
            '\\' => out.push_str(&escape(chars.next(), true)),
            c => out.push(c),
        }
    }
    Ok(())
}

/// Returns what an escape means.
fn escape(escaped: Option<char>, is_in_class: bool) -> String {
    let class = match escaped {
        Some('d') => "[0-9]",
        Some('D') => "[^0-9]",
        Some('s') => "[\\t\\n\\x0c\\r ]",
        Some('S') => "[^\\t\\n\\x0c\\r ]",
        Some('w') => "[0-9A-Za-z_]",
        Some('W') => "[^0-9A-Za-z_]",
        Some('b') if !is_in_class => "(?-u:\\b)",
        Some('B') if !is_in_class => "(?-u:\\B)",
        // These are edges of words in the crate, and characters in RE2.
        Some('<') => "<",
        Some('>') => ">",
        Some(other) => return format!("\\{other}"),
        None => "\\",
    };
    class.to_owned()
}

/// Translates what stands behind the parenthesis of a group.
fn group(chars: &mut Peekable<Chars<'_>>, out: &mut String) -> Result<(), String> {
    if chars.next_if_eq(&'?').is_none() {
        return Ok(());
    }
    out.push('?');
    for c in chars.by_ref() {
        out.push(c);
        match c {
            'i' | 'm' | 's' | 'U' | '-' => {}
            ':' | ')' | 'P' => return Ok(()),
            _ => return Err(format!("'(?{c}' is not supported")),
        }
    }
    Ok(())
}

/// Translates `{2,5}` behind its brace.
fn repetitions(chars: &mut Peekable<Chars<'_>>, out: &mut String) -> Result<(), String> {
    let mut number = 0_u32;
    for c in chars.by_ref() {
        out.push(c);
        number = match c.to_digit(10) {
            Some(digit) => number.saturating_mul(10).saturating_add(digit),
            None => 0,
        };
        if number > REPETITIONS_MOST {
            return Err(format!("more than {REPETITIONS_MOST} repetitions"));
        }
        if c == '}' {
            break;
        }
    }
    lazy(chars, out);
    Ok(())
}

fn lazy(chars: &mut Peekable<Chars<'_>>, out: &mut String) {
    if chars.next_if_eq(&'?').is_some() {
        out.push('?');
    }
}

#[cfg(test)]
mod tests {
    use super::translated;

    #[test]
    fn expressions_mean_what_re2_says() {
        for (re2, expected) in [
            ("a+?b{2,3}?", "a+?b{2,3}?"),
            ("[a&&b]", "[a\\&\\&b]"),
            ("[[a]b]", "[\\[a]b]"),
            ("[]a]", "[\\]a]"),
            ("[^[:alpha:]~]", "[^[:alpha:]\\~]"),
            ("\\<J\\d", "<J[0-9]"),
            ("(?i:a)(?P<n>b)", "(?i:a)(?P<n>b)"),
        ] {
            assert_eq!(translated(re2).as_deref(), Ok(expected));
        }
        for refused in [
            "a**", "a+?*", "a{2}{3}", "(?<n>a)", "(?x)a", "a{1001}", "[a--b]",
        ] {
            assert!(translated(refused).is_err(), "{refused}");
        }
    }
}
