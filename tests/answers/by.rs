//! `by` against the statements that it is short for, in every way of working: what they say, their rows, the order, and what a cut leaves.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use fecscan::fec::schema::Schema;
use fecscan::generate::{Block, Generator, Recipe, RowQuality};
use fecscan::scan::simd::Simd;
use fecscan::sql::{From, GroupQuestion, Statement};
use fecscan::{Grouped, Value};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use tempfile::TempDir;

use crate::common::archives::{Member, zip};
use crate::common::by::{By, all_of, keys_of};
use crate::common::condition::{self, Condition};
use crate::common::joins::generated;
use crate::common::program::{Ended, fecscan, run};
use crate::common::run::settings;
use crate::common::tables::{condition, table};
use crate::common::twin::{columns, lines_of};

/// Questions about contributions in two files: what stands behind `by`.
const OF_INDIV: [&[&str]; 42] = [
    &["STATE"],
    &["#10"],
    &["state, CITY"],
    &["STATE, year(date) AS year", "--sum", "amount"],
    &["STATE", "--sort", "count"],
    &["STATE", "--sort", "count DESC, STATE DESC", "-n", "5"],
    &["#10, CITY", "--sort", "#10 desc", "-n", "9"],
    &["STATE", "-n", "0"],
    &["STATE", "--head", "1000000", "--max-groups", "5000"],
    &[
        "date_trunc('month', date) AS month",
        "--sum",
        "amount",
        "--sort",
        "month",
    ],
    &["zip5(zip), last_name(name)", "-n", "12"],
    &[
        "left(NAME, 3)",
        "--agg",
        "count(DISTINCT CITY), max(date)",
        "--sort",
        "count(DISTINCT CITY) DESC",
        "-n",
        "5",
    ],
    &[
        "upper(trim(EMPLOYER)) AS \"the employer\"",
        "--sort",
        "\"the employer\" DESC",
        "-n",
        "9",
    ],
    &["STATE AS \"a \"\"b\"\", c\"", "--sum", "amount"],
    &[
        "STATE",
        "--sum",
        "amount",
        "--sum",
        "SUB_ID",
        "--sum",
        "amount * 2 + 1",
    ],
    &[
        "STATE",
        "--agg",
        "sum(amount) FILTER (WHERE year(date) = 2018) AS y2018, count(*) FILTER (WHERE MEMO_CD = 'X') AS memo",
    ],
    &[
        "ENTITY_TP",
        "--agg",
        "avg(amount), median(amount), quantile_disc(amount, 0.9), quantile_cont(amount, 0.25)",
    ],
    &[
        "CASE WHEN amount < 200 THEN 'small' ELSE 'large' END AS size",
        "--sum",
        "amount",
        "--sort",
        "size",
    ],
    &["nullif(MEMO_CD, '') AS memo, amount > 50"],
    &["file, member, cycle, STATE", "-n", "20"],
    &[
        "STATE",
        "--where",
        "amount >= 100",
        "--where",
        "NAME ILIKE '%a%' OR CITY = 'X'",
        "--sum",
        "amount",
    ],
    &[
        "STATE",
        "--where",
        "amount > 5 OR STATE = 'CA'",
        "--contributions",
        "--sum",
        "amount",
    ],
    &["STATE", "--contributions"],
    &["STATE", "--where", "amount > 100000000"],
    &["date", "--agg", "min(NAME), max(CITY)", "-n", "30"],
    &["month(date), dayname(date)", "--sort", "2, 1 DESC"],
    &["SUB_ID", "-n", "7", "--sort", "SUB_ID"],
    &["NAME, CITY, STATE, ZIP_CODE", "--sum", "amount", "-n", "15"],
    &[
        "length(NAME)",
        "--agg",
        "arg_max(NAME, amount), arg_min(TRAN_ID, date)",
    ],
    &[
        "STATE",
        "--agg",
        "count(DISTINCT (CITY, NAME)), sum(amount) / count(*) AS mean",
        "--sort",
        "mean DESC, 1",
    ],
    &[
        "amount",
        "--agg",
        "count_if(STATE = 'CA'), bool_or(MEMO_CD = 'X')",
        "--limit",
        "8",
    ],
    &["CMTE_NM", "--with", "cm.txt", "--sum", "amount"],
    &[
        "STATE, cm.STATE AS of_cm",
        "--with",
        "cm.txt",
        "--sort",
        "cm.STATE, STATE",
    ],
    &[
        "left(STATE, 1)",
        "--with",
        "cm.txt",
        "--agg",
        "max(STATE), max(date::VARCHAR) AS date, max(cm.CITY)",
    ],
    &[
        "party",
        "--with",
        "cm.txt",
        "--where",
        "cm.CMTE_TP = 'H' AND STATE <> 'CA'",
        "--agg",
        "count(DISTINCT cm.CMTE_NM)",
    ],
    &[
        "CAND_NAME",
        "--with",
        "ccl.txt",
        "--with",
        "cn.txt",
        "--sum",
        "amount",
    ],
    &[
        "cn.party, cm.party AS of_cm",
        "--with",
        "cm.txt",
        "--with",
        "cn.txt",
        "-n",
        "4",
    ],
    &[
        "CAND_NAME, ccl.CAND_ID",
        "--with",
        "cm.txt",
        "--with",
        "ccl.txt",
        "--with",
        "cn.txt",
        "--where",
        "cm.CMTE_TP <> 'X' OR STATE = 'CA'",
        "--contributions",
    ],
    &[
        "geo.county",
        "--with",
        "geo=geo.csv",
        "--on",
        "zip5(zip)=GEO.zip",
        "--sum",
        "amount",
    ],
    &[
        "other.CMTE_NM, STATE",
        "--with",
        "other=cm.txt",
        "--on",
        "CITY=other.CMTE_CITY",
        "-n",
        "50",
    ],
    &[
        "t.\"the group\"",
        "--with",
        "geo=geo.csv",
        "--on",
        "zip5(zip)=geo.zip",
        "--with",
        "t=t.csv",
        "--on",
        "geo.county=t.county",
        "--where",
        "t.\"the group\" IS NOT NULL",
    ],
    &["STATE, count(*)::VARCHAR = '1' OR STATE = 'CA' AS odd"],
];

/// Questions about other files, which are named last.
const OF_OTHERS: [&[&str]; 9] = [
    &[
        "STATE, file, member, cycle",
        "--sum",
        "amount",
        "indiv20.zip",
    ],
    &["CMTE_TP, CAND_NAME", "--with", "cn.txt", "cm.txt"],
    &[
        "cm.party AS party, CAND_NAME",
        "--with",
        "cm.txt",
        "--with",
        "cn.txt",
        "ccl.txt",
    ],
    &[
        "CMTE_NM, CAND_NAME",
        "--with",
        "cm.txt",
        "--with",
        "cn.txt",
        "ccl.txt",
    ],
    &[
        "k",
        "--sum",
        "TRY_CAST(v AS DECIMAL(18, 2))",
        "--header",
        "rows.csv",
    ],
    &[
        "k, d",
        "--types",
        "v=number,d=date",
        "--sum",
        "v",
        "--agg",
        "max(d)",
        "--sort",
        "d",
        "--header",
        "rows.csv",
    ],
    &["#1", "--delimiter", ",", "--agg", "max(#2)", "rows.csv"],
    &[
        "k, t.k AS \"t.k\", v",
        "--header",
        "--with",
        "t=rows2.csv",
        "--on",
        "k=t.k",
        "rows.csv",
    ],
    &[
        "v, t.v AS other, k",
        "--header",
        "--where",
        "k <> 'c' OR t.v = '1'",
        "--with",
        "t=rows2.csv",
        "--on",
        "v=t.v",
        "rows.csv",
    ],
];

/// Rows of 21 columns and others, with bytes that are not UTF-8; committees of which some occur twice; and tables of other kinds.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    let hostile = fs::read("fixtures/generated-hostile.txt").unwrap();
    let hostile: Vec<_> = hostile
        .split_inclusive(|&byte| byte == b'\n')
        .take(150)
        .collect();
    let mut rows = hostile.concat();
    rows.extend(
        b"C00990001|N|Q|P|2018|15|IND|\xc9LODIE, \xff|X|CA|97477|E|O|04122018|12.50||T|1|||7\n",
    );
    write("itcont.txt", &rows);
    let rows = generated(Schema::Indiv, 150, RowQuality::Clean);
    write("indiv18.txt", &rows);
    write(
        "indiv20.zip",
        &zip(&[Member::deflated("itcont.txt", &rows)]),
    );
    let committees = generated(Schema::Cm, 3000, RowQuality::Clean);
    let repeated = lines_of(&committees)[..1500].join(&b'\n');
    write("cm.txt", &[&committees[..], &repeated].concat());
    write("cn.txt", &generated(Schema::Cn, 1500, RowQuality::Clean));
    write("ccl.txt", &generated(Schema::Ccl, 1500, RowQuality::Clean));
    let zips = rows
        .split(|&byte| byte == b'\n')
        .filter_map(|row| row.split(|&b| b == b'|').nth(10)?.get(..5));
    let counties = zips.enumerate().map(|(nth, zip)| {
        let zip = String::from_utf8_lossy(zip).into_owned();
        format!("{zip},\"County, {}\"\n{zip},X{}\n", nth % 4, nth % 7)
    });
    write(
        "geo.csv",
        ("zip,county\n".to_owned() + &counties.collect::<String>()).as_bytes(),
    );
    write("t.csv", b"county,the group\nX1,one\nX2,two\nX1,three\n");
    write(
        "rows.csv",
        b"k,v,d\na,1,2018-01-02\nb,2,2018-01-03\nc,2.50,\na,,2017-05-05\nc,x,2018-01-02\n,1,\n",
    );
    write("rows2.csv", b"k,v\na,1\na,7\nc,2\n");
    folder
}

fn ask(folder: &Path, words: &[&str]) -> Ended {
    run(fecscan(words).current_dir(folder))
}

/// Returns the inputs of a question, and the options before them that tell the kind of file.
fn inputs_of<'w>(words: &[&'w str], files: &[&'w str]) -> Vec<&'w str> {
    let mut inputs = Vec::new();
    for (nth, word) in words.iter().enumerate() {
        match *word {
            "--header" => inputs.push("--header"),
            "--types" | "--delimiter" => inputs.extend(&words[nth..nth + 2]),
            _ => {}
        }
    }
    // The statement names files of other kinds.
    if inputs.is_empty() {
        inputs.extend(files);
    }
    inputs
}

/// How the program may work: every level, both ways to read, one and three threads, tasks of any size.
fn ways() -> Vec<Vec<String>> {
    let levels =
        Simd::available().map(|level| format!("-j 3 --task-size 300 --simd {}", level.name()));
    let ways = [
        "-j 1 --io read --task-size 1",
        "-j 3 --io mmap --task-size 1",
        "-j 1 --task-size 5000 --io mmap",
    ];
    let ways = ways.map(str::to_owned).into_iter().chain(levels);
    ways.map(|way| way.split(' ').map(str::to_owned).collect())
        .collect()
}

/// Asserts that a question has the rows of its statement.
fn assert_is_its_statement(folder: &Path, question: &[&str], files: &[&str]) {
    let by = |more: &[&str]| ask(folder, &[&["by"], question, more, files].concat());
    let shown = by(&["--show-sql"]);
    assert_eq!(shown.status, 0, "{question:?} {}", shown.err);
    let inputs = inputs_of(question, files);
    for format in ["csv", "json"] {
        let sql = ask(
            folder,
            &[&["sql", &shown.out, "-f", format], &inputs[..]].concat(),
        );
        let found = by(&["-f", format]);
        assert_eq!(
            (sql.status, found.status),
            (0, 0),
            "{question:?}: {} {}",
            sql.err,
            found.err
        );
        assert_eq!(found.out, sql.out, "{question:?} {}", shown.out);
    }
    let expected = by(&["-f", "csv"]).out;
    for way in ways() {
        let way: Vec<_> = way.iter().map(String::as_str).collect();
        let found = by(&[&["-f", "csv"], &way[..]].concat());
        assert_eq!(found.out, expected, "{question:?} {way:?}: {}", found.err);
    }
}

#[test]
fn questions_have_the_rows_of_their_statements() {
    let folder = folder();
    for question in OF_INDIV {
        // The last one is refused, and the statement too.
        if question[0].contains("count(*)") {
            let [by, shown] = [&[][..], &["--show-sql"]].map(|more| {
                ask(
                    folder.path(),
                    &[&["by"], question, more, &["itcont.txt"]].concat(),
                )
            });
            assert_eq!((by.status, by.out, &by.err), (2, String::new(), &shown.err));
            continue;
        }
        assert_is_its_statement(folder.path(), question, &["itcont.txt", "indiv18.txt"]);
    }
}

#[test]
fn questions_about_other_files_have_the_rows_of_their_statements() {
    let folder = folder();
    for question in OF_OTHERS {
        let (file, question) = question.split_last().unwrap();
        assert_is_its_statement(folder.path(), question, &[file]);
    }
}

#[test]
fn statements_say_what_options_ask() {
    let folder = folder();
    for (words, statement) in [
        (
            &["state", "itcont.txt"][..],
            "SELECT state, count(*) AS count FROM indiv GROUP BY 1 ORDER BY 2 DESC, 1",
        ),
        (
            &[
                "STATE,year(date) y",
                "--sum",
                "amount",
                "--sum",
                "#21",
                "-n",
                "3",
                "itcont.txt",
            ],
            "SELECT STATE, year(date) AS y, count(*) AS count, sum(amount), sum(#21) FROM indiv GROUP BY 1, 2 \
             ORDER BY 4 DESC, 1, 2 LIMIT 3",
        ),
        (
            &[
                "STATE",
                "--sort",
                "count desc,STATE",
                "--sort",
                "1",
                "itcont.txt",
            ],
            "SELECT STATE, count(*) AS count FROM indiv GROUP BY 1 ORDER BY count DESC, STATE, 1, 1",
        ),
        (
            &["STATE", "--where", "amount>5", "itcont.txt"],
            "SELECT STATE, count(*) AS count FROM indiv WHERE amount > 5 GROUP BY 1 ORDER BY 2 DESC, 1",
        ),
        (
            &[
                "STATE",
                "--where",
                "amount>5 OR CITY='X'",
                "--where",
                "NAME LIKE 'A%'",
                "itcont.txt",
            ],
            "SELECT STATE, count(*) AS count FROM indiv WHERE (amount > 5 OR CITY = 'X') AND (NAME LIKE 'A%') \
             GROUP BY 1 ORDER BY 2 DESC, 1",
        ),
        (
            &[
                "STATE",
                "--agg",
                "max(date::VARCHAR) AS date",
                "--with",
                "cm.txt",
                "itcont.txt",
            ],
            "SELECT indiv.STATE, count(*) AS count, max(date::VARCHAR) AS date FROM indiv \
             LEFT JOIN 'cm.txt' AS cm USING (CMTE_ID) GROUP BY 1 ORDER BY 3 DESC, 1",
        ),
        (
            &[
                "left(CITY, 1)",
                "--sum",
                "length(STATE)",
                "--with",
                "cm.txt",
                "itcont.txt",
            ],
            "SELECT left(indiv.CITY, 1) AS \"left(CITY, 1)\", count(*) AS count, \
             sum(length(indiv.STATE)) AS \"sum(length(STATE))\" FROM indiv \
             LEFT JOIN 'cm.txt' AS cm USING (CMTE_ID) GROUP BY 1 ORDER BY 3 DESC, 1",
        ),
        (
            &[
                "CAND_NAME",
                "--with",
                "ccl.txt",
                "--with",
                "cn.txt",
                "itcont.txt",
            ],
            "SELECT CAND_NAME, count(*) AS count FROM indiv LEFT JOIN 'ccl.txt' AS ccl USING (CMTE_ID) \
             LEFT JOIN 'cn.txt' AS cn ON ccl.CAND_ID = cn.CAND_ID GROUP BY 1 ORDER BY 2 DESC, 1",
        ),
        (
            &["CAND_NAME", "--with", "cn.txt", "cm.txt"],
            "SELECT CAND_NAME, count(*) AS count FROM cm LEFT JOIN 'cn.txt' AS cn USING (CAND_ID) \
             GROUP BY 1 ORDER BY 2 DESC, 1",
        ),
        (
            &["k", "--header", "-n", "2", "rows.csv"],
            "SELECT k, count(*) AS count FROM 'rows.csv' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 2",
        ),
        (
            &[
                "k, t.v",
                "--header",
                "--with",
                "t=rows2.csv",
                "--on",
                "k=t.k",
                "rows.csv",
            ],
            "SELECT scanned.k, t.v, count(*) AS count FROM 'rows.csv' AS scanned \
             LEFT JOIN 'rows2.csv' AS t ON scanned.k = t.k GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2",
        ),
    ] {
        let ended = ask(folder.path(), &[&["by", "--show-sql"], words].concat());
        let expected = format!("{statement}\n");
        assert_eq!(
            (ended.status, &*ended.out),
            (0, &*expected),
            "{words:?} {}",
            ended.err
        );
    }
}

/// Where both tables have a name, it means the scanned file's, and keeps its title. What follows AS, types and functions have other names.
#[test]
fn names_of_both_tables_are_those_of_the_scanned_file() {
    let folder = folder();
    let run = |words: &[&str]| {
        let ended = ask(folder.path(), &[&["by", "-f", "csv", "-q"], words].concat());
        assert_eq!((ended.status, &*ended.err), (0, ""), "{words:?}");
        ended.out
    };
    let title = |csv: &str| csv.lines().next().unwrap().to_owned();
    let each_once = ["--with", "one.txt", "itcont.txt"];
    let committees = fs::read(folder.path().join("cm.txt")).unwrap();
    let first = lines_of(&committees)[..1500].join(&b'\n');
    fs::write(folder.path().join("one.txt"), first).unwrap();
    for question in [
        &["STATE"][..],
        &["state, CITY AS city"],
        &["left(STATE, 1), zip"],
        &[
            "upper(STATE)",
            "--agg",
            "max(CITY), min(zip), max(date::VARCHAR) AS zip",
        ],
        &["STATE AS zip", "--sort", "zip DESC"],
        &[
            "CITY",
            "--sort",
            "max(STATE) DESC, CITY",
            "--agg",
            "max(STATE)",
        ],
        &["ZIP_CODE", "--where", "STATE = 'CA' AND CITY <> 'X'"],
        &["#10", "--sum", "length(name)"],
        &["indiv.STATE"],
        &["\"STATE\", \"zip\""],
        &[
            "CITY",
            "--where",
            "CITY <> 'O''FALLON' AND STATE <> 'it''s'",
        ],
    ] {
        let (alone, joined) = (
            run(&[question, &["itcont.txt"]].concat()),
            run(&[question, &each_once].concat()),
        );
        assert_eq!(joined, alone, "{question:?}");
    }
    let both = run(&[
        &["STATE, cm.STATE AS \"cm.STATE\", CMTE_ID"],
        &each_once[..],
    ]
    .concat());
    assert_eq!(title(&both), "STATE,cm.STATE,CMTE_ID,count");
    assert_ne!(
        run(&[&["cm.STATE"], &each_once[..]].concat()),
        run(&["STATE", "itcont.txt"])
    );
}

/// Asserts that the rest is what the full list has behind the groups that are listed.
fn assert_rest(full: &Grouped, cut: &Grouped, adds_up: &[bool]) {
    let listed = cut.len();
    assert_eq!(cut.distinct_groups(), full.len() as u64);
    assert_eq!(
        (cut.lines, cut.lines_scanned),
        (full.lines, full.lines_scanned)
    );
    let shown = |grouped: &Grouped| {
        (0..listed)
            .map(|nth| grouped.group(nth).to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(shown(cut), shown(full));
    let Some(rest) = cut.rest() else {
        assert_eq!(listed, full.len());
        return;
    };
    let others = || (listed..full.len()).map(|nth| full.group(nth));
    assert_eq!(rest.groups, others().count() as u64);
    assert_eq!(rest.count, others().map(|group| group.count()).sum::<u64>());
    for (nth, adds_up) in adds_up.iter().enumerate() {
        let mut sum = None;
        for group in others() {
            let (units, scale) = match group.value(nth) {
                Value::Whole(whole) => (whole, None),
                Value::Decimal { units, scale } => (units, Some(scale)),
                _ => continue,
            };
            sum = Some((sum.map_or(0, |(sum, _)| sum) + units, scale));
        }
        // A sum of no values is NULL.
        if sum.is_none() && rest.values[nth] == Value::Null {
            continue;
        }
        let (sum, scale) = sum.unwrap_or((0, None));
        match (&rest.values[nth], adds_up) {
            (Value::Null, false) => {}
            (Value::Whole(found), true) => assert_eq!((*found, None), (sum, scale)),
            (
                Value::Decimal {
                    units,
                    scale: found,
                },
                true,
            ) => {
                assert_eq!(*units, sum);
                assert!(scale.is_none_or(|scale| scale == *found));
            }
            (found, _) => panic!("{nth} {found:?}"),
        }
    }
}

#[test]
fn the_rest_is_what_the_full_list_has_beyond_any_cut() {
    let aggregates = "sum(amount), count(MEMO_TEXT), sum(length(NAME)), count(*) FILTER (WHERE amount > 100), \
                      sum(amount) FILTER (WHERE STATE = 'CA') AS ca, median(amount), count(DISTINCT CITY), max(date), avg(amount), \
                      sum(amount) + 1, count_if(amount > 5)";
    let adds_up = [
        true, true, true, true, true, false, false, false, false, false, true,
    ];
    for path in ["fixtures/generated.txt", "fixtures/generated-hostile.txt"] {
        for (keys, order) in [
            ("STATE", ""),
            ("month(date), MEMO_CD", "median(amount), 1 DESC"),
            ("amount", "1 DESC"),
        ] {
            for conditions in [vec![], vec!["amount > 20 OR CITY < 'M'".to_owned()]] {
                let by = |top| {
                    By::new(keys, aggregates)
                        .sorted(order, top)
                        .filtered(&conditions)
                };
                let setting = settings(&[2], &[700])[0];
                let grouped = |top| by(top).grouped(&setting, &[path.as_ref()]).unwrap();
                let full = grouped(None);
                assert!(full.rest().is_none() && full.len() > 3, "{keys}");
                for top in 0..full.len() + 2 {
                    assert_rest(&full, &grouped(Some(top)), &adds_up);
                }
            }
        }
    }
}

/// Equal groups are ordered by their keys as values: numbers by size, NULL last.
#[test]
fn equal_groups_are_ordered_by_their_keys() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("itcont.txt");
    let row = |state: &str, date: &str, amount: &str| {
        format!("C|N|Q|P|2018|15|IND|X|CITY|{state}|9|E|O|{date}|{amount}||T|1|||3\n")
    };
    let rows = [
        row("NY", "01022018", "10"),
        row("", "x", "9"),
        row("CA", "01022017", "x"),
        row("a", "12312016", "100"),
        row("CA", "01022018", "9"),
        row("NY", "01022017", "10"),
    ];
    fs::write(&path, rows.concat()).unwrap();
    for (keys, order, expected) in [
        ("STATE", "", &["CA 2", "NY 2", " 1", "a 1"][..]),
        ("STATE", "count", &[" 1", "a 1", "CA 2", "NY 2"]),
        ("amount", "", &["9.00 2", "10.00 2", "100.00 1", "NULL 1"]),
        (
            "amount",
            "count DESC",
            &["9.00 2", "10.00 2", "100.00 1", "NULL 1"],
        ),
        (
            "amount",
            "amount DESC",
            &["100.00 1", "10.00 2", "9.00 2", "NULL 1"],
        ),
        (
            "date",
            "",
            &["2017-01-02 2", "2018-01-02 2", "2016-12-31 1", "NULL 1"],
        ),
        (
            "year(date)",
            "length('x')",
            &["2016 1", "2017 2", "2018 2", "NULL 1"],
        ),
        (
            "date, STATE",
            "left(STATE, 0)",
            &[
                "2016-12-31",
                "2017-01-02",
                "2017-01-02",
                "2018-01-02",
                "2018-01-02",
                "NULL",
            ],
        ),
    ] {
        for setting in settings(&[1, 3], &[1, 100, 1 << 20]) {
            let grouped = By::new(keys, "")
                .sorted(order, None)
                .grouped(&setting, &[&path])
                .unwrap();
            let key = |nth| match grouped.group(nth).key(0) {
                Value::Null => "NULL".to_owned(),
                key => key.to_string(),
            };
            let found = (0..grouped.len()).map(|nth| match grouped.key_names().len() {
                1 => format!("{} {}", key(nth), grouped.group(nth).count()),
                _ => key(nth),
            });
            assert_eq!(
                found.collect::<Vec<_>>(),
                expected,
                "{keys} {order} {setting:?}"
            );
        }
    }
}

#[test]
fn lines_are_the_rows_of_all_groups() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let row = |committee: &str, state: &str, amount: u32| {
        format!(
            "{committee}|N|Q1|P|201801019000000001|15|IND|ROE, JO|TOWN|{state}|90049|||01012018|{amount}||1|2|||3\n"
        )
    };
    let rows = [
        row("C1", "CA", 10),
        row("C2", "CA", 20),
        row("C1", "NY", 30),
        row("C9", "NY", 40),
    ];
    fs::write(at("itcont.txt"), rows.concat() + "odd|row\n").unwrap();
    let committee = |id: &str, party: &str| format!("{id}|PAC|||||||||{party}||||\n");
    let committees = [
        committee("C1", "DEM"),
        committee("C2", "REP"),
        committee("C1", "REP"),
    ];
    fs::write(at("cm.txt"), committees.concat()).unwrap();
    let ask = |conditions: &[&str], key: &str, is_joined: bool| {
        let mut query = fecscan::scan([at("itcont.txt")]);
        if is_joined {
            query = query.join(at("cm.txt"));
        }
        for condition in conditions {
            query = query.filter(condition).unwrap();
        }
        let grouped = query
            .group_by(key)
            .unwrap()
            .sum("amount")
            .unwrap()
            .top(1)
            .run()
            .unwrap();
        let count = grouped.iter().map(|group| group.count()).sum::<u64>();
        assert_eq!(
            count + grouped.rest().map_or(0, |rest| rest.count),
            grouped.lines
        );
        (grouped.lines, grouped.lines_scanned, grouped.odd_rows)
    };
    assert_eq!(ask(&[], "STATE", false), (5, None, 1));
    assert_eq!(ask(&["amount > 15"], "STATE", false), (3, Some(5), 0));
    assert_eq!(
        ask(&["STATE < 'CA' OR amount = 10"], "STATE", false),
        (2, Some(5), 1)
    );
    // The rows of C1 have two partners each.
    assert_eq!(ask(&[], "cm.party", true), (7, Some(5), 1));
    assert_eq!(ask(&["amount > 15"], "cm.party", true), (4, Some(5), 0));
    // The row that is odd has no party, and is left out.
    assert_eq!(ask(&["cm.party = 'REP'"], "STATE", true), (3, Some(5), 0));
    assert_eq!(
        ask(&["cm.party IS NULL", "amount > 15"], "STATE", true),
        (1, Some(5), 0)
    );
    assert_eq!(
        ask(&["cm.party = 'REP' OR amount = 40"], "cm.party", true),
        (4, Some(5), 1)
    );
}

/// Keys, aggregates and orders of any columns.
pub(super) fn question() -> impl Strategy<Value = By> {
    const KEYS: [&str; 24] = [
        "STATE",
        "NAME",
        "#9",
        "MEMO_CD, ENTITY_TP",
        "amount",
        "SUB_ID",
        "date",
        "year(date)",
        "date_trunc('month', date) AS month",
        "zip5(zip)",
        "zip",
        "first_name(NAME), last_name(NAME)",
        "upper(EMPLOYER)",
        "left(NAME, 2)",
        "length(CITY)",
        "amount > 100",
        "CASE WHEN amount < 5 THEN 'a' WHEN amount < 50 THEN 'b' END AS size",
        "nullif(STATE, '') AS nullif",
        "coalesce(date::VARCHAR, 'none') AS day",
        "OTHER_ID",
        "MEMO_TEXT",
        "CMTE_ID",
        "TRAN_ID",
        "quarter(date), dayname(date)",
    ];
    const AGGREGATES: [&str; 16] = [
        "sum(amount)",
        "count(amount)",
        "avg(amount)",
        "min(amount)",
        "max(amount)",
        "median(amount)",
        "quantile_disc(amount, 0.7)",
        "min(date)",
        "max(date)",
        "sum(length(NAME))",
        "count(DISTINCT CITY)",
        "count(DISTINCT left(NAME, 2))",
        "sum(amount) FILTER (WHERE STATE < 'M') AS some",
        "min(CITY)",
        "arg_max(NAME, amount)",
        "bool_and(amount > 1)",
    ];
    let orders = select(vec![
        "",
        "1",
        "1 DESC",
        "count",
        "count DESC, 1 DESC",
        "count(*), 1",
        "length('x')",
    ]);
    let top = proptest::option::of(0..12_usize);
    let keys = subsequence(KEYS.to_vec(), 1..4);
    let aggregates = subsequence(AGGREGATES.to_vec(), 0..5);
    (keys, aggregates, orders, any::<bool>(), top).prop_map(
        |(keys, aggregates, order, by_last, top)| {
            let by = By::new(&keys.join(", "), &aggregates.join(", ")).sorted(order, top);
            match aggregates.last() {
                Some(last) if by_last && !last.contains(" AS ") => {
                    by.sorted(&format!("{last} DESC"), top)
                }
                _ => by,
            }
        },
    )
}

/// The rows of a group, its sum in hundredths if it has amounts, and the distinct values of a column.
type Known = BTreeMap<Vec<Vec<u8>>, (u64, Option<i128>, u64)>;

/// Groups rows slowly by columns, counted from one. Distinct values are those of the last column.
fn known_groups(rows: &[u8], keys: &[usize], distinct: usize) -> Known {
    type Distinct = std::collections::BTreeSet<Vec<u8>>;
    let mut groups: BTreeMap<Vec<Vec<u8>>, (u64, Option<i128>, Distinct)> = BTreeMap::new();
    for line in lines_of(rows) {
        let line = columns(line);
        let column = |number: usize| line.get(number - 1).copied().unwrap_or_default();
        let key = keys.iter().map(|number| column(*number).to_vec()).collect();
        let group = groups.entry(key).or_default();
        group.0 += 1;
        let hundredths =
            condition::decimal(column(15)).filter(|text| text.trim_start_matches('-').len() <= 14);
        if let Some(hundredths) = hundredths {
            let more: i128 = hundredths.parse().unwrap();
            group.1 = Some(group.1.unwrap_or(0) + more);
        }
        group.2.insert(column(distinct).to_vec());
    }
    let groups = groups.into_iter();
    groups
        .map(|(key, (rows, sum, distinct))| (key, (rows, sum, distinct.len() as u64)))
        .collect()
}

/// More groups than a table in a cache holds, in one thread and in several: keys of all lengths, empty and with zero bytes.
#[test]
fn many_groups_are_those_of_a_map() {
    let mut recipe = Recipe::default();
    recipe.quality = RowQuality::Hostile;
    let generator = Generator::new(recipe);
    let (blocks, rows_of) = Generator::blocks(60_000);
    let mut rows = Vec::new();
    for block in 0..blocks {
        rows.extend_from_slice(generator.render(block, rows_of(block), &mut Block::default()));
    }
    // Keys of more than 255 bytes, and numbers of more digits than an amount, among many others.
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
    for (keys, numbers, distinct) in [
        ("NAME", &[8][..], 10),
        ("CITY", &[9], 7),
        ("STATE, CITY", &[10, 9], 8),
        ("TRAN_ID, ZIP_CODE, NAME", &[17, 11, 8], 9),
        ("STATE", &[10], 8),
    ] {
        let expected = known_groups(&rows, numbers, distinct);
        for setting in settings(&[1, 3], &[100_000]) {
            let by = By::new(keys, &format!("sum(amount), count(DISTINCT #{distinct})"));
            let grouped = by.grouped(&setting, &[file.path()]).unwrap();
            let mut found = Known::new();
            for nth in 0..grouped.len() {
                let group = grouped.group(nth);
                let sum = match group.value(0) {
                    Value::Decimal { units, .. } => Some(units),
                    _ => None,
                };
                let Value::Whole(distinct) = group.value(1) else {
                    panic!("it is a count")
                };
                found.insert(
                    keys_of(&grouped, nth),
                    (group.count(), sum, distinct as u64),
                );
            }
            assert_eq!(found.len(), grouped.len(), "{keys} {setting:?}");
            assert!(found == expected, "{keys} {setting:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_question_or_a_usage_error(
        keys in "(?:month\\(date\\)|zip5\\(#11\\)|LAST_NAME\\(name\\)|year\\(| AS |\"|'|::|,|,|STATE|name|#1[0-9]|[(), ]|\\PC){0,6}",
        aggregates in "(?:sum\\(|max\\(|FILTER|DISTINCT|[()*, #19]|amount|date|\\PC){0,4}",
        order in "(?:min\\(|amount\\)|[() ]|1|DESC|,|count|sum|\\PC){0,3}",
        condition in "(?:STATE|=|'|\\(|\\)|1| OR | |--|\\PC){0,4}",
    ) {
        let Ok(mut question) = GroupQuestion::new(&keys) else { return Ok(()) };
        let _ = question.add_sum(&aggregates);
        let _ = question.add_aggregates(&aggregates);
        let _ = question.sort_by(&order);
        let mut from = From::new("indiv");
        let _ = from.add_condition(&condition);
        // The statement of a question is one, whatever its parts are.
        let statement = question.statement(&from);
        let parsed = Statement::parse(&statement);
        prop_assert!(parsed.is_ok(), "{}: {:?}", statement, parsed);
        for schema in Schema::ALL {
            let mut from = From::new(schema.name());
            let _ = from.add_condition(&condition);
            let statement = Statement::parse(&question.statement(&from)).unwrap();
            let _ = statement.bind(&[(schema, 1)]);
        }
    }

    #[test]
    fn any_question_has_the_same_groups_in_every_setting(
        tables in vec(table(), 1..4),
        by in question(),
        conditions in vec(condition(), 0..2),
        task_bytes in prop_oneof![1..300_u64, Just(1 << 20)],
        threads in 1..4_usize,
    ) {
        let directory = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = tables
            .iter()
            .enumerate()
            .map(|(nth, _)| directory.path().join(format!("itcont{nth}.txt")))
            .collect();
        for (path, bytes) in paths.iter().zip(&tables) {
            fs::write(path, bytes).unwrap();
        }
        let paths: Vec<_> = paths.iter().map(PathBuf::as_path).collect();
        let conditions: Vec<_> = conditions.iter().map(Condition::typed).collect();
        let by = by.filtered(&conditions);
        let expected = all_of(&by.grouped(&settings(&[1], &[1 << 20])[0], &paths).unwrap());
        for setting in settings(&[threads], &[task_bytes]) {
            let found = all_of(&by.grouped(&setting, &paths).unwrap());
            prop_assert_eq!(&found, &expected, "{:?} {:?}", by.question, setting);
        }
    }
}
