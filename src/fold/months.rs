//! How many lines each month has.

use crate::fec::month::Month;

/// How many months, with neighbouring indices, have their counters side by side: a little more than
/// a year's.
const GROUP: usize = 128;

/// Line counts by month, found by the month's six digits alone.
///
/// A million counters would do, but most are never used, and a fresh million for each worker and
/// file costs more than reading a small file. So the counters lie in groups, which are made when
/// their first month comes.
#[derive(Clone, Debug)]
pub struct Months {
    /// For each group of months, where its counters are. The first is nobody's.
    groups: Box<[u16]>,
    counters: Vec<[u64; GROUP]>,
}

impl Default for Months {
    fn default() -> Months {
        let groups = vec![0; Month::COUNT.div_ceil(GROUP)].into_boxed_slice();
        Months {
            groups,
            counters: vec![[0; GROUP]],
        }
    }
}

impl Months {
    /// Counts `lines` more lines of `month`.
    #[inline(always)]
    pub fn add(&mut self, month: Month, lines: u64) {
        let group = self.groups[month.index() / GROUP];
        let group = if group == 0 {
            self.new_group(month)
        } else {
            group
        };
        self.counters[usize::from(group)][month.index() % GROUP] += lines;
    }

    #[cold]
    fn new_group(&mut self, month: Month) -> u16 {
        let group = self.counters.len() as u16;
        self.counters.push([0; GROUP]);
        self.groups[month.index() / GROUP] = group;
        group
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Months) {
        for (month, lines) in other.ascending() {
            self.add(month, lines);
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
        let mut months = Vec::new();
        for (nth, &group) in self
            .groups
            .iter()
            .enumerate()
            .filter(|&(_, &group)| group > 0)
        {
            let counters = self.counters[usize::from(group)].iter().enumerate();
            let counted = counters.filter(|&(_, &lines)| lines > 0);
            months.extend(
                counted.map(|(place, &lines)| (Month::from_index(nth * GROUP + place), lines)),
            );
        }
        months
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_months_there_are_can_be_counted_and_merged() {
        let (mut all, mut even) = (Months::default(), Months::default());
        for index in (0..Month::COUNT).rev() {
            all.add(Month::from_index(index), 1);
            if index % 2 == 0 {
                even.add(Month::from_index(index), 2);
            }
        }
        all.merge(&even);
        let expected = (0..Month::COUNT)
            .map(|index| (Month::from_index(index), if index % 2 == 0 { 3 } else { 1 }));
        assert!(all.ascending().into_iter().eq(expected));
    }
}
