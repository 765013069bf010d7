//! The way of bytes to the output, with its errors kept as they are.

use std::io::{self, BufWriter, Write};

use crate::error::{Error, ErrorKind};

/// The number of bytes that are written at once, at least. Columns come in small pieces.
const WRITTEN_BYTES: usize = 256 << 10;

/// An output. Other crates turn errors of the system to errors of their own; here they stay what they are.
pub(super) type Sink<W> = BufWriter<Failing<W>>;

/// Refuses writes after the first error: `BufWriter` would write its rest when it is dropped.
pub(super) struct Failing<W> {
    out: W,
    error: Option<io::Error>,
    failed: Option<io::ErrorKind>,
}

pub(super) fn sink<W: Write>(out: W) -> Sink<W> {
    let out = Failing {
        out,
        error: None,
        failed: None,
    };
    BufWriter::with_capacity(WRITTEN_BYTES, out)
}

/// Returns the error of the output; without one, the error that `words` describe.
pub(super) fn error_of<W: Write>(sink: &mut Sink<W>, words: impl ToString) -> Error {
    match sink.get_mut().error.take() {
        Some(error) => Error::of_writing(error),
        None => refused(words),
    }
}

/// Returns the error for what a crate refuses to encode.
pub(super) fn refused(words: impl ToString) -> Error {
    Error::new(ErrorKind::Output, words.to_string())
}

impl<W: Write> Failing<W> {
    fn attempt<T>(&mut self, write: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        if let Some(kind) = self.failed {
            return Err(kind.into());
        }
        write(&mut self.out).map_err(|error| {
            let kind = error.kind();
            if kind != io::ErrorKind::Interrupted {
                self.failed = Some(kind);
                self.error = Some(error);
            }
            kind.into()
        })
    }
}

impl<W: Write> Write for Failing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(|out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt(W::flush)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails at the first write only.
    struct FullOnce<'a>(&'a mut Vec<u8>, bool);

    impl Write for FullOnce<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if !self.1 {
                self.1 = true;
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.0.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn nothing_is_written_after_an_error() {
        let mut written = Vec::new();
        let mut sink = sink(FullOnce(&mut written, false));
        sink.write_all(b"first and second").unwrap();
        sink.flush().unwrap_err();
        assert_eq!(error_of(&mut sink, "").kind(), ErrorKind::Output);
        drop(sink);
        assert_eq!(written, b"");
    }
}
