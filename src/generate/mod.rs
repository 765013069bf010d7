//! Rows that nobody filed: synthetic files of the shape of `itcont.txt`, at the speed of memory.
//!
//! A [`Generator`] renders rows in blocks of [`BLOCK_ROWS`]. A block depends on the seed and its
//! number alone, so any worker can render any block, and the file comes out the same: for every
//! number of threads, and as the beginning of every longer file. [`draws`] are the random numbers,
//! [`months`] keep the months in their proportions, [`words`] is what people and places are called,
//! `run` is what neighbouring rows have in common, and `row` puts columns together.
//!
//! ```
//! use fecscan::generate::{Block, Generator, Recipe};
//!
//! let generator = Generator::new(Recipe { seed: 1, ..Recipe::default() });
//! let mut block = Block::default();
//! let three = generator.render(0, 0..3, &mut block).to_vec();
//! let two = generator.render(0, 0..2, &mut block);
//! assert_eq!(three.iter().filter(|&&b| b == b'\n').count(), 3);
//! assert!(three.starts_with(two));
//! ```

pub mod draws;
mod line;
pub mod months;
mod row;
mod run;
mod vocabulary;
pub mod words;

use std::ops::Range;

use self::draws::Draws;
use self::line::Line;
use self::months::{Months, RUN_ROWS};
use self::row::ROW_BYTES_MAX;
use self::run::Run;
use self::vocabulary::Vocabulary;

/// The number of rows in a block: about 370 KB, which stay in the second-level cache until they are
/// written.
pub const BLOCK_ROWS: u64 = 2048;

/// What is to be generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Files of different seeds have different rows.
    pub seed: u64,
    /// Which image numbers there are.
    pub image_numbers: ImageNumbers,
    /// Whether rows are as they should be.
    pub manners: Manners,
}

impl Default for Recipe {
    fn default() -> Recipe {
        Recipe {
            seed: 1,
            image_numbers: ImageNumbers::Current,
            manners: Manners::Good,
        }
    }
}

/// Which image numbers there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageNumbers {
    /// Those of 18 digits that begin with a date.
    Current,
    /// One row in a hundred has one of 11 digits, as they were until July 2015.
    SomeOld,
}

/// Whether rows are as they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manners {
    /// Rows are as the FEC writes them.
    Good,
    /// Some rows have bytes above 127, too few or too many columns, or columns of thousands of
    /// bytes; some end with CR LF.
    Hostile,
}

/// The memory that blocks are rendered into, one after the other.
#[derive(Clone, Debug)]
pub struct Block(Box<[u8]>);

impl Default for Block {
    fn default() -> Block {
        // Room for the longest rows; the system backs with memory only as much as is used.
        Block(vec![0; BLOCK_ROWS as usize * ROW_BYTES_MAX].into_boxed_slice())
    }
}

/// Renders blocks of rows.
#[derive(Clone, Debug)]
pub struct Generator {
    recipe: Recipe,
    months: Months,
    vocabulary: Vocabulary,
}

impl Generator {
    /// A generator of rows by `recipe`.
    pub fn new(recipe: Recipe) -> Generator {
        Generator {
            recipe,
            months: Months::new(recipe.seed),
            vocabulary: Vocabulary::new(),
        }
    }

    /// The number of blocks that `rows` rows are in, and the rows of the `nth` of them.
    pub fn blocks(rows: u64) -> (u64, impl Fn(u64) -> Range<u64>) {
        let rows_of =
            move |block: u64| block * BLOCK_ROWS..rows.min((block + 1).saturating_mul(BLOCK_ROWS));
        (rows.div_ceil(BLOCK_ROWS), rows_of)
    }

    /// Renders the `rows`, by their numbers in the file, which are the first of block number
    /// `block`.
    ///
    /// # Panics
    /// If the rows do not begin where the block does, or are more than a block's.
    pub fn render<'b>(&self, block: u64, rows: Range<u64>, buffer: &'b mut Block) -> &'b [u8] {
        assert!(
            rows.start == block * BLOCK_ROWS && rows.end - rows.start <= BLOCK_ROWS,
            "{rows:?} of block {block}"
        );
        let mut draws = Draws::of_block(self.recipe.seed, block);
        let mut line = Line::new(&mut buffer.0);
        let mut run = None;
        for row in rows {
            if row % RUN_ROWS == 0 {
                let month = self.months.of_run(row / RUN_ROWS);
                run = Some(Run::new(row / RUN_ROWS, month, &mut draws));
            }
            let run = run.as_ref().expect("a block begins with a run");
            line.row(
                row,
                run,
                &self.recipe,
                &self.months,
                &self.vocabulary,
                &mut draws,
            );
        }
        let length = line.length();
        &buffer.0[..length]
    }
}
