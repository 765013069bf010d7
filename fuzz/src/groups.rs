//! Comparisons for groups: any text is keys or an error, and keys make the groups of the twin.

use std::collections::BTreeSet;

use fecscan::fec::schema::Schema;
use fecscan::fold::by::{ByFold, GroupQuestion};

use crate::common::group_twin::{self, AskedGroups, SortedBy};
use crate::common::memory_file::MemoryFile;
use crate::conditions::{self, Conditions};
use crate::names::{self, is_beyond, key, place};
use crate::{choices, is_text, setting};

/// Compares the groups of rows with the twin's. The keys are the first line of `data`, or chosen by bytes.
pub fn compare(data: &[u8]) {
    let ([form, sort, top, picks @ .., a, b, c, level, task, shift], data) = choices::<12>(data);
    let (keys, typed, rows) = match form % 2 {
        0 => match typed(data) {
            Some((keys, question, rows)) => (keys, Some(question), rows),
            None => return,
        },
        _ => (names::keys(&picks), None, data),
    };
    let (conditions, rows) = match form / 2 % 2 {
        0 => (Conditions::new(Vec::new()), rows),
        _ => conditions::made(rows),
    };
    if !is_text(rows) {
        return;
    }
    let asked = AskedGroups {
        keys,
        aggregates: aggregates([a, b, c]),
        sort: sorted_by(sort),
        ascending: sort >= 128,
        top: (top < 128).then_some(usize::from(top) % 8),
        then: vec![(
            sorted_by(top),
            [None, Some(false), Some(true)][usize::from(a) % 3],
        )],
        having: having(b, c),
    };
    let mut question = asked.typed();
    question.keys = typed.map_or(question.keys, |typed| typed.keys);
    let setting = setting([level, task, shift]);
    let engine = setting.engine().with_filter(conditions.filter.clone());
    let (fold, file) = (ByFold::new(question), MemoryFile::new(rows));
    let folded = setting.fold(&engine, &fold, &[], &[file.path.as_ref()]);
    let lines = conditions.lines(rows);
    let mut expected = group_twin::groups(&[&lines], &asked, &[]);
    expected.lines_scanned = conditions.lines_scanned(rows);
    let found = group_twin::of(&fold.grouped(folded.unwrap()).unwrap());
    let what = || format!("{asked:?}, {:?}, {setting:?}", conditions.texts);
    assert_eq!(found, expected, "{}", what());
}

type Typed<'a> = (Vec<(&'static str, usize)>, GroupQuestion, &'a [u8]);

/// Reads the first line of `data` as keys. Panics if the program and the twin disagree on whether they are
/// right; returns `None` if they are wrong.
fn typed(data: &[u8]) -> Option<Typed<'_>> {
    let newline = data.iter().position(|&b| b == b'\n');
    let end = newline.unwrap_or(data.len());
    let text = String::from_utf8_lossy(&data[..end]);
    if is_beyond(&text) {
        return None;
    }
    let keys = text.split(',').map(key).collect::<Option<Vec<_>>>();
    let (question, keys) = match (GroupQuestion::new(&text), keys) {
        (Ok(question), Some(keys)) => (question, keys),
        (Err(error), None) => {
            assert!(error.with_advice().contains("; "), "what to do? {error}");
            return None;
        }
        (found, _) => panic!("{text:?}: {found:?}"),
    };
    let places = keys.iter().map(|(function, name)| place(function, name));
    let places = places.collect::<Option<Vec<_>>>();
    let all_differ = |places: &Vec<_>| places.iter().collect::<BTreeSet<_>>().len() == places.len();
    let places = places.filter(all_differ);
    let bound = question.bind(Schema::Indiv);
    assert_eq!(bound.is_ok(), places.is_some(), "{text:?}: {bound:?}");
    let rows = data.get(end + 1..).unwrap_or_default();
    places.map(|places| (places, question, rows))
}

/// Returns different aggregates.
fn aggregates(picks: [u8; 3]) -> Vec<(&'static str, usize)> {
    const NUMBERS: [(&str, usize); 10] = [
        ("sum", 15),
        ("mean", 15),
        ("median", 15),
        ("min", 15),
        ("max", 15),
        ("min", 14),
        ("max", 14),
        ("quantile(0.25:@)", 15),
        ("max(weekday(@))", 14),
        ("mean(len(@))", 8),
    ];
    let mut aggregates = Vec::new();
    for pick in picks {
        let nth = usize::from(pick);
        let aggregate = match nth {
            0..96 => NUMBERS[nth % NUMBERS.len()],
            96..192 => ("distinct", 1 + nth % 21),
            _ => continue,
        };
        if !aggregates.contains(&aggregate) {
            aggregates.push(aggregate);
        }
    }
    aggregates
}

/// Returns a condition on the count, or none.
fn having(operator: u8, limit: u8) -> Vec<(Option<usize>, &'static str, i128)> {
    let operators = ["=", "!=", "<", "<=", ">", ">="];
    let operator = operators.get(usize::from(operator) % 12);
    operator.map_or(Vec::new(), |operator| {
        vec![(None, *operator, 100 * i128::from(limit % 4))]
    })
}

fn sorted_by(pick: u8) -> SortedBy {
    match pick % 4 {
        0 => SortedBy::Count,
        1 => SortedBy::Key,
        2 => SortedBy::KeyColumn(0),
        _ => SortedBy::Aggregate(usize::from(pick / 4)),
    }
}
