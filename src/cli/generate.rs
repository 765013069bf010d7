//! The options of `generate`.

use crate::fec::schema::Schema;
use clap::Args;

use super::common::WorkOptions;
use super::output::NewFileOption;
use super::values::{cycle, generated, number};

/// The schema of the rows; none if they are made text. clap would take an `Option` for an option that can be left out.
pub(crate) type MaybeSchema = Option<Schema>;

#[derive(Args, Debug)]
pub(crate) struct GenerateArgs {
    /// Write N rows
    ///
    /// A longer file begins with the shorter one. Each row of cm, cn and ccl has an identifier of its
    /// own, so cm has 750,000 rows at most, and cn and ccl have 300,000.
    ///
    /// Example: --rows 1000000
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::<u64>)]
    pub(crate) rows: u64,

    /// Write the rows of this seed
    ///
    /// Files of different seeds have different rows. Files of one seed fit each other in all schemas.
    ///
    /// Example: --seed 7
    #[arg(long, value_name = "S", default_value_t = 1, allow_negative_numbers = true, value_parser = number::<u64>)]
    pub(crate) seed: u64,

    /// Write rows of this schema: indiv, oth, pas2, cm, cn, ccl or oppexp; or fake, which is made text
    ///
    /// Columns and proportions follow real files. All people, committees and candidates are invented.
    /// 10,000 rows of cm have every committee of all other files of the seed, and 4,000 rows of
    /// cn every candidate. 4,000 rows of ccl link them.
    ///
    /// Example: --schema cm --rows 10000 -o cm.txt
    #[arg(long, default_value = "indiv", value_parser = generated())]
    pub(crate) schema: MaybeSchema,

    /// Write rows of N columns of made text, 2,048 at most: names, numbers, dates and words in turn. For fake [default: 10]
    ///
    /// Example: --schema fake --columns 1000 --rows 10000
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::<u16>)]
    pub(crate) columns: Option<u16>,

    /// Write rows of the cycle that ends in this even year
    ///
    /// Committees, candidates and their names are those of the other cycles of the seed, and transactions are others.
    ///
    /// Example: --cycle 2020 -o indiv20.txt
    #[arg(long, value_name = "YEAR", default_value_t = 2018, allow_negative_numbers = true, value_parser = cycle)]
    pub(crate) cycle: u16,

    /// Write a later version of the file: the N-th since the first
    ///
    /// Each version amends one row of 2,000 and leaves out one of 10,000, and all others are the same. More --rows are rows that came
    /// since. Files of cm, cn and ccl have one version.
    ///
    /// Example: --revision 1 --rows 1001000
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true, value_parser = number::<u16>)]
    pub(crate) revision: u16,

    /// Have people give several times, as they do: a fifth of the rows is of people in earlier rows
    ///
    /// Name, place, employer and occupation are the same in all rows of a person, also in other cycles of the seed. Without this
    /// option, each row has a person of its own. For indiv.
    ///
    /// Example: --repeat-donors
    #[arg(long)]
    pub(crate) repeat_donors: bool,

    /// Give one row in a hundred an image number of 11 digits, as they were until July 2015
    ///
    /// Rows of cm, cn and ccl have no image number.
    ///
    /// Example: --old-image-numbers
    #[arg(long)]
    pub(crate) old_image_numbers: bool,

    /// Spoil some rows: bytes above 127, too few or too many columns, columns of thousands of
    /// bytes, CR LF
    ///
    /// Example: --hostile
    #[arg(long)]
    pub(crate) hostile: bool,

    #[command(flatten)]
    pub(crate) output: NewFileOption,

    #[command(flatten)]
    pub(crate) work: WorkOptions,
}
