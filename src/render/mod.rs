//! Renders results as bytes, one file a format.
//!
//! Formats for programs keep the bytes of the data; JSON decodes them to text. Text for people is
//! escaped on a terminal. Renderers return bytes and write nothing, except that of [`groups`]: its result
//! may have millions of rows.

mod answer;
#[cfg(feature = "columnar")]
pub mod columnar;
mod diff;
pub mod encode;
mod format;
mod group_table;
pub mod groups;
mod html;
mod info;
pub mod json;
mod measure;
mod months;
pub mod notes;
mod numbers;
mod page;
mod report;
mod rows;
mod sentences;
mod shown;
mod table;
pub mod text;
pub mod wc;
mod xml;

pub use self::answer::{Answer, Field, Show, Table, to_vec, write};
pub use self::format::{Format, ResultKind};
pub(crate) use self::numbers::{counted, one_or_many};
pub use self::numbers::{grouped, grouped_amount, size};
pub use self::rows::notes as result_notes;
pub use self::table::TableFormat;
use crate::fec::schema::Schema;
pub use crate::fec::texts::decoded;
use crate::fold::FileLines;

/// Returns whether `files` have contributions by individuals, as far as their names tell. In files of oth and pas2,
/// `--contributions` would leave out nearly all rows.
fn are_of_individuals(files: &[FileLines]) -> bool {
    let named = |file: &FileLines| Schema::of_file_name(&file.path);
    let mut schemas = files.iter().filter_map(named);
    schemas.all(|schema| schema == Schema::Indiv)
}
