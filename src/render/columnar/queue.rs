//! Batches of rows, whose columns are encoded by many workers.
//!
//! One batch is encoded while workers gather the next one. So memory is bounded, also while the output stalls.

use std::io::Write;
use std::mem;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use arrow_schema::{Schema, SchemaRef};

use super::arrays::{self, CellReading};
use super::block::{Block, Cells};
use super::{BATCH, Compression, GroupFile, Size};
use crate::error::{Error, ErrorKind};
use crate::render::Format;
use crate::workers::{Workers, lock, unlocked};

/// Writes blocks of rows as a file of columns.
pub(crate) struct ColumnarWriter<'w> {
    schema: SchemaRef,
    /// How the cells of each column are read.
    readings: Vec<CellReading>,
    file: Box<dyn GroupFile + 'w>,
    state: Mutex<State>,
    /// A batch has begun or is done, or work has failed.
    changed: Condvar,
}

/// What a finished file has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Written {
    pub(crate) rows: u64,
    /// For each column the number of cells that are not blank and could not be read. They have no value.
    pub(crate) unreadable: Vec<u64>,
}

struct State {
    /// The rows so far of the next batch.
    next: Block,
    /// How much the group has so far, with the next batch.
    group: Size,
    /// The columns of the batch that no worker has taken, the longest last.
    waiting: Vec<(usize, Cells)>,
    /// The number of its columns that are not yet encoded. The last one counts until the group is written.
    missing: usize,
    ends_group: bool,
    has_failed: bool,
    sum: Written,
}

impl<'w> ColumnarWriter<'w> {
    pub(crate) fn new(
        schema: Schema,
        readings: Vec<CellReading>,
        format: Format,
        compression: Compression,
        out: impl Write + Send + 'w,
    ) -> Result<ColumnarWriter<'w>, Error> {
        let schema = Arc::new(schema);
        let file = super::open(&schema, format, compression, out)?;
        Ok(ColumnarWriter::with_file(schema, readings, file))
    }

    fn with_file(
        schema: SchemaRef,
        readings: Vec<CellReading>,
        file: Box<dyn GroupFile + 'w>,
    ) -> ColumnarWriter<'w> {
        let columns = schema.fields().len();
        let state = State {
            next: Block::new(columns),
            group: Size::default(),
            waiting: Vec::new(),
            missing: 0,
            ends_group: false,
            has_failed: false,
            sum: Written {
                rows: 0,
                unreadable: vec![0; columns],
            },
        };
        ColumnarWriter {
            schema,
            readings,
            file,
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    pub(crate) fn block(&self) -> Block {
        Block::new(self.schema.fields().len())
    }

    /// Ends the file, with the help of all workers.
    pub(crate) fn finish(self, workers: &Workers) -> Result<Written, Error> {
        self.end()?;
        let worked = workers.on_each(|_| self.work());
        worked.into_iter().collect::<Result<(), _>>()?;
        self.close()
    }

    /// Encodes columns until no more wait. Then waits until `is_enough`.
    fn work_until(&self, is_enough: impl Fn(&State) -> bool) -> Result<(), Error> {
        let mut state = lock(&self.state);
        while !state.has_failed {
            if let Some((column, cells)) = state.waiting.pop() {
                let ends_group = state.ends_group;
                drop(state);
                let fails = FailAtDrop(self);
                self.encode(column, cells, ends_group)?;
                mem::forget(fails);
                state = lock(&self.state);
            } else if is_enough(&state) {
                break;
            } else {
                let waited = self.changed.wait(state);
                state = waited.unwrap_or_else(PoisonError::into_inner);
            }
        }
        Ok(())
    }

    /// Encodes a column of the batch. After the last one, writes the group that has ended.
    fn encode(&self, column: usize, cells: Cells, ends_group: bool) -> Result<(), Error> {
        let mut unreadable = 0;
        if cells.len() > 0 {
            let field = self.schema.field(column);
            let array = arrays::array(field, self.readings[column], cells, &mut unreadable)?;
            self.file.push(column, array)?;
        }
        if ends_group {
            self.file.end_column(column)?;
        }
        let mut state = lock(&self.state);
        state.sum.unreadable[column] += unreadable;
        if state.missing == 1 && ends_group {
            drop(state);
            self.file.write_group()?;
            state = lock(&self.state);
        }
        state.missing -= 1;
        if state.missing == 0 {
            self.changed.notify_all();
        }
        Ok(())
    }

    /// Has workers encode the next batch, once they have done with the one before.
    fn begin_batch(&self, ends_group: bool) -> Result<(), Error> {
        self.work_until(|state| state.missing == 0)?;
        let mut state = lock(&self.state);
        let next = state.next.emptied();
        let full = mem::replace(&mut state.next, next);
        state.waiting.extend(full.columns.into_iter().enumerate());
        state.waiting.sort_by_key(|(_, cells)| cells.bytes().len());
        state.missing = state.waiting.len();
        state.ends_group = ends_group;
        if ends_group {
            state.group = Size::default();
        }
        self.changed.notify_all();
        Ok(())
    }

    /// Takes the rows of `block`, and leaves it empty. They follow the rows of all blocks before, so blocks come one at a
    /// time. Waits, or encodes, while a full batch would be too many. Only one worker gets an error of the output.
    pub(crate) fn push(&self, block: &mut Block) -> Result<(), Error> {
        let mut pushed = 0;
        while pushed < block.rows() {
            let size = self.file.group_size();
            let mut state = lock(&self.state);
            if state.has_failed {
                break;
            }
            let (next, group) = (&state.next, state.group);
            let rows_left = (BATCH.rows - next.rows()).min(size.rows - group.rows);
            let bytes = next.bytes_of(0..next.rows());
            let bytes_left = (BATCH.bytes - bytes).min(size.bytes - group.bytes);
            let most = block.rows().min(pushed + rows_left);
            let fills = |end: &usize| block.bytes_of(pushed..*end) >= bytes_left;
            let mut ends = pushed + 1..=most;
            let end = if fills(&most) { ends.find(fills) } else { None };
            let is_full = end.is_some() || most == pushed + rows_left;
            let rows = pushed..end.unwrap_or(most);
            pushed = rows.end;
            state.next.append(block, rows.clone());
            state.sum.rows += rows.len() as u64;
            state.group.rows += rows.len();
            state.group.bytes += block.bytes_of(rows);
            let group = state.group;
            drop(state);
            if is_full {
                let ends_group = group.rows == size.rows || group.bytes >= size.bytes;
                self.begin_batch(ends_group)?;
            }
        }
        block.clear();
        Ok(())
    }

    /// Takes no more rows.
    fn end(&self) -> Result<(), Error> {
        if lock(&self.state).group.rows > 0 {
            self.begin_batch(true)?;
        }
        Ok(())
    }

    /// Encodes and writes until nothing is to be begun. Workers call it now and then, at the same time. Only one of them gets an
    /// error of the output.
    pub(crate) fn work(&self) -> Result<(), Error> {
        self.work_until(|_| true)
    }

    /// Ends the file when all has been encoded.
    fn close(self) -> Result<Written, Error> {
        let state = unlocked(self.state);
        if state.has_failed || state.missing > 0 {
            let what = "columns of the result are missing";
            return Err(Error::new(ErrorKind::Consistency, what));
        }
        self.file.finish()?;
        Ok(state.sum)
    }
}

/// Has other workers stop when this one has an error, or panics.
struct FailAtDrop<'q>(&'q ColumnarWriter<'q>);

impl Drop for FailAtDrop<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).has_failed = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests;
