//! Adds rows whose keys and numbers are columns of the file as they stand: keys of up to sixteen bytes stay in registers, and no values of
//! expressions are made. This is how `fecscan by` groups.

use super::vector_of;
use crate::expr::word::{KeyWords, Place};
use crate::expr::{KEY_SEPARATOR, KeyFunction};
use crate::fec::schema::AMOUNT_DECIMALS;
use crate::fec::trimmed;
use crate::fold::tables::{self, NO_NUMBER};
use crate::scan::simd::{Kernel, Level};
use crate::scan::{Cell, ROWS, Rows, Vector};
use crate::sql::columns::Reading;
use crate::sql::columns::numbers_of;
use crate::sql::expression::{Expression, Node};
use crate::sql::keys::KeyForm;
use crate::sql::plan::{Grouping, Plan};
use crate::sql::types::Type;

/// The number of blocks whose keys are made as bytes, after one that had too few words.
const BLOCKS_WITHOUT_WORDS: u32 = 15;

/// The columns of keys and of numbers, by their numbers among those that are read.
pub(super) struct Columns {
    keys: Vec<usize>,
    numbers: Vec<(usize, Reading)>,
}

/// What a worker keeps from one block to the next.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    numbers: Vec<[i64; ROWS]>,
    bytes: Vec<u8>,
    /// The number of next blocks whose keys are not tried as words.
    without_words: u32,
}

impl Columns {
    /// Returns the columns, if a plan has nothing but them.
    pub(super) fn of(
        plan: &Plan,
        grouping: &Grouping,
        forms: &[KeyForm],
        numbers: &[usize],
    ) -> Option<Columns> {
        let column = |of: &Expression| match of.of {
            Node::Column(nth) => Some(nth),
            _ => None,
        };
        let [set] = &grouping.sets[..] else {
            return None;
        };
        let are_plain = set.iter().all(|&key| forms[key] == KeyForm::Plain);
        if plan.filter.is_some() || set.is_empty() || !are_plain {
            return None;
        }
        let keys = set.iter().map(|&key| column(&grouping.keys[key]));
        let numbers = numbers.iter().map(|&nth| {
            let aggregate = &grouping.aggregates[nth];
            let [of] = &aggregate.of[..] else { return None };
            if aggregate.is_count() || aggregate.filter.is_some() {
                return None;
            }
            Some((column(of)?, reading(of.gives)?))
        });
        Some(Columns {
            keys: keys.collect::<Option<_>>()?,
            numbers: numbers.collect::<Option<_>>()?,
        })
    }

    /// Returns the key of a row as bytes.
    fn key<'s>(&self, rows: &Rows<'_>, row: usize, bytes: &'s mut Vec<u8>) -> Cell<'s> {
        bytes.clear();
        self.push_key(rows, row, bytes);
        Cell::from(&bytes[..])
    }

    fn push_key(&self, rows: &Rows<'_>, row: usize, out: &mut Vec<u8>) {
        let row = rows.row(row);
        for (place, &nth) in self.keys.iter().enumerate() {
            if place > 0 {
                out.push(KEY_SEPARATOR);
            }
            out.extend_from_slice(row.cell(nth).bytes());
        }
    }
}

/// Returns how numbers of a type are read, if states take them as they are read.
fn reading(of: Type) -> Option<Reading> {
    match of {
        Type::Decimal(AMOUNT_DECIMALS) => Some(Reading::Number),
        Type::Decimal(scale) => Some(Reading::Decimal(scale)),
        Type::Date => Some(Reading::Date),
        _ => None,
    }
}

/// Adds the rows of a block to the groups, with the level's instructions at hand.
pub(super) struct AddColumns<'a, 'r> {
    pub(super) rows: &'a Rows<'r>,
    pub(super) columns: &'a Columns,
    pub(super) groups: &'a mut tables::Table,
    pub(super) scratch: &'a mut Scratch,
    /// For each column that is read the values that are none of its type.
    pub(super) unread: &'a mut [u64],
}

impl Kernel for AddColumns<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let AddColumns {
            rows,
            columns,
            groups,
            scratch,
            unread,
        } = self;
        let keys = &columns.keys[..];
        scratch
            .numbers
            .resize(columns.numbers.len(), [NO_NUMBER; ROWS]);
        let mut has_words = scratch.without_words == 0 && groups.takes_words();
        scratch.without_words = scratch.without_words.saturating_sub(1);
        let (mut words, mut column) = (KeyWords::default(), Vector::new(&[]));
        for start in (0..rows.len()).step_by(ROWS) {
            let count = ROWS.min(rows.len() - start);
            for (place, &(nth, reading)) in columns.numbers.iter().enumerate() {
                rows.read(nth, start, &mut column);
                let numbers = numbers_of(&column, reading, count);
                if numbers[..count].contains(&NO_NUMBER) {
                    unread[nth] += unread_of(&column, &numbers[..count]);
                }
                scratch.numbers[place] = numbers;
            }
            if has_words {
                for (place, &nth) in keys.iter().enumerate() {
                    rows.read(nth, start, &mut column);
                    let place = Place::of(place, keys.len());
                    words.push(level, place, &KeyFunction::NONE, &column, count);
                }
                has_words = words.without(count) <= ROWS / 4;
                scratch.without_words = if has_words { 0 } else { BLOCKS_WITHOUT_WORDS };
            }
            if has_words {
                let bytes = &mut scratch.bytes;
                groups.add_words(&words, count, &scratch.numbers, |nth, table| {
                    table.number_of(columns.key(rows, start + nth, bytes))
                });
            } else if let [nth] = *keys {
                rows.read(nth, start, &mut column);
                groups.add(&column, count, &scratch.numbers);
            } else {
                let mut spans = [[0; 2]; ROWS];
                scratch.bytes.clear();
                for (nth, span) in spans[..count].iter_mut().enumerate() {
                    span[0] = scratch.bytes.len() as u32;
                    columns.push_key(rows, start + nth, &mut scratch.bytes);
                    span[1] = scratch.bytes.len() as u32;
                }
                let made = vector_of(&mut scratch.bytes, &spans[..count]);
                groups.add(&made, count, &scratch.numbers);
            }
        }
    }
}

/// Returns how many of the values that are no numbers are not empty.
#[cold]
#[inline(never)]
fn unread_of(column: &Vector<'_>, numbers: &[i64]) -> u64 {
    let none = numbers.iter().enumerate();
    let none = none.filter(|(_, number)| **number == NO_NUMBER);
    let unread = none.filter(|(nth, _)| !trimmed(column.cell(*nth).bytes()).is_empty());
    unread.count() as u64
}
