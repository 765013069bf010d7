//! Generated rows: their shape, their proportions, and their independence of threads and file size.

mod command;
mod million;
mod recipes;
mod register;
mod schemas;
mod shapes;

use std::ops::Range;

use fecscan::fec::schema::Schema;
use fecscan::generate::{Block, Generator, Recipe};

/// The place of the column, from zero.
const IMAGE_NUM: usize = 4;

/// Returns the default recipe of a schema.
fn recipe_of(schema: Schema) -> Recipe {
    let mut recipe = Recipe::default();
    recipe.schema = schema;
    recipe
}

/// Returns the first rows of `recipe`.
fn rows(rows: u64, recipe: Recipe) -> Vec<u8> {
    let generator = Generator::new(recipe);
    let mut buffer = Block::default();
    let (blocks, rows_of) = Generator::blocks(rows);
    let mut bytes = Vec::new();
    for block in 0..blocks {
        bytes.extend_from_slice(generator.render(block, rows_of(block), &mut buffer));
    }
    bytes
}

#[track_caller]
fn assert_between(found: f64, range: Range<f64>) {
    assert!(range.contains(&found), "{found} is not in {range:?}");
}
