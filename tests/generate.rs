//! Generated rows: their shape, their proportions, and that they depend on nothing but seed and
//! number.

mod common;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;

use common::program::{assert_fails, fecscan, run, run_into, run_with, shell};
use common::statistics::{check_independent, check_proportions, check_uniform};
use common::twin;
use fecscan::generate::draws::Draws;
use fecscan::generate::months::TABLE;
use fecscan::generate::{BLOCK_ROWS, Block, Generator, ImageNumbers, Manners, Recipe};

const ROWS: usize = 1_000_000;

fn rows(rows: u64, recipe: Recipe) -> Vec<u8> {
    let generator = Generator::new(recipe);
    let mut buffer = Block::default();
    let (blocks, rows_of) = Generator::blocks(rows);
    let mut bytes = Vec::new();
    for block in 0..blocks {
        bytes.extend_from_slice(generator.render(block, rows_of(block), &mut buffer));
    }
    bytes
}

/// A million rows, split into columns.
fn million() -> &'static Vec<Vec<&'static [u8]>> {
    static MILLION: OnceLock<Vec<Vec<&[u8]>>> = OnceLock::new();
    MILLION.get_or_init(|| {
        let bytes: &[u8] = rows(ROWS as u64, Recipe::default()).leak();
        twin::lines_of(bytes)
            .into_iter()
            .map(twin::columns)
            .collect()
    })
}

/// How many of a million rows satisfy `condition`, in per cent.
fn per_cent(condition: impl Fn(&[&[u8]]) -> bool) -> f64 {
    million().iter().filter(|row| condition(row)).count() as f64 * 100.0 / ROWS as f64
}

#[track_caller]
fn assert_between(found: f64, range: std::ops::Range<f64>) {
    assert!(range.contains(&found), "{found} is not in {range:?}");
}

// The columns, counted from zero.
const IMAGE_NUM: usize = 4;
const NAME: usize = 7;
const EMPLOYER: usize = 11;
const OCCUPATION: usize = 12;
const TRANSACTION_DT: usize = 13;
const TRANSACTION_AMT: usize = 14;
const OTHER_ID: usize = 15;
const MEMO_TEXT: usize = 19;
const SUB_ID: usize = 20;

#[test]
fn rows_have_the_shape_of_real_ones() {
    let million = million();
    assert_eq!(million.len(), ROWS);
    assert!(million.iter().all(|row| row.len() == 21));
    let lengths = million
        .iter()
        .map(|row| row.iter().map(|column| column.len() + 1).sum::<usize>());
    let (shortest, longest) = lengths
        .clone()
        .fold((usize::MAX, 0), |(min, max), n| (min.min(n), max.max(n)));
    assert_between(lengths.sum::<usize>() as f64 / ROWS as f64, 175.0..195.0);
    assert!(
        shortest >= 84 && longest <= 302,
        "rows of {shortest} to {longest} bytes"
    );

    let digits = |column: &[u8], lengths: &[usize]| {
        lengths.contains(&column.len()) && column.iter().all(u8::is_ascii_digit)
    };
    for row in million {
        assert!(digits(row[IMAGE_NUM], &[18]), "{row:?}");
        assert!(digits(row[10], &[0, 5, 9]), "{row:?}");
        assert!(digits(row[TRANSACTION_DT], &[0, 8]), "{row:?}");
        assert!(digits(row[SUB_ID], &[19]), "{row:?}");
        let amount = row[TRANSACTION_AMT];
        assert!(
            digits(amount.strip_prefix(b"-").unwrap_or(amount), &[1, 2, 3, 4]),
            "{row:?}"
        );
        assert_ne!(amount, b"-0");
        assert!(row.iter().all(|column| column.is_ascii()));
    }
    let unique: HashSet<_> = million.iter().map(|row| row[SUB_ID]).collect();
    assert_eq!(unique.len(), ROWS, "SUB_ID identifies a row");
}

#[test]
fn columns_are_empty_and_odd_as_often_as_in_real_files() {
    let has = |column: usize, part: &'static [u8]| {
        move |row: &[&[u8]]| row[column].windows(part.len()).any(|w| w == part)
    };
    assert_between(per_cent(|row| !row[NAME].contains(&b',')), 0.2..0.4);
    assert_between(per_cent(has(NAME, b"  ")), 0.5..3.0);
    assert_between(per_cent(has(NAME, b", JR., ")), 0.02..0.1);
    assert_between(per_cent(has(NAME, b" MR.")), 0.3..2.0);
    assert_between(per_cent(has(NAME, b" & ")), 1.0..5.0);
    assert_between(per_cent(|row| row[OTHER_ID].is_empty()), 50.0..90.0);
    assert_between(per_cent(|row| row[MEMO_TEXT].is_empty()), 50.0..90.0);
    assert_between(per_cent(has(MEMO_TEXT, b"EARMARK")), 10.0..40.0);
    assert_between(per_cent(has(TRANSACTION_AMT, b"-")), 0.2..2.0);
    assert_between(per_cent(|row| row[TRANSACTION_AMT] == b"0"), 0.02..0.5);
    assert_between(per_cent(|row| row[TRANSACTION_DT].is_empty()), 0.1..1.0);
    for byte in [b"\"", b"'", b"\\", b"#"] {
        let in_either = |row: &[&[u8]]| {
            [EMPLOYER, OCCUPATION]
                .iter()
                .any(|&column| has(column, byte)(row))
        };
        assert_between(per_cent(in_either), 0.2..10.0);
    }
    // The gift is made in the month before it is filed, in most rows.
    let index = |year: &[u8], month: &[u8]| {
        let number = |digits: &[u8]| std::str::from_utf8(digits).unwrap().parse::<i32>().unwrap();
        number(year) * 12 + number(month)
    };
    let months_before = |row: &[&[u8]]| {
        let (filed, given) = (row[IMAGE_NUM], row[TRANSACTION_DT]);
        (!given.is_empty())
            .then(|| index(&filed[..4], &filed[4..6]) - index(&given[4..], &given[..2]))
    };
    assert_between(per_cent(|row| months_before(row) == Some(1)), 84.0..86.0);
    assert_between(per_cent(|row| months_before(row) == Some(0)), 2.0..3.0);
}

#[test]
fn first_names_have_a_head_and_a_tail() {
    let mut names: HashMap<&[u8], u64> = HashMap::new();
    for row in million() {
        if let Some(name) = fecscan::fec::first_name::first_name(row[NAME]) {
            *names.entry(name).or_default() += 1;
        }
    }
    let share = |name: &[u8]| names[name] as f64 * 100.0 / ROWS as f64;
    assert_between(share(b"JOHN"), 2.5..2.7);
    assert!(
        names
            .iter()
            .all(|(name, &lines)| *name == b"JOHN" || lines < names[&b"JOHN"[..]])
    );
    assert_between(share(b"ROBERT"), 2.0..2.5);
    let initials: u64 = names
        .iter()
        .filter(|(name, _)| name.len() == 1)
        .map(|(_, lines)| lines)
        .sum();
    assert_between(initials as f64 * 100.0 / ROWS as f64, 0.9..1.1);
    assert!(
        names.len() > 20_000,
        "{} different first names",
        names.len()
    );
    assert!(
        names.keys().any(|name| name.len() > 15),
        "some are longer than a key"
    );
}

fn lines_by_month() -> BTreeMap<&'static [u8], u64> {
    let mut months = BTreeMap::new();
    million()
        .iter()
        .for_each(|row| *months.entry(&row[IMAGE_NUM][..6]).or_default() += 1);
    months
}

#[test]
fn months_come_in_the_proportions_of_the_table_and_in_runs() {
    let months = lines_by_month();
    let found: Vec<u64> = TABLE
        .iter()
        .map(|(month, _)| *months.get(month.to_string().as_bytes()).unwrap_or(&0))
        .collect();
    assert_eq!(
        found.iter().sum::<u64>(),
        ROWS as u64,
        "every month is of the table"
    );
    let expected = TABLE.map(|(_, lines)| f64::from(lines));
    check_proportions(&found, &expected).unwrap();
    let total: f64 = expected.iter().sum();
    for (&found, &expected) in found.iter().zip(&expected) {
        let share = expected / total;
        let deviation = (ROWS as f64 * share * (1.0 - share)).sqrt();
        assert!(
            (found as f64 - ROWS as f64 * share).abs() <= 3.0 * deviation.max(1.0),
            "{found} for {share}"
        );
    }
    let changes = million()
        .windows(2)
        .filter(|pair| pair[0][IMAGE_NUM][..6] != pair[1][IMAGE_NUM][..6])
        .count();
    assert_between(ROWS as f64 / changes as f64, 10.0..100.0);

    // What the check is worth: uniform months fail it, and so does a table that is off by one
    // month.
    assert!(check_proportions(&[ROWS as u64 / 25; 25], &expected).is_err());
    let mut rotated = found.clone();
    rotated.rotate_right(1);
    assert!(check_proportions(&rotated, &expected).is_err());
}

/// A million records of seven numbers below 49, as workers draw them who take every fourth block.
fn sequences(
    draws_of_block: impl Fn(u64) -> Draws,
    draw: impl Fn(&mut Draws) -> u32,
) -> Vec<Vec<u32>> {
    let worker = |worker: u64| {
        let blocks = (worker..).step_by(4).take(250);
        let numbers = |block| {
            let mut draws = draws_of_block(block);
            (0..7000).map(|_| draw(&mut draws)).collect::<Vec<_>>()
        };
        blocks.flat_map(numbers).collect()
    };
    (0..4).map(worker).collect()
}

fn check(sequences: &[Vec<u32>]) -> Result<(), String> {
    check_uniform(&sequences.concat(), 7_000_000, 49)?;
    check_independent(sequences, 49)
}

#[test]
fn draws_are_uniform_and_independent() {
    for seed in [0, 1, 2, u64::MAX] {
        check(&sequences(
            |block| Draws::of_block(seed, block),
            |draws| draws.below(49),
        ))
        .unwrap();
    }
    // Blocks of neighbouring seeds have nothing to do with each other either.
    let first = |seed| {
        (0..100_000)
            .map(|block| Draws::of_block(seed, block).below(49))
            .collect::<Vec<_>>()
    };
    check_independent(&[first(0), first(1), first(2)], 49).unwrap();
}

#[test]
fn draws_of_broken_generators_are_found_out() {
    let honest = |block| Draws::of_block(1, block);
    let broken = [
        ("constant", sequences(honest, |_| 24)),
        (
            "constant within a block",
            sequences(
                |block| Draws::of_block(0, block),
                |draws| draws.clone().below(49),
            ),
        ),
        ("never zero", sequences(honest, |draws| 1 + draws.below(48))),
        ("never the last", sequences(honest, |draws| draws.below(48))),
        (
            "one too many",
            sequences(honest, |draws| draws.below(50).min(48)),
        ),
        (
            "a little too often zero",
            sequences(
                honest,
                |draws| if draws.in_4096(8) { 0 } else { draws.below(49) },
            ),
        ),
        (
            "workers draw the same",
            sequences(
                |block| Draws::of_block(1, block / 4),
                |draws| draws.below(49),
            ),
        ),
        (
            "all blocks are the same",
            sequences(|_| Draws::of_block(1, 0), |draws| draws.below(49)),
        ),
        (
            "sums of two",
            sequences(honest, |draws| (draws.below(49) + draws.below(49)) / 2),
        ),
    ];
    for (what, sequences) in broken {
        assert!(check(&sequences).is_err(), "{what}");
    }
    let mut lost = sequences(honest, |draws| draws.below(49));
    lost[3].pop();
    assert!(check(&lost).is_err(), "one number lost");
    let counted: Vec<u32> = (0..7_000_000).map(|i| i % 49).collect();
    assert!(
        check_uniform(&counted, 7_000_000, 49).is_err(),
        "counting is not drawing"
    );
}

#[test]
fn a_longer_file_begins_with_the_shorter_one() {
    for recipe in [
        Recipe::default(),
        Recipe {
            manners: Manners::Hostile,
            ..Recipe::default()
        },
    ] {
        let long = rows(3 * BLOCK_ROWS + 5, recipe);
        for shorter in [
            0,
            1,
            2,
            63,
            64,
            65,
            BLOCK_ROWS - 1,
            BLOCK_ROWS,
            BLOCK_ROWS + 1,
            3 * BLOCK_ROWS,
        ] {
            let short = rows(shorter, recipe);
            assert!(long.starts_with(&short), "{shorter} rows");
            assert_eq!(
                short.iter().filter(|&&b| b == b'\n').count() as u64,
                shorter
            );
        }
    }
    assert_ne!(
        rows(10, Recipe::default()),
        rows(
            10,
            Recipe {
                seed: 2,
                ..Recipe::default()
            }
        )
    );
}

#[test]
fn old_image_numbers_are_one_in_a_hundred() {
    let bytes = rows(
        100_000,
        Recipe {
            image_numbers: ImageNumbers::SomeOld,
            ..Recipe::default()
        },
    );
    let lines = twin::lines_of(&bytes);
    let of_length = |length| {
        lines
            .iter()
            .filter(|line| twin::columns(line)[IMAGE_NUM].len() == length)
            .count()
    };
    assert_eq!(of_length(11) + of_length(18), 100_000);
    assert_between(of_length(11) as f64, 850.0..1150.0);
}

#[test]
fn hostile_rows_have_all_that_can_go_wrong_and_the_report_on_them_is_the_twins() {
    let bytes = rows(
        50_000,
        Recipe {
            manners: Manners::Hostile,
            ..Recipe::default()
        },
    );
    let lines = twin::lines_of(&bytes);
    assert_eq!(lines.len(), 50_000);
    let columns: HashSet<usize> = lines.iter().map(|line| twin::columns(line).len()).collect();
    assert!(
        [0, 1, 8, 20, 21, 22, 24]
            .iter()
            .all(|count| columns.contains(count)),
        "{columns:?}"
    );
    assert!(
        bytes.iter().any(|&b| b > 127)
            && bytes.contains(&0)
            && bytes.windows(2).any(|pair| pair == b"\r\n")
    );
    assert!(lines.iter().any(|line| line.len() > 2500) && lines.iter().any(|line| line.is_empty()));

    let asked = twin::Asked {
        names: vec![0, 432, 43243],
        top: 20,
        transaction_date: false,
    };
    common::run::assert_equals_twin(
        "hostile rows",
        &bytes,
        &asked,
        &common::run::settings(&[1, 2], &[10_000, 2 << 20]),
    );
}

#[test]
fn the_program_writes_the_same_bytes_for_any_number_of_threads() {
    let expected = rows(200_000, Recipe::default());
    for threads in ["1", "2", "3", "8"] {
        let output = fecscan(["generate", "--rows", "200000", "-j", threads])
            .output()
            .unwrap();
        assert!(output.status.success() && output.stderr.is_empty());
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
            "--rows 1 --schema cm",
            "invalid value 'cm' for '--schema <SCHEMA>'",
        ),
        ("--rows 1 file", "unexpected argument 'file' found"),
    ] {
        let ended = run_with(&format!("generate {arguments}"));
        assert_eq!((ended.status, ended.out.as_str()), (2, ""), "{arguments}");
        assert!(
            ended.err.starts_with(&format!("fecscan: {message}")),
            "{arguments}: {}",
            ended.err
        );
    }
    // As many rows as there are numbers: they begin to come, and nobody waits for the last.
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
    assert_fails(
        run_with("generate --rows 100000 -j 4 -o /dev/full"),
        2,
        full,
    );
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let ended = run(fecscan(["generate", "--rows", "100000", "-j", "4"]).stdout(writer));
    assert_eq!((ended.status, ended.err.as_str()), (0, ""));

    // A limit on the size of files is met halfway: nothing is left.
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
