//! Values of expressions, beside the rows that they are of.

use rowjson::{Buffer, DECIMALS_MAX};

use super::joined::{BesideRows, JOINED, JoinedBatch};
use super::{ColumnKind, Derivation, ExportColumns, ValueForm};
use crate::error::Error;
use crate::fec::{amount, date, trimmed};
use crate::fold::tables::NO_NUMBER;
use crate::scan::{Cell, ROWS, Rows, Vector};
use crate::sql::evaluate::Batch;
use crate::sql::expression::{Expression, Node};
use crate::sql::file::FileBatch;
use crate::sql::file::columns::Reading;
use crate::sql::file::columns::numbers_of;
use crate::sql::types::Type;
use crate::sql::value::{Value, double_text};
use crate::sql::vector::{Data, Mask, Texts, Values, first};

/// The most memory to keep from one block to the next.
const KEPT_BYTES: usize = 4 << 20;

/// The derived values of the rows of a block: those of 32 rows side by side, expression by expression.
#[derive(Debug, Default)]
pub(crate) struct DerivedValues {
    bytes: Buffer,
    /// Where each value ends in `bytes`. All groups of rows have 32 places.
    ends: Vec<usize>,
    /// For each group of rows and each expression the rows whose value is not NULL.
    valid: Vec<Mask>,
    width: usize,
    label: &'static str,
}

/// Rows and values without something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// For each column that expressions read: the number of values that could not be parsed.
    pub(super) unread: Vec<u64>,
    /// The number of rows with another number of columns than the schema's.
    pub(crate) odd_rows: u64,
    /// For each column that joins read: the number of values that could not be parsed.
    pub(super) unread_of_joins: Vec<u64>,
}

impl DerivedValues {
    /// Returns a value; that of NULL has no bytes.
    #[inline(always)]
    pub(crate) fn cell(&self, row: usize, nth: usize) -> Cell<'_> {
        let at = self.group(row, nth) * ROWS + row % ROWS;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.bytes.text(start..self.ends[at]).into()
    }

    /// Says whether a value is NULL.
    #[inline(always)]
    pub(crate) fn is_null(&self, row: usize, nth: usize) -> bool {
        self.valid[self.group(row, nth)] >> (row % ROWS) & 1 == 0
    }

    fn group(&self, row: usize, nth: usize) -> usize {
        row / ROWS * self.width + nth
    }

    /// Returns the label of the rows.
    pub(crate) fn label(&self) -> Cell<'_> {
        Cell::from(self.label.as_bytes())
    }

    /// Evaluates the expressions of `rows`, which have this label, and values of joined tables beside them. The values replace the former ones.
    ///
    /// # Errors
    /// If the value of a row can't be known: a division by zero, a cast that fails.
    pub(crate) fn derive(
        &mut self,
        columns: &ExportColumns,
        rows: &Rows<'_>,
        beside: Option<BesideRows<'_>>,
        label: &'static str,
        tally: &mut Tally,
    ) -> Result<(), Error> {
        self.bytes.clear(KEPT_BYTES);
        self.ends.clear();
        self.valid.clear();
        self.width = columns.derived.len();
        self.label = label;
        if columns.derived.is_empty() {
            return Ok(());
        }
        tally.unread.resize(columns.read.len(), 0);
        for start in (0..rows.len()).step_by(ROWS) {
            let cells = columns.read_from.iter().map(|&(nth, _)| {
                let mut cells = Vector::new(&[]);
                rows.read(nth, start, &mut cells);
                cells
            });
            let count = ROWS.min(rows.len() - start);
            let of_file = FileBatch::of(cells.collect(), count, &columns.read);
            let joined = beside.map(|beside| JoinedBatch {
                of_file: &of_file,
                beside,
                start,
            });
            let batch: &dyn Batch = joined.as_ref().map_or(&of_file, |joined| joined);
            for Derivation {
                of,
                form,
                has_nulls,
            } in &columns.derived
            {
                if let Some((nth, reading)) = columns.printed(of, *form) {
                    let unread = &mut tally.unread[nth];
                    *unread += self.push_printed(of_file.cells(nth), reading, count);
                    continue;
                }
                let values = of.values(batch, first(count));
                let values = values.map_err(|fault| fault.error())?;
                self.push(&values, of.gives, *form, count);
                if let (false, Some(valid)) = (has_nulls, self.valid.last_mut()) {
                    *valid = Mask::MAX;
                }
            }
            of_file.count_unread(&mut tally.unread);
        }
        Ok(())
    }

    /// Appends the numbers or days of a column as text. Returns the number of cells that are neither empty nor such a value.
    ///
    /// As values of an expression, which are copied twice on their way, CSV of all columns took 1.35 of the time.
    fn push_printed(&mut self, cells: &Vector<'_>, reading: Printed, count: usize) -> u64 {
        let (mut unread, mut valid) = (0, 0);
        let mut numbers = [NO_NUMBER; ROWS];
        if let Printed::Numbers(reading, _) = reading {
            numbers = numbers_of(cells, reading, count);
        }
        for (row, &number) in numbers.iter().enumerate() {
            let cell = if row < count {
                cells.cell(row)
            } else {
                Cell::from(&b""[..])
            };
            let out = &mut self.bytes;
            let is_read = match reading {
                _ if row >= count => false,
                Printed::Numbers(..) if number == NO_NUMBER => false,
                Printed::Numbers(Reading::Date, _) => {
                    out.extend_from_slice(&date::iso_bytes(number as u32));
                    true
                }
                Printed::Numbers(_, decimals) => {
                    out.push_decimal(number, decimals);
                    true
                }
                Printed::Whole if is_plain_number(cell) => {
                    out.push(cell.into());
                    true
                }
                Printed::Whole => {
                    let number = amount::integer(&cell);
                    number
                        .inspect(|number| out.push_decimal(*number, 0))
                        .is_some()
                }
            };
            valid |= Mask::from(is_read) << row;
            unread += u64::from(!is_read && !trimmed(&cell).is_empty());
            self.ends.push(self.bytes.len());
        }
        self.valid.push(valid);
        unread
    }

    fn push(&mut self, values: &Values<'_>, gives: Type, form: ValueForm, count: usize) {
        let valid = values.valid & first(count);
        self.valid.push(valid);
        match (&values.data, form) {
            (Data::Text(Texts::Cells(cells)), _) => {
                self.push_each(valid, |out, row| out.push(cells.cell(row).into()));
            }
            (Data::Text(texts), _) => {
                self.push_each(valid, |out, row| out.extend_from_slice(texts.get(row)));
            }
            (Data::Boolean(is), ValueForm::Binary) => {
                self.push_each(valid, |out, row| {
                    out.extend_from_slice(&[(is >> row & 1) as u8]);
                });
            }
            (Data::Double(numbers), ValueForm::Binary) => {
                self.push_each(valid, |out, row| {
                    out.extend_from_slice(&numbers[row].to_le_bytes());
                });
            }
            (_, ValueForm::Binary) => {
                self.push_each(valid, |out, row| {
                    out.extend_from_slice(&values.wide(row).to_le_bytes());
                });
            }
            (Data::Boolean(is), _) => self.push_each(valid, |out, row| {
                let text: &[u8] = if is >> row & 1 == 1 {
                    b"true"
                } else {
                    b"false"
                };
                out.extend_from_slice(text);
            }),
            (Data::Double(numbers), _) => self.push_each(valid, |out, row| {
                out.extend_from_slice(double_text(numbers[row]).as_bytes());
            }),
            (Data::Whole(days), _) if gives == Type::Date => self.push_each(valid, |out, row| {
                out.extend_from_slice(&date::iso_bytes(days[row] as u32));
            }),
            (Data::Whole(numbers), _)
                if gives.scale().is_none_or(|scale| scale <= DECIMALS_MAX) =>
            {
                let scale = gives.scale().unwrap_or_default();
                self.push_each(valid, |out, row| out.push_decimal(numbers[row], scale));
            }
            (Data::Whole(numbers), _) => {
                let scale = gives.scale().unwrap_or_default();
                self.push_each(valid, |out, row| {
                    push_units(numbers[row].into(), scale, out);
                });
            }
            (Data::Wide(numbers), _) => {
                let scale = gives.scale().unwrap_or_default();
                self.push_each(valid, |out, row| push_units(numbers[row], scale, out));
            }
        }
    }

    /// Appends the values of 32 rows. Those that are not valid have no bytes.
    #[inline(always)]
    fn push_each(&mut self, valid: Mask, push: impl Fn(&mut Buffer, usize)) {
        for row in 0..ROWS {
            if valid >> row & 1 == 1 {
                push(&mut self.bytes, row);
            }
            self.ends.push(self.bytes.len());
        }
    }
}

/// How a column is printed that no expression changes.
#[derive(Clone, Copy)]
enum Printed {
    /// As numbers with so many decimals, or as days.
    Numbers(Reading, u8),
    /// As whole numbers.
    Whole,
}

impl ExportColumns {
    /// Returns the column that an expression is, and how it is printed: none of texts, partners and other expressions.
    fn printed(&self, of: &Expression, form: ValueForm) -> Option<(usize, Printed)> {
        let Node::Column(nth @ ..JOINED) = of.of else {
            return None;
        };
        let read = &self.read[nth];
        if form == ValueForm::Binary {
            return None;
        }
        let printed = match (read.reading(), read.gives) {
            (Some(reading), gives) => Printed::Numbers(reading, gives.scale().unwrap_or_default()),
            (None, gives) if gives.is_whole() => Printed::Whole,
            _ => return None,
        };
        Some((nth, printed))
    }
}

/// Says whether a cell is a whole number of 64 bits as it is printed, as nearly all are: digits, of which the first is no zero.
#[inline(always)]
fn is_plain_number(cell: Cell<'_>) -> bool {
    let Some(bytes) = cell.first_bytes::<32>() else {
        return false;
    };
    let len = cell.len();
    let mut are_digits = true;
    for (nth, byte) in bytes[..24].iter().enumerate() {
        are_digits &= byte.is_ascii_digit() | (nth >= len);
    }
    // The greatest number begins with a nine.
    let most = if bytes[0] < b'9' { 19 } else { 18 };
    are_digits && bytes[0] != b'0' && (1..=most).contains(&len)
}

/// Appends a number of units as text.
fn push_units(units: i128, scale: u8, out: &mut Buffer) {
    match i64::try_from(units) {
        Ok(units) if scale <= DECIMALS_MAX => out.push_decimal(units, scale),
        _ => {
            let text = Value::Decimal { units, scale }.to_string();
            out.extend_from_slice(text.as_bytes());
        }
    }
}

impl Tally {
    pub(crate) fn merge(&mut self, other: Tally) {
        let pairs = [
            (&mut self.unread, other.unread),
            (&mut self.unread_of_joins, other.unread_of_joins),
        ];
        for (counts, others) in pairs {
            counts.resize(counts.len().max(others.len()), 0);
            let both = counts.iter_mut().zip(others);
            both.for_each(|(count, more)| *count += more);
        }
        self.odd_rows += other.odd_rows;
    }
}

impl ColumnKind {
    /// Says whether values may be NULL.
    pub(crate) fn may_be_null(self) -> bool {
        self != ColumnKind::Text
    }
}
