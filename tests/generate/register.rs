//! The files of a seed fit each other: every committee and candidate is found.

use std::collections::{HashMap, HashSet};

use fecscan::fec::schema::Schema;

use crate::common::twin;
use crate::generate::{recipe_of, rows};

/// A file as columns.
type Table = Vec<Vec<String>>;

/// The rows of cm, cn and ccl that have every committee and candidate of other files.
const COMMITTEES: u64 = 10_000;
const CANDIDATES: u64 = 4_000;

const SEEDS: [u64; 2] = [1, 42];

fn table(schema: Schema, count: u64, seed: u64) -> Table {
    let mut recipe = recipe_of(schema);
    recipe.seed = seed;
    let bytes = rows(count, recipe);
    let text = |column: &[u8]| String::from_utf8(column.to_vec()).unwrap();
    twin::lines_of(&bytes)
        .into_iter()
        .map(|line| twin::columns(line).into_iter().map(text).collect())
        .collect()
}

/// Returns the rows by their first column.
fn by_key(table: &Table) -> HashMap<&str, &Vec<String>> {
    table.iter().map(|row| (row[0].as_str(), row)).collect()
}

fn place(schema: Schema, column: &str) -> usize {
    schema.column(column).unwrap()
}

#[test]
fn committees_and_candidates_of_every_file_are_found() {
    for seed in SEEDS {
        let committees = table(Schema::Cm, COMMITTEES, seed);
        let candidates = table(Schema::Cn, CANDIDATES, seed);
        let (committees, candidates) = (by_key(&committees), by_key(&candidates));
        assert_eq!(committees.len() as u64, COMMITTEES);
        assert_eq!(candidates.len() as u64, CANDIDATES);
        for (schema, count) in [
            (Schema::Indiv, 100_000),
            (Schema::Oth, 60_000),
            (Schema::Pas2, 60_000),
            (Schema::Oppexp, 60_000),
            (Schema::Cm, COMMITTEES),
            (Schema::Cn, CANDIDATES),
            (Schema::Ccl, CANDIDATES),
        ] {
            let rows = table(schema, count, seed);
            let columns = ["CMTE_ID", "OTHER_ID", "CAND_PCC", "CAND_ID"];
            for name in columns {
                let Ok(place) = schema.column(name) else {
                    continue;
                };
                let found: HashSet<&str> = rows.iter().map(|row| row[place].as_str()).collect();
                assert!(found.len() > 2, "{name} of {schema:?} differs");
                for key in found.into_iter().filter(|key| !key.is_empty()) {
                    let is_known = match name {
                        "CAND_ID" => candidates.contains_key(key),
                        _ => committees.contains_key(key),
                    };
                    assert!(is_known, "{name} {key} of {schema:?} under seed {seed}");
                }
            }
        }
    }
}

#[test]
fn principal_committees_and_links_agree_with_cm_and_cn() {
    let (cm, cn) = (
        table(Schema::Cm, COMMITTEES, 1),
        table(Schema::Cn, CANDIDATES, 1),
    );
    let ccl = table(Schema::Ccl, CANDIDATES, 1);
    let (committees, candidates) = (by_key(&cm), by_key(&cn));
    let cand_id = place(Schema::Cm, "CAND_ID");
    let (kind, designation) = (place(Schema::Cm, "CMTE_TP"), place(Schema::Cm, "CMTE_DSGN"));
    let mut principals = 0;
    for row in &cn {
        let principal = &row[place(Schema::Cn, "CAND_PCC")];
        if let Some(committee) = committees.get(principal.as_str()) {
            assert_eq!(committee[cand_id], row[0]);
            assert_eq!(committee[kind], row[place(Schema::Cn, "CAND_OFFICE")]);
            assert_eq!(committee[designation], "P");
            principals += 1;
        }
    }
    let is_principal = |row: &&Vec<String>| row[designation] == "P";
    assert_eq!(cm.iter().filter(is_principal).count(), principals);

    let mut links = HashSet::new();
    for row in &ccl {
        let [
            candidate,
            year,
            cycle,
            committee,
            link_kind,
            link_designation,
            _,
        ] = &row[..]
        else {
            panic!("{row:?}");
        };
        assert!(
            links.insert((candidate.as_str(), committee.as_str())),
            "{row:?}"
        );
        assert_eq!(*year, candidates[candidate.as_str()][3]);
        assert_eq!(cycle, "2018");
        let committee = committees[committee.as_str()];
        assert_eq!(
            (link_kind, link_designation),
            (&committee[kind], &committee[designation])
        );
        // The second candidate of a joint fund is in ccl alone.
        assert!(
            committee[cand_id] == *candidate || link_designation == "J",
            "{row:?}"
        );
    }
    for row in cm.iter().filter(|row| !row[cand_id].is_empty()) {
        let link = (row[cand_id].as_str(), row[0].as_str());
        assert!(links.contains(&link), "{link:?} is in cm and not in ccl");
    }
}

#[test]
fn receivers_have_the_names_and_places_of_their_committees() {
    let cm = table(Schema::Cm, COMMITTEES, 1);
    let committees = by_key(&cm);
    for schema in [Schema::Oth, Schema::Pas2] {
        let other = place(schema, "OTHER_ID");
        let mut compared = 0;
        for row in table(schema, 50_000, 1) {
            let [kind, entity, name] = ["TRANSACTION_TP", "ENTITY_TP", "NAME"]
                .map(|column| row[place(schema, column)].as_str());
            if let "24E" | "24A" | "24N" | "15J" = kind {
                assert!(matches!(entity, "ORG" | "IND" | ""), "{row:?}");
                continue;
            }
            let committee = committees[row[other].as_str()];
            if !name.is_empty() {
                assert_eq!(name, committee[1]);
                assert_eq!(row[8..11], committee[5..8], "{row:?}");
                compared += 1;
            }
            if schema == Schema::Pas2 {
                let candidate = &row[place(schema, "CAND_ID")];
                assert!(
                    candidate.is_empty() || *candidate == committee[14],
                    "{row:?}"
                );
                assert!(committees[row[0].as_str()][14].is_empty(), "{row:?}");
            }
        }
        assert!(compared > 5000, "{compared} rows of {schema:?}");
    }
}

#[test]
fn the_conduits_of_indiv_have_their_names_in_cm() {
    let cm = table(Schema::Cm, COMMITTEES, 7);
    let committees = by_key(&cm);
    for (committee, name) in [
        ("C00990012", "COMMON PURSE PAC"),
        ("C00995000", "PENNYDRIVE PAC"),
    ] {
        let row = committees[committee];
        assert_eq!((row[1].as_str(), row[14].as_str()), (name, ""));
    }
}

#[test]
fn details_of_expenditures_refer_to_earlier_rows_of_their_filing() {
    let rows = table(Schema::Oppexp, 20_000, 1);
    let [file, own, parent] =
        ["FILE_NUM", "TRAN_ID", "BACK_REF_TRAN_ID"].map(|column| place(Schema::Oppexp, column));
    let mut seen = HashSet::new();
    let mut details = 0;
    for row in &rows {
        if !row[parent].is_empty() {
            assert!(seen.contains(&(&row[file], &row[parent])), "{row:?}");
            details += 1;
        }
        assert!(seen.insert((&row[file], &row[own])), "{row:?}");
    }
    assert!(details > 3000, "{details}");
}
