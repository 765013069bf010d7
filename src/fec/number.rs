//! Numbers of any digits, compared exactly.

use super::trimmed;

/// The advice on numbers with a comma before their decimals.
pub(crate) const DECIMAL_COMMA_ADVICE: &str =
    "if a comma stands before the decimals of its numbers: --decimal-separator ,";

/// Returns whether a decimal without exponent is negative, and its digits before and behind the point, without zeros that say nothing. ASCII
/// white space at the ends is ignored.
fn digits_of(text: &[u8]) -> Option<(bool, &[u8], &[u8])> {
    let number = trimmed(text);
    let digits = number.strip_prefix(b"-").or(number.strip_prefix(b"+"));
    let digits = digits.unwrap_or(number);
    let point = digits.iter().position(|&b| b == b'.');
    let (whole, decimals) = digits.split_at(point.unwrap_or(digits.len()));
    let decimals = decimals.get(1..).unwrap_or_default();
    let are_digits = whole.iter().chain(decimals).all(u8::is_ascii_digit);
    if !are_digits || whole.is_empty() && decimals.is_empty() {
        return None;
    }
    let first = whole.iter().position(|&b| b != b'0');
    let whole = &whole[first.unwrap_or(whole.len())..];
    let last = decimals.iter().rposition(|&b| b != b'0');
    let decimals = &decimals[..last.map_or(0, |last| last + 1)];
    let is_zero = whole.is_empty() && decimals.is_empty();
    Some((number[0] == b'-' && !is_zero, whole, decimals))
}

/// Returns the number of decimals that a text needs as a number, without zeros at its end.
pub(crate) fn decimals_of(text: &[u8]) -> Option<usize> {
    digits_of(text).map(|(.., decimals)| decimals.len())
}

/// Returns a number that people write as one without separators of thousands: with a point before the decimals, and a minus in
/// front. `decimal` stands before the decimals, a comma or a point, and the other one of both between thousands. A minus may stand at
/// the end, and a negative number in parentheses. Returns none for anything else.
pub(crate) fn plain(text: &[u8], decimal: u8) -> Option<Vec<u8>> {
    let number = trimmed(text);
    let (is_negative, digits) = match number {
        [b'-', rest @ ..] | [rest @ .., b'-'] | [b'(', rest @ .., b')'] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, number),
    };
    let thousands = if decimal == b',' { b'.' } else { b',' };
    let end = digits.iter().position(|&byte| byte == decimal);
    let (whole, decimals) = digits.split_at(end.unwrap_or(digits.len()));
    let decimals = decimals.get(1..).unwrap_or_default();
    let mut groups = whole.split(|&byte| byte == thousands);
    let first = groups.next()?.len();
    let are_thousands =
        whole.len() == first || (1..=3).contains(&first) && groups.all(|g| g.len() == 3);
    let mut all = whole
        .iter()
        .filter(|&&byte| byte != thousands)
        .chain(decimals);
    if !are_thousands || !all.all(u8::is_ascii_digit) || whole.is_empty() && decimals.is_empty() {
        return None;
    }
    let mut plain = Vec::with_capacity(number.len());
    plain.extend(is_negative.then_some(b'-'));
    plain.extend(whole.iter().filter(|&&byte| byte != thousands));
    if !decimals.is_empty() {
        plain.push(b'.');
        plain.extend_from_slice(decimals);
    }
    Some(plain)
}

/// Says whether a text is a number with a comma before its decimals, and nothing else: `6.120,35` or `0,5`. In `1,234` the comma may stand
/// between thousands.
pub(crate) fn has_decimal_comma(text: &[u8]) -> bool {
    let comma = text.iter().position(|&byte| byte == b',');
    comma.is_some() && plain(text, b',').is_some() && plain(text, b'.').is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_people_write_have_one_meaning() {
        let text = |number: Option<Vec<u8>>| number.map(|n| String::from_utf8(n).unwrap());
        for (written, comma, point) in [
            ("6.120,35", Some("6120.35"), None),
            ("1.234.567,8", Some("1234567.8"), None),
            ("1,234.56", None, Some("1234.56")),
            ("1.234", Some("1234"), Some("1.234")),
            ("1,234", Some("1.234"), Some("1234")),
            ("1.5", None, Some("1.5")),
            ("0,5", Some("0.5"), None),
            ("5.00-", None, Some("-5.00")),
            ("5,00-", Some("-5.00"), None),
            ("(5.00)", None, Some("-5.00")),
            ("(1.205,00)", Some("-1205.00"), None),
            (" +7 ", Some("7"), Some("7")),
            ("-7", Some("-7"), Some("-7")),
            (",5", Some(".5"), None),
            ("-5-", None, None),
            ("(-5)", None, None),
            ("(5", None, None),
            ("1.23.456", None, None),
            ("1234.567", None, Some("1234.567")),
            ("12,34,567", None, None),
            ("1..234", None, None),
            ("", None, None),
            ("-", None, None),
            ("()", None, None),
            (",", None, None),
            ("1e5", None, None),
            ("$5", None, None),
        ] {
            let found = [b',', b'.'].map(|decimal| text(plain(written.as_bytes(), decimal)));
            let expected = [comma, point].map(|number| number.map(str::to_owned));
            assert_eq!(found, expected, "{written}");
        }
        for (text, is_proof) in [
            ("6.120,35", true),
            ("0,5", true),
            ("1,234", false),
            ("1.5", false),
            ("12", false),
            ("a,5", false),
        ] {
            assert_eq!(has_decimal_comma(text.as_bytes()), is_proof, "{text}");
        }
    }
}
