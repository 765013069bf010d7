//! Work that must be done in the order of the input, by workers that finish in any order.
//!
//! A worker that holds a piece waits until all pieces before it are done, then does its own. It
//! holds no other piece meanwhile, so memory is bounded by one piece a worker. Workers that take
//! pieces in ascending order cannot wait in a circle: the lowest piece taken never waits.

use std::ops::{ControlFlow, Range};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// A state that workers change in the order of their pieces.
#[derive(Debug)]
pub(crate) struct InOrder<S> {
    turns: Mutex<Turns<S>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Turns<S> {
    state: S,
    /// The start of the next piece.
    next: u64,
    stopped: bool,
}

impl<S> InOrder<S> {
    /// Starts with the piece at `start`.
    pub(crate) fn new(state: S, start: u64) -> InOrder<S> {
        InOrder {
            turns: Mutex::new(Turns {
                state,
                next: start,
                stopped: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Waits for the turn of the piece that covers `range`, and does its `work`. Work that breaks
    /// stops everybody: no other work is done then, and no call waits. Returns the outcome of the
    /// work; none if everything has been stopped.
    pub(crate) fn at<T>(
        &self,
        range: Range<u64>,
        work: impl FnOnce(&mut S) -> ControlFlow<T, T>,
    ) -> Option<T> {
        let stop = StopOnPanic(self);
        let mut turns = self.lock();
        while turns.next != range.start && !turns.stopped {
            let woken = self.changed.wait(turns);
            turns = woken.unwrap_or_else(PoisonError::into_inner);
        }
        if turns.stopped {
            return None;
        }
        let (done, stopped) = match work(&mut turns.state) {
            ControlFlow::Continue(done) => (done, false),
            ControlFlow::Break(done) => (done, true),
        };
        turns.next = range.end;
        turns.stopped = stopped;
        drop(turns);
        drop(stop);
        self.changed.notify_all();
        Some(done)
    }

    /// Stops everybody. For a worker whose piece will never come.
    pub(crate) fn stop(&self) {
        self.lock().stopped = true;
        self.changed.notify_all();
    }

    /// Says whether all work has been stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        self.lock().stopped
    }

    /// Returns the state.
    pub(crate) fn into_inner(self) -> S {
        let turns = self.turns.into_inner();
        turns.unwrap_or_else(PoisonError::into_inner).state
    }

    fn lock(&self) -> MutexGuard<'_, Turns<S>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stops everybody if the worker panics. Declared before the lock is taken, it runs after the lock
/// is released.
struct StopOnPanic<'a, S>(&'a InOrder<S>);

impl<S> Drop for StopOnPanic<'_, S> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}
