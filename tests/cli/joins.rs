//! `--with`: its errors, its notes, and the names of joined columns.

use std::fs;
use std::path::Path;

use crate::common::archives::{Member, gzip, zip};
use crate::common::program::{Ended, fecscan, run, shell};
use tempfile::TempDir;

const CM: &str = "\
    C00000001|PIE PAC|T|1 ST||TOWN|CA|900491234|P|H|DEM|Q|C|PIE INC|H0CA00001\n\
    C00000002|CAKE PAC|T|1 ST||TOWN|NY|10001|P|S|REP|Q||CAKE INC|S0NY00001\n\
    C00000003|TEA PAC|T|1 ST||TOWN|NY|10001|U|N||Q|||\n";
const CN: &str = "\
    H0CA00001|PIE, ANN|DEM|2018|CA|H|01|I|C|C00000001|||TOWN|CA|90049\n\
    S0NY00001|CAKE, BOB|REP|2018|NY|S|00|C|C|C00000002|||TOWN|NY|10001\n";
const CCL: &str = "\
    H0CA00001|2018|2018|C00000001|H|P|1\n\
    S0NY00001|2018|2018|C00000003|S|A|2\n";

/// Returns a row of indiv of this committee and state.
fn row(committee: &str, state: &str, amount: &str) -> String {
    format!(
        "{committee}|N|Q1|P|201801019000000001|15|IND|ROE, JO|TOWN|{state}|90049|||01012018|{amount}||1|2|||3\n"
    )
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let rows = [
        row("C00000001", "CA", "10"),
        row("C00000002", "CA", "20"),
        row("C00000001", "NY", "30"),
        row("C00000003", "NY", "40"),
        row("C00000009", "NY", "50"),
    ];
    let rows = rows.concat();
    for (name, text) in [
        ("cm.txt", CM),
        ("cn.txt", CN),
        ("ccl.txt", CCL),
        ("itcont.txt", &rows),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn run_in(folder: &Path, arguments: &[&str]) -> Ended {
    run(fecscan(arguments).current_dir(folder))
}

/// Runs `by` with the rows as CSV.
fn by(folder: &Path, keys: &str, more: &str) -> Ended {
    let mut arguments = vec!["by", keys, "-f", "csv", "itcont.txt"];
    arguments.extend(more.split_whitespace());
    run_in(folder, &arguments)
}

#[track_caller]
fn assert_prints(ended: Ended, out: &str, err: &str) {
    let expected = Ended {
        status: 0,
        out: out.to_owned(),
        err: err.to_owned(),
    };
    assert_eq!(ended, expected);
}

/// Asserts that a run fails and prints just this line, with what stands before the first file's name.
#[track_caller]
fn assert_refused(ended: Ended, message: &str) {
    assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{}", ended.err);
    assert!(
        ended.err.starts_with(&format!("fecscan: {message}")),
        "{}",
        ended.err
    );
    assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
}

#[test]
fn joined_columns_are_keys_with_notes_on_rows_without_a_partner() {
    let folder = folder();
    assert_prints(
        by(folder.path(), "CMTE_NM", "--with cm.txt --sum amount"),
        "CMTE_NM,count,sum(TRANSACTION_AMT)\nPIE PAC,2,40.00\n,1,50.00\nCAKE PAC,1,20.00\nTEA PAC,1,40.00\n",
        "fecscan: note: 1 row has no partner in cm.txt, so columns of that file are empty\n",
    );
    assert_prints(
        by(folder.path(), "CAND_NAME", "--with cm.txt --with cn.txt"),
        "CAND_NAME,count\n,2\n\"PIE, ANN\",2\n\"CAKE, BOB\",1\n",
        "fecscan: note: 2 rows have no partner in cn.txt, so columns of that file are empty\n",
    );
    // The committee without a candidate in cm has one in ccl.
    assert_prints(
        by(
            folder.path(),
            "CAND_NAME",
            "--with ccl.txt --with cm.txt --with cn.txt",
        ),
        "CAND_NAME,count\n\"CAKE, BOB\",2\n\"PIE, ANN\",2\n,1\n",
        "fecscan: note: 1 row has no partner in cn.txt, so columns of that file are empty\n",
    );
    assert_prints(
        by(
            folder.path(),
            "STATE",
            "--with cm.txt --distinct CMTE_ST --distinct CMTE_ID --where CMTE_ID!=C00000002",
        ),
        "STATE,count,distinct(CMTE_ST),distinct(CMTE_ID)\nNY,3,2,3\nCA,1,1,1\n",
        "fecscan: note: 1 identifier has no partner in cm.txt\n",
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
            "neither indiv nor cm has a column 'CMTE_MN'; did you mean CMTE_NM, of cm.txt? indiv has CMTE_ID, ",
        ),
        (
            "STAT",
            "--with cm.txt",
            "neither indiv nor cm has a column 'STAT'; did you mean STATE? indiv has ",
        ),
        (
            "CAND_IDD",
            "--with cm.txt --with ccl.txt --with cn.txt",
            "none of indiv, cm, ccl, cn has a column 'CAND_IDD'; did you mean CAND_ID, of cm.txt? ",
        ),
        (
            "CMTE_TYP",
            "--with ccl.txt --with cm.txt",
            "none of indiv, ccl, cm has a column 'CMTE_TYP'; did you mean CMTE_TP, of ccl.txt? ",
        ),
        (
            "#22",
            "--with cm.txt",
            "neither indiv nor cm has a column '#22'; indiv has ",
        ),
        (
            "cm.CMTE_MN",
            "--with cm.txt",
            "cm has no column 'CMTE_MN'; did you mean CMTE_NM? ",
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
            "indiv has no column 'oth.name'; its columns are ",
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
        &["count", "--where", "CMTE_NM~x", "itcont.txt"],
    );
    assert_refused(
        ended,
        "itcont.txt: indiv has no column 'CMTE_NM'; it is a column of cm: add --with cm.txt\n",
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
fn aggregates_of_joined_columns_are_refused() {
    let folder = folder();
    for aggregate in ["sum", "min", "max", "mean"] {
        let ended = by(
            folder.path(),
            "STATE",
            &format!("--with cm.txt --{aggregate} cmte_zip"),
        );
        assert_refused(
            ended,
            &format!(
                "itcont.txt: {aggregate}(CMTE_ZIP) would take a value of cm.txt once for each row that it \
                 is joined to; make it a key, or count its values: --distinct CMTE_ZIP\n"
            ),
        );
    }
}

/// Rows of indiv lead to candidates through the committee.
#[test]
fn conditions_on_candidates_go_through_ccl_without_cm() {
    let folder = folder();
    for (condition, lines) in [
        ("CAND_NAME~ANN", "2"),
        ("CAND_NAME!=PIE", "5"),
        ("cn.state=CA", "2"),
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

#[test]
fn files_that_cant_be_joined_end_the_run_before_it_begins() {
    let folder = folder();
    let path = folder.path();
    let mut damaged = gzip(CM.as_bytes());
    let end = damaged.len() - 8;
    damaged[end] ^= 1;
    let cut = &gzip(CM.as_bytes())[..60];
    let oppexp = zip(&[Member::stored("oppexp.txt", b"x")]);
    for (name, bytes) in [
        ("damaged.gz", &damaged[..]),
        ("cut.gz", cut),
        ("oppexp.zip", &oppexp),
        ("text", b"# notes\n\nno rows\n"),
        ("empty", b""),
        ("itpas2.txt", b""),
    ] {
        fs::write(path.join(name), bytes).unwrap();
    }
    let advice =
        "--with joins files of cm (committees), cn (candidates) and ccl (links between both)\n";
    for (file, message) in [
        ("missing.txt", "No such file or directory".to_owned()),
        ("damaged.gz", String::new()),
        ("cut.gz", String::new()),
        (".", "Is a directory".to_owned()),
        (
            "oppexp.zip",
            format!("oppexp.txt: is a file of schema oppexp, which can't be joined; {advice}"),
        ),
        (
            "itcont.txt",
            format!("is a file of schema indiv, which can't be joined; {advice}"),
        ),
        (
            "itpas2.txt",
            format!("is a file of schema pas2, which can't be joined; {advice}"),
        ),
        (
            "text",
            format!(
                "is of no known schema by its name or its first rows, and can't be joined; {advice}"
            ),
        ),
        ("empty", "is of no known schema ".to_owned()),
    ] {
        for command in [&["by", "STATE"][..], &["count"], &[]] {
            let all = [command, &["--with", "cm.txt", "--with", file, "itcont.txt"]].concat();
            assert_refused(run_in(path, &all), &format!("{file}: {message}"));
        }
    }
}

#[test]
fn notes_count_what_is_left_out_of_joined_files() {
    let folder = folder();
    let path = folder.path();
    let more = CM.replace("PIE PAC", "NEW PIE") + "|NO KEY\n\n" + &CM[..CM.find('\n').unwrap()];
    fs::write(path.join("cm18.txt"), more).unwrap();
    let args = "--with cm18.txt --where state=CA";
    assert_prints(
        by(path, "CMTE_NM", args),
        "CMTE_NM,count\nCAKE PAC,1\nPIE PAC,1\n",
        "fecscan: cm18.txt: note: 1 row is left out: a later row has its CMTE_ID\n\
         fecscan: cm18.txt: note: 2 rows are left out: they have no CMTE_ID\n",
    );
    assert_prints(
        by(
            path,
            "CMTE_NM",
            &format!(
                "--with cm.txt --with ./cm18.txt --where cm.party=DEM,'' {}",
                "--where state=NY"
            ),
        ),
        "CMTE_NM,count\n,1\nPIE PAC,1\nTEA PAC,1\n",
        "fecscan: ./cm18.txt: note: 1 row is left out: a later row has its CMTE_ID\n\
         fecscan: ./cm18.txt: note: 2 rows are left out: they have no CMTE_ID\n\
         fecscan: ./cm18.txt: note: 3 rows of earlier --with files are left out: this one has their CMTE_ID\n\
         fecscan: note: 1 row has no partner in cm.txt, ./cm18.txt, so conditions find columns of that file empty\n",
    );
    let archive = zip(&[
        Member::stored("cm.txt", CM.as_bytes()),
        Member::stored("old/cm.txt", b"x"),
    ]);
    fs::write(path.join("cm.zip"), archive).unwrap();
    let ended = by(path, "CMTE_NM", "--with cm.zip --where CMTE_ID!=C00000009");
    assert_eq!(ended.out.lines().count(), 4);
    assert!(
        ended.err.starts_with("fecscan: cm.zip: note: "),
        "{}",
        ended.err
    );
    assert!(ended.err.contains("old"), "{}", ended.err);
}

#[test]
fn files_without_use_get_a_note() {
    let folder = folder();
    let unused =
        |file: &str| format!("fecscan: {file}: note: no key and no condition uses its columns\n");
    for (command, err) in [
        (
            &["count", "--with", "cm.txt", "itcont.txt"][..],
            unused("cm.txt"),
        ),
        (
            &[
                "by",
                "CMTE_NM",
                "--where",
                "CMTE_ID!=C00000009",
                "--with",
                "cm.txt",
                "--with",
                "cn.txt",
                "itcont.txt",
            ],
            unused("cn.txt"),
        ),
        (
            &[
                "by",
                "CAND_NAME",
                "--where",
                "state=CA",
                "--with",
                "cm.txt",
                "--with",
                "cn.txt",
                "itcont.txt",
            ],
            String::new(),
        ),
    ] {
        assert_eq!(run_in(folder.path(), command).err, err, "{command:?}");
    }
}

#[test]
fn conditions_on_joined_columns_hold_for_the_report_and_count() {
    let folder = folder();
    for (condition, lines) in [
        ("party=DEM", "2"),
        ("party!=DEM", "3"),
        ("party=", "2"),
        ("CMTE_NM~^$", "1"),
        ("cm.CAND_ID^=H", "2"),
        ("cmte_zip<20000", "2"),
        ("CAND_NAME~ANN", "2"),
        ("cn.party!=DEM,REP", "2"),
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
            "party=DEM",
            "--where",
            "state=NY",
            "itcont.txt",
        ],
    );
    assert_eq!(both.out, "1 itcont.txt\n");
    let date = run_in(
        folder.path(),
        &[
            "count",
            "--with",
            "cm.txt",
            "--where",
            "cmte_zip<2018-01-01",
            "itcont.txt",
        ],
    );
    assert_refused(
        date,
        "itcont.txt: CMTE_ZIP holds no dates, and is compared with one; ",
    );
}

/// Rows that a condition on a joined column can't judge are counted, if they meet the conditions on their
/// own columns.
#[test]
fn conditions_count_rows_without_a_partner() {
    let folder = folder();
    let cm = "fecscan: note: 1 row has no partner in cm.txt, so conditions find columns of that file empty\n";
    let cn = "fecscan: note: 2 rows have no partner in cn.txt, so conditions find columns of that file empty\n";
    let both = &format!("{cm}{cn}")[..];
    for command in [
        "count",
        "report -f json",
        "report -f json --name 0,1,2 -j 2 --task-size 64",
        "by state -f csv",
    ] {
        for (conditions, notes) in [
            ("party=DEM", cm),
            ("party!=DEM", cm),
            ("party= party=DEM", cm),
            ("party=DEM state=NY", cm),
            ("state=NY party=NONE", cm),
            ("party=DEM NAME~ROE", cm),
            ("party=DEM amount<50", ""),
            ("state=CA party=NONE", ""),
            ("CMTE_ID!=C00000009 party=DEM", ""),
            ("CAND_NAME~ANN", cn),
            ("CAND_NAME~ANN party=DEM", both),
            ("party=NONE CAND_NAME~ANN", both),
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

/// Rows without a partner for a condition include those without one for a key.
#[test]
fn a_file_of_conditions_and_keys_has_one_note() {
    let folder = folder();
    assert_prints(
        by(
            folder.path(),
            "CMTE_NM",
            "--with cm.txt --where party!=DEM --where amount>20",
        ),
        "CMTE_NM,count\n,1\nTEA PAC,1\n",
        "fecscan: note: 1 row has no partner in cm.txt, so conditions find columns of that file empty\n",
    );
    assert_prints(
        by(
            folder.path(),
            "CAND_NAME",
            "--with cm.txt --with cn.txt --where party!=DEM",
        ),
        "CAND_NAME,count\n,2\n\"CAKE, BOB\",1\n",
        "fecscan: note: 1 row has no partner in cm.txt, so conditions find columns of that file empty\n\
         fecscan: note: 2 rows have no partner in cn.txt, so columns of that file are empty\n",
    );
}

#[test]
fn standard_input_is_read_once_and_outputs_replace_no_joined_file() {
    let folder = folder();
    let in_folder = |script: &str| shell(&format!("cd {} && {script}", folder.path().display()));
    let ended = in_folder("$F by CMTE_NM --top 1 -f csv --with - itcont.txt < cm.txt");
    assert_eq!(ended.out, "CMTE_NM,count\nPIE PAC,2\n");
    let ended = in_folder("cat cm.txt | $F by CMTE_NM --top 1 -f csv --with - itcont.txt");
    assert_eq!(ended.out, "CMTE_NM,count\nPIE PAC,2\n");
    let ended = in_folder("$F by CMTE_NM --top 1 -f csv --with cm.txt < itcont.txt");
    assert_eq!(ended.out, "CMTE_NM,count\nPIE PAC,2\n");
    for arguments in ["--with -", "--with - -", "--with - --with - itcont.txt"] {
        let ended = in_folder(&format!("$F by CMTE_NM {arguments} < cm.txt"));
        assert_refused(
            ended,
            "standard input: can't be read both by --with and as rows, or twice; name a file",
        );
    }
    let ended = in_folder("$F by CMTE_NM --with cm.txt -o cm.txt itcont.txt");
    assert_refused(
        ended,
        "cm.txt: is an input, and would be lost as the output; ",
    );
    let ended =
        in_folder("$F --with cm.txt --where party=DEM --rejects cm.txt -o new.txt itcont.txt");
    assert_refused(
        ended,
        "cm.txt: is an input, and would be lost as the output; ",
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("cm.txt")).unwrap(),
        CM
    );
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
