//! Columns of sums: numbers of 128 bits. Results have few of them, so they are written plainly.

use std::mem;
use std::ops::Range;

use parquet::basic::Encoding;
use parquet::data_type::{ByteArray, FixedLenByteArray};
use parquet::file::statistics::{Statistics, ValueStatistics};
use parquet::schema::types::ColumnDescPtr;

use super::PAGE_ROWS;
use super::pages::{Chunk, Pages, Present};
use crate::error::Error;
use crate::fec::trimmed;
use crate::render::columnar::block::Cells;
use crate::render::columnar::{Compression, values};

/// Encodes a column of sums.
pub(super) struct SumEncoder {
    pages: Pages,
    present: Present,
    nulls: u64,
    unreadable: u64,
    values: Vec<i128>,
    range: Option<(i128, i128)>,
}

impl SumEncoder {
    pub(super) fn new(
        column: ColumnDescPtr,
        compression: Compression,
    ) -> Result<SumEncoder, Error> {
        Ok(SumEncoder {
            pages: Pages::new(column, compression)?,
            present: Present::default(),
            nulls: 0,
            unreadable: 0,
            values: Vec::new(),
            range: None,
        })
    }

    /// Returns the number of cells that are not blank and could not be read.
    pub(super) fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// Adds the cells of these rows.
    pub(super) fn push(&mut self, cells: &Cells, rows: Range<usize>) -> Result<(), Error> {
        for cell in cells.iter(rows) {
            let value = values::sum(cell);
            self.present.push(value.is_some());
            match value {
                Some(value) => {
                    let (least, greatest) = self.range.get_or_insert((value, value));
                    *least = value.min(*least);
                    *greatest = value.max(*greatest);
                    self.values.push(value);
                }
                None => {
                    self.nulls += 1;
                    self.unreadable += u64::from(!trimmed(&cell).is_empty());
                }
            }
            if self.present.rows() == PAGE_ROWS {
                self.end_page()?;
            }
        }
        Ok(())
    }

    fn end_page(&mut self) -> Result<(), Error> {
        let values = mem::take(&mut self.values);
        self.pages.add(&mut self.present, Encoding::PLAIN, |body| {
            body.extend(values.iter().flat_map(|value| value.to_be_bytes()));
        })
    }

    /// Ends the chunk.
    pub(super) fn finish_chunk(&mut self) -> Result<Chunk, Error> {
        if self.present.rows() > 0 {
            self.end_page()?;
        }
        let (least, greatest) = self.range.take().unzip();
        let bytes = |value: i128| {
            let bytes = ByteArray::from(value.to_be_bytes().to_vec());
            FixedLenByteArray::from(bytes)
        };
        let nulls = Some(mem::take(&mut self.nulls));
        let (least, greatest) = (least.map(bytes), greatest.map(bytes));
        let statistics = ValueStatistics::new(least, greatest, None, nulls, false);
        self.pages
            .finish(None, Some(Statistics::FixedLenByteArray(statistics)))
    }
}
