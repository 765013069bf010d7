//! `fecscan columns`: the columns of the schemas.

use fecscan::fec::schema::Schema;
use fecscan::sql::type_of;
use serde_json::{Value, json};

use crate::cli::done;
use crate::common::program::{assert_usage_error, run_with};

#[test]
fn the_columns_of_a_schema_are_listed() {
    let expected = "\
ccl (ccl.txt): links between candidates and committees
   1  CAND_ID           candidate    VARCHAR  candidate
   2  CAND_ELECTION_YR  year         BIGINT   year of the candidate's election
   3  FEC_ELECTION_YR   cycle        BIGINT   second year of the two-year cycle
   4  CMTE_ID           committee    VARCHAR  committee
   5  CMTE_TP           type         VARCHAR  kind of committee: P, H, S
   6  CMTE_DSGN         designation  VARCHAR  P principal, A authorized, J joint, U unauthorized
   7  LINKAGE_ID        id           VARCHAR  the FEC's unique number of the row
";
    assert_eq!(run_with("columns ccl"), done(expected));
    assert_eq!(run_with("columns CCL -f text"), done(expected));
    let all = run_with("columns");
    assert_eq!((all.status, all.err.as_str()), (0, ""));
    assert!(all.out.contains(expected), "{}", all.out);
    for schema in Schema::ALL {
        assert!(all.out.contains(&format!("\n{} (", schema.name())) || schema == Schema::Indiv);
    }
    assert_usage_error("columns xyz", "invalid value 'xyz' for '[SCHEMA]'");
}

#[test]
fn all_formats_list_the_same_columns() {
    let expected = Schema::ALL.iter().flat_map(|schema| {
        let columns = schema.columns().iter().enumerate();
        columns.map(|(place, column)| {
            json!({
                "schema": schema.name(),
                "number": place + 1,
                "name": column.name,
                "alias": column.alias,
                "type": type_of(*schema, column).to_string(),
                "meaning": column.meaning,
            })
        })
    });
    let expected: Vec<Value> = expected.collect();
    let found: Value = serde_json::from_str(&run_with("columns -f json").out).unwrap();
    assert_eq!(found, Value::Array(expected.clone()));
    let csv = run_with("columns -f csv").out;
    assert_eq!(
        csv.lines().next(),
        Some("schema,number,name,alias,type,meaning")
    );
    assert_eq!(csv.lines().count(), 1 + expected.len());
    let amount = r#"indiv,15,TRANSACTION_AMT,amount,"DECIMAL(14,2)",amount in dollars"#;
    assert!(csv.lines().any(|line| line == amount), "{csv}");
    let quoted = r#"indiv,2,AMNDT_IND,amendment,VARCHAR,"N new, A amended, T terminated""#;
    assert!(csv.lines().any(|line| line == quoted), "{csv}");
    let tsv = run_with("columns -f tsv oppexp").out;
    assert!(
        tsv.contains("oppexp\t13\tTRANSACTION_DT\tdate\tDATE\t"),
        "{tsv}"
    );
    for (row, number) in [("weball", 28), ("webl", 28), ("webk", 27)] {
        let date = format!("{row},{number},CVG_END_DT,date,DATE,");
        assert!(csv.contains(&date), "{csv}");
    }
    let markdown = run_with("columns -f md cm").out;
    assert!(markdown.starts_with("| schema | number | name | alias | type | meaning |\n|---|"));
    assert!(
        markdown.contains("| cm | 8 | CMTE_ZIP | zip | VARCHAR | "),
        "{markdown}"
    );
}

#[test]
fn the_extension_of_the_output_chooses_the_format() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("columns.csv");
    let ended = run_with(&format!("columns cn -o {}", path.display()));
    assert_eq!(ended, done(""));
    let written = std::fs::read_to_string(path).unwrap();
    assert_eq!(written, run_with("columns cn -f csv").out);
}
