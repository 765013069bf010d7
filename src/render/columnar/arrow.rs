//! Streams of Apache Arrow's IPC format.
//!
//! Every batch of rows is a message for itself, because text stays plain: there are no dictionaries to share.

use std::io::Write;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::writer::StreamEncoder;
use arrow_schema::SchemaRef;

use super::BatchFile;
use super::sink::{Sink, error_of, refused, sink};
use crate::error::Error;

pub(super) struct ArrowStream<W: Write> {
    schema: SchemaRef,
    encoder: StreamEncoder,
    out: Sink<W>,
}

impl<W: Write> ArrowStream<W> {
    pub(super) fn new(schema: &SchemaRef, out: W) -> Result<ArrowStream<W>, Error> {
        Ok(ArrowStream {
            schema: schema.clone(),
            encoder: StreamEncoder::try_new(schema).map_err(refused)?,
            out: sink(out),
        })
    }
}

impl<W: Write + Send> BatchFile for ArrowStream<W> {
    fn write(&mut self, columns: Vec<ArrayRef>) -> Result<(), Error> {
        let batch = RecordBatch::try_new(self.schema.clone(), columns);
        let buffers = self.encoder.encode(&batch.map_err(refused)?);
        write(&buffers.map_err(refused)?, &mut self.out)
    }

    fn finish(mut self) -> Result<(), Error> {
        write(&self.encoder.finish().map_err(refused)?, &mut self.out)?;
        let flushed = self.out.flush();
        flushed.map_err(|error| error_of(&mut self.out, error))
    }
}

fn write<W: Write>(buffers: &[Buffer], out: &mut Sink<W>) -> Result<(), Error> {
    let mut buffers = buffers.iter();
    let written = buffers.try_for_each(|buffer| out.write_all(buffer));
    written.map_err(|error| error_of(out, error))
}
