//! Options: their help, what is wrong with them, and what they do.

use crate::common::program::{assert_fails, assert_usage_error, fecscan, run, run_with};
use crate::{PLAIN, done};

#[test]
fn help_is_short_and_that_of_a_command_explains_every_option_with_an_example() {
    let short = run_with("--help");
    assert_eq!((short.status, short.err.as_str()), (0, ""));
    assert_eq!(short, run_with("-h"));
    assert!(!short.out.contains("Example:"), "{}", short.out);
    assert!(!short.out.contains("task-size"), "{}", short.out);
    for command in ["report", "count", "generate"] {
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
        assert_usage_error(&format!("{arguments} {PLAIN}"), message);
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
