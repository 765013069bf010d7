//! Streams of Apache Arrow's IPC format.
//!
//! Every batch of rows is a message for itself, because text stays plain: there are no dictionaries to share.

use std::collections::HashMap;
use std::io::Write;
use std::mem;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Date32Type, Decimal128Type, Int64Type};
use arrow_array::{ArrayRef, PrimitiveArray, RecordBatch, StringArray};
use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_ipc::writer::StreamEncoder;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use super::block::Cells;
use super::lanes::{Encoder, GroupSize, GroupWriter};
use super::sink::Sink;
use super::{Column, ColumnKind, EmptyText, Layout, values};
use crate::error::{Error, ErrorKind};
use crate::fec::trimmed;
use crate::scan::Cell;

/// The size of a batch: some 10 MiB of cells of indiv. Offsets of text have 31 bits.
pub(super) const GROUP: GroupSize = GroupSize {
    rows: 1 << 16,
    bytes: 32 << 20,
};

/// Returns the encoders of the columns, and the stream.
pub(super) fn open<W: Write + Send>(
    layout: &Layout,
    out: W,
) -> Result<(Vec<ArrayEncoder>, ArrowStream<W>), Error> {
    let fields = layout
        .columns
        .iter()
        .map(|column| field(column, layout.empty_text));
    let fields: Vec<Field> = fields.collect();
    let encoders = fields.iter().zip(&layout.columns);
    let encoders = encoders.map(|(field, column)| ArrayEncoder::new(field, column.kind));
    let encoders = encoders.collect();
    let metadata: HashMap<_, _> = layout.metadata.iter().cloned().collect();
    let schema = Schema::new_with_metadata(fields, metadata);
    let encoder = StreamEncoder::try_new(&schema).map_err(refused)?;
    let stream = ArrowStream {
        schema: Arc::new(schema),
        encoder,
        out: Sink::new(out),
    };
    Ok((encoders, stream))
}

fn field(column: &Column, empty_text: EmptyText) -> Field {
    let data = match column.kind {
        ColumnKind::Text => DataType::Utf8,
        ColumnKind::Amount => decimal(values::AMOUNT_PRECISION),
        ColumnKind::Sum => decimal(values::SUM_PRECISION),
        ColumnKind::Date => DataType::Date32,
        ColumnKind::Integer => DataType::Int64,
    };
    let is_nullable = (column.kind, empty_text) != (ColumnKind::Text, EmptyText::Keep);
    Field::new(&column.name, data, is_nullable)
}

fn decimal(precision: i32) -> DataType {
    DataType::Decimal128(precision as u8, values::SCALE as i8)
}

fn refused(error: ArrowError) -> Error {
    Error::new(ErrorKind::Output, error.to_string())
}

/// Makes arrays of a column.
pub(super) struct ArrayEncoder {
    kind: ColumnKind,
    is_nullable: bool,
    present: BooleanBufferBuilder,
    /// The bytes of texts.
    bytes: Vec<u8>,
    /// Where each text ends.
    ends: Vec<i32>,
    numbers: Vec<i64>,
    sums: Vec<i128>,
    unreadable: u64,
}

impl ArrayEncoder {
    fn new(field: &Field, kind: ColumnKind) -> ArrayEncoder {
        ArrayEncoder {
            kind,
            is_nullable: field.is_nullable(),
            present: BooleanBufferBuilder::new(0),
            bytes: Vec::new(),
            ends: vec![0],
            numbers: Vec::new(),
            sums: Vec::new(),
            unreadable: 0,
        }
    }

    fn push_text(&mut self, cells: &Cells, rows: Range<usize>) -> Result<(), Error> {
        self.bytes.extend_from_slice(cells.bytes_of(rows.clone()));
        let too_long = || Error::new(ErrorKind::Output, "texts of a batch have 2 GiB or more");
        let mut end = *self.ends.last().expect("the first begins somewhere");
        i32::try_from(self.bytes.len()).map_err(|_| too_long())?;
        self.ends.extend(cells.iter(rows.clone()).map(|cell| {
            end += cell.len() as i32;
            end
        }));
        if self.is_nullable {
            for cell in cells.iter(rows) {
                self.present.append(!cell.is_empty());
            }
        }
        Ok(())
    }

    /// Adds what `read` makes of cells to a list of values.
    fn push_values<T: Default>(
        &mut self,
        cells: &Cells,
        rows: Range<usize>,
        values: fn(&mut ArrayEncoder) -> &mut Vec<T>,
        read: impl Fn(Cell<'_>) -> Option<T>,
    ) {
        for cell in cells.iter(rows) {
            let value = read(cell);
            self.present.append(value.is_some());
            self.unreadable += u64::from(value.is_none() && !trimmed(&cell).is_empty());
            values(self).push(value.unwrap_or_default());
        }
    }

    fn take_text(&mut self, present: Option<NullBuffer>) -> Result<StringArray, ArrowError> {
        let ends = mem::replace(&mut self.ends, vec![0]);
        let bytes = Buffer::from_vec(mem::take(&mut self.bytes));
        let ends = OffsetBuffer::new(ScalarBuffer::from(ends));
        StringArray::try_new(ends, bytes, present)
    }

    fn take_numbers<T: ArrowPrimitiveType>(
        &mut self,
        present: Option<NullBuffer>,
        value: impl Fn(i64) -> T::Native,
    ) -> PrimitiveArray<T> {
        let values: Vec<T::Native> = self.numbers.drain(..).map(value).collect();
        PrimitiveArray::new(ScalarBuffer::from(values), present)
    }
}

impl Encoder for ArrayEncoder {
    type Chunk = ArrayRef;

    fn push(&mut self, cells: &Cells, rows: Range<usize>) -> Result<(), Error> {
        let numbers: fn(&mut ArrayEncoder) -> &mut Vec<i64> = |array| &mut array.numbers;
        match self.kind {
            ColumnKind::Sum => self.push_values(cells, rows, |array| &mut array.sums, values::sum),
            ColumnKind::Amount => self.push_values(cells, rows, numbers, values::amount),
            ColumnKind::Date => self.push_values(cells, rows, numbers, values::day),
            ColumnKind::Integer => self.push_values(cells, rows, numbers, values::integer),
            ColumnKind::Text => match cells.decoded(rows.clone()) {
                None => self.push_text(cells, rows)?,
                Some(decoded) => self.push_text(&decoded, 0..decoded.len())?,
            },
        }
        Ok(())
    }

    fn finish_chunk(&mut self) -> Result<ArrayRef, Error> {
        let present = if self.is_nullable {
            Some(NullBuffer::new(self.present.finish()))
        } else {
            None
        };
        let present = present.filter(|present| present.null_count() > 0);
        Ok(match self.kind {
            ColumnKind::Text => Arc::new(self.take_text(present).map_err(refused)?),
            ColumnKind::Integer => Arc::new(self.take_numbers::<Int64Type>(present, |v| v)),
            ColumnKind::Date => Arc::new(self.take_numbers::<Date32Type>(present, |v| v as i32)),
            ColumnKind::Amount => {
                let amounts = self.take_numbers::<Decimal128Type>(present, i128::from);
                Arc::new(amounts.with_data_type(decimal(values::AMOUNT_PRECISION)))
            }
            ColumnKind::Sum => {
                let sums = ScalarBuffer::from(mem::take(&mut self.sums));
                let sums = PrimitiveArray::<Decimal128Type>::new(sums, present);
                Arc::new(sums.with_data_type(decimal(values::SUM_PRECISION)))
            }
        })
    }

    fn unreadable(&self) -> u64 {
        self.unreadable
    }
}

/// A stream that is being written.
pub(super) struct ArrowStream<W: Write> {
    schema: SchemaRef,
    encoder: StreamEncoder,
    out: Sink<W>,
}

impl<W: Write> ArrowStream<W> {
    fn write_buffers(&mut self, buffers: &[Buffer]) -> Result<(), Error> {
        for buffer in buffers {
            let written = self.out.write_all(buffer);
            written.map_err(|error| self.out.error(error))?;
        }
        Ok(())
    }
}

impl<W: Write + Send> GroupWriter for ArrowStream<W> {
    type Chunk = ArrayRef;

    fn write(&mut self, _rows: usize, chunks: Vec<ArrayRef>) -> Result<(), Error> {
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
