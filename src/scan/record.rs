//! A line, and the columns that were asked for.

use super::columns::Span;
use super::simd::WINDOW_BYTES;

/// A line, and the bytes behind it.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The bytes from the beginning of the line to the end of the haystack. Those behind the line
    /// are whatever they are; a window may cover them.
    pub rest: &'a [u8],
    /// How many of them are the line, without its newline.
    pub length: usize,
}

impl<'a> Line<'a> {
    /// The line, without its newline, and without one carriage return before that.
    #[inline(always)]
    pub fn bytes(self) -> &'a [u8] {
        without_carriage_return(&self.rest[..self.length])
    }

    /// Bytes from `start` on, of the line or behind it; none if the haystack has not that many.
    #[inline(always)]
    pub fn from<const N: usize>(self, start: usize) -> Option<&'a [u8; N]> {
        self.rest.get(start..start.checked_add(N)?)?.first_chunk()
    }
}

/// So many bytes from the beginning of a line on that windows in them need no look at where the
/// haystack ends.
pub type Head = [u8; HEAD_BYTES];

/// How many bytes a head has: 20 windows. A row has 180 bytes, and five windows or six are enough to locate
/// any one of its columns.
pub const HEAD_BYTES: usize = 20 * WINDOW_BYTES;

/// A line whose head lies in the haystack, as all do but the last few.
#[derive(Clone, Copy, Debug)]
pub struct NearLine<'a> {
    /// The bytes from the beginning of the line on. Those behind the line are whatever they are.
    pub head: &'a Head,
    /// The pipes in the first window of the head.
    pub pipes: u64,
    /// How many bytes the line has, without its newline: perhaps more than the head.
    pub length: usize,
}

/// Where in a haystack a line is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) haystack: &'a [u8],
    pub(super) start: usize,
    /// How many bytes the line has, without its newline.
    pub(super) length: usize,
}

impl<'a> Place<'a> {
    #[inline(always)]
    pub(super) fn line(self) -> Line<'a> {
        Line {
            rest: &self.haystack[self.start..],
            length: self.length,
        }
    }
}

/// A line and where in it the columns lie that were asked for.
#[derive(Clone, Debug)]
pub struct Record<'a, S> {
    pub(super) place: Place<'a>,
    /// The head of the line, if its columns were located there.
    pub(super) head: Option<&'a Head>,
    pub(super) spans: S,
}

impl<'a, S> Record<'a, S> {
    /// The line.
    #[inline(always)]
    pub fn line(&self) -> Line<'a> {
        self.place.line()
    }

    /// Where the line begins in the haystack of its chunk.
    #[inline(always)]
    pub fn start(&self) -> usize {
        self.place.start
    }
}

impl<'a, S: AsRef<[Span]>> Record<'a, S> {
    /// Where in the line the `nth` of the columns asked for lies.
    #[inline(always)]
    pub fn span(&self, nth: usize) -> Span {
        self.spans.as_ref()[nth]
    }

    /// The `nth` of the columns asked for; none if the line does not have it.
    #[inline(always)]
    pub fn column(&self, nth: usize) -> Option<&'a [u8]> {
        let span = self.span(nth);
        match self.head {
            Some(head) => head.get(span.start..span.end),
            None => self.line().rest.get(span.start..span.end),
        }
    }

    /// Bytes from the `from`th of the `nth` column asked for on, whatever they are: its own, those
    /// of columns behind it, even of other lines. Behind the column's own is a pipe, the line's end, or
    /// nothing. None if the haystack ends before, or the line does not have the column.
    #[inline(always)]
    pub fn bytes<const N: usize>(&self, nth: usize, from: usize) -> Option<&'a [u8; N]> {
        let start = self.span(nth).start.checked_add(from)?;
        let of_head = self.head.and_then(|head| head.get(start..)?.first_chunk());
        of_head.or_else(|| self.line().from(start))
    }
}

/// `line`, whose newline has been taken off, without one carriage return at its end.
///
/// ```
/// assert_eq!(fecscan::scan::without_carriage_return(b"a|b\r"), b"a|b");
/// assert_eq!(fecscan::scan::without_carriage_return(b"a|b\r\r"), b"a|b\r");
/// ```
#[inline(always)]
pub fn without_carriage_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
