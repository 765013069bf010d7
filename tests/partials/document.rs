//! docs/partial.md describes the partials that the program writes.

use std::fs;

use serde_json::Value;

use crate::common::program::shell;

/// Returns the version of a partial, and its header.
fn version_and_header(partial: &[u8]) -> (u64, Value) {
    let mut at = 8;
    let mut number = || {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = partial[at];
            at += 1;
            number |= u64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                return number;
            }
        }
    };
    let (version, length) = (number(), number() as usize);
    let header = serde_json::from_slice(&partial[at..at + length]).unwrap();
    (version, header)
}

/// Adds the keys of all objects in `value`, but for those of no fixed name.
fn add_keys(value: &Value, keys: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                keys.push(key.clone());
                add_keys(value, keys);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| add_keys(value, keys)),
        _ => {}
    }
}

#[test]
fn the_document_has_the_version_and_every_key_of_the_header() {
    let document = fs::read_to_string("docs/partial.md").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let fixtures = fs::canonicalize("fixtures").unwrap();
    let here = folder.path().display();
    fs::write(folder.path().join("t.csv"), "k,v\nCA,west\n").unwrap();
    let in_folder = format!("cd {here}; G={}/generated.txt", fixtures.display());
    for options in [
        "count --where \"STATE = 'CA'\"",
        "report",
        "by STATE --sum amount --agg 'max(date) AS last' --sort last -n 3 --max-groups 99",
        "by t.v --with t=t.csv --on STATE=t.k",
    ] {
        let ended = shell(&format!("{in_folder}; $F {options} --partial p $G"));
        assert_eq!(ended.status, 0, "{options}: {}", ended.err);
        let partial = fs::read(folder.path().join("p")).unwrap();
        let (version, header) = version_and_header(&partial);
        let line = format!("| version | integer: {version} |");
        assert!(document.contains(&line), "{line}");
        let mut keys = Vec::new();
        add_keys(&header, &mut keys);
        assert!(keys.len() > 20, "{keys:?}");
        for key in keys {
            assert!(document.contains(&format!("`{key}`")), "{options}: {key}");
        }
    }
}
