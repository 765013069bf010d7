//! Compares whole processes with the limit: reading the same number of bytes from memory.
//!
//! On shared machines the speed of memory drifts by a factor of two within minutes. Every round
//! therefore takes each time once, one after the other. The result is the median over the rounds of
//! the ratio to the limit of the same round. The limit is timed twice a round: the ratio of the two
//! is the noise.

mod common;

use std::env;
use std::process::Command;
use std::thread;
use std::time::Instant;

use common::file::BenchFile;
use common::run::{fecscan, output};
use memmap2::{Advice, MmapMut};

const ROUNDS: usize = 11;

/// Words of eight bytes in ascending order from zero, in huge pages.
struct Memory(MmapMut);

type Word = [u8; 8];
type Page = [Word; 512];

/// The number of pages read side by side. With two threads, one page at a time gave 18.5 GB/s, 2
/// gave 21, 4 gave 23, 8 and 16 gave 25. Hardware prefetches within a page, so each page is a stream
/// of its own.
const SIDE_BY_SIDE: usize = 8;

impl Memory {
    /// Fills at least `bytes` of memory.
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

    /// Adds up all words on `threads` threads.
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

/// Returns the sum of the words, read one page after the other.
fn sum_in_order(words: &[Word]) -> u64 {
    words.iter().fold(0, add)
}

/// Returns the sum of the words, read some pages side by side. The compiler makes vectors of the loop
/// over the places of a page.
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

/// A piece of work, timed once a round.
struct Arm<'a> {
    name: &'static str,
    work: Box<dyn Fn() + 'a>,
    seconds: Vec<f64>,
}

impl<'a> Arm<'a> {
    fn new(name: &'static str, work: impl Fn() + 'a) -> Arm<'a> {
        Arm {
            name,
            work: Box::new(work),
            seconds: Vec::new(),
        }
    }

    /// Returns an arm that runs a process. Its output must begin with `expected`.
    fn process(
        name: &'static str,
        command: impl Fn() -> Command + 'a,
        expected: &'a str,
    ) -> Arm<'a> {
        Arm::new(name, move || {
            let found = output(&mut command());
            assert!(found.trim_start().starts_with(expected), "{name}: {found}");
        })
    }

    fn take_time(&mut self) {
        let start = Instant::now();
        (self.work)();
        self.seconds.push(start.elapsed().as_secs_f64());
    }
}

/// Returns the least, the median and the most.
fn spread(values: impl Iterator<Item = f64>) -> [f64; 3] {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    [
        values[0],
        values[values.len() / 2],
        values[values.len() - 1],
    ]
}

fn main() {
    // `cargo bench` measures. `cargo test --benches` and `cargo bench -- --test` only check answers.
    let given = |flag| env::args().any(|argument| argument == flag);
    let rounds = if given("--bench") && !given("--test") {
        ROUNDS
    } else {
        1
    };
    let file = BenchFile::find();
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
    let count = |threads| with(&["count", "-j", threads]);
    let report = |threads| with(&["-f", "challenge", "--name", &no_names, "-j", threads]);
    let wc = || {
        let mut command = Command::new("wc");
        command.arg("-l").arg(&file.path);
        command
    };
    let mut arms = [
        Arm::new("reading memory, 2 threads: the limit", || {
            memory.read(2, sum_side_by_side)
        }),
        Arm::new("the same again", || memory.read(2, sum_side_by_side)),
        Arm::new("reading memory, 2 threads, in order", || {
            memory.read(2, sum_in_order)
        }),
        Arm::new("reading memory, 1 thread", || {
            memory.read(1, sum_side_by_side)
        }),
        Arm::process("`fecscan count`, 2 threads", || count("2"), &counted),
        Arm::process("`fecscan count`, 1 thread", || count("1"), &counted),
        Arm::process("`fecscan`, 2 threads", || report("2"), &reported),
        Arm::process("`fecscan`, 1 thread", || report("1"), &reported),
        Arm::process("`wc -l`", wc, &counted),
    ];
    for _ in 0..rounds {
        arms.iter_mut().for_each(Arm::take_time);
    }

    println!("{file}; {rounds} rounds\n");
    println!("| what | seconds, median | GB/s | ratio to the limit, median (least to most) |");
    println!("|---|---|---|---|");
    for arm in &arms {
        let [_, seconds, _] = spread(arm.seconds.iter().copied());
        let ratios = arm
            .seconds
            .iter()
            .zip(&arms[0].seconds)
            .map(|(of_arm, limit)| of_arm / limit);
        let [least, ratio, most] = spread(ratios);
        let (name, rate) = (arm.name, file.bytes as f64 / 1e9 / seconds);
        println!("| {name} | {seconds:.4} | {rate:.1} | {ratio:.2} ({least:.2}-{most:.2}) |");
    }
}
