//! A progress bar on standard error, when that is a terminal and the work takes long enough to
//! wonder.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that is over sooner has no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// How far the work has come.
pub struct Progress {
    started: Instant,
    /// How much there is to do; none if that is not known.
    total: Option<AtomicU64>,
    unit: Unit,
    done: AtomicU64,
    bar: OnceLock<ProgressBar>,
    shown: Shown,
}

/// Whether there may be a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// On a terminal.
    OnTerminal,
    /// Not at all.
    Never,
}

impl Shown {
    /// On a terminal, unless the user does not want it.
    pub fn unless(unwanted: bool) -> Shown {
        if unwanted {
            Shown::Never
        } else {
            Shown::OnTerminal
        }
    }
}

/// What work is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Bytes,
    Rows,
}

impl Progress {
    /// The progress of work that is just beginning.
    pub fn new(total: Option<u64>, unit: Unit, shown: Shown) -> Progress {
        Progress {
            started: Instant::now(),
            total: total.map(AtomicU64::new),
            unit,
            done: AtomicU64::new(0),
            bar: OnceLock::new(),
            shown,
        }
    }

    /// Notes that `more` has been done.
    pub fn advance(&self, more: u64) {
        let done = self.done.fetch_add(more, Ordering::Relaxed) + more;
        if self.shown == Shown::OnTerminal && self.started.elapsed() > PATIENCE {
            self.bar.get_or_init(|| self.bar()).set_position(done);
        }
    }

    /// Notes that there is `less` to do than was thought.
    pub fn expect_less(&self, less: u64) {
        if let Some(total) = &self.total {
            let total = total.fetch_sub(less, Ordering::Relaxed) - less;
            if let Some(bar) = self.bar.get() {
                bar.set_length(total);
            }
        }
    }

    /// Has `print` print while the bar is not there.
    pub fn suspend(&self, print: impl FnOnce()) {
        match self.bar.get() {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Removes the bar from the terminal.
    pub fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }

    fn bar(&self) -> ProgressBar {
        let total = self
            .total
            .as_ref()
            .map(|total| total.load(Ordering::Relaxed));
        let template = match (self.unit, total) {
            (Unit::Bytes, Some(_)) => {
                "{bar:40} {decimal_bytes} of {decimal_total_bytes}, {decimal_bytes_per_sec}, {eta} left"
            }
            (Unit::Bytes, None) => "{spinner} {decimal_bytes}, {decimal_bytes_per_sec}",
            (Unit::Rows, Some(_)) => {
                "{bar:40} {human_pos} of {human_len} rows, {per_sec}, {eta} left"
            }
            (Unit::Rows, None) => "{spinner} {human_pos} rows, {per_sec}",
        };
        let style = ProgressStyle::with_template(template).expect("the template is well-formed");
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
        bar.with_style(style).with_elapsed(self.started.elapsed())
    }
}
