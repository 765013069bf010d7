//! The random numbers that rows are made by.

use fecscan::generate::draws::Draws;

use crate::common::statistics::{check_independent, check_uniform};

/// A million records of seven numbers below 49, as workers draw them who take every fourth block.
fn sequences(
    draws_of_block: impl Fn(u64) -> Draws,
    draw: impl Fn(&mut Draws) -> u32,
) -> Vec<Vec<u32>> {
    let worker = |worker: u64| {
        let blocks = (worker..).step_by(4).take(250);
        let numbers = |block| {
            let mut draws = draws_of_block(block);
            (0..7000).map(|_| draw(&mut draws)).collect::<Vec<_>>()
        };
        blocks.flat_map(numbers).collect()
    };
    (0..4).map(worker).collect()
}

fn check(sequences: &[Vec<u32>]) -> Result<(), String> {
    check_uniform(&sequences.concat(), 7_000_000, 49)?;
    check_independent(sequences, 49)
}

#[test]
fn draws_are_uniform_and_independent() {
    for seed in [0, 1, 2, u64::MAX] {
        check(&sequences(
            |block| Draws::of_block(seed, block),
            |draws| draws.below(49),
        ))
        .unwrap();
    }
    // Blocks of neighbouring seeds have nothing to do with each other either.
    let first = |seed| {
        (0..100_000)
            .map(|block| Draws::of_block(seed, block).below(49))
            .collect::<Vec<_>>()
    };
    check_independent(&[first(0), first(1), first(2)], 49).unwrap();
}

#[test]
fn draws_of_broken_generators_are_found_out() {
    let honest = |block| Draws::of_block(1, block);
    let broken = [
        ("constant", sequences(honest, |_| 24)),
        (
            "constant within a block",
            sequences(
                |block| Draws::of_block(0, block),
                |draws| draws.clone().below(49),
            ),
        ),
        ("never zero", sequences(honest, |draws| 1 + draws.below(48))),
        ("never the last", sequences(honest, |draws| draws.below(48))),
        (
            "one too many",
            sequences(honest, |draws| draws.below(50).min(48)),
        ),
        (
            "a little too often zero",
            sequences(
                honest,
                |draws| if draws.in_4096(8) { 0 } else { draws.below(49) },
            ),
        ),
        (
            "workers draw the same",
            sequences(
                |block| Draws::of_block(1, block / 4),
                |draws| draws.below(49),
            ),
        ),
        (
            "all blocks are the same",
            sequences(|_| Draws::of_block(1, 0), |draws| draws.below(49)),
        ),
        (
            "sums of two",
            sequences(honest, |draws| (draws.below(49) + draws.below(49)) / 2),
        ),
    ];
    for (what, sequences) in broken {
        assert!(check(&sequences).is_err(), "{what}");
    }
    let mut lost = sequences(honest, |draws| draws.below(49));
    lost[3].pop();
    assert!(check(&lost).is_err(), "one number lost");
    let counted: Vec<u32> = (0..7_000_000).map(|i| i % 49).collect();
    assert!(
        check_uniform(&counted, 7_000_000, 49).is_err(),
        "counting is not drawing"
    );
}
