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
        let Stats {
            started,
            bytes,
            lines,
            matching,
            threads,
            how,
        } = self;
        let seconds = started.elapsed().as_secs_f64();
        write!(f, "{bytes} bytes, {lines} lines, ")?;
        if let Some(matching) = matching {
            write!(f, "{matching} matching, ")?;
        }
        write!(
            f,
            "{seconds:.4} s, {:.2} GB/s, {threads} {}{how}",
            *bytes as f64 / 1e9 / seconds.max(1e-9),
            if *threads == 1 { "thread" } else { "threads" },
        )
    }
}
