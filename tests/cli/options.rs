//! Options: their help, what is wrong with them, and what they do.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use regex::Regex;

use crate::cli::{PLAIN, done};
use crate::common::program::{
    Ended, assert_fails, assert_usage_error, fecscan, run, run_with, shell,
};

/// Returns the options that a help lists.
fn defined(help: &str) -> Vec<&str> {
    let option = Regex::new("(?m)^  (?:-[a-zA-Z], |    )(--[a-z]+(?:-[a-z]+)*)").unwrap();
    let found = option.captures_iter(help);
    found.map(|found| found.get(1).unwrap().as_str()).collect()
}

#[test]
fn help_is_short_and_that_of_a_command_explains_every_option_with_an_example() {
    let short = run_with("--help");
    assert_eq!((short.status, short.err.as_str()), (0, ""));
    assert_eq!(short, run_with("-h"));
    assert!(!short.out.contains("Example:"), "{}", short.out);
    assert!(!short.out.contains("task-size"), "{}", short.out);
    for command in [
        "report",
        "count",
        "by",
        "export",
        "sql",
        "diff",
        "merge",
        "info",
        "columns",
        "generate",
        "completions",
        "man",
    ] {
        assert!(
            short.out.contains(&format!("\n  {command} ")),
            "{}",
            short.out
        );
        let long = run_with(&format!("{command} --help"));
        assert_eq!((long.status, long.err.as_str()), (0, ""));
        let options = defined(&long.out).len();
        // Help itself and the version need no example; the command has one of its own.
        assert_eq!(
            long.out.matches("Example:").count(),
            options - 1 + 1,
            "{}",
            long.out
        );
    }
    let input = run_with("help input").out;
    let options = defined(&input).len();
    assert!(options > 15, "{input}");
    assert_eq!(input.matches("Example:").count(), options, "{input}");
}

#[test]
fn the_short_version_is_a_number_and_the_long_one_names_formats_and_levels() {
    let short = run_with("-V");
    assert_eq!(
        short,
        done(concat!("fecscan ", env!("CARGO_PKG_VERSION"), "\n"))
    );
    let long = run_with("--version").out;
    assert!(long.starts_with(&short.out), "{long}");
    for words in [
        "reads: plain, gzip, zstd, zip",
        "writes: text, json",
        " parquet",
        "SIMD: ",
        "portable",
    ] {
        assert!(long.contains(words), "{long}");
    }
}

/// Without a heading of its own, an option would stand under "Options".
#[test]
fn every_option_of_every_command_stands_under_a_heading() {
    for command in [
        "",
        "report ",
        "count ",
        "by ",
        "export ",
        "diff ",
        "merge ",
        "info ",
        "columns ",
        "generate ",
        "completions ",
        "man ",
        "help ",
    ] {
        let help = run_with(&format!("{command}-h")).out;
        assert!(
            !help.contains("\nOptions:") && help.contains("\nHelp:\n"),
            "{command}: {help}"
        );
    }
    let help = run_with("by -h").out;
    let places = [
        "Result:", "--sum", "Rows:", "--where", "Input:", "--member", "Output:", "--format",
        "--quiet", "Speed:", "--simd", "Help:",
    ];
    let places = places.map(|word| help.find(word).expect(word));
    assert!(places.is_sorted(), "{help}");
}

#[test]
fn quiet_commands_print_no_notes_and_all_errors() {
    let archive = "fixtures/indiv18.zip";
    let directory = tempfile::tempdir().unwrap();
    for command in [
        format!("-f json --where STATE='XX' {archive}"),
        format!("count {archive}"),
        format!("by STATE -f csv {archive}"),
        format!("export --head 1 {archive}"),
        format!("info -f csv {archive}"),
        format!(
            "count -j 4096 -o {}/count.xyz {PLAIN}",
            directory.path().display()
        ),
        "generate --rows 1 --schema cm --old-image-numbers".to_owned(),
    ] {
        let with_notes = run_with(&command);
        assert!(
            with_notes.err.contains("note: "),
            "{command}: {with_notes:?}"
        );
        for quiet in [format!("--quiet {command}"), format!("{command} -q")] {
            let quiet_run = run_with(&quiet);
            assert_eq!(
                quiet_run,
                Ended {
                    err: String::new(),
                    ..with_notes.clone()
                },
                "{quiet}"
            );
        }
    }
    let failed = run_with(&format!("count -q --stats {PLAIN} missing"));
    assert_eq!(failed.status, 2);
    assert!(
        failed.err.contains("missing: No such file") && failed.err.contains(" GB/s"),
        "{failed:?}"
    );
}

#[test]
fn one_limit_has_four_names() {
    for (command, name) in [("", "--top"), ("by STATE ", "--top"), ("export ", "--head")] {
        let expected = run_with(&format!("{command}{name} 2 {PLAIN}"));
        assert_eq!(expected.status, 0, "{expected:?}");
        for option in ["-n", "--limit", "--top", "--head"] {
            assert_eq!(run_with(&format!("{command}{option} 2 {PLAIN}")), expected);
            assert_eq!(run_with(&format!("{option} 2 {command}{PLAIN}")), expected);
        }
    }
}

#[test]
fn help_fits_the_terminal() {
    for command in ["--help", "help report", "help by", "help export"] {
        let narrow = shell(&format!(
            "script -qfec 'stty cols 80 rows 24; $F {command}' /dev/null"
        ));
        assert_eq!(narrow.status, 0);
        let too_long = narrow.out.lines().find(|line| line.trim_end().len() > 80);
        assert_eq!(too_long, None, "{command}");
    }
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
fn of_repeated_options_the_last_wins_and_lists_grow() {
    let once = format!("-f csv --name 1,2 --top 2 --month-column 14 {PLAIN}");
    let repeated = format!(
        "-f json --name 1 -f csv --top 5 --name 2 --month-column 5 --strict --top 2 --strict --month-column date {PLAIN}"
    );
    assert_eq!(run_with(&repeated), run_with(&once));
    let repeated = format!("count -f json -f text -j 1 -j 2 {PLAIN}");
    assert_eq!(run_with(&repeated), run_with(&format!("count {PLAIN}")));
    let repeated = run_with("generate --rows 5 --rows 2 --seed 3 --seed 1");
    assert_eq!(repeated, run_with("generate --rows 2"));
}

#[test]
fn the_month_column_has_several_names() {
    for (column, names) in [
        ("IMAGE_NUM", ["5", "#5", "image_num", "image"]),
        ("TRANSACTION_DT", ["14", "#14", "Transaction_dt", "DATE"]),
    ] {
        let expected = run_with(&format!("-f json --month-column {column} {PLAIN}"));
        assert!(expected.out.contains(column), "{}", expected.out);
        for name in names {
            assert_eq!(
                run_with(&format!("-f json --month-column {name} {PLAIN}")),
                expected
            );
        }
    }
}

#[test]
fn there_are_no_more_threads_than_processors() {
    let ended = run_with(&format!("count -j 4096 --stats {PLAIN}"));
    assert_eq!(ended.out, format!("8 {PLAIN}\n"));
    let processors = std::thread::available_parallelism().unwrap();
    let note = format!(
        "fecscan: note: 4096 threads are more than the processors that this process may use; {processors} do the work\n"
    );
    assert!(ended.err.starts_with(&note), "{}", ended.err);
    let ended = run_with("generate --rows 1 -j 18446744073709551615");
    assert_eq!(
        (ended.status, ended.out),
        (0, run_with("generate --rows 1").out)
    );
}

#[test]
fn help_is_a_command_too() {
    assert_fails(
        run_with("help cont"),
        2,
        "there is no command 'cont'; did you mean 'count'?",
    );
    assert_fails(
        run_with("help frobnicate"),
        2,
        "there is no command 'frobnicate'; try 'fecscan help'",
    );
    assert_eq!(run_with("help"), run_with("--help"));
    for command in ["report", "count", "generate", "help"] {
        assert_eq!(
            run_with(&format!("help {command}")),
            run_with(&format!("{command} --help"))
        );
    }
}

#[test]
fn levels_are_forced_by_option_or_environment() {
    for simd in fecscan::scan::simd::Simd::available() {
        let by_option = run_with(&format!("--stats --simd {} {PLAIN}", simd.name()));
        let name = simd.name().to_uppercase();
        let by_environment = run(fecscan(["--stats", PLAIN]).env("FECSCAN_SIMD", name));
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
fn a_level_that_the_processor_lacks_is_a_usage_error() {
    let lacking = match std::env::consts::ARCH {
        "aarch64" => "avx2",
        _ => "neon",
    };
    assert_usage_error(
        &format!("--simd {lacking} {PLAIN}"),
        &format!("this processor does not have the level {lacking}; it has: "),
    );
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
    // The rate is that of all bytes and lines.
    let ended = run_with(&format!("count --stats --where state='WA' {PLAIN}"));
    let expected = "fecscan: 1291 bytes, 8 lines, 1 matching, ";
    assert!(ended.err.starts_with(expected), "{}", ended.err);
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

    let ended = run_with("--force --strict --schema pas2 fixtures/all-newlines.txt");
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

/// Any bytes can be arguments. Messages about them must not harm the terminal.
#[test]
fn arguments_of_any_bytes_are_shown_without_harm() {
    let bytes = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    for (arguments, shown) in [
        (
            vec![bytes(b"\xff"), "--bad".into()],
            "unknown option '--bad'",
        ),
        (vec!["--b\x1b[31m".into()], r"unknown option '--b\x1b[31m'"),
        (vec!["--io".into(), "\x1b[31m".into()], r"'\x1b[31m'"),
        (vec!["--where".into(), "\x1b[31m".into()], r"  \x1b[31m"),
    ] {
        let ended = run(&mut fecscan(&arguments));
        assert_eq!((ended.status, &*ended.out), (2, ""), "{arguments:?}");
        assert!(ended.err.contains(shown), "{}", ended.err);
        assert!(!ended.err.contains('\x1b'), "{}", ended.err);
    }
}

/// Texts that several commands share mention no option that one of them lacks.
#[test]
fn the_help_of_a_command_mentions_its_own_options_only() {
    let option = Regex::new("--[a-z]+(-[a-z]+)*").unwrap();
    let aliases = Regex::new(r"\[aliases: [^\]]*\]").unwrap();
    for command in ["report", "count", "by", "columns", "generate"] {
        let help = run_with(&format!("{command} --help")).out;
        // The short help has all options.
        let short = run_with(&format!("{command} -h")).out;
        let aliases = aliases
            .find_iter(&short)
            .flat_map(|all| option.find_iter(all.as_str()));
        let own = defined(&short).into_iter();
        let own: Vec<_> = own.chain(aliases.map(|m| m.as_str())).collect();
        assert!(own.contains(&"--help"), "{command}: {own:?}");
        for named in option.find_iter(&help) {
            assert!(
                own.contains(&named.as_str()),
                "{command}: {}",
                named.as_str()
            );
        }
    }
    let count = run_with("count --help").out;
    assert!(!count.contains("keys and conditions"), "{count}");
    for command in ["generate", "completions", "man"] {
        let help = run_with(&format!("{command} --help")).out;
        assert!(help.contains("half of it is never seen"), "{help}");
        assert!(!help.contains("inputs"), "{command} has none: {help}");
    }
}

#[test]
fn options_may_stand_before_the_command() {
    for (before, after) in [
        (
            "--simd portable by STATE -f csv P",
            "by STATE --simd portable -f csv P",
        ),
        (
            "-j1 --where STATE='WA' count P",
            "count -j1 --where STATE='WA' P",
        ),
        ("--io=read -f csv export P", "export --io=read -f csv P"),
        ("-f html by STATE P", "by STATE -f html P"),
        (
            "--stats report --top 3 --unknown P",
            "report --top 3 --unknown --stats P",
        ),
        ("--name 0 by STATE P", "by STATE --name 0 P"),
    ] {
        let ended = |line: &str| run_with(&line.replace('P', PLAIN));
        assert_eq!(ended(before), ended(after), "{before}");
    }
}
