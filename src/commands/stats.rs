//! The line of `--stats`.

use std::fmt;
use std::time::Instant;

/// The work of a run and its cost.
pub(super) struct Stats {
    pub(super) started: Instant,
    pub(super) bytes: u64,
    pub(super) lines: u64,
    /// The number of lines that passed the filter, if there is one.
    pub(super) matching: Option<u64>,
    pub(super) threads: usize,
    /// How files were read and scanned.
    pub(super) how: String,
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.started.elapsed().as_secs_f64();
        write!(f, "{} bytes, {} lines, ", self.bytes, self.lines)?;
        if let Some(matching) = self.matching {
            write!(f, "{matching} matching, ")?;
        }
        let rate = self.bytes as f64 / 1e9 / seconds.max(1e-9);
        let (threads, how) = (self.threads, &self.how);
        let unit = if threads == 1 { "thread" } else { "threads" };
        write!(f, "{seconds:.4} s, {rate:.2} GB/s, {threads} {unit}{how}")
    }
}
