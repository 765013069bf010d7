//! The columns of a file as a table of SQL: their types, and their values in rows of a block.

use std::cell::{Cell, OnceCell};

use super::evaluate::Batch;
use super::scope::{ScopeColumn, ScopeTable};
use super::types::Type;
use super::vector::{Data, Mask, Texts, Values, first};
use crate::fec::amount;
use crate::fec::layout::exchange_line_breaks;
use crate::fec::origin::{ORIGIN, ORIGIN_COLUMNS};
use crate::fec::schema::{AMOUNT_DECIMALS, Column, Kind, Schema};
use crate::fec::trimmed;
use crate::fold::by::Reading;
use crate::fold::by::values::numbers_of;
use crate::fold::tables::NO_NUMBER;
use crate::scan::{ROWS, Rows, Vector};

/// The columns of identifiers and years that are whole numbers.
const WHOLE: [&str; 6] = [
    "SUB_ID",
    "FILE_NUM",
    "CAND_ELECTION_YR",
    "FEC_ELECTION_YR",
    "RPT_YR",
    "cycle",
];

/// Returns the type of a column.
pub(super) fn type_of(column: &Column, is_of_fec: bool) -> Type {
    if (is_of_fec || column.name == "cycle") && WHOLE.contains(&column.name) {
        return Type::BigInt;
    }
    match column.kind {
        Kind::Number => Type::Decimal(column.decimals),
        Kind::Date => Type::Date,
        Kind::Text | Kind::ImageNumber | Kind::ZipCode | Kind::Untyped => Type::Varchar,
    }
}

/// Returns the table of files of a schema. Its columns are those of the file, and then those of every input.
pub(super) fn table(schema: Schema, name: Option<&str>) -> ScopeTable {
    let is_of_fec = schema.layout().is_none();
    let own = schema.shown_places().into_iter().zip(schema.columns());
    let own = own.map(|(place, column)| (place, column, true));
    let of_inputs = ORIGIN_COLUMNS.iter().enumerate();
    let of_inputs = of_inputs.map(|(nth, column)| (ORIGIN + nth, column, false));
    let columns = own.chain(of_inputs).map(|(place, column, is_shown)| {
        let gives = type_of(column, is_of_fec);
        ScopeColumn {
            name: column.name.to_owned(),
            alias: column.alias.to_owned(),
            gives,
            place,
            is_shown,
            is_never_null: gives == Type::Varchar,
        }
    });
    ScopeTable {
        schema,
        name: name.unwrap_or(schema.name()).to_owned(),
        title: schema.subject().to_owned(),
        has_line_breaks: schema.has_line_breaks(),
        columns: columns.collect(),
    }
}

/// A column that is read: its place in the file, and its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) place: usize,
    pub(super) gives: Type,
    /// Whether bytes in texts stand for line breaks.
    pub(super) has_line_breaks: bool,
}

impl Read {
    /// Reads cells. Returns the values, and how many are neither empty nor values of the type.
    fn values<'a>(self, cells: &Vector<'a>, rows: usize) -> (Values<'a>, u64) {
        if self.gives == Type::Varchar && self.has_line_breaks {
            let (texts, valid) = Texts::made(first(rows), |row, out| {
                let start = out.len();
                out.extend_from_slice(cells.cell(row).bytes());
                exchange_line_breaks(&mut out[start..]);
                true
            });
            let data = Data::Text(texts);
            return (Values { valid, data }, 0);
        }
        if self.gives == Type::Varchar {
            let data = Data::Text(Texts::Cells(cells.clone()));
            let valid = first(rows);
            return (Values { valid, data }, 0);
        }
        let numbers = match self.gives {
            Type::Decimal(AMOUNT_DECIMALS) => numbers_of(cells, Reading::Number, rows),
            Type::Decimal(scale) => numbers_of(cells, Reading::Decimal(scale), rows),
            Type::Date => numbers_of(cells, Reading::Date, rows),
            _ => return whole_numbers(cells, rows),
        };
        let (mut valid, mut unread) = (0, 0);
        for (row, number) in numbers[..rows].iter().enumerate() {
            let is_read = *number != NO_NUMBER;
            valid |= Mask::from(is_read) << row;
            if !is_read {
                unread += u64::from(!trimmed(cells.cell(row).bytes()).is_empty());
            }
        }
        let data = match self.gives {
            Type::Decimal(_) => Data::Wide(numbers.map(i128::from)),
            _ => Data::Whole(numbers),
        };
        (Values { valid, data }, unread)
    }
}

/// Reads whole numbers of 64 bits.
fn whole_numbers<'a>(cells: &Vector<'a>, rows: usize) -> (Values<'a>, u64) {
    let (mut numbers, mut valid, mut unread) = ([0; ROWS], 0, 0);
    for (row, number) in numbers[..rows].iter_mut().enumerate() {
        let cell = cells.cell(row).bytes();
        match amount::integer(cell) {
            Some(read) => {
                *number = read;
                valid |= 1 << row;
            }
            None => unread += u64::from(!trimmed(cell).is_empty()),
        }
    }
    let data = Data::Whole(numbers);
    (Values { valid, data }, unread)
}

/// Rows of a block, whose columns are read when an expression asks for them.
pub(super) struct FileBatch<'a> {
    rows: usize,
    read: &'a [Read],
    cells: Vec<Vector<'a>>,
    values: Vec<OnceCell<Values<'a>>>,
    unread: Vec<Cell<u64>>,
}

impl<'a> FileBatch<'a> {
    /// Returns the batch of the rows from `start` on.
    pub(super) fn new(rows: &Rows<'a>, start: usize, read: &'a [Read]) -> FileBatch<'a> {
        let mut count = rows.len().min(start + ROWS) - start;
        let cells = (0..read.len()).map(|nth| {
            let mut cells = Vector::new(&[]);
            count = rows.read(nth, start, &mut cells);
            cells
        });
        let cells: Vec<_> = cells.collect();
        FileBatch {
            rows: count,
            values: vec![OnceCell::new(); read.len()],
            unread: vec![Cell::new(0); read.len()],
            read,
            cells,
        }
    }

    /// Adds the number of values of each column that were none of its type.
    pub(super) fn count_unread(&self, counts: &mut [u64]) {
        for (count, more) in counts.iter_mut().zip(&self.unread) {
            *count += more.get();
        }
    }
}

impl Batch for FileBatch<'_> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn column(&self, nth: usize) -> Values<'_> {
        let values = self.values[nth].get_or_init(|| {
            let (values, unread) = self.read[nth].values(&self.cells[nth], self.rows);
            self.unread[nth].set(unread);
            values
        });
        values.clone()
    }
}
