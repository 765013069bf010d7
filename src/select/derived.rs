//! Values that do not stand in a row as they are: derived, joined and converted ones.

use rowjson::Buffer;

use super::{ColumnKind, Derivation, ExportColumns, Types};
use crate::expr::{KeyFunction, append};
use crate::fec::amount::{self, Hundredths};
use crate::fec::layout::exchange_line_breaks;
use crate::fec::schema::AMOUNT_DECIMALS;
use crate::fec::{date, trimmed};
use crate::join::{Counted, Partners, WithoutPartner};
use crate::scan::{Cell, FilterCounts, Rows};

/// The most memory to keep from one block to the next.
const KEPT_BYTES: usize = 4 << 20;

/// The made values of the rows of a block, row by row.
#[derive(Debug, Default)]
pub(crate) struct DerivedValues {
    bytes: Buffer,
    /// Where each value ends in `bytes`.
    ends: Vec<usize>,
    width: usize,
}

/// Rows and values without something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// For each made value: the number of values that could not be parsed.
    pub(crate) unparsed: Vec<u64>,
    /// The number of rows with another number of columns than the schema's.
    pub(crate) odd_rows: u64,
    /// The numbers of rows without a partner.
    without_partner: FilterCounts,
}

impl DerivedValues {
    pub(crate) fn cell(&self, row: usize, nth: usize) -> Cell<'_> {
        let nth = row * self.width + nth;
        let start = nth.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.bytes.text(start..self.ends[nth]).into()
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
        self.bytes.clear(KEPT_BYTES);
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
                let is_parsed = making.append(columns.types, cell, &mut self.bytes);
                tally.unparsed[nth] += u64::from(!is_parsed);
                self.ends.push(self.bytes.len());
            }
            tally.without_partner.add_row(lacks);
        }
    }
}

impl Derivation {
    /// Appends the value of `cell`; nothing if it can't be parsed. Returns whether it could be; blank ones need not.
    fn append(&self, types: Types, cell: Cell<'_>, out: &mut Buffer) -> bool {
        if types == Types::Raw || self.kind == ColumnKind::Text {
            if self.has_line_breaks {
                out.push_with(|out| {
                    let start = out.len();
                    append(&self.function, cell, out);
                    exchange_line_breaks(&mut out[start..]);
                });
            } else if self.function.is_none() {
                out.push(cell.into());
            } else {
                out.push_with(|out| append(&self.function, cell, out));
            }
            return true;
        }
        debug_assert_eq!(self.function, KeyFunction::NONE, "functions give text");
        let number = match self.kind {
            ColumnKind::Date => date::of_column(&cell).map(|day| {
                out.extend_from_slice(&date::iso_bytes(day));
            }),
            ColumnKind::Number(decimals) => amount::number(&cell, decimals)
                .map(|number| out.push_decimal(number.units as i64, number.decimals)),
            ColumnKind::Integer => amount::integer(&cell).map(|number| {
                // Nearly every one begins and ends with a digit, and stays as it is.
                match (cell.first(), cell.last()) {
                    (Some(b'1'..=b'9'), Some(b'0'..=b'9')) => out.push(cell.into()),
                    _ => out.push_decimal(number, 0),
                }
            }),
            ColumnKind::Text | ColumnKind::Amount => cell
                .hundredths()
                .and_then(Hundredths::amount)
                .map(|units| out.push_decimal(units, AMOUNT_DECIMALS)),
        };
        number.is_some() || trimmed(&cell).is_empty()
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
        self.odd_rows += other.odd_rows;
        self.without_partner += other.without_partner;
    }
}
