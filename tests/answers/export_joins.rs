//! Columns of joined files in an export, against the slow twin of joins.

use std::{fs, io};

use fecscan::export::{ExportQuestion, RowFold};
use fecscan::fec::schema::Schema::{self, Ccl, Cm, Cn};
use fecscan::generate::RowQuality;
use fecscan::render::Format;

use crate::common::joins::{ALL, Joined, Keys, Made, Own, Place, ZIP5, joined_files, scanned_rows};
use crate::common::run::settings;
use crate::common::twin::lines_of;

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
        ("CAND_NAME,#26", &[(ALL, Joined(Cn, 2)), (ALL, Own(26))]),
    ),
];

#[test]
fn joined_columns_are_those_of_the_twin() {
    for quality in [RowQuality::Clean, RowQuality::Hostile] {
        let files = joined_files(quality, 2000, 1000);
        let twin = files.twin();
        for (schema, (typed, places)) in COLUMNS {
            let bytes = scanned_rows(schema, 1500, quality);
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(schema.file_name());
            fs::write(&path, &bytes).unwrap();
            let value =
                |line, (made, place): &(Made, Place)| made.of(twin.value(schema, line, *place));
            let lines = lines_of(&bytes);
            let expected = lines
                .iter()
                .map(|line| places.iter().map(|p| value(line, p)));
            let expected: Vec<Vec<_>> = expected.map(Iterator::collect).collect();
            let mut missing: Vec<(Schema, u64)> = Vec::new();
            for (_, place) in places {
                if let Joined(joined, _) = *place
                    && !missing.iter().any(|(known, _)| *known == joined)
                {
                    missing.push((joined, twin.without(schema, &bytes, joined)));
                }
            }
            missing.retain(|(_, count)| *count > 0);
            let mut missing: Vec<_> = missing.iter().map(|(_, count)| *count).collect();
            missing.sort_unstable();
            for setting in settings(&[1, 3], &[700, 2 << 20]) {
                let what = format!("{}: {typed}: {setting:?}", schema.name());
                let mut question = ExportQuestion::default();
                question.add_columns(typed).unwrap();
                let mut out = Vec::new();
                let fold = RowFold::new(question, Format::Csv, &mut out);
                let fold = fold.with_partners(files.partners(&setting));
                let engine = setting.engine();
                let folded = engine.scan(&fold, [&path]).unwrap();
                let exported = fold.finish(folded.partial, engine.workers()).unwrap();
                let mut reader = csv::Reader::from_reader(&out[..]);
                let rows = reader.byte_records().map(Result::unwrap);
                let rows = rows.map(|row| row.iter().map(<[u8]>::to_vec).collect());
                let rows: Vec<Vec<_>> = rows.collect();
                assert!(rows == expected, "{what}");
                let without = exported.without_partner.iter().map(|w| w.count);
                let mut without: Vec<_> = without.collect();
                without.sort_unstable();
                assert_eq!(without, missing, "{what}");
            }
        }
    }
}

/// With a head, only the rows of the result are counted.
#[test]
fn rows_without_a_partner_are_counted_as_far_as_they_are_exported() {
    let files = joined_files(RowQuality::Hostile, 10, 10);
    let twin = files.twin();
    let bytes = scanned_rows(Schema::Indiv, 300, RowQuality::Hostile);
    let path = files.write(Schema::Indiv, &bytes);
    for head in [1, 50, 299] {
        let first = lines_of(&bytes)[..head].join(&b'\n');
        let expected = twin.without(Schema::Indiv, &first, Cm);
        for setting in settings(&[1, 4], &[64, 5000]) {
            let mut question = ExportQuestion::default();
            question.add_columns("CMTE_NM").unwrap();
            question.head = Some(head as u64);
            let fold = RowFold::new(question, Format::Csv, io::sink());
            let fold = fold.with_partners(files.partners(&setting));
            let engine = setting.engine();
            let folded = setting.fold(&engine, &fold, &[], &[&path]).unwrap();
            let exported = fold.finish(folded.partial, engine.workers()).unwrap();
            let found: u64 = exported.without_partner.iter().map(|w| w.count).sum();
            assert_eq!(
                (exported.rows, found),
                (head as u64, expected),
                "{setting:?}"
            );
        }
    }
}
