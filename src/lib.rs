//! Scans the FEC's bulk files, huge texts of pipe-separated lines, at the speed of memory.
//!
//! [`scan`] begins a question about files. Conditions choose rows. The last call returns groups, rows one by one, a count, the report, or
//! the value of a fold.
//!
//! ```
//! # fn main() -> Result<(), fecscan::Error> {
//! let top = fecscan::scan(["fixtures/generated.txt"])
//!     .filter("amount >= 100")?
//!     .group_by("STATE")?
//!     .sum("amount")?
//!     .top(10)
//!     .run()?;
//! for group in &top {
//!     println!("{group}");
//! }
//! for row in fecscan::scan(["fixtures/generated.txt"]).rows(["NAME", "amount"])? {
//!     let row = row?;
//!     println!("{} gave {}", row.text(0), row.text(1));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`scan_bytes`] and [`scan_reader`] take bytes from memory and from readers. [`by_row`] makes a fold of closures. The library prints
//! nothing. `docs/design.md` in the repository explains how it works.

// Hidden modules serve the program, the tests and the benchmarks. They may change in every version.
#[cfg(feature = "cli")]
mod cli;
#[doc(hidden)]
pub mod coding;
#[cfg(feature = "cli")]
mod commands;
#[doc(hidden)]
pub mod diff;
#[doc(hidden)]
pub mod engine;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod export;
#[doc(hidden)]
pub mod fec;
#[doc(hidden)]
pub mod fold;
#[doc(hidden)]
pub mod generate;
#[doc(hidden)]
pub mod grouped;
#[doc(hidden)]
pub mod input;
pub(crate) mod memory;
#[doc(hidden)]
pub mod output;
#[doc(hidden)]
pub mod partial;
mod pipe;
#[doc(hidden)]
pub mod plan;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod program;
#[doc(hidden)]
pub mod query;
#[doc(hidden)]
pub mod render;
#[doc(hidden)]
pub mod scan;
#[doc(hidden)]
pub mod sql;
#[doc(hidden)]
pub mod workers;

pub use self::error::{Error, ErrorKind, Note};
pub use self::fec::amount::{Decimal, Hundredths};
pub use self::fec::layout::{ColumnType, DateOrder, FirstLine, Layout, Quotes};
pub use self::fec::month::Month;
pub use self::fec::schema::{Column, Kind, Schema};
pub use self::fold::report::{MonthColumn, Report, ReportQuestion};
pub use self::fold::{Counts, FileLines, Fold, Groups, MostCommon, Sum, by_row};
pub use self::grouped::{Group, Grouped, Rest};
pub use self::query::{GroupBy, Query, Record, Records, scan, scan_bytes, scan_reader, sql};
pub use self::scan::{Cell, Row};
pub use self::sql::{ResultRows, Type, Value};
