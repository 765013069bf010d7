//! Partials: what a run has made of its inputs, written down, to be merged by another run.
//!
//! A [`Partial`] holds its [`Question`], the bytes of each file that it covers, and the state of the fold. [`Merged::new`] takes
//! partials of one question whose pieces tile their files. So a merge is right, or it is refused, even if a run was
//! repeated or lost.
//!
//! ```text
//! run over a range ──▶ partial ─┐
//! run over a range ──▶ partial ─┼─▶ merge: same question? same files? tiles? ──▶ one result, or one partial
//! run over a file  ──▶ partial ─┘
//! ```
//!
//! `docs/partial.md` describes the format, byte by byte.

mod file;
mod inputs;
mod joined;
mod merge;
mod numbered;
mod pieces;
mod question;
mod state;

pub use self::file::Partial;
pub use self::joined::Joined;
pub use self::merge::{GapPolicy, Merged};
pub use self::pieces::Gap;
pub use self::question::{Command, Question};
