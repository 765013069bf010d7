//! The values of a key as columns, beside the aggregates of groups.

use std::collections::HashMap;

use ahash::RandomState;

use super::bound::Reading;
use super::grouped::{EMPTY, Grouped, Value};
use super::key_order;
use super::question::Sort;
use super::ranked::Item;
use crate::coding::Damaged;
use crate::error::{Error, escaped};
use crate::fec::texts::decoded;

/// The most values that may become columns.
const COLUMNS_MAX: usize = 100;

/// The cells of a table: what the rows of each group have for each value of a key.
#[derive(Debug)]
pub(super) struct Across {
    /// Groups by the keys of the table and the key that goes across, in the order of these keys.
    pub(super) cells: Box<Grouped>,
    /// For each group of the table the first of its cells, and the one after its last.
    runs: Vec<[u32; 2]>,
    /// For each cell its column.
    columns: Vec<u8>,
}

impl Across {
    /// Makes columns of `cells`, and adds their names, and their values for the rest of `grouped`.
    pub(super) fn new(grouped: &mut Grouped, cells: Grouped) -> Result<Across, Error> {
        let keys = grouped.key_names.len();
        let values = values_of(&cells, keys)?;
        let places = (0..).zip(&values);
        let places: HashMap<&[u8], u8, RandomState> =
            places.map(|(place, value)| (&value[..], place)).collect();
        let columns = cells.iter().map(|cell| places[cell.key(keys)]);
        let columns: Vec<_> = columns.collect();
        let front = |nth: usize| cells.groups.front(nth);
        let mut fronts: HashMap<_, [u32; 2], RandomState> = HashMap::default();
        let all: Vec<u32> = (0..cells.len() as u32).collect();
        for run in all.chunk_by(|one, next| front(*one as usize) == front(*next as usize)) {
            fronts.insert(front(run[0] as usize), [run[0], run[0] + run.len() as u32]);
        }
        let runs = (0..grouped.len()).map(|nth| {
            // A group has rows, and so cells, but for a partial that was made up.
            let made_up = || Error::from(Damaged).about("one of the partials");
            fronts.remove(grouped.groups.key(nth)).ok_or_else(made_up)
        });
        let runs = runs.collect::<Result<Vec<_>, Error>>()?;
        let mut not_listed = fronts.into_values();
        if let Some(rest) = &mut grouped.rest {
            rest.values
                .extend(rest_of(&cells, &columns, values.len(), &mut not_listed));
        }
        let known = |name: &str| {
            let mut known = grouped.key_names.iter().chain(&grouped.aggregate_names);
            ["count", EMPTY].contains(&name) || known.any(|known| known == name)
        };
        let mut names: Vec<String> = Vec::new();
        for value in &values {
            names.push(match &decoded(value)[..] {
                "" => EMPTY.to_owned(),
                name if known(name) => format!("{}={name}", cells.key_names[keys]),
                // Texts in two encodings may be one.
                name if names.iter().any(|other| other == name) => escaped(value),
                name => name.to_owned(),
            });
        }
        let mut named = names.iter().enumerate();
        if let Some((_, twice)) = named.find(|(nth, name)| names[..*nth].contains(name)) {
            let what = format!(
                "two values of {} would name one column, {}",
                cells.key_names[keys],
                escaped(twice.as_bytes())
            );
            return Err(Error::usage(what)
                .advise("make the column a key of the rows: fecscan by KEY,COLUMN"));
        }
        grouped.aggregate_names.extend(names);
        let reading = cells.reading(0);
        let readings = values.iter().filter_map(|_| reading);
        grouped.readings.extend(readings);
        Ok(Across {
            cells: Box::new(cells),
            runs,
            columns,
        })
    }

    /// Reads the values of all cells so.
    pub(super) fn read(&mut self, reading: Reading) {
        self.cells.readings[0] = reading;
    }

    /// Returns what a group has in a column.
    pub(super) fn value(&self, group: usize, column: usize) -> Option<Value> {
        let [start, end] = self.runs[group];
        let mut run = start as usize..end as usize;
        let cell = run.find(|&cell| usize::from(self.columns[cell]) == column);
        match cell {
            Some(cell) => value(&self.cells, cell),
            None if self.cells.question.aggregates.is_empty() => Some(Value::Count(0)),
            None => None,
        }
    }
}

/// Returns the first aggregate of a cell, or its count.
fn value(cells: &Grouped, nth: usize) -> Option<Value> {
    let cell = cells.group(nth);
    if cells.question.aggregates.is_empty() {
        Some(Value::Count(cell.count()))
    } else {
        cell.value(0)
    }
}

/// Returns the distinct values of the key with this number, in their order.
fn values_of(cells: &Grouped, key: usize) -> Result<Vec<Vec<u8>>, Error> {
    let mut values: Vec<Vec<u8>> = Vec::new();
    for cell in cells.iter() {
        let value = cell.key(key);
        if values.iter().any(|known| known == value) {
            continue;
        }
        if values.len() == COLUMNS_MAX {
            let name = &cells.key_names[key];
            let what =
                format!("{name} has more than {COLUMNS_MAX} values, and each would be a column");
            return Err(Error::usage(what)
                .advise("make it a key like the others, or choose rows by it with --where"));
        }
        values.push(value.to_vec());
    }
    values.sort_by(|one, other| {
        let keys = &cells.question.keys[key..];
        let kinds = cells.key_kinds.get(key..).unwrap_or_default();
        key_order::compare(keys, kinds, Sort::Key, one, other)
    });
    Ok(values)
}

/// Returns the values of each column for the cells of `runs` together. Numbers of distinct values can't be added up.
fn rest_of(
    cells: &Grouped,
    columns: &[u8],
    count: usize,
    runs: &mut dyn Iterator<Item = [u32; 2]>,
) -> Vec<Option<Value>> {
    let cells_of = |[start, end]: [u32; 2]| start as usize..end as usize;
    let Some(mut together) = cells.groups.none_of(count) else {
        return vec![None; count];
    };
    for cell in runs.flat_map(cells_of) {
        let item = cells.groups.item(cell);
        together.merge_one(columns[cell].into(), item.totals, item.nth);
    }
    together.finish();
    let order = cells.order();
    let value = |nth: usize| {
        let item = Item::of(&together, nth);
        if cells.question.aggregates.is_empty() {
            Some(Value::Count(item.rows()))
        } else {
            order.value(0, item)
        }
    };
    (0..count).map(value).collect()
}
