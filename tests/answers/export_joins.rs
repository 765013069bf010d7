//! Columns of joined files in an export, against the slow twin of joins.

use std::collections::BTreeMap;
use std::fs;

use fecscan::export::{ExportQuestion, RowFold};
use fecscan::fec::schema::Schema::{self, Ccl, Cm, Cn};
use fecscan::generate::RowQuality;
use fecscan::render::Format;
use fecscan::sql::RowSelect;

use crate::common::joins::{
    ALL, Files, Joined, JoinedRow, Keys, Made, Own, ZIP5, joined_files, scanned_rows,
};
use crate::common::run::settings;

const COLUMNS: [(Schema, Keys); 5] = [
    (
        Schema::Indiv,
        (
            "CMTE_NM,NAME,cn.party,zip5(cmte_zip),CMTE_ID",
            &[
                (ALL, Joined(Cm, 2)),
                (ALL, Own(8)),
                (ALL, Joined(Cn, 3)),
                (ZIP5, Joined(Cm, 8)),
                (ALL, Own(1)),
            ],
        ),
    ),
    (
        Schema::Indiv,
        (
            "ccl.cmte_tp,cm.CAND_ID,first_name(CAND_NAME),zip5(ZIP_CODE)",
            &[
                (ALL, Joined(Ccl, 5)),
                (ALL, Joined(Cm, 15)),
                (Made::Match("(?-u), \\s*([^, ]+)"), Joined(Cn, 2)),
                (ZIP5, Own(11)),
            ],
        ),
    ),
    (
        Schema::Pas2,
        (
            "CAND_NAME,CAND_ID,CMTE_NM",
            &[(ALL, Joined(Cn, 2)), (ALL, Own(17)), (ALL, Joined(Cm, 2))],
        ),
    ),
    (
        Schema::Ccl,
        (
            "CMTE_NM,CAND_NAME",
            &[(ALL, Joined(Cm, 2)), (ALL, Joined(Cn, 2))],
        ),
    ),
    (
        Schema::Oppexp,
        ("CAND_NAME,#24", &[(ALL, Joined(Cn, 2)), (ALL, Own(24))]),
    ),
];

#[test]
fn joined_columns_are_those_of_the_twin() {
    for quality in [RowQuality::Clean, RowQuality::Hostile] {
        let whole = joined_files(quality, 2000, 1000);
        for (schema, (typed, places)) in COLUMNS {
            // A table has another name than the rows.
            let others = whole.joined.iter().filter(|(of, _)| *of != schema);
            let files = Files::new(others.cloned().collect());
            let twin = files.twin();
            let bytes = scanned_rows(schema, 1500, quality);
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(schema.file_name());
            fs::write(&path, &bytes).unwrap();
            let all = twin.all(schema, &bytes);
            let of_row = |row: &JoinedRow<'_>| {
                let values = places.iter();
                values
                    .map(|(made, place)| made.of(row.value(*place)))
                    .collect()
            };
            let expected: Vec<Vec<Vec<u8>>> = all.iter().map(of_row).collect();
            let mut missing = BTreeMap::new();
            for (_, place) in places {
                if let Joined(joined, _) = *place {
                    missing.insert(joined.name(), twin.without(schema, &bytes, joined));
                }
            }
            missing.retain(|_, count| *count > 0);
            for setting in settings(&[1, 3], &[700, 2 << 20]) {
                let what = format!("{}: {typed}: {setting:?}", schema.name());
                let mut question = ExportQuestion::default();
                question.add_columns(typed).unwrap();
                let mut out = Vec::new();
                let given = files.given(&setting);
                let joined = RowSelect::joined(&question.columns, &[], schema, "-", &given);
                let (select, filter) = joined.unwrap();
                let fold = RowFold::new(question, Format::Csv, &mut out).selecting(Some(select));
                let engine = setting.engine().with_filter(filter);
                let folded = engine.scan(&fold, [&path]).unwrap();
                let exported = fold.finish(folded.partial, engine.workers()).unwrap();
                let mut reader = csv::Reader::from_reader(&out[..]);
                let rows = reader.byte_records().map(Result::unwrap);
                let rows = rows.map(|row| row.iter().map(<[u8]>::to_vec).collect());
                let rows: Vec<Vec<_>> = rows.collect();
                assert!(rows == expected, "{what}");
                for (table, count) in &missing {
                    let mut matches = exported.matches.iter();
                    let found = matches.find(|of| of.names[1] == *table);
                    let found = found.map(|of| of.lacking);
                    assert_eq!(found, Some(*count), "{what}: {table}");
                }
            }
        }
    }
}

/// `--head` counts joined rows.
#[test]
fn a_head_takes_joined_rows() {
    let files = joined_files(RowQuality::Hostile, 10, 10);
    let twin = files.twin();
    let bytes = scanned_rows(Schema::Indiv, 300, RowQuality::Hostile);
    let path = files.write(Schema::Indiv, &bytes);
    for head in [1, 50, 299] {
        let all = twin.all(Schema::Indiv, &bytes);
        let expected = all[..head]
            .iter()
            .map(|row| row.value(Joined(Cm, 2)).to_vec());
        let expected: Vec<_> = expected.collect();
        for setting in settings(&[1, 4], &[64, 5000]) {
            let mut question = ExportQuestion::default();
            question.add_columns("CMTE_NM").unwrap();
            question.head = Some(head as u64);
            let given = files.given(&setting);
            let columns = &question.columns;
            let joined = RowSelect::joined(columns, &[], Schema::Indiv, "-", &given);
            let (select, filter) = joined.unwrap();
            let mut out = Vec::new();
            let fold = RowFold::new(question, Format::Csv, &mut out).selecting(Some(select));
            let engine = setting.engine().with_filter(filter);
            let folded = setting.fold(&engine, &fold, &[], &[&path]).unwrap();
            let exported = fold.finish(folded.partial, engine.workers()).unwrap();
            assert_eq!(exported.rows, head as u64, "{setting:?}");
            let mut reader = csv::Reader::from_reader(&out[..]);
            let rows = reader.byte_records().map(|row| row.unwrap()[0].to_vec());
            assert_eq!(rows.collect::<Vec<_>>(), expected, "{setting:?}");
        }
    }
}
