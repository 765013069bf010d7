//! Compares whole processes with `wc -l`, and with reading as many bytes from memory: the limit.
//!
//! The speed of memory on shared machines drifts by a factor of two within minutes. So every round
//! takes each time once. The table has the medians over the rounds of the ratios within a round. The
//! limit is taken twice a round: the ratio of the two is the noise.

mod common;

use std::env;
use std::process::Command;
use std::thread;
use std::time::Instant;

use common::file::BenchFile;
use common::run::{fecscan, output};
use memmap2::{Advice, MmapMut};

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

/// Work, timed once in each round.
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

    /// A process whose output begins with `expected`.
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

/// The least, the median and the most.
fn spread(values: impl Iterator<Item = f64>) -> [f64; 3] {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    [
        values[0],
        values[values.len() / 2],
        values[values.len() - 1],
    ]
}

/// Returns the ratios of the times of `arm` and `other` within rounds.
fn ratios(arm: &Arm, other: &Arm) -> String {
    let pairs = arm.seconds.iter().zip(&other.seconds);
    let [least, ratio, most] = spread(pairs.map(|(of_arm, of_other)| of_arm / of_other));
    format!("{ratio:.2} ({least:.2}-{most:.2})")
}

fn main() {
    // `cargo bench` measures. `cargo test --benches` and `cargo bench -- --test` check the answers.
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
        Arm::process("`wc -l`", wc, &counted),
        Arm::process("`fecscan count`, 2 threads", || count("2"), &counted),
        Arm::process("`fecscan count`, 1 thread", || count("1"), &counted),
        Arm::process("`fecscan`, 2 threads", || report("2"), &reported),
        Arm::process("`fecscan`, 1 thread", || report("1"), &reported),
        Arm::new("reading memory, 2 threads: the limit", || {
            memory.read(2, sum_side_by_side);
        }),
        Arm::new("the same again", || memory.read(2, sum_side_by_side)),
        Arm::new("reading memory, 2 threads, in order", || {
            memory.read(2, sum_in_order);
        }),
        Arm::new("reading memory, 1 thread", || {
            memory.read(1, sum_side_by_side);
        }),
    ];
    for _ in 0..rounds {
        arms.iter_mut().for_each(Arm::take_time);
    }

    println!("{file}; medians of {rounds} rounds (least to most)\n");
    println!("| work | seconds | GB/s | ratio to `wc -l` | ratio to the limit |");
    println!("|---|---|---|---|---|");
    for arm in &arms {
        let [_, seconds, _] = spread(arm.seconds.iter().copied());
        let (name, rate) = (arm.name, file.bytes as f64 / 1e9 / seconds);
        let [to_wc, to_limit] = [WC, LIMIT].map(|other| ratios(arm, &arms[other]));
        println!("| {name} | {seconds:.4} | {rate:.1} | {to_wc} | {to_limit} |");
    }
}
