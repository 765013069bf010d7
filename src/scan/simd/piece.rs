//! What stands before a column in a woven line.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{HalfWindow, WINDOW_BYTES, Window};

/// Bytes before a column that every line repeats.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Piece {
    /// The bytes, and zeros.
    window: Window,
    /// A bit for each of the bytes: [`Piece::BYTES_MAX`] at most.
    mask: u64,
    /// The distance from the end before a column to the first byte of a window that has its piece: 1 less their
    /// number, wrapped.
    shift: usize,
    /// Whether the piece, or the piece and one of its columns, have needed more than half a window. All blocks and threads share this,
    /// and it is never unset. Only speed depends on it.
    is_wide: AtomicBool,
}

/// The piece of no bytes.
pub(crate) static EMPTY_PIECE: Piece = Piece::empty();

impl Piece {
    /// The most bytes of a piece: a byte of its column follows it in the same window.
    pub(crate) const BYTES_MAX: usize = WINDOW_BYTES - 1;

    const fn empty() -> Piece {
        Piece {
            window: [0; WINDOW_BYTES],
            mask: 0,
            shift: 1,
            is_wide: AtomicBool::new(false),
        }
    }

    /// Returns the piece of these bytes, unless they are too many.
    pub(crate) fn new(bytes: &[u8]) -> Option<Piece> {
        let mut piece = Piece::empty();
        piece.window[..Piece::BYTES_MAX]
            .get_mut(..bytes.len())?
            .copy_from_slice(bytes);
        piece.mask = !(u64::MAX << bytes.len());
        piece.shift = 1usize.wrapping_sub(bytes.len());
        piece.is_wide = AtomicBool::new(bytes.len() >= size_of::<HalfWindow>());
        Some(piece)
    }

    /// Returns the bytes, and zeros.
    #[inline(always)]
    pub(crate) fn window(&self) -> &Window {
        &self.window
    }

    /// Returns the number of the bytes.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        1usize.wrapping_sub(self.shift)
    }

    /// Returns a bit for each of the bytes.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) fn mask(&self) -> u64 {
        self.mask
    }

    /// Returns the place of the first byte of a window that has the piece and the column after the end `before`.
    #[inline(always)]
    pub(super) fn start_of_window(&self, before: u32) -> usize {
        (before as usize).wrapping_add(self.shift)
    }

    /// Returns the bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.window[..self.len()]
    }

    /// Says whether half a window has not been enough for the piece and a column.
    #[inline(always)]
    pub(super) fn is_wide(&self) -> bool {
        self.is_wide.load(Ordering::Relaxed)
    }

    /// Has the piece written in whole windows from now on.
    pub(super) fn widen(&self) {
        // A store, even of the same value, takes the cache line from other threads: rows of long columns took 1.4 of the time.
        if !self.is_wide() {
            self.is_wide.store(true, Ordering::Relaxed);
        }
    }
}

impl Clone for Piece {
    fn clone(&self) -> Piece {
        Piece {
            is_wide: AtomicBool::new(self.is_wide()),
            ..*self
        }
    }
}

/// What a line is woven with: a piece before each of its columns, and one after the last.
#[derive(Clone, Debug)]
pub(crate) struct Weft {
    pieces: Vec<Piece>,
    after: Piece,
    /// The number of bytes of all: not added up for every weave.
    length: usize,
}

impl Weft {
    /// Returns the weft of these pieces.
    pub(crate) fn new(pieces: Vec<Piece>, after: Piece) -> Weft {
        Weft {
            length: pieces.iter().chain([&after]).map(Piece::len).sum(),
            pieces,
            after,
        }
    }

    /// Returns the pieces before the columns.
    #[inline(always)]
    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Returns the piece after the last column.
    #[inline(always)]
    pub(crate) fn after(&self) -> &Piece {
        &self.after
    }

    /// Returns the number of bytes of all pieces.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_leaves_room_for_a_byte_in_its_window() {
        assert!(Piece::new(&[b'p'; 63]).is_some());
        assert!(Piece::new(&[b'p'; 64]).is_none());
    }
}
