//! Puts the pieces of several workers in order.
//!
//! A piece has a range: blocks of rows, or bytes of an input. A worker that has made a piece waits
//! until all pieces before it are done, then does its own work with the sink. Memory holds one piece
//! for each worker, no more. Workers take pieces in ascending order, so they never wait in a circle:
//! the lowest piece taken never waits.

use std::ops::ControlFlow;
use std::ops::Range;
use std::sync::{Condvar, Mutex, PoisonError};

use crate::error::{Error, ErrorKind};
use crate::workers::{lock, unlocked};

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
    workers: usize,
    /// The number of workers that wait since the last change.
    waiting: usize,
    /// The number of changes so far. A waiting worker looks again after each.
    changes: u64,
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

impl<S> InOrder<S> {
    /// Lends `sink`, first to the piece that begins at `start`.
    pub fn new(sink: S, start: u64) -> InOrder<S> {
        let state = State {
            sink,
            next: start,
            pieces: Pieces::Coming,
            workers: 0,
            waiting: 0,
            changes: 0,
        };
        InOrder {
            state: Mutex::new(state),
            turn: Condvar::new(),
        }
    }

    /// Waits until everything before `range` is done, then does `work` for it. Ranges must tile: the
    /// next one begins at `range.end`. Work that returns [`ControlFlow::Break`] was the last.
    ///
    /// If all workers wait, a piece is missing: the ranges of a file that changes may not tile. Then all workers are
    /// stopped.
    ///
    /// # Errors
    /// That of `work`. The other workers are stopped.
    pub fn at(
        &self,
        range: Range<u64>,
        work: impl FnOnce(&mut S) -> Result<ControlFlow<()>, Error>,
    ) -> Result<ControlFlow<()>, Error> {
        let mut state = lock(&self.state);
        while state.next != range.start && state.pieces == Pieces::Coming {
            state.waiting += 1;
            state.break_if_all_wait(&self.turn);
            let seen = state.changes;
            let waits = |state: &mut State<S>| state.changes == seen;
            if state.pieces == Pieces::Coming {
                let changed = self.turn.wait_while(state, waits);
                state = changed.unwrap_or_else(PoisonError::into_inner);
            }
        }
        if state.pieces != Pieces::Coming {
            return Ok(ControlFlow::Break(()));
        }
        // Neither an error nor a panic in `work` may leave the others waiting.
        state.pieces = Pieces::Broken;
        let done = work(&mut state.sink);
        if let Ok(go) = done {
            state.next = range.end;
            state.pieces = match go {
                ControlFlow::Continue(()) => Pieces::Coming,
                ControlFlow::Break(()) => Pieces::Ended,
            };
        }
        state.changed(&self.turn);
        done
    }

    /// Stops all workers, because a piece will never come.
    pub fn stop(&self) {
        let mut state = lock(&self.state);
        state.pieces = Pieces::Broken;
        state.changed(&self.turn);
    }

    /// Returns a guard for a worker to hold as long as it takes pieces. If the worker panics, the guard stops the
    /// others.
    pub fn guard(&self) -> Guard<'_, S> {
        lock(&self.state).workers += 1;
        Guard(self)
    }

    /// Returns the sink after all pieces.
    ///
    /// # Errors
    /// If a piece is missing. Look for the error of its worker first.
    pub fn finish(self) -> Result<S, Error> {
        let state = unlocked(self.state);
        match state.pieces {
            Pieces::Coming | Pieces::Ended => Ok(state.sink),
            Pieces::Broken => Err(Error::new(
                ErrorKind::Consistency,
                format!("the piece of the result at {} is missing", state.next),
            )),
        }
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
        let mut state = lock(&self.0.state);
        state.workers -= 1;
        state.break_if_all_wait(&self.0.turn);
    }
}

impl<S> State<S> {
    fn changed(&mut self, turn: &Condvar) {
        self.waiting = 0;
        self.changes += 1;
        turn.notify_all();
    }

    /// Stops all workers if all of them wait. A worker holds a guard as long as it takes pieces, so a worker that
    /// took an earlier piece counts.
    fn break_if_all_wait(&mut self, turn: &Condvar) {
        if self.waiting > 0 && self.waiting == self.workers && self.pieces == Pieces::Coming {
            self.pieces = Pieces::Broken;
            self.changed(turn);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::thread;

    use super::*;

    fn push(piece: u64) -> impl FnOnce(&mut Vec<u64>) -> Result<ControlFlow<()>, Error> {
        move |pieces| {
            pieces.push(piece);
            Ok(ControlFlow::Continue(()))
        }
    }

    #[test]
    fn pieces_come_in_order_from_any_worker() {
        let order = InOrder::new(Vec::new(), 10_000);
        // Pieces of 3 units each.
        let begin = |n: u64| 10_000 + 3 * n;
        thread::scope(|scope| {
            let guards = (0..8).map(|worker| (worker, order.guard()));
            let guards: Vec<_> = guards.collect();
            for (worker, guard) in guards.into_iter().rev() {
                let order = &order;
                scope.spawn(move || {
                    let _guard = guard;
                    for begin in (worker..800).step_by(8).map(begin) {
                        assert_eq!(
                            order.at(begin..begin + 3, push(begin)).unwrap(),
                            ControlFlow::Continue(())
                        );
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
            assert_eq!(waiting.join().unwrap().unwrap(), ControlFlow::Break(()));
        });
        assert!(order.finish().is_err());
    }

    #[test]
    fn the_last_piece_that_matters_ends_the_rest_without_an_error() {
        let order = InOrder::new(Vec::new(), 0);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| order.at(7..8, push(7)));
            let last = order.at(0..3, |pieces| {
                push(0)(pieces).map(|_| ControlFlow::Break(()))
            });
            assert_eq!(last.unwrap(), ControlFlow::Break(()));
            assert_eq!(waiting.join().unwrap().unwrap(), ControlFlow::Break(()));
        });
        assert_eq!(order.finish().unwrap(), [0]);
    }

    /// Pieces that overlap, and pieces with a gap between them.
    #[test]
    fn a_piece_that_no_worker_has_stops_everybody() {
        for pieces in [[5..6, 7..8], [0..2, 1..3], [0..1, 2..3]] {
            let order = InOrder::new(Vec::new(), 0);
            let done = thread::scope(|scope| {
                let workers = pieces.clone().map(|piece| {
                    let (order, guard) = (&order, order.guard());
                    scope.spawn(move || {
                        let _guard = guard;
                        order.at(piece.clone(), push(piece.start)).unwrap()
                    })
                });
                workers.map(|worker| worker.join().unwrap())
            });
            let first = if pieces[0].start == 0 {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            };
            assert_eq!(done, [first, ControlFlow::Break(())], "{pieces:?}");
            assert!(order.finish().is_err());
        }
    }

    #[test]
    fn a_panic_stops_everybody() {
        for in_work in [false, true] {
            let order = InOrder::new(Vec::new(), 0);
            thread::scope(|scope| {
                let guards = [order.guard(), order.guard()];
                let [guard, other] = guards;
                let order = &order;
                let waiting = scope.spawn(move || {
                    let _guard = other;
                    order.at(1..2, push(1))
                });
                let panicked = catch_unwind(AssertUnwindSafe(|| {
                    let _guard = guard;
                    if in_work {
                        let _ = order.at(0..1, |_| resume_unwind(Box::new("in the work")));
                    }
                    resume_unwind(Box::new("before the first piece"));
                }));
                assert!(panicked.is_err());
                assert_eq!(waiting.join().unwrap().unwrap(), ControlFlow::Break(()));
            });
            let error = order.finish().unwrap_err().to_string();
            assert_eq!(error, "the piece of the result at 0 is missing");
        }
    }
}
