//! Comparisons of fecscan with slow definitions of the same, on any bytes.
//!
//! Each comparison panics if the two differ. A fuzzer finds the bytes. The last ones choose the level,
//! the size of tasks and so on, so the fuzzer finds these too.

pub mod archives;
mod common;
pub mod conditions;
pub mod exports;
pub mod groups;
pub mod joins;
mod names;
pub mod partials;
#[path = "../../encoder/tests/compare/mod.rs"]
pub mod rows;

use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::LazyLock;

use fecscan::engine::{Engine, Options};
use fecscan::fec::first_name::first_name as defined;
use fecscan::fec::schema::Schema;
use fecscan::fec::trimmed;
use fecscan::fold::report::{MonthColumn, OtherKinds, ReportFold, ReportQuestion};
use fecscan::input::{Input, Io};
use fecscan::plan::{Cut, Plan, check_tiling, lines_beginning_in};
use fecscan::render;
use fecscan::scan::simd::Simd;
use regex::bytes::Regex;
use serde_json::Value;

use common::memory_file::MemoryFile;
use common::run::{Setting, WAYS};
use common::split::{by_scanning, by_splitting};
use common::twin;

/// The levels of this processor.
static LEVELS: LazyLock<Vec<Simd>> = LazyLock::new(|| Simd::available().collect());

/// Splits `N` bytes off the end of `data`, zeros if there are not that many.
fn choices<const N: usize>(data: &[u8]) -> ([u8; N], &[u8]) {
    match data.split_last_chunk() {
        Some((rest, last)) => (*last, rest),
        None => ([0; N], data),
    }
}

/// Returns the way to work that three bytes choose: level and way to read, size of tasks.
fn setting([level, task, shift]: [u8; 3]) -> Setting {
    let level = usize::from(level);
    Setting {
        simd: LEVELS[level % LEVELS.len()],
        way: WAYS[level / LEVELS.len() % WAYS.len()],
        // Threads take time to start.
        threads: if shift > 252 { 3 } else { 1 },
        // A few bytes, up to several lines and more.
        task_bytes: (u64::from(task) + 1) << (shift % 12),
    }
}

fn options(simd: Simd, threads: usize, task_bytes: u64) -> Options {
    let mut options = Options::default();
    options.threads = NonZeroUsize::new(threads).unwrap();
    options.simd = simd;
    options.task_bytes = NonZeroU64::new(task_bytes).unwrap();
    options
}

/// Compares the report on a file of `data`, at one level, in one way, in tasks of one size, with the
/// twin's.
pub fn report(data: &[u8]) {
    let ([level, way, threads, task, column], bytes) = choices(data);
    if !is_text(bytes) {
        return;
    }
    let asked = twin::Asked {
        names: vec![0, 1, 2, 7, u64::from(task)],
        top: usize::from(task % 8),
        transaction_date: column % 2 == 1,
    };
    // Tasks of a few bytes, up to several lines and more.
    let task_bytes = (u64::from(task) + 1) << (way / 2 % 8);
    let simd = LEVELS[usize::from(level) % LEVELS.len()];
    // Threads take time to start; the work is the same.
    let threads = if threads == 255 { 3 } else { 1 };
    let engine = Engine::new(options(simd, threads, task_bytes));
    let mut question = ReportQuestion::default();
    question.names = asked.names.clone();
    question.top = asked.top;
    question.other_kinds = OtherKinds::Report;
    if asked.transaction_date {
        question.month_column = MonthColumn::TransactionDate;
    }
    let fold = ReportFold::new(question);
    let file = MemoryFile::new(bytes);
    let io = match way % 2 {
        // SAFETY: nothing else writes to this file.
        0 => unsafe { Io::mmap() },
        _ => Io::read(),
    };
    let input = Input::open(file.path.as_ref(), io).unwrap();
    let mut run = engine.run(&fold).with_numbered_lines(&asked.names);
    run.input(input).unwrap();
    let found = render::json::report(&fold.report(run.finish()));
    let found: Value = serde_json::from_slice(&found).unwrap();
    assert_eq!(found, twin::report(&[(&file.path, bytes)], &asked));
}

/// Tells whether a file of `bytes` is read as text, as the slow definitions do.
fn is_text(bytes: &[u8]) -> bool {
    !is_other_format(bytes) && !ends_as_archive(bytes)
}

/// Tells whether `bytes` begin like a format other than text, by the marks of the formats' own documents.
fn is_other_format(bytes: &[u8]) -> bool {
    const MAGIC: [&[u8]; 15] = [
        b"\x1f\x8b",
        b"\x1f\x9d",
        b"\x28\xb5\x2f\xfd",
        b"PK\x03\x04",
        b"PK\x05\x06",
        b"PK\x07\x08",
        b"PK00PK",
        b"\xfd7zXZ\0",
        b"Rar!\x1a\x07",
        b"\xfe\xff\0",
        b"7z\xbc\xaf\x27\x1c",
        b"\x04\x22\x4d\x18",
        b"\x89FSP\r\n\x1a\n",
        b"\0\x05\x16\x07",
        b"PAR1\x15",
    ];
    let skipped_frame = matches!(bytes, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]);
    let lzh = matches!(bytes, [_, _, b'-', b'l', b'h', _, b'-', ..]);
    let bzip2 = matches!(
        bytes,
        [b'B', b'Z', b'h', _, b'1', b'A', b'Y', b'&', b'S', b'Y', ..]
    );
    let utf_16 = matches!(bytes, [0xff, 0xfe, _, 0, ..]) || is_unmarked_utf_16(bytes);
    let tar = bytes.get(257..262) == Some(b"ustar");
    if skipped_frame || lzh || bzip2 || utf_16 || tar {
        return true;
    }
    MAGIC.iter().any(|magic| bytes.starts_with(magic))
}

/// Tells whether the first four characters are of UTF-16 and ASCII.
fn is_unmarked_utf_16(bytes: &[u8]) -> bool {
    let of = |unit: fn([u8; 2]) -> u16| {
        let units = bytes
            .chunks_exact(2)
            .take(4)
            .map(|pair| unit([pair[0], pair[1]]));
        let is_text = |&unit: &u16| matches!(unit, 0x09 | 0x0a | 0x0c | 0x0d | 0x20..=0x7e);
        units.filter(is_text).count() == 4
    };
    of(u16::from_le_bytes) || of(u16::from_be_bytes)
}

/// Tells whether `bytes` end with the end record of a zip archive without a comment.
fn ends_as_archive(bytes: &[u8]) -> bool {
    let record = &bytes[bytes.len().saturating_sub(22)..];
    record.len() == 22 && record.starts_with(b"PK\x05\x06") && record.ends_with(&[0, 0])
}

/// Compares the columns that a level finds with those of split lines.
pub fn columns(data: &[u8]) {
    let ([choice, one, other, level, task], bytes) = choices(data);
    if !is_text(bytes) {
        return;
    }
    let schema = Schema::ALL[usize::from(other) % Schema::ALL.len()];
    let two = [usize::from(one) % 22, usize::from(other) % 22];
    let all: [usize; 26] = std::array::from_fn(|nth| nth);
    // Now and then over more than a block.
    let repeated =
        (choice == 255 && bytes.len() > 100).then(|| bytes.repeat(18_000 / (bytes.len() + 1) + 1));
    let (wanted, bytes) = match (&repeated, choice % 4) {
        (Some(repeated), _) => (&two[..], &repeated[..]),
        (None, 0) => (&[usize::from(one)][..], bytes),
        (None, 1) => (&two[..], bytes),
        (None, 2) => (&[4, 7][..], bytes),
        (None, _) => (&all[..], bytes),
    };
    let simd = LEVELS[usize::from(level) % LEVELS.len()];
    let task_bytes = (usize::from(task) + 1) << (level / 8);
    let found = by_scanning(simd, schema, task_bytes, bytes, wanted);
    let (name, schema) = (simd.name(), schema.name());
    assert_eq!(
        found,
        by_splitting(bytes, wanted),
        "{name} {schema} {wanted:?}"
    );
}

/// Compares the first name in a name with the capture of the regular expression.
pub fn first_name(name: &[u8]) {
    static EXPRESSION: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?-u), \s*([^, ]+)").unwrap());
    let captured = EXPRESSION
        .captures(trimmed(name))
        .map(|found| found.get(1).unwrap().as_bytes());
    assert_eq!(defined(name), captured);
}

/// Checks that tasks of any size tile a text, and that each is whole lines that begin in its nominal
/// range.
pub fn plan(data: &[u8]) {
    let ([size], bytes) = choices(data);
    let whole = 0..bytes.len() as u64;
    let task_bytes = NonZeroU64::new(u64::from(size) + 1).unwrap();
    let plan = Plan::new(whole.clone(), task_bytes, Cut::AtLines);
    let mut tasks = Vec::new();
    while let Some(nominal) = plan.next() {
        let nominal = nominal.start as usize..nominal.end as usize;
        let Some(lines) = lines_beginning_in(bytes, nominal.clone()) else {
            continue;
        };
        assert!(nominal.contains(&lines.start));
        assert!(lines.start == 0 || bytes[lines.start - 1] == b'\n');
        assert!(lines.end == bytes.len() || bytes[lines.end - 1] == b'\n');
        tasks.push(lines.start as u64..lines.end as u64);
    }
    assert_eq!(check_tiling(tasks.into_iter(), whole), Ok(()));
}
