//! The file that benchmarks work on, and how it lies in the page cache.

use std::env;
use std::fmt;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use memmap2::{Advice as MapAdvice, Mmap};
use rustix::fs::{Advice, fadvise};
use tempfile::{NamedTempFile, TempPath};

use super::rounds::full_or_small;

/// A quarter of a gigabyte: more than any cache holds, and little enough for the slow ones.
const ROWS: u64 = 1_400_000;

/// Nine megabytes: more rows than the last of the challenge's names is at, and several tasks.
const ROWS_TO_CHECK: u64 = 50_000;

/// Makes a file of generated rows; the number is that of its rows.
type Generate = fn(u64, &Path);

/// The file that benchmarks work on. All of it is in the page cache.
pub struct BenchFile {
    pub path: PathBuf,
    pub bytes: u64,
    /// As `wc -l` counts them.
    pub lines: u64,
    /// The bytes of it that are mapped in huge pages.
    huge: u64,
}

impl BenchFile {
    /// Returns the file that `FECSCAN_BENCH_FILE` names. Without it, has one of 1,400,000 rows made in the folder for
    /// temporary files, or takes that of an earlier run. A check takes 50,000 rows.
    pub fn find(generate: Generate) -> BenchFile {
        let rows = full_or_small(ROWS, ROWS_TO_CHECK);
        let path = env::var_os("FECSCAN_BENCH_FILE")
            .map_or_else(|| generated(rows, generate), PathBuf::from);
        BenchFile::at(path)
    }

    /// Brings the file at `path` into the page cache, and prints its name on standard error.
    pub fn at(path: PathBuf) -> BenchFile {
        // The map comes before the first read: it brings a cold file into the page cache in huge
        // pages.
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

/// Runs `command`, which must succeed, and returns its standard output.
pub fn output(command: &mut Command) -> String {
    let ended = command.stdin(Stdio::null()).output();
    let ended = ended.unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(ended.status.success(), "{command:?}: {ended:?}");
    String::from_utf8_lossy(&ended.stdout).into_owned()
}

/// Returns the generated file of `rows` rows. The file appears whole or not at all.
fn generated(rows: u64, generate: Generate) -> PathBuf {
    let path = env::temp_dir().join(format!("fecscan-bench-{rows}.txt"));
    let make = |rows| {
        let file = NamedTempFile::new().expect("a file can be made");
        generate(rows, file.path());
        file.into_temp_path()
    };
    if !begins_as(&path, &make(1000)) {
        let made = make(rows);
        // A file that was just written is in the page cache in small pages. It is dropped, to come
        // back in huge ones.
        let file = File::open(&made).expect("the file was made");
        file.sync_all().expect("the file can be written to disk");
        fadvise(&file, 0, None, Advice::DontNeed).expect("the page cache takes advice");
        made.persist(&path).expect("the file can be renamed");
    }
    path
}

/// Returns whether an earlier run has made the file, and the generator still makes the same first rows.
fn begins_as(path: &Path, first: &TempPath) -> bool {
    let first = fs::read(first).expect("the file was made");
    let mut found = vec![0; first.len()];
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut found).is_ok()) && found == first
}

/// Reads every page of a mapping of the file, and returns how many of its bytes are mapped in huge
/// pages.
#[allow(unsafe_code)]
fn touch_mapped(path: &Path) -> u64 {
    let file = File::open(path).expect("the file can be read");
    // SAFETY: nothing else writes to the file of a benchmark while it runs.
    let map = unsafe { Mmap::map(&file) }.expect("the file can be mapped");
    // As the program does; it fails on file systems without huge pages.
    let _ = map.advise(MapAdvice::HugePage);
    let first_of_pages = map.iter().step_by(4096);
    black_box(first_of_pages.fold(0_u8, |sum, &byte| sum ^ byte));
    huge_bytes_mapped(path)
}

/// Returns how many bytes of the file this process has mapped in huge pages; 0 where the system
/// does not know.
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
            // The line that begins a mapping ends with the file's path.
            (Some(first), _) if !first.ends_with(':') => {
                of_file = path.to_str().is_some_and(|path| line.ends_with(path));
            }
            _ => {}
        }
    }
    kilobytes * 1024
}
