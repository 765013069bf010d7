//! Comparisons for questions: any text is keys or an error, and keys make the groups of the twin.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use fecscan::Engine;
use fecscan::fec::schema::Schema;
use fecscan::fold::by::{ByFold, GroupQuestion};
use fecscan::input::OpenOptions;
use regex::Regex;

use super::group_twin::{self, AskedGroups, SortedBy};
use super::{LEVELS, MemoryFile, choices, is_text, options};

/// Reads the first line of `data` as keys, and compares the groups of the other lines, at every level, with
/// the twin's.
pub fn question(data: &[u8]) {
    let ([sort, top, task], data) = choices(data);
    let newline = data.iter().position(|&b| b == b'\n');
    let end = newline.unwrap_or(data.len());
    let text = String::from_utf8_lossy(&data[..end]);
    let keys = text.split(',').map(key).collect::<Option<Vec<_>>>();
    let (question, keys) = match (GroupQuestion::new(&text), keys) {
        (Ok(question), Some(keys)) => (question, keys),
        (Err(error), None) => {
            assert!(error.to_string().contains("; "), "what to do? {error}");
            return;
        }
        (found, _) => panic!("{text:?}: {found:?}"),
    };
    let places = keys.iter().map(|(function, name)| place(function, name));
    let places = places.collect::<Option<BTreeSet<_>>>();
    let are_good = places.is_some_and(|places| places.len() == keys.len());
    assert_eq!(question.bind(Schema::Indiv).is_ok(), are_good, "{text:?}");
    let rows = data.get(end + 1..).unwrap_or_default();
    if !are_good || !is_text(rows) {
        return;
    }
    let asked = AskedGroups {
        keys: keys
            .iter()
            .filter_map(|(function, name)| place(function, name))
            .collect(),
        aggregates: vec![("sum", 15), ("max", 14), ("distinct", 8)],
        sort: match sort % 4 {
            0 => SortedBy::Count,
            1 => SortedBy::Key,
            _ => SortedBy::Aggregate(sort.into()),
        },
        ascending: sort >= 128,
        top: (top < 128).then_some(usize::from(top) % 8),
    };
    let expected = group_twin::groups(&[rows], &asked, &[]);
    let file = MemoryFile::new(rows);
    for &simd in LEVELS.iter() {
        let engine = Engine::new(options(simd, 1, u64::from(task) + 1));
        let fold = ByFold::new(asked.typed());
        let mut run = engine.run(&fold);
        let mut opening = OpenOptions::default();
        opening.schema = Some(Schema::Indiv);
        run.input(opening.open(file.path.as_ref()).unwrap())
            .unwrap();
        let found = fold.grouped(run.finish()).ok();
        let found = found.as_ref().map(group_twin::of);
        assert_eq!(found, expected, "{asked:?}, {}", simd.name());
    }
}

/// Splits a key into the name of its function and its column; nothing if it is wrong.
pub(super) fn key(text: &str) -> Option<(&'static str, String)> {
    static CALL: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?s)^([^(]*)\(([^()]*)\)$").unwrap());
    let text = text.trim();
    let (function, column) = match CALL.captures(text) {
        None if text.contains(['(', ')']) => return None,
        None => ("", text),
        Some(parts) => {
            let name = parts.get(1)?.as_str().trim().to_ascii_lowercase();
            let functions = ["month", "year", "zip5", "first_name", "last_name"];
            let known = functions.into_iter().find(|known| *known == name)?;
            (known, parts.get(2)?.as_str().trim())
        }
    };
    (!column.is_empty()).then(|| (function, column.to_owned()))
}

/// Returns the function and the number of the column, if the column has what the function takes.
pub(super) fn place(function: &'static str, name: &str) -> Option<(&'static str, usize)> {
    let number = column(name)? + 1;
    let takes = match function {
        "" => true,
        "month" | "year" => [5, 14].contains(&number),
        "zip5" => number == 11,
        _ => ![5, 11, 14, 15].contains(&number),
    };
    takes.then_some((function, number))
}

/// Finds a column by its name, its alias, or its number from one, with or without `#`.
pub(super) fn column(name: &str) -> Option<usize> {
    let columns = Schema::Indiv.columns();
    let is = |known: &str| known.to_ascii_lowercase() == name.to_ascii_lowercase();
    (0..21).find(|&nth| {
        let number = name
            .strip_prefix('#')
            .unwrap_or(name)
            .trim_start_matches('0');
        is(columns[nth].name) || is(columns[nth].alias) || number == (nth + 1).to_string()
    })
}
