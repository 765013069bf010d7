//! Joined files against a slow twin.

use std::collections::HashSet;

use fecscan::fec::schema::Schema::{self, Ccl, Cm, Cn};
use fecscan::fold::LineCount;
use fecscan::generate::RowQuality;
use fecscan::join::PartnerPolicy;
use fecscan::sql::Filter;

use crate::common::by::By;
use crate::common::condition::{Condition, Test};
use crate::common::join_questions::{assert_groups, conditions, tested_without};
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
                partners: files.partners_by(PartnerPolicy::Each, setting),
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
            partners: files.partners_by(PartnerPolicy::Each, &setting),
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
        let files = joined_files(quality, 10_000, 4000);
        let twin = files.twin();
        let bytes = scanned_rows(Schema::Indiv, 3000, quality);
        let path = files.write(Schema::Indiv, &bytes);
        let settings = settings(&[1, 3], &[64, 4000]);
        let partners = files.partners(&settings[0]);
        let mut some = 0;
        for condition in conditions() {
            let schema = condition.schema;
            let typed = condition.typed();
            // With a condition on the rows themselves, before or after it.
            let own = Condition::new(10, Test::NotIn(vec!["CA".to_owned()]));
            let passes = |line: &&[u8], form: &str| {
                let row = twin.partner(Schema::Indiv, line, schema);
                let truth = condition.truth(row);
                match form {
                    "and" => truth == Some(true) && own.holds(line),
                    "or" => truth == Some(true) || own.holds(line),
                    "not or" => truth == Some(false) && !own.holds(line),
                    _ => truth == Some(true),
                }
            };
            for form in ["alone", "and", "or", "not or"] {
                let all = match form {
                    "and" => vec![typed.clone(), own.typed()],
                    "or" => vec![format!("{typed} OR {}", own.typed())],
                    "not or" => vec![format!("NOT ({typed} OR {})", own.typed())],
                    _ => vec![typed.clone()],
                };
                let lines = lines_of(&bytes);
                let expected = lines.iter().filter(|line| passes(line, form)).count() as u64;
                // Lines that fail the condition on their own column are not counted.
                let lacks = |line: &&&[u8]| {
                    let partner = twin.partner(Schema::Indiv, line, schema);
                    partner.is_none() && (form != "and" || own.holds(line))
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
        assert!(some >= 100, "only {some} conditions choose some lines");
    }
}
