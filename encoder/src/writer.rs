//! Rows, written in large pieces.

use std::collections::HashSet;
use std::io::{Error, ErrorKind, Result, Write};
use std::mem;

use crate::buffer::by_itself;
use crate::{Buffer, Json, Literal, Text, Value};

/// The number of bytes that are written at once, or a row more.
const PIECE_BYTES: usize = 128 << 10;

type Encode = dyn Fn(Value<'_>, &mut Buffer);

/// Writes rows as JSON. A row has one value for each key, in their order.
///
/// Rows wait in memory until they are 128 KiB. [`RowWriter::finish`] writes the last of them. Drop the writer without it, and they are
/// lost. Keys of up to 60 bytes are fast.
pub struct RowWriter<W> {
    columns: Vec<(Literal, Option<Box<Encode>>)>,
    is_array: bool,
    after_row: Literal,
    /// None after a failed write or a panic: the end of the output is unknown.
    buffer: Option<Buffer>,
    out: W,
    rows: u64,
}

impl<W: Write> RowWriter<W> {
    /// Returns a writer of one object a line.
    ///
    /// # Errors
    /// Invalid input, if there are no keys, or two are the same.
    pub fn lines(keys: impl IntoIterator<Item: Into<String>>, out: W) -> Result<Self> {
        let (mut columns, mut known) = (Vec::new(), HashSet::new());
        let mut before = &b"{"[..];
        for key in keys {
            let key = key.into();
            columns.push((Literal::key(mem::replace(&mut before, b","), &key), None));
            if let Some(key) = known.replace(key) {
                let what = format!("the key {key:?} is there twice");
                return Err(Error::new(ErrorKind::InvalidInput, what));
            }
        }
        if columns.is_empty() {
            return Err(Error::new(ErrorKind::InvalidInput, "there are no keys"));
        }
        Ok(RowWriter {
            columns,
            is_array: false,
            after_row: Literal::new(b"}\n"),
            buffer: Some(Buffer::default()),
            out,
            rows: 0,
        })
    }

    /// Returns a writer of one array, with an object on each line. Errors: as [`RowWriter::lines`].
    pub fn array(keys: impl IntoIterator<Item: Into<String>>, out: W) -> Result<Self> {
        let mut rows = RowWriter::lines(keys, out)?;
        let key = &mut rows.columns[0].0;
        *key = Literal::new(&[b",\n", key.bytes()].concat());
        (rows.is_array, rows.after_row) = (true, Literal::new(b"}"));
        Ok(rows)
    }

    /// Encodes the values of the `nth` key with `encode`, which appends the JSON of any kind. Panics if there is no such key.
    pub fn encoded_by(mut self, nth: usize, encode: impl Fn(Value, &mut Buffer) + 'static) -> Self {
        self.columns[nth].1 = Some(Box::new(encode));
        self
    }

    /// Writes a row.
    ///
    /// # Errors
    /// - Invalid input, if the row has more or fewer values than there are keys. Nothing of it is written, and the next row can be.
    /// - The error of the output. Every later call is an error too.
    #[inline]
    pub fn write_row<'v>(&mut self, row: impl IntoIterator<Item: Into<Value<'v>>>) -> Result<()> {
        // The length of a buffer that no other function sees is in a register.
        let mut buffer = self.buffer.take().ok_or_else(failed)?;
        let (start, keys) = (buffer.len(), self.columns.len());
        let (mut row, mut values) = (row.into_iter(), 0);
        for ((key, encode), value) in self.columns.iter().zip(&mut row) {
            values += 1;
            if let Some(encode) = encode {
                buffer.push_value(Json, key, Value::Raw(Text::from("")));
                buffer = by_itself(buffer, |buffer| encode(value.into(), buffer));
            } else {
                buffer.push_value(Json, key, value.into());
            }
        }
        if values == keys {
            values += row.count();
        }
        buffer.push_literal(&self.after_row);
        let buffer = self.buffer.insert(buffer);
        if values != keys {
            buffer.truncate(start);
            let what = format!("row {} has {values} values for {keys} keys", self.rows);
            return Err(Error::new(ErrorKind::InvalidInput, what));
        }
        if self.is_array && self.rows == 0 {
            buffer.memory[0] = b'[';
        }
        self.rows += 1;
        if buffer.len() >= PIECE_BYTES {
            self.write()?;
        }
        Ok(())
    }

    /// Writes the remaining rows, and returns the output.
    ///
    /// # Errors
    /// If the output fails, or has failed before.
    pub fn finish(mut self) -> Result<W> {
        let buffer = self.buffer.as_mut().ok_or_else(failed)?;
        buffer.extend_from_slice(match (self.is_array, self.rows) {
            (false, _) => b"",
            (true, 0) => b"[]\n",
            (true, _) => b"\n]\n",
        });
        self.write()?;
        self.out.flush()?;
        Ok(self.out)
    }

    #[inline(never)]
    fn write(&mut self) -> Result<()> {
        let mut buffer = self.buffer.take().ok_or_else(failed)?;
        self.out.write_all(&buffer)?;
        buffer.clear(4 * PIECE_BYTES);
        self.buffer = Some(buffer);
        Ok(())
    }
}

fn failed() -> Error {
    Error::other("an earlier row or write failed")
}
