//! Versions compared, against a slow twin.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fecscan::diff::{Diff, DiffFold};
use fecscan::engine::Engine;
use fecscan::export::{ExportQuestion, OldRows, RowFold};
use fecscan::fold::Fold;
use fecscan::render::Format;

use crate::common::archives::{Member, gzip, zip, zstd};
use crate::common::function_twin::column;
use crate::common::run::{Setting, Way, settings};
use crate::common::twin::lines_of;

/// The twin's counts: added, removed, changed, equal; then rows, rows without a key, double keys and the first of these in each
/// version.
pub(super) type Counts = ([u64; 4], [(u64, u64, u64, Vec<Vec<u8>>); 2]);

/// The values of a key, and a function that makes them of a line.
type Values = Vec<Vec<u8>>;
type ValuesOf = fn(&[u8]) -> Values;

/// Returns the counts, and the rows that differ as CSV of NAME and SUB_ID, with changed rows of the old version. Columns of the key count
/// from one.
pub(super) fn twin(versions: [&[&[u8]]; 2], columns: &[usize]) -> (Counts, String) {
    twin_by(versions, &|line| {
        let values = columns.iter().map(|&number| column(line, number).to_vec());
        values.collect()
    })
}

/// Does the same by the values that a function makes of lines. If all are empty, there is not a key.
fn twin_by(versions: [&[&[u8]]; 2], values: &dyn Fn(&[u8]) -> Values) -> (Counts, String) {
    let key =
        |line: &[u8]| Some(values(line)).filter(|all| all.iter().any(|value| !value.is_empty()));
    let by_key = versions.map(|files| {
        let mut by_key = BTreeMap::<_, Vec<&[u8]>>::new();
        for line in files.iter().flat_map(|bytes| lines_of(bytes)) {
            by_key.entry(key(line)).or_default().push(line);
        }
        by_key
    });
    let mut rows = "change,NAME,SUB_ID\n".to_owned();
    for (version, other) in [(1, 0), (0, 1)] {
        for line in versions[version].iter().flat_map(|bytes| lines_of(bytes)) {
            let key = key(line);
            let lacks = |line: &&[u8]| !by_key[0][&key].contains(line);
            let sign = match by_key[other].get(&key) {
                _ if key.is_none() => continue,
                None => ["-", "+"][version],
                Some(_) if version == 1 && lacks(&line) => "~",
                Some(new) if version == 0 && new.iter().any(lacks) => "<",
                Some(_) => continue,
            };
            let [name, id] = [8, 21].map(|number| String::from_utf8(column(line, number).to_vec()));
            rows += &format!("{sign},{},{}\n", name.unwrap(), id.unwrap());
        }
    }
    let mut counts = [0; 4];
    let [old, new] = &by_key;
    for (key, lines) in new.iter().filter(|(key, _)| key.is_some()) {
        for line in lines {
            counts[match old.get(key) {
                None => 0,
                Some(lines) if lines.contains(line) => 3,
                Some(_) => 2,
            }] += 1;
        }
    }
    let removed = old
        .iter()
        .filter(|(key, _)| key.is_some() && !new.contains_key(key));
    counts[1] = removed.map(|(_, lines)| lines.len() as u64).sum();
    let sides = by_key.map(|by_key| {
        let rows = by_key.values().map(|lines| lines.len() as u64).sum();
        let without = by_key.get(&None).map_or(0, |lines| lines.len() as u64);
        let doubles = by_key
            .iter()
            .filter(|(key, lines)| key.is_some() && lines.len() > 1);
        let doubles = doubles.filter_map(|(key, _)| Some(key.as_ref()?.join(&b'|')));
        let mut doubles: Vec<_> = doubles.collect();
        doubles.sort();
        let count = doubles.len() as u64;
        (rows, without, count, doubles.into_iter().take(3).collect())
    });
    ((counts, sides), rows)
}

fn run(setting: &Setting, versions: [&[&Path]; 2], key: &str) -> (Counts, String) {
    run_on(&setting.engine(), setting, versions, key)
}

/// Compares versions on `engine`, which has a filter perhaps.
pub(super) fn run_on(
    engine: &Engine,
    setting: &Setting,
    versions: [&[&Path]; 2],
    key: &str,
) -> (Counts, String) {
    let fold = DiffFold::new(key).unwrap();
    let [old, new] = versions;
    let folded = setting.fold(engine, &fold, &[], old).unwrap();
    let fold = fold.table(folded, engine.workers());
    let folded = setting.fold(engine, &fold, &[], new).unwrap();
    let compared = fold.finish(folded, engine.workers());
    let mut diff = compared.diff.clone();
    let fold = compared.double_keys_of_old();
    let named = setting.fold(engine, &fold, &[], old).unwrap().partial;
    diff.old.add_double_keys(named);
    let fold = compared.double_keys_of_new();
    let named = setting.fold(engine, &fold, &[], new).unwrap().partial;
    diff.new.add_double_keys(named);
    let mut question = ExportQuestion::default();
    question.add_columns("NAME,SUB_ID").unwrap();
    let mut rows = Vec::new();
    let mut fold = RowFold::new(question, Format::Csv, &mut rows);
    let [of_old, of_new] = compared.changes(OldRows::RemovedAndChanged);
    of_new.choose_rows_of(&mut fold);
    let mut partial = setting.fold(engine, &fold, &[], new).unwrap().partial;
    of_old.choose_rows_of(&mut fold);
    fold.merge(
        &mut partial,
        setting.fold(engine, &fold, &[], old).unwrap().partial,
    );
    fold.finish(partial, engine.workers()).unwrap();
    let rows = String::from_utf8(rows).unwrap();
    let Diff {
        added,
        removed,
        changed,
        equal,
        old,
        new,
        ..
    } = diff;
    let sides = [old, new].map(|version| {
        (
            version.rows,
            version.without_key,
            version.double_keys,
            version.first_double_keys,
        )
    });
    (([added, removed, changed, equal], sides), rows)
}

/// Numbers without a pattern.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % end
    }
}

/// A file of some rows. Their keys are `keys` different ones: numbers, texts, almost numbers, none. Some rows are short or blank.
fn file(random: &mut Random, rows: u64, keys: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for row in 0..rows {
        let key = random.below(keys);
        let name = random.below(3);
        let id = match key % 7 {
            0 => format!("0{key}"),
            1 => format!("X{key}"),
            2 => format!("{}", u64::MAX - key),
            3 if key < 20 => String::new(),
            _ => format!("40501201810{key:08}"),
        };
        let line = match random.below(20) {
            0 => String::new(),
            1 => format!("C{}|short", key % 5),
            _ => format!("C{}{}{name}{}{id}", key % 5, "|".repeat(7), "|".repeat(13)),
        };
        bytes.extend_from_slice(line.as_bytes());
        let is_last = row + 1 == rows;
        match random.below(4) {
            0 if is_last => {}
            1 => bytes.extend_from_slice(b"\r\n"),
            _ => bytes.push(b'\n'),
        }
    }
    bytes
}

#[test]
fn versions_compare_as_a_slow_twin_compares_them() {
    let directory = tempfile::tempdir().unwrap();
    let path = |number: usize| directory.path().join(format!("{number}.txt"));
    let paths: Vec<_> = (0..4).map(path).collect();
    let paths: Vec<_> = paths.iter().map(|path| path.as_path()).collect();
    let mut random = Random(7);
    let mut seen = [0; 4];
    for (rows, keys) in [
        (0, 1),
        (1, 1),
        (30, 10),
        (200, 1000),
        (900, 40),
        (3000, 5000),
    ] {
        // The first file is in both versions.
        let files: Vec<_> = (0..4)
            .map(|number| {
                let rows = if number == 3 { rows / 2 } else { rows };
                file(&mut random, rows, keys)
            })
            .collect();
        for (path, bytes) in paths.iter().zip(&files) {
            fs::write(path, bytes).unwrap();
        }
        for (key, columns) in [("SUB_ID", &[21][..]), ("#1", &[1]), ("#1,sub_id", &[1, 21])] {
            for [old, new] in [[&[0, 1][..], &[0, 2, 3]], [&[0], &[0]], [&[2, 3], &[1]]] {
                let bytes = |numbers: &[usize]| -> Vec<_> {
                    numbers.iter().map(|&n| &files[n][..]).collect()
                };
                let expected = twin([&bytes(old), &bytes(new)], columns);
                let counts = expected.0.0.iter().zip(&mut seen);
                counts.for_each(|(count, seen)| *seen += count);
                let of =
                    |numbers: &[usize]| -> Vec<_> { numbers.iter().map(|&n| paths[n]).collect() };
                for setting in settings(&[1, 3], &[100, 1 << 20]) {
                    let found = run(&setting, [&of(old), &of(new)], key);
                    assert_eq!(
                        found, expected,
                        "{setting:?}, {rows} rows, {keys} keys, {key}"
                    );
                }
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
}

/// Keys of SQL, and slow functions that make their values. A number or a day that can't be read is NULL, and empty.
const EXPRESSIONS: [(&str, ValuesOf); 8] = [
    ("lower(NAME)", |line| {
        vec![column(line, 8).to_ascii_lowercase()]
    }),
    ("#21, left(upper(NAME), 2)", |line| {
        let name = column(line, 8).to_ascii_uppercase();
        vec![
            column(line, 21).to_vec(),
            name[..name.len().min(2)].to_vec(),
        ]
    }),
    ("nullif(name, 'b'), (#1)", |line| {
        let name = Some(column(line, 8)).filter(|name| *name != b"b");
        vec![name.unwrap_or_default().to_vec(), column(line, 1).to_vec()]
    }),
    // Identifiers are whole numbers of 64 bits in SQL.
    ("SUB_ID // 10", |line| {
        vec![text(number(line).map(|id| id / 10))]
    }),
    ("sub_id % 9, length(name)", |line| {
        vec![
            text(number(line).map(|id| id % 9)),
            text(Some(column(line, 8).len() as i64)),
        ]
    }),
    // Bytes as they stand, of a column that is a number in SQL.
    ("(SUB_ID)", |line| vec![column(line, 21).to_vec()]),
    // Line breaks and escapes are part of a value: without any care, both keys of "b" and "" would be one.
    (
        "if(name = 'b', '\n', ''), if(name = 'b', '', '\n'), '\u{1b}s' || CMTE_ID",
        |line| {
            let [one, other]: [&[u8]; 2] = match column(line, 8) {
                b"b" => [b"\n", b""],
                _ => [b"", b"\n"],
            };
            let last = [b"\x1bs", column(line, 1)].concat();
            vec![one.to_vec(), other.to_vec(), last]
        },
    ),
    ("if(name = 'b', '\n', '\u{1b}s')", |line| {
        let value: &[u8] = match column(line, 8) {
            b"b" => b"\n",
            _ => b"\x1bs",
        };
        vec![value.to_vec()]
    }),
];

/// Returns SUB_ID, if it is a whole number of 64 bits.
fn number(line: &[u8]) -> Option<i64> {
    std::str::from_utf8(column(line, 21)).ok()?.parse().ok()
}

fn text(number: Option<i64>) -> Vec<u8> {
    number.map_or_else(Vec::new, |number| number.to_string().into_bytes())
}

#[test]
fn versions_compare_by_expressions_as_a_slow_twin_compares_them() {
    let directory = tempfile::tempdir().unwrap();
    let [old, new] = ["old", "new"].map(|name| directory.path().join(name));
    let mut random = Random(5);
    let mut seen = [0; 4];
    for (rows, keys) in [(1, 1), (31, 10), (900, 60), (2000, 3000)] {
        let files = [(); 2].map(|()| with_names(&file(&mut random, rows, keys)));
        fs::write(&old, &files[0]).unwrap();
        fs::write(&new, &files[1]).unwrap();
        for (key, values) in EXPRESSIONS {
            let expected = twin_by([&[&files[0]], &[&files[1]]], &values);
            let counts = expected.0.0.iter().zip(&mut seen);
            counts.for_each(|(count, seen)| *seen += count);
            for setting in settings(&[1, 3], &[100, 1 << 20]) {
                let found = run(&setting, [&[&old], &[&new]], key);
                assert_eq!(
                    found, expected,
                    "{setting:?}, {rows} rows, {keys} keys, {key}"
                );
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
}

/// Makes letters of NAME, which is a digit.
fn with_names(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    [("0", "Ab"), ("1", "b"), ("2", "aB")]
        .into_iter()
        .fold(text, |text, (digit, name)| {
            text.replace(&format!("||{digit}||"), &format!("||{name}||"))
        })
        .into_bytes()
}

#[test]
fn compressed_versions_compare_as_plain_ones() {
    let mut random = Random(11);
    let files = [(); 2].map(|()| file(&mut random, 2000, 3000));
    let expected = twin([&[&files[0]], &[&files[1]]], &[21]);
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let (old, new) = (path("old"), path("new"));
    let zipped = |bytes: &[u8]| zip(&[Member::deflated("itcont.txt", bytes)]);
    type Pack<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;
    let packed: [Pack<'_>; 3] = [&gzip, &zstd, &zipped];
    for pack in packed {
        fs::write(&old, pack(&files[0])).unwrap();
        fs::write(&new, pack(&files[1])).unwrap();
        for setting in settings(&[2], &[1000]) {
            let setting = Setting {
                way: Way::Read,
                ..setting
            };
            assert_eq!(run(&setting, [&[&old], &[&new]], "SUB_ID"), expected);
        }
    }
}
