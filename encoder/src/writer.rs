//! Rows, written in large pieces.

use std::collections::HashSet;
use std::io::{self, Write};
use std::{iter, mem};

use crate::{Buffer, Json, Literal, Text, Value};

/// The number of bytes that are written at once, or a row more.
const PIECE_BYTES: usize = 128 << 10;

type Encode = dyn Fn(Value<'_>, &mut Buffer);

/// A key of all rows, and how its values are encoded.
pub struct Column {
    key: String,
    encode: Option<Box<Encode>>,
}

impl Column {
    /// Returns a column whose values are encoded by their kind.
    pub fn new(key: impl Into<String>) -> Column {
        Column {
            key: key.into(),
            encode: None,
        }
    }

    /// Has `encode` append the JSON of each value of the column, whatever its kind.
    pub fn encoded_by(self, encode: impl Fn(Value<'_>, &mut Buffer) + 'static) -> Column {
        Column {
            encode: Some(Box::new(encode)),
            ..self
        }
    }
}

impl<K: Into<String>> From<K> for Column {
    fn from(key: K) -> Column {
        Column::new(key)
    }
}

/// Writes rows as JSON. A row has one value for each column, in their order.
///
/// Rows wait in memory until they are 128 KiB. [`RowWriter::finish`] writes the last of them. Drop the writer without it, and they are
/// lost. Keys of up to 60 bytes are fast.
pub struct RowWriter<W> {
    columns: Vec<(Literal, Option<Box<Encode>>)>,
    /// The first byte of all, in place of the one that separates rows.
    first: u8,
    /// What stands after each row.
    after: Literal,
    /// What stands after all rows; the same if there are none.
    ends: [&'static [u8]; 2],
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
    pub fn lines<C: Into<Column>>(
        columns: impl IntoIterator<Item = C>,
        out: W,
    ) -> io::Result<RowWriter<W>> {
        RowWriter::new(columns, [b"{", b"{", b"}\n"], [b"", b""], out)
    }

    /// Returns a writer of one array, with an object on each line.
    ///
    /// # Errors
    /// Invalid input, if there are no columns, or two have one key.
    pub fn array<C: Into<Column>>(
        columns: impl IntoIterator<Item = C>,
        out: W,
    ) -> io::Result<RowWriter<W>> {
        let ends: [&[u8]; 2] = [b"\n]\n", b"[]\n"];
        RowWriter::new(columns, [b"[", b",\n{", b"}"], ends, out)
    }

    fn new<C: Into<Column>>(
        columns: impl IntoIterator<Item = C>,
        [first, mut before, after]: [&[u8]; 3],
        ends: [&'static [u8]; 2],
        out: W,
    ) -> io::Result<RowWriter<W>> {
        let columns: Vec<Column> = columns.into_iter().map(C::into).collect();
        let mut known = HashSet::new();
        if let Some(twice) = columns.iter().find(|column| !known.insert(&column.key)) {
            return Err(invalid(format!("the key {:?} is there twice", twice.key)));
        }
        if columns.is_empty() {
            return Err(invalid("there are no columns".to_owned()));
        }
        Ok(RowWriter {
            first: first[0],
            after: Literal::new(after),
            columns: columns
                .into_iter()
                .map(|column| {
                    let before = mem::replace(&mut before, b",");
                    (Literal::key(before, &column.key), column.encode)
                })
                .collect(),
            ends,
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
    pub fn write_row<'v, V: Into<Value<'v>>>(
        &mut self,
        row: impl IntoIterator<Item = V>,
    ) -> io::Result<()> {
        self.write_rows(iter::once(row))
    }

    /// Writes many rows.
    ///
    /// # Errors
    /// The errors of [`RowWriter::write_row`]. Rows before a wrong one are written, and later ones are not.
    #[inline]
    pub fn write_rows<'v, V: Into<Value<'v>>>(
        &mut self,
        rows: impl IntoIterator<Item = impl IntoIterator<Item = V>>,
    ) -> io::Result<()> {
        for row in rows {
            let start = self.buffer.len();
            self.begin()?;
            // The length of a buffer that no other function sees is in a register.
            let mut buffer = mem::take(&mut self.buffer);
            let pushed = self.push_row(&mut buffer, row.into_iter());
            self.buffer = buffer;
            self.has_failed = false;
            if let Err(values) = pushed {
                self.buffer.truncate(start);
                let (row, columns) = (self.rows, self.columns.len());
                let what = format!("row {row} has {values} values for {columns} columns");
                return Err(invalid(what));
            }
            if self.rows == 0 {
                self.buffer.set_first(self.first);
            }
            self.rows += 1;
            if self.buffer.len() >= PIECE_BYTES {
                self.write()?;
            }
        }
        Ok(())
    }

    /// Appends a row. If it has another number of values than there are columns, returns that, and appends noise.
    #[inline(always)]
    fn push_row<'v, V: Into<Value<'v>>>(
        &self,
        out: &mut Buffer,
        mut row: impl Iterator<Item = V>,
    ) -> Result<(), usize> {
        for (nth, (key, encode)) in self.columns.iter().enumerate() {
            let value = row.next().ok_or(nth)?.into();
            if let Some(encode) = encode {
                out.push_value(Json, key, Value::Raw(Text::from("")));
                *out = encoded(mem::take(out), encode, value);
            } else {
                out.push_value(Json, key, value);
            }
        }
        if row.next().is_some() {
            return Err(self.columns.len() + 1 + row.count());
        }
        out.push_literal(&self.after);
        Ok(())
    }

    /// Writes the remaining rows, and returns the output.
    ///
    /// # Errors
    /// If the output fails, or has failed before.
    pub fn finish(mut self) -> io::Result<W> {
        let end = self.ends[usize::from(self.rows == 0)];
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
        self.begin()?;
        self.out.write_all(self.buffer.bytes())?;
        self.buffer.clear(4 * PIECE_BYTES);
        self.has_failed = false;
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
