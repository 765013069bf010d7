//! Batches of rows, whose columns are encoded by many workers.
//!
//! One batch is encoded while workers gather the next one. So memory is bounded, also while the output stalls.

use std::io::Write;
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use arrow_schema::{Schema, SchemaRef};

use super::arrow::{ArrowStream, Batch};
use super::block::{Block, Cells};
use super::{BATCH, ColumnarFormat, Encoder, File, Size, arrays, parquet};
use crate::engine::Engine;
use crate::error::{Error, ErrorKind};

/// Writes blocks of rows as a file of columns.
pub(crate) struct ColumnarWriter<'w> {
    queue: Box<dyn Work + 'w>,
    columns: usize,
}

/// What a finished file has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Written {
    /// The number of rows.
    pub(crate) rows: u64,
    /// For each column the number of cells that are not blank and could not be read. They have no value.
    pub(crate) unreadable: Vec<u64>,
}

impl<'w> ColumnarWriter<'w> {
    /// Returns a writer of the columns of `schema` to `out`.
    pub(crate) fn new(
        schema: Schema,
        format: ColumnarFormat,
        out: impl Write + Send + 'w,
    ) -> Result<ColumnarWriter<'w>, Error> {
        let schema = Arc::new(schema);
        let columns = schema.fields().len();
        let queue: Box<dyn Work + 'w> = match format {
            ColumnarFormat::Parquet(compression) => {
                let (encoders, file) = parquet::open(&schema, compression, out)?;
                Box::new(Queue::new(schema, encoders, file, parquet::GROUP))
            }
            ColumnarFormat::Arrow => {
                let stream = ArrowStream::new(schema.clone(), out)?;
                let encoders = (0..columns).map(|_| Batch::default()).collect();
                Box::new(Queue::new(schema, encoders, stream, BATCH))
            }
        };
        Ok(ColumnarWriter { queue, columns })
    }

    /// Returns a block without rows.
    pub(crate) fn block(&self) -> Block {
        Block::new(self.columns)
    }

    /// Takes the rows of `block`, and leaves it empty. They follow the rows of all blocks before, so blocks come one at a
    /// time. Waits, or encodes, while a full batch would be too many.
    ///
    /// # Errors
    /// If the output fails. Only one worker gets the error.
    pub(crate) fn push(&self, block: &mut Block) -> Result<(), Error> {
        self.queue.push(block)
    }

    /// Encodes and writes until nothing is to be begun. Workers call it now and then, at the same time.
    ///
    /// # Errors
    /// If the output fails. Only one worker gets the error.
    pub(crate) fn work(&self) -> Result<(), Error> {
        self.queue.work()
    }

    /// Ends the file, with the help of all workers of `engine`.
    ///
    /// # Errors
    /// If the output fails.
    pub(crate) fn finish(self, engine: &Engine) -> Result<Written, Error> {
        self.queue.end()?;
        let worked = engine.on_workers(|_| self.queue.work());
        worked.into_iter().collect::<Result<(), _>>()?;
        self.queue.finish()
    }
}

/// A [`Queue`] of any format.
trait Work: Send + Sync {
    fn push(&self, block: &mut Block) -> Result<(), Error>;
    /// Takes no more rows.
    fn end(&self) -> Result<(), Error>;
    fn work(&self) -> Result<(), Error>;
    /// Ends the file when all has been encoded.
    fn finish(self: Box<Self>) -> Result<Written, Error>;
}

struct Queue<E: Encoder, F> {
    schema: SchemaRef,
    encoders: Vec<Mutex<E>>,
    file: Mutex<F>,
    size: Size,
    state: Mutex<State<E::Chunk>>,
    /// A batch has begun or is done, or work has failed.
    changed: Condvar,
}

struct State<C> {
    /// The rows so far of the next batch.
    next: Block,
    /// How much the group has so far, with the next batch.
    group: Size,
    /// The columns of the batch that no worker has taken, the longest last.
    waiting: Vec<(usize, Cells)>,
    /// The number of its columns that are not yet encoded. The last one counts until the group is written.
    missing: usize,
    ends_group: bool,
    /// The columns of the group, if the batch ends it.
    chunks: Vec<Option<C>>,
    has_failed: bool,
    sum: Written,
}

const ALONE: &str = "a job is done by one worker, and nothing follows a panic";

impl<E: Encoder, F: File<Chunk = E::Chunk>> Queue<E, F> {
    fn new(schema: SchemaRef, encoders: Vec<E>, file: F, size: Size) -> Queue<E, F> {
        let columns = encoders.len();
        let sum = Written {
            rows: 0,
            unreadable: vec![0; columns],
        };
        let state = State {
            next: Block::new(columns),
            group: Size::default(),
            waiting: Vec::new(),
            missing: 0,
            ends_group: false,
            chunks: Vec::new(),
            has_failed: false,
            sum,
        };
        Queue {
            schema,
            encoders: encoders.into_iter().map(Mutex::new).collect(),
            file: Mutex::new(file),
            size,
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<E::Chunk>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Encodes columns until no more wait. Then waits until `is_enough`.
    fn work_until(&self, is_enough: impl Fn(&State<E::Chunk>) -> bool) -> Result<(), Error> {
        let mut state = self.lock();
        while !state.has_failed {
            if let Some((column, cells)) = state.waiting.pop() {
                let ends_group = state.ends_group;
                drop(state);
                let fails = FailAtDrop(self);
                self.encode(column, cells, ends_group)?;
                mem::forget(fails);
                state = self.lock();
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
        let mut encoder = self.encoders[column].lock().expect(ALONE);
        if cells.len() > 0 {
            let field = self.schema.field(column);
            encoder.push(arrays::array(field, cells, &mut unreadable))?;
        }
        let chunk = ends_group.then(|| encoder.finish_group()).transpose()?;
        let mut state = self.lock();
        state.sum.unreadable[column] += unreadable;
        state.chunks[column] = chunk;
        if state.missing == 1 && ends_group {
            let chunks = mem::take(&mut state.chunks);
            drop(state);
            let chunks = chunks.into_iter().flatten().collect();
            self.file.lock().expect(ALONE).write(chunks)?;
            state = self.lock();
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
        let mut state = self.lock();
        let columns = self.encoders.len();
        let next = state.next.emptied();
        let full = mem::replace(&mut state.next, next);
        state.waiting.extend(full.columns.into_iter().enumerate());
        state.waiting.sort_by_key(|(_, cells)| cells.bytes().len());
        state.missing = columns;
        state.ends_group = ends_group;
        state.chunks = (0..columns).map(|_| None).collect();
        if ends_group {
            state.group = Size::default();
        }
        self.changed.notify_all();
        Ok(())
    }
}

impl<E: Encoder, F: File<Chunk = E::Chunk>> Work for Queue<E, F> {
    fn push(&self, block: &mut Block) -> Result<(), Error> {
        let mut pushed = 0;
        while pushed < block.rows() {
            let mut state = self.lock();
            if state.has_failed {
                break;
            }
            let (next, group) = (&state.next, state.group);
            let rows_left = (BATCH.rows - next.rows()).min(self.size.rows - group.rows);
            let bytes = next.bytes_of(0..next.rows());
            let bytes_left = (BATCH.bytes - bytes).min(self.size.bytes - group.bytes);
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
                let ends_group = group.rows == self.size.rows || group.bytes >= self.size.bytes;
                self.begin_batch(ends_group)?;
            }
        }
        block.clear();
        Ok(())
    }

    fn end(&self) -> Result<(), Error> {
        if self.lock().group.rows > 0 {
            self.begin_batch(true)?;
        }
        Ok(())
    }

    fn work(&self) -> Result<(), Error> {
        self.work_until(|_| true)
    }

    fn finish(self: Box<Self>) -> Result<Written, Error> {
        let state = self.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        if state.has_failed || state.missing > 0 {
            let what = "columns of the result are missing";
            return Err(Error::new(ErrorKind::Consistency, what));
        }
        self.file.into_inner().expect(ALONE).finish()?;
        Ok(state.sum)
    }
}

/// Has other workers stop when this one has an error, or panics.
struct FailAtDrop<'q, E: Encoder, F: File<Chunk = E::Chunk>>(&'q Queue<E, F>);

impl<E: Encoder, F: File<Chunk = E::Chunk>> Drop for FailAtDrop<'_, E, F> {
    fn drop(&mut self) {
        self.0.lock().has_failed = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests;
