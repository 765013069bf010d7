//! The order of keys; and answers compared with ordinary maps, for any division of the work.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::key_order::compare_keys;
use super::*;
use crate::engine::Engine;
use crate::engine::Options;
use crate::fec::amount::Hundredths;
use crate::filter::Filter;
use crate::input::{Input, Io};
use crate::scan::simd::Simd;

#[test]
fn keys_compare_one_after_the_other() {
    let texts = [
        "", "\n", "\nA", "A", "A\n", "A\nB", "A!\n", "A!", "AB\n", "a\n", "\0\n", "\0", "A\t\n",
        "A\nB\nC",
    ];
    let split = |text: &str| {
        text.split('\n')
            .map(|key| key.as_bytes().to_vec())
            .collect::<Vec<_>>()
    };
    for one in texts {
        for other in texts {
            // Questions have the same number of keys in all groups.
            let (keys, others) = (split(one), split(other));
            if keys.len() == others.len() {
                let found = compare_keys(one.as_bytes(), other.as_bytes());
                assert_eq!(found, keys.cmp(&others), "{one} {other}");
            }
        }
    }
}

/// No row of a block passes: the columns of none are there.
#[test]
fn a_filter_may_drop_every_row_at_every_level() {
    for simd in Simd::available() {
        for keys in [
            "STATE",
            "zip5(ZIP_CODE)",
            "STATE,CITY",
            "month(TRANSACTION_DT)",
        ] {
            for condition in ["STATE=zz", "CMTE_ID=zz", "NAME^=zz"] {
                let options = Options {
                    simd,
                    ..Options::default()
                };
                let filter = Filter::new([condition]).unwrap();
                let engine = Engine::new(options).with_filter(filter);
                for sum in [false, true] {
                    let mut question = GroupQuestion::new(keys).unwrap();
                    if sum {
                        question
                            .add_aggregate(AggregateKind::Sum, "amount")
                            .unwrap();
                    }
                    let fold = ByFold::new(question);
                    let folded = engine.scan(&fold, ["fixtures/generated.txt"]).unwrap();
                    let grouped = fold.grouped(folded).unwrap();
                    assert_eq!(grouped.distinct_groups, 0, "{} {keys}", simd.name());
                }
            }
        }
    }
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

/// The expected state of a group: rows, amounts, their sum, the least of them, and names.
#[derive(Debug, Default, PartialEq)]
struct Known {
    rows: u64,
    sum: Option<i64>,
    least: Option<i64>,
    names: BTreeSet<String>,
}

fn known<'r>(rows: &'r [Row], key: impl Fn(&'r Row) -> &'r str) -> BTreeMap<&'r str, Known> {
    let mut known: BTreeMap<_, Known> = BTreeMap::new();
    for row in rows {
        let group = known.entry(key(row)).or_default();
        group.rows += 1;
        group.names.insert(row.0.clone());
        if let Some(amount) = row.2 {
            group.sum = Some(group.sum.unwrap_or(0) + 100 * amount);
            group.least = Some(group.least.unwrap_or(i64::MAX).min(100 * amount));
        }
    }
    known
}

/// Rows wait in partitions and are grouped again and again. All answers and their order equal those of a map, for any
/// number of workers and any size of tasks.
#[test]
fn answers_do_not_depend_on_how_rows_wait() {
    use AggregateKind::{Distinct, Min, Sum};
    let rows = rows();
    let file = file_of(&rows);
    let limits = Limits {
        near: 10,
        near_of_long: 20,
        compact_above: 0,
        compact_above_most: 0,
    };
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
        let known = match by {
            "NAME" => known(&rows, |row| &row.0),
            _ => known(&rows, |row| row.1),
        };
        let mut expected: Vec<_> = known.into_iter().collect();
        expected.sort_by_key(|(_, group)| std::cmp::Reverse(group.rows));
        for (threads, task_bytes) in [(1, 1 << 21), (2, 700), (3, 1 << 20), (2, 100_000)] {
            let mut question = GroupQuestion::new(by).unwrap();
            for (kind, column) in aggregates {
                question.add_aggregate(*kind, column).unwrap();
            }
            let fold = ByFold {
                limits,
                ..ByFold::new(question)
            };
            let engine = Engine::new(Options {
                threads: NonZeroUsize::new(threads).unwrap(),
                task_bytes: NonZeroU64::new(task_bytes).unwrap(),
                ..Options::default()
            });
            let folded = engine.scan(&fold, [file.path()]).unwrap();
            let grouped = fold.grouped(folded).unwrap();
            assert_eq!(grouped.len(), expected.len());
            for (found, (key, group)) in grouped.iter().zip(&expected) {
                assert_eq!((found.key(0), found.count()), (key.as_bytes(), group.rows));
                for (nth, (kind, _)) in aggregates.iter().enumerate() {
                    let amount = |value: i64| Value::Amount(Hundredths(value.into()));
                    let value = match kind {
                        Sum => group.sum.map(amount),
                        Min => group.least.map(amount),
                        _ => Some(Value::Count(group.names.len() as u64)),
                    };
                    assert_eq!(
                        found.value(nth),
                        value,
                        "{kind:?} of {key}, {threads} threads"
                    );
                }
            }
        }
    }
}

/// Writes the rows as a file.
fn file_of(rows: &[Row]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::with_suffix(".txt").unwrap();
    let mut text = String::new();
    for (name, state, amount) in rows {
        let amount = amount.map_or(String::new(), |amount| amount.to_string());
        text += &format!(
            "C00401224|N|Q1|P2018|201810189115624205|15|IND|{name}|AUSTIN|{state}|787011234|NONE|RETIRED|10182018|\
             {amount}||SA11AI.4417|1100000|||4102220181000000000\n"
        );
    }
    file.write_all(text.as_bytes()).unwrap();
    file
}

/// No worker reads the rest of the file, and the next file is not opened.
#[test]
fn a_run_without_room_ends_at_once() {
    let file = file_of(&rows());
    let limits = Limits {
        near: 10,
        near_of_long: 20,
        ..Limits::default()
    };
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
            fold.limits = limits;
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
        let engine = Engine::new(Options {
            threads: NonZeroUsize::new(threads).unwrap(),
            task_bytes: NonZeroU64::new(1 << 16).unwrap(),
            ..Options::default()
        });
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
    let file = file_of(&rows());
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

/// The first groups are those of a sorted list, in any order, and the rest is what they leave.
#[test]
fn the_first_groups_are_those_of_a_sorted_list() {
    let rows = identifiers();
    let mut file = tempfile::NamedTempFile::with_suffix(".txt").unwrap();
    let mut known: BTreeMap<&str, u64> = BTreeMap::new();
    let mut text = String::new();
    for key in &rows {
        *known.entry(key).or_default() += 1;
        text += &format!(
            "C00401224|N|Q1|P2018|201810189115624205|15|IND|DOE, JANE|AUSTIN|TX|787011234|NONE|RETIRED|10182018|\
             5||SA11AI.4417|1100000|||{key}\n"
        );
    }
    file.write_all(text.as_bytes()).unwrap();
    let compacting = |compact_above| Limits {
        near: 10,
        near_of_long: 20,
        compact_above,
        compact_above_most: compact_above,
    };
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
                (question.orders, question.direction) = (
                    vec![OrderBy {
                        sort,
                        direction: None,
                    }],
                    direction,
                );
                question.top = Some(top);
                let fold = ByFold {
                    limits,
                    ..ByFold::new(question)
                };
                let engine = Engine::new(Options {
                    threads: NonZeroUsize::new(2).unwrap(),
                    task_bytes: NonZeroU64::new(50_000).unwrap(),
                    ..Options::default()
                });
                let grouped = fold
                    .grouped(engine.scan(&fold, [file.path()]).unwrap())
                    .unwrap();
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

/// Values beside each other, none, and counts of zero: keys decide between equal ones only.
#[test]
fn groups_are_ordered_by_any_value_before_their_keys() {
    use AggregateKind::{Distinct, Max, Mean, Min, Sum};
    let near = |edge: i128| (edge - 3..=edge + 3).map(Some);
    let most = 10_i128.pow(14) - 4;
    let edges = [-most, -1_000, 0, 1_000, most];
    let amounts = [None].into_iter().chain(edges.into_iter().flat_map(near));
    let mut groups = Vec::new();
    let mut text = String::new();
    for (nth, amount) in amounts.cycle().take(72).enumerate() {
        let (key, others) = (format!("K{:02}", nth * 37 % 101), nth % 4);
        let dollars = amount.map_or(String::new(), |amount| Hundredths(amount).to_string());
        for other in 0..=others {
            // The amount once, and one identifier less than rows.
            let dollars = if other == 0 { &dollars } else { "" };
            let other = if other == 0 {
                String::new()
            } else {
                other.to_string()
            };
            text += &format!(
                "C00401224|N|Q1|P2018|201810189115624205|15|IND|DOE, JANE|AUSTIN|{key}|787011234|NONE|RETIRED|\
                 10182018|{dollars}|{other}|SA11AI.4417|1100000|||4102220181000000000\n"
            );
        }
        groups.push((
            key,
            amount.map(Hundredths).map(Value::Amount),
            others as u64,
        ));
    }
    let mut file = tempfile::NamedTempFile::with_suffix(".txt").unwrap();
    file.write_all(text.as_bytes()).unwrap();
    for (kind, direction) in [Sum, Mean, Min, Max, Distinct]
        .into_iter()
        .flat_map(|kind| [Direction::Ascending, Direction::Descending].map(|d| (kind, d)))
    {
        let value = |&(_, amount, others): &(_, Option<Value>, u64)| match kind {
            Distinct => Some(Value::Count(others)),
            _ => amount,
        };
        let mut expected = groups.clone();
        expected.sort_by(|one, other| {
            let by_value = match (value(one), value(other)) {
                (Some(one), Some(other)) if direction == Direction::Ascending => one.cmp(&other),
                (Some(one), Some(other)) => other.cmp(&one),
                (one, other) => one.is_none().cmp(&other.is_none()),
            };
            by_value.then_with(|| one.0.cmp(&other.0))
        });
        for top in [1, 5, 40, 1000] {
            let mut question = GroupQuestion::new("STATE").unwrap();
            let column = if kind == Distinct {
                "OTHER_ID"
            } else {
                "TRANSACTION_AMT"
            };
            question.add_aggregate(kind, column).unwrap();
            let sort = Sort::Aggregate(0);
            (question.orders, question.direction) = (
                vec![OrderBy {
                    sort,
                    direction: None,
                }],
                direction,
            );
            question.top = Some(top);
            let fold = ByFold::new(question);
            let folded = Engine::new(Options::default()).scan(&fold, [file.path()]);
            let grouped = fold.grouped(folded.unwrap()).unwrap();
            let found = grouped.iter().map(|group| (group.key(0), group.value(0)));
            let first = expected.iter().take(top);
            let first = first.map(|group| (group.0.as_bytes(), value(group)));
            assert!(found.eq(first), "{kind:?} {direction:?} {top}");
        }
    }
}
