//! Rows that are no lines of their file, as lines: values in quotes, delimiters of several bytes, lines that are left out.
//!
//! The scanner knows one byte between columns and one after a row. [`Translated`] reads a file of another form, on one thread, and hands
//! on rows of that kind. Where quotes have a meaning, a byte that no value has stands between columns, and two others stand for line
//! breaks within values (`fec::layout` has them). Whoever writes values puts the line breaks back. A file that has these three
//! bytes itself is refused.
//!
//! Quotes are those of RFC 4180. A value begins with one, or has none that means anything: `5" pipe` is text. The parser is stricter than
//! that of the crate `csv`, which reads on after a closing quote, and reads an open one to the end of the file: either hides rows.

mod writing;

use std::io::{self, Read};

use memchr::{memchr, memchr3};

use super::part::LINE_BYTES_MAX;
use super::rewriting::Rewriting;
use crate::error::{Error, escaped};
use crate::fec::layout::{Layout, Quotes};
use crate::fec::without_mark;

/// The bytes of a file that are translated at a time.
const READ_BYTES: usize = 64 << 10;

/// The most bytes of a row, so that the row's own error comes before that of a long line.
const ROW_BYTES_MAX: u64 = (LINE_BYTES_MAX - 4 * READ_BYTES) as u64;

/// How a file is translated.
#[derive(Clone, Debug)]
pub(crate) struct Translation {
    delimiter: Vec<u8>,
    has_quotes: bool,
    skip: u64,
    comment: Option<u8>,
    has_separator_line: bool,
    rewriting: Option<Rewriting>,
}

impl Translation {
    /// Returns how files with this layout are translated, if their lines are not the rows to scan.
    pub(super) fn of(layout: &Layout) -> Option<Translation> {
        layout.is_translated().then(|| Translation {
            delimiter: match &layout.long_delimiter {
                Some(delimiter) => delimiter.as_bytes().to_vec(),
                None => vec![layout.delimiter],
            },
            has_quotes: layout.quotes == Quotes::Csv,
            skip: layout.skip,
            comment: layout.comment,
            has_separator_line: layout.separator_line,
            rewriting: Rewriting::of(layout),
        })
    }

    /// Translates `bytes`.
    pub(super) fn of_bytes(&self, bytes: Box<dyn Read + Send>) -> Translated {
        Translated {
            bytes,
            lines_to_skip: self.skip,
            is_first_line: self.has_separator_line,
            rewriting: self.rewriting.clone(),
            rules: self.clone(),
            text: Vec::new(),
            ahead: Vec::new(),
            has_ended: false,
            place: Place { byte: 0, line: 1 },
            value: Place { byte: 0, line: 1 },
            row_bytes: 0,
            state: State::File,
            ready: Vec::new(),
            given: 0,
            failure: None,
        }
    }
}

/// A place in the file.
#[derive(Clone, Copy, Debug)]
struct Place {
    byte: u64,
    line: u64,
}

/// What the next byte belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The file, which may begin with a byte-order mark.
    File,
    Row,
    Value,
    /// A value without quotes, after its first byte.
    Bare,
    Quoted,
    /// A quote within quotes: the end of the value, or the first of two quotes.
    Quote,
    /// A line that is left out.
    LeftOut,
}

/// The rows of a file as lines.
pub(crate) struct Translated {
    bytes: Box<dyn Read + Send>,
    rules: Translation,
    /// How values are written anew, if they are.
    rewriting: Option<Rewriting>,
    /// The value so far, if it may be written anew.
    text: Vec<u8>,
    lines_to_skip: u64,
    /// The next line may be `sep=;`.
    is_first_line: bool,
    /// Bytes of the file that are not translated: too few to tell what they are.
    ahead: Vec<u8>,
    has_ended: bool,
    /// Where `ahead` begins.
    place: Place,
    /// Where the value begins.
    value: Place,
    /// The bytes of the row so far.
    row_bytes: u64,
    state: State,
    ready: Vec<u8>,
    /// The number of ready bytes that were given away.
    given: usize,
    /// The error after the ready bytes.
    failure: Option<Error>,
}

impl Read for Translated {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        while self.given == self.ready.len() {
            if let Some(error) = self.failure.take() {
                return Err(error.into());
            }
            if self.has_ended {
                return Ok(0);
            }
            self.ready.clear();
            self.given = 0;
            self.go_on()?;
        }
        let ready = &self.ready[self.given..];
        let length = ready.len().min(space.len());
        space[..length].copy_from_slice(&ready[..length]);
        self.given += length;
        Ok(length)
    }
}

impl Translated {
    /// Translates what one more read brings.
    fn go_on(&mut self) -> io::Result<()> {
        let mut bytes = std::mem::take(&mut self.ahead);
        let before = bytes.len();
        bytes.resize(before + READ_BYTES, 0);
        let read = self.bytes.read(&mut bytes[before..]);
        bytes.truncate(before + *read.as_ref().unwrap_or(&0));
        let read = match read {
            Ok(read) => read,
            Err(error) => {
                self.ahead = bytes;
                return Err(error);
            }
        };
        self.has_ended = read == 0;
        let translated = self.translate(&bytes).and_then(|rest| {
            self.ahead = bytes[bytes.len() - rest..].to_vec();
            if self.has_ended { self.end() } else { Ok(()) }
        });
        if let Err(error) = translated {
            self.failure = Some(error);
            self.has_ended = true;
        }
        Ok(())
    }

    /// Translates `bytes`. Returns how many of the last bytes tell too little.
    fn translate(&mut self, mut bytes: &[u8]) -> Result<usize, Error> {
        loop {
            let taken = match self.state {
                State::File => self.begin_file(bytes),
                State::Row => self.begin_row(bytes),
                State::Value => self.begin_value(bytes),
                State::Bare => self.bare(bytes)?,
                State::Quoted => self.quoted(bytes)?,
                State::Quote => self.after_quote(bytes)?,
                State::LeftOut => Some(self.left_out(bytes)),
            };
            let Some(taken) = taken else {
                return Ok(bytes.len());
            };
            self.place.byte += taken as u64;
            bytes = &bytes[taken..];
            if bytes.is_empty() {
                return Ok(0);
            }
        }
    }

    fn begin_file(&mut self, bytes: &[u8]) -> Option<usize> {
        let may_be_marked = b"\xef\xbb\xbf".starts_with(&bytes[..bytes.len().min(3)]);
        if may_be_marked && bytes.len() < 3 && !self.has_ended {
            return None;
        }
        self.state = State::Row;
        Some(bytes.len() - without_mark(bytes).len())
    }

    fn begin_row(&mut self, bytes: &[u8]) -> Option<usize> {
        let first = *bytes.first()?;
        if self.is_first_line {
            let is_whole = memchr(b'\n', bytes).is_some() || self.has_ended;
            if !is_whole && b"sep=".starts_with(&bytes[..bytes.len().min(4)]) && bytes.len() < 64 {
                return None;
            }
            self.is_first_line = false;
            let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or(bytes);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.strip_prefix(b"sep=") == Some(&self.rules.delimiter) {
                self.state = State::LeftOut;
                return Some(0);
            }
        }
        if self.lines_to_skip > 0 {
            self.lines_to_skip -= 1;
            self.state = State::LeftOut;
        } else if self.rules.comment == Some(first) {
            self.state = State::LeftOut;
        } else {
            self.row_bytes = 0;
            self.state = State::Value;
        }
        Some(0)
    }

    fn begin_value(&mut self, bytes: &[u8]) -> Option<usize> {
        let first = *bytes.first()?;
        self.value = self.place;
        if first == b'"' && self.rules.has_quotes {
            self.state = State::Quoted;
            return Some(1);
        }
        self.state = State::Bare;
        Some(0)
    }

    /// Takes a value without quotes, up to the end of the value or of `bytes`.
    fn bare(&mut self, bytes: &[u8]) -> Result<Option<usize>, Error> {
        let delimiter = &self.rules.delimiter[..];
        let mut taken = 0;
        while let Some(next) = memchr3(delimiter[0], b'\n', b'\r', &bytes[taken..]) {
            taken += next;
            let (byte, rest) = (bytes[taken], &bytes[taken..]);
            if byte == b'\n' {
                self.end_row(&bytes[..taken])?;
                return Ok(Some(taken + 1));
            }
            if rest.starts_with(delimiter) {
                let length = delimiter.len();
                self.push(&bytes[..taken])?;
                self.end_value()?;
                return Ok(Some(taken + length));
            }
            let is_cut = rest.len() < delimiter.len() && delimiter.starts_with(rest);
            let may_end_row = byte == b'\r' && rest.len() == 1;
            if (is_cut || may_end_row) && !self.has_ended {
                self.push(&bytes[..taken])?;
                return Ok((taken > 0).then_some(taken));
            }
            taken += 1;
        }
        // Without a newline, the last row may end in a carriage return.
        let is_last = self.has_ended && self.rules.has_quotes;
        let value = if is_last {
            bytes.strip_suffix(b"\r")
        } else {
            None
        };
        self.push(value.unwrap_or(bytes))?;
        Ok((!bytes.is_empty()).then_some(bytes.len()))
    }

    fn quoted(&mut self, bytes: &[u8]) -> Result<Option<usize>, Error> {
        let quote = memchr(b'"', bytes);
        let value = &bytes[..quote.unwrap_or(bytes.len())];
        self.push(value)?;
        if quote.is_some() {
            self.state = State::Quote;
        }
        let taken = value.len() + usize::from(quote.is_some());
        Ok((taken > 0).then_some(taken))
    }

    fn after_quote(&mut self, bytes: &[u8]) -> Result<Option<usize>, Error> {
        let delimiter = &self.rules.delimiter[..];
        match bytes {
            [] => Ok(None),
            [b'"', ..] => {
                self.state = State::Quoted;
                self.push(b"\"")?;
                Ok(Some(1))
            }
            [b'\r'] if !self.has_ended => Ok(None),
            [b'\r'] => Ok(Some(1)),
            [b'\n', ..] => self.end_row(b"").map(|()| Some(1)),
            [b'\r', b'\n', ..] => self.end_row(b"").map(|()| Some(2)),
            _ if bytes.starts_with(delimiter) => {
                let length = delimiter.len();
                self.end_value().map(|()| Some(length))
            }
            _ if delimiter.starts_with(bytes) && !self.has_ended => Ok(None),
            _ => {
                let what = "a value goes on after its closing quote";
                let advice = "a quote within quotes is written twice; or read quotes as bytes like others: --quotes data";
                Err(at(self.place, what).advise(advice))
            }
        }
    }

    fn left_out(&mut self, bytes: &[u8]) -> usize {
        match memchr(b'\n', bytes) {
            Some(newline) => {
                self.place.line += 1;
                self.state = State::Row;
                newline + 1
            }
            None => bytes.len(),
        }
    }

    /// Ends the file, whose last bytes have come.
    fn end(&mut self) -> Result<(), Error> {
        match self.state {
            State::Quoted => {
                let what = "a quote is not closed";
                let advice = "close it; or read quotes as bytes like others: --quotes data";
                Err(at(self.value, what).advise(advice))
            }
            State::Value | State::Bare | State::Quote => {
                self.finish_value()?;
                self.ready.push(b'\n');
                Ok(())
            }
            State::File | State::Row | State::LeftOut => Ok(()),
        }
    }
}

/// Returns an error at a place of the file.
fn at(place: Place, what: &str) -> Error {
    let what = escaped(what.as_bytes());
    Error::input(format!("line {}: {what}", place.line)).at_byte(place.byte)
}

#[cfg(test)]
mod tests;
