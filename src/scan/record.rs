//! A line, and its columns as a tuned fold sees them.

use super::columns::Span;
use super::rows::{NearLine, Place};
use super::simd::WINDOW_BYTES;

/// A line, and the bytes after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// The bytes from the beginning of the line to the end of the haystack. A window may cover
    /// bytes after the line.
    pub(super) rest: &'a [u8],
    /// The number of bytes of the line, without its newline.
    pub(super) length: usize,
}

impl<'a> Line<'a> {
    /// Returns the line, without its newline, and without one carriage return before that.
    #[inline(always)]
    pub(crate) fn bytes(self) -> &'a [u8] {
        let line = &self.rest[..self.length];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Returns bytes from `start` on, of the line or after it, if the haystack has them.
    #[inline(always)]
    pub(super) fn from<const N: usize>(self, start: usize) -> Option<&'a [u8; N]> {
        self.rest.get(start..start.checked_add(N)?)?.first_chunk()
    }
}

/// The bytes from the beginning of a line in which windows need no comparison with the haystack's
/// length.
pub(super) type Head = [u8; HEAD_BYTES];

/// The number of bytes of a head: 20 windows. A row has 180 bytes, and six windows locate any one
/// of its columns.
pub(crate) const HEAD_BYTES: usize = 20 * WINDOW_BYTES;

/// A line, and the places of some of its columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<'a, S> {
    pub(super) place: Place<'a>,
    /// The head of the line, if its columns were located there.
    pub(super) head: Option<&'a Head>,
    pub(super) spans: S,
}

impl<'a, S> Record<'a, S> {
    /// Returns the record of a line whose columns lie in its head.
    #[inline(always)]
    pub(crate) fn near(place: Place<'a>, line: NearLine<'a>, spans: S) -> Record<'a, S> {
        Record {
            place,
            head: Some(line.head),
            spans,
        }
    }

    /// Returns the record of any line.
    #[inline(always)]
    pub(crate) fn far(place: Place<'a>, spans: S) -> Record<'a, S> {
        Record {
            place,
            head: None,
            spans,
        }
    }
}

impl<'a, S: AsRef<[Span]>> Record<'a, S> {
    /// Returns the place of the `nth` column.
    #[inline(always)]
    pub(crate) fn span(&self, nth: usize) -> Span {
        self.spans.as_ref()[nth]
    }

    /// Returns the `nth` column, if the line has it.
    #[inline(always)]
    pub(crate) fn column(&self, nth: usize) -> Option<&'a [u8]> {
        let span = self.span(nth);
        let range = span.start as usize..span.end as usize;
        match self.head {
            Some(head) => head.get(range),
            None => self.place.line().rest.get(range),
        }
    }

    /// Returns bytes from the `from`th of the `nth` column on, and of later columns and lines. The
    /// column ends at a pipe, the line's end, or the end of the haystack. Returns none if the line
    /// lacks the column, or the haystack ends too early.
    #[inline(always)]
    pub(crate) fn bytes<const N: usize>(&self, nth: usize, from: usize) -> Option<&'a [u8; N]> {
        let start = (self.span(nth).start as usize).checked_add(from)?;
        let of_head = self.head.and_then(|head| head.get(start..)?.first_chunk());
        of_head.or_else(|| self.place.line().from(start))
    }
}
