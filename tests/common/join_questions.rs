//! Questions on joined files, and the answers that the slow twin expects.

use std::collections::BTreeMap;
use std::path::Path;

use fecscan::error::Error;
use fecscan::fec::schema::Schema::{self, Ccl, Cm, Cn};
use fecscan::fold::by::{
    AggregateKind, ByFold, Counted, GroupQuestion, Grouped, Value, WithoutPartner,
};

use super::condition::{Condition, Kind, NULL, Operand, Test, words};
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

/// A condition on a joined column, which has this name.
#[derive(Clone, Debug)]
pub struct JoinedCondition {
    pub name: &'static str,
    pub schema: Schema,
    pub condition: Condition,
}

impl JoinedCondition {
    /// Decides the condition for the row of a partner. Without one, all columns are NULL.
    pub fn truth(&self, partner: Option<&[u8]>) -> Option<bool> {
        match partner {
            Some(row) => self.condition.truth_of_line(row),
            None => self.condition.truth(&|_| None),
        }
    }

    pub fn typed(&self) -> String {
        self.condition.typed_of(&|_| self.name.to_owned())
    }
}

/// Conditions on columns of each joined file, with each operator.
pub fn conditions() -> Vec<JoinedCondition> {
    use Kind::{Text, Whole};
    let text = str::to_owned;
    let is = |operator, than: &str| Test::Is(operator, text(than));
    let all = [
        ("CMTE_PTY_AFFILIATION", Cm, 11, "@", Text, is("=", "DEM")),
        (
            "party",
            Cm,
            11,
            "@",
            Text,
            Test::In(words(&["DEM", "REP", ""])),
        ),
        ("CMTE_PTY_AFFILIATION", Cm, 11, "@", Text, is("<>", "DEM")),
        ("party", Cm, 11, "@", Text, Test::NotIn(words(&["", "REP"]))),
        (
            "cm.party",
            Cm,
            11,
            "@",
            Text,
            Test::NotIn(words(&["REP", NULL])),
        ),
        ("cm.party", Cm, 11, "@", Text, Test::IsNull),
        ("cm.party", Cm, 11, "@", Text, Test::IsNotNull),
        ("cm.party", Cm, 11, "@", Text, Test::Differs(text("DEM"))),
        (
            "CMTE_NM",
            Cm,
            2,
            "@",
            Text,
            Test::Matches(text("(?i)congress")),
        ),
        ("CMTE_NM", Cm, 2, "@", Text, Test::Ilike(text("%congress%"))),
        ("CMTE_NM", Cm, 2, "@", Text, Test::Matches(text("^$"))),
        ("CMTE_NM", Cm, 2, "@", Text, Test::NotLike(text("%FOR%"))),
        (
            "CMTE_NM",
            Cm,
            2,
            "@",
            Text,
            Test::Between(text("C"), text("M")),
        ),
        ("cmte_zip", Cm, 8, "@", Text, Test::Begins(text("9"))),
        ("cmte_zip", Cm, 8, "@", Text, Test::Begins(String::new())),
        ("cmte_zip", Cm, 8, "@", Text, is("<", "50000")),
        ("cm.#8", Cm, 8, "@", Text, is(">=", "500000000")),
        ("CAND_NAME", Cn, 2, "@", Text, Test::Matches(text("^A"))),
        (
            "cn.CAND_OFFICE",
            Cn,
            6,
            "@",
            Text,
            Test::In(words(&["S", "P"])),
        ),
        ("CAND_OFFICE", Cn, 6, "@", Text, is("<>", "H")),
        ("cn.CAND_ELECTION_YR", Cn, 4, "@", Whole, is(">", "2017.5")),
        ("ccl.CMTE_DSGN", Ccl, 6, "@", Text, is("=", "P")),
        ("FEC_ELECTION_YR", Ccl, 3, "@", Whole, is("<=", "2018")),
        (
            "FEC_ELECTION_YR",
            Ccl,
            3,
            "@",
            Whole,
            Test::NotIn(words(&["2018", "2020"])),
        ),
        ("cmte_zip", Cm, 8, "zip5(@)", Text, is("<", "50000")),
        ("cm.#8", Cm, 8, "zip5(@)", Text, is("<>", "")),
        (
            "cn.CAND_NAME",
            Cn,
            2,
            "first_name(@)",
            Text,
            Test::Like(text("A%")),
        ),
        ("CAND_NAME", Cn, 2, "first_name(@)", Text, is("=", "")),
        (
            "CAND_NAME",
            Cn,
            2,
            "last_name(@)",
            Text,
            Test::NotLike(text("%S%")),
        ),
        ("CAND_NAME", Cn, 2, "length(@)", Text, is(">", "12")),
    ];
    let all = all
        .into_iter()
        .flat_map(|(name, schema, column, call, kind, test)| {
            let condition = Condition::Of(Operand { call, column, kind }, test);
            let negated = Condition::Not(Box::new(condition.clone()));
            [condition, negated].map(|condition| JoinedCondition {
                name,
                schema,
                condition,
            })
        });
    all.collect()
}
