//! Columns of integers, days and amounts: numbers of 32 or 64 bits.

use std::mem;
use std::ops::Range;

use parquet::basic::{Encoding, Type as Physical};
use parquet::file::statistics::{Statistics, ValueStatistics};
use parquet::schema::types::ColumnDescPtr;

use super::PAGE_ROWS;
use super::dictionary::Dictionary;
use super::packed::{bits, encode_deltas, encode_runs};
use super::pages::{Chunk, Pages, Present};
use crate::error::Error;
use crate::fec::trimmed;
use crate::render::columnar::Compression;
use crate::render::columnar::block::Cells;
use crate::scan::Cell;

/// Encodes a column of numbers, each chunk for itself.
///
/// The values of the first page become a dictionary, unless their differences are smaller.
pub(super) struct NumberEncoder {
    pages: Pages,
    read: fn(Cell<'_>) -> Option<i64>,
    /// The number of bytes of a value.
    width: usize,
    encoding: NumberEncoding,
    present: Present,
    nulls: u64,
    unreadable: u64,
    dictionary: Dictionary,
    /// The values of the page.
    values: Vec<i64>,
    /// The same in the dictionary, if there is one.
    numbers: Vec<u32>,
    range: Option<(i64, i64)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NumberEncoding {
    /// The first page decides.
    Undecided,
    Dictionary,
    Deltas,
}

impl NumberEncoder {
    /// Returns an encoder of what `read` makes of cells.
    pub(super) fn new(
        column: ColumnDescPtr,
        read: fn(Cell<'_>) -> Option<i64>,
        compression: Compression,
    ) -> Result<NumberEncoder, Error> {
        let width = match column.physical_type() {
            Physical::INT32 => 4,
            _ => 8,
        };
        Ok(NumberEncoder {
            pages: Pages::new(column, compression)?,
            read,
            width,
            encoding: NumberEncoding::Undecided,
            present: Present::default(),
            nulls: 0,
            unreadable: 0,
            dictionary: Dictionary::new(),
            values: Vec::new(),
            numbers: Vec::new(),
            range: None,
        })
    }

    /// Returns the number of cells that are not blank and could not be read.
    pub(super) fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// Adds the cells of these rows.
    pub(super) fn push(&mut self, cells: &Cells, mut rows: Range<usize>) -> Result<(), Error> {
        while !rows.is_empty() {
            let most = rows.len().min(PAGE_ROWS - self.present.rows());
            for cell in cells.iter(rows.start..rows.start + most) {
                let value = (self.read)(cell);
                self.present.push(value.is_some());
                match value {
                    Some(value) => self.values.push(value),
                    None => {
                        self.nulls += 1;
                        self.unreadable += u64::from(!trimmed(&cell).is_empty());
                    }
                }
            }
            rows.start += most;
            if self.present.rows() == PAGE_ROWS {
                self.end_page()?;
            }
        }
        Ok(())
    }

    fn end_page(&mut self) -> Result<(), Error> {
        if self.values.is_empty() && self.encoding == NumberEncoding::Undecided {
            return self.pages.add(&mut self.present, Encoding::PLAIN, |_| ());
        }
        for &value in &self.values {
            let (least, greatest) = self.range.get_or_insert((value, value));
            *least = value.min(*least);
            *greatest = value.max(*greatest);
        }
        let mut numbered = Vec::new();
        if self.encoding != NumberEncoding::Deltas {
            let width = self.width;
            let number = |&value: &i64| self.dictionary.number_of_integer(value, width);
            self.numbers.extend(self.values.iter().map(number));
            let width = bits(self.dictionary.len() as u64 - 1);
            numbered.push(width as u8);
            encode_runs(&self.numbers, width, &mut numbered);
            self.numbers.clear();
        }
        let mut deltas = Vec::new();
        if self.encoding != NumberEncoding::Dictionary {
            encode_deltas(&self.values, &mut deltas);
        }
        self.values.clear();
        if self.encoding == NumberEncoding::Undecided {
            let size = numbered.len() + self.dictionary.plain().len();
            self.encoding = if deltas.len() < size {
                NumberEncoding::Deltas
            } else {
                NumberEncoding::Dictionary
            };
        }
        if self.encoding == NumberEncoding::Deltas {
            let encoding = Encoding::DELTA_BINARY_PACKED;
            return self
                .pages
                .add(&mut self.present, encoding, |body| body.append(&mut deltas));
        }
        if self.dictionary.is_full() {
            self.encoding = NumberEncoding::Deltas;
        }
        let encoding = Encoding::RLE_DICTIONARY;
        self.pages.add(&mut self.present, encoding, |body| {
            body.append(&mut numbered);
        })
    }

    /// Ends the chunk.
    pub(super) fn finish_chunk(&mut self) -> Result<Chunk, Error> {
        if self.present.rows() > 0 {
            self.end_page()?;
        }
        let statistics = self.take_statistics();
        let plain = (self.dictionary.plain(), self.dictionary.len());
        let has_dictionary = self.pages.have(Encoding::RLE_DICTIONARY);
        let chunk = self
            .pages
            .finish(has_dictionary.then_some(plain), Some(statistics));
        self.dictionary.clear();
        self.encoding = NumberEncoding::Undecided;
        chunk
    }

    fn take_statistics(&mut self) -> Statistics {
        let (least, greatest) = self.range.take().unzip();
        let nulls = Some(mem::take(&mut self.nulls));
        let short = |value: Option<i64>| value.map(|value| value as i32);
        match self.width {
            4 => ValueStatistics::new(short(least), short(greatest), None, nulls, false).into(),
            _ => ValueStatistics::new(least, greatest, None, nulls, false).into(),
        }
    }
}
