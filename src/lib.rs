//! Scans the FEC's bulk files, huge texts of pipe-separated lines, at the speed of memory.
//!
//! One idea carries the crate: bytes are cut into tasks at newlines, each worker scans its tasks
//! into records and folds them into its own partial, partials merge, and the merged result is
//! rendered. The modules are the stations of that sentence, in order:
//!
//! - [`input`]: where bytes come from: a mapped file, a file that is read, a stream, a compressed
//!   file, the members of an archive.
//! - [`plan`]: how an input is cut into tasks that tile it exactly.
//! - [`scan`]: bytes to lines to columns, by SIMD.
//! - [`fold`]: what is made of the lines: the report, line counts.
//! - [`engine`]: the workers that claim tasks, fold them, and are joined.
//! - [`render`]: results as text for people, JSON, and the sentences of the challenge.
//! - [`fec`]: what the files mean: schemas, months, first names.
//! - [`generate`]: synthetic files of the same shape.
//! - [`error`]: the one error type.
//!
//! # Example
//!
//! The four questions, asked of a file:
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

pub mod engine;
pub mod error;
pub mod fec;
pub mod fold;
pub mod generate;
pub mod input;
pub mod plan;
pub mod render;
pub mod scan;
