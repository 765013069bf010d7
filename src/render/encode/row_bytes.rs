//! Bytes of rows, appended by copies of a fixed size.

use std::mem;

use crate::scan::simd::{WINDOW_BYTES, Window};

/// How much memory is cleared at a time, for copies of windows.
const GROWTH_BYTES: usize = 4 << 10;

/// Bytes of rows, and memory after them.
///
/// A short value is copied with the bytes after it, as one window: a copy of a fixed size needs neither a call nor a branch on
/// the length. The next copy covers the surplus.
#[derive(Debug, Default)]
pub struct RowBytes {
    /// The bytes, and initialized memory.
    memory: Vec<u8>,
    len: usize,
    escaped: Vec<u8>,
}

impl RowBytes {
    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.memory[..self.len]
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Says whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends `bytes`.
    pub fn extend_from_slice(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        if end + WINDOW_BYTES <= self.memory.len() {
            self.memory[self.len..end].copy_from_slice(bytes);
        } else {
            // No memory is cleared that the next line writes.
            self.memory.truncate(self.len);
            self.memory.extend_from_slice(bytes);
            self.memory.resize(end + GROWTH_BYTES, 0);
        }
        self.len = end;
    }

    /// Removes all bytes but the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Removes all bytes. Memory of more than `kept` bytes is given back.
    pub(crate) fn clear(&mut self, kept: usize) {
        self.len = 0;
        if self.memory.capacity() > kept || self.escaped.capacity() > kept {
            *self = RowBytes::default();
        }
    }

    /// Appends what `escape` appends to a vector.
    #[inline(never)]
    pub(crate) fn push_escaped(&mut self, escape: impl FnOnce(&mut Vec<u8>)) {
        let mut escaped = mem::take(&mut self.escaped);
        escape(&mut escaped);
        self.extend_from_slice(&escaped);
        escaped.clear();
        self.escaped = escaped;
    }

    /// Appends the first `count` bytes of `window`.
    #[inline(always)]
    pub(crate) fn push_window(&mut self, window: &Window, count: usize) {
        let room = self.memory.get_mut(self.len..);
        match room.and_then(|room| room.first_chunk_mut()) {
            Some(room) => {
                *room = *window;
                self.len += count;
            }
            None => self.push_slow(&window[..count]),
        }
    }

    #[inline(always)]
    pub(crate) fn spare(&mut self) -> &mut [u8] {
        &mut self.memory[self.len..]
    }

    /// Takes over the first `count` bytes of the spare memory.
    #[inline(always)]
    pub(crate) fn advance(&mut self, count: usize) {
        self.len = self.memory.len().min(self.len + count);
    }

    #[cold]
    #[inline(never)]
    fn push_slow(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

#[cfg(feature = "columnar")]
impl RowBytes {
    /// Returns no bytes, with room for `capacity`.
    pub(crate) fn with_capacity(capacity: usize) -> RowBytes {
        RowBytes {
            memory: Vec::with_capacity(capacity + GROWTH_BYTES),
            ..RowBytes::default()
        }
    }

    pub(crate) fn into_vec(mut self) -> Vec<u8> {
        self.memory.truncate(self.len);
        self.memory
    }

    /// Returns the bytes in `range` as a cell, which is quick to read, because bytes follow it.
    #[inline(always)]
    pub(crate) fn cell(&self, range: std::ops::Range<usize>) -> crate::scan::Cell<'_> {
        crate::scan::Cell::new(&self.memory[range.start..], range.len())
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, value: crate::scan::Cell<'_>) {
        match value.first_bytes() {
            Some(window) if value.len() <= WINDOW_BYTES => self.push_window(window, value.len()),
            _ => self.push_slow(value.bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values with few bytes after them and with many, and memory that ends anywhere.
    #[test]
    fn values_follow_each_other() {
        let text: Vec<u8> = (0..300).map(|nth| b'A' + (nth % 50) as u8).collect();
        let (mut out, mut expected) = (RowBytes::default(), Vec::new());
        for turn in 0..1000 {
            for len in [0, 1, turn % 70, 63, 64, 65, turn % 300] {
                let rest = &text[..(len + turn % 80).min(text.len())];
                out.push(crate::scan::Cell::new(rest, len));
                expected.extend_from_slice(&text[..len]);
            }
            out.push_escaped(|out| out.extend_from_slice(b"escaped"));
            expected.extend_from_slice(b"escaped");
            let len = expected.len() - turn % 3;
            out.truncate(len);
            expected.truncate(len);
            out.truncate(len + 1);
            assert!(out.bytes() == expected, "turn {turn}");
        }
    }

    #[test]
    fn unusual_memory_is_given_back() {
        let mut out = RowBytes::default();
        out.extend_from_slice(&[b'x'; 5000]);
        out.clear(1 << 20);
        assert!(out.is_empty() && out.memory.capacity() > 5000);
        out.extend_from_slice(&vec![b'x'; 1 << 20]);
        out.clear(1 << 20);
        assert!(out.is_empty() && out.memory.capacity() == 0);
    }
}
