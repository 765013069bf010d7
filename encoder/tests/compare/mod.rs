//! Compares rows with the bytes that `serde_json` writes. The fuzz target uses it too.

use std::io;
use std::str::from_utf8;

use rowjson::{DECIMALS_MAX, RowWriter, Text, Value};
use serde_json::{Map, Value as Json, json};

/// The byte between values.
pub const BETWEEN: u8 = 0x1e;

/// The column whose values the caller encodes.
const ENCODED: usize = 3;

/// Makes values of `data`, and compares their rows with the bytes of `serde_json`, which also reads them.
///
/// The last bytes are the number of columns and of bytes behind texts. The first bytes of a value can tell its kind: others are texts.
pub fn compare(data: &[u8]) {
    let Some((data, &[columns, behind])) = data.split_last_chunk() else {
        return;
    };
    let columns = usize::from(columns) % 8 + 1;
    let texts: Vec<&[u8]> = data.split(|&byte| byte == BETWEEN).collect();
    // Special bytes behind texts, and keys that differ in their end.
    let memory = |text: &&[u8]| [text, &vec![b'"'; behind.into()][..]].concat();
    let memories: Vec<_> = texts.iter().map(memory).collect();
    let end = |nth: usize| String::from_utf8_lossy(texts[nth % texts.len()]);
    let keys = (0..columns).map(|nth| format!("{}{nth}", end(nth)));
    let keys: Vec<_> = keys.collect();
    let pairs = texts.iter().zip(&memories).enumerate();
    let pairs = pairs.map(|(nth, (text, memory))| match value(text, memory) {
        (value, _) if nth % columns == ENCODED => (value, json!([value.text()]).to_string()),
        pair => pair,
    });
    let values: Vec<_> = pairs.collect();
    let rows = values.chunks_exact(columns);
    let object = |row: &[(_, String)]| {
        let fields = keys.iter().zip(row);
        let fields = fields.map(|(key, (_, json))| format!("{}:{json}", json!(key)));
        format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
    };
    let objects: Vec<_> = rows.clone().map(object).collect();
    let written = |writer: io::Result<RowWriter<Vec<u8>>>| {
        let mut writer = writer.expect("keys differ");
        if columns > ENCODED {
            writer = writer.encoded_by(ENCODED, |value, out| {
                out.extend_from_slice(json!([value.text()]).to_string().as_bytes());
            });
        }
        for row in rows.clone() {
            let row = row.iter().map(|(value, _)| *value);
            writer.write_row(row).expect("memory takes all");
        }
        String::from_utf8(writer.finish().expect("memory takes all")).expect("JSON is UTF-8")
    };
    let lines: String = objects.iter().map(|object| format!("{object}\n")).collect();
    assert_eq!(written(RowWriter::lines(&keys, Vec::new())), lines);
    let array = written(RowWriter::array(&keys, Vec::new()));
    let between = if objects.is_empty() { "" } else { "\n" };
    let expected = format!("[{between}{}{between}]\n", objects.join(",\n"));
    assert_eq!(array, expected);
    let found: Vec<Map<String, Json>> = serde_json::from_str(&array).expect("JSON");
    assert_eq!(found.len(), objects.len());
}

/// Returns a value and its JSON. `memory` begins with `bytes`.
fn value<'a>(bytes: &[u8], memory: &'a [u8]) -> (Value<'a>, String) {
    if let &[b'D', decimals @ 0..=DECIMALS_MAX, ref digits @ ..] = bytes
        && let Some(Ok(units)) = from_utf8(digits).ok().map(str::parse::<i64>)
    {
        let (sign, width) = (if units < 0 { "-" } else { "" }, usize::from(decimals) + 1);
        let mut json = format!("{sign}{:0width$}", units.unsigned_abs());
        if width == 1 {
            return (units.into(), json);
        }
        json.insert(json.len() + 1 - width, '.');
        return (Value::Decimal { units, decimals }, json);
    }
    let text = Value::Text(Text::new(memory, bytes.len()));
    match bytes {
        b"N" => (Value::Null, "null".to_owned()),
        b"R" => (Value::Raw(Text::from("[{}]")), "[{}]".to_owned()),
        _ => (text, json!(String::from_utf8_lossy(bytes)).to_string()),
    }
}
