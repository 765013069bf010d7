//! `sql`: the files of a statement that names several tables.

use std::path::Path;

use crate::common::program::Ended;
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
        "fecscan: note: 3 rows of i have several matches in cm, each of which is a row\n",
    );
}
