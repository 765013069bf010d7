//! How an input is cut: into tasks of whole lines that tile it exactly.
//!
//! A [`Plan`] lays a grid of nominal ranges over the input, every `task_bytes` bytes. Task `k` owns
//! the lines that *begin* in its nominal range. It starts at the first line start there, and ends
//! where its last line ends, in the next range or far beyond it. A range without a line start owns
//! nothing. Each worker therefore cuts its own task by the bytes near two grid points, and knows
//! nothing of other workers. Still every line belongs to exactly one task. The search for the start
//! never leaves the nominal range, so the cutting of a line of many ranges is linear in its length.
//!
//! Everything here is pure: no I/O, no threads. [`check_tiling`] is the other half of the promise.
//! After a run, the scanned ranges must tile the input, or the run fails.

use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::memchr;

/// The most bytes of a task: 1 GiB. A chunk with its last line then has less than 2 GiB, as the scanner demands. That holds
/// even if a mapped file loses its newlines during the scan.
const TASK_BYTES_MAX: NonZeroU64 = NonZeroU64::new(1 << 30).unwrap();

/// Where tasks may begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Tasks are whole lines.
    AtLines,
    /// Tasks are the nominal ranges themselves. That suffices to count bytes of a kind.
    Anywhere,
}

/// A grid of nominal ranges over a range of an input, and a counter that hands them out.
#[derive(Debug)]
pub struct Plan {
    range: Range<u64>,
    /// The size of a nominal range.
    pub(crate) task_bytes: NonZeroU64,
    pub(crate) cut: Cut,
    /// The number of nominal ranges that were handed out.
    taken: AtomicU64,
}

impl Plan {
    /// Returns a plan for the bytes in `range`. The grid lies at multiples of `task_bytes`, which counts as 1 GiB at most.
    /// Only the first and the last nominal range may be smaller.
    pub fn new(range: Range<u64>, task_bytes: NonZeroU64, cut: Cut) -> Plan {
        Plan {
            range,
            task_bytes: task_bytes.min(TASK_BYTES_MAX),
            cut,
            taken: AtomicU64::new(0),
        }
    }

    /// Takes the next nominal range; none after the last. Workers share the plan: each range is handed
    /// out once.
    ///
    /// ```
    /// use fecscan::plan::{Cut, Plan};
    /// let plan = Plan::new(3..10, 4.try_into().unwrap(), Cut::AtLines);
    /// assert_eq!(plan.next(), Some(3..4));
    /// assert_eq!(plan.next(), Some(4..8));
    /// assert_eq!(plan.next(), Some(8..10));
    /// assert_eq!(plan.next(), None);
    /// ```
    pub fn next(&self) -> Option<Range<u64>> {
        self.nominal(self.taken.fetch_add(1, Ordering::Relaxed))
    }

    /// Hands out no more ranges.
    pub(crate) fn stop(&self) {
        // Workers may ask often afterwards: the counter must not wrap to the first range.
        self.taken.store(u64::MAX / 2, Ordering::Relaxed);
    }

    fn nominal(&self, task: u64) -> Option<Range<u64>> {
        let size = self.task_bytes.get();
        let start = (self.range.start / size)
            .checked_add(task)
            .and_then(|nth| nth.checked_mul(size))
            .filter(|&start| start.max(self.range.start) < self.range.end)?;
        let end = start.saturating_add(size).min(self.range.end);
        Some(start.max(self.range.start)..end)
    }
}

/// Returns the range of the whole lines of `bytes` that begin in `nominal`. Returns `None` without such
/// a line, or if `nominal` ends after `bytes`.
///
/// ```
/// use fecscan::plan::lines_beginning_in;
/// let bytes = b"ab\ncdefgh\ni";
/// assert_eq!(lines_beginning_in(bytes, 0..4), Some(0..10));
/// assert_eq!(lines_beginning_in(bytes, 4..8), None);
/// assert_eq!(lines_beginning_in(bytes, 8..11), Some(10..11));
/// ```
pub fn lines_beginning_in(bytes: &[u8], nominal: Range<usize>) -> Option<Range<usize>> {
    let start = first_line_start(bytes.get(..nominal.end)?, nominal.clone())?;
    let end = match memchr(b'\n', bytes.get(nominal.end - 1..)?) {
        Some(newline) => nominal.end + newline,
        None => bytes.len(),
    };
    Some(start..end)
}

/// Returns the first line start in `nominal`: byte 0, or the byte after a newline.
pub fn first_line_start(bytes: &[u8], nominal: Range<usize>) -> Option<usize> {
    match nominal.start {
        _ if nominal.is_empty() => None,
        0 => Some(0),
        start => {
            memchr(b'\n', bytes.get(start - 1..nominal.end - 1)?).map(|newline| start + newline)
        }
    }
}

/// Checks that `ranges`, ascending, tile `whole`. The error is the first byte where they do not.
///
/// ```
/// use fecscan::plan::check_tiling;
/// assert_eq!(check_tiling([0..4, 4..9].into_iter(), 0..9), Ok(()));
/// assert_eq!(check_tiling([0..4, 5..9].into_iter(), 0..9), Err(4));
/// assert_eq!(check_tiling([0..4, 3..9].into_iter(), 0..9), Err(3));
/// assert_eq!(check_tiling([2..4, 4..8].into_iter(), 2..9), Err(8));
/// ```
pub fn check_tiling(
    ranges: impl Iterator<Item = Range<u64>>,
    whole: Range<u64>,
) -> Result<(), u64> {
    let mut covered = whole.start;
    for range in ranges {
        if range.start != covered || range.end <= range.start {
            return Err(covered.min(range.start));
        }
        covered = range.end;
    }
    if covered == whole.end {
        Ok(())
    } else {
        Err(covered.min(whole.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cuts `bytes` by every task size and compares the tasks with the lines, found one by one.
    #[test]
    fn tasks_of_every_size_tile_every_small_text() {
        for length in 0..=9_u32 {
            for bits in 0..1_u32 << length {
                let bytes: Vec<u8> = (0..length)
                    .map(|i| if bits >> i & 1 == 1 { b'\n' } else { b'x' })
                    .collect();
                for task_bytes in 1..=10 {
                    assert_tiles(&bytes, task_bytes);
                }
            }
        }
    }

    fn assert_tiles(bytes: &[u8], task_bytes: u64) {
        let whole = 0..bytes.len() as u64;
        let plan = Plan::new(whole.clone(), task_bytes.try_into().unwrap(), Cut::AtLines);
        let mut tasks = Vec::new();
        while let Some(nominal) = plan.next() {
            let nominal = nominal.start as usize..nominal.end as usize;
            if let Some(lines) = lines_beginning_in(bytes, nominal.clone()) {
                assert!(
                    nominal.contains(&lines.start),
                    "{bytes:?} {task_bytes}: {lines:?} begins outside {nominal:?}"
                );
                let ends_a_line = lines.end == bytes.len() || bytes[lines.end - 1] == b'\n';
                assert!(ends_a_line, "{bytes:?} {task_bytes}: {lines:?} cuts a line");
                tasks.push(lines.start as u64..lines.end as u64);
            }
        }
        assert_eq!(
            check_tiling(tasks.into_iter(), whole),
            Ok(()),
            "{bytes:?} {task_bytes}"
        );
    }

    #[test]
    fn ranges_that_end_after_the_bytes_have_no_lines() {
        for bytes in [&b""[..], b"ab", b"a\n", b"a\nb"] {
            for start in 0..4 {
                for end in start..6 {
                    let found = lines_beginning_in(bytes, start..end);
                    let begins = |at: &usize| *at == 0 || bytes[at - 1] == b'\n';
                    let expected = (start..end).filter(|_| end <= bytes.len()).find(begins);
                    let found = found.map(|lines| lines.start);
                    assert_eq!(found, expected, "{bytes:?} {start}..{end}");
                }
            }
        }
    }

    #[test]
    fn a_plan_for_nothing_has_no_tasks_and_a_huge_one_does_not_overflow() {
        for size in 1..10 {
            let size = NonZeroU64::new(size).unwrap();
            assert_eq!(Plan::new(7..7, size, Cut::AtLines).next(), None, "{size}");
        }
        let huge = Plan::new(5..u64::MAX, NonZeroU64::MAX, Cut::AtLines);
        assert_eq!(huge.next(), Some(5..1 << 30), "positions have 32 bits");
        assert_eq!(huge.next(), Some(1 << 30..2 << 30));
        let tiny = Plan::new(1..u64::MAX, NonZeroU64::MIN, Cut::AtLines);
        assert_eq!(tiny.nominal(u64::MAX), None);
    }
}
