//! The output of `--rejects`: rows that break the schema, as CSV, written while inputs are read.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Error, escaped_lines};
use crate::fold::OddRow;
use crate::output::Output;
use crate::render::TableFormat;

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
    /// The first failure to write. The result does not depend on it, so the run goes on.
    failed: Option<Error>,
}

/// Returns the first line. It waits for an input that was read whole.
fn header() -> Vec<u8> {
    let mut header = Vec::new();
    TableFormat::Csv.push_header(&mut header, &["file", "line", "byte", "columns", "text"]);
    header
}

impl Rejects {
    pub(super) fn new(path: &Path, output: Output) -> Rejects {
        let state = State {
            output: output.escaped_by(Some(escaped_lines)),
            buffer: header(),
            mark: 0,
            failed: None,
        };
        Rejects {
            path: path.to_owned(),
            state: Mutex::new(state),
        }
    }

    /// Writes `row`, whose bytes without the line end are `text`.
    pub(super) fn add(&self, row: &OddRow, text: &[u8]) {
        let mut state = self.lock();
        let [line, byte, columns] = [row.line, row.byte, row.columns].map(|n| n.to_string());
        let [line, byte, columns] = [&line, &byte, &columns].map(|text| text.as_bytes());
        let fields = [row.path.as_bytes(), line, byte, columns, text];
        TableFormat::Csv.push_row(&mut state.buffer, &fields);
        if state.buffer.len() >= BUFFER_BYTES {
            state.flush();
        }
    }

    /// Keeps the rows of a whole input, or takes back the rows of a failed one. Rows that went to a
    /// pipe stay there.
    pub(super) fn end_input(&self, was_read: bool) {
        let mut state = self.lock();
        if was_read {
            state.flush();
        } else {
            let mark = state.mark;
            state.buffer = if mark == 0 { header() } else { Vec::new() };
            if let Err(error) = state.output.truncate_to(mark) {
                state.failed.get_or_insert(error);
            }
        }
        state.mark = state.output.mark();
    }

    /// Puts the file in its place.
    pub(super) fn finish(self) -> Result<(), Error> {
        let state = self.state.into_inner();
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.flush();
        let written = state.failed.map_or_else(|| state.output.finish(), Err);
        outputs::ignore_broken_pipe(written).map_err(|e| e.about(self.path))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn flush(&mut self) {
        let written = if self.failed.is_some() {
            Ok(())
        } else {
            self.output.write_all(&self.buffer)
        };
        self.buffer.clear();
        self.failed = self.failed.take().or(written.err());
    }
}
