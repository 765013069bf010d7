//! Joined files against a slow twin.

use std::collections::HashSet;

use fecscan::fec::schema::Schema::{self, Ccl, Cm, Cn};
use fecscan::fold::LineCount;
use fecscan::generate::RowQuality;
use fecscan::sql::{Filter, Repeats};

use crate::common::by::By;
use crate::common::condition::{Condition, Test};
use crate::common::join_questions::{assert_groups, conditions};
use crate::common::joins::{ALL, Files, Joined, Own, column, joined_files, scanned_rows};
use crate::common::run::settings;
use crate::common::twin::lines_of;

/// The candidate of pas2, cm and ccl is their own column. Files of one seed fit each other, so few rows lack a partner.
#[test]
fn every_schema_leads_to_its_partners() {
    let files = joined_files(RowQuality::Clean, 10_000, 4000);
    let by_level = settings(&[2], &[5000]);
    for (schema, rows, joined, typed, keys) in [
        (
            Schema::Pas2,
            3000,
            &[Cn][..],
            "CAND_NAME",
            &[(ALL, Joined(Cn, 2))][..],
        ),
        (
            Schema::Pas2,
            3000,
            &[Cm, Cn],
            "CAND_ID,cm.CAND_ID,cn.CAND_ID",
            &[(ALL, Own(17)), (ALL, Joined(Cm, 15)), (ALL, Joined(Cn, 1))],
        ),
        (Schema::Oth, 3000, &[Cm], "CMTE_NM", &[(ALL, Joined(Cm, 2))]),
        (
            Schema::Oppexp,
            3000,
            &[Cm, Cn],
            "CAND_NAME,CATEGORY",
            &[(ALL, Joined(Cn, 2)), (ALL, Own(17))],
        ),
        (Schema::Cm, 500, &[Cn], "CAND_NAME", &[(ALL, Joined(Cn, 2))]),
        (
            Schema::Ccl,
            500,
            &[Cm, Cn],
            "CMTE_NM,CAND_NAME",
            &[(ALL, Joined(Cm, 2)), (ALL, Joined(Cn, 2))],
        ),
    ] {
        let bytes = scanned_rows(schema, rows, RowQuality::Clean);
        let joined = files.joined.iter().filter(|(of, _)| joined.contains(of));
        let files = Files::new(joined.cloned().collect());
        let path = files.write(schema, &bytes);
        let expected = files.twin().groups(schema, &bytes, keys);
        assert!(expected.len() > 1);
        for setting in &by_level {
            let by = By {
                schema,
                given: files.given(setting),
                ..By::new(typed, "")
            };
            let grouped = by.grouped(setting, &[&path]).unwrap();
            let what = format!("{}: {typed}: {setting:?}", schema.name());
            assert_groups(&what, &grouped, &expected);
        }
    }
}

/// Where both are joined, the first of cm and ccl tells the candidate, as it tells what CAND_ID means.
#[test]
fn candidates_are_found_through_the_first_file_that_has_them() {
    let whole = joined_files(RowQuality::Clean, 10_000, 4000);
    let bytes = scanned_rows(Schema::Indiv, 3000, RowQuality::Clean);
    let mut found = Vec::new();
    for (schemas, first, number) in [
        (&[Cm, Cn][..], Cm, 15),
        (&[Ccl, Cn], Ccl, 1),
        (&[Ccl, Cm, Cn], Ccl, 1),
        (&[Cm, Ccl, Cn], Cm, 15),
    ] {
        let keys: &[_] = &[(ALL, Joined(first, number)), (ALL, Joined(Cn, 2))];
        let rows = |schema: &Schema| {
            let known = whole.joined.iter().find(|(known, _)| known == schema);
            let (schema, mut rows) = known.unwrap().clone();
            if schema == Ccl {
                // One link for each committee.
                let mut committees = HashSet::new();
                let mut lines = lines_of(&rows);
                lines.retain(|line| committees.insert(column(line, 4)));
                rows = lines.join(&b'\n');
            }
            (schema, rows)
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
        let by = By {
            given: files.given(&setting),
            ..By::new(&format!("{}.CAND_ID, CAND_NAME", first.name()), "")
        };
        let grouped = by.grouped(&setting, &[&path]).unwrap();
        let twin = files.twin();
        let expected = twin.groups(Schema::Indiv, &bytes, keys);
        assert_groups(&format!("{schemas:?}"), &grouped, &expected);
        found.push(twin.without(Schema::Indiv, &bytes, Cn));
    }
    assert!(found[0] > found[1], "{found:?}");
    assert_eq!(found[2..], [found[1], found[0]]);
}

#[test]
fn conditions_on_joined_columns_choose_the_lines_of_the_twin() {
    for quality in [RowQuality::Clean, RowQuality::Hostile] {
        let files = joined_files(quality, 2000, 1000);
        let twin = files.twin();
        let bytes = scanned_rows(Schema::Indiv, 2000, quality);
        let path = files.write(Schema::Indiv, &bytes);
        let settings = settings(&[1, 3], &[64, 4000]);
        let given = files.given(settings.last().unwrap());
        let all = twin.all(Schema::Indiv, &bytes);
        let mut some = 0;
        // Building the tables of a join takes longest, so the conditions take the settings in turn.
        let mut turns = settings.iter().cycle();
        for condition in conditions() {
            let schema = condition.schema;
            let typed = condition.typed();
            // With a condition on the rows themselves, before or after it.
            let own = Condition::new(10, Test::NotIn(vec!["CA".to_owned()]));
            let truths: Vec<_> = all
                .iter()
                .map(|row| (condition.truth(row.partner(schema)), own.holds(row.line)))
                .collect();
            let passes = |form: &str, (truth, of_row): (Option<bool>, bool)| match form {
                "and" => truth == Some(true) && of_row,
                "or" => truth == Some(true) || of_row,
                "not or" => truth == Some(false) && !of_row,
                _ => truth == Some(true),
            };
            for form in ["alone", "and", "or", "not or"] {
                let typed = match form {
                    "and" => vec![typed.clone(), own.typed()],
                    "or" => vec![format!("{typed} OR {}", own.typed())],
                    "not or" => vec![format!("NOT ({typed} OR {})", own.typed())],
                    _ => vec![typed.clone()],
                };
                let lines = lines_of(&bytes).len() as u64;
                let expected = truths.iter().filter(|of| passes(form, **of)).count() as u64;
                some += u64::from((1..lines).contains(&expected));
                for setting in turns.by_ref().take(1) {
                    let filter = Filter::new(&typed).unwrap().with_tables(given.clone());
                    let filter = filter
                        .joined(Schema::Indiv, "-", Repeats::EachMatch)
                        .unwrap();
                    let engine = setting.engine().with_filter(filter);
                    let counted = setting.fold(&engine, &LineCount, &[], &[&path]).unwrap();
                    let found = (counted.lines, counted.lines_scanned);
                    let expected = (expected, Some(lines));
                    assert_eq!(found, expected, "{typed:?}: {setting:?}");
                }
            }
        }
        assert!(some >= 60, "only {some} conditions choose some lines");
    }
}
