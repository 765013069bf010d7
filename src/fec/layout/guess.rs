//! What the first lines of a file tell of which nothing is known.

use csv::{ByteRecord, ReaderBuilder};
use memchr::memchr_iter;

use crate::fec::date;

/// Returns what stands between columns: `usual`, or a byte that the first two lines have equally often, if the first has none of that.
pub(super) fn delimiter(lines: &[u8], usual: u8) -> u8 {
    let mut lines = lines.split(|&byte| byte == b'\n');
    let [first, second] = [lines.next(), lines.next()].map(Option::unwrap_or_default);
    let count = |byte: u8, line: &[u8]| memchr_iter(byte, line).count();
    if count(usual, first) > 0 {
        return usual;
    }
    let fits = |byte: &u8| {
        let counts = [first, second].map(|line| count(*byte, line));
        counts[0] > 0 && (counts[0] == counts[1] || second.is_empty())
    };
    b",;\t|".iter().copied().find(fits).unwrap_or(usual)
}

/// Says whether the first line is a row, as DuckDB decides: some columns have numbers or days, and so has the first line in all of these.
pub(super) fn is_row(lines: &[u8], delimiter: u8) -> bool {
    let reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(lines);
    let records: Vec<ByteRecord> = reader.into_byte_records().map_while(Result::ok).collect();
    let Some((first, rows)) = records.split_first() else {
        return false;
    };
    // The last of many lines may be cut off.
    let rows = &rows[..rows.len() - usize::from(rows.len() > 1)];
    let mut has_values = false;
    for (nth, field) in first.iter().enumerate() {
        let values = || rows.iter().filter_map(|row| row.get(nth));
        let mut values = values().filter(|value| !value.trim_ascii().is_empty());
        let is_typed = match values.next() {
            Some(value) => is_value(value) && values.all(is_value),
            None => is_value(field),
        };
        let fits = is_value(field) || field.trim_ascii().is_empty();
        if is_typed && !fits {
            return false;
        }
        has_values |= is_typed;
    }
    has_values
}

/// Says whether a field is a number or a day.
fn is_value(field: &[u8]) -> bool {
    let field = field.trim_ascii();
    let begins = |byte: &u8| byte.is_ascii_digit() || b"+-.".contains(byte);
    let is_number = field.first().is_some_and(begins)
        && str::from_utf8(field).is_ok_and(|text| text.parse::<f64>().is_ok());
    is_number || date::of_column(field).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// DuckDB decides so.
    #[test]
    fn a_first_line_is_a_row_if_it_has_values_where_others_have_them() {
        for (lines, expected) in [
            ("AL,Alabama\nAK,Alaska\n", false),
            ("21873,Somerset\n23270,Some\n", true),
            ("a,2018\nb,3\nc,4\n", true),
            ("fips,name,2018\n1001,Autauga,5\n1003,Baldwin,7\n", false),
            ("name,note\n,d\nx,y\n", false),
            ("name,\nd,3\nx,4\n", true),
            ("1.2345,a\n2.3456,b\n", true),
            ("\"Smith, J\",5\n\"Jones\",6\n", true),
            ("x,1\ny,\nz,3\nw,4\n", true),
            ("date,1\n2018-01-01,2\n", false),
            ("1,2\n", true),
            ("a,b\n", false),
            ("", false),
        ] {
            assert_eq!(is_row(lines.as_bytes(), b','), expected, "{lines}");
        }
    }

    #[test]
    fn another_delimiter_stands_in_both_lines_and_the_usual_one_in_none() {
        for (lines, usual, expected) in [
            ("a,b\nc,d\n", b',', b','),
            ("zip;x\na;1,5\n", b',', b';'),
            ("a\tb\n1\t2\n", b',', b'\t'),
            ("a|b\n1|2\n", b',', b'|'),
            ("notes: a; b; c,amount\nfoo,1\n", b',', b','),
            ("a; b\nc\n", b',', b','),
            ("name\tnote; a,b,c\nx\t1\n", b'\t', b'\t'),
            ("a;b", b',', b';'),
        ] {
            assert_eq!(delimiter(lines.as_bytes(), usual), expected, "{lines}");
        }
    }
}
