//! Scans the FEC's bulk files, huge texts of pipe-separated lines, at the speed of memory.
//!
//! One idea carries the crate: bytes are cut into tasks at newlines; each worker scans its tasks
//! into records, which are lines with the columns that are asked for, and folds these into a partial
//! of its own, the result for the lines that it has seen; partials merge, and the merged result is
//! rendered. The modules are the stations of that sentence, in order:
//!
//! - [`input`]: where bytes come from: a mapped file, a file that is read, a stream, a compressed
//!   file, the members of an archive.
//! - [`plan`]: how an input is cut into tasks that tile it exactly.
//! - [`scan`]: bytes to lines to columns, by SIMD.
//! - [`fold`]: what is made of the lines: the report, line counts.
//! - [`engine`]: the workers that claim tasks, fold them, and are joined.
//! - [`render`]: results as bytes, one file a format.
//! - [`output`]: where results go.
//! - [`fec`]: what the files mean: schemas, months, first names.
//! - [`generate`]: synthetic files of the same shape.
//! - [`error`]: the one error type.
//!
//! # The report
//!
//! Its four questions, asked of a file:
//!
//! ```
//! use fecscan::engine::{Engine, Options};
//! use fecscan::fold::report::{Question, ReportFold};
//! use fecscan::input::{Input, Io};
//!
//! # fn main() -> Result<(), fecscan::error::Error> {
//! let engine = Engine::new(Options::default());
//! let fold = ReportFold::new(Question { names: vec![0, 432], ..Question::default() });
//! let mut run = engine.run(&fold);
//! run.input(Input::open("fixtures/plain.txt".as_ref(), Io::Auto)?)?;
//! let (files, partial) = run.finish();
//! let report = fold.report(files, partial);
//!
//! assert_eq!(report.lines, 8);
//! assert_eq!(report.names[0].as_deref(), Some(&b"MARLOWE, JOHN Q"[..]));
//! assert_eq!(report.names[1], None, "the file has no line 432");
//! assert_eq!(report.first_names[0].0, b"JOHN");
//! # Ok(())
//! # }
//! ```
//!
//! # A question of your own
//!
//! It is a [`fold::Fold`]. This one counts the lines whose TRANSACTION_AMT is negative:
//!
//! ```
//! use fecscan::engine::{Engine, Options};
//! use fecscan::fold::Fold;
//! use fecscan::input::{Input, Io, Part};
//! use fecscan::plan::Cut;
//! use fecscan::scan::columns::Span;
//! use fecscan::scan::simd::Level;
//! use fecscan::scan::{Chunk, Record, Scratch, Visitor, records};
//!
//! /// TRANSACTION_AMT, counted from zero.
//! const AMOUNT: usize = 14;
//!
//! struct Refunds;
//!
//! /// How many a worker has seen.
//! struct Seen(u64);
//!
//! impl Visitor<[Span; 1]> for Seen {
//!     #[inline(always)]
//!     fn record<L: Level>(&mut self, _: L, record: Record<'_, [Span; 1]>) {
//!         let amount = record.column(0).unwrap_or_default();
//!         self.0 += u64::from(amount.starts_with(b"-"));
//!     }
//! }
//!
//! impl Fold for Refunds {
//!     type Partial = Seen;
//!     const CUT: Cut = Cut::AtLines;
//!
//!     fn partial(&self, _: &Part) -> Seen {
//!         Seen(0)
//!     }
//!
//!     #[inline(always)]
//!     fn chunk<L: Level>(
//!         &self,
//!         level: L,
//!         chunk: &Chunk<'_>,
//!         scratch: &mut Scratch,
//!         seen: &mut Seen,
//!     ) -> u64 {
//!         records(level, chunk, &[AMOUNT], scratch, seen)
//!     }
//!
//!     fn merge(&self, into: &mut Seen, from: Seen) {
//!         into.0 += from.0;
//!     }
//! }
//!
//! # fn main() -> Result<(), fecscan::error::Error> {
//! let engine = Engine::new(Options::default());
//! let mut run = engine.run(&Refunds);
//! run.input(Input::open("fixtures/generated.txt".as_ref(), Io::Auto)?)?;
//! let (files, refunds) = run.finish();
//!
//! assert_eq!(files[0].lines, 100);
//! assert_eq!(refunds.map(|seen| seen.0), Some(1));
//! # Ok(())
//! # }
//! ```

pub mod engine;
pub mod error;
pub mod fec;
pub mod fold;
pub mod generate;
pub mod input;
pub mod output;
pub mod plan;
pub mod render;
pub mod scan;
