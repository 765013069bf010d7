//! `--with`: the names of joined columns, as keys and values.

use std::fs;

use crate::common::small_joins::{assert_prints, assert_refused, by, folder, run_in};

#[test]
fn joined_columns_are_keys_with_notes_on_rows_without_a_partner() {
    let folder = folder();
    assert_prints(
        by(folder.path(), "CMTE_NM", "--with cm.txt --sum amount"),
        "CMTE_NM,count,sum(TRANSACTION_AMT)\n,1,50.00\nPIE PAC,2,40.00\nTEA PAC,1,40.00\nCAKE PAC,1,20.00\n",
        "fecscan: note: 1 row has no partner in cm.txt, so columns of that file are empty\n",
    );
    assert_prints(
        by(folder.path(), "CAND_NAME", "--with cm.txt --with cn.txt"),
        "CAND_NAME,count\n,2\n\"PIE, ANN\",2\n\"CAKE, BOB\",1\n",
        "fecscan: note: 2 rows have no partner in cn.txt, so columns of that file are empty\n",
    );
    // The first file that tells candidates leads to them.
    assert_prints(
        by(
            folder.path(),
            "CAND_NAME",
            "--with ccl.txt --with cm.txt --with cn.txt",
        ),
        "CAND_NAME,count\n,2\n\"PIE, ANN\",2\n\"CAKE, BOB\",1\n",
        "fecscan: cm.txt: note: none of its columns is used\n\
         fecscan: note: 2 rows have no partner in cn.txt, so columns of that file are empty\n",
    );
    assert_prints(
        by(
            folder.path(),
            "STATE",
            "--with cm.txt --distinct CMTE_ST --distinct CMTE_ID --where CMTE_ID<>'C00000002'",
        ),
        "STATE,count,distinct(CMTE_ST),distinct(CMTE_ID)\nNY,3,2,3\nCA,1,1,1\n",
        "fecscan: note: 1 identifier has no partner in cm.txt\n",
    );
}

#[test]
fn notes_on_rows_without_a_partner_do_not_follow_the_order_of_the_rows() {
    // The first row without a partner lacks one in cn only.
    let folder = folder();
    let columns =
        "export -f tsv --columns CMTE_NM,CAND_NAME --with cm.txt --with cn.txt itcont.txt";
    let arguments: Vec<_> = columns.split(' ').collect();
    assert_prints(
        run_in(folder.path(), &arguments),
        "CMTE_NM\tCAND_NAME\nPIE PAC\tPIE, ANN\nCAKE PAC\tCAKE, BOB\nPIE PAC\tPIE, ANN\nTEA PAC\t\n\t\n",
        "fecscan: note: 1 row has no partner in cm.txt, so columns of that file are empty\n\
         fecscan: note: 2 rows have no partner in cn.txt, so columns of that file are empty\n",
    );
}

#[test]
fn text_and_json_have_joined_columns_too() {
    let folder = folder();
    let with = ["--with", "cm.txt", "itcont.txt"];
    let text = run_in(
        folder.path(),
        &[&["by", "cmte_st", "--top", "1"], &with[..]].concat(),
    );
    assert!(text.out.contains("CMTE_ST"), "{}", text.out);
    assert!(text.out.contains("1 of 3 groups"), "{}", text.out);
    let json = run_in(
        folder.path(),
        &[&["by", "cmte_st", "-f", "json"], &with[..]].concat(),
    );
    assert!(
        json.out
            .starts_with("[\n{\"CMTE_ST\":\"CA\",\"count\":2},\n"),
        "{}",
        json.out
    );
}

#[test]
fn names_mean_the_scanned_rows_then_the_files_in_their_order() {
    let folder = folder();
    let header = |keys: &str, with: &str| {
        let ended = by(folder.path(), keys, with);
        assert_eq!(ended.status, 0, "{}", ended.err);
        ended.out.lines().next().unwrap().to_owned()
    };
    for (keys, with, expected) in [
        // Aliases of indiv.
        (
            "name,state,committee",
            "--with cm.txt --with cn.txt",
            "NAME,STATE,CMTE_ID",
        ),
        (
            "party",
            "--with cm.txt --with cn.txt",
            "CMTE_PTY_AFFILIATION",
        ),
        (
            "party",
            "--with cn.txt --with cm.txt",
            "CAND_PTY_AFFILIATION",
        ),
        ("CMTE_ID,cm.CMTE_ID", "--with cm.txt", "CMTE_ID,cm.CMTE_ID"),
        (
            "CM.name,cm.#7,cm.15",
            "--with cm.txt",
            "CMTE_NM,CMTE_ST,CAND_ID",
        ),
        (
            "ccl.#3,ccl.cmte_tp",
            "--with cm.txt --with ccl.txt",
            "FEC_ELECTION_YR,ccl.CMTE_TP",
        ),
        (
            "cmte_tp,ccl.candidate",
            "--with ccl.txt --with cm.txt",
            "CMTE_TP,CAND_ID",
        ),
        ("zip5(cmte_zip)", "--with cm.txt", "zip5(CMTE_ZIP)"),
        ("indiv.state,cm.state", "--with cm.txt", "STATE,CMTE_ST"),
        ("#2,2", "", "AMNDT_IND"),
    ] {
        let found = match keys {
            "#2,2" => header("#2", with),
            keys => header(keys, with),
        };
        assert_eq!(found, format!("{expected},count"), "{keys} {with}");
    }
    let twice = by(folder.path(), "CMTE_NM,cm.name", "--with cm.txt");
    assert_refused(
        twice,
        "itcont.txt: the key CMTE_NM is named twice; name it once",
    );
    let sorted = by(
        folder.path(),
        "state",
        "--with cm.txt --distinct cm.name --sort distinct(CM.CMTE_NM) --top 1",
    );
    assert_eq!(sorted.out, "STATE,count,distinct(CMTE_NM)\nCA,2,2\n");
}

#[test]
fn unknown_names_are_explained() {
    let folder = folder();
    for (keys, with, message) in [
        (
            "CMTE_NM",
            "",
            "indiv has no column 'CMTE_NM'; it is a column of cm: add --with cm.txt; ",
        ),
        (
            "cand_name",
            "",
            "indiv has no column 'cand_name'; it is a column of cn: add --with cm.txt --with cn.txt; ",
        ),
        (
            "CAND_NAME",
            "--with cm.txt",
            "neither indiv nor cm has a column 'CAND_NAME'; it is a column of cn: add --with cn.txt; ",
        ),
        (
            "party",
            "",
            "indiv has no column 'party'; it is a column of cm: add --with cm.txt; ",
        ),
        (
            "LINKAGE_ID",
            "--with cm.txt --with cn.txt",
            "none of indiv, cm, cn has a column 'LINKAGE_ID'; it is a column of ccl: add --with ccl.txt; ",
        ),
        (
            "CMTE_MN",
            "--with cm.txt",
            "neither indiv nor cm has a column 'CMTE_MN'; did you mean CMTE_NM, of cm.txt?",
        ),
        (
            "STAT",
            "--with cm.txt",
            "neither indiv nor cm has a column 'STAT'; did you mean STATE?",
        ),
        (
            "CAND_IDD",
            "--with cm.txt --with ccl.txt --with cn.txt",
            "none of indiv, cm, ccl, cn has a column 'CAND_IDD'; did you mean CAND_ID, of cm.txt?",
        ),
        (
            "CMTE_TYP",
            "--with ccl.txt --with cm.txt",
            "none of indiv, ccl, cm has a column 'CMTE_TYP'; did you mean CMTE_TP, of ccl.txt?",
        ),
        (
            "#22",
            "--with cm.txt",
            "neither indiv nor cm has a column '#22'; indiv has ",
        ),
        (
            "cm.CMTE_MN",
            "--with cm.txt",
            "cm has no column 'CMTE_MN'; did you mean CMTE_NM?",
        ),
        ("cm.#16", "--with cm.txt", "cm has no column '#16'; "),
        (
            "cn.party",
            "--with cm.txt",
            "'cn.party' names a file that is not joined; add --with cn.txt",
        ),
        (
            "cn.party",
            "",
            "'cn.party' names a file that is not joined; add --with cm.txt --with cn.txt",
        ),
        (
            "oth.name",
            "",
            "indiv has no column 'oth.name'; 'fecscan columns indiv' lists its 21 columns",
        ),
        (
            "CAND_NAME",
            "--with cn.txt",
            "indiv has no column CAND_ID, by which rows are joined with cn.txt; join the committees as well: add --with cm.txt or --with ccl.txt",
        ),
        (
            "month(CMTE_NM)",
            "--with cm.txt",
            "month takes dates and image numbers, and CMTE_NM holds text; cm has no column of them",
        ),
        (
            "zip5(CMTE_ST)",
            "--with cm.txt",
            "zip5 takes zip codes, and CMTE_ST holds text; write zip5(CMTE_ZIP)",
        ),
    ] {
        assert_refused(
            by(folder.path(), keys, with),
            &format!("itcont.txt: {message}"),
        );
    }
    fs::copy(
        folder.path().join("itcont.txt"),
        folder.path().join("all.txt"),
    )
    .unwrap();
    let ended = run_in(
        folder.path(),
        &["by", "CMTE_NM", "--with", "cm.txt", "cn.txt"],
    );
    assert_refused(
        ended,
        "cn.txt: cn has no column CMTE_ID, by which rows are joined with cm.txt; leave out the columns of cm.txt",
    );
    let ended = run_in(
        folder.path(),
        &["count", "--where", "cm.CMTE_NM = 'x'", "itcont.txt"],
    );
    assert_refused(
        ended,
        "itcont.txt: line 1, column 4: 'cm.CMTE_NM' names a file that is not joined; add --with cm.txt",
    );
    // Rows of cn have no committee, so --with cm.txt would not help.
    let ended = run_in(folder.path(), &["by", "CMTE_NM", "cn.txt"]);
    assert_refused(ended, "cn.txt: cn has no column 'CMTE_NM'; ");
    assert!(
        !run_in(folder.path(), &["by", "CMTE_NM", "cn.txt"])
            .err
            .contains("--with")
    );
}

#[test]
fn sums_of_joined_columns_are_refused() {
    let folder = folder();
    for aggregate in ["sum", "mean", "median"] {
        let ended = by(
            folder.path(),
            "STATE",
            &format!("--with cm.txt --{aggregate} cmte_zip"),
        );
        assert_refused(
            ended,
            &format!(
                "itcont.txt: {aggregate}(CMTE_ZIP) would take a value of cm.txt once for each row that it \
                 is joined to; make it a key of groups, or ask for its --max, --min or --distinct\n"
            ),
        );
    }
}

#[test]
fn groups_are_limited_before_they_are_joined() {
    let folder = folder();
    let ended = by(folder.path(), "CMTE_ST", "--with cm.txt --max-groups 3");
    assert_refused(
        ended,
        "there are more than 3 groups before the files are joined, which is by identifier; ",
    );
    assert_eq!(
        by(folder.path(), "CMTE_ST", "--with cm.txt --max-groups 4").status,
        0
    );
}
