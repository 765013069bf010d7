//! Streams of Apache Arrow's IPC format.
//!
//! Every batch of rows is a message for itself, because text stays plain: there are no dictionaries to share.

use std::io::Write;
use std::mem;
use std::sync::Mutex;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::writer::StreamEncoder;
use arrow_schema::{ArrowError, SchemaRef};

use super::sink::Sink;
use super::{ALONE, BATCH, GroupFile, Size};
use crate::error::{Error, ErrorKind};

/// A stream that is being written. Every batch is a group.
pub(super) struct ArrowStream<W: Write> {
    schema: SchemaRef,
    /// The columns of a batch.
    batch: Vec<Mutex<Option<ArrayRef>>>,
    stream: Mutex<Stream<W>>,
}

struct Stream<W: Write> {
    encoder: StreamEncoder,
    out: Sink<W>,
}

impl<W: Write> ArrowStream<W> {
    pub(super) fn new(schema: &SchemaRef, out: W) -> Result<ArrowStream<W>, Error> {
        let stream = Stream {
            encoder: StreamEncoder::try_new(schema).map_err(refused)?,
            out: Sink::new(out),
        };
        Ok(ArrowStream {
            schema: schema.clone(),
            batch: schema.fields().iter().map(|_| Mutex::default()).collect(),
            stream: Mutex::new(stream),
        })
    }
}

impl<W: Write> Stream<W> {
    fn write(&mut self, buffers: &[Buffer]) -> Result<(), Error> {
        for buffer in buffers {
            let written = self.out.write_all(buffer);
            written.map_err(|error| self.out.error(error))?;
        }
        Ok(())
    }
}

fn refused(error: ArrowError) -> Error {
    Error::new(ErrorKind::Output, error.to_string())
}

impl<W: Write + Send> GroupFile for ArrowStream<W> {
    fn group_size(&self) -> Size {
        BATCH
    }

    fn push(&self, column: usize, array: ArrayRef) -> Result<(), Error> {
        *self.batch[column].lock().expect(ALONE) = Some(array);
        Ok(())
    }

    fn end_column(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }

    fn write_group(&self) -> Result<(), Error> {
        let columns = self.batch.iter();
        let columns = columns.filter_map(|column| column.lock().expect(ALONE).take());
        let batch = RecordBatch::try_new(self.schema.clone(), columns.collect());
        let stream = &mut *self.stream.lock().expect(ALONE);
        let buffers = stream.encoder.encode(&batch.map_err(refused)?);
        stream.write(&buffers.map_err(refused)?)
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        let mut stream = self.stream.into_inner().expect(ALONE);
        let encoder = StreamEncoder::try_new(&self.schema).map_err(refused)?;
        let encoder = mem::replace(&mut stream.encoder, encoder);
        stream.write(&encoder.finish().map_err(refused)?)?;
        let flushed = stream.out.flush();
        flushed.map_err(|error| stream.out.error(error))
    }
}
