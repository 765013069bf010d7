//! Rows of any bytes as JSON: the encoder of the export for other programs.

use std::collections::HashSet;
use std::io::Write;
use std::{iter, mem};

use super::template::RowTemplate;
use super::{Encode, RowBytes, RowEncoder};
use crate::error::{Error, ErrorKind};
use crate::scan::simd::{Kernel, Level, Simd, prefetch};

/// The number of bytes that are written at once, or a row more.
const PIECE_BYTES: usize = 128 << 10;

/// How far after the start of each field is prefetched, because fields often follow each other in memory.
///
/// Slices of one text took 0.5 of the time without prefetching, strings allocated one by one 0.63, and strings in random
/// order 1.0. Half as far and a quarter: 1.02 to 1.08 of this time.
const AHEAD_BYTES: usize = 2048;

/// Writes rows of strings with the same keys as JSON: an object for each row.
///
/// Each row is a sequence of byte strings, one for each key, in the order of the keys. The result is valid
/// UTF-8. A value whose bytes are not UTF-8 is [decoded](crate::render::decoded) as Windows-1252.
///
/// Rows wait in memory until they are 128 KiB. [`JsonRows::finish`] writes the last of them. Drop the encoder
/// without it, and they are lost.
///
/// Keys of up to 57 bytes are fast.
#[derive(Debug)]
pub struct JsonRows<W> {
    simd: Simd,
    encoder: RowEncoder,
    buffer: RowBytes,
    out: W,
    rows: u64,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Empty,
    Begun,
    /// A write failed, or a row panicked. The end of the output is unknown.
    Failed,
}

impl<W: Write> JsonRows<W> {
    /// Returns an encoder that writes each row as a line.
    ///
    /// # Errors
    /// A usage error if there are no keys, or one is there twice.
    pub fn ndjson<K: AsRef<str>>(
        keys: impl IntoIterator<Item = K>,
        out: W,
    ) -> Result<JsonRows<W>, Error> {
        JsonRows::new(keys, false, out)
    }

    /// Returns an encoder that writes one array, with a row on each line.
    ///
    /// # Errors
    /// A usage error if there are no keys, or one is there twice.
    pub fn array<K: AsRef<str>>(
        keys: impl IntoIterator<Item = K>,
        out: W,
    ) -> Result<JsonRows<W>, Error> {
        JsonRows::new(keys, true, out)
    }

    fn new<K: AsRef<str>>(
        keys: impl IntoIterator<Item = K>,
        are_items: bool,
        out: W,
    ) -> Result<JsonRows<W>, Error> {
        let keys: Vec<K> = keys.into_iter().collect();
        let keys = keys.iter().map(K::as_ref);
        let mut known = HashSet::new();
        if let Some(twice) = keys.clone().find(|key| !known.insert(*key)) {
            let what = format!("the key {twice:?} is there twice");
            return Err(Error::new(ErrorKind::Usage, what));
        }
        if known.is_empty() {
            return Err(Error::new(ErrorKind::Usage, "there are no keys"));
        }
        Ok(JsonRows {
            simd: Simd::best(),
            encoder: RowEncoder::objects(keys.map(|key| (key, None)), are_items),
            buffer: RowBytes::default(),
            out,
            rows: 0,
            state: State::Empty,
        })
    }

    /// Chooses the SIMD level. The default is the best one.
    pub fn with_simd(self, simd: Simd) -> JsonRows<W> {
        JsonRows { simd, ..self }
    }

    /// Writes a row.
    ///
    /// # Errors
    /// - A usage error if the row has more or fewer fields than there are keys. Nothing of the row is written, and
    ///   the encoder goes on with the next.
    /// - An output error if the writer fails. Every later call is an error too.
    pub fn write_row<V: AsRef<[u8]>>(
        &mut self,
        row: impl IntoIterator<Item = V>,
    ) -> Result<(), Error> {
        self.write_rows(iter::once(row))
    }

    /// Writes many rows. Short rows take less time so than by a call for each.
    ///
    /// # Errors
    /// The errors of [`JsonRows::write_row`]. Rows before a wrong one are written, and later ones are not.
    pub fn write_rows<R>(&mut self, rows: impl IntoIterator<Item = R>) -> Result<(), Error>
    where
        R: IntoIterator<Item: AsRef<[u8]>>,
    {
        let mut rows = rows.into_iter();
        loop {
            // A row that panics leaves a part in the buffer, and this state.
            let state = mem::replace(&mut self.state, State::Failed);
            if state == State::Failed {
                return Err(failed_before());
            }
            let ended = self.simd.dispatch(PushRows {
                template: self.encoder.template(),
                rows: &mut rows,
                pushed: &mut self.rows,
                out: &mut self.buffer,
            });
            self.state = state;
            if self.buffer.len() >= PIECE_BYTES {
                self.write()?;
            }
            match ended {
                Ended::Full => {}
                Ended::Rows => return Ok(()),
                Ended::WrongRow(fields) => {
                    let keys = self.encoder.template().width();
                    let what = format!("row {} has {fields} fields for {keys} keys", self.rows);
                    return Err(Error::new(ErrorKind::Usage, what));
                }
            }
        }
    }

    /// Writes the remaining rows, and returns the writer.
    ///
    /// # Errors
    /// An output error if the writer fails, or has failed before.
    pub fn finish(mut self) -> Result<W, Error> {
        if self.rows == 0 {
            self.encoder.begin(&mut self.buffer);
        }
        self.encoder.end(self.rows, &mut self.buffer);
        self.write()?;
        match self.out.flush() {
            Ok(()) => Ok(self.out),
            Err(error) => Err(Error::io(ErrorKind::Output, "", error)),
        }
    }

    fn write(&mut self) -> Result<(), Error> {
        let state = mem::replace(&mut self.state, State::Failed);
        let mut piece = self.buffer.bytes();
        let written = match state {
            State::Failed => return Err(failed_before()),
            State::Empty if self.rows > 0 => {
                let mut begin = RowBytes::default();
                self.encoder.begin(&mut begin);
                piece = &piece[self.encoder.separator_bytes()..];
                self.out.write_all(begin.bytes())
            }
            State::Empty | State::Begun => Ok(()),
        };
        let written = written.and_then(|()| self.out.write_all(piece));
        written.map_err(|error| Error::io(ErrorKind::Output, "", error))?;
        self.buffer.clear(4 * PIECE_BYTES);
        self.state = State::Begun;
        Ok(())
    }
}

fn failed_before() -> Error {
    Error::new(ErrorKind::Output, "an earlier row or write failed")
}

enum Ended {
    /// The buffer is full.
    Full,
    /// There are no more.
    Rows,
    /// One has this number of fields.
    WrongRow(usize),
}

struct PushRows<'a, R> {
    template: &'a RowTemplate,
    rows: &'a mut R,
    pushed: &'a mut u64,
    out: &'a mut RowBytes,
}

impl<I: Iterator<Item: IntoIterator<Item: AsRef<[u8]>>>> Kernel for PushRows<'_, I> {
    type Output = Ended;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> Ended {
        while self.out.len() < PIECE_BYTES {
            let Some(row) = self.rows.next() else {
                return Ended::Rows;
            };
            let start = self.out.len();
            let ahead = |field: &_| prefetch(AsRef::<[u8]>::as_ref(field), AHEAD_BYTES);
            let fields = row.into_iter().inspect(ahead);
            if let Err(fields) = self.template.push_row(level, fields, self.out) {
                self.out.truncate(start);
                return Ended::WrongRow(fields);
            }
            *self.pushed += 1;
        }
        Ended::Full
    }
}

#[cfg(test)]
mod tests;
