//! Puts the pieces of several workers in order.
//!
//! A piece has a range: blocks of rows, or bytes of an input. A worker that has made a piece waits
//! until all pieces before it are done, then does its own work with the sink. Memory holds one piece
//! for each worker, no more. Workers take pieces in ascending order, so they never wait in a circle:
//! the lowest piece taken never waits.

use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, ErrorKind};

/// Lends a sink to workers in the order of their pieces.
#[derive(Debug)]
pub struct InOrder<S> {
    state: Mutex<State<S>>,
    turn: Condvar,
}

#[derive(Debug)]
struct State<S> {
    sink: S,
    /// Where the next piece begins.
    next: u64,
    failed: Option<Error>,
    /// A piece is missing, because its worker panicked or gave up.
    stopped: bool,
}

/// Says whether a worker should make more pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// The piece is done.
    On,
    /// A piece failed, so the pieces after it are never done.
    Stop,
}

impl<S> InOrder<S> {
    /// Lends `sink`, first to the piece that begins at 0.
    pub fn new(sink: S) -> InOrder<S> {
        let state = State {
            sink,
            next: 0,
            failed: None,
            stopped: false,
        };
        InOrder {
            state: Mutex::new(state),
            turn: Condvar::new(),
        }
    }

    /// Waits until everything before `range` is done, then does `work` for it. Ranges must tile: the
    /// next one begins at `range.end`. An empty range does its work and lets no other one pass.
    pub fn at(&self, range: Range<u64>, work: impl FnOnce(&mut S) -> Result<(), Error>) -> Go {
        let waiting = |state: &mut State<S>| state.next != range.start && !state.is_over();
        let state = self.turn.wait_while(self.lock(), waiting);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if state.is_over() {
            return Go::Stop;
        }
        // A panic in `work` must not leave the others waiting.
        state.stopped = true;
        match work(&mut state.sink) {
            Ok(()) => {
                state.next = range.end;
                state.stopped = false;
            }
            Err(error) => state.failed = Some(error),
        }
        let go = if state.is_over() { Go::Stop } else { Go::On };
        drop(state);
        self.turn.notify_all();
        go
    }

    /// Stops all workers, because a piece will never come. [`InOrder::restart`] begins again.
    pub fn stop(&self) {
        self.lock().stopped = true;
        self.turn.notify_all();
    }

    /// Returns a guard for a worker to hold. If the worker panics, the guard stops the others.
    pub fn guard(&self) -> Guard<'_, S> {
        Guard(self)
    }

    /// Begins a new sequence of pieces at `start`, such as the next input. A failed sink stays failed.
    pub fn restart(&mut self, start: u64) {
        let state = self.state.get_mut();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        state.next = start;
        state.stopped = false;
    }

    /// Returns the sink after all pieces.
    ///
    /// # Errors
    /// If the work of a piece failed, or a piece is missing.
    pub fn finish(self) -> Result<S, Error> {
        let state = self.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        match state.failed {
            Some(error) => Err(error),
            None if state.stopped => Err(Error::new(
                ErrorKind::Consistency,
                format!("the piece of the result at {} is missing", state.next),
            )),
            None => Ok(state.sink),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S> State<S> {
    fn is_over(&self) -> bool {
        self.failed.is_some() || self.stopped
    }
}

/// See [`InOrder::guard`].
#[derive(Debug)]
pub struct Guard<'a, S>(&'a InOrder<S>);

impl<S> Drop for Guard<'_, S> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::thread;

    use super::*;

    fn push(piece: u64) -> impl FnOnce(&mut Vec<u64>) -> Result<(), Error> {
        move |pieces| {
            pieces.push(piece);
            Ok(())
        }
    }

    #[test]
    fn pieces_come_in_order_from_any_worker() {
        let mut order = InOrder::new(Vec::new());
        for start in [0, 10_000] {
            order.restart(start);
            thread::scope(|scope| {
                for worker in (0..8).rev() {
                    let order = &order;
                    scope.spawn(move || {
                        let _guard = order.guard();
                        for n in (worker..800).step_by(8) {
                            // Pieces of 3 units each.
                            let begin = start + 3 * n;
                            assert_eq!(order.at(begin..begin + 3, push(begin)), Go::On);
                        }
                    });
                }
            });
        }
        let expected = [0, 10_000].map(|start| (0..800).map(move |n| start + 3 * n));
        assert!(
            order
                .finish()
                .unwrap()
                .into_iter()
                .eq(expected.into_iter().flatten())
        );
    }

    #[test]
    fn a_failure_stops_everybody_and_stays() {
        let mut order = InOrder::new(Vec::new());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| order.at(1..2, push(1)));
            let failed = order.at(0..1, |_| Err(Error::new(ErrorKind::Output, "full")));
            assert_eq!((failed, waiting.join().unwrap()), (Go::Stop, Go::Stop));
        });
        order.restart(0);
        assert_eq!(order.at(0..1, push(0)), Go::Stop);
        assert_eq!(order.finish().unwrap_err().to_string(), "full");
    }

    #[test]
    fn a_panic_stops_everybody() {
        let panic = |work: &dyn Fn()| assert!(catch_unwind(AssertUnwindSafe(work)).is_err());
        for in_work in [false, true] {
            let mut order = InOrder::new(Vec::new());
            thread::scope(|scope| {
                let waiting = scope.spawn(|| order.at(1..2, push(1)));
                panic(&|| {
                    let _guard = order.guard();
                    if in_work {
                        order.at(0..1, |_| resume_unwind(Box::new("in the work")));
                    }
                    resume_unwind(Box::new("before the first piece"));
                });
                assert_eq!(waiting.join().unwrap(), Go::Stop);
            });
            order.restart(0);
            assert_eq!(order.at(0..1, push(0)), Go::On);
            order.stop();
            let error = order.finish().unwrap_err().to_string();
            assert_eq!(error, "the piece of the result at 1 is missing");
        }
    }
}
