//! Draws a progress bar for long work, if standard error is a terminal.
//!
//! Rates are those since the work began, so they are true from the first frame on. Each frame leaves
//! the cursor at the beginning of its line: if the program is killed, the prompt overwrites the bar.
//! The usual crate for bars leaves it at the end, and estimates rates from the frames alone.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fecscan::render::{grouped, size};
use rustix::termios::tcgetwinsize;

/// Shorter work has no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// The time between two frames.
const FRAME: Duration = Duration::from_millis(100);

const BAR_COLUMNS: u64 = 20;

/// Counts the work done so far.
pub(super) struct Progress {
    started: Instant,
    /// The amount of all work, if known.
    total: Option<AtomicU64>,
    unit: Unit,
    done: AtomicU64,
    /// When the next frame is due; none without a bar.
    next_frame: Option<Mutex<Duration>>,
}

/// Whether there may be a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bar {
    OnTerminal,
    Never,
}

/// The unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Bytes,
    Rows,
}

impl Progress {
    /// Begins to count.
    pub(super) fn new(total: Option<u64>, unit: Unit, bar: Bar) -> Progress {
        let drawn = bar == Bar::OnTerminal && io::stderr().is_terminal();
        Progress {
            started: Instant::now(),
            total: total.map(AtomicU64::new),
            unit,
            done: AtomicU64::new(0),
            next_frame: drawn.then_some(Mutex::new(PATIENCE)),
        }
    }

    /// Adds `more` to the work done.
    pub(super) fn advance(&self, more: u64) {
        let done = self.done.fetch_add(more, Ordering::Relaxed) + more;
        // One worker draws for all.
        let Some(Ok(mut next_frame)) = self.next_frame.as_ref().map(Mutex::try_lock) else {
            return;
        };
        let elapsed = self.started.elapsed();
        if elapsed >= *next_frame {
            *next_frame = elapsed + FRAME;
            let total = self.total.as_ref();
            let total = total.map(|total| total.load(Ordering::Relaxed));
            let frame = frame(done, total, elapsed, self.unit);
            // A longer line would wrap, and its first part stay. Some terminals know no width.
            let window = tcgetwinsize(io::stderr()).ok().filter(|w| w.ws_col > 0);
            let columns = window.map_or(80, |window| usize::from(window.ws_col));
            let frame: String = frame.chars().take(columns - 1).collect();
            erase_and_print(&format!("{frame}\r"));
        }
    }

    /// Subtracts `less` from the work expected. Files may have grown since they were measured.
    pub(super) fn expect_less(&self, less: u64) {
        if let Some(total) = &self.total {
            let left = total.load(Ordering::Relaxed).saturating_sub(less);
            total.store(left, Ordering::Relaxed);
        }
    }

    /// Removes the bar from the terminal. The next frame draws it again.
    pub(super) fn clear(&self) {
        if let Some(next_frame) = &self.next_frame
            && *next_frame.lock().unwrap_or_else(PoisonError::into_inner) > PATIENCE
        {
            erase_and_print("");
        }
    }
}

fn erase_and_print(text: &str) {
    // One call, so that a frame is never torn.
    let _ = io::stderr().write_all(format!("\x1b[2K{text}").as_bytes());
}

/// Returns the line of a bar.
fn frame(done: u64, total: Option<u64>, elapsed: Duration, unit: Unit) -> String {
    let rate = done as f64 / elapsed.as_secs_f64();
    let (amount, speed): (fn(u64) -> String, _) = match unit {
        Unit::Bytes => (size, format!("{}/s", size(rate as u64))),
        Unit::Rows => (grouped, format!("{} rows/s", grouped(three_digits(rate)))),
    };
    let Some(total) = total.filter(|&total| total > 0) else {
        return format!("{}, {speed}", amount(done));
    };
    let done = done.min(total);
    let full = u128::from(done) * u128::from(BAR_COLUMNS) / u128::from(total);
    let full = full as usize;
    let bar = "█".repeat(full) + &"░".repeat(BAR_COLUMNS as usize - full);
    let line = format!("{bar} {} of {}, {speed}", amount(done), amount(total));
    match done {
        0 => line,
        _ => format!("{line}, {} left", time((total - done) as f64 / rate)),
    }
}

/// Rounds to three digits.
fn three_digits(number: f64) -> u64 {
    let unit = 10_f64.powi((number.max(1.0).log10() as i32 - 2).max(0));
    ((number / unit).round() * unit) as u64
}

/// Returns a time for people.
fn time(seconds: f64) -> String {
    match seconds.ceil() as u64 {
        seconds @ 0..=99 => format!("{seconds} s"),
        seconds @ 100..=5_999 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_since_the_work_began() {
        let cases = [
            (
                (1_000_000_000, Some(3_000_000_000), 500, Unit::Bytes),
                "██████░░░░░░░░░░░░░░ 1.00 GB of 3.00 GB, 2.00 GB/s, 1 s left",
            ),
            (
                (1_234_567, Some(1_000_000_000), 1_000, Unit::Rows),
                "░░░░░░░░░░░░░░░░░░░░ 1,234,567 of 1,000,000,000, 1,230,000 rows/s, 14 min left",
            ),
            ((5_000, None, 2_000, Unit::Bytes), "5.00 kB, 2.50 kB/s"),
            // A file that has grown.
            (
                (30, Some(20), 1_000, Unit::Bytes),
                "████████████████████ 20 B of 20 B, 30 B/s, 0 s left",
            ),
        ];
        for ((done, total, milliseconds, unit), line) in cases {
            let elapsed = Duration::from_millis(milliseconds);
            assert_eq!(frame(done, total, elapsed, unit), line);
        }
        for (seconds, text) in [(0.2, "1 s"), (100.0, "2 min"), (7260.0, "2 h 1 min")] {
            assert_eq!(time(seconds), text);
        }
    }
}
