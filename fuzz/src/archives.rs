//! Comparisons for compressed files: they give an error, or the report on the packed text.

use std::ffi::OsStr;

use fecscan::engine::Engine;
use fecscan::error::Error;
use fecscan::fold::report::{OtherKinds, Report, ReportFold, ReportQuestion};
use fecscan::input::{Input, OpenOptions};
use fecscan::render;
use fecscan::scan::simd::Simd;
use serde_json::Value;

use crate::common::archives::{Member, gzip, zip, zstd};
use crate::common::memory_file::MemoryFile;
use crate::common::twin;
use crate::{choices, is_other_format, options};

/// The limit of a compressed file or member here. It keeps runs in tasks of one byte short.
const MEMBER_BYTES: u64 = 256 << 10;

/// The lines whose names are reported.
const NAMES: [u64; 4] = [0, 1, 7, 1000];

/// The way to work.
#[derive(Clone, Copy)]
struct Way {
    threads: usize,
    task_bytes: u64,
    /// Bytes come through a pipe, if they fit into one.
    piped: bool,
}

impl Way {
    fn of([threads, task, piped]: [u8; 3]) -> Way {
        Way {
            // Threads take time to start.
            threads: if threads > 250 { 3 } else { 1 },
            // A few bytes, up to several lines and more.
            task_bytes: (u64::from(task) + 1) << (piped / 2 % 12),
            piped: piped % 2 == 1,
        }
    }
}

/// Makes the report on a file of `bytes`, and returns it with the path.
fn report(bytes: &[u8], way: Way) -> (Result<Report, Error>, String) {
    let engine = Engine::new(options(Simd::best(), way.threads, way.task_bytes));
    let mut question = ReportQuestion::default();
    question.names = NAMES.to_vec();
    question.other_kinds = OtherKinds::Report;
    let fold = ReportFold::new(question);
    let mut opening = OpenOptions::default();
    opening.max_member_bytes = MEMBER_BYTES;
    let file = MemoryFile::new(bytes);
    let path: &OsStr = file.path.as_ref();
    let opened = if way.piped && bytes.len() < 60_000 {
        let (reader, mut writer) = std::io::pipe().unwrap();
        std::io::Write::write_all(&mut writer, bytes).unwrap();
        drop(writer);
        opening.from_stream(path, reader)
    } else {
        opening.open(path)
    };
    let report = opened.and_then(|input: Input| {
        let mut run = engine.run(&fold).with_numbered_lines(&NAMES);
        run.input(input)?;
        Ok(fold.report(run.finish()))
    });
    (report, file.path)
}

/// Checks that any bytes have a report within the limits, or an error that says what to do. All ways
/// to work give the same.
pub fn archive(data: &[u8]) {
    let (way, bytes) = choices(data);
    let way = Way::of(way);
    let plain = Way {
        threads: 1,
        task_bytes: 2 << 20,
        ..way
    };
    let said = [way, plain].map(|way| {
        let (found, path) = report(bytes, way);
        match found {
            Err(error) => {
                let message = error.with_advice().replace(&path, "FILE");
                assert!(message.contains("; "), "what to do? {message}");
                Err(message)
            }
            Ok(mut found) => {
                // A member of an archive takes more than 64 bytes.
                let parts = 1 + bytes.len() as u64 / 64;
                assert!(found.files[0].bytes <= MEMBER_BYTES * parts);
                found.files.clear();
                Ok(render::json::report(&found))
            }
        }
    });
    assert_eq!(said[0], said[1]);
}

/// Checks that a packed and perhaps damaged text has its report or an error. A whole one has its
/// report, unless the text is a packed file itself.
pub fn packed(data: &[u8]) {
    let (way, data) = choices(data);
    let ([kind, damage, value, high, low], text) = choices(data);
    let at = usize::from(u16::from_be_bytes([high, low]));
    let mut bytes = pack(text, kind, at);
    let whole = damage % 4 == 0;
    if !whole {
        let at = at % bytes.len();
        match damage % 4 {
            1 => bytes[at] ^= value.max(1),
            2 => bytes.truncate(at),
            _ => bytes.insert(at, value),
        }
    }
    let (found, path) = report(&bytes, Way::of(way));
    // Without the bytes that tell its format, the file is another one. So is a file of several members
    // that ends between two.
    let told_apart = bytes.len() >= 4
        && bytes[..4] == pack(text, kind, at)[..4]
        && !(damage % 4 == 2 && matches!(kind % 8, 2 | 3));
    let is_packed_twice = members(text, kind, at).into_iter().any(is_other_format);
    match found {
        Err(_) if !whole || is_piped_zip(kind, way) => {}
        Err(error) => {
            let is_refused = error.with_advice().contains("instead of lines");
            assert!(is_packed_twice && is_refused, "{error}");
        }
        Ok(found) if whole || told_apart => {
            let found: Value = serde_json::from_slice(&render::json::report(&found)).unwrap();
            let asked = twin::Asked {
                names: NAMES.to_vec(),
                top: 1,
                transaction_date: false,
            };
            assert_eq!(found, twin::report(&[(&path, text)], &asked));
            assert!(!is_packed_twice);
        }
        Ok(_) => {}
    }
}

/// Tells whether a zip archive comes through a pipe, which cannot be read.
fn is_piped_zip(kind: u8, way: [u8; 3]) -> bool {
    kind % 8 > 3 && Way::of(way).piped
}

/// Packs `text` in the way `kind`. Two pieces are cut `at` a byte, or at the end of a line.
fn pack(text: &[u8], kind: u8, at: usize) -> Vec<u8> {
    let (first, last) = text.split_at(at % (text.len() + 1));
    let one = Member::deflated("itcont.txt", text);
    match kind % 8 {
        0 => gzip(text),
        1 => zstd(text),
        2 => [gzip(first), gzip(last)].concat(),
        3 => [zstd(b""), zstd(text)].concat(),
        4 => zip(&[Member::stored("itcont.txt", text)]),
        5 => zip(&[one]),
        6 => zip(&[one.with_zip64().with_descriptor()]),
        _ => {
            let [lines, others] = two_at_a_line(text, at);
            zip(&[
                Member::deflated("a.txt", lines),
                Member::stored("b.txt", others),
            ])
        }
    }
}

/// Returns the texts that are unpacked, each from its beginning.
fn members(text: &[u8], kind: u8, at: usize) -> Vec<&[u8]> {
    match kind % 8 {
        0..=6 => vec![text],
        _ => two_at_a_line(text, at).to_vec(),
    }
}

fn two_at_a_line(text: &[u8], at: usize) -> [&[u8]; 2] {
    let newline = text[..at % (text.len() + 1)]
        .iter()
        .rposition(|&byte| byte == b'\n');
    let (lines, others) = text.split_at(newline.map_or(0, |newline| newline + 1));
    [lines, others]
}
