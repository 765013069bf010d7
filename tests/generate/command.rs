//! The command `fecscan generate`.

use fecscan::generate::Recipe;

use crate::common::program::{
    assert_fails, assert_usage_error, fecscan, run, run_into, run_with, shell,
};
use crate::generate::rows;

#[test]
fn the_program_writes_the_same_bytes_for_any_number_of_threads() {
    let expected = rows(200_000, Recipe::default());
    for threads in ["1", "2", "3", "8"] {
        let output = fecscan(["generate", "--rows", "200000", "-j", threads])
            .output()
            .unwrap();
        // More threads than processors come with a note.
        let noted = output.stderr.starts_with(b"fecscan: note: ");
        assert!(output.status.success() && (noted || output.stderr.is_empty()));
        assert!(output.stdout == expected, "with {threads} threads");
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    let ended = run(fecscan(["generate", "--rows", "200000", "-o"]).arg(&path));
    assert_eq!(
        (ended.status, ended.out.as_str(), ended.err.as_str()),
        (0, "", "")
    );
    assert!(std::fs::read(&path).unwrap() == expected);
}

#[test]
fn made_text_has_as_many_columns_as_wished() {
    for columns in [1, 7, 2048] {
        let rows = |rows| {
            run_with(&format!(
                "generate --schema fake --columns {columns} --rows {rows}"
            ))
        };
        let (few, many) = (rows(3), rows(2100));
        assert!(many.status == 0 && many.out.starts_with(&few.out));
        assert_eq!(many.out.lines().count(), 2100);
        for line in many.out.lines() {
            assert_eq!(line.split('|').count(), columns, "{line}");
        }
    }
    assert_usage_error(
        "generate --schema fake --columns 2049 --rows 1",
        "rows of 2049 columns are not made",
    );
}

#[test]
fn stats_are_one_line_on_standard_error() {
    for (rows, threads, used) in [
        (50_000, "2", "2 threads"),
        (50_000, "1", "1 thread"),
        (5, "2", "1 thread"),
        (0, "2", "1 thread"),
    ] {
        let arguments = format!("generate --rows {rows}");
        let ended = run_with(&format!("{arguments} --stats -j {threads}"));
        assert_eq!((ended.status, &ended.out), (0, &run_with(&arguments).out));
        let done = format!("fecscan: {} bytes, {rows} lines, ", ended.out.len());
        let rest = ended.err.strip_prefix(&done).expect(&ended.err);
        let [seconds, speed, last] = rest.split(", ").collect::<Vec<_>>()[..] else {
            panic!("{}", ended.err);
        };
        for (figure, unit) in [(seconds, " s"), (speed, " GB/s")] {
            let number = figure.strip_suffix(unit).map(str::parse::<f64>);
            assert!(matches!(number, Some(Ok(_))), "{}", ended.err);
        }
        assert_eq!(last, format!("{used}\n"));
    }
}

#[test]
fn generated_fixtures_have_not_drifted() {
    let read_me = std::fs::read_to_string("fixtures/README.md").unwrap();
    let commands = read_me
        .lines()
        .filter_map(|line| line.strip_prefix("fecscan ")?.split_once(" -o "))
        .filter(|(_, path)| path.starts_with("fixtures/"));
    let mut compared = 0;
    for (arguments, path) in commands {
        let output = fecscan(arguments.split_whitespace()).output().unwrap();
        assert!(
            output.stdout == std::fs::read(path).unwrap(),
            "{path} is not what its command makes"
        );
        compared += 1;
    }
    assert_eq!(compared, 2);
}

#[test]
fn few_rows_none_and_absurd_ones() {
    assert_eq!(run_with("generate --rows 0").out, "");
    assert_eq!(run_with("generate --rows 0").status, 0);
    let one = run_with("generate --rows 1 --seed 18446744073709551615");
    assert_eq!(
        (one.status, one.out.lines().count(), one.err.as_str()),
        (0, 1, "")
    );
    for (arguments, message) in [
        ("--rows -1", "invalid value '-1' for '--rows <N>'"),
        ("--rows 1e6", "invalid value '1e6' for '--rows <N>'"),
        (
            "--rows 18446744073709551616",
            "invalid value '18446744073709551616' for '--rows <N>'",
        ),
        ("", "the following required arguments were not provided"),
        ("--rows 1 --seed x", "invalid value 'x' for '--seed <S>'"),
        (
            "--rows 1 --schema cmte",
            "invalid value 'cmte' for '--schema <SCHEMA>'",
        ),
        ("--rows 1 file", "unexpected argument 'file' found"),
    ] {
        assert_usage_error(&format!("generate {arguments}"), message);
    }
    // The first row of the largest file appears at once.
    let most = shell("$F generate --rows 18446744073709551615 | head -n 1");
    assert_eq!(
        (most.status, most.out, most.err.as_str()),
        (0, run_with("generate --rows 1").out, "")
    );
}

#[test]
fn a_full_disk_and_a_closed_pipe_end_it() {
    let full = "standard output: can't be written: No space left on device";
    assert_fails(run_into("/dev/full", "generate --rows 100000"), 2, full);
    let full = "/dev/full: can't be written: No space left on device";
    assert_fails(run_with("generate --rows 100000 -o /dev/full"), 2, full);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let ended = run(fecscan(["generate", "--rows", "100000"]).stdout(writer));
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));

    // After a limit on the size of files, nothing is left.
    let directory = tempfile::tempdir().unwrap();
    let script = format!(
        "cd {}; ulimit -f 100; trap '' XFSZ; $F generate --rows 100000 -o itcont.txt",
        directory.path().display()
    );
    assert_fails(
        shell(&script),
        2,
        "itcont.txt: can't be written: File too large",
    );
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}
