//! Rows, written in large pieces.

use std::collections::HashSet;
use std::io::{self, Write};
use std::mem;

use crate::{Buffer, Json, Literal, Text, Value};

/// The number of bytes that are written at once, or a row more.
const PIECE_BYTES: usize = 128 << 10;

type Encode = dyn Fn(Value<'_>, &mut Buffer);

/// A key of all rows, and how its values are encoded: by their kind, unless the caller supplies an encoder.
pub struct Column {
    key: String,
    encode: Option<Box<Encode>>,
}

impl Column {
    /// Returns a column for which `encode` appends the JSON of each value, whatever its kind.
    pub fn encoded_by(
        key: impl Into<String>,
        encode: impl Fn(Value<'_>, &mut Buffer) + 'static,
    ) -> Column {
        let (key, encode) = (key.into(), Some(Box::new(encode) as _));
        Column { key, encode }
    }
}

impl<K: Into<String>> From<K> for Column {
    fn from(key: K) -> Column {
        let (key, encode) = (key.into(), None);
        Column { key, encode }
    }
}

/// Writes rows as JSON. A row has one value for each column, in their order.
///
/// Rows wait in memory until they are 128 KiB. [`RowWriter::finish`] writes the last of them. Drop the writer without it, and they are
/// lost. Keys of up to 60 bytes are fast.
pub struct RowWriter<W> {
    columns: Vec<(Literal, Option<Box<Encode>>)>,
    is_array: bool,
    after_row: Literal,
    buffer: Buffer,
    out: W,
    rows: u64,
    /// Whether a write failed, or a row panicked: the end of the output is unknown.
    has_failed: bool,
}

impl<W: Write> RowWriter<W> {
    /// Returns a writer of one object a line.
    ///
    /// # Errors
    /// Invalid input, if there are no columns, or two have one key.
    pub fn lines(
        columns: impl IntoIterator<Item: Into<Column>>,
        out: W,
    ) -> io::Result<RowWriter<W>> {
        RowWriter::new(columns, false, out)
    }

    /// Returns a writer of one array, with an object on each line.
    ///
    /// # Errors
    /// The errors of [`RowWriter::lines`].
    pub fn array(
        columns: impl IntoIterator<Item: Into<Column>>,
        out: W,
    ) -> io::Result<RowWriter<W>> {
        RowWriter::new(columns, true, out)
    }

    fn new(
        columns: impl IntoIterator<Item: Into<Column>>,
        is_array: bool,
        out: W,
    ) -> io::Result<RowWriter<W>> {
        let (mut before, after): (&[u8], &[u8]) = if is_array {
            (b",\n{", b"}")
        } else {
            (b"{", b"}\n")
        };
        let mut known = HashSet::new();
        let columns = columns.into_iter().map(|column| {
            let Column { key, encode } = column.into();
            let literal = Literal::key(mem::replace(&mut before, b","), &key);
            match known.replace(key) {
                Some(key) => Err(invalid(format!("the key {key:?} is there twice"))),
                None => Ok((literal, encode)),
            }
        });
        let columns = columns.collect::<io::Result<Vec<_>>>()?;
        if columns.is_empty() {
            return Err(invalid("there are no columns".to_owned()));
        }
        Ok(RowWriter {
            columns,
            is_array,
            after_row: Literal::new(after),
            buffer: Buffer::default(),
            out,
            rows: 0,
            has_failed: false,
        })
    }

    /// Writes a row.
    ///
    /// # Errors
    /// - Invalid input, if the row has more or fewer values than there are columns. Nothing of it is written, and the next row can be.
    /// - The error of the output. Every later call is an error too.
    #[inline]
    pub fn write_row<'v>(
        &mut self,
        row: impl IntoIterator<Item: Into<Value<'v>>>,
    ) -> io::Result<()> {
        self.write_rows([row])
    }

    /// Writes many rows.
    ///
    /// # Errors
    /// The errors of [`RowWriter::write_row`]. Rows before a wrong one are written, and later ones are not.
    #[inline]
    pub fn write_rows<'v>(
        &mut self,
        rows: impl IntoIterator<Item: IntoIterator<Item: Into<Value<'v>>>>,
    ) -> io::Result<()> {
        for row in rows {
            self.begin()?;
            let start = self.buffer.len();
            // The length of a buffer that no other function sees is in a register.
            let mut buffer = mem::take(&mut self.buffer);
            let values = self.push_row(&mut buffer, row.into_iter());
            self.buffer = buffer;
            if values != self.columns.len() {
                self.has_failed = false;
                self.buffer.truncate(start);
                let (row, columns) = (self.rows, self.columns.len());
                let what = format!("row {row} has {values} values for {columns} columns");
                return Err(invalid(what));
            }
            if self.is_array && self.rows == 0 {
                self.buffer.set_first(b'[');
            }
            self.rows += 1;
            if self.buffer.len() >= PIECE_BYTES {
                self.write()?;
            }
            self.has_failed = false;
        }
        Ok(())
    }

    /// Appends a row, and returns its number of values. What it appends is noise if there are not as many columns.
    #[inline(always)]
    fn push_row<'v>(
        &self,
        out: &mut Buffer,
        mut row: impl Iterator<Item: Into<Value<'v>>>,
    ) -> usize {
        for (nth, (key, encode)) in self.columns.iter().enumerate() {
            let Some(value) = row.next() else { return nth };
            if let Some(encode) = encode {
                out.push_value(Json, key, Value::Raw(Text::from("")));
                *out = encoded(mem::take(out), encode, value.into());
            } else {
                out.push_value(Json, key, value.into());
            }
        }
        out.push_literal(&self.after_row);
        self.columns.len() + row.count()
    }

    /// Writes the remaining rows, and returns the output.
    ///
    /// # Errors
    /// If the output fails, or has failed before.
    pub fn finish(mut self) -> io::Result<W> {
        self.begin()?;
        let end: &[u8] = match (self.is_array, self.rows) {
            (false, _) => b"",
            (true, 0) => b"[]\n",
            (true, _) => b"\n]\n",
        };
        self.buffer.extend_from_slice(end);
        self.write()?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Begins what may fail or panic, and leave a part of a row.
    #[inline(always)]
    fn begin(&mut self) -> io::Result<()> {
        if mem::replace(&mut self.has_failed, true) {
            return Err(io::Error::other("an earlier row or write failed"));
        }
        Ok(())
    }

    #[inline(never)]
    fn write(&mut self) -> io::Result<()> {
        self.out.write_all(self.buffer.bytes())?;
        self.buffer.clear(4 * PIECE_BYTES);
        Ok(())
    }
}

/// Appends what a caller's encoder does.
#[inline(never)]
fn encoded(mut out: Buffer, encode: &Encode, value: Value<'_>) -> Buffer {
    encode(value, &mut out);
    out
}

fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}
