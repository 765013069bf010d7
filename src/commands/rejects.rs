//! The output of `--rejects`: rows that break the schema, written while inputs are read.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fecscan::error::{Error, escaped_lines};
use fecscan::fold::OddRow;
use fecscan::output::Output;
use fecscan::render::rejects;

use super::outputs;

/// Bytes are written when there are this many.
const BUFFER_BYTES: usize = 1 << 20;

/// A file of odd rows, which workers write to in turn.
#[derive(Debug)]
pub(super) struct Rejects {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    output: Output,
    buffer: Vec<u8>,
    /// The end of the rows of all inputs that were read whole.
    mark: u64,
    /// A reader that went away is no error, but gets nothing more.
    is_broken: bool,
}

impl Rejects {
    pub(super) fn new(path: &Path, output: Output) -> Rejects {
        Rejects {
            path: path.to_owned(),
            state: Mutex::new(State {
                output,
                buffer: rejects::header(),
                mark: 0,
                is_broken: false,
            }),
        }
    }

    /// Writes `row`, whose bytes are `text`.
    pub(super) fn add(&self, row: &OddRow, text: &[u8]) -> Result<(), Error> {
        let mut state = self.lock();
        rejects::push(row, text, &mut state.buffer);
        match state.buffer.len() < BUFFER_BYTES {
            true => Ok(()),
            false => state.flush(),
        }
    }

    /// Keeps the rows of an input that was read whole, or takes back those of one that failed. Rows
    /// that went to a pipe stay there.
    pub(super) fn end_input(&self, was_read: bool) -> Result<(), Error> {
        let mut state = self.lock();
        let mark = state.mark;
        match was_read {
            true => state.flush()?,
            false => {
                // The header alone may still wait.
                let waiting = if mark == 0 {
                    rejects::header()
                } else {
                    Vec::new()
                };
                state.buffer = waiting;
                state.output.truncate_to(mark)?;
            }
        }
        state.mark = state.output.mark();
        Ok(())
    }

    /// Puts the file in its place.
    pub(super) fn finish(self) -> Result<(), Error> {
        let state = self.state.into_inner();
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        let written = state.flush().and_then(|()| state.output.finish());
        outputs::ignore_broken_pipe(written).map_err(|e| e.about(self.path))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn flush(&mut self) -> Result<(), Error> {
        let written = match self.output.is_terminal() {
            _ if self.is_broken => Ok(()),
            true => self.output.write_all(&escaped_lines(&self.buffer)),
            false => self.output.write_all(&self.buffer),
        };
        self.buffer.clear();
        self.is_broken |= written.as_ref().is_err_and(Error::is_closed_pipe);
        outputs::ignore_broken_pipe(written)
    }
}
