//! Inputs of several schemas, which the library groups together. The program refuses them.

use std::fs;
use std::path::PathBuf;

use fecscan::Error;
use fecscan::engine::Engine;
use fecscan::fold::by::{AggregateKind, ByFold, GroupQuestion, RowKindPolicy};
use fecscan::input::OpenOptions;
use fecscan::join::{Join, PartnerPolicy, Partners};
use fecscan::render::{Format, to_vec};
use tempfile::TempDir;

use crate::common::archives::gzip;

/// Rows of indiv, pas2 and oppexp.
struct Files {
    folder: TempDir,
}

impl Files {
    fn new() -> Files {
        let folder = tempfile::tempdir().unwrap();
        let plain = fs::read_to_string("fixtures/plain.txt").unwrap();
        let pas2 = plain.lines().map(|line| {
            let mut columns: Vec<_> = line.split('|').collect();
            columns.insert(16, "H0AL01048");
            columns[18] = "PAS2";
            columns.join("|") + "\n"
        });
        let pas2 = gzip(pas2.collect::<String>().as_bytes());
        let oppexp = "C00990001|N|2018|Q1|I|17|F3|SB|SHOP|CITY|OR|974770001|03/31/2018|12.50|P||||||ORG|1|2|T||\n";
        for (name, bytes) in [
            ("itcont.txt", plain.as_bytes()),
            ("itpas2.txt", &pas2[..]),
            ("oppexp.txt", oppexp.as_bytes()),
            ("cm.txt", b"C00990001|PIE PAC|||||||||||||\n"),
            ("cn.txt", b"H0AL01048|PIE, ANN|||||||||||||\n"),
        ] {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        Files { folder }
    }

    fn paths(&self, names: &[&str]) -> Vec<PathBuf> {
        let paths = names.iter().map(|name| self.folder.path().join(name));
        paths.collect()
    }

    /// Groups these files, and returns the groups as CSV.
    fn by(&self, fold: &ByFold, names: &[&str]) -> Result<String, Error> {
        let folded = Engine::default().scan(fold, self.paths(names))?;
        let csv = to_vec(&&[fold.grouped(folded)?][..], Format::Csv).unwrap();
        Ok(String::from_utf8(csv).unwrap())
    }
}

/// FILE_NUM and STATE have other places in other schemas. The first input names the columns.
#[test]
fn each_input_is_read_by_its_own_schema() {
    let files = Files::new();
    let mut question = GroupQuestion::new("FILE_NUM,month(date)").unwrap();
    question
        .add_aggregate(AggregateKind::Sum, "amount")
        .unwrap();
    question.sort_by("count").unwrap();
    let found = files.by(
        &ByFold::new(question),
        &["itcont.txt", "itpas2.txt", "oppexp.txt"],
    );
    // FILE_NUM of oppexp is column 23.
    let expected = "\
FILE_NUM,month(TRANSACTION_DT),count,sum(TRANSACTION_AMT)
1230001,2018-05,3,50.00
PAS2,2018-05,3,50.00
1230001,2018-03,2,300.00
1230001,2018-04,2,100.00
PAS2,2018-03,2,300.00
PAS2,2018-04,2,100.00
1230001,,1,0.00
2,2018-03,1,12.50
PAS2,,1,0.00
";
    assert_eq!(found.unwrap(), expected);

    let fold = ByFold::new(GroupQuestion::new("state,CAND_ID").unwrap());
    let found = files.by(&fold, &["itpas2.txt"]).unwrap();
    assert!(
        found.starts_with("STATE,CAND_ID,count\nOR,H0AL01048,7\n"),
        "{found}"
    );
    let error = files.by(&fold, &["itpas2.txt", "itcont.txt"]).unwrap_err();
    assert!(
        error
            .with_advice()
            .contains("indiv has no column 'CAND_ID'; "),
        "{error}"
    );
}

/// The kinds of rows are counted where there is a MEMO_CD. Expenditures have no types, and so no refunds.
#[test]
fn row_kinds_are_those_of_inputs_that_have_them() {
    let files = Files::new();
    let refunds = |names: &[&str]| {
        let mut question = GroupQuestion::new("STATE").unwrap();
        question.row_kinds = RowKindPolicy::Count;
        let fold = ByFold::new(question);
        let folded = Engine::default().scan(&fold, files.paths(names)).unwrap();
        let grouped = fold.grouped(folded).unwrap();
        grouped.row_kinds.map(|kinds| kinds.refunds)
    };
    assert_eq!(refunds(&["oppexp.txt"]), Some(0));
    assert_eq!(refunds(&["oppexp.txt", "itcont.txt"]), Some(1));
}

/// Rows of pas2 have a CAND_ID. Rows of indiv lead to a candidate through the committee.
#[test]
fn inputs_that_lead_to_a_file_in_two_ways_are_refused() {
    let files = Files::new();
    let joined = files.paths(&["cm.txt", "cn.txt"]);
    let joins: Vec<_> = joined.iter().map(Join::new).collect();
    let partners = Partners::open(
        &joins,
        PartnerPolicy::Last,
        &OpenOptions::default(),
        Engine::default().options(),
    );
    let partners = partners.unwrap();
    let by = |key: &str| {
        let fold = ByFold::new(GroupQuestion::new(key).unwrap());
        files.by(
            &fold.with_partners(partners.clone()),
            &["itpas2.txt", "itcont.txt"],
        )
    };
    let error = by("CAND_NAME").unwrap_err().with_advice();
    let what = "a key is found in another way here than in another input; ";
    assert!(error.contains(what), "{error}");
    assert_eq!(
        by("CMTE_NM").unwrap().lines().nth(1),
        Some("PIE PAC,16"),
        "committees are found in the same way"
    );
}
