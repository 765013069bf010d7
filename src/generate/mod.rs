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
//! `transaction` has the rows that committees file (indiv, oth, pas2, oppexp), `committee` those of cm
//! and ccl, and `candidate` those of cn. A row is a table: each column of the schema, and what makes it.
//! `filing` has the facts that neighboring rows share. All words and shares stand in `words.txt`.
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

mod candidate;
mod committee;
mod filing;
mod months;
mod people;
mod random;
mod register;
mod transaction;
mod words;
mod writer;

use std::ops::{Range, RangeInclusive};

use self::filing::{FILING_ROWS, Filing};
use self::random::{Random, stream};
use self::register::{CANDIDATES, COMMITTEES, LINKS, NEIGHBORHOODS};
use self::words::Words;
use self::writer::{MADE_BYTES_MAX, ROW_BYTES_MAX, RowWriter};
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
    /// The even year in which the cycle ends. Committees, candidates and their names are the same in all cycles of a seed.
    pub cycle: u16,
    /// How often the FEC has published the file since its first version. Each time, a few rows of transactions are amended, and fewer
    /// are left out. All others are the same.
    pub revision: u16,
    /// Whether people of indiv give several times, as in real files. Otherwise each row has a person of its own.
    pub repeat_donors: bool,
    /// The number of columns of made text that rows have instead of the schema's, at most [`COLUMNS_MAX`]. Zero means the schema's.
    pub columns: u16,
}

impl Default for Recipe {
    fn default() -> Recipe {
        Recipe {
            schema: Schema::Indiv,
            seed: 1,
            image_numbers: ImageNumbers::Current,
            quality: RowQuality::Clean,
            cycle: CYCLE,
            revision: 0,
            repeat_donors: false,
            columns: 0,
        }
    }
}

/// The cycle whose months and shares the words have.
const CYCLE: u16 = 2018;

/// The cycles that can be generated.
pub const CYCLES: RangeInclusive<u16> = 1980..=2098;

/// The most columns of made text.
pub const COLUMNS_MAX: u16 = 2048;

/// One row of this many is amended in a revision, and one of so many is left out.
const AMENDED: u64 = 2000;
const LEFT_OUT: u64 = 10_000;

/// The rows of 1,024 whose person an earlier row has. A fifth, as in a real sample of 27,540 rows.
const REPEATED: u64 = 215;

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

/// The schemas of generated rows.
pub const SCHEMAS: [Schema; 7] = [
    Schema::Indiv,
    Schema::Oth,
    Schema::Pas2,
    Schema::Cm,
    Schema::Cn,
    Schema::Ccl,
    Schema::Oppexp,
];

/// Returns the most rows of a file of `schema`: none, if it is not one of [`SCHEMAS`].
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
        _ => 0,
    }
}

/// Memory for one block, used again for the next.
#[derive(Debug, Default)]
pub struct Block(Box<[u8]>);

/// Renders blocks of rows.
#[derive(Debug)]
pub struct Generator {
    recipe: Recipe,
    words: Words,
    /// The start of the sequence of months.
    months_start: u64,
}

impl Generator {
    /// Makes a generator of the rows of `recipe`.
    pub fn new(recipe: Recipe) -> Generator {
        Generator {
            recipe,
            words: Words::new(recipe.cycle),
            months_start: Random::new(recipe.seed, stream::MONTHS, u64::MAX >> 8).bits(),
        }
    }

    /// Starts a sequence of random numbers of the register.
    fn random(&self, stream: u64, number: u64) -> Random {
        Random::new(self.recipe.seed, stream, number)
    }

    /// Returns whether a revision has amended the row, and nothing if one has left it out.
    #[inline(always)]
    fn is_amended(&self, row: u64) -> Option<bool> {
        match self.recipe.revision {
            0 => Some(false),
            _ => self.is_amended_since(row),
        }
    }

    #[cold]
    fn is_amended_since(&self, row: u64) -> Option<bool> {
        (1..=self.recipe.revision).try_fold(false, |is_amended, revision| {
            let place = u64::from(revision) << 40 ^ row;
            let bits = self.random(stream::REVISIONS, place).bits();
            (!bits.is_multiple_of(LEFT_OUT)).then_some(is_amended || bits % AMENDED == 1)
        })
    }

    /// Starts the sequence of the person of a row, if people have one of their own. Any earlier row may have the same, the first
    /// rows more often than others, so a few people give very often.
    #[inline(always)]
    fn donor(&self, row: u64) -> Option<Random> {
        self.recipe.repeat_donors.then(|| self.repeated_donor(row))
    }

    #[cold]
    fn repeated_donor(&self, mut row: u64) -> Random {
        loop {
            let mut random = self.random(stream::DONORS, row);
            let bits = random.bits();
            if row == 0 || bits % 1024 >= REPEATED {
                return random;
            }
            let fraction = u128::from(bits >> 32);
            row = ((u128::from(row) * fraction * fraction) >> 64) as u64;
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
        // Room for the longest rows. The system backs only the used pages with memory.
        let row_bytes = usize::from(self.recipe.columns) * MADE_BYTES_MAX + ROW_BYTES_MAX;
        if buffer.0.len() != BLOCK_ROWS as usize * row_bytes {
            buffer.0 = vec![0; BLOCK_ROWS as usize * row_bytes].into_boxed_slice();
        }
        // Another cycle has other transactions of the same committees.
        let later = u64::from(self.recipe.cycle.wrapping_sub(CYCLE));
        let stream = SCHEMAS.iter().position(|&one| one == schema).unwrap_or(0);
        let writer = RowWriter {
            bytes: &mut buffer.0,
            len: 0,
            random: Random::new(self.recipe.seed ^ later << 32, stream as u64, block),
            generator: self,
            words: &self.words,
            is_amended: false,
        };
        let length = match schema {
            _ if self.recipe.columns > 0 => each(writer, rows, RowWriter::made_row),
            Schema::Indiv => filings(writer, rows, RowWriter::contribution),
            Schema::Oth => filings(writer, rows, RowWriter::transaction::<false>),
            Schema::Pas2 => filings(writer, rows, RowWriter::transaction::<true>),
            Schema::Oppexp => filings(writer, rows, RowWriter::expenditure),
            Schema::Cm => each(writer, rows, RowWriter::committee_row),
            Schema::Cn => each(writer, rows, RowWriter::candidate_row),
            Schema::Ccl => each(writer, rows, RowWriter::link_row),
            _ => 0,
        };
        &buffer.0[..length]
    }
}

/// Writes rows in filings, and returns the length of the text.
///
/// The function is compiled for each kind of row, with a writer of its own. In one function for all
/// kinds, a row of indiv takes up to a tenth more instructions.
#[inline(never)]
fn filings<'a>(
    mut writer: RowWriter<'a>,
    rows: Range<u64>,
    append: impl Fn(&mut RowWriter<'a>, u64, &Filing),
) -> usize {
    let generator = writer.generator;
    let Words { months, .. } = writer.words;
    for first in rows.clone().step_by(FILING_ROWS as usize) {
        let number = first / FILING_ROWS;
        let month = months.of_filing(generator.months_start, number);
        let filing = Filing::new(number, month, &mut writer.random, writer.words);
        for row in first..rows.end.min(first.saturating_add(FILING_ROWS)) {
            let (start, is_amended) = (writer.len, generator.is_amended(row));
            writer.is_amended = is_amended == Some(true);
            append(&mut writer, row, &filing);
            match is_amended {
                Some(false) => {}
                Some(true) => writer.amend(start),
                None => writer.len = start,
            }
        }
    }
    writer.len
}

/// Writes rows that have no filing, and returns the length of the text.
fn each<'a>(
    mut writer: RowWriter<'a>,
    rows: Range<u64>,
    append: impl Fn(&mut RowWriter<'a>, u64),
) -> usize {
    rows.for_each(|row| append(&mut writer, row));
    writer.len
}
