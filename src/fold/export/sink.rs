//! The end of the export: whole rows, in the order of the input.

use std::io::Write;

use super::head::Head;
use crate::error::Error;
use crate::output::Go;
use crate::render::encode::Encode;

/// Receives rows in the order of the input.
#[derive(Debug)]
pub(super) struct Sink<W> {
    out: W,
    /// The number of rows written.
    rows: u64,
    pub(super) head: Head,
    document: Document,
    failed: Option<Error>,
}

/// Whether the beginning of the document has been written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Document {
    Ahead,
    Begun,
}

impl<W: Write> Sink<W> {
    pub(super) fn new(out: W, head: Head) -> Sink<W> {
        Sink {
            out,
            rows: 0,
            head,
            document: Document::Ahead,
            failed: None,
        }
    }

    /// Writes `rows` rows. Says whether more are wanted; none after a failure.
    pub(super) fn write(&mut self, encoder: &dyn Encode, bytes: &[u8], rows: u64) -> Go {
        self.begin(encoder);
        let skipped = match self.rows {
            0 if rows > 0 => encoder.separator_bytes(),
            _ => 0,
        };
        self.rows += rows;
        self.write_all(&bytes[skipped..]);
        if self.failed.is_some() || self.head.has_all() {
            Go::Stop
        } else {
            Go::On
        }
    }

    /// Writes the end of the document.
    pub(super) fn end(&mut self, encoder: &dyn Encode) {
        self.begin(encoder);
        let mut end = Vec::new();
        encoder.end(self.rows, &mut end);
        self.write_all(&end);
    }

    /// Returns the writer and the number of rows.
    ///
    /// # Errors
    /// The first failure.
    pub(super) fn finish(self) -> Result<(W, u64), Error> {
        match self.failed {
            Some(error) => Err(error),
            None => Ok((self.out, self.rows)),
        }
    }

    fn begin(&mut self, encoder: &dyn Encode) {
        if self.document == Document::Ahead {
            self.document = Document::Begun;
            let mut beginning = Vec::new();
            encoder.begin(&mut beginning);
            self.write_all(&beginning);
        }
    }

    fn write_all(&mut self, bytes: &[u8]) {
        if self.failed.is_none() && !bytes.is_empty() {
            self.failed = self.out.write_all(bytes).err().map(Error::of_writing);
        }
    }
}
