//! Joined files against a slow twin.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fecscan::error::Error;
use fecscan::fec::schema::Schema::{self, Ccl, Cm, Cn};
use fecscan::fold::LineCount;
use fecscan::fold::by::{
    AggregateKind, ByFold, Counted, GroupQuestion, Grouped, Value, WithoutPartner,
};
use fecscan::generate::RowQuality;
use fecscan::input::OpenOptions;
use fecscan::scan::Filter;
use fecscan::scan::simd::Simd;
use fecscan::{Engine, Partners};
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::archives::{Member, gzip, zip, zstd};
use crate::common::condition::{Condition, Test};
use crate::common::joins::{
    ALL, Files, Group, Joined, Keys, Made, Own, Place, Twin, ZIP5, column, joined_files,
    scanned_rows,
};
use crate::common::run::{Setting, Way, settings};
use crate::common::twin::lines_of;

/// Keys of contributions.
const KEYS: [Keys; 10] = [
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

const DISTINCT: [(&str, Place); 3] = [
    ("CMTE_PTY_AFFILIATION", Joined(Cm, 11)),
    ("cand_office_st", Joined(Cn, 5)),
    ("ENTITY_TP", Own(7)),
];

fn question(keys: &str, amount: Option<&str>) -> GroupQuestion {
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
fn assert_groups(what: &str, grouped: &Grouped, expected: &BTreeMap<Vec<Vec<u8>>, Group>) {
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
fn missing_rows(twin: &Twin, scanned: Schema, bytes: &[u8], keys: &[(Made, Place)]) -> Vec<u64> {
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

fn rows_without(without: &[WithoutPartner]) -> Vec<u64> {
    let rows = without.iter().filter(|w| w.counted == Counted::Rows);
    rows.map(|without| without.count).collect()
}

/// Returns the rows that conditions on one file have tested in vain.
fn tested_without(without: &[WithoutPartner]) -> u64 {
    assert!(without.len() <= 1 && without.iter().all(|w| w.counted == Counted::TestedRows));
    without.iter().map(|without| without.count).sum()
}

fn grouped_by(setting: &Setting, fold: &ByFold, path: &Path) -> Result<Grouped, Error> {
    let folded = setting.fold(&setting.engine(), fold, &[], &[path])?;
    fold.grouped(folded)
}

#[test]
fn groups_by_joined_columns_are_those_of_the_twin_in_every_way_of_working() {
    for quality in [RowQuality::Clean, RowQuality::Hostile] {
        let files = joined_files(quality, 10_000, 4000);
        let twin = files.twin();
        let bytes = scanned_rows(Schema::Indiv, 2000, quality);
        let path = files.write(Schema::Indiv, &bytes);
        let amount = (quality == RowQuality::Clean).then_some("amount");
        let distinct = DISTINCT.map(|(_, place)| place);
        let settings = settings(&[1, 3], &[900, 2 << 20]);
        let partners: Vec<_> = settings.iter().map(|s| files.partners(s)).collect();
        for (typed, keys) in KEYS {
            let expected = twin.groups(Schema::Indiv, &bytes, keys, 15, &distinct);
            let missing = missing_rows(&twin, Schema::Indiv, &bytes, keys);
            assert!(expected.len() > 1, "{typed}");
            for (setting, partners) in settings.iter().zip(&partners) {
                let fold = ByFold::new(question(typed, amount)).with_partners(partners.clone());
                let grouped = grouped_by(setting, &fold, &path).unwrap();
                let what = format!("{typed}: {setting:?}");
                assert_groups(&what, &grouped, &expected);
                assert_eq!(rows_without(&grouped.without_partner), missing, "{what}");
            }
        }
    }
}

#[test]
fn tiny_tasks_join_the_same_rows() {
    let files = joined_files(RowQuality::Hostile, 40, 20);
    let twin = files.twin();
    let bytes = scanned_rows(Schema::Indiv, 150, RowQuality::Hostile);
    let path = files.write(Schema::Indiv, &bytes);
    let distinct = DISTINCT.map(|(_, place)| place);
    for setting in settings(&[1, 4], &[1, 3, 7, 64]) {
        let partners = files.partners(&setting);
        for (typed, keys) in [KEYS[0], KEYS[5]] {
            let expected = twin.groups(Schema::Indiv, &bytes, keys, 15, &distinct);
            let fold = ByFold::new(question(typed, None)).with_partners(partners.clone());
            let grouped = grouped_by(&setting, &fold, &path).unwrap();
            assert_groups(&format!("{typed}: {setting:?}"), &grouped, &expected);
        }
    }
}

/// The candidate of pas2, cm and ccl is their own column. Files of one seed fit each other, so few rows
/// lack a partner.
#[test]
fn every_schema_leads_to_its_partners() {
    let files = joined_files(RowQuality::Clean, 10_000, 4000);
    let twin = files.twin();
    let by_level = settings(&[2], &[5000]);
    for (schema, rows, typed, keys) in [
        (Schema::Pas2, 3000, "CAND_NAME", &[(ALL, Joined(Cn, 2))][..]),
        (
            Schema::Pas2,
            3000,
            "CAND_ID,cm.CAND_ID",
            &[(ALL, Own(17)), (ALL, Joined(Cm, 15))],
        ),
        (Schema::Oth, 3000, "CMTE_NM", &[(ALL, Joined(Cm, 2))]),
        (
            Schema::Oppexp,
            3000,
            "CAND_NAME,CATEGORY",
            &[(ALL, Joined(Cn, 2)), (ALL, Own(17))],
        ),
        (Schema::Cm, 500, "CAND_NAME", &[(ALL, Joined(Cn, 2))]),
        (
            Schema::Cm,
            500,
            "CMTE_NM,ccl.CAND_ID",
            &[(ALL, Own(2)), (ALL, Joined(Ccl, 1))],
        ),
        (
            Schema::Ccl,
            500,
            "CMTE_NM,CAND_NAME",
            &[(ALL, Joined(Cm, 2)), (ALL, Joined(Cn, 2))],
        ),
        (Schema::Cn, 500, "cn.CAND_NAME", &[(ALL, Joined(Cn, 2))]),
    ] {
        let bytes = scanned_rows(schema, rows, RowQuality::Clean);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(schema.file_name());
        fs::write(&path, &bytes).unwrap();
        let expected = twin.groups(schema, &bytes, keys, 1, &[]);
        assert!(expected.len() > 1);
        for setting in &by_level {
            let fold = ByFold::new(GroupQuestion::new(typed).unwrap());
            let fold = fold.with_partners(files.partners(setting));
            let folded = setting.engine().scan(&fold, [&path]).unwrap();
            let grouped = fold.grouped(folded).unwrap();
            let what = format!("{}: {typed}: {setting:?}", schema.name());
            assert_groups(&what, &grouped, &expected);
            let missing = missing_rows(&twin, schema, &bytes, keys);
            assert_eq!(rows_without(&grouped.without_partner), missing, "{what}");
        }
    }
}

/// A candidate is found by cm, or by ccl where cm has none; the order of the files does not matter.
#[test]
fn candidates_are_found_through_cm_or_else_through_ccl() {
    let whole = joined_files(RowQuality::Clean, 10_000, 4000);
    let bytes = scanned_rows(Schema::Indiv, 3000, RowQuality::Clean);
    let keys: &[_] = &[(ALL, Joined(Cn, 2))];
    let mut found = Vec::new();
    for schemas in [&[Cn, Cm][..], &[Cn, Ccl], &[Ccl, Cn, Cm]] {
        let rows = |schema: &Schema| {
            let known = whole.joined.iter().find(|(known, _)| known == schema);
            known.unwrap().clone()
        };
        let mut files: Vec<_> = schemas.iter().map(rows).collect();
        // Half of the committees lose their candidate.
        for (_, rows) in files.iter_mut().filter(|(schema, _)| *schema == Cm) {
            let lines = lines_of(rows).into_iter().enumerate();
            let lines = lines.map(|(nth, line)| match nth % 2 {
                0 => line.to_vec(),
                _ => [&line[..line.len() - column(line, 15).len()], b""].concat(),
            });
            *rows = lines.collect::<Vec<_>>().join(&b'\n');
        }
        let files = Files::new(files);
        let path = files.write(Schema::Indiv, &bytes);
        let setting = settings(&[2], &[5000])[0];
        let fold = ByFold::new(GroupQuestion::new("CAND_NAME").unwrap());
        let fold = fold.with_partners(files.partners(&setting));
        let grouped = grouped_by(&setting, &fold, &path).unwrap();
        let twin = files.twin();
        let expected = twin.groups(Schema::Indiv, &bytes, keys, 1, &[]);
        assert_groups(&format!("{schemas:?}"), &grouped, &expected);
        found.push(twin.without(Schema::Indiv, &bytes, Cn));
    }
    assert!(found[2] < found[0] && found[2] <= found[1], "{found:?}");
}

/// A condition on a joined column: as typed, its file, and the twin's test of the partner's row.
fn conditions() -> Vec<(String, Schema, Condition)> {
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
    let typed = all.into_iter().map(|(name, schema, number, test)| {
        let condition = Condition::new(number, test);
        let typed = condition.typed();
        let after = typed
            .trim_start_matches('#')
            .trim_start_matches(|c: char| c.is_ascii_digit());
        (format!("{name}{after}"), schema, condition)
    });
    typed.collect()
}

#[test]
fn conditions_on_joined_columns_choose_the_lines_of_the_twin() {
    for quality in [RowQuality::Clean, RowQuality::Hostile] {
        let files = joined_files(quality, 10_000, 4000);
        let twin = files.twin();
        let bytes = scanned_rows(Schema::Indiv, 3000, quality);
        let path = files.write(Schema::Indiv, &bytes);
        let settings = settings(&[1, 3], &[64, 4000]);
        let partners = files.partners(&settings[0]);
        let mut some = 0;
        for (typed, schema, condition) in conditions() {
            // With a condition on the rows themselves, before or after it.
            let own = Condition::new(10, Test::NotIn(vec!["CA".to_owned()]));
            let passes = |line: &&[u8], both: bool| {
                let row = twin
                    .partner(Schema::Indiv, line, schema)
                    .unwrap_or_default();
                condition.holds(row) && (!both || own.holds(line))
            };
            for both in [false, true] {
                let mut all = vec![typed.clone()];
                all.extend(both.then(|| own.typed()));
                let lines = lines_of(&bytes);
                let expected = lines.iter().filter(|line| passes(line, both)).count() as u64;
                // The line's own condition holds for those that are counted.
                let lacks = |line: &&&[u8]| {
                    let partner = twin.partner(Schema::Indiv, line, schema);
                    partner.is_none() && (!both || own.holds(line))
                };
                let without = lines.iter().filter(lacks).count() as u64;
                some += u64::from((1..lines.len() as u64).contains(&expected));
                for setting in &settings {
                    let filter = Filter::new(&all).unwrap().with_partners(partners.clone());
                    let engine = setting.engine().with_filter(filter);
                    let counted = setting.fold(&engine, &LineCount, &[], &[&path]).unwrap();
                    let found = (counted.lines, counted.lines_scanned);
                    let expected = (expected, Some(lines.len() as u64));
                    assert_eq!(found, expected, "{all:?}: {setting:?}");
                    let found = tested_without(&counted.without_partner);
                    assert_eq!(found, without, "{all:?}: {setting:?}");
                }
            }
        }
        assert!(some >= 26, "only {some} conditions choose some lines");
    }
}

#[test]
fn joined_files_can_be_packed_and_lie_in_pieces() {
    let files = joined_files(RowQuality::Clean, 10_000, 4000);
    let [(_, cm), (_, cn), _] = &files.joined[..] else {
        panic!("there are three files");
    };
    let bytes = scanned_rows(Schema::Indiv, 3000, RowQuality::Clean);
    let path = files.write(Schema::Indiv, &bytes);
    let half = lines_of(cm)[..5000].join(&b'\n').len() + 1;
    let (first, second) = cm.split_at(half);
    let archive = |members: &[Member]| zip(members);
    let packed: [&[(&str, Vec<u8>)]; 6] = [
        &[("cm.txt", cm.clone()), ("cn.txt", cn.clone())],
        &[("cm.txt.gz", gzip(cm)), ("candidates", zstd(cn))],
        &[
            ("nothing-to-tell", cm.clone()),
            ("cn18.zip", archive(&[Member::deflated("x.txt", cn)])),
        ],
        &[(
            "all.zip",
            archive(&[Member::deflated("cn.txt", cn), Member::stored("cm.txt", cm)]),
        )],
        &[
            ("cm16.txt", first.to_vec()),
            ("cn.txt", cn.clone()),
            ("cm18.txt", gzip(second)),
        ],
        &[
            (
                "two.zip",
                archive(&[
                    Member::stored("cm1.txt", first),
                    Member::deflated("cm2.txt", second),
                ]),
            ),
            ("cn.txt", cn.clone()),
        ],
    ];
    let setting = settings(&[3], &[700])[0];
    let groups = |paths: &[PathBuf]| {
        let options = setting.engine().options();
        let partners = Partners::open(paths, &OpenOptions::default(), options).unwrap();
        let question = GroupQuestion::new("CMTE_NM,CAND_NAME").unwrap();
        let fold = ByFold::new(question).with_partners(partners);
        let grouped = grouped_by(&setting, &fold, &path).unwrap();
        let group = |nth| {
            let group = grouped.group(nth);
            [
                group.key(0),
                group.key(1),
                group.count().to_string().as_bytes(),
            ]
            .join(&b'|')
        };
        (0..grouped.len()).map(group).collect::<Vec<_>>()
    };
    let mut all = Vec::new();
    for given in packed {
        let folder = tempfile::tempdir().unwrap();
        let write = |(name, bytes): &(&str, Vec<u8>)| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).unwrap();
            path
        };
        let paths: Vec<_> = given.iter().map(write).collect();
        all.push(groups(&paths));
    }
    assert!(all[0].len() > 10);
    for (nth, groups) in all.iter().enumerate() {
        assert_eq!(groups, &all[0], "{nth}");
    }
}

/// An identifier from a short list.
fn id() -> impl Strategy<Value = String> {
    select(vec![
        "",
        "C1",
        "C2",
        "C00990001",
        "H0AL01048",
        "C0099000100000000",
        "a b",
    ])
    .prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    select(vec!["", "X", "DEM", "90049", "ROE, JANE", "12.5", "X\r"]).prop_map(str::to_owned)
}

/// A file of rows of a few columns, the `keys` among them identifiers.
fn odd_rows(width: usize, keys: [usize; 2]) -> impl Strategy<Value = Vec<u8>> {
    let ids = [id(), id()];
    let row = (ids, prop::collection::vec(text(), 0..width + 2)).prop_map(move |(ids, mut row)| {
        for (id, key) in ids.into_iter().zip(keys) {
            if let Some(column) = row.get_mut(key - 1) {
                *column = id;
            }
        }
        row.join("|")
    });
    let ends = select(vec!["\n", "\r\n", ""]);
    (prop::collection::vec(row, 0..12), ends)
        .prop_map(|(rows, end)| (rows.join("\n") + end).into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_files_join_as_the_twin_joins_them(
        cm in odd_rows(15, [1, 15]),
        cn in odd_rows(15, [1, 10]),
        ccl in odd_rows(7, [1, 4]),
        rows in odd_rows(21, [1, 16]),
        simd in select(Simd::available().collect::<Vec<_>>()),
        threads in 1..4_usize,
        task_bytes in select(vec![1_u64, 5, 40, 10_000]),
        (typed, keys) in select(KEYS.to_vec()),
        (condition, joined, test) in select(conditions()),
    ) {
        let setting = Setting { way: Way::Read, simd, threads, task_bytes };
        let files = Files::new(vec![(Cm, cn.clone()), (Cm, cm), (Cn, cn), (Ccl, ccl)]);
        let twin = files.twin();
        let path = files.write(Schema::Indiv, &rows);
        let partners = files.partners(&setting);
        let fold = ByFold::new(question(typed, None)).with_partners(partners.clone());
        let grouped = grouped_by(&setting, &fold, &path).unwrap();
        let distinct = DISTINCT.map(|(_, place)| place);
        let expected = twin.groups(Schema::Indiv, &rows, keys, 15, &distinct);
        assert_groups(typed, &grouped, &expected);

        let filter = Filter::new([&condition]).unwrap().with_partners(partners);
        let engine = setting.engine().with_filter(filter);
        let counted = setting.fold(&engine, &LineCount, &[], &[&path]).unwrap();
        let passes = |line: &&[u8]| {
            test.holds(twin.partner(Schema::Indiv, line, joined).unwrap_or_default())
        };
        let expected = lines_of(&rows).into_iter().filter(passes).count() as u64;
        prop_assert_eq!(counted.lines, expected, "{}", condition);
    }
}

#[test]
fn the_default_engine_reads_partners_with_its_own_options() {
    let files = joined_files(RowQuality::Clean, 100, 40);
    let engine = Engine::default();
    let partners = Partners::open(files.paths(), &OpenOptions::default(), engine.options());
    let partners = partners.unwrap();
    assert!(!partners.is_empty() && Partners::default().is_empty());
    let notes = partners.notes().join("\n");
    assert!(notes.contains("left out: a later row has their CMTE_ID") || notes.is_empty());
}
