//! Questions of `fecscan by` that have no answer: one clear message for each.

use std::fs;

use crate::cli::{PLAIN, done};
use crate::common::program::{assert_fails, assert_usage_error, fecscan, run, run_with};

#[test]
fn a_guessed_schema_that_the_rows_contradict_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    fs::write(&path, "H0AL01048|2018|2018|C00990012|H|P|185121\n").unwrap();
    let path = path.display();
    let message = format!("{path}: looks like a file of schema ccl; name it: --schema ccl");
    assert_fails(run_with(&format!("by CAND_ID {path}")), 2, &message);
    let ended = run_with(&format!("by CAND_ID --schema ccl -f csv {path}"));
    assert_eq!(ended, done("CAND_ID,count\nH0AL01048,1\n"));
}

#[test]
fn questions_that_are_wrong_are_usage_errors() {
    let write = "write columns with commas between them, in quotes as far as the shell is concerned: \
                 fecscan by 'STATE,month(TRANSACTION_DT)' itcont.txt\n";
    for (arguments, message) in [
        ("STATE,", format!("the keys 'STATE,' have an empty one; {write}")),
        (",STATE", format!("the keys ',STATE' have an empty one; {write}")),
        ("month()", format!("the keys 'month()' have an empty one; {write}")),
        ("month(date", format!("the keys 'month(date' lack a closing parenthesis; {write}")),
        ("STATE)", format!("the keys 'STATE)' have a closing parenthesis too many; {write}")),
        ("month(a,b)", format!("the keys 'month(a,b)' have a comma inside of parentheses; {write}")),
        ("zip5(zip5(zip))", format!("the keys 'zip5(zip5(zip))' have parentheses inside of parentheses; {write}")),
        ("month(date)x", "the key 'month(date)x' goes on after its parenthesis; put commas between keys\n".to_owned()),
        (
            "moth(date)",
            "there is no function 'moth'; did you mean month(date)? The functions are month, year, zip5, first_name, \
             last_name, as in 'month(TRANSACTION_DT)'\n"
                .to_owned(),
        ),
        ("quarter(date)", "there is no function 'quarter'; the functions are month, year, ".to_owned()),
        ("sum(amount)", "sum(amount) is an aggregate, not a key; write --sum amount\n".to_owned()),
        ("STATE --sum f(x)", "--sum takes one column, not 'f(x)'; name a column: --sum TRANSACTION_AMT\n".to_owned()),
        ("STATE --distinct ,", "--distinct takes one column, not ','; name a column: --distinct NAME\n".to_owned()),
        (
            "STATE --sort sum(amount)",
            "groups can't be sorted by 'sum(amount)'; possible are --sort count, --sort key; for 'sum(amount)', add \
             --sum amount\n"
                .to_owned(),
        ),
        (
            "STATE --sum amount --min amount --sort max(date)",
            "groups can't be sorted by 'max(date)'; possible are --sort count, --sort key, --sort 'sum(amount)', --sort \
             'min(amount)'; for 'max(date)', add --max date\n"
                .to_owned(),
        ),
        ("STATE --sort STATE", "groups can't be sorted by 'STATE'; possible are --sort count, --sort key\n".to_owned()),
        ("STATE --top x", "invalid value 'x' for '--top <N>'".to_owned()),
        ("STATE --max-groups -1", "invalid value '-1' for '--max-groups <N>'".to_owned()),
        ("STATE --name 0", "unknown option '--name'; it belongs to 'fecscan report'\n".to_owned()),
    ] {
        // Nothing is read before.
        assert_usage_error(&format!("by {arguments} missing"), &message);
    }
    assert_usage_error("by", "the following required arguments were not provided:");
    assert_usage_error(
        &format!("by {PLAIN}"),
        "no KEY is named, and 'fixtures/plain.txt' is a file; the keys come first: fecscan by STATE itcont.txt\n",
    );
    let ended = run(&mut fecscan(["by", "STATE", "--sum", "", PLAIN]));
    assert_fails(
        ended,
        2,
        "--sum names no column; name a column: --sum TRANSACTION_AMT",
    );
}

#[test]
fn columns_that_do_not_fit_are_errors_of_each_file() {
    let example =
        "; a key is a column, or a function of one: fecscan by 'STATE,month(TRANSACTION_DT)'\n";
    for (arguments, begin, end) in [
        (
            "STAT",
            "indiv has no column 'STAT'; did you mean STATE? Its columns are #1 to #21: CMTE_ID, ",
            example,
        ),
        (
            "#22",
            "indiv has no column '#22'; its columns are #1 to #21: ",
            example,
        ),
        (
            "month(dat)",
            "indiv has no column 'dat'; did you mean date? ",
            example,
        ),
        (
            "STATE --sum amuont",
            "indiv has no column 'amuont'; did you mean amount? ",
            "; an example: --sum TRANSACTION_AMT\n",
        ),
        (
            "STATE --distinct NAMME",
            "indiv has no column 'NAMME'; did you mean NAME? ",
            "; an example: --distinct CMTE_ID\n",
        ),
        (
            "month(STATE)",
            "month takes dates and image numbers, and STATE holds text; ",
            "write month(TRANSACTION_DT) or month(IMAGE_NUM)\n",
        ),
        (
            "year(amount)",
            "year takes dates and image numbers, and TRANSACTION_AMT holds numbers; ",
            "\n",
        ),
        (
            "zip5(STATE)",
            "zip5 takes zip codes, and STATE holds text; write zip5(ZIP_CODE)\n",
            "\n",
        ),
        (
            "first_name(date)",
            "first_name takes names, and TRANSACTION_DT holds dates; write first_name(NAME)\n",
            "\n",
        ),
        (
            "STATE --sum NAME",
            "sum takes numbers, and NAME holds text; write --sum TRANSACTION_AMT\n",
            "\n",
        ),
        (
            "STATE --mean date",
            "mean takes numbers, and TRANSACTION_DT holds dates; write --mean TRANSACTION_AMT\n",
            "\n",
        ),
        (
            "STATE --min zip",
            "min takes numbers and dates, and ZIP_CODE holds zip codes; ",
            "write --min TRANSACTION_AMT or --min TRANSACTION_DT\n",
        ),
        (
            "STATE,state",
            "the key STATE is named twice; name it once\n",
            "\n",
        ),
        (
            "NAME --sum amount --sum #15",
            "the aggregate sum(TRANSACTION_AMT) is named twice; name it once\n",
            "\n",
        ),
        (
            "CMTE_ID --schema cm --sum name",
            "sum takes numbers, and CMTE_NM holds text; ",
            "cm has no column of them; --distinct takes any\n",
        ),
        (
            "month(CMTE_ID) --schema cm",
            "month takes dates and image numbers, and CMTE_ID holds text; ",
            "cm has no column of them\n",
        ),
        (
            "#26 --schema oppexp --min #26",
            "min takes numbers and dates, and #26 holds text; ",
            "\n",
        ),
    ] {
        let ended = run_with(&format!("by {arguments} {PLAIN}"));
        assert_eq!((ended.status, &*ended.out), (2, ""), "{arguments}");
        let message = format!("fecscan: {PLAIN}: {begin}");
        assert!(
            ended.err.starts_with(&message) && ended.err.ends_with(end),
            "{arguments}: {}",
            ended.err
        );
        assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
    }
    let ended = run_with(&format!("by NAME --max-groups 7 {PLAIN}"));
    let message = "there are more than 7 groups; group by less, choose rows with --where, or allow more with \
                   --max-groups; --top cuts the result only after all groups are known";
    assert_fails(ended, 2, message);
    assert_eq!(
        run_with(&format!("by NAME --max-groups 8 {PLAIN}")).status,
        0
    );
}

/// Blanks between keys make files of them. Nothing is read then, so no table follows.
#[test]
fn keys_with_blanks_between_them_are_refused() {
    for (arguments, named, keys) in [
        ("state city", "city", "state,city"),
        (&format!("state city {PLAIN}"), "city", "state,city"),
        (
            &format!("state, city, zip {PLAIN}"),
            "city,",
            "state,city,zip",
        ),
        (
            &format!("state {PLAIN} month(date),#5"),
            "month(date),#5",
            "state,month(date),#5",
        ),
        ("state CMTE_NM --with cm.txt", "CMTE_NM", "state,CMTE_NM"),
        ("state cm.party --with cm.txt", "cm.party", "state,cm.party"),
        (&format!("state month {PLAIN}"), "month", "state,month"),
    ] {
        let message = format!(
            "{named}: there is no such file, and a key has this name; keys have commas between them, and no \
             blanks: fecscan by '{keys}'"
        );
        assert_fails(run_with(&format!("by {arguments}")), 2, &message);
    }
    assert_fails(
        run_with(&format!("by {PLAIN} state")),
        2,
        &format!(
            "no KEY is named, and '{PLAIN}' is a file; the keys come first: fecscan by STATE itcont.txt"
        ),
    );
    // A file with the name of a column is a file. A missing one with another name is missing.
    let directory = tempfile::tempdir().unwrap();
    fs::copy(PLAIN, directory.path().join("city")).unwrap();
    let ended = run(fecscan(["by", "state", "-f", "csv", "city"]).current_dir(&directory));
    assert_eq!(ended, done("STATE,count\nOR,7\nWA,1\n"));
    // So is one whose extension is the name of a column.
    for missing in [
        "cities",
        "nosuch.zip",
        "/nowhere/indiv20.zip",
        "notes.text",
        "STATE.zip",
        "cm.zip",
        "indiv.ZIP",
        "by.state/zip",
    ] {
        let ended = run_with(&format!("by state {missing}"));
        assert_eq!(ended.status, 2, "{missing}");
        assert!(
            ended
                .err
                .starts_with(&format!("fecscan: {missing}: No such file")),
            "{missing}: {}",
            ended.err
        );
    }
}

#[test]
fn functions_without_a_column_are_suggested_with_one() {
    for (key, calls) in [
        ("month", "'month(TRANSACTION_DT)' or 'month(IMAGE_NUM)'"),
        ("YEAR", "'year(TRANSACTION_DT)' or 'year(IMAGE_NUM)'"),
        ("months", "'month(TRANSACTION_DT)' or 'month(IMAGE_NUM)'"),
        ("zip5", "'zip5(ZIP_CODE)'"),
        ("first_name", "'first_name(NAME)'"),
        ("lastname", "'last_name(NAME)'"),
    ] {
        let message = format!(
            "{PLAIN}: indiv has no column '{key}'; did you mean {calls}? The shell needs the quotes"
        );
        assert_fails(run_with(&format!("by state,{key} {PLAIN}")), 2, &message);
    }
    // Functions of kinds that the schema lacks are no help; names of columns come first.
    for (schema, key, suggested) in [
        ("cn", "month", "its columns are #1 to #15: "),
        ("cn", "first_name", "did you mean 'first_name(CAND_NAME)'? "),
        ("indiv", "zip4", "did you mean zip? "),
        ("indiv", "cand_name", "it is a column of cn: "),
        ("indiv", "month(month)", "its columns are #1 to #21: "),
    ] {
        let ended = run_with(&format!("by {key} --schema {schema} {PLAIN}"));
        assert!(
            ended.status == 2 && ended.err.contains(&format!("'; {suggested}")),
            "{key}: {}",
            ended.err
        );
    }
}
