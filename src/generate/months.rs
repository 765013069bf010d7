//! In which month a row was filed.
//!
//! The months are those of the 2018 cycle as it stood on 4 January 2019, and their shares are as
//! they were counted there. Rows of a real file come in runs of one filing, and so does its month
//! here: all rows of a [`RUN_ROWS`] share it, except for one row in 64, which stands for late and
//! corrected filings.
//!
//! The months of runs are not drawn independently. Run by run, a golden-ratio sequence steps
//! through the table, which keeps every month's share closer to the table's, for any number of
//! rows, than chance would. Months so rare that a single run would be too much have stray rows
//! only.

use super::draws::{Draws, scaled};

/// The number of rows in a run.
pub const RUN_ROWS: u64 = 64;

/// Of how many rows one strays from the month of its run.
const STRAY: u32 = 64;

/// Months, `YYYYMM`, and how many of the 18,245,416 lines each had.
pub const TABLE: [(u32, u32); 25] = [
    (201701, 21),
    (201702, 36_367),
    (201703, 78_664),
    (201704, 254_810),
    (201705, 197_636),
    (201706, 180_699),
    (201707, 768_051),
    (201708, 298_740),
    (201709, 377_544),
    (201710, 585_708),
    (201711, 346_019),
    (201712, 486_447),
    (201801, 1_252_689),
    (201802, 765_317),
    (201803, 271_267),
    (201804, 3_033_610),
    (201805, 533_304),
    (201806, 496_569),
    (201807, 1_105_070),
    (201808, 733_865),
    (201809, 1_264_597),
    (201810, 2_615_902),
    (201811, 302_025),
    (201812, 2_259_957),
    (201901, 538),
];

/// Months with fewer lines have no runs.
const RUN_LINES_MIN: u32 = 1000;

/// Picks months in the proportions of the table.
#[derive(Clone, Debug)]
pub struct Months {
    runs: Cumulative,
    strays: Cumulative,
    /// Where the golden-ratio sequence begins.
    start: u64,
}

impl Months {
    /// The months under `seed`.
    pub fn new(seed: u64) -> Months {
        let rare = |lines| lines < RUN_LINES_MIN;
        let runs = TABLE.map(|(_, lines)| if rare(lines) { 0 } else { lines });
        // All of the rare months' rows are strays, but only one row in 64 is one.
        let strays = TABLE.map(|(_, lines)| if rare(lines) { lines * STRAY } else { lines });
        Months {
            runs: Cumulative::new(runs),
            strays: Cumulative::new(strays),
            start: Draws::of_block(seed, u64::MAX).bits(),
        }
    }

    /// The month of run number `run`, as an index into the table.
    pub fn of_run(&self, run: u64) -> usize {
        /// 2^64 divided by the golden ratio: multiples of it are spread as evenly as can be.
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let place = self.start.wrapping_add(run.wrapping_mul(STEP));
        self.runs.at(place >> 32)
    }

    /// The month of a row whose run has the month `of_run`.
    #[inline(always)]
    pub fn of_row(&self, of_run: usize, draws: &mut Draws) -> usize {
        if draws.below(STRAY) == 0 {
            self.strays.at(draws.bits() >> 32)
        } else {
            of_run
        }
    }
}

/// Weights, summed up.
#[derive(Clone, Debug)]
struct Cumulative([u32; TABLE.len()]);

impl Cumulative {
    fn new(weights: [u32; TABLE.len()]) -> Cumulative {
        let mut sum = 0;
        Cumulative(weights.map(|weight| {
            sum += weight;
            sum
        }))
    }

    /// The index at `fraction` of 2^32 of the sum.
    fn at(&self, fraction: u64) -> usize {
        let place = scaled(fraction, self.0[TABLE.len() - 1]);
        self.0.partition_point(|&sum| sum <= place)
    }
}
