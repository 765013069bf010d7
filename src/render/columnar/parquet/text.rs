//! Columns of text.

use std::mem;
use std::ops::Range;

use parquet::basic::Encoding;
use parquet::schema::types::ColumnDescPtr;

use super::PAGE_ROWS;
use super::dictionary::Dictionary;
use super::packed::{bits, encode_runs};
use super::pages::{Chunk, Pages, Present};
use super::range::TextRange;
use super::strings::{Prefix, Strings};
use crate::error::Error;
use crate::render::columnar::Compression;
use crate::render::columnar::block::Cells;

/// A dictionary of so few values a page is not compared with other encodings.
const SURELY_FEW: usize = PAGE_ROWS / 16;

/// Encodes a column of text, each chunk for itself.
///
/// The values of the first page become a dictionary. If the page is smaller in another encoding, it is written
/// in that, and so are the others. If the dictionary is full later, the next pages have no dictionary either.
pub(super) struct TextEncoder {
    pages: Pages,
    encoding: TextEncoding,
    present: Present,
    nulls: u64,
    dictionary: Dictionary,
    /// The values of the page, in the dictionary.
    numbers: Vec<u32>,
    /// The values of the page, without a dictionary.
    strings: Strings,
    range: TextRange,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TextEncoding {
    /// The first page decides.
    Undecided,
    Dictionary,
    Strings,
}

impl TextEncoder {
    pub(super) fn new(
        column: ColumnDescPtr,
        compression: Compression,
    ) -> Result<TextEncoder, Error> {
        Ok(TextEncoder {
            pages: Pages::new(column, compression)?,
            encoding: TextEncoding::Undecided,
            present: Present::default(),
            nulls: 0,
            dictionary: Dictionary::new(),
            numbers: Vec::new(),
            strings: Strings::new(Prefix::Kept),
            range: TextRange::default(),
        })
    }

    /// Adds the cells of these rows.
    pub(super) fn push(&mut self, cells: &Cells, rows: Range<usize>) -> Result<(), Error> {
        match cells.decoded(rows.clone()) {
            None => self.push_text(cells, rows),
            Some(decoded) => self.push_text(&decoded, 0..decoded.len()),
        }
    }

    fn push_text(&mut self, cells: &Cells, mut rows: Range<usize>) -> Result<(), Error> {
        while !rows.is_empty() {
            let most = rows.len().min(PAGE_ROWS - self.present.rows());
            let next = rows.start..rows.start + most;
            let (taken, is_full) = match self.encoding {
                TextEncoding::Strings => (self.push_strings(cells, next), self.strings.are_many()),
                _ => (self.push_numbers(cells, next), self.dictionary.is_full()),
            };
            rows.start += taken;
            if is_full || self.present.rows() == PAGE_ROWS {
                self.end_page()?;
            }
        }
        Ok(())
    }

    /// Adds cells up to the one that fills the dictionary. Returns their number.
    fn push_numbers(&mut self, cells: &Cells, rows: Range<usize>) -> usize {
        let optional = self.pages.are_optional();
        let mut taken = 0;
        for cell in cells.iter(rows) {
            taken += 1;
            let is_present = !(optional && cell.is_empty());
            self.present.push(is_present);
            if !is_present {
                self.nulls += 1;
                continue;
            }
            let known = self.dictionary.len();
            self.numbers.push(self.dictionary.number_of_text(cell));
            if self.dictionary.len() > known && self.dictionary.is_full() {
                break;
            }
        }
        taken
    }

    /// Adds cells up to the one that fills the page. Returns their number.
    fn push_strings(&mut self, cells: &Cells, rows: Range<usize>) -> usize {
        let optional = self.pages.are_optional();
        let taken = if optional {
            self.strings.push_filled(cells, rows.clone())
        } else {
            self.strings.push_all(cells, rows.clone())
        };
        for cell in cells.iter(rows.start..rows.start + taken) {
            let is_present = !(optional && cell.is_empty());
            self.present.push(is_present);
            if is_present {
                self.range.add(cell);
            } else {
                self.nulls += 1;
            }
        }
        taken
    }

    fn end_page(&mut self) -> Result<(), Error> {
        let is_undecided = self.encoding == TextEncoding::Undecided;
        if is_undecided && self.numbers.is_empty() {
            return self.pages.add(&mut self.present, Encoding::PLAIN, |_| ());
        }
        if self.encoding == TextEncoding::Strings {
            return self.end_page_of_strings();
        }
        let width = bits(self.dictionary.len() as u64 - 1);
        let mut packed = vec![width as u8];
        encode_runs(&self.numbers, width, &mut packed);
        let is_full = self.dictionary.is_full();
        let is_compared = is_undecided && self.dictionary.len() > SURELY_FEW;
        if is_compared || is_full {
            let (size, prefix) = self.size_of_strings();
            self.strings.prefix = prefix;
            if is_undecided && size < packed.len() + self.dictionary.plain().len() {
                return self.undo_dictionary();
            }
        }
        self.encoding = if is_full {
            TextEncoding::Strings
        } else {
            TextEncoding::Dictionary
        };
        self.numbers.clear();
        let encoding = Encoding::RLE_DICTIONARY;
        self.pages
            .add(&mut self.present, encoding, |body| body.append(&mut packed))
    }

    /// Returns how many bytes the page would have without a dictionary, and what would be left out of its texts.
    fn size_of_strings(&self) -> (usize, Prefix) {
        let [kept, shared] = [Prefix::Kept, Prefix::Shared].map(|prefix| {
            let mut strings = Strings::new(prefix);
            for &number in &self.numbers {
                strings.push(self.dictionary.value(number));
            }
            let mut body = Vec::new();
            strings.write(&mut body);
            body.len()
        });
        // Readers are faster without prefixes.
        if shared < kept / 4 * 3 {
            (shared, Prefix::Shared)
        } else {
            (kept, Prefix::Kept)
        }
    }

    /// Writes the first page, and all that follow, without a dictionary.
    fn undo_dictionary(&mut self) -> Result<(), Error> {
        for number in self.numbers.drain(..) {
            let value = self.dictionary.value(number);
            self.strings.push(value);
            self.range.add(value);
        }
        self.dictionary.clear();
        self.encoding = TextEncoding::Strings;
        self.end_page_of_strings()
    }

    fn end_page_of_strings(&mut self) -> Result<(), Error> {
        let encoding = match self.strings.prefix {
            Prefix::Kept => Encoding::DELTA_LENGTH_BYTE_ARRAY,
            Prefix::Shared => Encoding::DELTA_BYTE_ARRAY,
        };
        let strings = &mut self.strings;
        self.pages
            .add(&mut self.present, encoding, |body| strings.write(body))
    }

    /// Ends the chunk.
    pub(super) fn finish_chunk(&mut self) -> Result<Chunk, Error> {
        if self.present.rows() > 0 {
            self.end_page()?;
        }
        for value in self.dictionary.values() {
            self.range.add(value);
        }
        let statistics = self.range.take(mem::take(&mut self.nulls));
        let plain = (self.dictionary.plain(), self.dictionary.len());
        let has_dictionary = self.pages.have(Encoding::RLE_DICTIONARY);
        let chunk = self
            .pages
            .finish(has_dictionary.then_some(plain), Some(statistics));
        self.dictionary.clear();
        self.encoding = TextEncoding::Undecided;
        chunk
    }
}
