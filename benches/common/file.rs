//! The file that benchmarks work on, and its state in the page cache.

use std::env;
use std::fmt;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use fecscan::generate::{BLOCK_ROWS, Block, Generator, Recipe};
use memmap2::Mmap;
use rustix::fs::{Advice, fadvise};

use super::run::{fecscan, output};

/// A quarter of a gigabyte: more than any cache holds, and not too much for slow programs.
const ROWS: u64 = 1_400_000;

/// The file that benchmarks work on. All of it is in the page cache.
pub struct BenchFile {
    pub path: PathBuf,
    pub bytes: u64,
    /// The count of `wc -l`.
    pub lines: u64,
    /// The number of bytes mapped in huge pages.
    huge: u64,
}

impl BenchFile {
    /// Returns the file that `FECSCAN_BENCH_FILE` names, and prints its facts to standard error.
    ///
    /// Without that variable, it is a file of 1,400,000 generated rows in the folder for temporary
    /// files. It stays there for the next run.
    pub fn find() -> BenchFile {
        let path = env::var_os("FECSCAN_BENCH_FILE").map_or_else(generated, PathBuf::from);
        // Mapped before it is read: a cold file then comes into the page cache in huge pages.
        let huge = touch_mapped(&path);
        let counted = output(Command::new("wc").arg("-l").arg(&path));
        let file = BenchFile {
            bytes: fs::metadata(&path).expect("the file is there").len(),
            lines: counted
                .split_whitespace()
                .next()
                .and_then(|lines| lines.parse().ok())
                .expect("wc counts lines"),
            huge,
            path,
        };
        eprintln!("{file}");
        file
    }

    /// Returns the path as an argument.
    pub fn argument(&self) -> &str {
        self.path.to_str().expect("the path is text")
    }
}

impl fmt::Display for BenchFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, lines) = (self.path.display(), self.lines);
        let megabytes = self.bytes as f64 / 1e6;
        let share = 100.0 * self.huge as f64 / self.bytes as f64;
        write!(
            f,
            "{path}: {lines} lines, {megabytes:.0} MB, {share:.0} % of it mapped in huge pages"
        )
    }
}

/// Returns the generated file, made if it is missing or stale.
fn generated() -> PathBuf {
    let path = env::temp_dir().join(format!("fecscan-bench-{ROWS}.txt"));
    if !begins_as_generated(&path) {
        let rows = ROWS.to_string();
        output(
            fecscan()
                .args(["generate", "--rows", &rows, "-o"])
                .arg(&path),
        );
        // Written bytes lie in the page cache in small pages. Once dropped, they can come back in
        // huge ones.
        let file = File::open(&path).expect("the file was made");
        file.sync_all().expect("the file can be written to disk");
        fadvise(&file, 0, None, Advice::DontNeed).expect("the page cache takes advice");
    }
    path
}

/// Checks for a file of an earlier run, made by the same generator. The program writes files whole
/// or not at all, so the first rows suffice.
fn begins_as_generated(path: &Path) -> bool {
    let mut block = Block::default();
    let first = Generator::new(Recipe::default())
        .render(0, 0..BLOCK_ROWS, &mut block)
        .to_vec();
    let mut found = vec![0; first.len()];
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut found).is_ok()) && found == first
}

/// Maps the file, reads a byte of every page, and returns the number of bytes mapped in huge pages.
#[allow(unsafe_code)]
fn touch_mapped(path: &Path) -> u64 {
    let file = File::open(path).expect("the file can be read");
    // SAFETY: nothing writes to the files of the benchmarks.
    let map = unsafe { Mmap::map(&file) }.expect("the file can be mapped");
    // Without huge pages, the benchmarks work as well.
    let _ = map.advise(memmap2::Advice::HugePage);
    let first_of_pages = map.iter().step_by(4096);
    black_box(first_of_pages.fold(0_u8, |sum, &byte| sum ^ byte));
    huge_bytes_mapped(path)
}

/// Returns the number of bytes of the file that this process has mapped in huge pages. It is 0
/// where the system does not say.
fn huge_bytes_mapped(path: &Path) -> u64 {
    let path = fs::canonicalize(path).expect("the file is there");
    let maps = fs::read_to_string("/proc/self/smaps").unwrap_or_default();
    let mut kilobytes = 0;
    let mut of_file = false;
    for line in maps.lines() {
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some("FilePmdMapped:" | "ShmemPmdMapped:"), Some(number)) if of_file => {
                kilobytes += number.parse::<u64>().expect("a number of kilobytes");
            }
            // The first line of a mapping ends with the file's path.
            (Some(first), _) if !first.ends_with(':') => {
                of_file = path.to_str().is_some_and(|path| line.ends_with(path));
            }
            _ => {}
        }
    }
    kilobytes * 1024
}
