//! Streams of Apache Arrow's IPC format.
//!
//! Every batch of rows is a message for itself, because text stays plain: there are no dictionaries to share.

use std::io::Write;
use std::mem;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::writer::StreamEncoder;
use arrow_schema::{ArrowError, SchemaRef};

use super::sink::Sink;
use super::{Encoder, File};
use crate::error::{Error, ErrorKind};

/// A column of a batch, which is a group for itself. It stays as it is.
#[derive(Default)]
pub(super) struct Batch(Option<ArrayRef>);

impl Encoder for Batch {
    type Chunk = ArrayRef;

    fn push(&mut self, array: ArrayRef) -> Result<(), Error> {
        self.0 = Some(array);
        Ok(())
    }

    fn finish_group(&mut self) -> Result<ArrayRef, Error> {
        Ok(self.0.take().expect("no group is without rows"))
    }
}

/// A stream that is being written.
pub(super) struct ArrowStream<W: Write> {
    schema: SchemaRef,
    encoder: StreamEncoder,
    out: Sink<W>,
}

impl<W: Write> ArrowStream<W> {
    pub(super) fn new(schema: SchemaRef, out: W) -> Result<ArrowStream<W>, Error> {
        Ok(ArrowStream {
            encoder: StreamEncoder::try_new(&schema).map_err(refused)?,
            schema,
            out: Sink::new(out),
        })
    }

    fn write_buffers(&mut self, buffers: &[Buffer]) -> Result<(), Error> {
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

impl<W: Write + Send> File for ArrowStream<W> {
    type Chunk = ArrayRef;

    fn write(&mut self, chunks: Vec<ArrayRef>) -> Result<(), Error> {
        let batch = RecordBatch::try_new(self.schema.clone(), chunks).map_err(refused)?;
        let buffers = self.encoder.encode(&batch).map_err(refused)?;
        self.write_buffers(&buffers)
    }

    fn finish(mut self) -> Result<(), Error> {
        let encoder = StreamEncoder::try_new(&self.schema).map_err(refused)?;
        let encoder = mem::replace(&mut self.encoder, encoder);
        self.write_buffers(&encoder.finish().map_err(refused)?)?;
        let flushed = self.out.flush();
        flushed.map_err(|error| self.out.error(error))
    }
}
