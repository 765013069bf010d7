//! Values that do not stand in a row as they are: derived, joined and converted ones.

use std::io::Write;

use super::{ColumnKind, Derivation, ExportColumns, Types};
use crate::expr::{KeyFunction, append};
use crate::fec::{amount, date, trimmed};
use crate::join::{Counted, Partners, WithoutPartner};
use crate::scan::{Cell, FilterCounts, Rows};

/// The most memory to keep from one block to the next.
const KEPT_BYTES: usize = 4 << 20;

/// The made values of the rows of a block, row by row.
#[derive(Clone, Debug, Default)]
pub(crate) struct DerivedValues {
    bytes: Vec<u8>,
    /// Where each value ends in `bytes`.
    ends: Vec<usize>,
    width: usize,
}

/// Rows and values without something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// For each made value: the number of values that could not be parsed.
    pub(crate) unparsed: Vec<u64>,
    /// The numbers of rows without a partner.
    without_partner: FilterCounts,
}

impl DerivedValues {
    pub(crate) fn cell(&self, row: usize, nth: usize) -> Cell<'_> {
        let nth = row * self.width + nth;
        let start = nth.checked_sub(1).map_or(0, |before| self.ends[before]);
        Cell::new(&self.bytes[start..], self.ends[nth] - start)
    }

    /// Makes the values of `rows`, which have this label. They replace the former ones.
    pub(crate) fn derive(
        &mut self,
        columns: &ExportColumns,
        partners: &Partners,
        rows: &Rows<'_>,
        label: &str,
        tally: &mut Tally,
    ) {
        self.bytes.clear();
        self.bytes.shrink_to(KEPT_BYTES);
        self.ends.clear();
        self.width = columns.derived.len();
        if columns.derived.is_empty() {
            return;
        }
        tally.unparsed.resize(self.width, 0);
        let mut id = Vec::new();
        for row in rows.iter() {
            let mut lacks = [false; FilterCounts::COUNTS];
            for (nth, making) in columns.derived.iter().enumerate() {
                let Some(located) = making.located else {
                    self.bytes.extend_from_slice(label.as_bytes());
                    self.ends.push(self.bytes.len());
                    continue;
                };
                let cell = row.cell(located);
                let cell = match &making.joined {
                    None => cell,
                    Some(column) => match partners.value_of(column, cell, &mut id) {
                        Some(value) => Cell::from(value),
                        None => {
                            lacks[partners.table_place(column.schema)] = true;
                            Cell::from(&b""[..])
                        }
                    },
                };
                let parsed = making.append(columns.types, cell, &mut self.bytes);
                tally.unparsed[nth] += u64::from(parsed == Parsed::No);
                self.ends.push(self.bytes.len());
            }
            tally.without_partner.add_row(lacks);
        }
    }
}

/// Whether a value could be parsed. Empty ones need not be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parsed {
    Yes,
    No,
}

impl Derivation {
    /// Appends the value of `cell`; nothing if it can't be parsed.
    fn append(&self, types: Types, cell: Cell<'_>, out: &mut Vec<u8>) -> Parsed {
        if types == Types::Raw || self.kind == ColumnKind::Text {
            append(&self.function, cell, out);
            return Parsed::Yes;
        }
        debug_assert_eq!(self.function, KeyFunction::NONE, "functions give text");
        let written = match self.kind {
            ColumnKind::Text => Some(Ok(())),
            ColumnKind::Amount => cell
                .hundredths()
                .filter(|number| number.amount().is_some())
                .map(|amount| write!(out, "{amount}")),
            ColumnKind::Number(decimals) => {
                amount::number(&cell, decimals).map(|number| write!(out, "{number}"))
            }
            ColumnKind::Date => date::of_column(&cell).map(|day| write!(out, "{}", date::iso(day))),
            ColumnKind::Integer => amount::integer(&cell).map(|number| write!(out, "{number}")),
        };
        match written {
            Some(written) => written.expect("memory takes all"),
            None if trimmed(&cell).is_empty() => {}
            None => return Parsed::No,
        }
        Parsed::Yes
    }
}

impl Tally {
    /// Returns the numbers of rows without a partner, one for each file of `partners` that lacks any.
    pub(crate) fn without_partner(self, partners: &Partners) -> Vec<WithoutPartner> {
        partners.without_partner(&self.without_partner, Counted::Rows)
    }

    pub(crate) fn merge(&mut self, other: Tally) {
        if self.unparsed.len() < other.unparsed.len() {
            self.unparsed.resize(other.unparsed.len(), 0);
        }
        for (count, more) in self.unparsed.iter_mut().zip(other.unparsed) {
            *count += more;
        }
        self.without_partner += other.without_partner;
    }
}
