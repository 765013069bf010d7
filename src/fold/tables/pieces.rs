//! Bytes by part. They are written to a buffer. A full one moves to a piece of the arena.

use super::arena::{Arena, CELL_BYTES, Piece};
use super::partitions::PARTITIONS;
use crate::scan::simd::{WINDOW_BYTES, prefetch};

/// Entries by part.
#[derive(Debug)]
pub(super) struct Pieces {
    /// One for each part. All of them fit the second-level cache.
    buffers: Vec<[u8; CELL_BYTES]>,
    /// For each part the bytes used of its buffer.
    used: [u16; PARTITIONS],
    /// For each part its full buffers, in the arena.
    full: Vec<Vec<Piece>>,
    arena: Arena,
}

impl Pieces {
    pub(super) fn new() -> Pieces {
        Pieces {
            buffers: vec![[0; CELL_BYTES]; PARTITIONS],
            used: [0; PARTITIONS],
            full: vec![Vec::new(); PARTITIONS],
            arena: Arena::default(),
        }
    }

    /// Returns room for an entry of `bytes` bytes, and for `after` more, which the next entry covers. A full
    /// buffer has none.
    #[inline(always)]
    pub(super) fn room(&mut self, part: usize, bytes: usize, after: usize) -> Option<&mut [u8]> {
        let start = usize::from(self.used[part]);
        let room = self.buffers[part].get_mut(start..start + bytes + after)?;
        self.used[part] = (start + bytes) as u16;
        Some(room)
    }

    /// Prefetches the end of the entries of a buffer.
    #[inline(always)]
    pub(super) fn prefetch(&self, part: usize) {
        prefetch(&self.buffers[part], usize::from(self.used[part]));
    }

    /// Says whether the buffer has room for an entry of this length.
    pub(super) fn has_room(&self, part: usize, bytes: usize) -> bool {
        usize::from(self.used[part]) + bytes <= CELL_BYTES
    }

    /// Moves the buffer of a part to the arena.
    pub(super) fn flush(&mut self, part: usize) {
        let piece = self.arena.push(&self.buffers[part], self.used[part]);
        self.full[part].push(piece);
        self.used[part] = 0;
    }

    /// Removes all entries of a part.
    pub(super) fn clear(&mut self, part: usize) {
        self.used[part] = 0;
        self.arena.free(self.full[part].drain(..));
    }

    /// Returns the bytes that a part takes in the arena.
    pub(super) fn bytes(&self, part: usize) -> usize {
        self.full[part].len() * CELL_BYTES
    }

    /// Calls `see` with each piece of a part: bytes, and how many of them are entries.
    #[inline(always)]
    pub(super) fn each(&self, part: usize, mut see: impl FnMut(&[u8], usize)) {
        let pieces = &self.full[part];
        for (nth, &piece) in pieces.iter().enumerate() {
            if let Some(&next) = pieces.get(nth + 1) {
                let (bytes, length) = self.arena.piece(next);
                (0..length)
                    .step_by(WINDOW_BYTES)
                    .for_each(|place| prefetch(bytes, place));
            }
            let (bytes, length) = self.arena.piece(piece);
            see(bytes, length);
        }
        see(&self.buffers[part], usize::from(self.used[part]));
    }
}
