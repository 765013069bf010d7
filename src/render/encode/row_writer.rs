//! Writes a row of text after another: see [`write_rows`](super::write_rows).

#![allow(unsafe_code)]

use std::ptr;

use super::template::Literal;
use crate::scan::simd::{HalfWindow, Level, WINDOW_BYTES, Window};

/// Bytes that are written at the end of a vector.
pub(super) struct RowWriter<'h, 'v> {
    haystack: &'h [u8],
    to: *mut u8,
    /// The number of bytes written.
    at: usize,
    /// The most of them.
    #[cfg(debug_assertions)]
    bytes: usize,
    out: &'v mut Vec<u8>,
}

impl<'h, 'v> RowWriter<'h, 'v> {
    /// Begins to write columns of the haystack. Reserves `bytes` and a window in `out`.
    #[inline(always)]
    pub(super) fn new(haystack: &'h [u8], bytes: usize, out: &'v mut Vec<u8>) -> RowWriter<'h, 'v> {
        out.reserve(bytes.saturating_add(WINDOW_BYTES));
        RowWriter {
            haystack,
            to: out.spare_capacity_mut().as_mut_ptr().cast(),
            at: 0,
            #[cfg(debug_assertions)]
            bytes,
            out,
        }
    }

    /// Writes each of the `literals` and its column, and then the literal `after`, given the end before the columns and
    /// the `ends` of all.
    ///
    /// # Safety
    /// - `ends` has an entry for each of `literals`. `before` and the entries ascend.
    /// - `before` is at least `WINDOW_BYTES - 1`. The haystack has `WINDOW_BYTES` more bytes after the last entry.
    /// - What all calls write, `after` included, is no more than the bytes that this was made with.
    #[inline(always)]
    pub(super) unsafe fn put_line<L: Level>(
        &mut self,
        level: L,
        mut before: u32,
        ends: &[u32],
        literals: &[Literal],
        after: &Literal,
    ) {
        debug_assert_eq!(literals.len(), ends.len());
        for (literal, &end) in literals.iter().zip(ends) {
            // SAFETY: as the caller guarantees.
            unsafe { self.put(level, literal, before, end) };
            before = end;
        }
        // SAFETY: the room ends a window after the bytes that the caller guarantees.
        unsafe { ptr::write(self.to.add(self.at).cast::<Window>(), *after.window()) };
        self.at += after.len();
    }

    /// Writes the literal, and the column between the ends `before` and `end`.
    ///
    /// Whether half a window is enough is asked of the literal, not of this column: a branch on lengths that vary
    /// is mispredicted.
    ///
    /// # Safety
    /// As for [`RowWriter::put_line`].
    #[inline(always)]
    unsafe fn put<L: Level>(&mut self, level: L, literal: &Literal, before: u32, end: u32) {
        let start = literal.start_of_window(before);
        // At least the literal: the column ends after the end before it.
        let written = end as usize - start;
        let from = self.haystack.as_ptr().wrapping_add(start);
        let to = self.to.wrapping_add(self.at);
        self.at += written;
        // SAFETY: a literal is shorter than a window, and the haystack has a window before the column and after it.
        // Bytes that change meanwhile are read as something or other. The room ends a window after `written` bytes.
        unsafe {
            let fits = if literal.is_wide() {
                let bytes = ptr::read(from.cast::<Window>());
                ptr::write(
                    to.cast::<Window>(),
                    level.with_first(&bytes, literal.window(), literal.len()),
                );
                written <= WINDOW_BYTES
            } else {
                let bytes = ptr::read(from.cast::<HalfWindow>());
                let pieced = level.half_with_first(&bytes, literal.window(), literal.len());
                ptr::write(to.cast::<HalfWindow>(), pieced);
                written <= size_of::<HalfWindow>()
            };
            if !fits {
                copy(from, to, written, literal);
            }
        }
    }

    /// Ends writing.
    #[inline(always)]
    pub(super) fn end(self) {
        #[cfg(debug_assertions)]
        assert!(self.at <= self.bytes, "there was room for the lines");
        let length = self.out.len() + self.at;
        // SAFETY: `at` bytes are written from the old length on: each call wrote all from its `at` up to the next.
        unsafe { self.out.set_len(length) };
    }
}

/// Copies the literal and its column, together `written` bytes, and has the literal use whole windows.
///
/// # Safety
/// `written` bytes at `from` can be read, and as many at `to` written. They do not overlap. The literal is no longer than that.
#[cold]
#[inline(never)]
unsafe fn copy(from: *const u8, to: *mut u8, written: usize, literal: &Literal) {
    literal.widen();
    let before = literal.len();
    // SAFETY: as the caller guarantees.
    unsafe {
        ptr::copy_nonoverlapping(literal.window().as_ptr(), to, before);
        ptr::copy_nonoverlapping(from.add(before), to.add(before), written - before);
    }
}
