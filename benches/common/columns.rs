//! A visitor for all choices of columns, and its slow twin.

use fecscan::scan::columns::Span;
use fecscan::scan::simd::Level;
use fecscan::scan::{Record, Visitor};

/// Adds up the lengths of columns, each times its place in the choice counted from one. So bytes in
/// the wrong column change the sum. A missing column adds nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lengths(pub u64);

impl Lengths {
    #[inline(always)]
    fn add(&mut self, nth: usize, length: usize) {
        self.0 += (nth as u64 + 1) * length as u64;
    }

    /// The same of `line`, without a scanner: every column is split out.
    pub fn add_slowly(&mut self, line: &[u8], columns: &[usize]) {
        let split: Vec<_> = line.split(|&b| b == b'|').collect();
        for (nth, &column) in columns.iter().enumerate() {
            self.add(nth, split.get(column).map_or(0, |bytes| bytes.len()));
        }
    }
}

impl<const N: usize> Visitor<[Span; N]> for Lengths {
    #[inline(always)]
    fn record<L: Level>(&mut self, _: L, record: Record<'_, [Span; N]>) {
        for nth in 0..N {
            self.add(nth, record.column(nth).map_or(0, <[u8]>::len));
        }
    }
}

/// Columns chosen at compile time, at no cost for each line.
pub trait Choice<const N: usize>: Sync {
    /// Counted from zero, ascending.
    const COLUMNS: [usize; N];
}

/// IMAGE_NUM and NAME.
#[derive(Clone, Copy, Debug)]
pub struct OfReport;

impl Choice<2> for OfReport {
    const COLUMNS: [usize; 2] = [4, 7];
}

/// STATE and TRANSACTION_AMT.
#[derive(Clone, Copy, Debug)]
pub struct StateAndAmount;

impl Choice<2> for StateAndAmount {
    const COLUMNS: [usize; 2] = [9, 14];
}

/// All 21.
#[derive(Clone, Copy, Debug)]
pub struct All;

impl Choice<21> for All {
    const COLUMNS: [usize; 21] = {
        let mut columns = [0; 21];
        let mut nth = 0;
        while nth < columns.len() {
            columns[nth] = nth;
            nth += 1;
        }
        columns
    };
}
