//! Conditions on columns of every kind, in every question.
//!
//! The slow twin chooses lines by the conditions. A question with conditions must have the answer that its own twin gives
//! about these lines, at every level, with every way to read. Groups have no twin: theirs are compared with those of a file of the lines.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fecscan::fec::schema::Schema;
use fecscan::fold::LineCount;
use fecscan::sql::{Filter, GivenTables, Repeats};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use super::{by, diff, export};
use crate::common::archives::{Member, zip};
use crate::common::by::{By, all_of};
use crate::common::condition::{CYCLE, Condition};
use crate::common::export_twin::{self, AskedRows, Format};
use crate::common::joins::{Files, Twin};
use crate::common::run::{Setting, Way, settings};
use crate::common::tables::{condition_of_any_kind, table};
use crate::common::twin::{self, Asked, columns, lines_of};

/// Names of inputs, the member of an archive, and the cycle.
const INPUTS: [(&str, &str, &str); 3] = [
    ("indiv18.zip", "itcont.txt", "2018"),
    ("itcont_2020.txt", "", "2020"),
    ("plain.txt", "", ""),
];

/// Committees whose identifiers are values of the tables.
const COMMITTEES: &[u8] = b"CA|PIE PAC|||||||||DEM||||\n\
    0|CAKE PAC|||||||||REP||||\n\
    0012|PIE, ANN|||||||||||||\n\
    12.5||||||||||DEM||||\n";

/// An input, and the lines that the twin chooses.
struct Input {
    path: PathBuf,
    is_archive: bool,
    lines: u64,
    chosen: Vec<u8>,
}

/// All questions, each in the words of its twin.
#[derive(Clone, Debug)]
struct Questions {
    report: Asked,
    groups: By,
    rows: AskedRows,
}

fn questions() -> impl Strategy<Value = Questions> {
    let report = (any::<bool>(), 0..5_usize).prop_map(|(transaction_date, top)| Asked {
        names: (0..60).step_by(3).collect(),
        top,
        transaction_date,
    });
    let all = (report, by::question(), export::question());
    all.prop_map(|(report, groups, rows)| Questions {
        report,
        groups,
        rows,
    })
}

/// Writes an input, and chooses its lines.
fn input(
    folder: &Path,
    nth: usize,
    bytes: &[u8],
    conditions: &[Condition],
    committees: &Twin,
) -> Input {
    let (name, member, cycle) = INPUTS[nth];
    let path = folder.join(name);
    let is_archive = !member.is_empty();
    if is_archive {
        fs::write(&path, zip(&[Member::deflated(member, bytes)])).unwrap();
    } else {
        fs::write(&path, bytes).unwrap();
    }
    let file = path.to_str().unwrap().as_bytes();
    let passes = |line: &&[u8]| {
        let mut values = columns(line);
        values.resize(21, b"");
        values.extend([file, member.as_bytes(), cycle.as_bytes()]);
        let joined = committees.joined(Schema::Indiv, line, &mut BTreeMap::new());
        // No two committees have one key.
        let partner = joined[0].partner(Schema::Cm).map(columns);
        let column = |number: usize| match number.checked_sub(CYCLE + 1) {
            None => Some(values[number - 1]),
            // A row without a partner has NULL.
            Some(nth) => {
                let partner = partner.as_ref()?;
                Some(partner.get([1, 10][nth]).copied().unwrap_or_default())
            }
        };
        let mut conditions = conditions.iter();
        conditions.all(|condition| condition.truth(&column) == Some(true))
    };
    let lines = lines_of(bytes);
    let chosen = lines.iter().filter(|line| passes(line));
    // A line may end with a carriage return of its own.
    let chosen = chosen
        .flat_map(|line| [line, &b"\r\n"[..]].concat())
        .collect();
    Input {
        lines: lines.len() as u64,
        path,
        is_archive,
        chosen,
    }
}

/// Asserts the answers about `inputs` with conditions, which may name columns of committees.
fn assert_answers(
    setting: &Setting,
    typed: &[String],
    given: &GivenTables,
    asked: &Questions,
    inputs: &[&Input],
) {
    let filter = Filter::new(typed).unwrap().with_tables(given.clone());
    let filter = filter
        .joined(Schema::Indiv, "-", Repeats::EachMatch)
        .unwrap();
    let engine = &setting.engine().with_filter(filter);
    let paths: Vec<_> = inputs.iter().map(|input| input.path.as_path()).collect();
    let texts: Vec<_> = inputs.iter().map(|input| &input.chosen[..]).collect();
    let scanned: u64 = inputs.iter().map(|input| input.lines).sum();
    let lines = |text: &&[u8]| lines_of(text).len() as u64;

    let named: Vec<_> = texts.iter().map(|text| ("", *text)).collect();
    let mut expected = twin::report(&named, &asked.report);
    expected["lines_scanned"] = scanned.into();
    expected["files"] = texts.iter().map(lines).collect();
    let mut found = setting.json(engine, &asked.report, &paths);
    let files = found["files"].as_array().unwrap();
    found["files"] = files.iter().map(|file| file["lines"].clone()).collect();
    assert_eq!(found, expected, "report: {setting:?}");

    let counted = setting.fold(engine, &LineCount, &[], &paths).unwrap();
    assert_eq!(
        json!([counted.lines, counted.lines_scanned]),
        json!([texts.iter().map(lines).sum::<u64>(), scanned]),
        "count: {setting:?}"
    );

    let chosen = tempfile::tempdir().unwrap();
    let files = texts.iter().enumerate().map(|(nth, text)| {
        let path = chosen.path().join(nth.to_string());
        fs::write(&path, text).unwrap();
        path
    });
    let files: Vec<_> = files.collect();
    let files: Vec<_> = files.iter().map(PathBuf::as_path).collect();
    let by = |conditions: &[String]| By {
        given: given.clone(),
        ..asked.groups.clone().filtered(conditions)
    };
    let mut expected = all_of(&by(&[]).grouped(setting, &files).unwrap());
    let found = by(typed).grouped(setting, &paths).unwrap();
    // Conditions on partners that choose all rows leave none out.
    let lines_scanned = found.lines_scanned.unwrap_or(found.lines);
    assert_eq!(lines_scanned, scanned, "by: {setting:?}");
    let mut found = all_of(&found);
    // The last line tells the lines of the files, of which there are fewer without conditions, and those before it the groups.
    expected.pop();
    found.pop();
    assert_eq!(found, expected, "by: {setting:?}");

    let (out, exported) = export::export(setting, engine, &asked.rows, Format::Csv, 500, &paths);
    let (rows, _) = export_twin::rows(&texts, &asked.rows, &[]);
    let names = export::names_of(&asked.rows);
    let found = Format::Csv.read(&out, &names);
    assert_eq!(found, Format::Csv.holds(&rows), "export: {setting:?}");
    assert_eq!(exported.rows, rows.0.len() as u64, "export: {setting:?}");

    let (old, new) = (&paths[..1], &paths[paths.len() / 2..]);
    let (counts, _) = diff::run_on(engine, setting, [old, new], "SUB_ID");
    let (old, new) = (&texts[..1], &texts[texts.len() / 2..]);
    let (expected, _) = diff::twin([old, new], &[21]);
    assert_eq!(counts, expected, "diff: {setting:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_question_is_about_the_lines_that_any_conditions_choose(
        tables in vec(table(), 1..=INPUTS.len()),
        asked in questions(),
        conditions in vec(condition_of_any_kind(), 1..4),
        task_bytes in prop_oneof![1..300_u64, Just(1 << 20)],
        threads in 1..4_usize,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().to_str().unwrap();
        let with_path = |value: &str| value.replace("FOLDER", name);
        let conditions: Vec<_> = conditions
            .into_iter()
            .map(|condition| condition.map_texts(&with_path))
            .collect();
        let typed: Vec<_> = conditions.iter().map(Condition::typed).collect();
        let joined = Files::new(vec![(Schema::Cm, COMMITTEES.to_vec())]);
        let committees = joined.twin();
        let inputs: Vec<_> = tables
            .iter()
            .enumerate()
            .map(|(nth, bytes)| input(folder.path(), nth, bytes, &conditions, &committees))
            .collect();
        let settings = settings(&[threads], &[task_bytes]);
        let given = joined.given(&settings[0]);
        for setting in settings {
            // An archive can't be read from a pipe.
            let is_readable = |input: &&Input| setting.way != Way::Stream || !input.is_archive;
            let inputs: Vec<_> = inputs.iter().filter(is_readable).collect();
            if inputs.is_empty() {
                continue;
            }
            assert_answers(&setting, &typed, &given, &asked, &inputs);
        }
    }
}
