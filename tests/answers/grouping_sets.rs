//! Several groupings in one pass, and keys that go across, against the slow twin.

use std::fs;
use std::path::{Path, PathBuf};

use fecscan::fold::by::{GroupQuestion, Grouped, GroupingSets};
use fecscan::sql::Filter;

use super::by::asked;
use crate::common::condition::Condition;
use crate::common::function_twin::{self, column};
use crate::common::group_twin::{self, AskedGroups, Groups, SortedBy};
use crate::common::run::{Setting, settings};
use crate::common::twin::lines_of;

type Key = (&'static str, usize);

/// Returns what the program finds for `asked`, for the same with the keys of `also`, and with a key across.
fn found(
    path: &Path,
    asked: &AskedGroups,
    also: &[&str],
    across: Option<&str>,
    conditions: &[Condition],
    setting: &Setting,
) -> Vec<Grouped> {
    let typed: Vec<_> = conditions.iter().map(Condition::typed).collect();
    let engine = setting.engine().with_filter(Filter::new(&typed).unwrap());
    let fold = GroupingSets::new(asked.typed(), also, across).unwrap();
    let folded = setting.fold(&engine, &fold, &[], &[path]).unwrap();
    fold.grouped(folded).unwrap()
}

/// Only the first grouping counts kinds of rows.
fn without_kinds(groups: Groups) -> Groups {
    Groups {
        kinds: (0, 0, 0),
        ..groups
    }
}

#[test]
fn each_of_several_groupings_is_that_of_the_twin() {
    let all = [("sum", 15), ("distinct", 8), ("max", 14)];
    let questions = [
        asked(&[("", 10)], &all),
        AskedGroups {
            sort: SortedBy::Aggregate(0),
            top: Some(3),
            having: vec![(None, ">=", 200)],
            ..asked(&[("month", 14), ("", 6)], &all)
        },
        AskedGroups {
            sort: SortedBy::Key,
            ..asked(&[("last_name", 8)], &[])
        },
    ];
    let also: [(&str, &[Key]); 3] = [
        ("zip3(#11),#4", &[("zip3", 11), ("", 4)]),
        ("#8", &[("", 8)]),
        ("#10", &[("", 10)]),
    ];
    let names = also.map(|(names, _)| names);
    for name in ["generated", "generated-hostile", "columns", "crlf"] {
        let path = PathBuf::from(format!("fixtures/{name}.txt"));
        let bytes = fs::read(&path).unwrap();
        for question in &questions {
            for conditions in [vec![], vec![Condition::compares(15, ">=", "100")]] {
                let twin = |question: &AskedGroups| {
                    group_twin::groups(&[&bytes[..]], question, &conditions)
                };
                let mut expected = vec![twin(question)];
                for (_, keys) in also {
                    let question = AskedGroups {
                        keys: keys.to_vec(),
                        ..question.clone()
                    };
                    expected.push(without_kinds(twin(&question)));
                }
                for setting in settings(&[1, 2], &[100, 1 << 20]) {
                    let mut answers = found(&path, question, &names, None, &conditions, &setting);
                    assert_eq!(answers.len(), 4);
                    for (nth, (answer, expected)) in answers.iter_mut().zip(&expected).enumerate() {
                        assert_eq!(answer.row_kinds.is_some(), nth == 0);
                        answer.row_kinds.get_or_insert_default();
                        assert_eq!(
                            &group_twin::of(answer),
                            expected,
                            "{name} {question:?}, grouping {nth}: {setting:?}"
                        );
                    }
                }
            }
        }
    }
}

/// Returns what the columns of `key` have in some lines: the first aggregate or the count of each value, and of `values` that no line has.
fn cells(lines: &[&[u8]], asked: &AskedGroups, key: Key, values: &[Vec<u8>]) -> Vec<String> {
    let text: Vec<u8> = lines
        .iter()
        .flat_map(|line| [line, &b"\n"[..]].concat())
        .collect();
    let aggregates: Vec<_> = asked.aggregates.iter().copied().take(1).collect();
    let groups = group_twin::groups(&[&text], &super::by::asked(&[key], &aggregates), &[]);
    let cell = |value: &Vec<u8>| {
        let row = groups.rows.iter().find(|(key, ..)| key[0] == *value);
        match (row, aggregates.is_empty()) {
            (None, true) => "0 values".to_owned(),
            (None, false) => "-".to_owned(),
            (Some((_, count, _)), true) => format!("{count} values"),
            (Some((_, _, values)), false) => values[0].clone(),
        }
    };
    values.iter().map(cell).collect()
}

#[test]
fn cells_across_are_those_of_the_twin() {
    let keys: [&[Key]; 3] = [&[("", 10)], &[("month", 14), ("", 6)], &[("last_name", 8)]];
    let across: [(&str, Key); 4] = [
        ("year(IMAGE_NUM)", ("year", 5)),
        ("TRANSACTION_PGI", ("", 4)),
        (
            "bin(TRANSACTION_AMT,10,200,1000)",
            ("bin(@,10,200,1000)", 15),
        ),
        ("ENTITY_TP", ("", 7)),
    ];
    let aggregates: [&[Key]; 4] = [
        &[],
        &[("sum", 15), ("max", 14)],
        &[("median", 15)],
        &[("distinct", 8), ("sum", 15)],
    ];
    for name in ["generated", "generated-hostile"] {
        let path = PathBuf::from(format!("fixtures/{name}.txt"));
        let bytes = fs::read(&path).unwrap();
        for (nth, (typed, key)) in across.iter().enumerate() {
            for keys in keys {
                for aggregates in aggregates {
                    let question = AskedGroups {
                        top: [None, Some(2), Some(0)][nth % 3],
                        ..asked(keys, aggregates)
                    };
                    assert_cells(&path, &bytes, &question, (typed, *key));
                }
            }
        }
    }
}

#[track_caller]
fn assert_cells(path: &Path, bytes: &[u8], question: &AskedGroups, (typed, key): (&str, Key)) {
    let mut expected = group_twin::groups(&[bytes], question, &[]);
    let by_key = AskedGroups {
        sort: SortedBy::Key,
        ..asked(&[key], &[])
    };
    let values = group_twin::groups(&[bytes], &by_key, &[]).rows;
    let values: Vec<_> = values
        .into_iter()
        .map(|(mut key, ..)| key.remove(0))
        .collect();
    let is_of = |line: &[u8], listed: &[Vec<u8>]| {
        let mut pairs = question.keys.iter().zip(listed);
        pairs.all(|((function, number), value)| {
            function_twin::key(function, column(line, *number)) == *value
        })
    };
    let mut lines = lines_of(bytes);
    for (listed, _, found) in &mut expected.rows {
        let (its, others): (Vec<&[u8]>, _) = lines.iter().partition(|line| is_of(line, listed));
        found.extend(cells(&its, question, key, &values));
        lines = others;
    }
    if let Some((_, _, found)) = &mut expected.rest {
        found.extend(match question.aggregates.first() {
            Some(("distinct", _)) => vec!["-".to_owned(); values.len()],
            _ => cells(&lines, question, key, &values),
        });
    }
    expected.without.extend(values.iter().map(|_| 0));
    let names = values.iter().map(|value| match &value[..] {
        b"" => "(empty)".to_owned(),
        value => String::from_utf8_lossy(value).into_owned(),
    });
    let names: Vec<_> = names.collect();
    for setting in settings(&[1, 3], &[100, 1 << 20]) {
        let answer = found(path, question, &[], Some(typed), &[], &setting).remove(0);
        let what = format!("{path:?} {question:?} across {typed}: {setting:?}");
        assert_eq!(
            answer.aggregate_names()[question.aggregates.len()..],
            names,
            "{what}"
        );
        assert_eq!(group_twin::of(&answer), expected, "{what}");
    }
}

#[test]
fn too_many_values_are_refused() {
    let setting = &settings(&[1], &[1 << 20])[0];
    let fold = GroupingSets::new(
        GroupQuestion::new("STATE").unwrap(),
        [""; 0],
        Some("SUB_ID"),
    );
    let fold = fold.unwrap();
    let paths = ["fixtures/generated.txt", "fixtures/plain.txt"].map(Path::new);
    let folded = setting.fold(&setting.engine(), &fold, &[], &paths).unwrap();
    let error = fold.grouped(folded).unwrap_err().to_string();
    assert!(error.contains("SUB_ID has more than 100 values"), "{error}");
    let several = GroupingSets::new(
        GroupQuestion::new("STATE").unwrap(),
        [""; 0],
        Some("NAME,CITY"),
    );
    assert!(several.is_err());
}
