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
    pieces: Pieces,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pieces {
    /// More are to come.
    Coming,
    /// The last that matters is done.
    Ended,
    /// One is missing: its worker failed, or panicked.
    Broken,
}

/// Says whether a worker should make more pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// The piece is done.
    On,
    /// No piece will be done any more: one failed, or was the last that matters.
    Stop,
}

impl<S> InOrder<S> {
    /// Lends `sink`, first to the piece that begins at `start`.
    pub fn new(sink: S, start: u64) -> InOrder<S> {
        let state = State {
            sink,
            next: start,
            pieces: Pieces::Coming,
        };
        InOrder {
            state: Mutex::new(state),
            turn: Condvar::new(),
        }
    }

    /// Waits until everything before `range` is done, then does `work` for it. Ranges must tile: the
    /// next one begins at `range.end`. Work that returns [`Go::Stop`] was the last.
    ///
    /// # Errors
    /// That of `work`. The other workers are stopped.
    pub fn at(
        &self,
        range: Range<u64>,
        work: impl FnOnce(&mut S) -> Result<Go, Error>,
    ) -> Result<Go, Error> {
        let waits =
            |state: &mut State<S>| state.next != range.start && state.pieces == Pieces::Coming;
        let state = self.turn.wait_while(self.lock(), waits);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if state.pieces != Pieces::Coming {
            return Ok(Go::Stop);
        }
        // Neither an error nor a panic in `work` may leave the others waiting.
        state.pieces = Pieces::Broken;
        let done = work(&mut state.sink);
        if let Ok(go) = done {
            state.next = range.end;
            state.pieces = match go {
                Go::On => Pieces::Coming,
                Go::Stop => Pieces::Ended,
            };
        }
        drop(state);
        self.turn.notify_all();
        done
    }

    /// Stops all workers, because a piece will never come.
    pub fn stop(&self) {
        self.lock().pieces = Pieces::Broken;
        self.turn.notify_all();
    }

    /// Returns a guard for a worker to hold. If the worker panics, the guard stops the others.
    pub fn guard(&self) -> Guard<'_, S> {
        Guard(self)
    }

    /// Returns the sink after all pieces.
    ///
    /// # Errors
    /// If a piece is missing. Look for the error of its worker first.
    pub fn finish(self) -> Result<S, Error> {
        let state = self.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        match state.pieces {
            Pieces::Coming | Pieces::Ended => Ok(state.sink),
            Pieces::Broken => Err(Error::new(
                ErrorKind::Consistency,
                format!("the piece of the result at {} is missing", state.next),
            )),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn push(piece: u64) -> impl FnOnce(&mut Vec<u64>) -> Result<Go, Error> {
        move |pieces| {
            pieces.push(piece);
            Ok(Go::On)
        }
    }

    #[test]
    fn pieces_come_in_order_from_any_worker() {
        let order = InOrder::new(Vec::new(), 10_000);
        // Pieces of 3 units each.
        let begin = |n: u64| 10_000 + 3 * n;
        thread::scope(|scope| {
            for worker in (0..8).rev() {
                let order = &order;
                scope.spawn(move || {
                    let _guard = order.guard();
                    for begin in (worker..800).step_by(8).map(begin) {
                        assert_eq!(order.at(begin..begin + 3, push(begin)).unwrap(), Go::On);
                    }
                });
            }
        });
        assert!(order.finish().unwrap().into_iter().eq((0..800).map(begin)));
    }

    #[test]
    fn a_failure_stops_everybody() {
        let order = InOrder::new(Vec::new(), 0);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| order.at(1..2, push(1)));
            let failed = order.at(0..1, |_| Err(Error::new(ErrorKind::Output, "full")));
            assert_eq!(failed.unwrap_err().to_string(), "full");
            assert_eq!(waiting.join().unwrap().unwrap(), Go::Stop);
        });
        assert!(order.finish().is_err());
    }

    #[test]
    fn the_last_piece_that_matters_ends_the_rest_without_an_error() {
        let order = InOrder::new(Vec::new(), 0);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| order.at(7..8, push(7)));
            let last = order.at(0..3, |pieces| push(0)(pieces).map(|_| Go::Stop));
            assert_eq!(last.unwrap(), Go::Stop);
            assert_eq!(waiting.join().unwrap().unwrap(), Go::Stop);
        });
        assert_eq!(order.finish().unwrap(), [0]);
    }

    #[test]
    fn a_panic_stops_everybody() {
        for in_work in [false, true] {
            let order = InOrder::new(Vec::new(), 0);
            thread::scope(|scope| {
                let waiting = scope.spawn(|| order.at(1..2, push(1)));
                let panicked = catch_unwind(AssertUnwindSafe(|| {
                    let _guard = order.guard();
                    if in_work {
                        let _ = order.at(0..1, |_| resume_unwind(Box::new("in the work")));
                    }
                    resume_unwind(Box::new("before the first piece"));
                }));
                assert!(panicked.is_err());
                assert_eq!(waiting.join().unwrap().unwrap(), Go::Stop);
            });
            let error = order.finish().unwrap_err().to_string();
            assert_eq!(error, "the piece of the result at 0 is missing");
        }
    }
}
