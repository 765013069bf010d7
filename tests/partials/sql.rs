//! Partials of statements of SQL. The merge prints what one run over the whole prints, byte by byte.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use fecscan::partial::Partial;
use serde_json::{Value, json};
use twox_hash::XxHash3_128;

use super::command::assert_refused;
use crate::common::archives::{Member, sliced, zip};
use crate::common::forged;
use crate::common::program::{Ended, fecscan, run};

/// Statements about contributions: every kind of aggregate, keys of every type, and what runs after the groups are merged.
const STATEMENTS: [&str; 14] = [
    "SELECT STATE, count(*), sum(amount) FROM indiv GROUP BY STATE",
    "SELECT STATE, count(amount), avg(amount), median(amount), min(amount), max(date), stddev(amount), quantile_disc(date, 0.5), \
     quantile_cont(amount, 0.9), bool_and(amount > 5), bool_or(MEMO_CD = 'X'), count_if(amount > 100) \
     FROM indiv GROUP BY STATE ORDER BY 2 DESC, 1",
    "SELECT STATE, count(DISTINCT CITY), count(DISTINCT (CITY, amount)), min(NAME), max(CITY), min(CITY) FILTER (WHERE amount > 100) \
     FROM indiv GROUP BY STATE",
    // Many rows are equal, and the first of them in the file is taken.
    "SELECT left(STATE, 1), arg_max(NAME, length(CITY)), arg_min(amount, ENTITY_TP), arg_max(TRAN_ID, 1), arg_min(date, amount / 3) \
     FROM indiv GROUP BY 1",
    "SELECT nullif(STATE, 'CA'), date, amount > 50, amount / 3, length(NAME), count(*) FROM indiv GROUP BY ALL ORDER BY ALL",
    "SELECT STATE, month(date), grouping(STATE), count(*), count(DISTINCT CITY), arg_max(NAME, length(NAME)) \
     FROM indiv GROUP BY ROLLUP (STATE, month(date)) HAVING count(*) > 1 ORDER BY ALL",
    "SELECT ENTITY_TP, MEMO_CD, STATE, sum(amount) FROM indiv GROUP BY GROUPING SETS ((ENTITY_TP, MEMO_CD), (STATE), ())",
    "SELECT count(*), sum(amount), arg_max(NAME, length(NAME)), count(DISTINCT STATE) FROM indiv",
    "SELECT count(*), max(NAME), sum(amount) FROM indiv WHERE amount > 100000000",
    "SELECT STATE, count(*), rank() OVER (ORDER BY count(*) DESC), sum(sum(amount)) OVER () FROM indiv GROUP BY STATE \
     QUALIFY row_number() OVER (ORDER BY sum(amount) DESC, STATE) <= 5 ORDER BY ALL",
    "WITH states AS (SELECT STATE, count(*) AS n FROM indiv WHERE amount >= 25 GROUP BY STATE) SELECT n, count(*) FROM states \
     GROUP BY n HAVING n < (SELECT max(n) FROM states) ORDER BY ALL LIMIT 3 OFFSET 1",
    "WITH g AS (SELECT STATE, count(*) AS n FROM indiv GROUP BY 1) SELECT STATE, n FROM g UNION ALL SELECT 'all', sum(n) FROM g \
     ORDER BY ALL",
    "SELECT DISTINCT STATE, MEMO_CD FROM indiv ORDER BY ALL",
    "WITH g AS (SELECT STATE, CITY, count(*) AS n FROM indiv GROUP BY ALL) SELECT g.STATE, count(*), sum(n), most FROM g \
     JOIN (SELECT STATE, max(n) AS most FROM g GROUP BY 1) USING (STATE) GROUP BY ALL",
];

/// Statements that join committees, which the merge reads again.
const JOINS: [&str; 5] = [
    "SELECT c.CMTE_TP, count(*), arg_max(i.NAME, i.amount) FROM indiv i JOIN cm c ON left(i.CITY, 1) = left(c.CMTE_CITY, 1) GROUP BY 1",
    "SELECT c.CMTE_NM, count(i.amount), arg_max(i.NAME, i.amount) FROM cm c LEFT JOIN indiv i ON i.CITY = c.CMTE_CITY GROUP BY ALL",
    "SELECT c.CMTE_NM, i.STATE, count(*), max(i.NAME), count(DISTINCT i.CITY) FROM indiv i \
     FULL JOIN cm c ON i.CITY = c.CMTE_CITY AND i.amount > 100 GROUP BY CUBE (c.CMTE_NM, i.STATE)",
    "SELECT STATE, count(*) FROM indiv WHERE CITY IN (SELECT CMTE_CITY FROM cm) GROUP BY 1 \
     HAVING count(*) > (SELECT count(*) / 100 FROM cm)",
    "SELECT CMTE_TP, count(*) FROM cm GROUP BY 1 UNION ALL SELECT 'all', count(*) FROM indiv",
];

/// Runs the program in a folder.
fn run_in<S: AsRef<OsStr>>(folder: &Path, words: impl IntoIterator<Item = S>) -> Ended {
    run(fecscan(words).current_dir(folder))
}

/// Returns what a statement about files prints.
fn whole(folder: &Path, statement: &str, format: &str, files: &[&str]) -> Ended {
    let words = ["sql", statement, "-f", format];
    run_in(folder, words.iter().chain(files))
}

/// Writes the partial of a range, or of the whole.
fn write(folder: &Path, statement: &str, name: &str, range: Option<&str>, files: &[&str]) {
    let mut words = vec!["sql", statement, "--partial", name];
    words.extend(range.iter().flat_map(|range| ["--range", range]));
    words.extend(files);
    let ended = run_in(folder, words);
    assert_eq!(
        (ended.status, &*ended.out, &*ended.err),
        (0, "", ""),
        "{statement}"
    );
}

/// Writes the partials of the ranges of the first file that are cut at these bytes. Returns their names.
fn write_ranges(folder: &Path, statement: &str, cuts: &[u64], files: &[&str]) -> Vec<String> {
    let mut places = vec![String::new()];
    places.extend(cuts.iter().map(u64::to_string));
    places.push(String::new());
    let pieces = places.windows(2).enumerate();
    let names = pieces.map(|(nth, piece)| {
        let name = format!("{nth}.part");
        write(folder, statement, &name, Some(&piece.join(":")), files);
        name
    });
    names.collect()
}

fn merged(folder: &Path, format: &str, partials: &[String]) -> Ended {
    let words = ["merge", "-f", format].map(str::to_owned);
    run_in(folder, words.iter().chain(partials))
}

/// Asserts that ranges merge to the result of one run in any order, and through partials of partials.
fn assert_merges(folder: &Path, statement: &str, cuts: &[u64], files: &[&str]) {
    let mut partials = write_ranges(folder, statement, cuts, files);
    for format in ["csv", "json"] {
        let expected = whole(folder, statement, format, files);
        assert_eq!(expected.status, 0, "{statement}: {expected:?}");
        assert_eq!(
            merged(folder, format, &partials),
            expected,
            "{statement} cut at {cuts:?}"
        );
    }
    let expected = whole(folder, statement, "csv", files);
    partials.rotate_left(1);
    let (some, others) = partials.split_at(partials.len() / 2);
    for (name, partials) in [("one", others), ("two", some)] {
        let words = ["merge", "--partial", name].map(str::to_owned);
        let ended = run_in(folder, words.iter().chain(partials));
        assert_eq!((ended.status, &*ended.err), (0, ""), "{statement}");
    }
    let of_partials = ["one", "two"].map(str::to_owned);
    assert_eq!(
        merged(folder, "csv", &of_partials),
        expected,
        "{statement} merged twice"
    );
}

/// A folder with contributions and committees.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy("fixtures/generated.txt", folder.path().join("itcont.txt")).unwrap();
    let words = "generate --schema cm --rows 60 -o cm.txt";
    let made = run_in(folder.path(), words.split(' '));
    assert_eq!(made.status, 0, "{made:?}");
    folder
}

#[test]
fn ranges_merge_to_the_result_of_one_run() {
    let folder = folder();
    for statement in STATEMENTS {
        for cuts in [&[9_000][..], &[1, 300, 301, 5_000, 20_900]] {
            assert_merges(folder.path(), statement, cuts, &["itcont.txt"]);
        }
    }
}

#[test]
fn a_small_file_may_be_cut_into_many_ranges() {
    let folder = folder();
    let cuts: Vec<_> = (1..40).map(|nth| nth * 530).collect();
    for statement in [STATEMENTS[3], STATEMENTS[5], JOINS[2]] {
        let joins = statement == JOINS[2];
        let files = &["itcont.txt", "cm.txt"][..1 + usize::from(joins)];
        assert_merges(folder.path(), statement, &cuts, files);
    }
}

#[test]
fn joined_tables_are_read_again() {
    let folder = folder();
    for statement in JOINS {
        for cuts in [&[9_000][..], &[1, 300, 301, 5_000, 20_900]] {
            assert_merges(folder.path(), statement, cuts, &["itcont.txt", "cm.txt"]);
        }
    }
    let named = JOINS[0].replace("indiv i", "'itcont.txt' i");
    let named = named.replace("cm c", "'cm.txt' c");
    assert_merges(folder.path(), &named, &[4_000], &[]);
}

/// The table of the first file is read in parts, however small it is. One run holds it in memory, and says how many rows of the other table
/// have several matches.
#[test]
fn a_table_in_parts_may_be_smaller_than_those_that_are_joined() {
    let folder = folder();
    let words = "generate --schema cm --rows 900 -o cm.txt";
    assert_eq!(run_in(folder.path(), words.split(' ')).status, 0);
    let statement = "SELECT c.CMTE_TP, count(*), sum(i.amount) FROM cm c JOIN indiv i ON i.CITY = c.CMTE_CITY GROUP BY 1";
    let files = ["itcont.txt", "cm.txt"];
    let partials = write_ranges(folder.path(), statement, &[9_000], &files);
    let ended = merged(folder.path(), "csv", &partials);
    assert_eq!(
        ended.out,
        whole(folder.path(), statement, "csv", &files).out
    );
    assert!(ended.err.contains("52 rows of i have several matches in c"));
}

#[test]
fn partials_may_be_of_several_files() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let text = fs::read(at("itcont.txt")).unwrap();
    let rows: Vec<_> = text.split_inclusive(|&byte| byte == b'\n').collect();
    fs::write(at("first.txt"), rows[..30].concat()).unwrap();
    fs::write(at("last.txt"), rows[30..50].concat()).unwrap();
    let members = [
        Member::deflated("itcont.txt", &rows[50..60].concat()),
        Member::deflated("itcont2.txt", &rows[60..].concat()),
    ];
    fs::write(at("indiv.zip"), zip(&members)).unwrap();
    let files = ["first.txt", "last.txt", "indiv.zip"];
    for statement in STATEMENTS {
        let expected = whole(folder.path(), statement, "csv", &files);
        write(folder.path(), statement, "a", None, &files[..1]);
        write(folder.path(), statement, "b", Some(":2000"), &files[1..2]);
        write(folder.path(), statement, "c", Some("2000:"), &files[1..2]);
        write(folder.path(), statement, "d", None, &files[2..]);
        write(folder.path(), statement, "e", None, &files[..2]);
        for partials in [
            &["a", "b", "c", "d"][..],
            &["a", "c", "b", "d"],
            &["e", "d"],
        ] {
            let partials: Vec<_> = partials.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(
                merged(folder.path(), "csv", &partials),
                expected,
                "{statement}"
            );
        }
    }
}

#[test]
fn slices_of_an_archive_merge() {
    let folder = folder();
    let text = fs::read("fixtures/generated.txt").unwrap();
    let rows: Vec<_> = text.split_inclusive(|&byte| byte == b'\n').collect();
    fs::write(folder.path().join("a.zip"), sliced(&rows, &[20, 55])).unwrap();
    for statement in [STATEMENTS[3], STATEMENTS[5]] {
        let run = |more: &[&str]| {
            let words = ["sql", statement, "--slices", "a.zip"];
            let ended = run_in(folder.path(), words.iter().chain(more));
            assert_eq!(ended.status, 0, "{ended:?}");
            ended.out
        };
        let expected = run(&["-f", "csv"]);
        run(&["--partial", "a", "--range", "9000:"]);
        run(&["--partial", "b", "--range", ":9000"]);
        let partials = ["a", "b"].map(str::to_owned);
        assert_eq!(merged(folder.path(), "csv", &partials).out, expected);
    }
}

/// Threads and tasks decide nothing, not even which of equal rows is the first.
#[test]
fn a_partial_depends_on_the_rows_alone() {
    let folder = folder();
    for statement in STATEMENTS {
        let made = [("1", "300"), ("4", "1000"), ("2", "9000000")].map(|(threads, bytes)| {
            let words = ["sql", statement, "--partial", "p", "itcont.txt"];
            let how = ["-j", threads, "--task-size", bytes];
            let ended = run_in(folder.path(), words.iter().chain(&how));
            assert_eq!(ended.status, 0, "{ended:?}");
            let partial = fs::read(folder.path().join("p")).unwrap();
            // The header has the blocks of the file, which depend on tasks.
            forged::state_of(&partial)
        });
        assert!(
            made[1..].iter().all(|other| *other == made[0]),
            "{statement}"
        );
    }
}

#[test]
fn what_no_partial_can_hold_is_refused() {
    for (statement, words) in [
        (
            "SELECT STATE FROM indiv",
            &["the statement selects rows of indiv, and a partial holds groups; add GROUP BY"][..],
        ),
        (
            "SELECT count(*) FROM indiv WHERE amount > (SELECT avg(amount) FROM indiv)",
            &["the statement reads indiv more than once, and a partial is of one pass"],
        ),
        (
            "SELECT STATE, count(*) FROM (SELECT * FROM indiv LIMIT 5) GROUP BY 1",
            &["the statement selects rows of indiv, and a partial holds groups"],
        ),
    ] {
        assert_refused(
            &format!("$F sql \"{statement}\" --partial p $G; s=$?; test ! -e p && exit $s"),
            words,
        );
    }
    let halves = "S='SELECT STATE, count(*) FROM indiv GROUP BY 1'; $F sql \"$S\" --range :9000 --partial a $G";
    assert_refused(
        &format!(
            "{halves} && $F sql \"$S HAVING true\" --range 9000: --partial b $G; $F merge a b"
        ),
        &[
            "b: is of another question than a: its statement is \"SELECT STATE, count(*) FROM indiv GROUP BY 1 HAVING true\", not",
        ],
    );
    // Ways of writing are no other question.
    let other = "select  STATE,count( * ) from indiv group by 1 -- as above";
    assert_refused(
        &format!("{halves} && $F sql \"{other}\" --range 9500: --partial b $G; $F merge a b"),
        &["no partial covers bytes 9000 to 9500"],
    );
    assert_refused(
        "$F sql 'SELECT 1 // (length(STATE) - 2), count(*) FROM indiv GROUP BY cast(NAME AS int)' --partial p $G",
        &["fecscan: "],
    );
    assert_refused(
        "$F sql \"SELECT cast(NAME AS int), count(*) FROM indiv GROUP BY 1\" --partial p $G; s=$?; test ! -e p && exit $s",
        &["is no"],
    );
    assert_refused(
        "$F generate --schema cm --rows 9 -o cm.txt; S='SELECT count(*) FROM indiv JOIN cm USING (CMTE_ID)'; \
         $F sql \"$S\" --partial p $G cm.txt; echo x >> cm.txt; $F merge p",
        &["cm.txt: is not the file that was joined"],
    );
}

/// Merges partials with the program.
fn merge_bytes(folder: &Path, partials: &[Vec<u8>]) -> Ended {
    let names = (0..).zip(partials).map(|(nth, partial)| {
        let name = format!("{nth}.part");
        fs::write(folder.join(&name), partial).unwrap();
        name
    });
    let names: Vec<_> = names.collect();
    merged(folder, "csv", &names)
}

#[test]
fn forged_statements_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let asked = forged::every_question(folder.path());
    let asked: Vec<_> = asked
        .iter()
        .filter(|asked| asked.name.starts_with("sql"))
        .collect();
    assert_eq!(asked.len(), 2);
    for asked in asked {
        let right = merge_bytes(folder.path(), &asked.partials[..1]);
        assert_eq!(right.status, 0, "{right:?}");
        let deep = format!("SELECT {}1{}", "(".repeat(90), ")".repeat(90));
        let statement = |text: &str| ("statement", json!(text));
        for (key, value) in [
            statement(""),
            statement("DROP TABLE indiv"),
            statement("SELECT count(*) FROM indiv WHERE"),
            statement("SELECT count(*) FROM 'itcont.txt' a, 'cm.txt' b, 'other.csv' c"),
            statement("SELECT nothing, count(*) FROM indiv GROUP BY 1"),
            statement("SELECT STATE FROM indiv"),
            statement(&deep),
            statement(&"x".repeat(300_000)),
            ("table", json!(9)),
            ("table", json!(u64::MAX)),
            ("schemas", json!([])),
            ("joined", json!([5])),
            ("joined", json!([u64::MAX, u64::MAX])),
        ] {
            let forged = forged::edited(&asked.partials[0], |header: &mut Value| {
                header["question"]["command"]["sql"][key] = value.clone();
            });
            let ended = merge_bytes(folder.path(), &[forged]);
            assert_eq!(
                (ended.status, &*ended.out),
                (2, ""),
                "{key} {value}: {ended:?}"
            );
        }
    }
}

/// States that were changed on purpose, with a hash that fits them.
#[test]
fn numbers_that_lie_are_refused_without_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let mut state = 1_u64;
    let mut random = move |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    for asked in forged::every_question(folder.path()) {
        if !asked.name.starts_with("sql") {
            continue;
        }
        let [_, first, second] = &asked.partials;
        assert!(Partial::read(first.clone()).is_ok());
        let content = &first[..first.len() - 16];
        let state_bytes = forged::state_of(first).len();
        let (mut refused, rounds) = (0, 1_500);
        for _ in 0..rounds {
            let mut changed = content.to_vec();
            for _ in 0..1 + random(3) {
                let place = changed.len() - 1 - random(state_bytes);
                match random(4) {
                    0 => changed[place] ^= 1 << random(8),
                    1 => changed[place] = [0, 1, 0x7f, 0x80, 0xff][random(5)],
                    2 => changed[place] = changed[changed.len() - 1 - random(state_bytes)],
                    _ => changed.swap(place, content.len() - 1 - random(state_bytes)),
                }
            }
            let hash = XxHash3_128::oneshot(&changed);
            changed.extend_from_slice(&hash.to_le_bytes());
            let answer = forged::answer(&[changed, second.clone()]);
            refused += u32::from(answer.is_err());
        }
        assert!(refused > 0 && refused < rounds, "{} {refused}", asked.name);
    }
}
