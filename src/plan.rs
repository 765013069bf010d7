//! How an input is cut: into tasks of whole lines that tile it exactly.
//!
//! A [`Plan`] lays a grid of nominal ranges over the input, every `task_bytes` bytes. Task `k` owns
//! the lines that *begin* in its nominal range: it starts at the first line start there, and ends
//! where its last line ends, in the next range or far beyond it. A range in which no line begins
//! owns nothing. So each worker can cut its own task by looking at bytes near two grid points,
//! without knowing what the others found, and yet every line belongs to exactly one task. Looking
//! for the start never leaves the nominal range, which keeps the cutting of a line of many ranges
//! linear in its length.
//!
//! Everything here is pure: no I/O, no threads. [`check_tiling`] is the other half of the promise:
//! after a run, what was in fact scanned must tile the input, or the run fails.

use std::num::NonZeroU64;
use std::ops::Range;

use memchr::memchr;

/// Where tasks may begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Tasks are whole lines.
    AtLines,
    /// Tasks are the nominal ranges themselves; enough for whoever counts bytes of a kind.
    Anywhere,
}

/// A grid of nominal ranges over an input of known length.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    length: u64,
    task_bytes: NonZeroU64,
}

impl Plan {
    /// A plan for `length` bytes in nominal ranges of `task_bytes`.
    pub fn new(length: u64, task_bytes: NonZeroU64) -> Plan {
        Plan { length, task_bytes }
    }

    /// The number of bytes planned for.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The nominal range of `task`; none past the last.
    ///
    /// ```
    /// use fecscan::plan::Plan;
    /// let plan = Plan::new(10, 4.try_into().unwrap());
    /// assert_eq!(plan.nominal(2), Some(8..10));
    /// assert_eq!(plan.nominal(3), None);
    /// ```
    pub fn nominal(&self, task: u64) -> Option<Range<u64>> {
        let start = task
            .checked_mul(self.task_bytes.get())
            .filter(|&start| start < self.length)?;
        Some(start..self.length.min(start.saturating_add(self.task_bytes.get())))
    }
}

/// The whole lines of `bytes` that begin in `nominal`: from the first line start there to the end
/// of the last of these lines. None if no line begins there. `nominal` must lie in `bytes`, or the
/// answer is none.
///
/// ```
/// use fecscan::plan::lines_beginning_in;
/// let bytes = b"ab\ncdefgh\ni";
/// assert_eq!(lines_beginning_in(bytes, 0..4), Some(0..10));
/// assert_eq!(lines_beginning_in(bytes, 4..8), None);
/// assert_eq!(lines_beginning_in(bytes, 8..11), Some(10..11));
/// ```
pub fn lines_beginning_in(bytes: &[u8], nominal: Range<usize>) -> Option<Range<usize>> {
    let start = first_line_start(bytes, nominal.clone())?;
    let end = match memchr(b'\n', bytes.get(nominal.end - 1..)?) {
        Some(newline) => nominal.end + newline,
        None => bytes.len(),
    };
    Some(start..end)
}

/// Where the first line begins that begins in `nominal`: at its start, or just after a newline that
/// is not its last byte.
pub fn first_line_start(bytes: &[u8], nominal: Range<usize>) -> Option<usize> {
    match nominal.start {
        _ if nominal.is_empty() => None,
        0 => Some(0),
        start => {
            memchr(b'\n', bytes.get(start - 1..nominal.end - 1)?).map(|newline| start + newline)
        }
    }
}

/// Whether `ranges`, ascending, tile `0..length`: the first place where they do not is the error.
///
/// ```
/// use fecscan::plan::check_tiling;
/// assert_eq!(check_tiling([0..4, 4..9].into_iter(), 9), Ok(()));
/// assert_eq!(check_tiling([0..4, 5..9].into_iter(), 9), Err(4));
/// assert_eq!(check_tiling([0..4, 3..9].into_iter(), 9), Err(3));
/// assert_eq!(check_tiling([0..4, 4..8].into_iter(), 9), Err(8));
/// ```
pub fn check_tiling(ranges: impl Iterator<Item = Range<u64>>, length: u64) -> Result<(), u64> {
    let mut covered = 0;
    for range in ranges {
        if range.start != covered || range.end <= range.start {
            return Err(covered.min(range.start));
        }
        covered = range.end;
    }
    if covered == length {
        Ok(())
    } else {
        Err(covered.min(length))
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
        let plan = Plan::new(bytes.len() as u64, task_bytes.try_into().unwrap());
        let mut tasks = Vec::new();
        for task in 0.. {
            let Some(nominal) = plan.nominal(task) else {
                break;
            };
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
            check_tiling(tasks.into_iter(), bytes.len() as u64),
            Ok(()),
            "{bytes:?} {task_bytes}"
        );
    }

    #[test]
    fn a_plan_for_nothing_has_no_tasks_and_a_huge_one_does_not_overflow() {
        assert_eq!(Plan::new(0, NonZeroU64::MIN).nominal(0), None);
        let huge = Plan::new(u64::MAX, NonZeroU64::MAX);
        assert_eq!(huge.nominal(0), Some(0..u64::MAX));
        assert_eq!(huge.nominal(1), None);
        assert_eq!(Plan::new(u64::MAX, NonZeroU64::MIN).nominal(u64::MAX), None);
    }
}
