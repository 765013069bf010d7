//! `export` against its slow twin: every format, level, way to read, number of threads and size of tasks.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fecscan::engine::Engine;
use fecscan::export::{Exported, RowFold, Writing};
use fecscan::fec::schema::Schema;
use fecscan::generate::RowQuality;
use fecscan::render;
use fecscan::sql::Filter;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use crate::common::condition::Condition;
use crate::common::export_twin::{self, AskedRows, FORMATS, Format};
use crate::common::joins::generated;
use crate::common::run::{Setting, WAYS, fixtures, settings};
use crate::common::tables::{condition, table};

/// Exports the files at `paths`, by workers that keep about `piece_bytes` each.
pub(super) fn export(
    setting: &Setting,
    engine: &Engine,
    asked: &AskedRows,
    format: Format,
    piece_bytes: usize,
    paths: &[&Path],
) -> (Vec<u8>, Exported) {
    let mut writing = Writing::from(format.of_program());
    writing.piece_bytes = piece_bytes;
    let mut out = Vec::new();
    let fold = RowFold::new(asked.typed(), writing, &mut out);
    let folded = setting.fold(engine, &fold, &[], paths).unwrap();
    let exported = fold.finish(folded.partial, engine.workers()).unwrap();
    (out, exported)
}

/// Returns the names of the exported columns.
pub(super) fn names_of(asked: &AskedRows) -> Vec<String> {
    let name = |(function, number): (&str, usize)| {
        match function {
            "" => Schema::Indiv.columns()[number - 1].name.to_owned(),
            // As written.
            _ => export_twin::sql((function, number)),
        }
    };
    asked.all_columns().into_iter().map(name).collect()
}

/// Asserts that the exports of `files` are the twin's, and byte for byte the same in all `settings`.
#[track_caller]
fn assert_exports(
    files: &[(PathBuf, Vec<u8>)],
    asked: &AskedRows,
    conditions: &[Condition],
    settings: &[Setting],
) {
    let texts: Vec<_> = files.iter().map(|(_, bytes)| &bytes[..]).collect();
    let paths: Vec<_> = files.iter().map(|(path, _)| path.as_path()).collect();
    let (rows, unparsed) = export_twin::rows(&texts, asked, conditions);
    let typed: Vec<_> = conditions.iter().map(Condition::typed).collect();
    let names = names_of(asked);
    let name = |(number, count): (usize, u64)| {
        let name = Schema::Indiv.columns()[number - 1].name;
        (name.to_owned(), count)
    };
    let unparsed: Vec<_> = unparsed.into_iter().map(name).collect();
    for format in FORMATS {
        let mut first: Option<Vec<u8>> = None;
        for (nth, setting) in settings.iter().enumerate() {
            let what = || format!("{format:?} {asked:?} {typed:?}: {setting:?}");
            let filter = Filter::new(&typed).unwrap();
            let engine = setting.engine().with_filter(filter);
            let piece_bytes = [1, 500, 4 << 20][nth % 3];
            let (out, exported) = export(setting, &engine, asked, format, piece_bytes, &paths);
            assert_eq!(exported.rows, rows.0.len() as u64, "{}", what());
            let found = exported.unparsed.into_iter();
            let found: Vec<_> = found.map(|(name, _, count)| (name, count)).collect();
            assert_eq!(found, unparsed, "{}", what());
            match &first {
                Some(first) => assert!(*first == out, "{}: other bytes", what()),
                None => {
                    let found = format.read(&out, &names);
                    assert_eq!(found, format.holds(&rows), "{}", what());
                    first = Some(out);
                }
            }
        }
    }
}

fn fixture_files() -> Vec<(PathBuf, Vec<u8>)> {
    let with_path = |(name, bytes)| (PathBuf::from(format!("fixtures/{name}.txt")), bytes);
    fixtures().into_iter().map(with_path).collect()
}

/// Columns in another order, and expressions of every type.
const CHOSEN: [(&str, usize); 11] = [
    ("", 15),
    ("month(@)", 14),
    ("@ * -2", 15),
    ("", 8),
    ("zip5(@)", 11),
    ("first_name(@)", 8),
    ("@ >= 100", 15),
    ("", 21),
    ("date_trunc('year', @)", 14),
    ("", 14),
    ("", 1),
];

#[test]
fn rows_of_the_fixtures_are_those_of_the_twin_in_every_way_of_working() {
    let files = fixture_files();
    let settings = settings(&[1, 3], &[64, 5000, 2 << 20]);
    let amounts = Condition::compares(15, ">=", "50");
    for (columns, typed, head, conditions) in [
        (&[][..], false, None, vec![]),
        (&[], true, None, vec![]),
        (&CHOSEN, false, None, vec![Condition::contributions()]),
        (&CHOSEN, true, Some(40), vec![]),
        (&[], false, Some(7), vec![amounts]),
        // The columns that some levels search for.
        (&CHOSEN[3..4], false, None, vec![]),
        (&CHOSEN[9..], true, None, vec![]),
    ] {
        let columns = columns.to_vec();
        let asked = AskedRows {
            columns,
            typed,
            head,
        };
        assert_exports(&files, &asked, &conditions, &settings);
    }
}

#[test]
fn tiny_tasks_export_the_same_rows() {
    for name in [
        "columns",
        "crlf",
        "blank-lines",
        "lone-cr",
        "generated-hostile",
    ] {
        let path = PathBuf::from(format!("fixtures/{name}.txt"));
        let files = [(path.clone(), fs::read(&path).unwrap())];
        for head in [None, Some(0), Some(1), Some(9)] {
            let settings = settings(&[1, 2, 8], &[1, 2, 3, 7, 64]);
            for columns in [vec![], (1..=20).map(|number| ("", number)).collect()] {
                let asked = AskedRows {
                    columns,
                    head,
                    ..AskedRows::default()
                };
                assert_exports(&files, &asked, &[], &settings);
            }
        }
    }
}

/// Odd bytes in every column, and values at both ends of each type.
#[test]
fn hostile_bytes_in_every_column_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    let mut bytes = generated(Schema::Indiv, 3000, RowQuality::Hostile);
    let odd: [&[u8]; 16] = [
        b"\"",
        b"\\",
        b"\t",
        b"\r",
        b",",
        b"a\rb",
        b"\x00\x1f\x7f",
        b"\xff",
        b"\xc3\xa9",
        b"\xc3",
        b"\xed\xa0\x80",
        b" ",
        b"'",
        b"{}",
        b"\"\"\\\\",
        b"\xe2\x80\xa8",
    ];
    for column in 1..=21 {
        for value in odd {
            let row: Vec<_> = (1..=21)
                .map(|number| if number == column { value } else { b"x" })
                .collect();
            bytes.extend(row.join(&b'|'));
            bytes.push(b'\n');
        }
    }
    // Around the width of a window.
    for length in 1..=70 {
        for (first, other, quoted) in [(b'"', b'x', 0), (b'a', b'"', 0), (b',', b'b', length / 2)] {
            let mut value = vec![other; length];
            value[0] = first;
            value[quoted] = b'"';
            for column in [1, 8, 20, 21] {
                let mut row = [&b"y"[..]; 21];
                row[column - 1] = &value;
                bytes.extend(row.join(&b'|'));
                bytes.push(b'\n');
            }
        }
    }
    for (day, amount, id) in [
        ("02292016", "999999999999.99", "9223372036854775807"),
        ("02292018", "1000000000000", "9223372036854775808"),
        ("12/31/9999", "-999999999999.99", "-9223372036854775808"),
        ("00000000", "-1000000000000.00", "0x1"),
        (" 01012018\t", " 7. ", "+007"),
        (" ", " ", " "),
        ("", "", ""),
        ("1", "1.234", "1.0"),
        ("01011", "-0.05", "-"),
    ] {
        let row = format!("C|{}{day}|{amount}||||||{id}\n", "|".repeat(12));
        bytes.extend(row.into_bytes());
    }
    fs::write(&path, &bytes).unwrap();
    let files = [(path, bytes)];
    let settings = settings(&[1, 4], &[777, 1 << 20]);
    for typed in [false, true] {
        let asked = AskedRows {
            typed,
            ..AskedRows::default()
        };
        assert_exports(&files, &asked, &[], &settings);
    }
    // Odd bytes behind the wanted columns, and rows that a filter drops between others.
    for width in [8, 20] {
        let asked = AskedRows {
            columns: (1..=width).map(|number| ("", number)).collect(),
            ..AskedRows::default()
        };
        assert_exports(&files, &asked, &[], &settings);
        assert_exports(&files, &asked, &[Condition::contributions()], &settings);
    }
}

/// Counts the bytes of the largest write.
struct Largest(Arc<AtomicUsize>);

impl io::Write for Largest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.fetch_max(bytes.len(), Ordering::Relaxed);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A byte of a blank line becomes an object of 400 bytes, so a task of 1 MiB would become 400 MiB.
#[test]
fn blank_lines_and_ordinary_rows_leave_in_pieces() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    let mut rows = generated(Schema::Indiv, 2000, RowQuality::Clean);
    rows.extend(vec![b'\n'; 100_000]);
    fs::write(&path, rows).unwrap();
    for setting in settings(&[1, 3], &[1 << 20]) {
        let largest = Arc::new(AtomicUsize::new(0));
        let out = Largest(Arc::clone(&largest));
        let mut writing = Writing::from(render::Format::Json);
        writing.piece_bytes = 300_000;
        let fold = RowFold::new(AskedRows::default().typed(), writing, out);
        let engine = setting.engine();
        let folded = setting.fold(&engine, &fold, &[], &[&path]).unwrap();
        let exported = fold.finish(folded.partial, engine.workers()).unwrap();
        assert_eq!(exported.rows, 102_000);
        let largest = largest.load(Ordering::Relaxed);
        assert!((300_000..500_000).contains(&largest), "{largest}");
    }
}

#[test]
fn text_is_the_same_in_every_way_of_working_and_aligned_by_the_first_rows() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    fs::write(&path, generated(Schema::Indiv, 500, RowQuality::Hostile)).unwrap();
    let mut first = None;
    for setting in settings(&[1, 3], &[64, 1 << 20]) {
        let asked = AskedRows {
            columns: vec![("", 8), ("", 15), ("", 20)],
            ..AskedRows::default()
        };
        let mut out = Vec::new();
        let fold = RowFold::new(asked.typed(), render::Format::Text, &mut out);
        let engine = setting.engine();
        let folded = setting.fold(&engine, &fold, &[], &[&path]).unwrap();
        fold.finish(folded.partial, engine.workers()).unwrap();
        let text = String::from_utf8_lossy(&out).into_owned();
        let place = text.find("TRANSACTION_AMT").unwrap() + "TRANSACTION_AMT".len();
        let aligned = text.lines().take(50).filter(|line| {
            let amount = line.get(..place).map(|start| start.split(' ').next_back());
            amount.is_some_and(|amount| amount.is_some_and(|a| !a.is_empty()))
        });
        assert!(aligned.count() > 40, "{text}");
        assert!(*first.get_or_insert(out.clone()) == out, "{setting:?}");
    }
}

/// Questions about any columns, without repetition.
pub(super) fn question() -> impl Strategy<Value = AskedRows> {
    let mut all: Vec<_> = (1..=21).map(|number| ("", number)).collect();
    all.extend(
        CHOSEN
            .into_iter()
            .filter(|(function, _)| !function.is_empty()),
    );
    let columns = prop_oneof![
        1 => Just(Vec::new()),
        // Lines are copied up to a column.
        1 => (2..=21_usize).prop_map(|last| (1..=last).map(|number| ("", number)).collect()),
        3 => subsequence(all, 1..8).prop_shuffle(),
    ];
    let head = prop_oneof![2 => Just(None), 1 => (0..80_u64).prop_map(Some)];
    (columns, any::<bool>(), head).prop_map(|(columns, typed, head)| AskedRows {
        columns,
        typed,
        head,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_question_has_the_rows_of_the_twin(
        tables in vec(table(), 1..4),
        asked in question(),
        conditions in vec(condition(), 0..2),
        task_bytes in prop_oneof![1..300_u64, Just(1 << 20)],
        threads in 1..5_usize,
        way in select(WAYS.to_vec()),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let files: Vec<_> = tables
            .into_iter()
            .enumerate()
            .map(|(nth, bytes)| (directory.path().join(format!("itcont{nth}.txt")), bytes))
            .collect();
        for (path, bytes) in &files {
            fs::write(path, bytes).unwrap();
        }
        let mut settings = settings(&[1, threads], &[task_bytes]);
        settings.retain(|setting| setting.way == way);
        assert_exports(&files, &asked, &conditions, &settings);
    }
}
