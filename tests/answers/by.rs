//! `by` against its slow twin: every level, way to read, number of threads and size of tasks.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use fecscan::fec::schema::Schema;
use fecscan::fold::by::{AggregateKind, ByFold, GroupQuestion};
use fecscan::generate::{Block, Generator, Recipe, RowQuality};
use fecscan::scan::simd::Simd;
use fecscan::sql::Filter;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::condition::{Condition, Test};
use crate::common::group_twin::{self, AskedGroups, SortedBy};
use crate::common::run::{Setting, WAYS, fixtures, settings};
use crate::common::tables::{condition, table};

/// Asserts that the groups of `files` are the twin's, in all `settings`. Says whether there is a result.
#[track_caller]
pub(crate) fn assert_groups(
    files: &[(PathBuf, Vec<u8>)],
    asked: &AskedGroups,
    conditions: &[Condition],
    settings: &[Setting],
) {
    let texts: Vec<_> = files.iter().map(|(_, bytes)| &bytes[..]).collect();
    let paths: Vec<_> = files.iter().map(|(path, _)| path.as_path()).collect();
    let expected = group_twin::groups(&texts, asked, conditions);
    let typed: Vec<_> = conditions.iter().map(Condition::typed).collect();
    for setting in settings {
        let filter = Filter::new(&typed).unwrap();
        let engine = setting.engine().with_filter(filter);
        let fold = ByFold::new(asked.typed());
        let folded = setting.fold(&engine, &fold, &[], &paths).unwrap();
        let found = fold.grouped(folded).unwrap();
        assert_eq!(
            group_twin::of(&found),
            expected,
            "{asked:?} {typed:?}: {setting:?}"
        );
    }
}

pub(crate) fn asked(
    keys: &[(&'static str, usize)],
    aggregates: &[(&'static str, usize)],
) -> AskedGroups {
    AskedGroups {
        keys: keys.to_vec(),
        aggregates: aggregates.to_vec(),
        ..AskedGroups::default()
    }
}

/// Questions with every function, every aggregate and every order.
fn every_kind() -> Vec<AskedGroups> {
    let all = [
        ("sum", 15),
        ("min", 15),
        ("max", 15),
        ("mean", 15),
        ("median", 15),
        ("quantile(0.9:@)", 15),
        ("distinct", 8),
    ];
    let mut questions = vec![
        asked(&[("", 10)], &all),
        asked(&[("", 1), ("", 21)], &[]),
        asked(&[("month", 14)], &[("sum", 15)]),
        asked(&[("month", 5), ("", 10)], &[("min", 14), ("max", 14)]),
        asked(&[("year", 14), ("year", 5)], &[("mean", 15)]),
        asked(&[("quarter", 14), ("", 10)], &[("median", 15)]),
        asked(&[("weekday", 14)], &[("sum", 15)]),
        asked(&[("day", 14), ("week", 5)], &[("sum", 15)]),
        asked(&[("week", 14), ("weekday", 5), ("day", 5)], &[]),
        asked(&[("zip3", 11)], &[("max", 15)]),
        asked(&[("", 10), ("zip3", 11)], &[]),
        asked(
            &[("upper(trim(@))", 12), ("lower(@)", 9)],
            &[("distinct", 8)],
        ),
        asked(&[("prefix(@,3)", 8), ("len(@)", 8)], &[("sum", 15)]),
        asked(&[("bin(@,0,20.5,200,1000)", 15)], &[("sum", 15)]),
        asked(&[("bin(len(@),5,12)", 8), ("month(trim(@))", 14)], &[]),
        asked(&[("prefix(upper(last_name(lower(@))),2)", 8)], &[]),
        asked(&[("zip5", 11), ("last_name", 8)], &[("distinct", 1)]),
        asked(&[("first_name", 8)], &[("sum", 15), ("distinct", 14)]),
        asked(&[("", 8), ("", 8 + 1), ("", 20)], &[("max", 15)]),
        asked(
            &[("", 10)],
            &[
                ("sum(len(@))", 8),
                ("max(len(@))", 8),
                ("mean(year(@))", 14),
                ("median(len(@))", 12),
            ],
        ),
        asked(
            &[("month", 14)],
            &[
                ("distinct(zip5(@))", 11),
                ("distinct(upper(trim(@)))", 12),
                ("distinct(len(@))", 9),
                ("sum(weekday(@))", 5),
            ],
        ),
        asked(
            &[("", 10)],
            &[
                ("quantile(0:@)", 15),
                ("quantile(0.25:@)", 15),
                ("quantile(0.9:@)", 15),
                ("quantile(1:len(@))", 8),
            ],
        ),
    ];
    questions.push(AskedGroups {
        sort: SortedBy::KeyColumn(1),
        ascending: true,
        ..asked(&[("lower(trim(@))", 12), ("lower(@)", 12)], &[])
    });
    for (sort, ascending) in [
        (SortedBy::Key, false),
        (SortedBy::Key, true),
        (SortedBy::KeyColumn(1), false),
    ] {
        let keys = [("", 10), ("bin(@,9,20,100,250,1000)", 15)];
        for top in [None, Some(4)] {
            questions.push(AskedGroups {
                sort,
                ascending,
                top,
                ..asked(&keys, &[("sum", 15)])
            });
        }
    }
    for nth in 0..all.len() {
        for ascending in [false, true] {
            questions.push(AskedGroups {
                sort: SortedBy::Aggregate(nth),
                ascending,
                top: Some(3),
                ..asked(&[("last_name", 8)], &all)
            });
        }
    }
    for (sort, ascending) in [
        (SortedBy::Count, false),
        (SortedBy::Count, true),
        (SortedBy::Key, false),
        (SortedBy::Key, true),
        (SortedBy::KeyColumn(1), false),
    ] {
        for top in [0, 1, 5, 1000] {
            questions.push(AskedGroups {
                sort,
                ascending,
                then: vec![
                    (SortedBy::KeyColumn(1), Some(top < 5)),
                    (SortedBy::Aggregate(top), None),
                ],
                having: vec![(None, ">=", 100 * (top as i128 % 3))],
                top: Some(top),
                ..asked(
                    &[("", 10), ("", 6)],
                    &[("sum", 15), ("mean", 15), ("max", 14)],
                )
            });
        }
    }
    for (nth, operator) in ["=", "!=", "<", "<=", ">", ">="].into_iter().enumerate() {
        for measure in (0..all.len()).map(Some).chain([None]) {
            questions.push(AskedGroups {
                then: vec![(SortedBy::Key, Some(true))],
                having: vec![(measure, operator, [100, 25_000, 5_050][nth % 3])],
                top: (nth % 2 == 0).then_some(2),
                ..asked(&[("last_name", 8)], &all)
            });
        }
        questions.push(AskedGroups {
            having: vec![(Some(0), operator, 20_180_430), (None, "<", 300)],
            ..asked(&[("", 10)], &[("max", 14)])
        });
    }
    questions
}

fn fixture_files() -> Vec<(PathBuf, Vec<u8>)> {
    let with_path = |(name, bytes)| (PathBuf::from(format!("fixtures/{name}.txt")), bytes);
    fixtures().into_iter().map(with_path).collect()
}

#[test]
fn groups_of_the_fixtures_are_those_of_the_twin_in_every_way_of_working() {
    let files = fixture_files();
    let filters = [
        vec![],
        vec![Condition::contributions()],
        vec![
            Condition::compares(15, ">=", "50"),
            Condition::new(8, Test::Matches("A".to_owned())),
        ],
    ];
    for (nth, question) in every_kind().iter().enumerate() {
        let conditions = &filters[nth % filters.len()];
        let settings = settings(&[1, 3], &[64, 5000, 2 << 20]);
        assert_groups(&files, question, conditions, &settings);
    }
}

#[test]
fn tiny_tasks_make_the_same_groups() {
    for name in [
        "columns",
        "crlf",
        "blank-lines",
        "cut-off-row",
        "lone-cr",
        "generated-hostile",
    ] {
        let path = PathBuf::from(format!("fixtures/{name}.txt"));
        let bytes = fs::read(&path).unwrap();
        let question = asked(
            &[("", 10), ("month", 5)],
            &[("sum", 15), ("min", 14), ("distinct", 21)],
        );
        let settings = settings(&[1, 2, 8], &[1, 2, 3, 7, 64]);
        assert_groups(&[(path, bytes)], &question, &[], &settings);
    }
}

/// More groups than a table in a cache holds, in one thread and in several.
#[test]
fn many_groups_are_those_of_the_twin() {
    let mut recipe = Recipe::default();
    recipe.quality = RowQuality::Hostile;
    let generator = Generator::new(recipe);
    let (blocks, rows_of) = Generator::blocks(100_000);
    let mut rows = Vec::new();
    for block in 0..blocks {
        rows.extend_from_slice(generator.render(block, rows_of(block), &mut Block::default()));
    }
    // Keys of more than 255 bytes, and numbers beyond 64 bits, among many others.
    for nth in 0..200 {
        let columns: Vec<String> = (1..=21)
            .map(|column| match column {
                8 => format!("{}, JOHN {}", "L".repeat(200 + nth % 100), nth % 7),
                15 => "9".repeat(10 + nth % 25),
                _ => nth.to_string(),
            })
            .collect();
        rows.extend_from_slice(columns.join("|").as_bytes());
        rows.push(b'\n');
    }
    // Stretches of short cities, of long ones, and of both in turn. Some have no key in a register.
    for nth in 0..20_000 {
        let name = nth * 7919 % 400;
        let city = match (nth / 4000 % 3, name % 50) {
            (_, 0) => String::new(),
            (_, 1) => format!("\0{name}"),
            (0, _) => format!("C{name}"),
            (2, _) if nth % 3 > 0 => format!("C{name}"),
            _ => format!("CITY OF SOME LENGTH {name}"),
        };
        let (state, zip, month) = (["TX", "", "NY"][nth % 3], nth % 5000, 1 + nth % 13);
        let row = format!(
            "C|N|Q|P|2018|15|IND|X|{city}|{state}|{zip:05}1|E|O|{month:02}012018|{nth}||T|1|||{nth}\n"
        );
        rows.extend(row.into_bytes());
    }
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&rows).unwrap();
    let files = [(file.path().to_owned(), rows)];
    let all = [("sum", 15), ("max", 15), ("distinct", 1), ("mean", 15)];
    for (question, top) in [
        (asked(&[("", 8)], &[]), None),
        (asked(&[("", 8)], &[("sum", 15)]), Some(10)),
        (asked(&[("", 21)], &[("sum", 15)]), Some(1000)),
        (asked(&[("last_name", 8), ("zip5", 11)], &all), None),
        (asked(&[("", 9)], &[("sum", 15)]), None),
        (
            asked(&[("month", 14), ("", 10), ("", 9)], &[("min", 15)]),
            None,
        ),
        (
            asked(&[("", 10)], &[("distinct", 21), ("distinct", 8)]),
            None,
        ),
    ] {
        let question = AskedGroups { top, ..question };
        let settings: Vec<_> = settings(&[1, 3], &[100_000]);
        assert_groups(&files, &question, &[], &settings);
    }
}

/// Questions about any columns, without repetition.
pub(super) fn question() -> impl Strategy<Value = AskedGroups> {
    let key = prop_oneof![
        4 => (1..22_usize).prop_map(|column| ("", column)),
        3 => (select(vec!["month", "quarter", "year"]), select(vec![5_usize, 14])),
        1 => Just(("zip5", 11)),
        2 => (select(vec!["first_name", "last_name"]), select(vec![8_usize, 9, 13])),
    ];
    let aggregate = prop_oneof![
        3 => select(vec!["sum", "mean", "median", "min", "max", "quantile(0.7:@)"]).prop_map(|name| (name, 15)),
        1 => select(vec!["sum(len(@))", "quantile(0.5:len(@))", "distinct(prefix(@,2))"]).prop_map(|name| (name, 8)),
        1 => select(vec!["min", "max"]).prop_map(|name| (name, 14)),
        1 => (1..22_usize).prop_map(|column| ("distinct", column)),
    ];
    let sort = prop_oneof![
        Just(SortedBy::Count),
        Just(SortedBy::Key),
        (0..3_usize).prop_map(SortedBy::KeyColumn),
        (0..4_usize).prop_map(SortedBy::Aggregate),
    ];
    let top = proptest::option::of(0..12_usize);
    let then = vec((sort.clone(), any::<Option<bool>>()), 0..3);
    let operator = select(vec!["=", "!=", "<", "<=", ">", ">="]);
    let limits = select(vec![0, 100, 200, 300, 5_000, 20_180_131]);
    let parts = (
        vec(key, 1..4),
        vec(aggregate, 0..4),
        (sort, then),
        vec((0..4_usize, operator, limits), 0..3),
        any::<bool>(),
        top,
    );
    parts.prop_map(
        |(mut keys, mut aggregates, (sort, then), having, ascending, top)| {
            keys.sort_unstable();
            keys.dedup();
            keys.reverse();
            aggregates.sort_unstable();
            aggregates.dedup();
            let having = having.into_iter().map(|(nth, operator, limit)| {
                let measure = (nth < aggregates.len()).then_some(nth);
                let is_day = measure.is_some_and(|nth| group_twin::has_days(&aggregates[nth]));
                let limit = if is_day { 20_180_131 } else { limit };
                (measure, operator, limit)
            });
            AskedGroups {
                having: having.collect(),
                then,
                keys,
                aggregates,
                sort,
                ascending,
                top,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_question_or_a_usage_error(
        keys in "(?:month\\(date\\)|zip5\\(#11\\)|LAST_NAME\\(name\\)|year\\(|,|,|STATE|name|#1[0-9]|[(), ]|\\PC){0,6}",
        column in "(?:[(), #19]|amount|date|\\PC){0,3}",
        order in "(?:min\\(|amount\\)|[() ]|key|count|sum|\\PC){0,3}",
    ) {
        let Ok(mut question) = GroupQuestion::new(&keys) else { return Ok(()) };
        let _ = question.add_aggregate(AggregateKind::Min, &column);
        let _ = question.sort_by(&order);
        for schema in Schema::ALL {
            // The names of a question ask the same again.
            let Ok(bound) = question.bind(schema) else { continue };
            let again = GroupQuestion::new(&bound.key_names.join(",")).unwrap().bind(schema).unwrap();
            prop_assert_eq!((again.keys, again.key_names), (bound.keys, bound.key_names));
        }
    }

    #[test]
    fn any_question_has_the_groups_of_the_twin(
        tables in vec(table(), 1..4),
        question in question(),
        conditions in vec(condition(), 0..2),
        task_bytes in prop_oneof![1..300_u64, Just(1 << 20)],
        threads in 1..4_usize,
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
        let mut settings = settings(&[threads], &[task_bytes]);
        settings.retain(|setting| setting.simd != Simd::best() || setting.way != WAYS[2]);
        assert_groups(&files, &question, &conditions, &settings);
    }
}
