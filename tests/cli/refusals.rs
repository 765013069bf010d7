//! The report refuses files that are no contributions, and says what to type instead.

use std::fs;
use std::path::Path;

use crate::cli::PLAIN;
use crate::common::archives::{Member, gzip, zip, zstd};
use crate::common::program::{Ended, assert_fails, fecscan, run, run_with, shell};
use tempfile::TempDir;

/// A schema, the number of its columns, and the values of some of them by number.
type Sample = (&'static str, usize, &'static [(usize, &'static str)]);

/// Rows of each schema, of so many columns, with the identifiers that tell it. The rows of indiv,
/// oth and pas2 are contributions.
const ROWS: [Sample; 7] = [
    ("indiv", 21, &[(1, "C00990012"), (7, "IND")]),
    ("oth", 21, &[(1, "C00990012"), (7, "PAC")]),
    (
        "pas2",
        22,
        &[(1, "C00990012"), (7, "CAN"), (17, "H0AL01048")],
    ),
    ("cm", 15, &[(1, "C00990012"), (2, "SOMETHING PAC")]),
    ("cn", 15, &[(1, "H0AL01048"), (2, "ROE, JANE")]),
    ("ccl", 7, &[(1, "H0AL01048"), (2, "2018"), (4, "C00990012")]),
    ("oppexp", 26, &[(1, "C00990012"), (8, "AN INN, LTD")]),
];

fn row((_, width, values): Sample) -> String {
    let mut columns = vec![""; width];
    for (number, value) in values {
        columns[number - 1] = value;
    }
    columns.join("|") + "\n"
}

fn rows_of(schema: &str) -> String {
    let of_schema = ROWS.into_iter().find(|(name, ..)| *name == schema);
    row(of_schema.unwrap()).repeat(5)
}

/// The end of all refusals of the file at `path`.
fn advice(path: &str) -> String {
    format!("to count its lines: fecscan count {path}; to report on it all the same: --force")
}

fn looks_like(schema: &str, path: &str) -> String {
    let advice = advice(path);
    format!("looks like a file of schema {schema}, not of contributions; {advice}")
}

fn is_by_name(schema: &str, path: &str) -> String {
    let advice = advice(path);
    format!("is a file of schema {schema} by its name, not of contributions; {advice}")
}

fn is_none(path: &str) -> String {
    is_none_because("", path)
}

fn is_none_because(cause: &str, path: &str) -> String {
    let what = "is not a file of contributions: none of its first rows has 21 columns";
    format!("{what}{cause}; {}", advice(path))
}

fn folder_with(files: &[(&str, &[u8])]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(directory.path().join(name), bytes).unwrap();
    }
    directory
}

fn run_in(directory: &Path, arguments: &str) -> Ended {
    run(fecscan(arguments.split_whitespace()).current_dir(directory))
}

#[test]
fn a_name_of_another_schema_is_refused_whatever_the_rows_are() {
    let plain = fs::read(PLAIN).unwrap();
    for (name, schema) in [
        ("cm.txt", Some("cm")),
        ("cn18.txt", Some("cn")),
        ("ccl_2018.txt", Some("ccl")),
        ("oppexp.txt", Some("oppexp")),
        ("indiv18.txt", None),
        ("itoth.txt", None),
        ("itpas2.txt", None),
        ("cmte.txt", None),
        ("any name", None),
    ] {
        let directory = folder_with(&[(name, &plain)]);
        let here = |arguments: &[&str]| run(fecscan(arguments).arg(name).current_dir(&directory));
        let report = here(&["-f", "challenge"]);
        let all_the_same = here(&["-f", "challenge", "--force"]);
        let expected = run_with(&format!("-f challenge {PLAIN}"));
        assert_eq!(all_the_same, expected, "{name}");
        match schema {
            None => assert_eq!(report, expected, "{name}"),
            Some(schema) => {
                let message = format!("{name}: {}", is_by_name(schema, name));
                assert_fails(report, 2, &message);
                // The option outweighs the name.
                let other = here(&["--schema", "cn"]);
                if schema != "cn" {
                    assert!(
                        other.err.contains("schema cn as given, not"),
                        "{}",
                        other.err
                    );
                }
                assert_eq!(here(&["-f", "challenge", "--schema", "oth"]), expected);
            }
        }
    }
}

#[test]
fn rows_of_another_schema_are_refused_and_those_of_contributions_are_not() {
    for (schema, ..) in ROWS {
        let text = rows_of(schema);
        let directory = folder_with(&[("data.txt", text.as_bytes())]);
        let here = |arguments: &str| run_in(directory.path(), arguments);
        let all_the_same = here("-f json --force data.txt");
        assert_eq!((all_the_same.status, all_the_same.err.as_str()), (0, ""));
        let lines = r#""lines":5"#;
        assert!(all_the_same.out.contains(lines), "{}", all_the_same.out);
        for io in ["mmap", "read"] {
            let report = here(&format!("-f json --io {io} data.txt"));
            match schema {
                "indiv" | "oth" | "pas2" => assert_eq!(report, all_the_same, "{schema}"),
                _ => {
                    let message = format!("data.txt: {}", looks_like(schema, "data.txt"));
                    assert_fails(report, 2, &message);
                }
            }
        }
        assert_eq!(
            here("count data.txt").out,
            "5 data.txt\n",
            "count refuses nothing"
        );
    }
}

#[test]
fn texts_of_other_kinds_are_refused() {
    assert_fails(
        run_with("README.md"),
        2,
        &format!("README.md: {}", is_none("README.md")),
    );
    let commas = fs::read_to_string(PLAIN).unwrap().replace('|', ",");
    let commas_only = "they have commas, and no |";
    for (text, cause) in [
        (commas.as_bytes(), commas_only),
        (b"x", "there is no | in them"),
        (b"\n\n\n", ""),
        (b"|||||||ROE, JANE|\n", ""),
        (&[0; 5000], "there is no | in them"),
        (
            b"\xef\xbb\xbf<!DOCTYPE html>\n<p>a|b",
            "it begins like HTML",
        ),
        (b"\n <html lang=en>\n", "it begins like HTML"),
        (b"<?xml version=\"1.0\"?>", "it begins like XML"),
        (b"%PDF-1.7\n%\xe2\xe3|\n", "it begins like a PDF"),
        (b"<!doctype", "there is no | in them"),
    ] {
        let directory = folder_with(&[("data.txt", text)]);
        let ended = run_in(directory.path(), "data.txt");
        let because = match cause {
            "" => String::new(),
            cause => format!("; {cause}"),
        };
        let message = is_none_because(&because, "data.txt");
        assert_fails(ended, 2, &format!("data.txt: {message}"));
        let grouped = run_in(directory.path(), "by STATE data.txt");
        let unknown = "data.txt: is of no known schema by its name or its first rows";
        let message = match cause {
            "" => format!("{unknown}; if it has columns of one, name that: --schema indiv"),
            cause if cause == commas_only => format!(
                "{unknown}: {cause}; if it is a table, read it with --delimiter comma, and --header if its first line names the columns"
            ),
            cause => format!("{unknown}: {cause}; columns of the FEC's files have | between them"),
        };
        assert_fails(grouped, 2, &message);
        let forced = run_in(directory.path(), "--force data.txt");
        assert_eq!((forced.status, forced.err.as_str()), (0, ""));
    }
}

#[test]
fn an_empty_file_is_no_other_kind() {
    let directory = folder_with(&[("a", b""), ("a.gz", &gzip(b"")), ("a.zst", &zstd(b""))]);
    for path in ["a", "a.gz", "a.zst", "/dev/null"] {
        let ended = run_in(directory.path(), &format!("-f json {path}"));
        assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{path}");
        assert!(ended.out.contains(r#""lines":0"#), "{}", ended.out);
    }
    let ended = shell("true | $F -f json");
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
}

/// One row of 21 columns among the first thousand is enough, and later ones do not matter.
#[test]
fn a_file_is_judged_by_its_first_thousand_rows() {
    let directory = tempfile::tempdir().unwrap();
    let good = row(ROWS[0]);
    for (before, is_refused) in [(0, false), (1, false), (999, false), (1000, true)] {
        let text = format!("{}{good}", "odd|row\n".repeat(before));
        for (name, bytes) in [
            ("plain", text.clone().into_bytes()),
            ("gz", gzip(text.as_bytes())),
            ("zst", zstd(text.as_bytes())),
            (
                "zip",
                zip(&[Member::deflated("itcont.txt", text.as_bytes())]),
            ),
        ] {
            fs::write(directory.path().join(name), bytes).unwrap();
            for options in ["", "--io read", "--task-size 7 -j 3"] {
                let ended = run_in(directory.path(), &format!("-f json {options} {name}"));
                let what = format!("{before} rows before, {name} {options}: {}", ended.err);
                assert_eq!(ended.status == 2, is_refused, "{what}");
                assert_eq!(
                    ended.err.contains("is not a file of contributions"),
                    is_refused
                );
            }
            if name != "zip" {
                let path = directory.path().join(name);
                let ended = shell(&format!("cat {} | $F -f json", path.display()));
                assert_eq!(ended.status == 2, is_refused, "{before}, {name} as a pipe");
            }
        }
    }
    // The newline at the end is missing, or all line ends have two bytes.
    let cut = good.trim_end();
    for text in [
        cut.to_owned(),
        format!("odd\r\n{cut}\r\n"),
        format!("\u{feff}{good}"),
    ] {
        fs::write(directory.path().join("data"), text).unwrap();
        assert_eq!(run_in(directory.path(), "data").status, 0);
    }
}

#[test]
fn pipes_are_judged_too_and_lose_no_row_by_it() {
    let report = |command: &str| shell(&format!("{command} | $F -f json"));
    let expected = shell(&format!("$F -f json < {PLAIN}"));
    assert_eq!(report(&format!("cat {PLAIN}")), expected);
    // The rows come one by one.
    let slowly = format!("while read -r line; do echo \"$line\"; done < {PLAIN}");
    let lines = |ended: &Ended| {
        ended
            .out
            .split_once(r#""names""#)
            .map(|(_, rest)| rest.to_owned())
    };
    assert_eq!(lines(&report(&slowly)), lines(&expected));
    for (command, message) in [
        ("cat README.md".to_owned(), is_none("-")),
        (
            format!("printf %s '{}'", rows_of("ccl")),
            looks_like("ccl", "-"),
        ),
        (
            format!("printf %s '{}' | gzip", rows_of("cm")),
            looks_like("cm", "-"),
        ),
    ] {
        assert_fails(report(&command), 2, &format!("standard input: {message}"));
    }
}

/// A member that is refused fails its archive, which adds nothing. Other inputs are reported.
#[test]
fn members_are_judged_one_by_one_and_fail_their_archive() {
    let indiv = rows_of("indiv");
    let archive = |members: &[(&str, &str)]| {
        let members = members.iter();
        let members = members.map(|(name, text)| Member::deflated(name, text.as_bytes()));
        zip(&members.collect::<Vec<_>>())
    };
    let cn = rows_of("cn");
    let directory = folder_with(&[
        ("named.zip", &archive(&[("cn.txt", &indiv)])),
        (
            "looks.zip",
            &archive(&[("a.txt", &indiv), ("b.txt", &cn), ("c.txt", "x\n")]),
        ),
        (
            "good.zip",
            &archive(&[("a.txt", &indiv), ("empty.txt", ""), ("itcont.txt", &indiv)]),
        ),
        // The member's name outweighs that of the archive.
        ("cm18.zip", &archive(&[("itcont.txt", &indiv)])),
        ("cn18.zip", &archive(&[("data.txt", &indiv)])),
        ("plain.txt", &fs::read(PLAIN).unwrap()),
    ]);
    let here = |arguments: &str| run_in(directory.path(), arguments);
    let named = format!("named.zip: cn.txt: {}", is_by_name("cn", "named.zip"));
    let looks = format!("looks.zip: b.txt: {}", looks_like("cn", "looks.zip"));
    let archive_name = format!("cn18.zip: data.txt: {}", is_by_name("cn", "cn18.zip"));
    for (path, message) in [
        ("named.zip", &named),
        ("looks.zip", &looks),
        ("cn18.zip", &archive_name),
    ] {
        assert_fails(here(path), 2, message);
        assert_eq!(here(&format!("--force {path}")).status, 0, "{path}");
    }
    for path in ["good.zip", "cm18.zip"] {
        let ended = here(path);
        assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{path}");
    }

    let expected = here("-f json good.zip plain.txt");
    assert_eq!(expected.status, 0);
    for options in [
        "-j 1",
        "-j 2",
        "-j 5 --task-size 64",
        "-j 3 --task-size 1000 --io read",
    ] {
        let ended = here(&format!("-f json {options} good.zip looks.zip plain.txt"));
        assert_eq!((ended.status, &ended.out), (2, &expected.out), "{options}");
        assert_eq!(ended.err, format!("fecscan: {looks}\n"), "{options}");
    }
}

/// A file of a result would not say which input it lacks.
#[test]
fn with_a_refused_file_no_result_is_written() {
    let directory = folder_with(&[
        ("rows.txt", rows_of("cm").as_bytes()),
        ("plain.txt", &fs::read(PLAIN).unwrap()),
    ]);
    let here = |arguments: &str| run_in(directory.path(), arguments);
    assert_eq!(here("-o result --rejects odd.csv rows.txt").status, 2);
    let note = "fecscan: result: note: is not written, because an input failed\n";
    let assert_not_written = |question: &str| {
        let ended = here(question);
        assert!(ended.err.ends_with(note), "{question}: {}", ended.err);
        assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{question}");
    };
    for question in [
        "count missing.txt -o result",
        "export --sample 3 -f csv -o result plain.txt missing.txt",
        "diff plain.txt missing.txt -o result",
        "diff missing.txt plain.txt -f csv -o result",
    ] {
        assert_not_written(question);
    }
    for question in ["--force", "by STATE", "count", "info"] {
        assert_not_written(&format!("{question} plain.txt missing.txt -o result"));
        // Standard output has the result of the others.
        let ended = here(&format!("{question} -f json plain.txt missing.txt"));
        let alone = here(&format!("{question} -f json plain.txt")).out;
        assert_eq!((ended.status, ended.out), (2, alone), "{question}");
    }
    let left = fs::read_dir(&directory).unwrap().count();
    assert_eq!(left, 2, "nothing is written");
}

#[test]
fn names_in_the_advice_are_escaped() {
    let directory = folder_with(&[("a\x1b[31m\n.txt", b"x\n")]);
    let ended = run(fecscan(["a\x1b[31m\n.txt"]).current_dir(&directory));
    let shown = r"a\x1b[31m\n.txt";
    let message = is_none_because("; there is no | in them", shown);
    assert_fails(ended, 2, &format!("{shown}: {message}"));
}

/// One row of another schema changes nothing.
#[test]
fn files_are_of_the_schema_of_most_rows() {
    let of = |name: &str| row(*ROWS.iter().find(|(known, ..)| *known == name).unwrap());
    let blank = "|".repeat(20) + "\n";
    for (odd, rest, is_refused) in [
        (&blank, "oppexp", true),
        (&of("indiv"), "oppexp", true),
        (&of("oppexp"), "indiv", false),
        (&of("cm"), "pas2", false),
    ] {
        for at in [0, 3] {
            let mut rows = vec![of(rest); 5];
            rows.insert(at, odd.clone());
            let directory = folder_with(&[("data.txt", rows.concat().as_bytes())]);
            let here = |question: &str| run_in(directory.path(), question);
            let report = here("data.txt");
            let message = format!("data.txt: {}", looks_like(rest, "data.txt"));
            if is_refused {
                assert_fails(report, 2, &message);
            } else {
                assert_eq!(report.status, 0, "{}", report.err);
            }
            // Groups need certain columns. The first row of a pipe is enough if it has them.
            let path = directory.path().join("data.txt");
            let piped = shell(&format!("cat {} | $F by STATE -", path.display()));
            let fails = rest != "indiv";
            assert_eq!(here("by STATE data.txt").status == 2, fails, "{rest}, {at}");
            let is_enough = at == 0 && odd == &of("indiv");
            assert_eq!(piped.status == 2, fails && !is_enough, "{rest}, {at}");
            // A user who names the schema knows more.
            let named = here("data.txt --schema indiv --strict");
            assert_eq!(
                named.status == 1,
                here("data.txt --force --strict").status == 1
            );
        }
    }
}

/// Files whose names tell no schema are read as indiv, and rows of pas2 have a column more. The report does not use it.
#[test]
fn rows_are_listed_by_the_columns_of_a_schema_that_is_certain() {
    let directory = folder_with(&[("data.txt", rows_of("pas2").as_bytes())]);
    let here = |arguments: &str| run_in(directory.path(), arguments);
    let advice = "data.txt: looks like a file of schema pas2; name it: --schema pas2";
    for option in ["--strict", "--rejects odd.csv"] {
        assert_fails(here(&format!("data.txt {option}")), 2, advice);
        let ended = here(&format!("data.txt {option} --schema pas2"));
        assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{option}");
    }
    assert_eq!(here("data.txt").status, 0);
}

/// Conditions need columns, so the schema must be certain: by an option, a name, or the rows.
#[test]
fn conditions_are_refused_where_the_schema_would_be_a_guess() {
    let texts: [(&str, &[u8]); 3] = [
        ("commas.txt", b"a,b\nc,d\n"),
        ("foo.txt", b"C00990001|N\n"),
        ("empty.txt", b""),
    ];
    let directory = folder_with(&texts);
    let here = |arguments: &str| run_in(directory.path(), arguments);
    for (name, message) in [
        (
            "commas.txt",
            "or its first rows: they have commas, and no |; ",
        ),
        (
            "foo.txt",
            "is of no known schema by its name or its first rows; ",
        ),
    ] {
        let refused = here(&format!("count --where state='CA' {name}"));
        assert_eq!(refused.status, 2);
        assert!(refused.err.contains(message), "{}", refused.err);
        let told = here(&format!("count --schema indiv --where state<>'CA' {name}"));
        assert_eq!(told.status, 0, "{}", told.err);
    }
    assert_eq!(
        here("count --where state='CA' empty.txt").out,
        "0 empty.txt\n"
    );
    fs::write(directory.path().join("rows.txt"), rows_of("cm").repeat(3)).unwrap();
    let refused = here("count --where state='CA' rows.txt");
    let message = "fecscan: rows.txt: looks like a file of schema cm; name it: --schema cm\n";
    assert_eq!((refused.status, &*refused.err), (2, message));
}
