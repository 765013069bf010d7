//! Random records and rows, in the steps of an article about a parallel version that was slower
//! ("Concurrency Slower?", pocketgophers.com).
//!
//! The steps are: one thread; several threads that share a generator behind a lock; several threads
//! with a generator each; the same with memory allocated once. The first group is the article's
//! task, a million records of seven integers below 49. The second renders rows of contributions. A third
//! group renders rows of each schema with one thread.
//!
//! Every step asserts its result: the number, the range and the mean of the integers, or the number
//! of bytes.

use std::hint::black_box;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use fecscan::generate::{BLOCK_ROWS, Block, Generator, Recipe, SCHEMAS};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::common::rounds::{Amount, Arm, compare, cores, full_or_small};

const ROUNDS: usize = 15;
const NUMBERS: usize = 7;
const BOUND: u32 = 49;

type Record = [u32; NUMBERS];

fn record_count() -> usize {
    full_or_small(1_000_000, 10_000)
}

fn random(worker: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(worker)
}

fn number(random: &mut Xoshiro256PlusPlus) -> u32 {
    (((random.next_u64() >> 32) * u64::from(BOUND)) >> 32) as u32
}

fn record(random: &mut Xoshiro256PlusPlus) -> Record {
    std::array::from_fn(|_| number(random))
}

fn serial() -> Vec<Record> {
    let mut random = random(0);
    (0..record_count()).map(|_| record(&mut random)).collect()
}

/// Makes every record a vector, as the article's first version.
fn serial_of_vectors() -> Vec<Vec<u32>> {
    let mut random = random(0);
    (0..record_count())
        .map(|_| record(&mut random).to_vec())
        .collect()
}

/// Makes the records on several threads, each with its part.
fn parallel(make: impl Fn(u64, &mut [Record]) + Sync) -> Vec<Record> {
    let mut records = vec![[0; NUMBERS]; record_count()];
    fill(&mut records, make);
    records
}

fn fill(records: &mut [Record], make: impl Fn(u64, &mut [Record]) + Sync) {
    let (make, part) = (&make, records.len().div_ceil(cores()));
    thread::scope(|scope| {
        for (worker, part) in (0..).zip(records.chunks_mut(part)) {
            scope.spawn(move || make(worker, part));
        }
    });
}

fn with_a_locked_generator() -> Vec<Record> {
    let random = Mutex::new(random(0));
    let number = || number(&mut random.lock().expect("no thread panics"));
    parallel(|_, part| {
        part.iter_mut()
            .for_each(|record| *record = std::array::from_fn(|_| number()));
    })
}

fn with_a_generator_each(worker: u64, part: &mut [Record]) {
    let mut random = random(worker);
    part.iter_mut().for_each(|one| *one = record(&mut random));
}

/// Asserts that the records are complete, reach both ends of their range, and have the right mean
/// within five standard errors.
fn assert_drawn<'a>(records: impl ExactSizeIterator<Item = &'a [u32]>) {
    assert_eq!(records.len(), record_count());
    let (mut sum, mut least, mut most) = (0_u64, BOUND, 0);
    for record in records {
        assert_eq!(record.len(), NUMBERS);
        for &number in record {
            sum += u64::from(number);
            least = least.min(number);
            most = most.max(number);
        }
    }
    assert_eq!((least, most), (0, BOUND - 1));
    let count = (record_count() * NUMBERS) as f64;
    let (mean, expected) = (sum as f64 / count, f64::from(BOUND - 1) / 2.0);
    let error = ((f64::from(BOUND).powi(2) - 1.0) / 12.0 / count).sqrt();
    assert!((mean - expected).abs() < 5.0 * error, "the mean is {mean}");
}

fn records() {
    assert_drawn(serial_of_vectors().iter().map(Vec::as_slice));
    for made in [
        serial(),
        with_a_locked_generator(),
        parallel(with_a_generator_each),
    ] {
        assert_drawn(made.iter().map(Record::as_slice));
    }
    let mut reused = vec![[0; NUMBERS]; record_count()];
    fill(&mut reused, with_a_generator_each);
    assert_drawn(reused.iter().map(Record::as_slice));
    compare(
        "Random records",
        Amount::Rows(record_count() as u64),
        ROUNDS,
        vec![
            Arm::new("1 serial, a vector each", || {
                drop(black_box(serial_of_vectors()));
            }),
            Arm::new("2 serial, arrays", || drop(black_box(serial()))),
            Arm::new("3 parallel, a locked generator", || {
                drop(black_box(with_a_locked_generator()));
            }),
            Arm::new("4 parallel, a generator each", || {
                drop(black_box(parallel(with_a_generator_each)));
            }),
            Arm::new("5 parallel, and memory that is reused", || {
                fill(black_box(&mut reused), with_a_generator_each);
            }),
        ],
        &[0],
    );
}

/// Returns how many rows are rendered, in full blocks.
fn row_count() -> u64 {
    BLOCK_ROWS * full_or_small(64, 3)
}

/// Renders all rows on several threads, and returns the number of bytes.
fn render(generator: &Generator, threads: usize, fresh: Memory) -> u64 {
    let (blocks, rows_of) = Generator::blocks(row_count());
    let (next, bytes) = (AtomicU64::new(0), AtomicU64::new(0));
    let work = || {
        let mut block = Block::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= blocks {
                return;
            }
            if fresh == Memory::Fresh {
                block = Block::default();
            }
            let rendered = generator.render(number, rows_of(number), &mut block);
            bytes.fetch_add(black_box(rendered).len() as u64, Ordering::Relaxed);
        }
    };
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    bytes.into_inner()
}

/// The memory for blocks.
#[derive(Clone, Copy, PartialEq)]
enum Memory {
    /// Allocated for each block.
    Fresh,
    /// Allocated once for each thread.
    Reused,
}

fn rows() {
    let generator = Generator::new(Recipe::default());
    let mut block = Block::default();
    let (blocks, rows_of) = Generator::blocks(row_count());
    let expected: usize = (0..blocks)
        .map(|nth| generator.render(nth, rows_of(nth), &mut block).len())
        .sum();
    let rendered = |threads, memory| {
        assert_eq!(render(&generator, threads, memory), expected as u64);
    };
    // All blocks are rendered behind the lock, as in the records.
    let locked = Mutex::new((&generator, Block::default()));
    let behind_a_lock = || {
        let (next, bytes) = (AtomicU64::new(0), AtomicU64::new(0));
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= blocks {
                    return;
                }
                let (generator, block) = &mut *locked.lock().expect("no thread panics");
                let rendered = generator.render(number, rows_of(number), block);
                bytes.fetch_add(black_box(rendered).len() as u64, Ordering::Relaxed);
            }
        };
        thread::scope(|scope| (0..cores()).for_each(|_| drop(scope.spawn(work))));
        assert_eq!(bytes.into_inner(), expected as u64);
    };
    let arms = vec![
        Arm::new("1 serial", || rendered(1, Memory::Reused)),
        Arm::new("2 parallel, fresh memory", || {
            rendered(cores(), Memory::Fresh);
        }),
        Arm::new("3 parallel, reused memory", || {
            rendered(cores(), Memory::Reused);
        }),
        Arm::new("4 parallel, one generator behind a lock", behind_a_lock),
    ];
    let amount = Amount::Rows(row_count());
    compare("Rows of contributions", amount, ROUNDS, arms, &[0]);
}

/// Renders the rows of every schema with one thread.
fn schemas() {
    let arms = SCHEMAS.map(|schema| {
        let mut recipe = Recipe::default();
        recipe.schema = schema;
        let generator = Generator::new(recipe);
        let expected = render(&generator, 1, Memory::Reused);
        Arm::new(schema.name(), move || {
            assert_eq!(render(&generator, 1, Memory::Reused), expected);
        })
    });
    let amount = Amount::Rows(row_count());
    compare("Rows of each schema", amount, ROUNDS, arms.into(), &[0]);
}

pub fn run() {
    records();
    rows();
    schemas();
}
