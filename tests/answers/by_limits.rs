//! The limits of groups: amounts of too many digits, too many groups, more than one piece of output.

use std::fs;
use std::io::{self, Write};

use fecscan::fold::by::ByFold;
use fecscan::render::{self, Format, Show};

use crate::answers::by::{asked, assert_groups};
use crate::common::group_twin::{AskedGroups, SortedBy};
use crate::common::run::settings;

/// Rows of one column of indiv before others of one number.
fn rows_of(rows: &[(&str, &str)]) -> Vec<u8> {
    let row = |(state, amount): &(&str, &str)| {
        let before = "C00990001|N|M4|P|201804129112345678|15|IND|ROE, ANN|CITY";
        format!("{before}|{state}|97477|E|O|04122018|{amount}||T|1|||2\n")
    };
    rows.iter().map(row).collect::<String>().into_bytes()
}

/// Amounts of more than fourteen digits are no numbers, as in typed columns.
#[test]
fn sums_are_exact_up_to_the_greatest_amounts() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    let (most, least, beyond) = ("999999999999.99", "-999999999999.99", "1000000000000");
    type Case<'a> = (&'a [(&'a str, &'a str)], Option<usize>);
    let cases: [Case<'_>; 4] = [
        (&[("CA", most), ("CA", "0.01"), ("CA", beyond)], None),
        (
            &[("CA", least), ("CA", least), ("NY", "-1000000000000.00")],
            None,
        ),
        (
            &[("CA", most), ("NY", most), ("CA", least), ("NY", "0")],
            None,
        ),
        (
            &[
                ("CA", most),
                ("NY", most),
                ("TX", "000000000000000000001"),
                ("TX", beyond),
            ],
            Some(1),
        ),
    ];
    for (rows, top) in cases {
        let bytes = rows_of(rows);
        fs::write(&path, &bytes).unwrap();
        for (aggregate, ascending) in [
            ("sum", false),
            ("mean", true),
            ("max", false),
            ("max", true),
        ] {
            let question = AskedGroups {
                top,
                sort: SortedBy::Aggregate(0),
                ascending,
                ..asked(&[("", 10)], &[(aggregate, 15)])
            };
            let settings = settings(&[1, 4], &[1, 200, 1 << 20]);
            let files = [(path.clone(), bytes.clone())];
            assert_groups(&files, &question, &[], &settings);
        }
    }
}

#[test]
fn too_many_groups_are_an_error_for_any_number_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    let states: Vec<_> = (0..500).map(|nth| format!("S{}", nth % 50)).collect();
    let rows: Vec<_> = states.iter().map(|state| (&state[..], "1")).collect();
    fs::write(&path, rows_of(&rows)).unwrap();
    for setting in settings(&[1, 4], &[300, 1 << 20]) {
        let found = |max_groups| {
            let mut question = asked(&[("", 10)], &[]).typed();
            question.max_groups = Some(max_groups);
            let fold = ByFold::new(question);
            let folded = setting
                .fold(&setting.engine(), &fold, &[], &[&path])
                .unwrap();
            fold.grouped(folded).map(|found| found.distinct_groups)
        };
        assert_eq!(found(50).unwrap(), 50, "{setting:?}");
        let error = found(49).unwrap_err().with_advice();
        let expected = "there are more than 49 groups; group by less, ";
        assert!(error.starts_with(expected), "{setting:?}: {error}");
    }
}

/// Records the sizes of pieces.
struct Pieces(Vec<usize>);

impl Write for Pieces {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.0.push(piece.len());
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn many_groups_are_written_in_pieces() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    let states: Vec<_> = (0..20_000)
        .map(|nth| format!("STATE NUMBER {nth}"))
        .collect();
    let rows: Vec<_> = states.iter().map(|state| (&state[..], "1")).collect();
    fs::write(&path, rows_of(&rows)).unwrap();
    let fold = ByFold::new(asked(&[("", 10)], &[("sum", 15)]).typed());
    let setting = settings(&[2], &[1 << 20])[0];
    let folded = setting
        .fold(&setting.engine(), &fold, &[], &[&path])
        .unwrap();
    let groups = [fold.grouped(folded).unwrap()];
    for format in [Format::Text, Format::Csv, Format::Json] {
        let mut pieces = Pieces(Vec::new());
        render::write(&&groups[..], format, &Show::default(), &mut pieces).unwrap();
        let (all, most) = (pieces.0.iter().sum::<usize>(), pieces.0.iter().max());
        assert!(all > 500_000 && *most.unwrap() < 140_000, "{:?}", pieces.0);
    }
}
