//! How many lines each month has.

use std::mem;

use crate::fec::month::Month;
use crate::scan::simd::{Level, Portable};

/// How many months, with neighbouring indices, have their counters side by side: a little more than
/// a year's.
const GROUP: usize = 128;

/// Line counts by month, found by the month's six digits alone.
///
/// A million counters would do, but most are never used, and a fresh million for each worker and
/// file costs more than reading a small file. So the counters lie in groups, which are made when
/// their first month comes.
///
/// In front of them is a small table of the latest months, as they stand in the column: a line
/// whose six bytes are those of an earlier one needs no arithmetic to find its month.
#[derive(Clone, Debug)]
pub(crate) struct Months {
    /// Months that were met.
    met: Box<Met>,
    /// For each group of months, where its counters are. The first is nobody's.
    groups: Box<[u16]>,
    counters: Vec<[u64; GROUP]>,
}

/// Months that were met, each at its [place](place_of).
#[derive(Clone, Debug)]
struct Met {
    /// Their six bytes, in the upper ones of eight.
    digits: [u64; PLACES],
    /// Lines of these months that are not yet in their counters.
    lines: [u64; PLACES],
}

/// Of no six bytes.
const NOT_MET: u64 = u64::MAX;

/// Of a month's six bytes, the bits that are its place: those that tell the months of any twenty years apart.
const PLACE: u64 = 0x0f01_0f01_0000_0000;

/// How many places there are.
const PLACES: usize = 1 << PLACE.count_ones();

impl Default for Months {
    fn default() -> Months {
        let groups = vec![0; Month::COUNT.div_ceil(GROUP)].into_boxed_slice();
        Months {
            met: Box::new(Met {
                digits: [NOT_MET; PLACES],
                lines: [0; PLACES],
            }),
            groups,
            counters: vec![[0; GROUP]],
        }
    }
}

impl Months {
    /// Counts one more line, if the first six of `bytes` are those of a month that was met of late:
    /// that is the answer.
    #[inline(always)]
    pub(crate) fn add_met<L: Level>(&mut self, level: L, bytes: [u8; 8]) -> bool {
        let digits = u64::from_le_bytes(bytes) << 16;
        let place = place_of(level, digits);
        let met = self.met.digits[place] == digits;
        if met {
            self.met.lines[place] += 1;
        }
        met
    }

    /// Counts one more line, if the first six of `bytes` are digits, which is the answer: the month
    /// that they make. From now on it is met.
    #[cold]
    #[inline(never)]
    pub(crate) fn add_digits(&mut self, bytes: [u8; 8]) -> bool {
        let Some(month) = month_of(u64::from_le_bytes(bytes)) else {
            return false;
        };
        self.add(month, 1);
        let digits = u64::from_le_bytes(bytes) << 16;
        let place = place_of(Portable, digits);
        self.settle(place);
        self.met.digits[place] = digits;
        true
    }

    /// Moves the lines of the month at `place` to its counter.
    fn settle(&mut self, place: usize) {
        let lines = mem::take(&mut self.met.lines[place]);
        if let Some(month) = month_of(self.met.digits[place] >> 16) {
            self.add(month, lines);
        }
    }

    /// Counts `lines` more lines of `month`.
    pub(crate) fn add(&mut self, month: Month, lines: u64) {
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
    pub(crate) fn merge(&mut self, other: &Months) {
        for (month, lines) in other.ascending() {
            self.add(month, lines);
        }
    }

    /// The months that have lines, ascending, and how many.
    pub(crate) fn ascending(&self) -> Vec<(Month, u64)> {
        let mut all = self.clone();
        for place in 0..PLACES {
            all.settle(place);
        }
        let mut months = Vec::new();
        for (nth, &group) in all
            .groups
            .iter()
            .enumerate()
            .filter(|&(_, &group)| group > 0)
        {
            let counters = all.counters[usize::from(group)].iter().enumerate();
            let counted = counters.filter(|&(_, &lines)| lines > 0);
            months.extend(
                counted.map(|(place, &lines)| (Month::from_index(nth * GROUP + place), lines)),
            );
        }
        months
    }
}

/// Where among the months that were met the one is looked for whose `digits` these are.
#[inline(always)]
fn place_of<L: Level>(level: L, digits: u64) -> usize {
    level.extract(digits, PLACE) as usize % PLACES
}

/// The month that the first six of `bytes` make, if they are digits, the first of them lowest.
fn month_of(bytes: u64) -> Option<Month> {
    let [a, b, c, d, e, f, _, _] = bytes.to_le_bytes();
    Month::of_digits([a, b, c, d, e, f])
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

    /// The bytes of a column that begins with these.
    fn column(text: &str) -> [u8; 8] {
        format!("{text:x<8}").as_bytes()[..8].try_into().unwrap()
    }

    #[test]
    fn months_that_were_met_are_counted_like_others() {
        let mut months = Months::default();
        let mut expected = std::collections::BTreeMap::<u32, u64>::new();
        // Months of several decades, which take each other's places, in no order.
        for step in 0..200_000_u32 {
            let digits = step.wrapping_mul(2_654_435_761) % 40 * 5_003 % 1_000_000 + step / 50_000;
            let bytes = column(&format!("{digits:06}"));
            assert!(months.add_met(Portable, bytes) || months.add_digits(bytes));
            assert!(months.add_met(Portable, bytes), "it has just been met");
            *expected.entry(digits).or_default() += 2;
        }
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(digits, lines)| (Month::from_index(digits as usize), lines))
            .collect();
        assert_eq!(months.ascending(), expected);
        let mut merged = months.clone();
        merged.merge(&months);
        assert!(
            merged
                .ascending()
                .into_iter()
                .eq(expected.into_iter().map(|(m, n)| (m, 2 * n)))
        );
    }

    #[test]
    fn what_is_no_month_is_never_met() {
        let mut months = Months::default();
        let bytes = [
            [0; 8],
            [0xff; 8],
            column("20180|"),
            column(" 20180"),
            column(""),
        ];
        for bytes in bytes {
            for _ in 0..2 {
                assert!(
                    !months.add_met(Portable, bytes) && !months.add_digits(bytes),
                    "{bytes:?}"
                );
            }
        }
        assert!(months.ascending().is_empty());
    }

    #[test]
    fn the_months_of_two_decades_have_places_of_their_own() {
        for first in 1975..=2080 {
            let places: std::collections::BTreeSet<_> = (first..first + 20)
                .flat_map(|year| (1..=12).map(move |month| format!("{year}{month:02}")))
                .map(|digits| place_of(Portable, u64::from_le_bytes(column(&digits)) << 16))
                .collect();
            assert_eq!(places.len(), 240, "{first}");
        }
    }
}
