//! Counting newlines in the steps of the article "Counting new lines faster, or how to beat wc at its own game", then by this crate.
//!
//! Every step asserts the answer of `wc -l`. Each is the article's few lines; only the last two call the engine.

use std::fs::File;
use std::io::{BufRead, BufReader, Error, Read};
use std::path::Path;
use std::process::Command;
use std::thread;

use fecscan::fold::LineCount;
use memmap2::{Advice, Mmap, MmapOptions};

use crate::common::file::output;
use crate::common::ladder::{Step, climb};
use crate::common::rounds::cores;
use crate::common::run::{bench_file, engine, fold, mapped as engine_mapped};

const ROUNDS: usize = 7;

const IN_ORDER: [Advice; 2] = [Advice::Sequential, Advice::HugePage];

fn open(path: &Path) -> File {
    File::open(path).expect("the file can be read")
}

/// Reads each line as text. Nothing empties the memory, as in the article, so it grows to the size of the file.
fn lines_of_text(path: &Path) -> u64 {
    let (mut reader, mut text, mut lines) = (BufReader::new(open(path)), String::new(), 0);
    while reader.read_line(&mut text).expect("the file is UTF-8") > 0 {
        lines += 1;
    }
    lines
}

/// Reads each line as bytes, without a check for UTF-8. `each` may empty the memory.
fn lines_of_bytes(path: &Path, each: impl Fn(&mut Vec<u8>)) -> u64 {
    let (mut reader, mut bytes, mut lines) = (BufReader::new(open(path)), Vec::new(), 0);
    while reader
        .read_until(b'\n', &mut bytes)
        .expect("the file can be read")
        > 0
    {
        lines += 1;
        each(&mut bytes);
    }
    lines
}

/// Reads `bytes` bytes at a time, and has `count` find their newlines.
fn reads(path: &Path, bytes: usize, count: fn(&[u8]) -> u64) -> u64 {
    let (mut file, mut buffer, mut lines) = (open(path), vec![0; bytes], 0);
    loop {
        match file.read(&mut buffer).expect("the file can be read") {
            0 => return lines,
            read => lines += count(&buffer[..read]),
        }
    }
}

fn one_by_one(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}

fn by_memchr(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// Compares 64 bytes at once where the processor has AVX-512.
#[allow(unsafe_code)]
fn by_vectors(bytes: &[u8]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has the instructions.
        return unsafe { by_avx512(bytes) };
    }
    one_by_one(bytes)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512bw,popcnt")]
#[allow(unsafe_code)]
fn by_avx512(bytes: &[u8]) -> u64 {
    use std::arch::x86_64::{_mm512_cmpeq_epi8_mask, _mm512_loadu_epi8, _mm512_set1_epi8};
    let (chunks, rest) = bytes.as_chunks::<64>();
    let newlines = _mm512_set1_epi8(b'\n' as i8);
    let mut lines = one_by_one(rest);
    for chunk in chunks {
        // SAFETY: a chunk has 64 bytes.
        let bytes = unsafe { _mm512_loadu_epi8(chunk.as_ptr().cast()) };
        lines += u64::from(_mm512_cmpeq_epi8_mask(bytes, newlines).count_ones());
    }
    lines
}

/// Maps the file. Its memory is given back inside the time of a step, as the article found that half of the cost is there.
#[allow(unsafe_code)]
fn map(path: &Path, options: &MmapOptions, advice: &[Advice]) -> Mmap {
    // SAFETY: nothing writes to the file meanwhile.
    let map = unsafe { options.map_copy_read_only(&open(path)) }.expect("the file can be mapped");
    for &advice in advice {
        // File systems without huge pages refuse advice on them.
        let _ = map.advise(advice);
    }
    map
}

/// Requests huge pages for the mapping, and returns the kernel's answer.
#[allow(unsafe_code)]
fn collapse(map: &Mmap) -> String {
    // SAFETY: the mapping is alive, and the call changes pages, not bytes.
    match unsafe {
        libc::madvise(
            map.as_ptr().cast_mut().cast(),
            map.len(),
            libc::MADV_COLLAPSE,
        )
    } {
        0 => "MADV_COLLAPSE: done".into(),
        _ => format!("MADV_COLLAPSE: {}", Error::last_os_error()),
    }
}

/// Counts on all cores, each with its part of the bytes.
fn by_threads(bytes: &[u8]) -> u64 {
    thread::scope(|scope| {
        let parts = bytes.chunks(bytes.len().div_ceil(cores()).max(1));
        let counts: Vec<_> = parts.map(|part| scope.spawn(|| by_vectors(part))).collect();
        counts
            .into_iter()
            .map(|count| count.join().expect("no thread panics"))
            .sum()
    })
}

fn engine_counts(path: &Path, threads: usize) -> u64 {
    fold(&engine(threads), &LineCount, path, engine_mapped()).lines
}

/// Counts in a mapping for which huge pages were requested, and returns the kernel's answer too.
fn in_huge_pages(path: &Path, count: fn(&[u8]) -> u64) -> (u64, String) {
    let map = map(path, &MmapOptions::new(), &IN_ORDER);
    let said = collapse(&map);
    (count(&map), said)
}

fn wc(path: &Path) -> u64 {
    let counted = output(Command::new("wc").arg("-l").arg(path));
    let lines = counted.split_whitespace().next();
    lines
        .and_then(|lines| lines.parse().ok())
        .expect("wc counts lines")
}

/// Returns the steps that read; `right` asserts a count.
fn reading<'a>(path: &'a Path, right: impl Fn(u64) -> String + Copy + 'a) -> Vec<Step<'a>> {
    vec![
        Step::new(
            "1 lines of text, all kept",
            27.93,
            move || lines_of_text(path),
            right,
        ),
        Step::new(
            "2 lines of bytes, all kept",
            18.37,
            move || lines_of_bytes(path, |_| ()),
            right,
        ),
        Step::new(
            "3 lines of bytes, memory used again",
            None,
            move || lines_of_bytes(path, Vec::clear),
            right,
        ),
        Step::new(
            "4 reads of 8 KiB",
            4.88,
            move || reads(path, 8 << 10, one_by_one),
            right,
        ),
        Step::new(
            "5 reads of 1 MiB",
            3.92,
            move || reads(path, 1 << 20, one_by_one),
            right,
        ),
        Step::new(
            "6 memchr",
            None,
            move || reads(path, 1 << 20, by_memchr),
            right,
        ),
        Step::new(
            "7 vectors",
            0.677,
            move || reads(path, 1 << 20, by_vectors),
            right,
        ),
    ]
}

/// Returns the steps that map; `right` asserts a count.
fn mapping<'a>(path: &'a Path, right: impl Fn(u64) -> String + Copy + 'a) -> Vec<Step<'a>> {
    let (plain, mut populating) = (MmapOptions::new(), MmapOptions::new());
    populating.populate();
    let said = move |(lines, said): (u64, String)| right(lines) + &said;
    let by = move |options: MmapOptions, advice: &'static [Advice]| {
        move || by_vectors(&map(path, &options, advice))
    };
    vec![
        Step::new("8 mapped", 0.940, by(plain.clone(), &[]), right),
        Step::new(
            "9 mapped, and all pages at once",
            1.047,
            by(populating, &[]),
            right,
        ),
        Step::new("10 mapped with advice", None, by(plain, &IN_ORDER), right),
        Step::new(
            "11 mapped, and MADV_COLLAPSE",
            0.2785,
            move || in_huge_pages(path, by_vectors),
            said,
        ),
        Step::new(
            "12 the same on all threads",
            None,
            move || in_huge_pages(path, by_threads),
            said,
        ),
    ]
}

pub fn run() {
    let file = bench_file();
    let path = file.path.as_path();
    let right = |lines: u64| {
        assert_eq!(lines, file.lines);
        String::new()
    };
    let mut steps = reading(path, right);
    steps.extend(mapping(path, right));
    steps.extend([
        Step::new(
            "this crate, one thread",
            None,
            || engine_counts(path, 1),
            right,
        ),
        Step::new(
            "this crate, all threads",
            None,
            || engine_counts(path, cores()),
            right,
        ),
        Step::new("wc -l", 0.927, || wc(path), right),
    ]);
    climb(&format!("Counting newlines in {file}"), ROUNDS, steps);
}
