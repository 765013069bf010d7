//! Work in turns: the comparison of things whose times drift together.
//!
//! The speed of memory on shared machines drifts by a factor of two within minutes. So every round takes each time once,
//! and a table has the medians of the ratios within rounds.

use std::env;
use std::num::NonZeroUsize;
use std::thread;
use std::time::Instant;

/// Returns `full` if times are measured (`cargo bench`), and `small` if only the asserted answers are checked
/// (`cargo test --workspace --benches`, `cargo bench -- --test`).
pub fn full_or_small<T>(full: T, small: T) -> T {
    let given = |flag| env::args().any(|argument| argument == flag);
    if given("--bench") && !given("--test") {
        full
    } else {
        small
    }
}

/// Returns the benchmark that the first argument names, without the part after a slash.
pub fn named_benchmark() -> Option<String> {
    let first = env::args().nth(1)?;
    let name = first.split('/').next()?;
    (!name.starts_with('-')).then(|| name.to_owned())
}

/// Returns the part of the first argument after a slash.
pub fn after_slash() -> Option<String> {
    let first = env::args().nth(1)?;
    first.split_once('/').map(|(_, part)| part.to_owned())
}

/// Returns the number of threads that the machine runs at once.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// A piece of work, timed once a round.
pub struct Arm<'a> {
    name: String,
    turn: Box<dyn FnMut() -> f64 + 'a>,
    seconds: Vec<f64>,
}

impl<'a> Arm<'a> {
    /// Creates an arm that takes the time of `work`.
    pub fn new(name: impl Into<String>, mut work: impl FnMut() + 'a) -> Arm<'a> {
        Arm::timed(name, move || {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
    }

    /// Creates an arm whose `turn` returns its seconds.
    pub fn timed(name: impl Into<String>, turn: impl FnMut() -> f64 + 'a) -> Arm<'a> {
        Arm {
            name: name.into(),
            turn: Box::new(turn),
            seconds: Vec::new(),
        }
    }
}

/// The work of each arm in a round.
#[derive(Clone, Copy)]
pub enum Amount {
    Bytes(u64),
    Rows(u64),
}

/// Has each arm take its turn, `rounds` times. Every other round runs backwards, so that no arm always follows the same other one.
pub fn in_turn<T>(rounds: usize, arms: &mut [T], turn: impl Fn(&mut T)) {
    for round in 0..rounds {
        if round % 2 == 0 {
            arms.iter_mut().for_each(&turn);
        } else {
            arms.iter_mut().rev().for_each(&turn);
        }
    }
}

/// Runs the arms in turn, `rounds` times, and prints a table. Its ratios are to the arms at the places `references`.
pub fn compare(
    title: &str,
    amount: Amount,
    rounds: usize,
    mut arms: Vec<Arm<'_>>,
    references: &[usize],
) {
    let rounds = full_or_small(rounds, 1);
    in_turn(rounds, &mut arms, |arm| arm.seconds.push((arm.turn)()));
    if rounds == 1 {
        println!("{title}: the answers of {} are right", arms.len());
        return;
    }

    let (amount, unit) = match amount {
        Amount::Bytes(bytes) => (bytes as f64 / 1e9, "GB/s"),
        Amount::Rows(rows) => (rows as f64 / 1e6, "million rows/s"),
    };
    println!("\n{title}; medians of {rounds} rounds (and their confidence intervals of 95 %)\n");
    print!("| work | seconds | {unit} |");
    for &reference in references {
        print!(" ratio to {} |", arms[reference].name);
    }
    println!("\n|---|---|---|{}", "---|".repeat(references.len()));
    for arm in &arms {
        let [seconds, ..] = median(arm.seconds.iter().copied());
        print!("| {} | {seconds:.4} | {:.2} |", arm.name, amount / seconds);
        for &reference in references {
            let pairs = arm.seconds.iter().zip(&arms[reference].seconds);
            let [ratio, low, high] = median(pairs.map(|(of_arm, other)| of_arm / other));
            print!(" {ratio:.2} ({low:.2}-{high:.2}) |");
        }
        println!();
    }
}

/// Returns the median, and the ends of its confidence interval of 95 %. No distribution is assumed.
pub fn median(values: impl Iterator<Item = f64>) -> [f64; 3] {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    let (last, half) = (values.len() - 1, (values.len() as f64).sqrt() * 0.98);
    let middle = last as f64 / 2.0;
    [middle, middle - half, middle + half].map(|place| values[(place.round() as usize).min(last)])
}
