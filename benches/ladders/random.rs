//! A million records of seven random integers below 49, in the steps of an article about a parallel version that was slower
//! ("Concurrency Slower?", pocketgophers.com).
//!
//! The article begins with two programs that people posted, and both make wrong lists. The steps assert that the check refuses them.

use std::cell::RefCell;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::common::ladder::{Step, climb};
use crate::common::rounds::{cores, full_or_small};

const ROUNDS: usize = 11;
const NUMBERS: usize = 7;
const BOUND: u32 = 49;

type Record = Vec<u32>;
type Source = Xoshiro256PlusPlus;

fn record_count() -> usize {
    full_or_small(1_000_000, 10_000)
}

fn source(worker: u64) -> Source {
    Source::seed_from_u64(worker)
}

fn number(source: &mut Source) -> u32 {
    (((source.next_u64() >> 32) * u64::from(BOUND)) >> 32) as u32
}

fn own(source: &mut Source) -> Record {
    (0..NUMBERS).map(|_| number(source)).collect()
}

/// Locks the source for each number, as Go's functions without a source do.
fn shared(source: &Mutex<Source>) -> Record {
    let number = |_| number(&mut source.lock().expect("no thread panics"));
    (0..NUMBERS).map(number).collect()
}

/// The first program: sends ten times as many records into a channel with room for all, and returns the list before its reader has them.
fn posted() -> (Vec<Record>, JoinHandle<()>) {
    let (sender, receiver) = sync_channel(10 * record_count());
    let list = Arc::new(Mutex::new(Vec::new()));
    let filled = Arc::clone(&list);
    let add = move |record| filled.lock().expect("no thread panics").push(record);
    let reader = thread::spawn(move || receiver.into_iter().for_each(add));
    let source = Mutex::new(source(0));
    for _ in 0..10 * record_count() {
        sender.send(shared(&source)).expect("the reader reads");
    }
    let list = std::mem::take(&mut *list.lock().expect("no thread panics"));
    (list, reader)
}

/// The second program: ten threads, and all write the last record of the list.
fn other_posted() -> Vec<Record> {
    let mut list = vec![Record::new(); record_count()];
    let last = Mutex::new(list.last_mut().expect("there are records"));
    let write = |worker| {
        let mut source = source(worker);
        for _ in 0..record_count() / 10 {
            **last.lock().expect("no thread panics") = own(&mut source);
        }
    };
    thread::scope(|scope| (0..10).for_each(|worker| drop(scope.spawn(move || write(worker)))));
    list
}

fn serial() -> Vec<Record> {
    let source = Mutex::new(source(0));
    (0..record_count()).map(|_| shared(&source)).collect()
}

/// Has each core fill its part of the list.
fn fill<T: Send>(list: &mut [T], make: impl Fn(u64, &mut [T]) + Sync) {
    let (make, part) = (&make, list.len().div_ceil(cores()));
    thread::scope(|scope| {
        for (worker, part) in (0..).zip(list.chunks_mut(part)) {
            scope.spawn(move || make(worker, part));
        }
    });
}

fn parallel(make: impl Fn(u64, &mut [Record]) + Sync) -> Vec<Record> {
    let mut list = vec![Record::new(); record_count()];
    fill(&mut list, make);
    list
}

fn with_a_shared_source() -> Vec<Record> {
    let source = Mutex::new(source(0));
    parallel(|_, part| part.iter_mut().for_each(|record| *record = shared(&source)))
}

fn with_own_sources() -> Vec<Record> {
    parallel(|worker, part| {
        let mut source = source(worker);
        part.iter_mut()
            .for_each(|record| *record = own(&mut source));
    })
}

/// Fills records that lie side by side.
fn fill_arrays(list: &mut [[u32; NUMBERS]]) {
    fill(list, |worker, part| {
        let mut source = source(worker);
        part.as_flattened_mut()
            .iter_mut()
            .for_each(|one| *one = number(&mut source));
    });
}

fn in_one_block() -> Vec<[u32; NUMBERS]> {
    let mut list = vec![[0; NUMBERS]; record_count()];
    fill_arrays(&mut list);
    list
}

/// Returns mean, deviation, skewness and excess kurtosis.
fn moments(values: impl Iterator<Item = f64> + Clone) -> [f64; 4] {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let central = |power| {
        values
            .clone()
            .map(|value| (value - mean).powi(power))
            .sum::<f64>()
            / count
    };
    let deviation = central(2).sqrt();
    [
        mean,
        deviation,
        central(3) / deviation.powi(3),
        central(4) / deviation.powi(4) - 3.0,
    ]
}

/// Checks `count` records of seven numbers in range. Their moments must be those of equally likely numbers within five standard errors,
/// and hardly a record may be there twice.
fn judge<R: AsRef<[u32]>>(list: &[R], count: usize) -> Result<(), String> {
    if list.len() != count {
        // Rounded, because the channel loses another number each time.
        let millions = list.len() as f64 / 1e6;
        return Err(format!("{millions:.1} million records instead of {count}"));
    }
    let short = list
        .iter()
        .filter(|record| record.as_ref().len() != NUMBERS)
        .count();
    if short > 0 {
        return Err(format!("{short} records without seven numbers"));
    }
    let numbers = list.iter().flat_map(|record| record.as_ref()).copied();
    if numbers.clone().any(|number| number >= BOUND) {
        return Err("a number is too large".into());
    }
    let found = moments(numbers.clone().map(f64::from));
    // The article compares with a continuous distribution, and does not test the mean.
    let theory = moments((0..BOUND).map(f64::from));
    // The variance of each estimate from one number, if all are equally likely.
    let errors =
        [200.0_f64, 40.0, 2.1, 1.4].map(|variance| (variance / (count * NUMBERS) as f64).sqrt());
    for (nth, name) in ["mean", "deviation", "skewness", "kurtosis"]
        .into_iter()
        .enumerate()
    {
        if (found[nth] - theory[nth]).abs() >= 5.0 * errors[nth] {
            return Err(format!("{name} {} instead of {}", found[nth], theory[nth]));
        }
    }
    // Workers with the same seed make the same records. By chance there is one pair in a million records.
    let mut sorted: Vec<_> = list.iter().map(R::as_ref).collect();
    sorted.sort_unstable();
    let twice = sorted.windows(2).filter(|pair| pair[0] == pair[1]).count();
    if twice > 20 {
        return Err(format!("{twice} records twice"));
    }
    Ok(())
}

/// Asserts that each moment refuses a list of its own, and that records of one seed are refused.
fn assert_strict() {
    let count = record_count();
    let refuses = |name, list: &[[u32; NUMBERS]]| {
        let wrong = judge(list, count).expect_err("the list is wrong");
        assert!(wrong.starts_with(name), "{wrong}");
    };
    let mut same = vec![[BOUND / 2; NUMBERS]; count];
    (same[0][0], same[1][0]) = (0, BOUND - 1);
    refuses("deviation", &same);
    let of = |values: &[u32]| -> Vec<_> {
        values
            .iter()
            .cycle()
            .take(count)
            .map(|&v| [v; NUMBERS])
            .collect()
    };
    refuses("mean", &of(&[9, 13, 37, 41]));
    refuses("kurtosis", &of(&[8, 12, 36, 40]));
    refuses("skewness", &of(&[14, 14, 44]));
    refuses(
        &format!("{} records", count / 2),
        &in_one_block()[..count / 2].repeat(2),
    );
}

fn good<R: AsRef<[u32]>>(list: &[R]) -> String {
    judge(list, record_count()).unwrap_or_else(|wrong| panic!("{wrong}"));
    String::new()
}

fn bad<R: AsRef<[u32]>>(list: &[R]) -> String {
    judge(list, record_count()).expect_err("the program is wrong")
}

pub fn run() {
    assert_strict();
    let reused = RefCell::new(in_one_block());
    let posted_is_wrong = |(list, reader): (Vec<Record>, JoinHandle<()>)| {
        reader.join().expect("no thread panics");
        assert!(list.len() <= 10 * record_count());
        bad(&list)
    };
    let steps = vec![
        Step::new(
            "a posted: a channel and one reader",
            26.402,
            posted,
            posted_is_wrong,
        ),
        Step::new(
            "b posted: ten threads, one place",
            None,
            other_posted,
            |list| bad(&list),
        ),
        Step::new("1 one thread, the shared source", 1.147, serial, |list| {
            good(&list)
        }),
        Step::new(
            "2 all threads, the shared source",
            1.239,
            with_a_shared_source,
            |list| good(&list),
        ),
        Step::new(
            "3 own sources, a vector each",
            0.351,
            with_own_sources,
            |list| good(&list),
        ),
        Step::new("4 own sources, one block", 0.285, in_one_block, |list| {
            good(&list)
        }),
        Step::new(
            "5 the block used again",
            None,
            || fill_arrays(&mut reused.borrow_mut()),
            |()| good(&reused.borrow()),
        ),
    ];
    climb(&format!("{} random records", record_count()), ROUNDS, steps);
}
