//! Draws a progress bar for long work, if standard error is a terminal or belongs to a program that draws the frames itself.
//!
//! Rates are those since the work began, so they are true from the first frame on. Each frame leaves
//! the cursor at the beginning of its line: if the program is killed, the prompt overwrites the bar.
//! The usual crate for bars leaves it at the end, and estimates rates from the frames alone. Ctrl-C and
//! other signals to end remove the bar first.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{env, fmt};

use crate::render::text::Glyphs;
use crate::render::{grouped, size};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::tcgetwinsize;

use super::{options, signals};

/// Shorter work has no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// The time between two frames.
const FRAME: Duration = Duration::from_millis(100);

/// A terminal that takes no bytes for this long is stopped.
const WRITABLE_WITHIN: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 500_000_000,
};

const BAR_COLUMNS: u64 = 20;

/// The environment variable that asks for frames if it is 1. The module for Python sets it in a notebook.
const FRAMES_WANTED: &str = "FECSCAN_PROGRESS";

/// Counts the work done so far.
pub(super) struct Progress {
    started: Instant,
    /// The amount of all work, if known.
    total: Option<AtomicU64>,
    unit: Unit,
    glyphs: Glyphs,
    done: AtomicU64,
    /// None without a bar.
    frames: Option<Arc<Mutex<Frames>>>,
}

#[derive(Debug)]
struct Frames {
    /// When the next one is due.
    due: Duration,
    /// One is on the terminal.
    shown: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Bytes,
    Rows,
}

impl Progress {
    /// Begins to count, with a bar if one `may_be_drawn`.
    pub(super) fn new(total: Option<u64>, unit: Unit, may_be_drawn: bool) -> Progress {
        let is_seen =
            || io::stderr().is_terminal() || env::var_os(FRAMES_WANTED).is_some_and(|it| it == "1");
        let drawn = may_be_drawn && is_seen();
        let frames = Frames {
            due: PATIENCE,
            shown: false,
        };
        Progress {
            started: Instant::now(),
            total: total.map(AtomicU64::new),
            unit,
            glyphs: options::glyphs(),
            done: AtomicU64::new(0),
            frames: drawn.then(|| Arc::new(Mutex::new(frames))),
        }
    }

    pub(super) fn advance(&self, more: u64) {
        let done = self.done.fetch_add(more, Ordering::Relaxed) + more;
        let Some(shared) = &self.frames else {
            return;
        };
        // One worker draws for all.
        let Ok(mut frames) = shared.try_lock() else {
            return;
        };
        let elapsed = self.started.elapsed();
        if elapsed < frames.due {
            return;
        }
        if frames.due == PATIENCE {
            let shared = Arc::clone(shared);
            signals::before_end(move || end(&shared));
        }
        frames.due = elapsed + FRAME;
        frames.shown = true;
        let total = self.total.as_ref();
        let total = total.map(|total| total.load(Ordering::Relaxed));
        let frame = frame(done, total, elapsed, self.unit, self.glyphs);
        // A longer line would wrap, and its first part stay. Some terminals know no width.
        let window = tcgetwinsize(io::stderr()).ok().filter(|w| w.ws_col > 0);
        let columns = window.map_or(80, |window| usize::from(window.ws_col));
        let frame: String = frame.chars().take(columns - 1).collect();
        erase_and_print(&format!("{frame}\r"));
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
        if let Some(frames) = &self.frames {
            lock(frames).clear();
        }
    }
}

impl Frames {
    fn clear(&mut self) {
        if self.shown {
            erase_and_print("");
            self.shown = false;
        }
    }
}

/// Removes the bar for good. It stays if the terminal takes no bytes (Ctrl-S): waiting for that would
/// keep the signal from ending the program.
fn end(frames: &Mutex<Frames>) {
    let stderr = io::stderr();
    let mut terminal = [PollFd::new(&stderr, PollFlags::OUT)];
    if !poll(&mut terminal, Some(&WRITABLE_WITHIN)).is_ok_and(|ready| ready > 0) {
        return;
    }
    let mut frames = lock(frames);
    if frames.shown {
        // The terminal shows ^C at the beginning of the line.
        let _ = io::stderr().write_all(b"\r");
    }
    frames.clear();
    frames.due = Duration::MAX;
}

fn lock(frames: &Mutex<Frames>) -> MutexGuard<'_, Frames> {
    frames.lock().unwrap_or_else(PoisonError::into_inner)
}

fn erase_and_print(text: &str) {
    // One call, so that a frame is never torn.
    let _ = io::stderr().write_all(format!("\x1b[2K{text}").as_bytes());
}

fn frame(done: u64, total: Option<u64>, elapsed: Duration, unit: Unit, glyphs: Glyphs) -> String {
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
    let (done_glyph, left_glyph) = match glyphs {
        Glyphs::Blocks => ("█", "░"),
        Glyphs::Ascii => ("#", "."),
    };
    let bar = done_glyph.repeat(full) + &left_glyph.repeat(BAR_COLUMNS as usize - full);
    let line = format!("{bar} {} of {}, {speed}", amount(done), amount(total));
    match done {
        0 => line,
        _ => format!("{line}, {} left", time((total - done) as f64 / rate)),
    }
}

fn three_digits(number: f64) -> u64 {
    let unit = 10_f64.powi((number.max(1.0).log10() as i32 - 2).max(0));
    ((number / unit).round() * unit) as u64
}

fn time(seconds: f64) -> String {
    match seconds.ceil() as u64 {
        seconds @ 0..=99 => format!("{seconds} s"),
        seconds @ 100..=5_999 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// The line of `--stats`: the work of a run and its cost.
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
            let frame = |glyphs| frame(done, total, elapsed, unit, glyphs);
            assert_eq!(frame(Glyphs::Blocks), line);
            let ascii = line.replace('█', "#").replace('░', ".");
            assert_eq!(frame(Glyphs::Ascii), ascii);
        }
        for (seconds, text) in [(0.2, "1 s"), (100.0, "2 min"), (7260.0, "2 h 1 min")] {
            assert_eq!(time(seconds), text);
        }
    }
}
