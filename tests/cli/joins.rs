//! `--with`: the names of joined columns, as keys and values.

use std::fs;

use crate::common::small_joins::{CM, assert_prints, assert_refused, by, folder, row, run_in};

fn no_partner(rows: &str, table: &str) -> String {
    format!("fecscan: note: {rows} no partner in {table}, whose columns are NULL there\n")
}

#[test]
fn joined_columns_are_keys_with_notes_on_rows_without_a_partner() {
    let folder = folder();
    let [cm, cn, ccl] = [
        ("1 row has", "cm"),
        ("2 rows have", "cn"),
        ("2 rows have", "ccl"),
    ]
    .map(|(rows, table)| no_partner(rows, table));
    assert_prints(
        by(folder.path(), "CMTE_NM", "--with cm.txt --sum amount"),
        "CMTE_NM,count,sum(amount)\n,1,50.00\nPIE PAC,2,40.00\nTEA PAC,1,40.00\nCAKE PAC,1,20.00\n",
        &cm,
    );
    let candidates = "CAND_NAME,count\n\"PIE, ANN\",2\n,2\n\"CAKE, BOB\",1\n";
    assert_prints(
        by(folder.path(), "CAND_NAME", "--with cm.txt --with cn.txt"),
        candidates,
        &format!("{cm}{cn}"),
    );
    // The first file that tells candidates leads to them.
    assert_prints(
        by(
            folder.path(),
            "CAND_NAME",
            "--with ccl.txt --with cm.txt --with cn.txt",
        ),
        candidates,
        &format!("{ccl}{cm}{cn}"),
    );
    assert_prints(
        by(
            folder.path(),
            "STATE",
            "--with cm.txt --agg count(DISTINCT(CMTE_ST))AS\"states\",count(DISTINCT(CMTE_ID))AS\"committees\" --where CMTE_ID<>'C00000002'",
        ),
        "STATE,count,states,committees\nNY,3,2,3\nCA,1,1,1\n",
        &cm,
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
        &format!(
            "{}{}",
            no_partner("1 row has", "cm"),
            no_partner("2 rows have", "cn")
        ),
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
    assert!(text.out.contains("cmte_st"), "{}", text.out);
    assert!(text.out.contains("1 of 3 groups"), "{}", text.out);
    let json = run_in(
        folder.path(),
        &[&["by", "cmte_st", "-f", "json"], &with[..]].concat(),
    );
    assert!(
        json.out
            .starts_with("[\n{\"cmte_st\":\"CA\",\"count\":2},\n{\"cmte_st\":\"NY\",\"count\":2},\n{\"cmte_st\":null"),
        "{}",
        json.out
    );
}

/// A name of two joined files is ambiguous, as in SQL.
#[test]
fn names_mean_the_scanned_rows_then_the_joined_files() {
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
            "name,state,committee",
        ),
        (
            "cm.party AS of_cm,cn.party",
            "--with cm.txt --with cn.txt",
            "of_cm,party",
        ),
        (
            "CMTE_ID,cm.CMTE_ID AS joined",
            "--with cm.txt",
            "CMTE_ID,joined",
        ),
        (
            "CM.name,cm.CMTE_ST,candidate",
            "--with cm.txt",
            "name,CMTE_ST,candidate",
        ),
        (
            "ccl.FEC_ELECTION_YR,ccl.cmte_tp",
            "--with cm.txt --with ccl.txt",
            "FEC_ELECTION_YR,cmte_tp",
        ),
        ("zip5(cmte_zip)", "--with cm.txt", "zip5(cmte_zip)"),
        (
            "indiv.state,cm.state AS other",
            "--with cm.txt",
            "state,other",
        ),
        ("upper(state)", "--with cm.txt", "upper(state)"),
        ("#2", "", "#2"),
    ] {
        let found = header(keys, with);
        assert_eq!(found, format!("{expected},count"), "{keys} {with}");
    }
    let ambiguous = by(folder.path(), "party", "--with cm.txt --with cn.txt");
    assert_refused(
        by(folder.path(), "state,cm.state", "--with cm.txt"),
        "two columns of the answer have the name state; name one of them with AS\n",
    );
    assert_refused(
        ambiguous,
        "line 1, column 8: party is a column of cm and of cn; write cm.party or cn.party\n",
    );
    let sorted = by(
        folder.path(),
        "state,cm.state AS other",
        "--with cm.txt --agg max(cm.name) --sort max(CM.CMTE_NM) --top 1",
    );
    assert_eq!(
        sorted.out,
        "state,other,count,max(cm.name)\nCA,NY,1,CAKE PAC\n"
    );
}

#[test]
fn unknown_names_are_explained() {
    let folder = folder();
    for (keys, with, message) in [
        ("CMTE_NM", "", "8: no column CMTE_NM in indiv; "),
        (
            "CMTE_MN",
            "--with cm.txt",
            "8: no column CMTE_MN in indiv and cm; did you mean CMTE_NM?",
        ),
        (
            "STAT",
            "--with cm.txt",
            "8: no column STAT in indiv and cm; did you mean STATE?",
        ),
        (
            "CAND_IDD",
            "--with cm.txt --with ccl.txt --with cn.txt",
            "8: no column CAND_IDD in indiv, cm, ccl and cn; did you mean CAND_ID?",
        ),
        (
            "CMTE_TYP",
            "--with ccl.txt --with cm.txt",
            "8: no column CMTE_TYP in indiv, ccl and cm; did you mean CMTE_TP?",
        ),
        (
            "cm.CMTE_MN",
            "--with cm.txt",
            "11: no column CMTE_MN in cm; did you mean CMTE_NM?",
        ),
        ("cn.party", "--with cm.txt", "11: no table cn in FROM"),
        ("cn.party", "", "11: no table cn in FROM"),
        ("oth.name", "", "12: no table oth in FROM"),
        (
            "month(CMTE_NM)",
            "--with cm.txt",
            "8: month takes a DATE, not VARCHAR; ",
        ),
    ] {
        let ended = by(folder.path(), keys, with);
        assert_refused(ended, &format!("line 1, column {message}"));
    }
    assert_refused(
        by(folder.path(), "CAND_NAME", "--with cn.txt"),
        "indiv has no CAND_ID, which leads to cn; join cm or ccl before it",
    );
    let ended = run_in(
        folder.path(),
        &["by", "CMTE_NM", "--with", "cm.txt", "cn.txt"],
    );
    assert_refused(ended, "cn has no CMTE_ID, which leads to cm; ");
    let ended = run_in(
        folder.path(),
        &["count", "--where", "cm.CMTE_NM = 'x'", "itcont.txt"],
    );
    assert_refused(
        ended,
        "itcont.txt: line 1, column 4: cm is not joined; add --with cm.txt",
    );
    // Rows of cn have no committee, so --with cm.txt would not help.
    let ended = run_in(folder.path(), &["by", "CMTE_NM", "cn.txt"]);
    assert_refused(ended.clone(), "line 1, column 8: no column CMTE_NM in cn; ");
    assert!(!ended.err.contains("--with"), "{}", ended.err);
}

/// The value of a table is taken once for each row that it is joined to, as in SQL.
#[test]
fn aggregates_take_joined_columns() {
    let folder = folder();
    for aggregate in ["sum", "avg", "median"] {
        let ended = by(
            folder.path(),
            "STATE",
            &format!("--with cm.txt --agg {aggregate}(cmte_zip)"),
        );
        assert_refused(
            ended,
            &format!("line 1, column 40: {aggregate} takes numbers, not VARCHAR"),
        );
    }
    let ended = by(
        folder.path(),
        "STATE",
        "--with cm.txt --agg sum(left(cmte_zip,5)::INTEGER)AS\"zips\"",
    );
    assert_eq!(ended.out, "STATE,count,zips\nCA,2,100050\nNY,3,100050\n");
}

/// Groups are those of the result: the committees that lead to them are not counted.
#[test]
fn joined_groups_are_limited() {
    let folder = folder();
    let ended = by(folder.path(), "CMTE_ST", "--with cm.txt --max-groups 2");
    assert_refused(ended, "there are more than 2 groups; ");
    assert_eq!(
        by(folder.path(), "CMTE_ST", "--with cm.txt --max-groups 3").status,
        0
    );
}

/// What `--show-sql` prints stands alone: `fecscan sql` finds the tables by their files.
#[test]
fn the_statement_of_a_join_has_the_rows_of_the_groups() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("geo.csv"), "zip,county\n90049,\"Lane, OR\"\n").unwrap();
    for (keys, with, joins) in [
        (
            "CMTE_NM",
            "--with cm.txt --sum amount --where state='NY'",
            "LEFT JOIN 'cm.txt' AS cm USING (CMTE_ID) WHERE indiv.state = 'NY'",
        ),
        (
            "CAND_NAME",
            "--with ccl.txt --with cn.txt",
            "LEFT JOIN 'ccl.txt' AS ccl USING (CMTE_ID) LEFT JOIN 'cn.txt' AS cn ON ccl.CAND_ID = cn.CAND_ID",
        ),
        (
            "geo.county, state",
            "--with geo=geo.csv --on zip5(zip)=geo.zip",
            "LEFT JOIN 'geo.csv' AS geo ON zip5(indiv.zip) = geo.zip",
        ),
        (
            "x.CMTE_NM AS name",
            "--with x=cm.txt --on CMTE_ID=x.CMTE_ID -n 2",
            "LEFT JOIN 'cm.txt' AS x ON indiv.CMTE_ID = x.CMTE_ID",
        ),
    ] {
        let statement = by(path, keys, &format!("{with} --show-sql")).out;
        assert!(
            statement.contains(&format!(" FROM indiv {joins} ")),
            "{statement}"
        );
        let groups = by(path, keys, &format!("{with} -q"));
        assert!(groups.out.lines().count() > 1, "{groups:?}");
        let rows = ["sql", statement.trim_end(), "-q", "-f", "csv", "itcont.txt"];
        assert_eq!(run_in(path, &rows), groups, "{statement}");
    }
}

/// Such a line is several rows. It is looked up once, though the report reads it again to print its name, and it breaks the schema once.
#[test]
fn lines_with_several_matches_are_noted_and_rejected_once() {
    let folder = folder();
    let path = folder.path();
    let first = CM.lines().next().unwrap();
    fs::write(path.join("cm.txt"), format!("{CM}{first}\n")).unwrap();
    let rows = row("C00000001", "CA", "1") + &row("C00000002", "NY", "2") + "C00000001|short\n";
    fs::write(path.join("itcont.txt"), rows + &row("C00000009", "NY", "3")).unwrap();
    let notes = |err: &str| {
        let of_joins = |line: &&str| line.contains("several matches") || line.contains("partner");
        err.lines()
            .filter(of_joins)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    for condition in [
        "cm.CMTE_TP<>'X'",
        "cm.CMTE_TP<>STATE",
        "cm.CMTE_TP IS NULL OR STATE<>'X'",
    ] {
        let asked = ["--with", "cm.txt", "--where", condition, "itcont.txt"];
        let of = |words: &str| {
            let words: Vec<_> = words.split(' ').collect();
            run_in(path, &[&words[..], &asked].concat())
        };
        let counted = of("count");
        assert_eq!(
            (counted.status, notes(&counted.err).len()),
            (0, 2),
            "{counted:?}"
        );
        let report = of("report -f json --name 0,1,2 --task-size 64 --rejects rejects.csv");
        assert_eq!(notes(&report.err), notes(&counted.err));
        let rejects = fs::read_to_string(path.join("rejects.csv")).unwrap();
        assert_eq!(rejects.lines().count(), 2, "{rejects}");
        // What lies behind the head was not looked up.
        let head = of("export --columns cm.CMTE_NM --head 1");
        assert_eq!(notes(&head.err), Vec::<String>::new());
        let compared = run_in(
            path,
            &[&["diff", "--key", "NAME", "itcont.txt"], &asked[..]].concat(),
        );
        assert!(!compared.err.contains("several matches"), "{compared:?}");
    }
    let all = [
        "report",
        "--with",
        "cm.txt",
        "--where",
        "cm.CMTE_TP IS NULL OR STATE<>'X'",
        "itcont.txt",
    ];
    let report = run_in(path, &all);
    assert!(report.out.contains("6 rows of 4 lines"), "{report:?}");
}

/// The table stands before names that both tables have, but not within a query, or behind EXCLUDE.
#[test]
fn names_of_other_tables_stay_as_they_are() {
    let folder = folder();
    let with = |words: &[&str]| {
        run_in(
            folder.path(),
            &[words, &["-q", "--with", "cm.txt", "itcont.txt"]].concat(),
        )
    };
    let counted = with(&[
        "count",
        "--where",
        "state IN (SELECT max(cm.CMTE_ST) FROM cm WHERE cand_id <> '')",
    ]);
    assert_eq!(counted.out, "3 itcont.txt\n", "{}", counted.err);
    for columns in ["* EXCLUDE (CMTE_ID)", "* EXCLUDE CMTE_ID"] {
        let exported = with(&["export", "-f", "csv", "--columns", columns]);
        assert_eq!(
            (exported.status, exported.out.lines().count()),
            (0, 6),
            "{columns}: {exported:?}"
        );
    }
}
