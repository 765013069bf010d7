//! Conditions on joined columns, and their notes.

use crate::common::small_joins::{assert_prints, assert_refused, by, folder, run_in};

#[test]
fn conditions_on_joined_columns_hold_for_the_report_and_count() {
    let folder = folder();
    for (condition, lines) in [
        ("cm.party = 'DEM'", "2"),
        // Columns of rows without a partner are NULL.
        ("cm.party <> 'DEM'", "2"),
        ("NOT (cm.party = 'DEM')", "2"),
        ("cm.party IS DISTINCT FROM 'DEM'", "3"),
        ("cm.party = ''", "1"),
        ("cm.party IS NULL", "1"),
        ("CMTE_NM ~ '^$'", "0"),
        ("CMTE_NM IS NOT NULL", "4"),
        ("cm.CAND_ID LIKE 'H%'", "2"),
        ("cmte_zip < '2'", "2"),
        ("CAND_NAME ~ 'ANN'", "2"),
        ("cn.party NOT IN ('DEM', 'REP')", "0"),
        ("cn.CAND_ELECTION_YR >= 2018", "3"),
        ("cm.party = 'DEM' OR STATE = 'NY'", "4"),
        ("cm.party = 'DEM' AND amount > 10", "1"),
        ("cm.party <> STATE", "4"),
    ] {
        let with = ["--with", "cm.txt", "--with", "cn.txt", "--where", condition];
        let ended = run_in(
            folder.path(),
            &[&["count", "itcont.txt"], &with[..]].concat(),
        );
        assert_eq!(ended.out, format!("{lines} itcont.txt\n"), "{condition}");
        let report = run_in(
            folder.path(),
            &[&["-f", "json", "itcont.txt"], &with[..]].concat(),
        );
        let expected = format!("\"lines\":{lines},\"lines_scanned\":5,");
        assert!(
            report.out.contains(&expected),
            "{condition}: {}",
            report.out
        );
    }
    let both = run_in(
        folder.path(),
        &[
            "count",
            "--with",
            "cm.txt",
            "--where",
            "cm.party = 'DEM'",
            "--where",
            "state = 'NY'",
            "itcont.txt",
        ],
    );
    assert_eq!(both.out, "1 itcont.txt\n");
    let number = run_in(
        folder.path(),
        &[
            "count",
            "--with",
            "cm.txt",
            "--where",
            "cmte_zip < 20000",
            "itcont.txt",
        ],
    );
    assert_refused(
        number,
        "line 1, column 56: VARCHAR and INTEGER have no type in common; ",
    );
}

/// Rows of indiv lead to candidates through the committee.
#[test]
fn conditions_on_candidates_go_through_ccl_without_cm() {
    let folder = folder();
    for (condition, lines) in [
        ("CAND_NAME ~ 'ANN'", "2"),
        ("CAND_NAME <> 'PIE'", "3"),
        ("cn.state = 'CA'", "2"),
    ] {
        let with = [
            "--with", "ccl.txt", "--with", "cn.txt", "--where", condition,
        ];
        let ended = run_in(
            folder.path(),
            &[&["count", "itcont.txt"], &with[..]].concat(),
        );
        assert_eq!(
            ended.out,
            format!("{lines} itcont.txt\n"),
            "{condition} through ccl"
        );
    }
}

/// Rows that a condition on a joined column can't judge are counted, if they meet the conditions on their
/// own columns.
#[test]
fn conditions_count_rows_without_a_partner() {
    let folder = folder();
    let cm = "fecscan: note: 1 row has no partner in cm, whose columns are NULL there\n";
    let cn = "fecscan: note: 2 rows have no partner in cn, whose columns are NULL there\n";
    let both = &format!("{cm}{cn}")[..];
    for command in [
        "count",
        "report -f json",
        "report -f json --name 0,1,2 -j 2 --task-size 64",
    ] {
        for (conditions, notes) in [
            ("cm.party='DEM'", cm),
            ("cm.party<>'DEM'", cm),
            ("cm.party='' cm.party='DEM'", cm),
            ("cm.party='DEM' state='NY'", cm),
            ("state='NY' cm.party='NONE'", cm),
            ("cm.party='DEM' NAME~'ROE'", cm),
            ("cm.party='DEM' amount<50", ""),
            ("state='CA' cm.party='NONE'", ""),
            ("CMTE_ID<>'C00000009' cm.party='DEM'", ""),
            // A row without a committee has no candidate.
            ("CAND_NAME~'ANN'", both),
            ("CAND_NAME~'ANN' cm.party='DEM'", cm),
            ("cm.party='NONE' CAND_NAME~'ANN'", cm),
        ] {
            let mut arguments: Vec<_> = command.split(' ').collect();
            arguments.extend(["--with", "cm.txt", "--with", "cn.txt", "itcont.txt"]);
            for condition in conditions.split(' ') {
                arguments.extend(["--where", condition]);
            }
            let ended = run_in(folder.path(), &arguments);
            let err = ended
                .err
                .lines()
                .filter(|line| line.contains(" no partner in "));
            let err: String = err.map(|line| format!("{line}\n")).collect();
            assert_eq!(err, notes, "{arguments:?}");
        }
    }
}

/// Of a statement, one note counts the rows of a table, wherever its columns stand. A row that a condition on cm leaves out is not looked up in cn.
#[test]
fn a_file_of_conditions_and_keys_has_one_note() {
    let folder = folder();
    let cm = "fecscan: note: 1 row has no partner in cm, whose columns are NULL there\n";
    let cn = "fecscan: note: 1 row has no partner in cn, whose columns are NULL there\n";
    assert_prints(
        by(
            folder.path(),
            "CMTE_NM",
            "--with cm.txt --where party<>'DEM' --where amount>20",
        ),
        "CMTE_NM,count\nTEA PAC,1\n",
        cm,
    );
    assert_prints(
        by(
            folder.path(),
            "CAND_NAME",
            "--with cm.txt --with cn.txt --where cm.party<>'DEM'",
        ),
        "CAND_NAME,count\n\"CAKE, BOB\",1\n,1\n",
        &format!("{cm}{cn}"),
    );
    assert_prints(
        by(
            folder.path(),
            "CAND_NAME",
            "--with cm.txt --with cn.txt --where state='CA'",
        ),
        "CAND_NAME,count\n\"CAKE, BOB\",1\n\"PIE, ANN\",1\n",
        "",
    );
}
