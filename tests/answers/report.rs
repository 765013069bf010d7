//! The report, in every way the program can work it out, against the slow twin.

use crate::common::run::{Setting, WAYS, Way, assert_equals_twin, fixtures, settings};
use crate::common::twin::{self, Asked};
use fecscan::fold::LineCount;
use fecscan::scan::simd::Simd;
use fecscan::sql::Filter;

const THREADS: [usize; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

fn everything_asked() -> [Asked; 2] {
    let names = vec![3, 0, 0, 1, 12, 40, u64::MAX];
    [false, true].map(|transaction_date| Asked {
        names: names.clone(),
        top: 5,
        transaction_date,
    })
}

#[test]
fn fixtures_in_every_way_with_every_number_of_threads_and_tiny_tasks() {
    let settings = settings(&THREADS, &[1, 2, 3, 7, 64, 4095, 4096, 4097]);
    let [asked, by_date] = everything_asked();
    for (name, bytes) in fixtures() {
        // Each byte of a task of one byte costs the readers a system call, and the long file has
        // thousands.
        let few: Vec<_> = settings
            .iter()
            .copied()
            .filter(|s| bytes.len() < 4000 || s.task_bytes > 3)
            .collect();
        assert_equals_twin(&name, &bytes, &asked, &few);
        let one_and_two: Vec<_> = few
            .into_iter()
            .filter(|setting| setting.threads <= 2)
            .collect();
        assert_equals_twin(&name, &bytes, &by_date, &one_and_two);
    }
}

#[test]
fn every_task_size_up_to_a_line_and_a_half() {
    let (_, bytes) = fixtures()
        .into_iter()
        .find(|(name, _)| name == "crlf")
        .unwrap();
    for task_bytes in 1..=250 {
        let settings = WAYS.map(|way| Setting {
            way,
            simd: Simd::best(),
            threads: 2,
            task_bytes,
        });
        assert_equals_twin("crlf", &bytes, &Asked::default(), &settings);
    }
}

/// The columns of the report at every offset from the edge of a window, with whatever may stand
/// behind them.
#[test]
fn fields_at_every_offset_from_the_edge_of_a_window() {
    let mut bytes = Vec::new();
    for padding in 0..=130 {
        let filler = "x".repeat(padding);
        // In front of both columns, between them, in the name itself, and behind.
        for (before, between, last) in [(padding, 0, 0), (0, padding, 0), (0, 0, padding)] {
            let (before, between, last) = (&filler[..before], &filler[..between], &filler[..last]);
            let row = format!(
                "C{before}|N|M4|P|20180412|15{between}|IND|R{last}OE, JANE Q|CITY|OR|9|E|O|03152018|5\n"
            );
            bytes.extend_from_slice(row.as_bytes());
        }
        bytes.extend_from_slice(format!("C|N|M4|P|201804|15|IND|ROE, {filler}J\n").as_bytes());
        bytes.extend_from_slice(
            format!("C|N|M4|P|201804|15|IND|ROE,{}ANN\r\n", " ".repeat(padding)).as_bytes(),
        );
    }
    for asked in everything_asked() {
        assert_equals_twin(
            "offsets",
            &bytes,
            &asked,
            &settings(&[1, 2], &[64, 4096, 1 << 20]),
        );
    }
}

/// The same rows at every distance from the end of the haystack, where windows no longer fit.
#[test]
fn the_last_line_at_every_distance_from_the_end() {
    let row = b"C00990001|N|M4|P|201804129112345678|15|IND|MARLOWE, JOHN Q|SPRINGFIELD|OR|974770001|SELF|FARMER|03152018|50";
    let whole = [&row[..], b"\n", &row[..], b"\n"].concat();
    for length in 0..=whole.len() {
        let settings: Vec<_> = settings(&[1], &[1 << 20]);
        assert_equals_twin(
            &format!("the first {length} bytes"),
            &whole[..length],
            &Asked::default(),
            &settings,
        );
    }
}

#[test]
fn long_lines_and_short_ones_among_them() {
    let mut bytes = b"|||\n\n".to_vec();
    for length in [100, 16_383, 16_384, 16_385, 65_536, 1_000_000, 10_000_000] {
        let long = "y".repeat(length);
        bytes.extend_from_slice(format!("C|N|M4|P|201804|15|IND|ROE, JANE|{long}\n\n").as_bytes());
        bytes.extend_from_slice(format!("{long}|N|M4|P|201805|15|IND|ROE, ANN\n").as_bytes());
        bytes.extend_from_slice(format!("C|N|M4|P|201806|15|IND|{long}, ANN\r\n").as_bytes());
        bytes.extend_from_slice(format!("C|N|M4|P|201807|15|IND|ROE, {long}\n").as_bytes());
    }
    let asked = Asked {
        names: vec![0, 2, 20],
        top: 3,
        transaction_date: false,
    };
    assert_equals_twin(
        "long lines",
        &bytes,
        &asked,
        &settings(&[1, 2], &[65_536, 2 << 20]),
    );
    // A task of 4096 bytes is a small part of such a line; once through each way is enough.
    let tiny = WAYS.map(|way| Setting {
        way,
        simd: Simd::best(),
        threads: 3,
        task_bytes: 4096,
    });
    assert_equals_twin("long lines", &bytes, &asked, &tiny);
}

/// Lines that end, or do not, where a block does.
#[test]
fn files_that_end_at_the_edge_of_a_block() {
    const BLOCK: usize = 16 * 1024;
    let row = b"|||||||ROE, JANE|\n";
    for length in [
        BLOCK - 1,
        BLOCK,
        BLOCK + 1,
        2 * BLOCK - 1,
        2 * BLOCK,
        2 * BLOCK + 1,
    ] {
        for last in [b'x', b'\r', b'\n', b'|'] {
            let mut bytes = row.repeat(length / row.len() + 1);
            bytes.truncate(length);
            bytes[length - 1] = last;
            let what = format!("{length} bytes, the last of which is {last}");
            assert_equals_twin(
                &what,
                &bytes,
                &Asked::default(),
                &settings(&[1], &[BLOCK as u64, 1 << 20]),
            );
        }
    }
}

/// The longest line that is allowed, and one byte more, read in every way in tasks of every kind.
#[test]
fn the_limit_of_a_line_is_the_same_in_every_way_of_working() {
    use fecscan::input::LINE_BYTES_MAX;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("long.txt");
    for end in ["\n", ""] {
        for length in [LINE_BYTES_MAX, LINE_BYTES_MAX + 1] {
            let line = format!("|||||||ROE, JANE|{}", "x".repeat(length - 17));
            std::fs::write(&path, format!("|\n{line}{end}")).unwrap();
            for setting in settings(&[1, 2], &[1 << 20, 3_000_000, 64 << 20]) {
                if setting.simd != Simd::best() {
                    continue;
                }
                match setting.try_json(&setting.engine(), &Asked::default(), &[&path]) {
                    Ok(found) => assert_eq!(
                        (length, &found["lines"]),
                        (LINE_BYTES_MAX, &2.into()),
                        "{setting:?}"
                    ),
                    Err(error) => {
                        assert_eq!(
                            (length, error.byte()),
                            (LINE_BYTES_MAX + 1, Some(2)),
                            "{setting:?}: {error}"
                        );
                        assert!(
                            error.to_string().contains("has a line of more than 16 MiB"),
                            "{error}"
                        );
                    }
                }
            }
        }
    }
}

/// One worker reads no more of the line than its limit. The other one no longer looks for a line.
#[test]
fn a_tebibyte_without_newlines_is_refused_at_its_beginning() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sparse.txt");
    let file = std::fs::File::create(&path).unwrap();
    file.set_len(1 << 40).unwrap();
    for setting in settings(&[1, 2], &[2 << 20]) {
        if setting.simd != Simd::best() || setting.way == Way::Stream {
            continue;
        }
        let engine = setting.engine();
        let engine = engine.with_filter(Filter::new(["STATE = 'CA'"]).unwrap());
        let counted = setting.fold(&engine, &LineCount, &[], &[&path]);
        assert_eq!(counted.err().unwrap().byte(), Some(0), "{setting:?}");
    }
}

#[test]
fn blocks_and_tasks_that_end_in_the_middle_of_many_lines() {
    let (_, plain) = fixtures()
        .into_iter()
        .find(|(name, _)| name == "names")
        .unwrap();
    let bytes = plain.repeat(40);
    let asked = Asked {
        names: vec![0, 400, 1300, 1319, 1320],
        top: 2,
        transaction_date: false,
    };
    assert_equals_twin(
        "names",
        &bytes,
        &asked,
        &settings(&[1, 2, 8], &[4096, 16_384, 100_000, 2 << 20]),
    );
}

#[test]
fn many_different_first_names_long_and_short() {
    let name = |i: usize| {
        format!(
            "{}{i}",
            ["N", "ABCDEFGHIJKLM", "A-NAME-LONGER-THAN-A-KEY"][i % 3]
        )
    };
    let bytes: String = (0..60_000)
        .map(|i| format!("|||||||X, {} Y|\n", name(i % 40_000)))
        .collect();
    let asked = Asked {
        top: 50,
        ..Asked::default()
    };
    assert_equals_twin(
        "many names",
        bytes.as_bytes(),
        &asked,
        &settings(&[1, 3], &[1 << 16]),
    );
}

#[test]
fn several_files_are_one_sequence_of_lines() {
    let fixtures = fixtures();
    let paths: Vec<_> = fixtures
        .iter()
        .map(|(name, _)| format!("fixtures/{name}.txt"))
        .collect();
    let files: Vec<_> = paths
        .iter()
        .map(String::as_str)
        .zip(fixtures.iter().map(|(_, bytes)| &bytes[..]))
        .collect();
    let lines: usize = files
        .iter()
        .map(|(_, bytes)| twin::lines_of(bytes).len())
        .sum();
    let asked = Asked {
        names: (0..lines as u64 + 3).rev().collect(),
        top: 10,
        transaction_date: false,
    };
    let expected = twin::report(&files, &asked);
    let paths: Vec<_> = paths.iter().map(std::path::Path::new).collect();
    for setting in settings(&[1, 2, 4], &[64, 1000, 2 << 20]) {
        assert_eq!(
            setting.json(&setting.engine(), &asked, &paths),
            expected,
            "{setting:?}"
        );
    }
}

/// All texts of up to seven bytes over the letters that matter, where the report looks for its
/// columns.
#[test]
fn all_short_texts_over_the_letters_that_matter() {
    const LETTERS: [u8; 5] = *b"|\n, a";
    for simd in Simd::available() {
        let setting = Setting {
            way: Way::Read,
            simd,
            threads: 1,
            task_bytes: 64 << 10,
        };
        for length in 0..=7_u32 {
            // All of one length in one file, each behind the seven pipes that make it a NAME, and
            // between marks.
            let mut bytes = Vec::new();
            for number in 0..5_usize.pow(length) {
                bytes.extend_from_slice(b"|||||||");
                bytes.extend((0..length).map(|i| LETTERS[number / 5_usize.pow(i) % 5]));
                bytes.extend_from_slice(b"\n||||201804|||MARK, M\n");
            }
            assert_equals_twin(
                &format!("texts of {length}"),
                &bytes,
                &Asked {
                    top: 30,
                    ..Asked::default()
                },
                &[setting],
            );
        }
    }
}

/// Names at all lines, alone and together, where lines end in the same block of a chunk, in the
/// next, and several further on.
#[test]
fn names_at_every_line_of_chunks_of_many_blocks() {
    const BLOCK: usize = 16 * 1024;
    let mut bytes = Vec::new();
    for (nth, length) in [0, 1, 60, 5000, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK]
        .into_iter()
        .cycle()
        .take(48)
        .enumerate()
    {
        let line = format!("||||20180|{}||DONOR{nth}, ANN|", "x".repeat(length));
        // A blank line now and then, and the end of a line as the last byte of a block.
        bytes.extend_from_slice(line.as_bytes());
        if nth % 5 == 0 {
            let short = BLOCK - 1 - bytes.len() % BLOCK;
            bytes.extend(std::iter::repeat_n(b'y', short));
            bytes.push(b'\n');
        }
        bytes.push(b'\n');
    }
    let lines = twin::lines_of(&bytes).len() as u64;
    let settings: Vec<_> = settings(&[1, 2], &[20_000, 1 << 20])
        .into_iter()
        .filter(|setting| setting.simd == Simd::best())
        .collect();
    let all = Asked {
        names: (0..=lines).collect(),
        ..Asked::default()
    };
    for bytes in [&bytes[..], &bytes[..bytes.len() - 1]] {
        assert_equals_twin("many blocks", bytes, &all, &settings);
        for line in 0..lines {
            let asked = Asked {
                names: vec![line],
                ..Asked::default()
            };
            assert_equals_twin("many blocks", bytes, &asked, &settings);
        }
    }
}
