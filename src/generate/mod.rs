//! Synthetic files of the shape of the FEC's, in all seven schemas. The people, committees and
//! candidates in them do not exist.
//!
//! A [`Generator`] renders rows in blocks of [`BLOCK_ROWS`]. A block depends on the seed and its
//! number alone, so any worker can render any block. A row depends on the rows before it in its
//! block, but not on those after it. So row *i* depends on the seed and *i* alone: the file is the
//! same for any number of threads, and a longer file begins with the shorter one.
//!
//! The files of a seed fit each other. Committees and candidates come from a `register`, which is
//! arithmetic on numbers: 10,000 rows of cm, and 4,000 of cn and ccl, have all that occur in files of
//! transactions. [`rows_max`] tells how many rows cm, cn and ccl can have.
//!
//! One file for each kind of row: `contribution` (indiv), `transfer` (oth, pas2), `expenditure`
//! (oppexp), `committee` (cm), `candidate` (cn) and `link` (ccl). `row` and `address` have the columns
//! that several kinds share, and `filing` the facts that neighboring rows share. `months` and
//! `first_names` keep the proportions. The files of `words` are the raw material of `vocabulary`.
//!
//! ```
//! use fecscan::fec::schema::Schema;
//! use fecscan::generate::{Block, Generator, Recipe};
//!
//! let mut recipe = Recipe::default();
//! recipe.schema = Schema::Cm;
//! recipe.seed = 7;
//! let generator = Generator::new(recipe);
//! let (blocks, rows_of) = Generator::blocks(5000);
//! let mut buffer = Block::default();
//! let mut rows = Vec::new();
//! for block in 0..blocks {
//!     rows.extend_from_slice(generator.render(block, rows_of(block), &mut buffer));
//! }
//! assert_eq!(rows.iter().filter(|&&b| b == b'\n').count(), 5000);
//! assert!(rows.starts_with(b"C00990000|"));
//! ```

mod address;
mod candidate;
mod committee;
mod contribution;
mod expenditure;
mod expenditure_words;
mod filing;
mod first_names;
mod link;
mod months;
mod random;
mod register;
mod register_words;
mod row;
mod text;
mod transfer;
mod vocabulary;
mod words;

use std::ops::Range;

use self::candidate::Seats;
use self::contribution::Contribution;
use self::expenditure::Expenditure;
use self::filing::{FILING_ROWS, Filing};
use self::months::MonthShares;
use self::random::{Random, Stream};
use self::register::{CANDIDATES, COMMITTEES, LINKS, NEIGHBORHOODS};
use self::row::{FiledRow, ROW_BYTES_MAX, RowWriter};
use self::text::Text;
use self::transfer::{ToCandidate, Transfer};
use self::vocabulary::Vocabulary;
use crate::fec::schema::Schema;

/// The number of rows of a block: about 390 KB, which stay in the second-level cache until they are
/// written.
pub const BLOCK_ROWS: u64 = 2048;

/// The choice of rows to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recipe {
    /// The schema of the rows.
    pub schema: Schema,
    /// The seed: other seeds give other rows. Files of one seed fit each other.
    pub seed: u64,
    /// The kinds of image numbers. Rows of cm, cn and ccl have none.
    pub image_numbers: ImageNumbers,
    /// The quality of the rows.
    pub quality: RowQuality,
}

impl Default for Recipe {
    fn default() -> Recipe {
        Recipe {
            schema: Schema::Indiv,
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

/// Returns the most rows of a file of `schema`.
///
/// Each row of cm, cn and ccl has an identifier of its own, and these run out.
///
/// ```
/// use fecscan::fec::schema::Schema;
/// use fecscan::generate::rows_max;
///
/// assert_eq!(rows_max(Schema::Cm), 750_000);
/// assert_eq!(rows_max(Schema::Cn), 300_000);
/// assert_eq!(rows_max(Schema::Indiv), u64::MAX);
/// ```
pub fn rows_max(schema: Schema) -> u64 {
    match schema {
        Schema::Cm => NEIGHBORHOODS * COMMITTEES,
        Schema::Cn => NEIGHBORHOODS * CANDIDATES,
        Schema::Ccl => NEIGHBORHOODS * LINKS,
        Schema::Indiv | Schema::Oth | Schema::Pas2 | Schema::Oppexp => u64::MAX,
    }
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
    seats: Seats,
}

impl Generator {
    /// Makes a generator of the rows of `recipe`.
    pub fn new(recipe: Recipe) -> Generator {
        Generator {
            recipe,
            months: MonthShares::new(recipe.seed),
            words: Vocabulary::new(),
            seats: Seats::new(),
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
    /// If the rows do not begin with the block, are more than a block's, or more than [`rows_max`].
    pub fn render<'b>(&self, block: u64, rows: Range<u64>, buffer: &'b mut Block) -> &'b [u8] {
        let schema = self.recipe.schema;
        assert!(
            rows.start == block * BLOCK_ROWS && rows.end - rows.start <= BLOCK_ROWS,
            "{rows:?} of block {block}"
        );
        assert!(rows.end <= rows_max(schema), "{rows:?} of {schema:?}");
        let text = &mut buffer.0;
        let length = match schema {
            Schema::Indiv => self.filings::<Contribution>(rows, text, block),
            Schema::Oth => self.filings::<Transfer>(rows, text, block),
            Schema::Pas2 => self.filings::<ToCandidate>(rows, text, block),
            Schema::Oppexp => self.filings::<Expenditure>(rows, text, block),
            Schema::Cm => self.each(rows, text, block, RowWriter::committee_row),
            Schema::Cn => self.each(rows, text, block, RowWriter::candidate_row),
            Schema::Ccl => self.each(rows, text, block, RowWriter::link_row),
        };
        &buffer.0[..length]
    }

    /// Writes rows in filings, and returns the length of the text.
    ///
    /// The function is compiled for each kind of row, with a writer of its own. In one function for all
    /// kinds, or with a closure for each, a row of indiv takes up to a tenth more instructions.
    #[inline(never)]
    fn filings<R: FiledRow>(&self, rows: Range<u64>, text: &mut [u8], block: u64) -> usize {
        let mut writer = self.writer(text, block);
        for first in rows.clone().step_by(FILING_ROWS as usize) {
            let number = first / FILING_ROWS;
            let month = self.months.of_filing(number);
            let filing = Filing::new(number, month, &mut writer.random);
            for row in first..rows.end.min(first.saturating_add(FILING_ROWS)) {
                R::append(&mut writer, row, &filing);
            }
        }
        writer.text.len()
    }

    /// Writes rows that have no filing, and returns the length of the text.
    fn each<'a>(
        &'a self,
        rows: Range<u64>,
        text: &'a mut [u8],
        block: u64,
        append: impl Fn(&mut RowWriter<'a>, u64),
    ) -> usize {
        let mut writer = self.writer(text, block);
        rows.for_each(|row| append(&mut writer, row));
        writer.text.len()
    }

    #[inline(always)]
    fn writer<'a>(&'a self, text: &'a mut [u8], block: u64) -> RowWriter<'a> {
        RowWriter {
            text: Text::new(text),
            random: Random::new(self.recipe.seed, stream(self.recipe.schema), block),
            generator: self,
        }
    }
}

/// Returns the kind of the sequences that blocks of a schema draw from.
fn stream(schema: Schema) -> Stream {
    match schema {
        Schema::Indiv => Stream::Contributions,
        Schema::Oth => Stream::Transfers,
        Schema::Pas2 => Stream::ToCandidates,
        Schema::Cm => Stream::Committees,
        Schema::Cn => Stream::Candidates,
        Schema::Ccl => Stream::Links,
        Schema::Oppexp => Stream::Expenditures,
    }
}
