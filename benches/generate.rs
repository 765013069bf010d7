//! Rows of the generator: one thread; several that render blocks in fresh memory, in memory of their own, or behind one lock; the rows
//! of each schema with one thread.
//!
//! Every step asserts the number of bytes.

use std::hint::black_box;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::common::rounds::{Amount, Arm, compare, cores, full_or_small};
use fecscan::generate::{BLOCK_ROWS, Block, Generator, Recipe, SCHEMAS};

const ROUNDS: usize = 15;
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
    // All blocks are rendered behind the lock.
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
    rows();
    schemas();
}
