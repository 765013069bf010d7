//! Writes values and rows as the scanner knows them.

use super::{Place, ROW_BYTES_MAX, State, Translated, at};
use crate::error::Error;
use crate::fec::layout::{CARRIAGE_RETURN, LINE_FEED, UNIT_SEPARATOR};
use crate::input::part::LINE_BYTES_MAX;

impl Translated {
    pub(super) fn end_value(&mut self) -> Result<(), Error> {
        self.finish_value()?;
        if let Some(rewriting) = &mut self.rewriting {
            rewriting.column += 1;
        }
        let is_translated = self.rules.has_quotes || self.rules.delimiter.len() > 1;
        self.ready.push(if is_translated {
            UNIT_SEPARATOR
        } else {
            self.rules.delimiter[0]
        });
        self.state = State::Value;
        self.grow(1)
    }

    /// Ends a row after these bytes of its last value.
    pub(super) fn end_row(&mut self, last: &[u8]) -> Result<(), Error> {
        self.push(last.strip_suffix(b"\r").unwrap_or(last))?;
        self.finish_value()?;
        if let Some(rewriting) = &mut self.rewriting {
            rewriting.end_row();
        }
        self.ready.push(b'\n');
        self.place.line += 1;
        self.state = State::Row;
        Ok(())
    }

    /// Writes a value that was not written yet.
    pub(super) fn finish_value(&mut self) -> Result<(), Error> {
        let Some(rewriting) = &mut self.rewriting else {
            return Ok(());
        };
        let written = rewriting.rewrite(&self.text);
        let place = self.value;
        let written = written.map_err(|(what, advice)| at(place, &what).advise(advice))?;
        match written {
            Some(written) => self.ready.extend_from_slice(&written),
            None => self.ready.extend_from_slice(&self.text),
        }
        self.text.clear();
        Ok(())
    }

    /// Adds bytes of a value.
    pub(super) fn push(&mut self, value: &[u8]) -> Result<(), Error> {
        let out = match self.rewriting {
            None => &mut self.ready,
            Some(_) => &mut self.text,
        };
        let start = out.len();
        out.extend_from_slice(value);
        let has_quotes = self.rules.has_quotes;
        let is_translated = has_quotes || self.rules.delimiter.len() > 1;
        let has_controls = value.iter().fold(false, |any, &byte| any | (byte < b' '));
        if !is_translated || !has_controls {
            return self.grow(value.len());
        }
        let mut lines = 0;
        let mut own_mark = None;
        for (nth, byte) in out[start..].iter_mut().enumerate() {
            match *byte {
                b'\n' => {
                    *byte = LINE_FEED;
                    lines += u64::from(own_mark.is_none());
                }
                b'\r' if has_quotes => *byte = CARRIAGE_RETURN,
                UNIT_SEPARATOR => own_mark = own_mark.or(Some(nth)),
                LINE_FEED | CARRIAGE_RETURN if has_quotes => own_mark = own_mark.or(Some(nth)),
                _ => {}
            }
        }
        if let Some(nth) = own_mark {
            // All bytes before the error are rows, however the file is read.
            out.truncate(start + nth);
        }
        self.place.line += lines;
        if let Some(nth) = own_mark {
            return Err(self.has_own_mark(nth));
        }
        self.grow(value.len())
    }

    /// Returns the error for a byte, this number of bytes ahead, that would look like a mark.
    fn has_own_mark(&self, ahead: usize) -> Error {
        let what = "a value has one of the bytes 0x1d, 0x1e and 0x1f, which stand between translated columns and for line breaks";
        let place = Place {
            byte: self.place.byte + ahead as u64,
            line: self.place.line,
        };
        at(place, what).advise("take them out: tr -d '\\035-\\037'")
    }

    fn grow(&mut self, bytes: usize) -> Result<(), Error> {
        self.row_bytes += bytes as u64;
        if self.row_bytes <= ROW_BYTES_MAX {
            return Ok(());
        }
        let what = format!("a row has nearly {} MiB or more", LINE_BYTES_MAX >> 20);
        let error = at(self.value, &what);
        Err(error.advise("close its quotes, or leave out its long columns"))
    }
}
