//! The program as its users meet it: formats, exit statuses, and one clear message for everything
//! that goes wrong.

mod common;

use std::fs::{self, File};
use std::io::pipe;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use common::program::{Ended, assert_fails, fecscan, run, run_into, run_with, shell};

const PLAIN: &str = "fixtures/plain.txt";

fn done(out: &str) -> Ended {
    Ended {
        status: 0,
        out: out.to_owned(),
        err: String::new(),
    }
}

#[test]
fn text_is_what_a_person_reads() {
    let expected = "\
fixtures/plain.txt  1.29 kB  8 lines

Names (by line, counted from zero)
       0  MARLOWE, JOHN Q
     432  (there is no such line)
  43,243  (there is no such line)

Donations by month (IMAGE_NUM)
  2018-04  2
  2018-05  2
  2018-06  3
  2018-07  1

Most common first names (4 different)
  JOHN    3  37.50 %
  (none)  1  12.50 %

Months are those of IMAGE_NUM, column 5: when the page was filed, most often the month after the gift; \
--month-column TRANSACTION_DT counts by the date of the gift.
";
    assert_eq!(run_with(PLAIN), done(expected));
    assert_eq!(run_with(&format!("report {PLAIN}")), done(expected));
    let by_date = run_with(&format!(
        "--month-column transaction_dt --top 2 --name 7 fixtures/plain.txt {PLAIN}"
    ));
    let expected = "\
fixtures/plain.txt  1.29 kB   8 lines
fixtures/plain.txt  1.29 kB   8 lines
all files           2.58 kB  16 lines

Names (by line, counted from zero)
  7  BLACKTHORNE, AGNES  & PETER

Donations by month (TRANSACTION_DT)
  2018-03  4
  2018-04  4
  2018-05  6
  (none)   2

Most common first names (4 different)
  JOHN    6  37.50 %
  MARY    4  25.00 %
  (none)  2  12.50 %

Months are those of TRANSACTION_DT, column 14: the date of the gift as it was filed.
";
    assert_eq!(by_date, done(expected));
}

#[test]
fn text_marks_months_that_are_no_calendar_months_and_lines_without_names() {
    let ended = run_with("--name 0,1,99 fixtures/columns.txt fixtures/old-image-numbers.txt");
    for line in [
        "  0  (the line has no column 8)",
        " 99  (there is no such line)",
        "  9903-45  1  no calendar month",
    ] {
        assert!(ended.out.contains(line), "{line:?} in {}", ended.out);
    }
    assert!(
        !ended.out.contains("2018-04  5  no calendar month"),
        "{}",
        ended.out
    );
}

#[test]
fn json_has_its_keys_in_order_on_one_line() {
    let expected = concat!(
        r#"{"files":[{"path":"fixtures/plain.txt","bytes":1291,"lines":8}],"lines":8,"#,
        r#""names":[{"index":1,"name":"QUILLFEATHER, MARY ANN"},{"index":8,"name":null}],"month_column":"IMAGE_NUM","#,
        r#""months":[{"month":"2018-04","lines":2},{"month":"2018-05","lines":2},{"month":"2018-06","lines":3},"#,
        r#"{"month":"2018-07","lines":1}],"lines_without_month":0,"#,
        r#""first_names":[{"first_name":"JOHN","lines":3},{"first_name":"MARY","lines":2}],"#,
        r#""distinct_first_names":4,"lines_without_first_name":1}"#,
        "\n"
    );
    assert_eq!(
        run_with(&format!("-f json --name 1 --name 8 --top 2 {PLAIN}")),
        done(expected)
    );
}

#[test]
fn challenge_prints_the_sentences_of_the_reference_programs() {
    let expected = "\
Name: MARLOWE, JOHN Q at index: 0
Name: QUILLFEATHER, MARY ANN at index: 1
Name: null at index: 99
Total file line count: 8
Donations per month and year: 2018-04 and donation count: 2
Donations per month and year: 2018-05 and donation count: 2
Donations per month and year: 2018-06 and donation count: 3
Donations per month and year: 2018-07 and donation count: 1
The most common first name is: JOHN and it occurs: 3 times.
";
    assert_eq!(
        run_with(&format!("-f challenge --name 0,1,99 --top 0 {PLAIN}")),
        done(expected)
    );
    let expected = "\
Name: null at index: 0
Total file line count: 0
The most common first name is: null and it occurs: 0 times.
";
    assert_eq!(
        run_with("-f challenge --name 0 fixtures/empty.txt"),
        done(expected)
    );
}

#[test]
fn challenge_keeps_the_bytes_of_names() {
    let mut command = fecscan([
        "-f",
        "challenge",
        "--name",
        "0",
        "fixtures/windows-1252.txt",
    ]);
    let out = command.output().unwrap().stdout;
    assert!(
        out.starts_with(b"Name: PE\xd1A, JOS\xc9 at index: 0\n"),
        "{out:?}"
    );
}

#[test]
fn standard_input_is_read_when_no_file_is_named() {
    let expected = run_with(&format!("-f challenge {PLAIN}"));
    for script in [
        "$F -f challenge < fixtures/plain.txt",
        "cat fixtures/plain.txt | $F -f challenge",
        "cat fixtures/plain.txt | $F -f challenge -",
        "$F -f challenge --io mmap - < fixtures/plain.txt",
        "{ echo; cat fixtures/plain.txt; } > $T; { read line; $F -f challenge --io mmap; } < $T",
        "{ echo; cat fixtures/plain.txt; } > $T; { read line; $F -f challenge; } < $T",
    ] {
        let directory = tempfile::tempdir().unwrap();
        let script = format!("T={}/file; {script}", directory.path().display());
        assert_eq!(shell(&script), expected, "{script}");
    }
    let json = shell("cat fixtures/plain.txt | $F -f json");
    assert!(
        json.out
            .starts_with(r#"{"files":[{"path":"-","bytes":1291,"lines":8}]"#),
        "{}",
        json.out
    );
}

#[test]
fn special_files_are_read_to_their_end() {
    assert_eq!(run_with("count /dev/null"), done("0 /dev/null\n"));
    let directory = tempfile::tempdir().unwrap();
    let fifo = directory.path().join("fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let script = format!(
        "cat {PLAIN} > {0} & $F -f json --name 0 {0}",
        fifo.display()
    );
    assert!(shell(&script).out.contains("MARLOWE, JOHN Q"));
}

#[test]
fn help_is_short_and_that_of_a_command_explains_every_option_with_an_example() {
    let short = run_with("--help");
    assert_eq!((short.status, short.err.as_str()), (0, ""));
    assert_eq!(short, run_with("-h"));
    assert!(!short.out.contains("Example:"), "{}", short.out);
    assert!(!short.out.contains("task-size"), "{}", short.out);
    for command in ["report", "count"] {
        assert!(
            short.out.contains(&format!("\n  {command} ")),
            "{}",
            short.out
        );
        let long = run_with(&format!("{command} --help"));
        assert_eq!((long.status, long.err.as_str()), (0, ""));
        let options = long
            .out
            .lines()
            .filter(|line| line.trim_start().starts_with('-'))
            .count();
        // Help itself and the version need no example; the command has one of its own.
        assert_eq!(
            long.out.matches("Example: ").count(),
            options - 1 + 1,
            "{}",
            long.out
        );
    }
    assert_eq!(
        run_with("--version"),
        done(concat!("fecscan ", env!("CARGO_PKG_VERSION"), "\n"))
    );
}

#[test]
fn usage_errors_say_what_is_wrong() {
    for (arguments, message) in [
        ("--name x", "invalid value 'x' for '--name <I[,I]...>'"),
        ("--name 1,,2", "invalid value '' for '--name <I[,I]...>'"),
        ("--name -1", "invalid value '-1' for '--name <I[,I]...>'"),
        (
            "--name 18446744073709551616",
            "invalid value '18446744073709551616' for '--name <I[,I]...>'",
        ),
        ("--top many", "invalid value 'many' for '--top <N>'"),
        (
            "-j 0",
            "invalid value '0' for '--threads <N>': a number from 1 to 4096 is needed",
        ),
        (
            "-j 99999",
            "invalid value '99999' for '--threads <N>': a number from 1 to 4096 is needed",
        ),
        (
            "--task-size 0",
            "invalid value '0' for '--task-size <BYTES>'",
        ),
        ("-f xml", "invalid value 'xml' for '--format <FORMAT>'"),
        (
            "--month-column NAME",
            "invalid value 'NAME' for '--month-column <COLUMN>'",
        ),
        ("--io magic", "invalid value 'magic' for '--io <HOW>'"),
        ("--simd sse9", "invalid value 'sse9' for '--simd <LEVEL>'"),
        ("--schema x", "invalid value 'x' for '--schema <SCHEMA>'"),
        ("--frobnicate", "unexpected argument '--frobnicate' found"),
        (
            "--max-member-bytes 1X",
            "invalid value '1X' for '--max-member-bytes <N[K|M|G|T]>': a whole number is needed, and perhaps one of \
             K, M, G, T",
        ),
        (
            "--max-member-bytes 16777216T",
            "invalid value '16777216T' for '--max-member-bytes <N[K|M|G|T]>': that is more than can be counted",
        ),
        ("count --top 3", "unexpected argument '--top' found"),
    ] {
        let ended = run_with(&format!("{arguments} {PLAIN}"));
        assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{arguments}");
        assert!(
            ended.err.starts_with(&format!("fecscan: {message}")),
            "{arguments}: {}",
            ended.err
        );
    }
    let ended = run(fecscan([PLAIN]).env("FECSCAN_SIMD", "sse9"));
    assert_fails(
        ended,
        2,
        "FECSCAN_SIMD: 'sse9' is not a SIMD level; it can be auto, avx512, avx2 or portable",
    );
    assert_eq!(
        run(fecscan([PLAIN]).env("FECSCAN_SIMD", "")),
        run_with(PLAIN)
    );
}

#[test]
fn numbers_may_have_blanks_and_words_any_case() {
    let ended = run(&mut fecscan(["--name", "0, 1", "-f", "JSON", PLAIN]));
    assert_eq!(ended, run_with(&format!("--name 0,1 -f json {PLAIN}")));
    let ended = run_with(&format!("--name 1-3 {PLAIN}"));
    assert!(
        ended
            .err
            .contains("a whole number is needed, without separators"),
        "{}",
        ended.err
    );
}

#[test]
fn files_of_other_schemas_are_noted() {
    let directory = tempfile::tempdir().unwrap();
    fs::copy(PLAIN, directory.path().join("cm.txt")).unwrap();
    let ended = run(fecscan(["-f", "challenge", "cm.txt"]).current_dir(&directory));
    assert_eq!(
        (ended.status, ended.out),
        (0, run_with(&format!("-f challenge {PLAIN}")).out)
    );
    assert!(
        ended
            .err
            .starts_with("fecscan: cm.txt: note: by its name this is a file of schema cm;"),
        "{}",
        ended.err
    );
}

#[test]
fn levels_are_forced_by_option_or_environment() {
    for simd in fecscan::scan::simd::Simd::available() {
        let by_option = run_with(&format!("--stats --simd {} {PLAIN}", simd.name()));
        let by_environment = run(fecscan(["--stats", PLAIN]).env("FECSCAN_SIMD", simd.name()));
        for ended in [by_option, by_environment] {
            assert!(
                ended.err.ends_with(&format!(" simd {}\n", simd.name())),
                "{}",
                ended.err
            );
        }
    }
}

#[test]
fn stats_are_one_line_on_standard_error() {
    let ended = run_with(&format!("--stats -j 3 --io read --task-size 100 {PLAIN}"));
    assert_eq!(ended.out, run_with(PLAIN).out);
    let words: Vec<_> = ended.err.split_whitespace().collect();
    assert_eq!(
        words[..5],
        ["fecscan:", "1291", "bytes,", "8", "lines,"],
        "{}",
        ended.err
    );
    assert!(
        words[5].parse::<f64>().is_ok() && words[6] == "s,",
        "{}",
        ended.err
    );
    assert!(
        words[7].parse::<f64>().is_ok() && words[8] == "GB/s,",
        "{}",
        ended.err
    );
    assert_eq!(
        words[9..14],
        ["3", "threads,", "io", "read,", "simd"],
        "{}",
        ended.err
    );
    assert_eq!(ended.err.lines().count(), 1);
}

#[test]
fn inputs_that_can_not_be_opened_are_reported_and_the_others_read() {
    let missing = "missing.txt: No such file or directory; check the name";
    assert_fails(run_with("missing.txt"), 2, missing);
    let directory = "src: Is a directory; name the files in it";
    assert_fails(run_with("src"), 2, directory);

    let command = "count: No such file or directory; check the name (if the command was meant, it goes first: \
                   fecscan count [OPTIONS] [FILE]...)";
    assert_fails(run_with("-j 1 count"), 2, command);

    let ended = run_with(&format!("-f challenge missing.txt {PLAIN} src"));
    let expected = run_with(&format!("-f challenge {PLAIN}"));
    assert_eq!((ended.status, ended.out), (2, expected.out));
    assert_eq!(
        ended.err,
        format!("fecscan: {missing}\nfecscan: {directory}\n")
    );
}

#[test]
fn a_file_without_permission_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = directory.path().join("fecscan");
    let secret = directory.path().join("secret.txt");
    // A program that we had open for writing could not be run while another test starts its own.
    assert!(
        Command::new("cp")
            .args([env!("CARGO_BIN_EXE_fecscan").as_ref(), program.as_path()])
            .status()
            .unwrap()
            .success()
    );
    fs::write(&secret, "|\n").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o000)).unwrap();

    let mut command = Command::new(program);
    command.arg("secret.txt").current_dir(&directory);
    if File::open(&secret).is_ok() {
        // We are root, who may read everything; nobody may not.
        command.uid(65534).gid(65534);
    }
    assert_fails(
        run(&mut command),
        2,
        "secret.txt: Permission denied; it takes the permission to read it",
    );
}

#[test]
fn files_that_can_not_be_decompressed_are_refused_and_not_counted() {
    let directory = tempfile::tempdir().unwrap();
    for (magic, kind, tool) in [
        (&b"\xfd7zXZ\0\0"[..], "an xz file", "xz -dc FILE"),
        (b"BZh91AY&SY", "a bzip2 file", "bzip2 -dc FILE"),
        (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "7z e -so FILE"),
    ] {
        let path = directory.path().join("data.txt");
        fs::write(&path, magic).unwrap();
        let path = path.display();
        let message = format!(
            "{path}: is {kind}, which can't be read; unpack it, or pipe it in: {tool} | fecscan"
        );
        assert_fails(run_with(&path.to_string()), 2, &message);
        assert_fails(run_with(&format!("count {path}")), 2, &message);
        let message = message.replace(&path.to_string(), "standard input");
        assert_fails(shell(&format!("$F < {path}")), 2, &message);
        assert_fails(shell(&format!("cat {path} | $F")), 2, &message);
    }
}

#[test]
fn file_names_of_all_kinds_work() {
    let directory = tempfile::tempdir().unwrap();
    let names = [
        "new\nline",
        "tab\t",
        "-dash",
        "--",
        "$(x)",
        "*",
        "'",
        "\"",
        "\\",
        "ü",
        "count ",
        "\u{202e}x",
    ];
    for name in names {
        let path = directory.path().join(name);
        fs::copy(PLAIN, &path).unwrap();
        let ended = run(fecscan(["-f", "json", "--", name]).current_dir(&directory));
        assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{name:?}");
        let value: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
        assert_eq!(value["files"][0]["path"], name);
        fs::remove_file(path).unwrap();
    }
    let ended = run(fecscan(["gone\n\x1b[31m\u{202e}.txt"]).current_dir(&directory));
    assert_fails(
        ended,
        2,
        r"gone\n\x1b[31m\u{202e}.txt: No such file or directory; check the name",
    );
}

#[test]
fn strict_lists_rows_that_break_the_schema_and_exits_with_1() {
    assert_eq!(run_with(&format!("--strict {PLAIN}")), run_with(PLAIN));

    let ended = run_with("--strict fixtures/cut-off-row.txt");
    assert_eq!(
        (ended.status, &ended.out),
        (1, &run_with("fixtures/cut-off-row.txt").out)
    );
    let expected = "fecscan: fixtures/cut-off-row.txt:8: byte 1140: 9 columns, expected 21\n\
                    fecscan: 1 row breaks the schema; it is counted like all others\n";
    assert_eq!(ended.err, expected);

    let ended = run_with("--strict --schema pas2 fixtures/all-newlines.txt");
    assert_eq!(ended.status, 1);
    assert_eq!(ended.err.lines().count(), 21);
    assert!(
        ended
            .err
            .contains("all-newlines.txt:20: byte 19: 0 columns, expected 22\n"),
        "{}",
        ended.err
    );
    assert!(ended.err.ends_with(
        "200 rows break the schema, the first 20 are listed; they are counted like all others\n"
    ));

    let ended = run_with("--strict missing.txt fixtures/cut-off-row.txt");
    assert_eq!(
        ended.status, 2,
        "an input that can't be read outweighs rows that break the schema"
    );
}

#[test]
fn a_result_that_can_not_be_written_is_an_error() {
    let full = "standard output: can't be written: No space left on device";
    let closed = "standard output: can't be written: Bad file descriptor";
    let results = ["-f text", "-f json", "-f challenge", "count", "--strict"]
        .map(|options| format!("{options} {PLAIN}"));
    for arguments in
        results
            .iter()
            .map(String::as_str)
            .chain(["--help", "--version", "count --help"])
    {
        assert_fails(run_into("/dev/full", arguments), 2, full);
        assert_fails(shell(&format!("$F {arguments} >&-")), 2, closed);
    }
    for arguments in results {
        let ended = run_with(&format!("{arguments} -o /dev/full"));
        assert_fails(
            ended,
            2,
            "/dev/full: can't be written: No space left on device",
        );
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    for arguments in ["", "-f json", "-f challenge", "count", "--help"] {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let ended = run(fecscan(arguments.split_whitespace())
            .arg(PLAIN)
            .stdout(writer));
        assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{arguments}");
    }
}

#[test]
fn a_closed_pipe_does_not_hide_what_else_went_wrong() {
    for (arguments, status) in [
        ("missing.txt", 2),
        ("count missing.txt", 2),
        ("--strict fixtures/cut-off-row.txt", 1),
    ] {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let ended = run(fecscan(arguments.split_whitespace())
            .arg(PLAIN)
            .stdout(writer));
        assert_eq!(
            (ended.status, ended.err.is_empty()),
            (status, false),
            "{arguments}: {}",
            ended.err
        );
    }
}

#[test]
fn a_standard_output_that_is_open_for_reading_only_is_an_error() {
    for arguments in ["", "count", "generate --rows 5", "--help"] {
        let out = File::open("/dev/null").unwrap();
        let mut command = fecscan(arguments.split_whitespace());
        if !arguments.contains("--") {
            command.arg(PLAIN);
        }
        let message = "standard output: can't be written: Bad file descriptor";
        assert_fails(run(command.stdout(out)), 2, message);
    }
}

#[test]
fn columns_that_are_too_wide_to_align_are_not_aligned() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("wide.txt");
    fs::write(&path, format!("|||||||X, {}|\n", "y".repeat(70_000))).unwrap();
    let ended = run(fecscan(["--top", "2"]).arg(&path));
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));
    assert!(
        ended
            .out
            .contains(&format!("  {}  1  100.00 %\n", "y".repeat(70_000)))
    );
}

#[test]
fn a_closed_standard_input_is_not_an_empty_one() {
    assert_fails(shell("$F <&-"), 2, "standard input: Bad file descriptor");
    assert_fails(
        shell("$F count <&-"),
        2,
        "standard input: Bad file descriptor",
    );
    assert_eq!(
        shell("$F count fixtures/plain.txt <&-"),
        done("8 fixtures/plain.txt\n")
    );
}

#[test]
fn nobody_listening_on_standard_error_changes_nothing() {
    let ended = shell("$F count fixtures/plain.txt missing 2>&-");
    assert_eq!((ended.status, ended.out.lines().count()), (2, 2));
    let ended = shell("$F count fixtures/plain.txt missing 2>/dev/full");
    assert_eq!((ended.status, ended.out.lines().count()), (2, 2));
}

#[test]
fn output_files_are_whole_or_not_there() {
    let directory = tempfile::tempdir().unwrap();
    let listing = || {
        let mut names: Vec<_> = fs::read_dir(&directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    };
    let plain = fs::canonicalize(PLAIN).unwrap();
    let run_here = |arguments: &[&str]| run(fecscan(arguments).arg(&plain).current_dir(&directory));

    assert_eq!(run_here(&["-f", "challenge", "-o", "result"]), done(""));
    let result = fs::read_to_string(directory.path().join("result")).unwrap();
    assert_eq!(result, run_here(&["-f", "challenge"]).out);
    let mode = fs::metadata(directory.path().join("result"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o600, 0o600);

    // What is there is replaced, and keeps its permissions; a link to it stays a link.
    fs::set_permissions(
        directory.path().join("result"),
        fs::Permissions::from_mode(0o662),
    )
    .unwrap();
    std::os::unix::fs::symlink("result", directory.path().join("link")).unwrap();
    assert_eq!(run_here(&["count", "-o", "link"]), done(""));
    assert!(
        fs::read_to_string(directory.path().join("result"))
            .unwrap()
            .starts_with("8 ")
    );
    assert_eq!(
        fs::metadata(directory.path().join("result"))
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o662
    );
    assert!(
        fs::symlink_metadata(directory.path().join("link"))
            .unwrap()
            .is_symlink()
    );
    assert_eq!(listing(), ["link", "result"]);

    // Without a result, what is there stays, and nothing is left beside it.
    let ended = run(fecscan(["-o", "result", "missing"]).current_dir(&directory));
    assert_fails(
        ended,
        2,
        "missing: No such file or directory; check the name",
    );
    assert!(
        fs::read_to_string(directory.path().join("result"))
            .unwrap()
            .starts_with("8 ")
    );
    assert_eq!(listing(), ["link", "result"]);

    fs::set_permissions(
        directory.path().join("result"),
        fs::Permissions::from_mode(0o444),
    )
    .unwrap();
    assert_fails(
        run_here(&["-o", "result"]),
        2,
        "result: can't be written: Permission denied",
    );
    assert_eq!(
        run_here(&["count", "-o", "-"]).out,
        format!("8 {}\n", plain.display())
    );
    assert_eq!(listing(), ["link", "result"]);

    let ended = run_here(&["-o", "no/such/folder"]);
    assert_fails(
        ended,
        2,
        "no/such/folder: can't be written: No such file or directory",
    );
}

#[test]
fn an_input_is_not_taken_for_the_output() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data.txt");
    fs::copy(PLAIN, &path).unwrap();
    fs::hard_link(&path, directory.path().join("link")).unwrap();
    for script in [
        "$F -o data.txt data.txt",
        "$F -o link data.txt",
        "$F -o data.txt < link",
        "$F count -o link - < link",
    ] {
        let ended = shell(&format!("cd {}; {script}", directory.path().display()));
        assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{script}");
        assert!(
            ended
                .err
                .contains(" is an input, and would be lost as the output; write to another file\n"),
            "{}",
            ended.err
        );
        assert_eq!(fs::read(&path).unwrap(), fs::read(PLAIN).unwrap());
    }
}

/// Runs `command` of a shell with a terminal as all three standard descriptors. What it prints
/// comes with CR LF.
fn on_a_terminal(command: &str) -> Ended {
    let command = command.replace("$F", env!("CARGO_BIN_EXE_fecscan"));
    let mut script = Command::new("script");
    script
        .args(["-qec", &command, "/dev/null"])
        .env_remove("NO_COLOR")
        .env("TERM", "xterm");
    run(&mut script)
}

#[test]
fn a_terminal_gets_colour_and_bars_but_no_bytes_that_play_tricks() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("hostile.txt");
    let row = |name: &str| format!("C|N|M4|P|201804129112345678|15|IND|{name}|X\n");
    fs::write(
        &path,
        row("EVIL\x1b]0;title\x07\u{202e}, \x1b[2JX") + &row("PE\u{d1}A, JOS\u{c9}"),
    )
    .unwrap();
    let path = path.display();

    let ended = on_a_terminal(&format!("$F --name 0,1 {path}"));
    assert_eq!(ended.status, 0);
    assert!(ended.out.contains("\x1b[1mNames\x1b[0m"), "{}", ended.out);
    assert!(ended.out.contains("█"), "{}", ended.out);
    assert!(
        ended
            .out
            .contains(r"EVIL\x1b]0;title\x07\u{202e}, \x1b[2JX"),
        "{}",
        ended.out
    );
    assert!(ended.out.contains("PE\u{d1}A, JOS\u{c9}"), "{}", ended.out);

    for plain in [
        format!("$F --color never {path}"),
        format!("NO_COLOR=1 $F {path}"),
        format!("TERM=dumb $F {path}"),
    ] {
        let ended = on_a_terminal(&plain);
        assert!(
            ended.out.contains("\nNames (by line") && !ended.out.contains('\x1b'),
            "{plain}: {}",
            ended.out
        );
    }
    let piped = run_with(&format!("--color always --name 0 {path}"));
    assert!(
        piped.out.contains("\x1b[1mNames\x1b[0m") && !piped.out.contains("█"),
        "{}",
        piped.out
    );
    assert!(
        piped.out.contains("EVIL\x1b]0;title\x07"),
        "off a terminal, bytes are exact: {}",
        piped.out
    );
}

#[test]
fn without_files_on_a_terminal_nobody_is_kept_waiting() {
    for command in ["$F", "$F count"] {
        let ended = on_a_terminal(command);
        assert_eq!(ended.status, 2, "{}", ended.out);
        assert!(ended.out.starts_with(
            "fecscan: no FILE is named, and standard input is a terminal; name a file"
        ));
    }
}
