//! Comparisons for the encoder of rows: another reader of JSON finds the keys and the values.

use std::str::from_utf8;

use rowjson::{Column, DECIMALS_MAX, RowWriter, Text, Value};
use serde_json::{Map, Value as Json};

use crate::choices;

/// Reads `data` as values, one a line, and compares what `serde_json` reads of their rows.
///
/// The first letter of a line is the kind of its value; lines of other letters are texts whose column has an encoder of the caller.
pub fn compare(data: &[u8]) {
    let ([columns, behind], data) = choices(data);
    let columns = usize::from(columns) % 8 + 1;
    let lines: Vec<&[u8]> = data.split(|&byte| byte == b'\n').collect();
    let key = |nth: usize| format!("{}{nth}", String::from_utf8_lossy(lines[nth % lines.len()]));
    let keys: Vec<_> = (0..columns).map(key).collect();
    // Memory behind texts, with special bytes.
    let memories: Vec<_> = lines
        .iter()
        .map(|line| [line, &vec![b'"'; behind.into()][..]].concat())
        .collect();
    let values: Vec<_> = lines
        .iter()
        .zip(&memories)
        .map(|(l, m)| value(l, m))
        .collect();
    for is_array in [false, true] {
        let named = keys.iter().enumerate().map(|(nth, key)| match nth {
            3 => Column::new(key).encoded_by(|value, out| {
                serde_json::to_writer(out, &[value.text()]).expect("memory takes all");
            }),
            _ => Column::new(key),
        });
        let writer = if is_array {
            RowWriter::array(named, Vec::new())
        } else {
            RowWriter::lines(named, Vec::new())
        };
        let mut writer = writer.expect("keys end with different numbers");
        let rows = values.chunks_exact(columns);
        let written = rows.clone().map(|row| row.iter().map(|(value, _)| *value));
        writer.write_rows(written).expect("memory takes all");
        let json = writer.finish().expect("memory takes all");
        let json = from_utf8(&json).expect("JSON is UTF-8");
        let found: Vec<Map<String, Json>> = if is_array {
            serde_json::from_str(json).expect("an array")
        } else {
            let lines = json.lines().map(serde_json::from_str);
            lines.collect::<Result<_, _>>().expect("objects")
        };
        assert_eq!(found.len(), rows.len());
        for (found, row) in found.iter().zip(rows) {
            assert_eq!(found.len(), columns);
            for (nth, (key, (value, expected))) in keys.iter().zip(row).enumerate() {
                if nth == 3 {
                    assert_eq!(found[key], Json::from(vec![value.text()]), "{json}");
                } else {
                    assert_eq!(found[key], *expected, "{key:?} of {json}");
                }
            }
        }
    }
}

/// Returns a value, and what a reader finds. `memory` begins with `line`.
fn value<'a>(line: &[u8], memory: &'a [u8]) -> (Value<'a>, Json) {
    let number = |text: &[u8]| from_utf8(text).ok()?.parse::<i64>().ok();
    match line {
        b"N" => return (Value::Null, Json::Null),
        b"R" => return (Value::Raw(Text::from("[{}]")), serde_json::json!([{}])),
        [b'I', digits @ ..] => {
            if let Some(number) = number(digits) {
                return (number.into(), number.into());
            }
        }
        [b'D', decimals, b':', digits @ ..] => {
            // Of numbers below this, the reader's floats are the nearest ones.
            let number = number(digits).filter(|number| number.unsigned_abs() < 1 << 50);
            if let (decimals @ 1..=DECIMALS_MAX, Some(units)) = (decimals % 32, number) {
                let nearest: f64 = format!("{units}e-{decimals}").parse().expect("a number");
                return (Value::Decimal { units, decimals }, nearest.into());
            }
        }
        _ => {}
    }
    let text = String::from_utf8_lossy(line);
    (Value::Text(Text::new(memory, line.len())), text.into())
}
