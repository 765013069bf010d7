//! Synthetic files of the shape of `itcont.txt`. The people in them do not exist.
//!
//! A [`Generator`] renders rows in blocks of [`BLOCK_ROWS`]. A block depends on the seed and its
//! number alone, so any worker can render any block. A row depends on the rows before it in its
//! block, but not on those after it. So row *i* depends on the seed and *i* alone: the file is the
//! same for any number of threads, and a longer file begins with the shorter one.
//!
//! `row` joins the columns of a row, `filing` has the facts that neighboring rows share, `months`
//! and `first_names` keep the proportions, and `words` is the raw material of `vocabulary`.
//!
//! ```
//! use fecscan::generate::{Block, Generator, Recipe};
//!
//! let mut recipe = Recipe::default();
//! recipe.seed = 7;
//! let generator = Generator::new(recipe);
//! let (blocks, rows_of) = Generator::blocks(5000);
//! let mut buffer = Block::default();
//! let mut rows = Vec::new();
//! for block in 0..blocks {
//!     rows.extend_from_slice(generator.render(block, rows_of(block), &mut buffer));
//! }
//! assert_eq!(rows.iter().filter(|&&b| b == b'\n').count(), 5000);
//! ```

mod filing;
mod first_names;
mod months;
mod random;
mod row;
mod text;
mod vocabulary;
mod words;

use std::ops::Range;

use self::filing::{FILING_ROWS, Filing};
use self::months::MonthShares;
use self::random::Random;
use self::row::{ROW_BYTES_MAX, RowWriter};
use self::text::Text;
use self::vocabulary::Vocabulary;

/// The number of rows of a block: about 390 KB, which stay in the second-level cache until they are
/// written.
pub const BLOCK_ROWS: u64 = 2048;

/// The choice of rows to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recipe {
    /// The seed: other seeds give other rows.
    pub seed: u64,
    /// The kinds of image numbers.
    pub image_numbers: ImageNumbers,
    /// The quality of the rows.
    pub quality: RowQuality,
}

impl Default for Recipe {
    fn default() -> Recipe {
        Recipe {
            seed: 1,
            image_numbers: ImageNumbers::Current,
            quality: RowQuality::Clean,
        }
    }
}

/// The kinds of image numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageNumbers {
    /// 18 digits that begin with a date.
    Current,
    /// 11 digits, as until July 2015, in one row of a hundred.
    SomeOld,
}

/// The quality of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowQuality {
    /// Rows as the FEC writes them.
    Clean,
    /// One row in eight is odd: bytes above 127, too few or too many columns, columns of thousands
    /// of bytes, CR LF.
    Hostile,
}

/// Memory for one block, used again for the next.
#[derive(Debug)]
pub struct Block(Box<[u8]>);

impl Default for Block {
    fn default() -> Block {
        // Room for the longest rows. The system backs only the used pages with memory.
        Block(vec![0; BLOCK_ROWS as usize * ROW_BYTES_MAX].into_boxed_slice())
    }
}

/// Renders blocks of rows.
#[derive(Debug)]
pub struct Generator {
    recipe: Recipe,
    months: MonthShares,
    words: Vocabulary,
}

impl Generator {
    /// Makes a generator of the rows of `recipe`.
    pub fn new(recipe: Recipe) -> Generator {
        Generator {
            recipe,
            months: MonthShares::new(recipe.seed),
            words: Vocabulary::new(),
        }
    }

    /// Returns the number of blocks of a file of `rows` rows, and a function from the number of a
    /// block to its rows.
    pub fn blocks(rows: u64) -> (u64, impl Fn(u64) -> Range<u64>) {
        let rows_of =
            move |block: u64| block * BLOCK_ROWS..rows.min((block + 1).saturating_mul(BLOCK_ROWS));
        (rows.div_ceil(BLOCK_ROWS), rows_of)
    }

    /// Renders `rows`, by their numbers in the file: all rows of `block`, or its first.
    ///
    /// # Panics
    /// If the rows do not begin with the block, or are more than a block's.
    pub fn render<'b>(&self, block: u64, rows: Range<u64>, buffer: &'b mut Block) -> &'b [u8] {
        assert!(
            rows.start == block * BLOCK_ROWS && rows.end - rows.start <= BLOCK_ROWS,
            "{rows:?} of block {block}"
        );
        let mut writer = RowWriter {
            text: Text::new(&mut buffer.0),
            random: Random::of_block(self.recipe.seed, block),
            generator: self,
        };
        for first in rows.clone().step_by(FILING_ROWS as usize) {
            let number = first / FILING_ROWS;
            let month = self.months.of_filing(number);
            let filing = Filing::new(number, month, &mut writer.random);
            for row in first..rows.end.min(first.saturating_add(FILING_ROWS)) {
                writer.row(row, &filing);
            }
        }
        let length = writer.text.len();
        &buffer.0[..length]
    }
}
