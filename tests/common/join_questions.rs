//! Conditions on joined columns, and groups by these, with the answers that the slow twin expects.

use std::collections::BTreeMap;

use fecscan::Grouped;
use fecscan::fec::schema::Schema::{self, Ccl, Cm, Cn};

use super::by::keys_of;
use super::condition::{Condition, Kind, NULL, Operand, Test, words};

/// Asserts that `grouped` has the groups of the twin.
#[track_caller]
pub fn assert_groups(what: &str, grouped: &Grouped, expected: &BTreeMap<Vec<Vec<u8>>, u64>) {
    let mut found = BTreeMap::new();
    // NULL and an empty value are two keys, and one of the twin's.
    for nth in 0..grouped.len() {
        *found.entry(keys_of(grouped, nth)).or_default() += grouped.group(nth).count();
    }
    assert!(found == *expected, "{what}: {found:?}\n{expected:?}");
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
            "cm.party",
            Cm,
            11,
            "@",
            Text,
            Test::In(words(&["DEM", "REP", ""])),
        ),
        ("CMTE_PTY_AFFILIATION", Cm, 11, "@", Text, is("<>", "DEM")),
        (
            "cm.party",
            Cm,
            11,
            "@",
            Text,
            Test::NotIn(words(&["", "REP"])),
        ),
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
