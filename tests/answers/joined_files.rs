//! Joined files of any kind and with any rows, against the slow twin.

use std::fs;
use std::path::PathBuf;

use fecscan::engine::Engine;
use fecscan::fec::schema::Schema::{self, Ccl, Cm, Cn};
use fecscan::fold::LineCount;
use fecscan::generate::RowQuality;
use fecscan::input::OpenOptions;
use fecscan::render::{Answer, Format, to_vec};
use fecscan::scan::simd::Simd;
use fecscan::sql::{Filter, GivenTables, Join, Repeats, TableNames};
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::archives::{Member, gzip, zip, zstd};
use crate::common::by::{By, all_of};
use crate::common::join_questions::conditions;
use crate::common::joins::{Files, JoinedRow, joined_files, scanned_rows};
use crate::common::run::{Setting, Way, settings};
use crate::common::twin::lines_of;

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
            archive(&[Member::stored("cm.txt", cm), Member::deflated("cn.txt", cn)]),
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
        let joins: Vec<_> = paths.iter().map(Join::new).collect();
        let opening = OpenOptions::default();
        let by = By {
            given: GivenTables::open(&joins, &opening, options).unwrap(),
            ..By::new("CMTE_NM, CAND_NAME", "sum(amount)")
        };
        all_of(&by.grouped(&setting, &[&path]).unwrap())
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

/// Keys of contributions.
const KEYS: [&str; 8] = [
    "CMTE_NM",
    "cm.party",
    "cn.party, STATE",
    "CAND_NAME",
    "date_trunc('month', date), zip5(cmte_zip), cm.CMTE_TP",
    "CMTE_ID, cm.CAND_ID, ccl.#1, cn.#1",
    "ccl.cmte_tp, CITY",
    "first_name(CAND_NAME), cm.committee",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_files_join_as_the_twin_and_the_statement_join_them(
        cm in odd_rows(15, [1, 15]),
        cn in odd_rows(15, [1, 10]),
        ccl in odd_rows(7, [1, 4]),
        rows in odd_rows(21, [1, 16]),
        simd in select(Simd::available().collect::<Vec<_>>()),
        threads in 1..4_usize,
        task_bytes in select(vec![1_u64, 5, 40, 10_000]),
        keys in select(KEYS.to_vec()),
        condition in select(conditions()),
    ) {
        let setting = Setting { way: Way::Read, simd, threads, task_bytes };
        let files = Files::new(vec![(Cm, cn.clone()), (Cm, cm), (Cn, cn), (Ccl, ccl)]);
        let twin = files.twin();
        let path = files.write(Schema::Indiv, &rows);
        let typed = condition.typed();
        let filter = Filter::new([&typed]).unwrap().with_tables(files.given(&setting));
        let filter = filter.joined(Schema::Indiv, "-", Repeats::EachMatch).unwrap();
        let engine = setting.engine().with_filter(filter);
        let counted = setting.fold(&engine, &LineCount, &[], &[&path]).unwrap();
        let passes = |row: &&JoinedRow<'_>| {
            condition.truth(row.partner(condition.schema)) == Some(true)
        };
        let expected = twin.all(Schema::Indiv, &rows).iter().filter(passes).count() as u64;
        prop_assert_eq!(counted.lines, expected, "{}", typed);

        let by = By {
            given: files.given(&setting),
            ..By::new(keys, "sum(amount), count(DISTINCT cn.#5), max(cm.party)")
        };
        let by = by.filtered(&[
            format!("STATE <> 'X' OR {}", condition.typed()),
        ]);
        let alone = by.statement(path.to_str().unwrap(), TableNames::Files).unwrap();
        // Candidates in a file of committees may be recognized, and then refused.
        let Ok(expected) = fecscan::scan([&path]).sql(&alone) else { return Ok(()) };
        let found = by.grouped(&setting, &[&path]).unwrap();
        let csv = |answer: &dyn Answer| String::from_utf8_lossy(&to_vec(answer, Format::Csv).unwrap()).into_owned();
        prop_assert_eq!(csv(&found), csv(&expected), "{}", alone);
    }
}

#[test]
fn the_default_engine_reads_tables_with_its_own_options() {
    let files = joined_files(RowQuality::Clean, 100, 40);
    let engine = Engine::default();
    let joins: Vec<_> = files.paths().into_iter().map(Join::new).collect();
    let opening = OpenOptions::default();
    let given = GivenTables::open(&joins, &opening, engine.options()).unwrap();
    assert!(!given.is_empty() && GivenTables::default().is_empty());
}
