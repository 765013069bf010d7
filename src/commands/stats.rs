//! What `--stats` says of the work that every command does.

use std::fmt;
use std::time::Duration;

/// How much was done, how long it took, and how many threads it took.
pub struct Stats {
    pub bytes: u64,
    pub lines: u64,
    pub took: Duration,
    pub threads: usize,
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stats {
            bytes,
            lines,
            took,
            threads,
        } = self;
        let seconds = took.as_secs_f64();
        write!(
            f,
            "{bytes} bytes, {lines} lines, {seconds:.4} s, {:.2} GB/s, {threads} {}",
            *bytes as f64 / 1e9 / seconds.max(1e-9),
            if *threads == 1 { "thread" } else { "threads" },
        )
    }
}
