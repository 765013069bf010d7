//! Chunks of a result that several workers render, written in their order.
//!
//! A worker that has rendered a chunk waits until all chunks before it have been written, then
//! writes its own. No more is kept in memory than one chunk a worker. Workers that take chunks in
//! ascending order can't wait for each other in a circle: the lowest chunk that has been taken
//! never waits.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::output::Output;
use crate::error::Error;

/// An output that takes chunks by their numbers.
#[derive(Debug)]
pub struct Ordered {
    state: Mutex<State>,
    turn: Condvar,
}

#[derive(Debug)]
struct State {
    output: Output,
    /// The number of the chunk that is written next.
    next: u64,
    failed: Option<Error>,
    /// A worker has panicked, and its chunk will never come.
    abandoned: bool,
}

/// Whether there is a point in rendering more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// The chunk was written.
    On,
    /// A chunk could not be written; nothing more will be.
    Stop,
}

impl Ordered {
    /// Will write chunks to `output`, beginning with number 0.
    pub fn new(output: Output) -> Ordered {
        let state = State {
            output,
            next: 0,
            failed: None,
            abandoned: false,
        };
        Ordered {
            state: Mutex::new(state),
            turn: Condvar::new(),
        }
    }

    /// Writes the chunk `number`, when it is its turn.
    pub fn write(&self, number: u64, chunk: &[u8]) -> Go {
        let mut state = self.lock();
        while state.next != number && !state.stopped() {
            state = self
                .turn
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if !state.stopped() {
            match state.output.write_all(chunk) {
                Ok(()) => state.next += 1,
                Err(error) => state.failed = Some(error),
            }
        }
        let go = if state.stopped() { Go::Stop } else { Go::On };
        drop(state);
        self.turn.notify_all();
        go
    }

    /// A guard for a worker to hold: if the worker panics, the others do not wait for its chunk.
    pub fn guard(&self) -> Guard<'_> {
        Guard(self)
    }

    /// The output, with all chunks written.
    ///
    /// # Errors
    /// If one could not be.
    pub fn finish(self) -> Result<Output, Error> {
        let state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        match state.failed {
            Some(error) => Err(error),
            None => Ok(state.output),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn stopped(&self) -> bool {
        self.failed.is_some() || self.abandoned
    }
}

/// See [`Ordered::guard`].
#[derive(Debug)]
pub struct Guard<'a>(&'a Ordered);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().abandoned = true;
            self.0.turn.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread;

    use super::*;

    #[test]
    fn chunks_are_written_in_order_whoever_comes_first() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        let ordered = Ordered::new(Output::open(Some(&path)).unwrap());
        thread::scope(|scope| {
            for worker in (0..8).rev() {
                let ordered = &ordered;
                scope.spawn(move || {
                    (worker..800)
                        .step_by(8)
                        .for_each(|n| assert_eq!(ordered.write(n, &[n as u8]), Go::On))
                });
            }
        });
        ordered.finish().unwrap().finish().unwrap();
        assert_eq!(
            std::fs::read(path).unwrap(),
            (0..800).map(|n| n as u8).collect::<Vec<_>>()
        );
    }

    #[test]
    fn nobody_waits_for_a_worker_that_panicked() {
        let directory = tempfile::tempdir().unwrap();
        let ordered = Ordered::new(Output::open(Some(&directory.path().join("out"))).unwrap());
        thread::scope(|scope| {
            scope.spawn(|| assert_eq!(ordered.write(1, b"second"), Go::Stop));
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                let _guard = ordered.guard();
                std::panic::resume_unwind(Box::new("the first chunk never comes"));
            }));
            assert!(panicked.is_err());
        });
    }
}
