//! Compares whole processes with `wc -l`, and with reading as many bytes from memory: the limit.
//!
//! The limit is taken twice a round: the ratio of the two is the noise. The program is the one that `cargo build --release` builds, and
//! that `cargo run --release` has built perhaps. A check of answers takes the program of the tests.

#[allow(dead_code)]
#[path = "../common/file.rs"]
mod file;
#[allow(dead_code)]
#[path = "../common/rounds.rs"]
mod rounds;

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::thread;

use file::{BenchFile, output};
use memmap2::{Advice, MmapMut};
use rounds::{Amount, Arm, compare, cores, full_or_small, named_benchmark};

const ROUNDS: usize = 11;

/// Places in the table of the works that others are compared with.
const WC: usize = 0;
const LIMIT: usize = 5;

/// Words of eight bytes in ascending order from zero, in huge pages.
struct Memory(MmapMut);

type Word = [u8; 8];
type Page = [Word; 512];

/// How many pages are read side by side. With two threads, one page at a time made 18.5 GB/s, two
/// made 21, four 23, eight 25, sixteen 25. Hardware prefetches within a page, a stream for each.
const SIDE_BY_SIDE: usize = 8;

impl Memory {
    /// At least `bytes` of memory.
    fn new(bytes: u64) -> Memory {
        let bytes = usize::try_from(bytes).expect("the file fits into memory");
        let whole = bytes.next_multiple_of(SIDE_BY_SIDE * size_of::<Page>());
        let mut memory = MmapMut::map_anon(whole).expect("there is memory");
        memory
            .advise(Advice::HugePage)
            .expect("memory takes advice");
        for (word, number) in memory.as_chunks_mut::<8>().0.iter_mut().zip(0_u64..) {
            *word = number.to_le_bytes();
        }
        Memory(memory)
    }

    /// Reads all of it with this many threads, adding up.
    fn read(&self, threads: usize, sum: fn(&[Word]) -> u64) {
        let words = self.0.as_chunks().0;
        let group = SIDE_BY_SIDE * size_of::<Page>() / size_of::<Word>();
        let part = words.len().div_ceil(threads).next_multiple_of(group);
        let found = thread::scope(|scope| {
            let parts = words
                .chunks(part)
                .map(|part| scope.spawn(move || sum(part)));
            let parts: Vec<_> = parts.collect();
            let sums = parts
                .into_iter()
                .map(|part| part.join().expect("nobody panics"));
            sums.fold(0, u64::wrapping_add)
        });
        let count = words.len() as u128;
        assert_eq!(found, (count * (count - 1) / 2) as u64);
    }
}

/// The sum of the words, read one page after the other.
fn sum_in_order(words: &[Word]) -> u64 {
    words.iter().fold(0, add)
}

/// The sum of the words, read some pages side by side. The compiler vectorizes the loop over the
/// places of a page.
fn sum_side_by_side(words: &[Word]) -> u64 {
    let (pages, rest) = words.as_chunks();
    let (groups, last_pages) = pages.as_chunks::<SIDE_BY_SIDE>();
    assert!(last_pages.is_empty() && rest.is_empty());
    groups.iter().fold(0, |sum, group: &[Page; SIDE_BY_SIDE]| {
        let places = 0..group[0].len();
        let at = |place: usize| group.iter().map(|page| &page[place]).fold(0, add);
        places.map(at).fold(sum, u64::wrapping_add)
    })
}

fn add(sum: u64, word: &Word) -> u64 {
    sum.wrapping_add(u64::from_le_bytes(*word))
}

/// The path of the program.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(program);

/// Returns the path of the program. A check takes the one that tests have built, which lies beside this one's folder.
fn program() -> PathBuf {
    let this = env::current_exe().expect("this program has a path");
    let of_tests = this.ancestors().nth(2).map(|folder| folder.join("fecscan"));
    full_or_small(None, of_tests.filter(|path| path.exists())).unwrap_or_else(build)
}

/// Builds the program, and returns where cargo has put it.
fn build() -> PathBuf {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["build", "--package=fecscan", "--bin=fecscan"])
        .args(["--profile", full_or_small("release", "dev")])
        .arg("--message-format=json-render-diagnostics")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit());
    let messages = output(&mut command);
    let (_, path) = messages
        .rsplit_once("\"executable\":\"")
        .expect("cargo says where the program is");
    let (path, _) = path.split_once('"').expect("a text of JSON has an end");
    PathBuf::from(path)
}

/// Returns a command that runs the program.
fn fecscan() -> Command {
    Command::new(&*PROGRAM)
}

/// Creates an arm that runs a process whose output begins with `expected`.
fn process<'a>(
    name: impl Into<String>,
    command: impl Fn() -> Command + 'a,
    expected: &'a str,
) -> Arm<'a> {
    Arm::new(name, move || {
        let mut command = command();
        let found = output(&mut command);
        assert!(
            found.trim_start().starts_with(expected),
            "{command:?}: {found}"
        );
    })
}

fn main() {
    if named_benchmark().is_some_and(|name| name != "against_wc") {
        return;
    }
    let file = BenchFile::find(|rows, path| {
        let rows = rows.to_string();
        output(
            fecscan()
                .args(["generate", "--rows", &rows, "-o"])
                .arg(path),
        );
    });
    let memory = Memory::new(file.bytes);
    let counted = format!("{} ", file.lines);
    let no_names = u64::MAX.to_string();
    let reported = format!(
        "Name: null at index: {no_names}\nTotal file line count: {}\n",
        file.lines
    );
    let with = |arguments: &[&str]| {
        let mut command = fecscan();
        command.args(arguments).arg(&file.path);
        command
    };
    let count = |threads: usize| with(&["count", "-j", &threads.to_string()]);
    let report = |threads: usize| {
        let threads = threads.to_string();
        with(&["-f", "challenge", "--name", &no_names, "-j", &threads])
    };
    let wc = || {
        let mut command = Command::new("wc");
        command.arg("-l").arg(&file.path);
        command
    };
    let all = cores();
    let arms = vec![
        process("`wc -l`", wc, &counted),
        process(
            format!("`fecscan count`, {all} threads"),
            || count(all),
            &counted,
        ),
        process("`fecscan count`, 1 thread", || count(1), &counted),
        process(
            format!("`fecscan`, {all} threads"),
            || report(all),
            &reported,
        ),
        process("`fecscan`, 1 thread", || report(1), &reported),
        Arm::new("reading memory: the limit", || {
            memory.read(all, sum_side_by_side);
        }),
        Arm::new("the same again", || memory.read(all, sum_side_by_side)),
        Arm::new("reading memory in order", || memory.read(all, sum_in_order)),
        Arm::new("reading memory, 1 thread", || {
            memory.read(1, sum_side_by_side);
        }),
    ];
    compare(
        &file.to_string(),
        Amount::Bytes(file.bytes),
        ROUNDS,
        arms,
        &[WC, LIMIT],
    );
}
