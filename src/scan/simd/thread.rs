//! A weave under way: see [`weave`](super::weave).

#![allow(unsafe_code)]

use std::ptr;

use super::{HalfWindow, Level, Piece, WINDOW_BYTES, Window};

/// Bytes that are woven at the end of a vector.
pub(super) struct Thread<'h, 'v> {
    haystack: &'h [u8],
    to: *mut u8,
    /// The number of bytes written.
    at: usize,
    /// The most of them.
    #[cfg(debug_assertions)]
    bytes: usize,
    out: &'v mut Vec<u8>,
}

impl<'h, 'v> Thread<'h, 'v> {
    /// Begins a weave of columns of the haystack. Reserves `bytes` and a window in `out`.
    #[inline(always)]
    pub(super) fn new(haystack: &'h [u8], bytes: usize, out: &'v mut Vec<u8>) -> Thread<'h, 'v> {
        out.reserve(bytes.saturating_add(WINDOW_BYTES));
        Thread {
            haystack,
            to: out.spare_capacity_mut().as_mut_ptr().cast(),
            at: 0,
            #[cfg(debug_assertions)]
            bytes,
            out,
        }
    }

    /// Writes each of the `pieces` and its column, and then the piece `after`, given the end before the columns and
    /// the `ends` of all.
    ///
    /// # Safety
    /// - `ends` has an entry for each of `pieces`. `before` and the entries ascend.
    /// - `before` is at least `WINDOW_BYTES - 1`. The haystack has `WINDOW_BYTES` more bytes after the last entry.
    /// - What all calls write, `after` included, is no more than the bytes that this was made with.
    #[inline(always)]
    pub(super) unsafe fn put_line<L: Level>(
        &mut self,
        level: L,
        mut before: u32,
        ends: &[u32],
        pieces: &[Piece],
        after: &Piece,
    ) {
        debug_assert_eq!(pieces.len(), ends.len());
        for (piece, &end) in pieces.iter().zip(ends) {
            // SAFETY: as the caller guarantees.
            unsafe { self.put(level, piece, before, end) };
            before = end;
        }
        // SAFETY: the room ends a window after the bytes that the caller guarantees.
        unsafe { ptr::write(self.to.add(self.at).cast::<Window>(), *after.window()) };
        self.at += after.len();
    }

    /// Writes the piece, and the column between the ends `before` and `end`.
    ///
    /// Whether half a window is enough is asked of the piece, not of this column: a branch on lengths that vary
    /// is mispredicted.
    ///
    /// # Safety
    /// As for [`Thread::put_line`].
    #[inline(always)]
    unsafe fn put<L: Level>(&mut self, level: L, piece: &Piece, before: u32, end: u32) {
        let start = piece.start_of_window(before);
        // At least the piece: the column ends after the end before it.
        let woven = end as usize - start;
        let from = self.haystack.as_ptr().wrapping_add(start);
        let to = self.to.wrapping_add(self.at);
        self.at += woven;
        // SAFETY: a piece is shorter than a window, and the haystack has a window before the column and after it.
        // Bytes that change meanwhile are read as something or other. The room ends a window after `woven` bytes.
        unsafe {
            let fits = if piece.is_wide() {
                let bytes = ptr::read(from.cast::<Window>());
                ptr::write(to.cast::<Window>(), level.pieced(&bytes, piece));
                woven <= WINDOW_BYTES
            } else {
                let bytes = ptr::read(from.cast::<HalfWindow>());
                let pieced = level.half_pieced(&bytes, piece);
                ptr::write(to.cast::<HalfWindow>(), pieced);
                woven <= size_of::<HalfWindow>()
            };
            if !fits {
                copy(from, to, woven, piece);
            }
        }
    }

    /// Ends the weave.
    #[inline(always)]
    pub(super) fn end(self) {
        #[cfg(debug_assertions)]
        assert!(self.at <= self.bytes, "there was room for the lines");
        let length = self.out.len() + self.at;
        // SAFETY: `at` bytes are written from the old length on: each call wrote all from its `at` up to the next.
        unsafe { self.out.set_len(length) };
    }
}

/// Copies the piece and its column, together `woven` bytes, and has the piece use whole windows.
///
/// # Safety
/// `woven` bytes at `from` can be read, and as many at `to` written. They do not overlap. The piece is no longer than that.
#[cold]
#[inline(never)]
unsafe fn copy(from: *const u8, to: *mut u8, woven: usize, piece: &Piece) {
    piece.widen();
    let before = piece.len();
    // SAFETY: as the caller guarantees.
    unsafe {
        ptr::copy_nonoverlapping(piece.window().as_ptr(), to, before);
        ptr::copy_nonoverlapping(from.add(before), to.add(before), woven - before);
    }
}
