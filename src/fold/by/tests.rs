//! Answers compared with ordinary maps, for any division of the work.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tempfile::NamedTempFile;

use super::*;
use crate::engine::{Engine, Options};
use crate::fec::amount::Hundredths;
use crate::input::{Input, Io};
use crate::scan::simd::Simd;
use crate::sql::Filter;

/// Returns a line of indiv with these values of columns. All others are the same in each line.
pub(super) fn line(values: &[(&str, &str)]) -> String {
    const OTHERS: &str = "C00401224|N|Q1|P2018|201810189115624205|15|IND|DOE, JANE|AUSTIN|TX|787011234|NONE|RETIRED|\
                          10182018|5||SA11AI.4417|1100000|||4102220181000000000";
    let mut columns: Vec<_> = OTHERS.split('|').collect();
    for (name, value) in values {
        columns[Schema::Indiv.named(name).unwrap()] = value;
    }
    columns.join("|") + "\n"
}

/// Writes lines to a file.
pub(super) fn file_of(lines: impl IntoIterator<Item = String>) -> NamedTempFile {
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
pub(super) fn grouped(fold: &ByFold, engine: &Engine, file: &NamedTempFile) -> Grouped {
    let folded = engine.scan(fold, [file.path()]).unwrap();
    fold.grouped(folded).unwrap()
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
            for condition in ["STATE = 'zz'", "CMTE_ID = 'zz'", "NAME LIKE 'zz%'"] {
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

/// The expected state of a group: rows, the sum and the least of their amounts in hundredths, and names.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) rows: u64,
    sum: Option<i128>,
    least: Option<i128>,
    names: BTreeSet<String>,
}

impl Known {
    pub(super) fn add(&mut self, amount: Option<i128>) {
        self.rows += 1;
        let sums = self.sum.into_iter().chain(amount);
        self.sum = sums.reduce(|sum, more| sum + more);
        self.least = self.least.into_iter().chain(amount).min();
    }

    pub(super) fn value(&self, kind: AggregateKind) -> Option<Value> {
        let number = match kind {
            AggregateKind::Sum => self.sum,
            AggregateKind::Min => self.least,
            _ => return Some(Value::Count(self.names.len() as u64)),
        };
        number.map(Hundredths).map(Value::Amount)
    }
}

fn known<'r>(rows: &'r [Row], key: impl Fn(&'r Row) -> &'r str) -> BTreeMap<&'r str, Known> {
    let mut known: BTreeMap<_, Known> = BTreeMap::new();
    for row in rows {
        let group = known.entry(key(row)).or_default();
        group.add(row.2.map(|dollars| 100 * i128::from(dollars)));
        group.names.insert(row.0.clone());
    }
    known
}

/// Rows wait in partitions and are grouped again and again. All answers and their order equal those of a map, for any
/// number of workers and any size of tasks.
#[test]
fn answers_do_not_depend_on_how_rows_wait() {
    use AggregateKind::{Distinct, Min, Sum};
    let rows = rows();
    let file = file_of(lines(&rows));
    let limits = compacting(0);
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
            question.sort_by("count").unwrap();
            for (kind, column) in aggregates {
                question.add_aggregate(*kind, column).unwrap();
            }
            let fold = ByFold {
                limits,
                ..ByFold::new(question)
            };
            let grouped = grouped(&fold, &engine(threads, task_bytes), &file);
            assert_eq!(grouped.len(), expected.len());
            for (found, (key, group)) in grouped.iter().zip(&expected) {
                assert_eq!((found.key(0), found.count()), (key.as_bytes(), group.rows));
                for (nth, (kind, _)) in aggregates.iter().enumerate() {
                    let what = format!("{kind:?} of {key}, {threads} threads");
                    assert_eq!(found.value(nth), group.value(*kind), "{what}");
                }
            }
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

/// Values beside each other, none, and counts of zero: keys decide between equal ones only.
#[test]
fn groups_are_ordered_by_any_value_before_their_keys() {
    use AggregateKind::{Distinct, Max, Mean, Min, Sum};
    let near = |edge: i128| (edge - 3..=edge + 3).map(Some);
    let most = 10_i128.pow(14) - 4;
    let edges = [-most, -1_000, 0, 1_000, most];
    let amounts = [None].into_iter().chain(edges.into_iter().flat_map(near));
    let (mut groups, mut lines) = (Vec::new(), Vec::new());
    for (nth, amount) in amounts.cycle().take(72).enumerate() {
        let (key, others) = (format!("K{:02}", nth * 37 % 101), nth % 4);
        let dollars = amount.map_or(String::new(), |amount| Hundredths(amount).to_string());
        for other in 0..=others {
            // The amount once, and one identifier less than rows.
            let (amount, id) = match other {
                0 => (&*dollars, String::new()),
                other => ("", other.to_string()),
            };
            let amount = ("TRANSACTION_AMT", amount);
            lines.push(line(&[("STATE", &key), amount, ("OTHER_ID", &id)]));
        }
        let amount = amount.map(Hundredths).map(Value::Amount);
        groups.push((key, amount, others as u64));
    }
    let file = file_of(lines);
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
            set_order(&mut question, Sort::Aggregate(0), direction);
            question.top = Some(top);
            let grouped = grouped(&ByFold::new(question), &Engine::default(), &file);
            let found = grouped.iter().map(|group| (group.key(0), group.value(0)));
            let first = expected.iter().take(top);
            let first = first.map(|group| (group.0.as_bytes(), value(group)));
            assert!(found.eq(first), "{kind:?} {direction:?} {top}");
        }
    }
}
