//! Blocks to search, and which bytes to prefetch meanwhile.
//!
//! AMD's processors read memory fastest in its order, if the next bytes are prefetched some kilobytes ahead. These
//! are ratios of times on Zen 5, with two threads and pages of 2 MB. Newlines are counted in 0.79 of the time
//! that eight pages side by side take. Filters take 0.79 to 0.87 of the time with pages in turn.
//!
//! On Emerald Rapids, pages in turn are faster: to locate columns takes 0.87 of the time in order, and the report 0.8. There,
//! what is read of the rows prefetches as well ([`Later`]). No other processors were measured.

use std::cell::Cell;
use std::sync::OnceLock;

use super::level::{GROUP_BYTES, PAGE_BYTES, WINDOW_BYTES, WINDOWS_TOGETHER};

/// The order in which this processor reads memory fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ahead {
    /// Byte after byte.
    InOrder,
    /// A cache line of each of several pages in turn.
    ByPages,
}

/// The number of pages of a block. They are prefetched in turn.
pub(crate) const PAGES: usize = 4;

/// How far ahead the search for delimiters prefetches in order.
///
/// These are ratios to the processor's time of rows that prefetched three cache lines each: Zen 5, one thread, other work beside it.
/// The report of this table found all delimiters; the one that is kept does not.
///
/// | KiB | 4 | 8 | 16 | 24 | 32 | 48 |
/// |---|---:|---:|---:|---:|---:|---:|
/// | report | 1.09 | 1.03 | 1.03 | 1.12 | 1.11 | 1.17 |
/// | one committee | 0.96 | 0.94 | 0.97 | 1.02 | 1.06 | 1.13 |
/// | sums by STATE | 1.01 | 0.96 | 0.98 | 1.04 | 1.04 | 1.07 |
/// | by month | 1.01 | 0.97 | 1.00 | 1.05 | 1.05 | 1.11 |
const DELIMITERS_AHEAD: usize = 8 << 10;

/// How far ahead the search for delimiters prefetches into the second-level cache. Memory then has work while folds look at the rows
/// of a block. A greater [`DELIMITERS_AHEAD`] gains nothing: the first-level cache waits for few lines at a time.
///
/// These are ratios to times without it: Zen 4, two threads, pages of 2 MB. 24 KiB take as long.
///
/// | question | ratio |
/// |---|---:|
/// | by CMTE_ID | 0.85 |
/// | by EMPLOYER | 0.87 |
/// | an amount | 0.85 |
/// | a state | 0.80 |
/// | sums by STATE | 0.87 |
/// | months and states, two conditions | 0.87 |
const DELIMITERS_FAR_AHEAD: usize = 16 << 10;

/// How far ahead counting prefetches in order. Half as much took 1.04 to 1.05 of the time, twice 0.97 to
/// 1.01, and four times 1.04 to 1.06.
pub(super) const COUNT_AHEAD: usize = 4096;

/// For each row of a block, the first of three cache lines of the next block.
///
/// Short lines prefetch the same bytes again, or what follows the next block. A block has some 85 rows of
/// contributions, and these need two thirds of the places.
pub(crate) type Places = [u16; 128];

static IN_ORDER: Places = {
    let mut places = [0; 128];
    let mut nth = 0;
    while nth < places.len() {
        places[nth] = (nth * 3 * WINDOW_BYTES) as u16;
        nth += 1;
    }
    places
};

static BY_PAGES: Places = {
    let mut places = [0; 128];
    let mut nth = 0;
    while nth < places.len() {
        let (page, turn) = (nth % PAGES, nth / PAGES);
        places[nth] = (page * PAGE_BYTES + turn * 3 * WINDOW_BYTES % PAGE_BYTES) as u16;
        nth += 1;
    }
    places
};

impl Ahead {
    #[cfg(test)]
    pub(crate) const ALL: [Ahead; 2] = [Ahead::InOrder, Ahead::ByPages];

    /// Returns the order for this processor.
    pub(crate) fn best() -> Ahead {
        // To ask a virtual processor who made it may take some ten thousand cycles.
        static BEST: OnceLock<Ahead> = OnceLock::new();
        *BEST.get_or_init(|| {
            if is_of_amd() {
                Ahead::InOrder
            } else {
                Ahead::ByPages
            }
        })
    }

    /// Returns what the rows of a block prefetch.
    pub(crate) fn places(self) -> &'static Places {
        match self {
            Ahead::InOrder => &IN_ORDER,
            Ahead::ByPages => &BY_PAGES,
        }
    }
}

/// Bytes to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block<'a> {
    /// The block, and what follows it.
    pub(crate) haystack: &'a [u8],
    /// The place of the block in the haystack.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The position of its first byte.
    pub(crate) first: u32,
    /// The byte between columns.
    pub(crate) delimiter: u8,
    /// The order in which the search for delimiters prefetches.
    pub(crate) ahead: Ahead,
}

impl<'a> Block<'a> {
    pub(super) fn bytes(&self) -> &'a [u8] {
        &self.haystack[self.start..self.end]
    }

    /// Prefetches the share of a group of windows.
    ///
    /// In order, the share has as many bytes as the group. By pages, it is a cache line of each page of the next block, into the
    /// second-level cache: the first-level one takes up to 1.03 of the time.
    #[inline(always)]
    pub(super) fn prefetch(&self, turn: usize) {
        match self.ahead {
            Ahead::InOrder => {
                let start = self.start + turn * GROUP_BYTES;
                for nth in 0..WINDOWS_TOGETHER {
                    let start = start + nth * WINDOW_BYTES;
                    prefetch_far(self.haystack, start + DELIMITERS_FAR_AHEAD);
                    prefetch(self.haystack, start + DELIMITERS_AHEAD);
                }
            }
            Ahead::ByPages => {
                let start = self.end + turn * WINDOW_BYTES % PAGE_BYTES;
                for page in 0..PAGES {
                    prefetch_far(self.haystack, start + page * PAGE_BYTES);
                }
            }
        }
    }
}

/// The cache lines of a block.
const LINES: usize = PAGES * PAGE_BYTES / WINDOW_BYTES;

/// The cache lines that one vector prefetches. Emerald Rapids waits for 16 at a time.
const LINES_TOGETHER: usize = 16;

/// How many cache lines of the block after the next one were prefetched.
///
/// By pages, the search prefetches the next block in a burst, and memory would rest while a fold looks at the rows. So each
/// vector prefetches some lines of the block after the next one, into the second-level cache.
///
/// These are ratios to times without it, by the lines that a vector prefetches: Emerald Rapids, two threads, pages of 2 MB.
/// Lines of the next block gain half as much, and the first-level cache less.
///
/// | lines | 8 | 12 | 16 | 24 | 32 |
/// |---|---:|---:|---:|---:|---:|
/// | sums by STATE | 0.82 | 0.83 | 0.83 | 0.89 | 0.94 |
/// | by CMTE_ID | 0.82 | 0.81 | 0.81 | 0.87 | 0.91 |
/// | by EMPLOYER | 0.86 | 0.86 | 0.82 | 0.88 | 0.93 |
/// | an amount | 0.87 | 0.85 | 0.83 | 0.85 | 0.86 |
#[derive(Debug, Default)]
pub(crate) struct Later(Cell<usize>);

impl Later {
    /// Begins a block. In order, the search prefetches all.
    pub(crate) fn begin(&self, ahead: Ahead) {
        self.0.set(match ahead {
            Ahead::InOrder => LINES,
            Ahead::ByPages => 0,
        });
    }

    /// Prefetches the next few lines, of a block that begins at `start`.
    #[inline(always)]
    pub(crate) fn prefetch(&self, bytes: &[u8], start: usize) {
        let first = self.0.get();
        if first < LINES {
            self.0.set(first + LINES_TOGETHER);
            for line in first..first + LINES_TOGETHER {
                let (page, turn) = (line % PAGES, line / PAGES);
                prefetch_far(bytes, start + page * PAGE_BYTES + turn * WINDOW_BYTES);
            }
        }
    }
}

/// Prefetches the item of `items` at `place`, which may lie outside.
#[inline(always)]
pub(crate) fn prefetch<T>(items: &[T], place: usize) {
    #[cfg(target_arch = "x86_64")]
    super::x86::prefetch(items.as_ptr().wrapping_add(place).cast());
    #[cfg(target_arch = "aarch64")]
    super::aarch64::prefetch(items.as_ptr().wrapping_add(place).cast());
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = (items, place);
}

/// Prefetches the byte of `bytes` at `place`, which may lie outside, into the second-level cache.
#[inline(always)]
fn prefetch_far(bytes: &[u8], place: usize) {
    #[cfg(target_arch = "x86_64")]
    super::x86::prefetch_far(bytes.as_ptr().wrapping_add(place));
    #[cfg(target_arch = "aarch64")]
    super::aarch64::prefetch_far(bytes.as_ptr().wrapping_add(place));
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = (bytes, place);
}

#[cfg(target_arch = "x86_64")]
fn is_of_amd() -> bool {
    super::x86::is_of_amd()
}

#[cfg(not(target_arch = "x86_64"))]
fn is_of_amd() -> bool {
    false
}
