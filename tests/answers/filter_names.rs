//! Lines by number, if conditions choose lines: in files, archives and pipes.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::common::archives::{Member, gzip, zip, zstd};
use crate::common::condition::{Condition, Test, words};
use crate::common::program::{fecscan, run, shell};
use crate::common::twin::{self, Asked};

/// Runs the program on `paths` with these conditions and names; returns its JSON.
fn json_of(options: &str, conditions: &[Condition], names: &[u64], paths: &[PathBuf]) -> Value {
    let mut command = fecscan(["--force", "-f", "json"]);
    command.args(options.split_whitespace());
    for condition in conditions {
        command.args(["--where", &condition.typed()]);
    }
    let names: Vec<_> = names.iter().map(u64::to_string).collect();
    let ended = run(command.args(["--name", &names.join(",")]).args(paths));
    assert_eq!(ended.status, 0, "{}", ended.err);
    serde_json::from_str(&ended.out).unwrap()
}

/// Rows for many tasks. About every third passes.
fn many_rows(seed: usize, rows: usize) -> Vec<u8> {
    let row = |nth: usize| {
        let state = ["CA", "NY", "OR", "WA", "TX"][(nth + nth / 7 + seed) % 5];
        let amount = (nth * 7919 + seed) % 5000;
        let name = format!("DONOR{seed}X{nth}, ANN{}", nth % 11);
        format!(
            "C00990001|N|M4|P|2018{:02}129112345678|15|IND|{name}|CITY|{state}|97477|E|O|0{}122018|{amount}||T|1|||{nth}\n",
            1 + nth % 12,
            1 + nth % 9
        )
    };
    (0..rows).map(row).collect::<String>().into_bytes()
}

/// Names are those of matching lines. Lines of pipes are picked as they go by, and compressed files are read
/// again.
#[test]
fn names_of_matching_lines_are_found_in_compressed_files_and_pipes() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let texts = [many_rows(1, 6000), many_rows(2, 9000), many_rows(3, 7000)];
    type Pack = fn(&[u8]) -> Vec<u8>;
    let kinds: [(&str, Pack); 4] = [
        ("plain", <[u8]>::to_vec),
        ("gz", gzip),
        ("zst", zstd),
        ("zip", |text| zip(&[Member::deflated("itcont.txt", text)])),
    ];
    let conditions = [
        Condition::new(10, Test::In(words(&["CA", "NY"]))),
        Condition::compares(15, ">=", "1000"),
    ];
    let matching = |text: &[u8]| {
        let lines = twin::lines_of(text).into_iter();
        let matching = lines.filter(|line| conditions.iter().all(|c| c.holds(line)));
        matching.count() as u64
    };
    let counts = texts.each_ref().map(|text| matching(text));
    let total: u64 = counts.iter().sum();
    assert!(counts.iter().all(|&count| count > 1000), "{counts:?}");
    // In all three files: their first and last matching lines, some between, and one too many.
    let second = counts[0];
    let third = counts[0] + counts[1];
    let lists = [
        vec![
            0,
            second - 1,
            second,
            second + 700,
            third,
            third + 900,
            total - 1,
            total,
        ],
        vec![second + 1000],
        vec![third + 1000, 3],
    ];
    for names in lists {
        let asked = Asked {
            names: names.clone(),
            ..Asked::default()
        };
        for (kind, pack) in kinds {
            let paths = [0, 1, 2].map(|nth| at(&format!("{nth}.{kind}")));
            let mut files = Vec::new();
            for (path, text) in paths.iter().zip(&texts) {
                fs::write(path, pack(text)).unwrap();
                files.push((path.to_str().unwrap(), &text[..]));
            }
            let expected = twin::filtered_report(&files, &asked, &conditions);
            for options in [
                "-j 1",
                "-j 2 --task-size 20000",
                "-j 3 --task-size 3000 --io read",
                "-j 8 --task-size 4096",
            ] {
                let found = json_of(options, &conditions, &names, &paths);
                assert_eq!(found, expected, "{kind} {options} {names:?}");
            }
        }
        // The second input is a pipe, after a file, plain or compressed, and before another one.
        let typed = conditions
            .each_ref()
            .map(|c| format!("--where \"{}\"", c.typed()));
        let list: Vec<_> = names.iter().map(u64::to_string).collect();
        for (first, piped) in [
            ("plain", "plain"),
            ("gz", "plain"),
            ("plain", "zst"),
            ("zip", "gz"),
        ] {
            let (first, last) = (at(&format!("0.{first}")), at("2.zst"));
            let files = [
                (first.to_str().unwrap(), &texts[0][..]),
                ("-", &texts[1]),
                (last.to_str().unwrap(), &texts[2]),
            ];
            let expected = twin::filtered_report(&files, &asked, &conditions);
            for options in ["-j 1", "-j 3 --task-size 5000", "-j 4 --task-size 100000"] {
                let script = format!(
                    "cat {}/1.{piped} | $F -f json {options} {} --name {} {} - {}",
                    directory.path().display(),
                    typed.join(" "),
                    list.join(","),
                    files[0].0,
                    files[2].0
                );
                let ended = shell(&script);
                assert_eq!((ended.status, ended.err.as_str()), (0, ""), "{script}");
                let found: Value = serde_json::from_str(&ended.out).unwrap();
                assert_eq!(found, expected, "{script}");
            }
        }
    }
}

/// The same without conditions, where a stream stops picking once it has the last wanted line.
#[test]
fn names_far_into_later_files_and_pipes_are_found() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let texts = [many_rows(4, 5000), many_rows(5, 8000), many_rows(6, 6000)];
    for (name, bytes) in [
        ("0.gz", gzip(&texts[0])),
        ("1.zst", zstd(&texts[1])),
        ("2.gz", gzip(&texts[2])),
    ] {
        fs::write(at(name), bytes).unwrap();
    }
    let paths = ["0.gz", "1.zst", "2.gz"].map(at);
    for names in [
        vec![12_345],
        vec![18_999, 19_000],
        vec![4999, 5000, 12_999, 13_000, 17_777],
    ] {
        let asked = Asked {
            names: names.clone(),
            ..Asked::default()
        };
        let files: Vec<_> = paths
            .iter()
            .zip(&texts)
            .map(|(path, text)| (path.to_str().unwrap(), &text[..]))
            .collect();
        let expected = twin::report(&files, &asked);
        for threads in 1..=6 {
            for task_bytes in [2000, 50_000, 2 << 20] {
                let options = format!("-j {threads} --task-size {task_bytes}");
                let found = json_of(&options, &[], &names, &paths);
                assert_eq!(found, expected, "{options} {names:?}");
            }
        }
        let list: Vec<_> = names.iter().map(u64::to_string).collect();
        let piped = [files[0], ("-", &texts[1]), files[2]];
        let expected = twin::report(&piped, &asked);
        let script = format!(
            "cd {}; zstd -dcq 1.zst | $F -f json -j 3 --task-size 9000 --name {} {} - {}",
            directory.path().display(),
            list.join(","),
            files[0].0,
            files[2].0
        );
        let ended = shell(&script);
        let found: Value = serde_json::from_str(&ended.out).expect(&ended.err);
        assert_eq!(found, expected, "{script}");
    }
}
