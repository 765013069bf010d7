//! `sql`: the files of a statement that names several tables.

use std::fs;
use std::path::Path;

use crate::common::program::{Ended, fecscan, run};
use crate::common::small_joins::{assert_prints, assert_refused, folder, run_in};

fn sql(folder: &Path, statement: &str, files: &[&str]) -> Ended {
    let mut arguments = vec!["sql", "-f", "csv", statement];
    arguments.extend(files);
    run_in(folder, &arguments)
}

#[test]
fn an_inner_query_may_read_another_file() {
    let folder = folder();
    let statement = "SELECT STATE, sum(amount) AS total FROM 'itcont.txt' \
                     WHERE CMTE_ID IN (SELECT CMTE_ID FROM 'cm.txt' WHERE CMTE_ST = 'NY') GROUP BY STATE ORDER BY STATE";
    assert_prints(
        sql(folder.path(), statement, &[]),
        "STATE,total\nCA,20.00\nNY,40.00\n",
        "",
    );
    let statement = "SELECT count(*), (SELECT count(*) FROM cm) AS committees FROM indiv \
                     WHERE CMTE_ID NOT IN (SELECT CMTE_ID FROM cm)";
    let files = ["cm.txt", "itcont.txt"];
    assert_prints(
        sql(folder.path(), statement, &files),
        "count(*),committees\n1,3\n",
        "",
    );
    assert_prints(
        sql(
            folder.path(),
            "SELECT CMTE_ID FROM indiv UNION SELECT CAND_ID FROM 'cn.txt' ORDER BY 1 LIMIT 2",
            &["itcont.txt"],
        ),
        "CMTE_ID\nC00000001\nC00000002\n",
        "",
    );
}

#[test]
fn files_that_belong_to_no_table_are_refused() {
    let folder = folder();
    let statement = "SELECT count(*) FROM indiv WHERE CMTE_ID IN (SELECT CMTE_ID FROM cm)";
    assert_refused(
        sql(folder.path(), statement, &["itcont.txt"]),
        "FROM names cm, and no file behind the statement is one; name it, or write FROM 'cm.txt'",
    );
    assert_refused(
        sql(
            folder.path(),
            statement,
            &["itcont.txt", "cm.txt", "cn.txt"],
        ),
        "cn.txt: is of schema cn, and FROM names indiv, cm; leave it out",
    );
    assert_refused(
        sql(folder.path(), "SELECT count(*) FROM 'cm.txt'", &["cn.txt"]),
        "FROM names a file, and others stand behind the statement; name files in one of both places",
    );
    assert_refused(
        sql(
            folder.path(),
            "SELECT count(*) FROM '-' WHERE amount > (SELECT avg(amount) FROM '-')",
            &["--schema", "indiv"],
        ),
        "-: can be read once, and the statement reads it twice",
    );
}

#[test]
fn a_join_notes_the_rows_that_have_several_matches() {
    let folder = folder();
    let statement = "SELECT CMTE_NM, count(*), sum(amount) FROM 'itcont.txt' AS i LEFT JOIN 'cm.txt' AS c USING (CMTE_ID) GROUP BY ALL ORDER BY ALL";
    let rows = "CMTE_NM,count(*),sum(amount)\nCAKE PAC,1,20.00\nPIE PAC,2,40.00\nTEA PAC,1,40.00\n,1,50.00\n";
    assert_prints(sql(folder.path(), statement, &[]), rows, "");
    assert_prints(
        sql(
            folder.path(),
            "SELECT i.STATE, CMTE_NM, amount FROM cm JOIN indiv AS i ON i.STATE = CMTE_ST ORDER BY ALL LIMIT 3",
            &["cm.txt", "itcont.txt"],
        ),
        "STATE,CMTE_NM,amount\nCA,PIE PAC,10.00\nCA,PIE PAC,20.00\nNY,CAKE PAC,30.00\n",
        "fecscan: note: 3 rows of i have several matches in cm, and count once for each\n",
    );
    // Rows that are written as they come.
    let statement =
        "SELECT i.STATE, CMTE_NM FROM 'itcont.txt' i JOIN 'cm.txt' c ON i.STATE = c.CMTE_ST";
    let rows = sql(folder.path(), statement, &[]);
    let note = "fecscan: note: 3 rows of i have several matches in c, and count once for each\n";
    assert_eq!(rows.err, note);
}

/// Of several tables, the files of other kinds are read as options say, and notes name the file that they are about.
#[test]
fn options_are_for_the_tables_of_other_kinds() {
    let folder = folder();
    let totals = "id,total\nC00000001,\"1,000.50\"\nC00000002,7\n";
    fs::write(folder.path().join("totals.csv"), totals).unwrap();
    let statement = "SELECT sum(t.total) FROM 'totals.csv' t JOIN 'cm.txt' c ON t.id = c.CMTE_ID";
    let refused = sql(folder.path(), statement, &[]);
    let advice =
        "write TRY_CAST(x AS DECIMAL(14,2)), or --types x=number for a column of another file";
    assert!(
        refused.status == 2 && refused.err.contains(advice),
        "{}",
        refused.err
    );
    let options = ["--types", "total=number", "--decimal-separator", ".", "-q"];
    assert_prints(
        sql(folder.path(), statement, &options),
        "sum(t.total)\n1007.50\n",
        "",
    );
    let cast = statement.replace("t.total", "t.total::DECIMAL(14,2)");
    let refused = sql(folder.path(), &cast, &["-q"]);
    let error = "the value '1,000.50' of a row is not of type DECIMAL(14,2); take its commas out: replace(x, ',', '')\n";
    assert!(
        refused.status == 2 && refused.err.ends_with(error),
        "{}",
        refused.err
    );
    // Without files behind the statement, standard input has the committees: none here.
    let of_pipe = sql(
        folder.path(),
        "SELECT count(*) FROM 'totals.csv' t JOIN cm ON t.id = cm.CMTE_ID",
        &[],
    );
    assert_eq!(
        (of_pipe.status, &*of_pipe.out),
        (0, "count(*)\n0\n"),
        "{}",
        of_pipe.err
    );
    let statement = "SELECT count(*) FROM 'itcont.txt' i JOIN 'cm.txt' c USING (CMTE_ID) WHERE c.CMTE_ST = 'QQ'";
    assert_prints(
        sql(folder.path(), statement, &[]),
        "count(*)\n0\n",
        "fecscan: cm.txt: note: no line meets the conditions\nfecscan: itcont.txt: note: no line meets the conditions\n",
    );
}

/// A file whose name begins like one of the FEC's is read as options say, too.
#[test]
fn options_that_describe_files_are_for_all_tables() {
    let folder = folder();
    for (name, text) in [
        ("cm-old.csv", "CMTE_ID;CMTE_NM\nC00000001;PIE\n"),
        ("t.csv", "id;n\nC00000001;1\n"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let statement = "SELECT count(*) FROM 'cm-old.csv' c JOIN 't.csv' t ON t.id = c.CMTE_ID";
    let options = ["--delimiter", ";", "--header"];
    assert_prints(sql(folder.path(), statement, &options), "count(*)\n1\n", "");
}

#[test]
fn a_comparison_with_null_is_noted() {
    let folder = folder();
    let statement = "SELECT count(*) FROM 'itcont.txt' WHERE STATE = NULL";
    let ended = sql(folder.path(), statement, &[]);
    let note = "5 lines are left out because a condition is NULL there: it compares a value with NULL; write IS NULL\n";
    assert!(
        ended.out == "count(*)\n0\n" && ended.err.ends_with(note),
        "{}",
        ended.err
    );
}

/// Rows of files are written as they come, and an order or a join needs all of them first. Both ways write the same bytes.
#[test]
fn rows_that_come_one_by_one_are_those_of_a_result_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let from = "FROM 'fixtures/generated-hostile.txt'";
    let list = "NAME, amount, date, SUB_ID, amount / 3, date > '2018-01-01' AS late, nullif(MEMO_CD, '') AS memo, \
                upper(CITY), amount * 2, CAST(FILE_NUM AS HUGEINT) AS file_num, file, 'x' AS x, NULL AS nothing";
    for (list, rest) in [
        (list, ""),
        (list, "WHERE STATE = 'CA' LIMIT 7"),
        ("*", "LIMIT 40 OFFSET 13"),
        (
            "* EXCLUDE (MEMO_TEXT), year(date)",
            "WHERE amount > (SELECT avg(amount) FROM 'fixtures/generated.txt')",
        ),
        ("count(*) + 1", "WHERE FALSE"),
        ("STATE", "LIMIT 0"),
    ] {
        let streamed = format!("SELECT {list} {from} {rest}");
        // A result that is a table of another query stands in memory.
        let held = format!("WITH r AS ({streamed}) SELECT * FROM r");
        for format in ["csv", "tsv", "ndjson", "json", "parquet", "arrow"] {
            let written = [&streamed, &held].map(|statement| {
                let path = folder.path().join(format!("r.{format}"));
                for options in [&["-j", "1"][..], &["-j", "3", "--task-size", "700"]] {
                    let ended = run(fecscan(["sql", "-q"])
                        .args(options)
                        .arg(statement)
                        .arg("-o")
                        .arg(&path));
                    assert_eq!((ended.status, &*ended.err), (0, ""), "{statement}");
                }
                fs::read(path).unwrap()
            });
            assert!(written[0] == written[1], "{streamed}: {format}");
        }
    }
    let ended = run(&mut fecscan([
        "sql",
        "-f",
        "csv",
        "SELECT CAST(NAME AS BIGINT) FROM 'fixtures/plain.txt'",
    ]));
    let error = "of a row is not of type BIGINT; TRY_CAST makes NULL of such values\n";
    assert!(
        ended.status == 2 && ended.err.ends_with(error),
        "{}",
        ended.err
    );
    let twice = run(&mut fecscan([
        "sql",
        "-f",
        "csv",
        "SELECT NAME, NAME FROM 'fixtures/plain.txt' LIMIT 1",
    ]));
    assert_eq!(
        twice.out,
        "NAME,NAME_1\n\"MARLOWE, JOHN Q\",\"MARLOWE, JOHN Q\"\n"
    );
}

#[test]
fn options_are_short_for_a_statement_that_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let here = |words: &[&str]| run(fecscan(words).current_dir(&folder));
    for (schema, file) in [("indiv", "itcont.txt"), ("cm", "cm.txt"), ("cn", "cn.txt")] {
        let made = here(&["generate", "--schema", schema, "--rows", "200", "-o", file]);
        assert_eq!(made.status, 0, "{}", made.err);
    }
    let columns = "name, year(date) AS Y, amount*2";
    for (words, statement) in [
        (
            &[
                "export",
                "--columns",
                columns,
                "--where",
                "state = 'CA' or amount>9",
                "--contributions",
                "--head",
                "5",
                "itcont.txt",
            ][..],
            "SELECT name AS \"NAME\", year(date) AS Y, amount * 2 FROM indiv \
             WHERE (state = 'CA' OR amount > 9) AND TRANSACTION_TP IN ('10', '11', '15', '15C', '15E', '15I', '15J', '15T', '22Y') LIMIT 5",
        ),
        (&["export", "itcont.txt"], "SELECT * FROM indiv"),
        (
            &[
                "export",
                "--columns",
                "CMTE_NM, cmte_id, cand_name, indiv.*",
                "--with",
                "cm.txt",
                "--with",
                "cn.txt",
                "itcont.txt",
            ],
            "SELECT CMTE_NM, cmte_id AS \"CMTE_ID\", cand_name AS \"CAND_NAME\", indiv.* FROM indiv \
             LEFT JOIN 'cm.txt' AS cm USING (CMTE_ID) LEFT JOIN 'cn.txt' AS cn ON cm.CAND_ID = cn.CAND_ID",
        ),
        (
            &[
                "count",
                "--where",
                "amount > 100",
                "itcont.txt",
                "itcont.txt",
            ],
            "SELECT count(*) FROM indiv WHERE amount > 100",
        ),
    ] {
        let shown = here(&[words, &["--show-sql"][..]].concat());
        assert_eq!((shown.status, &*shown.err), (0, ""));
        if !statement.contains("TRANSACTION_TP") {
            assert_eq!(shown.out, format!("{statement}\n"));
        }
        assert!(
            shown.out.starts_with(&statement[..statement.len().min(20)]),
            "{}",
            shown.out
        );
        // It has the rows that the options have.
        let is_file = |word: &&&str| **word == "itcont.txt";
        let files: Vec<_> = words.iter().filter(is_file).copied().collect();
        let answered = here(&[&["sql", "-q", "-f", "csv", shown.out.trim()][..], &files].concat());
        assert_eq!((answered.status, &*answered.err), (0, ""), "{}", shown.out);
        let asked = here(&[words, &["-q", "-f", "csv"][..]].concat());
        let rows = |out: &str| out.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
        if words[0] == "export" && !statement.contains("indiv.*") {
            assert_eq!(rows(&answered.out), rows(&asked.out), "{}", shown.out);
        }
    }
    let sample = here(&["export", "--sample", "5", "--show-sql", "itcont.txt"]);
    assert!(
        sample.err.contains("a sample has no statement"),
        "{}",
        sample.err
    );
}
