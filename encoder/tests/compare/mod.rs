//! What another reader of JSON finds in rows of any values. The fuzz target uses it too.

use std::str::from_utf8;

use rowjson::{Column, DECIMALS_MAX, RowWriter, Text, Value};
use serde_json::{Map, Value as Json, json};

/// The byte between values.
pub const BETWEEN: u8 = 0x1e;

/// The column whose values the caller encodes.
const ENCODED: usize = 3;

/// Makes values of `data`, writes rows of them, and compares what `serde_json` reads.
///
/// The last bytes are the number of columns and of bytes behind texts. The first bytes of a value can tell its kind: others are texts.
pub fn compare(data: &[u8]) {
    let Some((data, &[columns, behind])) = data.split_last_chunk() else {
        return;
    };
    let columns = usize::from(columns) % 8 + 1;
    let values: Vec<&[u8]> = data.split(|&byte| byte == BETWEEN).collect();
    // Special bytes behind texts, and keys that differ in their end.
    let memory = |value: &&[u8]| [value, &vec![b'"'; behind.into()][..]].concat();
    let memories: Vec<_> = values.iter().map(memory).collect();
    let key = |nth: usize| {
        format!(
            "{}{nth}",
            String::from_utf8_lossy(values[nth % values.len()])
        )
    };
    let keys: Vec<_> = (0..columns).map(key).collect();
    let values = values.iter().zip(&memories).map(|(v, m)| value(v, m));
    let values: Vec<_> = values.collect();
    let rows = values.chunks_exact(columns);
    for is_array in [false, true] {
        let named = keys.iter().enumerate().map(|(nth, key)| match nth {
            ENCODED => Column::encoded_by(key, |value, out| {
                serde_json::to_writer(out, &[value.text()]).expect("memory takes all");
            }),
            _ => Column::from(key),
        });
        let writer = if is_array {
            RowWriter::array(named, Vec::new())
        } else {
            RowWriter::lines(named, Vec::new())
        };
        let mut writer = writer.expect("keys differ");
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
        for (found, row) in found.iter().zip(rows.clone()) {
            assert_eq!(found.len(), columns);
            for (nth, (key, (value, expected))) in keys.iter().zip(row).enumerate() {
                let expected = match nth {
                    ENCODED => json!([value.text()]),
                    _ => expected.clone(),
                };
                assert_eq!(found[key], expected, "{key:?} of {json}");
            }
        }
    }
}

/// Returns a value, and what a reader finds. `memory` begins with `bytes`.
fn value<'a>(bytes: &[u8], memory: &'a [u8]) -> (Value<'a>, Json) {
    let number = |text: &[u8]| from_utf8(text).ok()?.parse::<i64>().ok();
    match bytes {
        b"N" => return (Value::Null, Json::Null),
        b"R" => return (Value::Raw(Text::from("[{}]")), json!([{}])),
        [b'I', digits @ ..] => {
            if let Some(number) = number(digits) {
                return (number.into(), number.into());
            }
        }
        [b'D', decimals, digits @ ..] => {
            // Below this, the reader's floats are the nearest ones. Another test compares all digits.
            let number = number(digits).filter(|number| number.unsigned_abs() < 1 << 50);
            if let (decimals @ 1..=DECIMALS_MAX, Some(units)) = (decimals % 32, number) {
                let nearest: f64 = format!("{units}e-{decimals}").parse().expect("a number");
                return (Value::Decimal { units, decimals }, nearest.into());
            }
        }
        _ => {}
    }
    let text = Text::new(memory, bytes.len());
    (Value::Text(text), String::from_utf8_lossy(bytes).into())
}
