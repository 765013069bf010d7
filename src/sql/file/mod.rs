//! The columns of a file as a table of SQL: their types, and their values in rows of a block.

pub(super) mod columns;
pub(super) mod word_steps;

use std::cell::OnceCell;

use self::columns::Reading;
use self::columns::{number_of, numbers_of};
use super::evaluate::Batch;
use super::plan::Source;
use super::scope::{ScopeColumn, ScopeTable};
use super::types::Type;
use super::vector::{Data, Mask, Texts, Values, first};
use crate::fec::amount;
use crate::fec::layout::exchange_line_breaks;
use crate::fec::origin::{ORIGIN, ORIGIN_COLUMNS};
use crate::fec::schema::{AMOUNT_DECIMALS, Column, Kind, Schema};
use crate::fec::trimmed;
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
        Kind::Number => Type::Decimal(amount::digits(column.decimals), column.decimals),
        Kind::Date => Type::Date,
        Kind::Text | Kind::ImageNumber | Kind::ZipCode | Kind::Untyped => Type::Varchar,
    }
}

/// Says whether the columns of two schemas have the same names and types in the same order. The rows of a file may show days in forms that are
/// texts, and then its schema says so.
pub(super) fn are_read_alike(one: Schema, other: Schema) -> bool {
    let are_of_fec = [one, other].map(|schema| schema.layout().is_none());
    let alike = |(one, other): (&Column, &Column)| {
        one.name == other.name && type_of(one, are_of_fec[0]) == type_of(other, are_of_fec[1])
    };
    one.columns().len() == other.columns().len()
        && one.columns().iter().zip(other.columns()).all(alike)
}

/// Returns the place that a column has in another schema, by its name, if it has the same type there.
pub(super) fn place_in(other: Schema, of: Schema, place: usize) -> Option<usize> {
    let Some(column) = of.columns().get(place) else {
        // Columns of inputs have one place in all.
        return (place >= ORIGIN).then_some(place);
    };
    let same = |known: &Column| {
        known.name == column.name && type_of(known, false) == type_of(column, false)
    };
    other.columns().iter().position(same)
}

/// Returns the table of the files with this number in the statement. Its columns are those of the files, and then those of every input.
pub(super) fn table(files: usize, schema: Schema, name: Option<&str>) -> ScopeTable {
    let is_of_fec = schema.layout().is_none();
    let own = schema.shown_places().into_iter();
    let own = own.map(|place| (place, &schema.columns()[place], true));
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
        bytes: 0,
        source: Source::Files(files, schema),
        name: name.unwrap_or(schema.name()).to_owned(),
        title: schema.subject().to_owned(),
        has_line_breaks: schema.has_line_breaks(),
        has_numbers: true,
        columns: columns.collect(),
    }
}

/// A column that is read: its place in the file, and its type.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Read {
    /// The number of the table in FROM.
    pub(super) table: usize,
    pub(super) place: usize,
    pub(super) gives: Type,
    /// Whether bytes in texts stand for line breaks.
    pub(super) has_line_breaks: bool,
}

/// The values of a column in a batch.
#[derive(Clone, Debug)]
struct ReadValues {
    values: Values<'static>,
    /// How many are neither empty nor values of the type.
    unread: u64,
}

impl Read {
    /// Returns how numbers and days are read, where they fit in 64 bits side by side.
    pub(super) fn reading(&self) -> Option<Reading> {
        match self.gives {
            Type::Decimal(_, AMOUNT_DECIMALS) => Some(Reading::Number),
            Type::Decimal(_, scale) => Some(Reading::Decimal(scale)),
            Type::Date => Some(Reading::Date),
            _ => None,
        }
    }

    /// Says whether values are texts that stand in the file as they are.
    pub(super) fn is_plain(&self) -> bool {
        self.gives == Type::Varchar && !self.has_line_breaks
    }

    /// Reads cells of a column that is not plain.
    fn read(&self, cells: &Vector<'_>, rows: usize) -> ReadValues {
        if self.gives == Type::Varchar && self.has_line_breaks {
            let (texts, valid) = Texts::made(first(rows), |row, out| {
                let start = out.len();
                out.extend_from_slice(cells.cell(row).bytes());
                exchange_line_breaks(&mut out[start..]);
                true
            });
            let data = Data::Text(texts);
            let values = Values { valid, data };
            return ReadValues { values, unread: 0 };
        }
        let Some(reading) = self.reading() else {
            return whole_numbers(cells, rows);
        };
        let numbers = numbers_of(cells, reading, rows);
        let (mut valid, mut unread) = (0, 0);
        for (row, number) in numbers[..rows].iter().enumerate() {
            let is_read = *number != NO_NUMBER;
            valid |= Mask::from(is_read) << row;
            if !is_read {
                unread += u64::from(!trimmed(cells.cell(row).bytes()).is_empty());
            }
        }
        let data = Data::Whole(numbers);
        let values = Values { valid, data };
        ReadValues { values, unread }
    }

    /// Returns the values that texts are read as, of which up to [`ROWS`] stand side by side.
    pub(super) fn values_of<'v>(&self, texts: impl Iterator<Item = &'v [u8]>) -> Values<'static> {
        let (mut bytes, mut spans) = (Vec::new(), [[0; 2]; ROWS]);
        let (mut numbers, mut valid) = ([0; ROWS], 0);
        for (row, text) in texts.enumerate() {
            let start = bytes.len() as u32;
            let number = match self.reading() {
                Some(reading) => Some(number_of(text, reading)).filter(|it| *it != NO_NUMBER),
                None if self.gives == Type::Varchar => {
                    bytes.extend_from_slice(text);
                    Some(0)
                }
                None => amount::integer(text),
            };
            spans[row] = [start, bytes.len() as u32];
            numbers[row] = number.unwrap_or_default();
            valid |= Mask::from(number.is_some()) << row;
        }
        let data = match self.gives {
            Type::Varchar => Data::Text(Texts::Made(bytes, spans)),
            _ => Data::Whole(numbers),
        };
        Values { valid, data }
    }
}

/// Reads whole numbers of 64 bits.
fn whole_numbers(cells: &Vector<'_>, rows: usize) -> ReadValues {
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
    let values = Values { valid, data };
    ReadValues { values, unread }
}

/// Rows of a block, whose columns are read when an expression asks for them.
pub(super) struct FileBatch<'a> {
    rows: usize,
    /// The block that has the rows, and the number of its rows before them.
    block: Option<(Rows<'a>, usize)>,
    read: &'a [Read],
    cells: Vec<OnceCell<Vector<'a>>>,
    /// The values of the columns that are read as numbers or days.
    values: Vec<OnceCell<ReadValues>>,
}

impl<'a> FileBatch<'a> {
    /// Returns the batch of the rows from `start` on.
    pub(super) fn new(rows: &Rows<'a>, start: usize, read: &'a [Read]) -> FileBatch<'a> {
        FileBatch {
            rows: rows.len().min(start + ROWS) - start,
            block: Some((*rows, start)),
            values: read.iter().map(|_| OnceCell::new()).collect(),
            cells: read.iter().map(|_| OnceCell::new()).collect(),
            read,
        }
    }

    /// Returns the batch of the first `rows` of columns.
    pub(super) fn of(cells: Vec<Vector<'a>>, rows: usize, read: &'a [Read]) -> FileBatch<'a> {
        FileBatch {
            rows,
            block: None,
            values: read.iter().map(|_| OnceCell::new()).collect(),
            read,
            cells: cells.into_iter().map(OnceCell::from).collect(),
        }
    }

    /// Returns the cells of a column.
    pub(super) fn cells(&self, nth: usize) -> &Vector<'a> {
        self.cells[nth].get_or_init(|| {
            let mut cells = Vector::new(&[]);
            if let Some((rows, start)) = &self.block {
                rows.read(nth, *start, &mut cells);
            }
            cells
        })
    }

    /// Adds the number of values of each column that were none of its type.
    pub(super) fn count_unread(&self, counts: &mut [u64]) {
        for (count, values) in counts.iter_mut().zip(&self.values) {
            *count += values.get().map_or(0, |values| values.unread);
        }
    }

    /// Takes the numbers of a column, which have been read, and counted where they are none.
    pub(super) fn take(&self, nth: usize, numbers: &[i64; ROWS]) {
        let read = numbers[..self.rows].iter().enumerate();
        let valid = read.fold(0, |valid, (row, number)| {
            valid | Mask::from(*number != NO_NUMBER) << row
        });
        let data = Data::Whole(*numbers);
        let values = ReadValues {
            values: Values { valid, data },
            unread: 0,
        };
        // Whoever read the column before has the same numbers.
        let _ = self.values[nth].set(values);
    }

    fn values_of(&self, nth: usize) -> &ReadValues {
        self.values[nth].get_or_init(|| self.read[nth].read(self.cells(nth), self.rows))
    }
}

impl Batch for FileBatch<'_> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn column(&self, nth: usize) -> Values<'_> {
        if self.read[nth].is_plain() {
            return Values {
                valid: first(self.rows),
                data: Data::Text(Texts::Cells(self.cells(nth))),
            };
        }
        self.values_of(nth).values.clone()
    }

    fn place(&self, row: usize) -> u64 {
        let block = self.block.as_ref();
        block.map_or(0, |(rows, start)| rows.row(start + row).byte())
    }
}
