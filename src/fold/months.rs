//! How many lines each month has.

use crate::fec::month::Month;

/// Line counts by month, directly indexed by the month's six digits.
///
/// A million counters are 8 MB of addresses, but the system backs with memory only the pages that are touched: the
/// months of a file lie close together, on two pages. Which months there are is noted at their first line, so that
/// merging and listing cost nothing for the others.
#[derive(Clone, Debug)]
pub struct Months {
    lines: Box<[u64]>,
    seen: Vec<Month>,
}

impl Default for Months {
    fn default() -> Months {
        Months {
            lines: vec![0; Month::COUNT].into_boxed_slice(),
            seen: Vec::new(),
        }
    }
}

impl Months {
    /// Counts `lines` more lines of `month`.
    #[inline(always)]
    pub fn add(&mut self, month: Month, lines: u64) {
        let counter = &mut self.lines[month.index()];
        if *counter == 0 {
            self.seen.push(month);
        }
        *counter += lines;
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Months) {
        for &month in &other.seen {
            self.add(month, other.lines[month.index()]);
        }
    }

    /// The months that have lines, ascending, and how many.
    ///
    /// ```
    /// use fecscan::fec::month::Month;
    /// use fecscan::fold::months::Months;
    /// let mut months = Months::default();
    /// months.add(Month::from_index(201804), 2);
    /// months.add(Month::from_index(201701), 1);
    /// months.add(Month::from_index(201804), 1);
    /// assert_eq!(months.ascending(), [(Month::from_index(201701), 1), (Month::from_index(201804), 3)]);
    /// ```
    pub fn ascending(&self) -> Vec<(Month, u64)> {
        let mut months: Vec<_> = self
            .seen
            .iter()
            .map(|&month| (month, self.lines[month.index()]))
            .collect();
        months.sort_unstable();
        months
    }
}
