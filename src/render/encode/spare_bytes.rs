//! Bytes appended to a vector by windows, of each only the first ones.
//!
//! One store writes a whole window, and the next one covers what does not count. A vector's own methods would
//! write its length back after each.

#![allow(unsafe_code)]

use std::ops::Range;
use std::ptr;

use crate::scan::simd::{Level, WINDOW_BYTES, WINDOWS_TOGETHER, Window};

/// The number of bytes that are copied without a branch on how many there are.
const COPIED_TOGETHER: usize = WINDOWS_TOGETHER * WINDOW_BYTES;

/// The end of a vector to which windows are appended. The vector has its new length when this is dropped.
pub(crate) struct SpareBytes<'v> {
    out: &'v mut Vec<u8>,
    /// The vector's bytes: `capacity` of them.
    to: *mut u8,
    capacity: usize,
    /// The number of bytes that count. They are initialized.
    at: usize,
}

impl<'v> SpareBytes<'v> {
    /// Returns the end of `out`.
    #[inline(always)]
    pub(crate) fn of(out: &'v mut Vec<u8>) -> SpareBytes<'v> {
        SpareBytes {
            to: out.as_mut_ptr(),
            capacity: out.capacity(),
            at: out.len(),
            out,
        }
    }

    /// Returns the number of bytes of the vector.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.at
    }

    /// Makes room for `more` bytes.
    #[inline(always)]
    pub(crate) fn reserve(&mut self, more: usize) {
        if self.capacity - self.at < more {
            self.vector(|out| out.reserve(more));
        }
    }

    /// Appends the first bytes of `window`, `counted` of them.
    ///
    /// In the assembly of a loop, look for the store, and one branch to a panic.
    ///
    /// # Panics
    /// If a window is not reserved. A reservation here would have the window in memory across its call.
    #[inline(always)]
    pub(crate) fn push(&mut self, window: &Window, counted: usize) {
        assert!(
            self.capacity - self.at >= WINDOW_BYTES,
            "a window is reserved"
        );
        // SAFETY: `at` is at most the vector's capacity, and a window or more is left after it.
        unsafe { ptr::write(self.to.add(self.at).cast::<Window>(), *window) };
        self.at += counted.min(WINDOW_BYTES);
    }

    /// Appends a byte.
    ///
    /// # Panics
    /// If none is reserved.
    #[inline(always)]
    pub(crate) fn push_byte(&mut self, byte: u8) {
        assert!(self.at < self.capacity, "a byte is reserved");
        // SAFETY: `at` is less than the vector's capacity.
        unsafe { ptr::write(self.to.add(self.at), byte) };
        self.at += 1;
    }

    /// Reserves and appends the bytes of `haystack` in `range`, with `by` in place of each `byte`.
    ///
    /// # Panics
    /// If the range does not lie in the haystack.
    #[inline(always)]
    pub(crate) fn copy<L: Level>(
        &mut self,
        level: L,
        haystack: &[u8],
        range: Range<usize>,
        byte: u8,
        by: u8,
    ) {
        let bytes = &haystack[range.clone()];
        self.reserve(bytes.len() + COPIED_TOGETHER);
        if haystack.len() - range.end < COPIED_TOGETHER {
            let replaced = |&b: &u8| if b == byte { by } else { b };
            return self.vector(|out| out.extend(bytes.iter().map(replaced)));
        }
        // Not in the loop, where each store might change what is in memory.
        let from = haystack.as_ptr().wrapping_add(range.start);
        let to = self.to.wrapping_add(self.at);
        let mut copied = 0;
        loop {
            for _ in 0..WINDOWS_TOGETHER {
                // SAFETY: `copied` is less than the length of the bytes plus `COPIED_TOGETHER`. After the bytes, the haystack
                // has as many more, and so has the vector.
                unsafe {
                    let window = ptr::read(from.add(copied).cast::<Window>());
                    let replaced = level.replaced(&window, byte, by);
                    ptr::write(to.add(copied).cast::<Window>(), replaced);
                }
                copied += WINDOW_BYTES;
            }
            if copied >= bytes.len() {
                break;
            }
        }
        self.at += bytes.len();
    }

    /// Keeps the first `length` bytes only.
    #[inline(always)]
    pub(crate) fn truncate(&mut self, length: usize) {
        self.at = self.at.min(length);
    }

    /// Has `change` work on the vector itself. This is slow.
    #[inline(always)]
    pub(crate) fn vector(&mut self, change: impl FnOnce(&mut Vec<u8>)) {
        self.set_length();
        change(self.out);
        (self.to, self.capacity, self.at) =
            (self.out.as_mut_ptr(), self.out.capacity(), self.out.len());
    }

    #[inline(always)]
    fn set_length(&mut self) {
        // SAFETY: the vector's first `at` bytes are its own or were written, and lie within its capacity.
        unsafe { self.out.set_len(self.at) };
    }
}

impl Drop for SpareBytes<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.set_length();
    }
}

#[cfg(test)]
mod tests {
    use std::slice;

    use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

    use super::super::template::Literal;
    use super::*;
    use crate::scan::simd::{Kernel, Simd};

    struct PieceAndFirst<'a>(&'a Literal, &'a [u8], &'a mut Vec<u8>);

    impl Kernel for PieceAndFirst<'_> {
        type Output = usize;

        #[inline(always)]
        fn run<L: Level>(self, level: L) -> usize {
            let (window, first) = level.appended(self.0.window(), self.0.len(), self.1);
            let mut spare = SpareBytes::of(self.2);
            spare.reserve(WINDOW_BYTES);
            spare.push(&window, self.0.len() + first);
            first
        }
    }

    /// The bytes lie at both ends of a page between two that may not be read.
    #[test]
    fn a_piece_and_bytes_of_any_length_are_joined_and_nothing_else_is_read() {
        const PAGE: usize = 1 << 16;
        // SAFETY: the pages are new, and only the middle one is used while it is mapped.
        let page = unsafe {
            let flags = MapFlags::PRIVATE;
            let all = ProtFlags::READ | ProtFlags::WRITE;
            let pages = mmap_anonymous(ptr::null_mut(), 3 * PAGE, all, flags).unwrap();
            mprotect(pages, PAGE, MprotectFlags::empty()).unwrap();
            mprotect(pages.add(2 * PAGE), PAGE, MprotectFlags::empty()).unwrap();
            slice::from_raw_parts_mut(pages.add(PAGE).cast::<u8>(), PAGE)
        };
        (0..PAGE).for_each(|nth| page[nth] = b'A' + (nth % 50) as u8);
        for simd in Simd::available() {
            for piece_length in [0, 1, 17, 32, 62, 63] {
                let literal = Literal::new(&vec![b'.'; piece_length]).unwrap();
                for length in 0..=130 {
                    for bytes in [&page[..length], &page[PAGE - length..]] {
                        let mut out = b"before".to_vec();
                        let first = simd.dispatch(PieceAndFirst(&literal, bytes, &mut out));
                        let expected = length.min(WINDOW_BYTES - 1 - piece_length);
                        assert_eq!(first, expected, "{} {piece_length}", simd.name());
                        let expected = [b"before", literal.bytes(), &bytes[..first]].concat();
                        assert_eq!(out, expected, "{} {piece_length} {length}", simd.name());
                    }
                }
            }
        }
        // SAFETY: nothing refers to the pages any more.
        unsafe { munmap(page.as_mut_ptr().sub(PAGE).cast(), 3 * PAGE).unwrap() };
    }

    struct Copy<'a>(&'a [u8], Range<usize>, &'a mut Vec<u8>);

    impl Kernel for Copy<'_> {
        type Output = ();

        #[inline(always)]
        fn run<L: Level>(self, level: L) {
            let mut spare = SpareBytes::of(self.2);
            spare.copy(level, self.0, self.1, b'|', b',');
            spare.push_byte(b'!');
        }
    }

    /// The bytes lie at the end of a vector of just their length, and before the end.
    #[test]
    fn bytes_of_any_length_are_copied_with_one_replaced_at_every_level() {
        for simd in Simd::available() {
            for length in (0..=270).chain([511, 512, 513, 5000]) {
                for after in [0, 1, 255, 256, 257, 1000] {
                    let byte = |nth: usize| {
                        if nth.is_multiple_of(7) {
                            b'|'
                        } else {
                            b'A' + (nth % 26) as u8
                        }
                    };
                    let haystack: Vec<_> = (0..3 + length + after).map(byte).collect();
                    let mut out = b"before".to_vec();
                    simd.dispatch(Copy(&haystack, 3..3 + length, &mut out));
                    let copied = haystack[3..3 + length].iter();
                    let mut expected = b"before".to_vec();
                    expected.extend(copied.map(|&b| if b == b'|' { b',' } else { b }));
                    expected.push(b'!');
                    assert_eq!(out, expected, "{} {length} {after}", simd.name());
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "a byte is reserved")]
    fn a_byte_that_was_not_reserved_is_refused() {
        SpareBytes::of(&mut Vec::new()).push_byte(1);
    }

    #[test]
    fn a_room_grows_shrinks_and_leaves_the_vector_whole() {
        let mut out = b"ab".to_vec();
        let mut spare = SpareBytes::of(&mut out);
        for nth in 0..1000 {
            spare.reserve(WINDOW_BYTES);
            spare.push(&[nth as u8; WINDOW_BYTES], nth % 65);
        }
        spare.truncate(10);
        spare.truncate(1_000_000);
        assert_eq!(spare.len(), 10);
        spare.vector(|out| out.extend_from_slice(b"yz"));
        drop(spare);
        assert_eq!(out, [b"ab", &[1, 2, 2, 3, 3, 3, 4, 4][..], b"yz"].concat());
    }

    #[test]
    #[should_panic(expected = "a window is reserved")]
    fn a_window_that_was_not_reserved_is_refused() {
        let mut out = Vec::new();
        SpareBytes::of(&mut out).push(&[0; WINDOW_BYTES], 1);
    }
}
