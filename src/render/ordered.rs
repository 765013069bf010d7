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
        };
        Ordered {
            state: Mutex::new(state),
            turn: Condvar::new(),
        }
    }

    /// Writes the chunk `number`, when it is its turn.
    pub fn write(&self, number: u64, chunk: &[u8]) -> Go {
        let mut state = self.lock();
        while state.next != number && state.failed.is_none() {
            state = self
                .turn
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if state.failed.is_none() {
            match state.output.write_all(chunk) {
                Ok(()) => state.next += 1,
                Err(error) => state.failed = Some(error),
            }
        }
        let go = if state.failed.is_some() {
            Go::Stop
        } else {
            Go::On
        };
        drop(state);
        self.turn.notify_all();
        go
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
