//! Questions on joined files, and the answers that the slow twin expects.

use std::collections::BTreeMap;
use std::path::Path;

use fecscan::error::Error;
use fecscan::fec::schema::Schema::{self, Ccl, Cm, Cn};
use fecscan::fold::by::{
    AggregateKind, ByFold, Counted, GroupQuestion, Grouped, Value, WithoutPartner,
};

use super::condition::{Condition, Test};
use super::joins::{ALL, Group, Joined, Keys, Made, Own, Place, Twin, ZIP5};
use super::run::Setting;

/// Keys of contributions.
pub const KEYS: [Keys; 10] = [
    ("CMTE_NM", &[(ALL, Joined(Cm, 2))]),
    ("party", &[(ALL, Joined(Cm, 11))]),
    ("cn.party,state", &[(ALL, Joined(Cn, 3)), (ALL, Own(10))]),
    ("CAND_NAME", &[(ALL, Joined(Cn, 2))]),
    (
        "month(date),zip5(cmte_zip),CMTE_TP",
        &[
            (Made::Month, Own(14)),
            (ZIP5, Joined(Cm, 8)),
            (ALL, Joined(Cm, 10)),
        ],
    ),
    (
        "CMTE_ID,cm.CAND_ID,ccl.#1,cn.#1",
        &[
            (ALL, Own(1)),
            (ALL, Joined(Cm, 15)),
            (ALL, Joined(Ccl, 1)),
            (ALL, Joined(Cn, 1)),
        ],
    ),
    ("ccl.cmte_tp", &[(ALL, Joined(Ccl, 5))]),
    (
        "first_name(CAND_NAME),cm.committee",
        &[
            (Made::Match("(?-u), \\s*([^, ]+)"), Joined(Cn, 2)),
            (ALL, Joined(Cm, 1)),
        ],
    ),
    ("STATE", &[(ALL, Own(10))]),
    // One column in two keys.
    (
        "month(date),date,CMTE_NM",
        &[(Made::Month, Own(14)), (ALL, Own(14)), (ALL, Joined(Cm, 2))],
    ),
];

pub const DISTINCT: [(&str, Place); 3] = [
    ("CMTE_PTY_AFFILIATION", Joined(Cm, 11)),
    ("cand_office_st", Joined(Cn, 5)),
    ("ENTITY_TP", Own(7)),
];

pub fn question(keys: &str, amount: Option<&str>) -> GroupQuestion {
    let mut question = GroupQuestion::new(keys).unwrap();
    for (name, _) in DISTINCT {
        question
            .add_aggregate(AggregateKind::Distinct, name)
            .unwrap();
    }
    if let Some(amount) = amount {
        question.add_aggregate(AggregateKind::Sum, amount).unwrap();
    }
    question
}

/// Asserts that `grouped` has the groups of the twin.
pub fn assert_groups(what: &str, grouped: &Grouped, expected: &BTreeMap<Vec<Vec<u8>>, Group>) {
    let keys = grouped.key_names().len();
    let mut found = BTreeMap::new();
    for group in grouped.iter() {
        let key: Vec<_> = (0..keys).map(|nth| group.key(nth).to_vec()).collect();
        assert!(found.insert(key, group).is_none(), "{what}: twice");
    }
    assert_eq!(found.len(), expected.len(), "{what}");
    let aggregates = grouped.aggregate_names().len();
    for (key, group) in expected {
        let shown: Vec<_> = key.iter().map(|k| k.escape_ascii().to_string()).collect();
        let it = found
            .get(key)
            .unwrap_or_else(|| panic!("{what}: no group {shown:?}"));
        assert_eq!(it.count(), group.count, "{what}: {shown:?}");
        for (nth, values) in group.distinct.iter().enumerate() {
            let count = Some(Value::Count(values.len() as u64));
            assert_eq!(
                it.value(nth),
                count,
                "{what}: {shown:?}: {}",
                DISTINCT[nth].0
            );
        }
        if aggregates > DISTINCT.len() {
            let Some(Value::Amount(sum)) = it.value(DISTINCT.len()) else {
                panic!("{what}: {shown:?} has no sum");
            };
            assert_eq!(
                sum.to_string(),
                format!("{}.00", group.sum),
                "{what}: {shown:?}"
            );
        }
    }
}

/// Returns what the twin counts for the files whose columns are keys, as far as it is not zero.
pub fn missing_rows(
    twin: &Twin,
    scanned: Schema,
    bytes: &[u8],
    keys: &[(Made, Place)],
) -> Vec<u64> {
    let mut schemas = Vec::new();
    for (_, place) in keys {
        if let Joined(schema, _) = place
            && !schemas.contains(schema)
        {
            schemas.push(*schema);
        }
    }
    let counts = schemas
        .into_iter()
        .map(|schema| twin.without(scanned, bytes, schema));
    counts.filter(|&count| count > 0).collect()
}

pub fn rows_without(without: &[WithoutPartner]) -> Vec<u64> {
    let rows = without.iter().filter(|w| w.counted == Counted::Rows);
    rows.map(|without| without.count).collect()
}

/// Returns the rows that conditions on one file have tested in vain.
pub fn tested_without(without: &[WithoutPartner]) -> u64 {
    assert!(without.len() <= 1 && without.iter().all(|w| w.counted == Counted::TestedRows));
    without.iter().map(|without| without.count).sum()
}

pub fn grouped_by(setting: &Setting, fold: &ByFold, path: &Path) -> Result<Grouped, Error> {
    let folded = setting.fold(&setting.engine(), fold, &[], &[path])?;
    fold.grouped(folded)
}

/// A condition on a joined column: as typed, its file, and the twin's test of the partner's row.
pub fn conditions() -> Vec<(String, Schema, Condition)> {
    let words = |values: &[&str]| values.iter().map(|value| value.to_string()).collect();
    let all = [
        ("CMTE_PTY_AFFILIATION", Cm, 11, Test::In(words(&["DEM"]))),
        ("party", Cm, 11, Test::In(words(&["DEM", "REP", ""]))),
        ("CMTE_PTY_AFFILIATION", Cm, 11, Test::NotIn(words(&["DEM"]))),
        ("cm.party", Cm, 11, Test::NotIn(words(&["", "REP"]))),
        ("CMTE_NM", Cm, 2, Test::Matches("(?i)congress".to_owned())),
        ("CMTE_NM", Cm, 2, Test::Matches("^$".to_owned())),
        ("CMTE_NM", Cm, 2, Test::MatchesNot("FOR".to_owned())),
        ("cmte_zip", Cm, 8, Test::Prefix("9".to_owned())),
        ("cmte_zip", Cm, 8, Test::Prefix(String::new())),
        ("cmte_zip", Cm, 8, Test::Number("<", "50000".to_owned())),
        ("cm.#8", Cm, 8, Test::Number(">=", "500000000".to_owned())),
        ("CAND_NAME", Cn, 2, Test::Matches("^A".to_owned())),
        ("cn.CAND_OFFICE", Cn, 6, Test::In(words(&["S", "P"]))),
        ("CAND_OFFICE", Cn, 6, Test::NotIn(words(&["H"]))),
        ("ccl.CMTE_DSGN", Ccl, 6, Test::In(words(&["P"]))),
        (
            "FEC_ELECTION_YR",
            Ccl,
            3,
            Test::Number("<=", "2018".to_owned()),
        ),
    ];
    let made = [
        (
            "zip5",
            "cmte_zip",
            Cm,
            8,
            Test::Number("<", "50000".to_owned()),
        ),
        ("zip5", "cm.#8", Cm, 8, Test::NotIn(words(&[""]))),
        (
            "first_name",
            "cn.CAND_NAME",
            Cn,
            2,
            Test::Prefix("A".to_owned()),
        ),
        ("first_name", "CAND_NAME", Cn, 2, Test::In(words(&[""]))),
        (
            "last_name",
            "CAND_NAME",
            Cn,
            2,
            Test::MatchesNot("S".to_owned()),
        ),
    ];
    let all = all
        .into_iter()
        .map(|(name, schema, number, test)| ("", name, schema, number, test));
    let typed = all
        .chain(made)
        .map(|(function, name, schema, number, test)| {
            let condition = Condition::made(function, number, test);
            (condition.typed_of(name), schema, condition)
        });
    typed.collect()
}
