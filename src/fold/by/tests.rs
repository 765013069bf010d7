//! Answers compared with ordinary maps, for any division of the work.

use std::collections::BTreeMap;
use std::io::Write;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tempfile::NamedTempFile;

use super::*;
use crate::engine::{Engine, Options};
use crate::input::{Input, Io};

/// Returns a line of indiv with these values of columns. All others are the same in each line.
fn line(values: &[(&str, &str)]) -> String {
    const OTHERS: &str = "C00401224|N|Q1|P2018|201810189115624205|15|IND|DOE, JANE|AUSTIN|TX|787011234|NONE|RETIRED|\
                          10182018|5||SA11AI.4417|1100000|||4102220181000000000";
    let mut columns: Vec<_> = OTHERS.split('|').collect();
    for (name, value) in values {
        columns[Schema::Indiv.named(name).unwrap()] = value;
    }
    columns.join("|") + "\n"
}

/// Writes lines to a file.
fn file_of(lines: impl IntoIterator<Item = String>) -> NamedTempFile {
    let mut file = NamedTempFile::with_suffix(".txt").unwrap();
    let text: String = lines.into_iter().collect();
    file.write_all(text.as_bytes()).unwrap();
    file
}

/// Returns limits that make a table go over to partitions, whose rows are compacted above these bytes.
fn compacting(compact_above: usize) -> Limits {
    Limits {
        near: 10,
        near_of_long: 20,
        compact_above,
        compact_above_most: compact_above,
    }
}

fn engine(threads: usize, task_bytes: u64) -> Engine {
    Engine::new(Options {
        threads: NonZeroUsize::new(threads).unwrap(),
        task_bytes: NonZeroU64::new(task_bytes).unwrap(),
        ..Options::default()
    })
}

/// Returns the groups of a file.
fn grouped(fold: &ByFold, engine: &Engine, file: &NamedTempFile) -> Grouped {
    let folded = engine.scan(fold, [file.path()]).unwrap();
    fold.grouped(folded).unwrap()
}

/// A row: its keys, and its amount in dollars, if it has one.
type Row = (String, &'static str, Option<i64>);

/// Rows of 5,000 names, some of them much more often than others, some longer than a table holds in place.
fn rows() -> Vec<Row> {
    let row = |nth: u64| {
        let random = nth.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        let name = random % 5000 % (1 + random % 7 * 800);
        let length = name as usize % 60;
        let amount = (!nth.is_multiple_of(9)).then_some(nth as i64 % 1000 - 300);
        let state = ["TX", "CA", "NY"][(name % 3) as usize];
        (format!("N{name}{}", "x".repeat(length)), state, amount)
    };
    (0..100_000).map(row).collect()
}

/// Returns the keys, the numbers of rows and the values of all groups.
fn answers(
    fold: &ByFold,
    engine: &Engine,
    file: &NamedTempFile,
) -> Vec<(Vec<u8>, u64, Vec<Option<Value>>)> {
    let answer = |group: Group<'_>| {
        let values = (0..fold.question.aggregates.len()).map(|nth| group.value(nth));
        (group.key(0).to_vec(), group.count(), values.collect())
    };
    grouped(fold, engine, file).iter().map(answer).collect()
}

/// Rows wait in partitions and are grouped again and again. Workers and tasks may be of any number and size. One table that
/// takes each row at once gives the same answers in the same order.
#[test]
fn answers_do_not_depend_on_how_rows_wait() {
    use AggregateKind::{Distinct, Min, Sum};
    let file = file_of(lines(&rows()));
    let questions: [(&str, &[(AggregateKind, &str)]); 4] = [
        ("NAME", &[]),
        ("NAME", &[(Sum, "TRANSACTION_AMT")]),
        (
            "NAME",
            &[(Sum, "TRANSACTION_AMT"), (Min, "TRANSACTION_AMT")],
        ),
        ("STATE", &[(Distinct, "NAME")]),
    ];
    for (by, aggregates) in questions {
        let mut question = GroupQuestion::new(by).unwrap();
        for (kind, column) in aggregates {
            question.add_aggregate(*kind, column).unwrap();
        }
        let at_once = ByFold::new(question.clone());
        let expected = answers(&at_once, &engine(1, 1 << 30), &file);
        let limits = compacting(0);
        let waiting = ByFold {
            limits,
            ..ByFold::new(question)
        };
        for (threads, task_bytes) in [(1, 1 << 21), (2, 700), (3, 1 << 20), (2, 100_000)] {
            let found = answers(&waiting, &engine(threads, task_bytes), &file);
            assert!(found == expected, "{by} {aggregates:?}, {threads} threads");
        }
    }
}

/// Returns the rows as lines.
fn lines(rows: &[Row]) -> impl Iterator<Item = String> {
    rows.iter().map(|(name, state, amount)| {
        let amount = amount.map_or(String::new(), |amount| amount.to_string());
        let names = [("NAME", &**name), ("STATE", state)];
        line(&[names[0], names[1], ("TRANSACTION_AMT", &amount)])
    })
}

/// No worker reads the rest of the file, and the next file is not opened.
#[test]
fn a_run_without_room_ends_at_once() {
    let file = file_of(lines(&rows()));
    for (threads, most, expected) in [
        (1, Some(1000), "there are more than 1000 groups; "),
        (3, Some(1000), "there are more than 1000 groups; "),
        (
            3,
            None,
            "the groups and their order take more than the 0.00 GB of memory that were available",
        ),
    ] {
        let mut question = GroupQuestion::new("NAME").unwrap();
        question.max_groups = most;
        let mut fold = ByFold::new(question);
        if most.is_none() {
            fold.limits = compacting(Limits::default().compact_above);
            let watch = Watch::begin(0).map(|watch| Watch {
                allowed: 0,
                before: 0,
                ..watch
            });
            // This system does not tell what a process has.
            if watch.is_none() {
                return;
            }
            fold.watch = OnceLock::from(watch);
        }
        let engine = engine(threads, 1 << 16);
        let read = AtomicU64::new(0);
        let mut run = engine.run(&fold).observed(|bytes| {
            read.fetch_add(bytes, Relaxed);
        });
        for path in [file.path(), "missing".as_ref()] {
            if !run.is_complete() {
                let input = Input::open(path.as_os_str(), Io::default()).unwrap();
                run.input(input).unwrap();
            }
        }
        let folded = run.finish();
        assert_eq!((folded.files.len(), folded.lines), (0, 0));
        let bytes = file.path().metadata().unwrap().len();
        assert!(read.into_inner() < bytes / 2);
        let error = fold.grouped(folded).unwrap_err().with_advice();
        assert!(error.starts_with(expected), "{error}");
    }
}

/// There was room for the groups, and there is none for their order.
#[test]
fn groups_without_room_are_not_ordered() {
    let file = file_of(lines(&rows()));
    let fold = ByFold::new(GroupQuestion::new("NAME").unwrap());
    let folded = Engine::default().scan(&fold, [file.path()]).unwrap();
    let Some(watch) = Watch::begin(0) else {
        return;
    };
    let watch = Watch {
        allowed: 0,
        before: 0,
        ..watch
    };
    fold.watch.set(Some(watch)).unwrap();
    let error = fold.grouped(folded).unwrap_err().to_string();
    assert!(
        error.starts_with("the groups and their order take more"),
        "{error}"
    );
}

/// Identifiers: texts of digits of all lengths, most of them once, and some others.
fn identifiers() -> Vec<String> {
    let identifier = |nth: u64| {
        let random = nth.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 8;
        let length = random as usize % 22;
        match nth % 16 {
            0 => format!("{:0length$}", random % 50),
            1 => format!("SA{:0length$}", random % 700),
            2 => "4102220181000000007".to_owned(),
            3..8 => format!("{:0length$}", random % 40_000),
            _ => format!("{}", 4_102_220_181_000_000_000 + random % 30_000),
        }
    };
    (0..60_000).map(identifier).collect()
}

fn set_order(question: &mut GroupQuestion, sort: Sort, direction: Direction) {
    (question.orders, question.direction) = (vec![OrderBy::by(sort)], direction);
}

/// The first groups are those of a sorted list, in any order, and the rest is what they leave.
#[test]
fn the_first_groups_are_those_of_a_sorted_list() {
    let rows = identifiers();
    let file = file_of(rows.iter().map(|key| line(&[("SUB_ID", key)])));
    let mut known: BTreeMap<&str, u64> = BTreeMap::new();
    for key in &rows {
        *known.entry(key).or_default() += 1;
    }
    let orders = [
        (Sort::Key, Direction::Ascending),
        (Sort::Count, Direction::Ascending),
        (Sort::Count, Direction::Descending),
    ];
    for (sort, direction) in orders {
        let mut expected: Vec<_> = known.iter().map(|(key, rows)| (*key, *rows)).collect();
        match (sort, direction) {
            (Sort::Count, Direction::Ascending) => expected.sort_by_key(|(_, rows)| *rows),
            (Sort::Count, _) => expected.sort_by_key(|(_, rows)| std::cmp::Reverse(*rows)),
            _ => {}
        }
        for top in [1, 3, 10, 40, 1000, 1 << 20] {
            for limits in [Limits::default(), compacting(0), compacting(1 << 20)] {
                let mut question = GroupQuestion::new("SUB_ID").unwrap();
                set_order(&mut question, sort, direction);
                question.top = Some(top);
                let fold = ByFold {
                    limits,
                    ..ByFold::new(question)
                };
                let grouped = grouped(&fold, &engine(2, 50_000), &file);
                let (first, others) = expected.split_at(top.min(expected.len()));
                let groups = grouped.iter().map(|group| (group.key(0), group.count()));
                let first = first.iter().map(|(key, rows)| (key.as_bytes(), *rows));
                assert!(groups.eq(first), "{sort:?} {direction:?} {top} {limits:?}");
                let rest = grouped.rest().map(|rest| (rest.groups, rest.count));
                let count = others.iter().map(|(_, rows)| rows).sum();
                let expected = (!others.is_empty()).then_some((others.len() as u64, count));
                assert_eq!(rest, expected, "{sort:?} {direction:?} {top}");
            }
        }
    }
}
