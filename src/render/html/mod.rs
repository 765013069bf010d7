//! Results as pages for browsers: one file, inline SVG, light and dark, printable, without scripts.
//!
//! The bytes depend on the result and the command line alone. So the only date is that of the files: when each was
//! last modified. Lists are cut, and a line says so.

mod bars;
mod chart;
mod columns;
mod groups;
mod page;
mod report;
mod scale;
mod words;
mod writer;

pub use self::groups::{chart_notes, groups, groups_chart};
pub use self::report::{report, report_chart};
