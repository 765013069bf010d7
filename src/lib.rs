//! Scans the FEC's bulk files, huge texts of pipe-separated lines, at the speed of memory.
//!
//! One idea carries the crate: bytes are cut into tasks at newlines; each worker scans its tasks into
//! rows and folds them into a partial of its own; partials merge; the merged result is rendered.
//! The modules are the stations of that sentence, in order:
//!
//! - [`input`]: where bytes come from: mapped files, files that are read, streams, archives.
//! - [`plan`]: how an input is cut into tasks that tile it exactly.
//! - [`mod@scan`]: bytes to lines to columns, by SIMD.
//! - [`expr`]: columns, and functions of columns.
//! - [`join`]: rows of committees and candidates that belong to scanned rows.
//! - [`filter`]: which rows count: conditions on expressions.
//! - [`fold`]: what is made of rows: the report, counts, groups by any columns, a question of your own.
//! - [`engine`]: the workers that claim tasks, fold them, and are joined.
//! - [`render`]: results as text for people, JSON, tables, and the sentences of the challenge.
//! - [`output`]: where results go, whole or not at all.
//! - [`fec`]: what the files mean: schemas, months, first names, amounts, dates.
//! - [`generate`]: synthetic files of the same shape.
//! - [`error`]: the one error type.
//!
//! # A sentence
//!
//! ```
//! # fn main() -> Result<(), fecscan::Error> {
//! let top = fecscan::scan(["fixtures/generated.txt"])
//!     .filter("amount>=100")?
//!     .group_by("STATE")?
//!     .sum("amount")?
//!     .sort("sum(amount)")
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
//! [`query`] has all of it. [`scan_bytes`] and [`scan_reader`] take what is no file.
//!
//! # A question of your own
//!
//! Rows by STATE, with all workers:
//!
//! ```
//! use fecscan::{Counts, Engine, by_row};
//!
//! # fn main() -> Result<(), fecscan::Error> {
//! let by_state = by_row(
//!     ["STATE"],
//!     Counts::default,
//!     |states, row| states.add(row.column(0).unwrap_or_default(), 1),
//!     Counts::merge,
//! );
//! let mut result = Engine::default().scan(&by_state, ["fixtures/generated.txt"])?;
//! let states = result.partial.most_common(2);
//! assert_eq!((result.lines, states.lines), (100, 100));
//! # Ok(())
//! # }
//! ```
//!
//! Anything that is made of rows and can be merged is a [`Fold`].
//!
//! # The report
//!
//! The four questions of the challenge, of rows of at least 1,000 dollars:
//!
//! ```
//! use fecscan::fold::report::{Question, ReportFold};
//! use fecscan::input::{Input, Io};
//! use fecscan::filter::Filter;
//! use fecscan::Engine;
//!
//! # fn main() -> Result<(), fecscan::Error> {
//! let mut question = Question::default();
//! question.names = vec![0, 432];
//! let fold = ReportFold::new(question.clone());
//! let engine = Engine::default().with_filter(Filter::new(["amount>=1000"])?);
//! let mut run = engine.run(&fold).with_numbered_lines(&question.names);
//! run.input(Input::open("fixtures/generated.txt".as_ref(), Io::default())?)?;
//! let report = fold.report(run.finish());
//!
//! assert_eq!(report.lines_scanned, Some(100));
//! assert!(report.lines < 100);
//! assert!(report.names[0].is_some());
//! assert_eq!(report.names[1], None, "the filter leaves fewer than 432 rows");
//! # Ok(())
//! # }
//! ```

pub mod coding;
pub mod engine;
pub mod error;
pub mod export;
pub mod expr;
pub mod fec;
pub mod filter;
pub mod fold;
pub mod generate;
pub mod input;
pub mod join;
pub mod output;
pub mod partial;
mod pipe;
pub mod plan;
pub mod query;
pub mod render;
pub mod scan;
pub mod select;
pub mod workers;

pub use self::engine::Engine;
pub use self::error::Error;
pub use self::fold::{Counts, Fold, Groups, Sum, by_row};
pub use self::join::Partners;
pub use self::query::{scan, scan_bytes, scan_reader};
pub use self::scan::Row;
