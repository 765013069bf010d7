//! Generated rows.

use std::io::Write;

use fecscan::generate::{Block, Generator, Recipe};

/// Writes contributions, `rows` of them.
pub fn write_rows(rows: u64, to: &mut dyn Write) {
    let generator = Generator::new(Recipe::default());
    let (blocks, rows_of) = Generator::blocks(rows);
    let mut block = Block::default();
    for number in 0..blocks {
        let rows = generator.render(number, rows_of(number), &mut block);
        to.write_all(rows).expect("there is room for the rows");
    }
}
