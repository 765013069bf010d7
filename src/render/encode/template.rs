//! What rows of text repeat: literals before the columns, and one after the last.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::scan::simd::{HalfWindow, WINDOW_BYTES, Window};

/// Bytes before a column that every line repeats.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Literal {
    /// The bytes, and zeros.
    window: Window,
    /// The distance from the end before a column to the first byte of a window that has its literal: 1 less their
    /// number, wrapped.
    shift: usize,
    /// Whether the literal, or the literal and one of its columns, have needed more than half a window. All blocks and threads share this,
    /// and it is never unset. Only speed depends on it.
    is_wide: AtomicBool,
}

/// The literal of no bytes.
pub(crate) static NOTHING: Literal = Literal::empty();

impl Literal {
    /// The most bytes of a literal: a byte of its column follows it in the same window.
    pub(crate) const BYTES_MAX: usize = WINDOW_BYTES - 1;

    const fn empty() -> Literal {
        Literal {
            window: [0; WINDOW_BYTES],
            shift: 1,
            is_wide: AtomicBool::new(false),
        }
    }

    /// Returns the literal of these bytes, unless they are too many.
    pub(crate) fn new(bytes: &[u8]) -> Option<Literal> {
        let mut literal = Literal::empty();
        literal.window[..Literal::BYTES_MAX]
            .get_mut(..bytes.len())?
            .copy_from_slice(bytes);
        literal.shift = 1usize.wrapping_sub(bytes.len());
        literal.is_wide = AtomicBool::new(bytes.len() >= size_of::<HalfWindow>());
        Some(literal)
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

    /// Returns the place of the first byte of a window that has the literal and the column after the end `before`.
    #[inline(always)]
    pub(super) fn start_of_window(&self, before: u32) -> usize {
        (before as usize).wrapping_add(self.shift)
    }

    /// Returns the bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.window[..self.len()]
    }

    /// Says whether half a window has not been enough for the literal and a column.
    #[inline(always)]
    pub(super) fn is_wide(&self) -> bool {
        self.is_wide.load(Ordering::Relaxed)
    }

    /// Has the literal written in whole windows from now on.
    pub(super) fn widen(&self) {
        // A store, even of the same value, takes the cache line from other threads: rows of long columns took 1.4 of the time.
        if !self.is_wide() {
            self.is_wide.store(true, Ordering::Relaxed);
        }
    }
}

impl Clone for Literal {
    fn clone(&self) -> Literal {
        Literal {
            is_wide: AtomicBool::new(self.is_wide()),
            ..*self
        }
    }
}

/// A row of text without its values: a literal before each column, and one after the last.
#[derive(Clone, Debug)]
pub(crate) struct RowTemplate {
    literals: Vec<Literal>,
    after: Literal,
    /// The number of bytes of all: not added up for every write_row.
    length: usize,
}

impl RowTemplate {
    /// Returns the template of these literals.
    pub(crate) fn new(literals: Vec<Literal>, after: Literal) -> RowTemplate {
        RowTemplate {
            length: literals.iter().chain([&after]).map(Literal::len).sum(),
            literals,
            after,
        }
    }

    /// Returns the literals before the columns.
    #[inline(always)]
    pub(crate) fn literals(&self) -> &[Literal] {
        &self.literals
    }

    /// Returns the literal after the last column.
    #[inline(always)]
    pub(crate) fn after(&self) -> &Literal {
        &self.after
    }

    /// Returns the number of bytes of all literals.
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
        assert!(Literal::new(&[b'p'; 63]).is_some());
        assert!(Literal::new(&[b'p'; 64]).is_none());
    }
}
