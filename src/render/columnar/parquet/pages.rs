//! Pages: compressed, with their headers, and their chunk.

use std::io::{self, Read};
use std::mem;
use std::sync::Arc;

use bytes::{Buf, Bytes};
use parquet::basic::{Compression as Codec, Encoding, EncodingMask, PageType, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, PageEncodingStats};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

use super::packed;
use crate::error::{Error, ErrorKind};
use crate::render::columnar::Compression;

/// Zstandard's own default. Level 1 made the file 4 % larger.
const ZSTD_LEVEL: i32 = 3;

/// The rows of a page that have a value.
#[derive(Default)]
pub(super) struct Present {
    rows: usize,
    /// For each row 1 or 0; nothing while all have a value.
    flags: Vec<u32>,
}

impl Present {
    /// Returns the number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    #[inline(always)]
    pub(super) fn push(&mut self, is_present: bool) {
        if !self.flags.is_empty() || !is_present {
            self.push_flag(is_present);
        }
        self.rows += 1;
    }

    #[inline(always)]
    fn push_flag(&mut self, is_present: bool) {
        if self.flags.len() < self.rows {
            self.flags.resize(self.rows, 1);
        }
        self.flags.push(is_present.into());
    }

    fn clear(&mut self) {
        self.rows = 0;
        self.flags.clear();
    }
}

/// The pages of a column, up to the end of its chunk.
pub(super) struct Pages {
    column: ColumnDescPtr,
    compressor: Compressor,
    data: Vec<Bytes>,
    rows: usize,
    uncompressed: usize,
    /// The number of data pages of each encoding.
    encodings: Vec<(Encoding, i32)>,
    body: Vec<u8>,
    compressed: Vec<u8>,
}

/// The cells of a column in a row group.
pub(in crate::render::columnar) struct Chunk {
    pub(super) pages: PageReader,
    pub(super) close: ColumnCloseResult,
}

impl Pages {
    pub(super) fn new(column: ColumnDescPtr, compression: Compression) -> Result<Pages, Error> {
        Ok(Pages {
            column,
            compressor: Compressor::new(compression)?,
            data: Vec::new(),
            rows: 0,
            uncompressed: 0,
            encodings: Vec::new(),
            body: Vec::new(),
            compressed: Vec::new(),
        })
    }

    /// Says whether rows may lack a value.
    pub(super) fn are_optional(&self) -> bool {
        self.column.max_def_level() > 0
    }

    /// Says whether there are pages of this encoding.
    pub(super) fn have(&self, encoding: Encoding) -> bool {
        self.encodings.iter().any(|(known, _)| *known == encoding)
    }

    /// Adds a page with the rows of `present`, which it clears, and the values that `write` appends.
    pub(super) fn add(
        &mut self,
        present: &mut Present,
        encoding: Encoding,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), Error> {
        let mut body = mem::take(&mut self.body);
        body.clear();
        if self.are_optional() {
            body.extend_from_slice(&[0; 4]);
            if present.flags.is_empty() {
                packed::push_varint((present.rows as u64) << 1, &mut body);
                body.push(1);
            } else {
                packed::encode_runs(&present.flags, 1, &mut body);
            }
            let length = body.len() as u32 - 4;
            body[..4].copy_from_slice(&length.to_le_bytes());
        }
        write(&mut body);
        let page = Page::DataPage {
            buf: self.compress(&body)?,
            num_values: present.rows as u32,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        let page = self.with_header(page, body.len())?;
        self.data.push(page);
        match self
            .encodings
            .iter_mut()
            .find(|(known, _)| *known == encoding)
        {
            Some((_, pages)) => *pages += 1,
            None => self.encodings.push((encoding, 1)),
        }
        self.rows += present.rows;
        present.clear();
        self.body = body;
        Ok(())
    }

    /// Ends the chunk. The `dictionary` has plain values, so many of them.
    pub(super) fn finish(
        &mut self,
        dictionary: Option<(&[u8], usize)>,
        statistics: Option<Statistics>,
    ) -> Result<Chunk, Error> {
        let mut pages = Vec::new();
        let mut encodings = EncodingMask::default();
        let mut encoding_stats = Vec::new();
        if let Some((values, count)) = dictionary {
            let page = Page::DictionaryPage {
                buf: self.compress(values)?,
                num_values: count as u32,
                encoding: Encoding::PLAIN,
                is_sorted: false,
            };
            pages.push(self.with_header(page, values.len())?);
            encodings.insert(Encoding::PLAIN);
            encoding_stats.push(PageEncodingStats {
                page_type: PageType::DICTIONARY_PAGE,
                encoding: Encoding::PLAIN,
                count: 1,
            });
        }
        let dictionary_length = pages.first().map_or(0, Bytes::len);
        pages.append(&mut self.data);
        if self.are_optional() {
            encodings.insert(Encoding::RLE);
        }
        for (encoding, count) in self.encodings.drain(..) {
            encodings.insert(encoding);
            encoding_stats.push(PageEncodingStats {
                page_type: PageType::DATA_PAGE,
                encoding,
                count,
            });
        }
        let length = pages.iter().map(Bytes::len).sum::<usize>();
        let rows = mem::take(&mut self.rows) as u64;
        let uncompressed = mem::take(&mut self.uncompressed);
        let mut metadata = ColumnChunkMetaData::builder(self.column.clone())
            .set_compression(self.compressor.codec())
            .set_encodings_mask(encodings)
            .set_page_encoding_stats(encoding_stats)
            .set_num_values(rows as i64)
            .set_total_compressed_size(length as i64)
            .set_total_uncompressed_size(uncompressed as i64)
            .set_data_page_offset(dictionary_length as i64)
            .set_dictionary_page_offset((dictionary_length > 0).then_some(0));
        if let Some(statistics) = statistics {
            metadata = metadata.set_statistics(statistics);
        }
        Ok(Chunk {
            pages: PageReader(Arc::new(pages)),
            close: ColumnCloseResult {
                bytes_written: length as u64,
                rows_written: rows,
                metadata: metadata.build().map_err(not_encoded)?,
                bloom_filter: None,
                column_index: None,
                offset_index: None,
            },
        })
    }

    fn compress(&mut self, body: &[u8]) -> Result<Bytes, Error> {
        let length = self.compressor.compress(body, &mut self.compressed)?;
        Ok(Bytes::copy_from_slice(&self.compressed[..length]))
    }

    /// Returns a page of `length` bytes before compression, with its header.
    fn with_header(&mut self, page: Page, length: usize) -> Result<Bytes, Error> {
        let page = CompressedPage::new(page, length);
        let mut out = TrackedWrite::new(Vec::with_capacity(page.compressed_size() + 64));
        let written = SerializedPageWriter::new(&mut out).write_page(page);
        self.uncompressed += written.map_err(not_encoded)?.uncompressed_size;
        Ok(Bytes::from(out.into_inner().map_err(not_encoded)?))
    }
}

/// Memory takes everything, so only sizes out of range are errors.
pub(super) fn not_encoded(error: impl ToString) -> Error {
    Error::new(ErrorKind::Output, error.to_string())
}

enum Compressor {
    Snappy(Box<snap::raw::Encoder>),
    Zstd(zstd::bulk::Compressor<'static>),
}

impl Compressor {
    fn new(compression: Compression) -> Result<Compressor, Error> {
        Ok(match compression {
            Compression::Snappy => Compressor::Snappy(Box::new(snap::raw::Encoder::new())),
            Compression::Zstd => {
                let zstd = zstd::bulk::Compressor::new(ZSTD_LEVEL);
                Compressor::Zstd(zstd.map_err(not_encoded)?)
            }
        })
    }

    fn codec(&self) -> Codec {
        match self {
            Compressor::Snappy(_) => Codec::SNAPPY,
            Compressor::Zstd(_) => Codec::ZSTD(ZstdLevel::default()),
        }
    }

    /// Compresses `bytes` to the beginning of `out`, and returns how many they have become.
    fn compress(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<usize, Error> {
        let most = match self {
            Compressor::Snappy(_) => snap::raw::max_compress_len(bytes.len()),
            Compressor::Zstd(_) => zstd::zstd_safe::compress_bound(bytes.len()),
        };
        if out.len() < most {
            out.resize(most, 0);
        }
        match self {
            Compressor::Snappy(snappy) => snappy.compress(bytes, out).map_err(not_encoded),
            Compressor::Zstd(zstd) => zstd
                .compress_to_buffer(bytes, &mut out[..])
                .map_err(not_encoded),
        }
    }
}

/// Reads pages one after the other.
#[derive(Clone)]
pub(super) struct PageReader(Arc<Vec<Bytes>>);

impl Length for PageReader {
    fn len(&self) -> u64 {
        self.0.iter().map(|page| page.len() as u64).sum()
    }
}

impl ChunkReader for PageReader {
    type T = PagesFrom;

    /// The chunk is copied as a whole, so `start` is its first byte.
    fn get_read(&self, _start: u64) -> Result<PagesFrom, ParquetError> {
        Ok(PagesFrom {
            pages: self.0.clone(),
            next: 0,
            page: Bytes::new(),
        })
    }

    fn get_bytes(&self, _start: u64, _length: usize) -> Result<Bytes, ParquetError> {
        Err(ParquetError::General("pages are only copied".to_owned()))
    }
}

/// What is left of pages.
pub(super) struct PagesFrom {
    pages: Arc<Vec<Bytes>>,
    next: usize,
    page: Bytes,
}

impl Read for PagesFrom {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.page.is_empty()
            && let Some(page) = self.pages.get(self.next)
        {
            self.page = page.clone();
            self.next += 1;
        }
        let length = out.len().min(self.page.len());
        self.page.copy_to_slice(&mut out[..length]);
        Ok(length)
    }
}
