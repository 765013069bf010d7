//! Recipes: more rows, another seed, old image numbers, hostile rows.

use std::collections::HashSet;

use fecscan::generate::{BLOCK_ROWS, ImageNumbers, Recipe, RowQuality};

use crate::common::{run, twin};
use crate::generate::{IMAGE_NUM, assert_between, rows};

/// Returns the default recipe with one change.
fn recipe(change: impl FnOnce(&mut Recipe)) -> Recipe {
    let mut recipe = Recipe::default();
    change(&mut recipe);
    recipe
}

fn hostile() -> Recipe {
    recipe(|recipe| recipe.quality = RowQuality::Hostile)
}

#[test]
fn a_longer_file_begins_with_the_shorter_one() {
    for recipe in [Recipe::default(), hostile()] {
        let long = rows(3 * BLOCK_ROWS + 5, recipe);
        for shorter in [
            0,
            1,
            2,
            63,
            64,
            65,
            BLOCK_ROWS - 1,
            BLOCK_ROWS,
            BLOCK_ROWS + 1,
            3 * BLOCK_ROWS,
        ] {
            let short = rows(shorter, recipe);
            assert!(long.starts_with(&short), "{shorter} rows");
            assert_eq!(
                short.iter().filter(|&&b| b == b'\n').count() as u64,
                shorter
            );
        }
    }
    let other = rows(10, recipe(|recipe| recipe.seed = 2));
    assert_ne!(rows(10, Recipe::default()), other);
}

#[test]
fn old_image_numbers_are_one_in_a_hundred() {
    let some_old = recipe(|recipe| recipe.image_numbers = ImageNumbers::SomeOld);
    let bytes = rows(100_000, some_old);
    let lines = twin::lines_of(&bytes);
    let of_length = |length| {
        lines
            .iter()
            .filter(|line| twin::columns(line)[IMAGE_NUM].len() == length)
            .count()
    };
    assert_eq!(of_length(11) + of_length(18), 100_000);
    assert_between(of_length(11) as f64, 850.0..1150.0);
}

#[test]
fn hostile_rows_have_every_oddity_and_the_report_on_them_is_the_twins() {
    let bytes = rows(50_000, hostile());
    let lines = twin::lines_of(&bytes);
    assert_eq!(lines.len(), 50_000);
    let columns: HashSet<usize> = lines.iter().map(|line| twin::columns(line).len()).collect();
    assert!(
        [0, 1, 8, 20, 21, 22, 24]
            .iter()
            .all(|count| columns.contains(count)),
        "{columns:?}"
    );
    assert!(
        bytes.iter().any(|&b| b > 127)
            && bytes.contains(&0)
            && bytes.windows(2).any(|pair| pair == b"\r\n")
    );
    assert!(lines.iter().any(|line| line.len() > 2500) && lines.iter().any(|line| line.is_empty()));

    let asked = twin::Asked {
        names: vec![0, 432, 43243],
        top: 20,
        transaction_date: false,
    };
    run::assert_equals_twin(
        "hostile rows",
        &bytes,
        &asked,
        &run::settings(&[1, 2], &[10_000, 2 << 20]),
    );
}
