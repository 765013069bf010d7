//! Resolves the columns of a question for a schema.

use super::aggregates::Aggregate;
use super::joined::{Calls, KeyMap};
use super::question::{GroupQuestion, RowKindPolicy, Sort};
use crate::error::Error;
use crate::expr::list::{Role, as_typed};
use crate::expr::{Key, KeyFunction, refuse_second};
use crate::fec::number::DECIMAL_COMMA_ADVICE;
use crate::fec::schema::{AMOUNT_DECIMALS, Column, Kind, Schema};
use crate::input::LINE_BYTES_MAX;
use crate::join::bind::{holds_other, named};
use crate::join::{Found, Partners, exact};

/// A column that no line has: it would need more pipes than a line may have bytes.
const NO_COLUMN: usize = LINE_BYTES_MAX + 1;

/// A question for the rows of a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoundQuestion {
    /// The columns by which rows are grouped, counted from zero: that of each key. Joined columns of one
    /// file share the column that leads to it.
    pub keys: Vec<usize>,
    /// The column of each aggregate, and how its values are read. That of a joined column leads to it.
    pub aggregates: Vec<(usize, Reading)>,
    /// TRANSACTION_TP and MEMO_CD, if the kinds of rows are to be counted and the schema has MEMO_CD. Without TRANSACTION_TP, MEMO_CD twice.
    pub row_kinds: Option<[usize; 2]>,
    /// The name of each key, such as `month(TRANSACTION_DT)`.
    pub key_names: Vec<String>,
    /// The name of each aggregate, such as `sum(TRANSACTION_AMT)`.
    pub aggregate_names: Vec<String>,
    pub(super) key_kinds: Vec<Kind>,
    pub(super) key_map: KeyMap,
}

/// Returns the name of a key, of an aggregate, or `count`, if the question has it.
pub(crate) fn term_name<'a>(term: Sort, keys: &'a [String], aggregates: &'a [String]) -> &'a str {
    match term {
        Sort::Count => "count",
        Sort::Key => "key",
        Sort::KeyColumn(nth) => &keys[nth],
        Sort::Aggregate(nth) => &aggregates[nth],
    }
}

/// How the values of an aggregate are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As amounts, which have two decimals.
    Number,
    /// As amounts, of a column without a type.
    Untyped,
    /// As whole numbers that a function makes. They are read as amounts are.
    Whole,
    /// As numbers with this number of decimals.
    Decimal(u8),
    /// As days.
    Date,
    /// As bytes.
    Bytes,
}

impl GroupQuestion {
    /// Resolves the columns for `schema`.
    ///
    /// ```
    /// use fecscan::fec::schema::Schema;
    /// use fecscan::fold::by::GroupQuestion;
    /// let question = GroupQuestion::new("zip5(zip),#10")?;
    /// let bound = question.bind(Schema::Indiv)?;
    /// assert_eq!(bound.keys, [10, 9]);
    /// assert_eq!(bound.key_names, ["zip5(ZIP_CODE)", "STATE"]);
    /// # Ok::<(), fecscan::Error>(())
    /// ```
    ///
    /// # Errors
    /// A usage error if the schema lacks a column, or the column does not fit its key or aggregate. If a key
    /// or an aggregate is named twice. If the order means no aggregate.
    pub fn bind(&self, schema: Schema) -> Result<BoundQuestion, Error> {
        self.bind_with(schema, &Partners::default())
    }

    /// Resolves the columns for `schema`, and for files that are joined.
    ///
    /// # Errors
    /// The same, and if a joined column is to be added up.
    pub fn bind_with(&self, schema: Schema, partners: &Partners) -> Result<BoundQuestion, Error> {
        self.bind_named(schema, partners, |column| column)
    }

    /// Resolves the columns. The names of keys and aggregates are expressions, which can be parsed.
    pub(crate) fn bind_typed(
        &self,
        schema: Schema,
        partners: &Partners,
    ) -> Result<BoundQuestion, Error> {
        self.bind_named(schema, partners, |column| as_typed(&column))
    }

    fn bind_named(
        &self,
        schema: Schema,
        partners: &Partners,
        named: impl Fn(String) -> String,
    ) -> Result<BoundQuestion, Error> {
        let name = |found: &Found| named(partners.shown(schema, found));
        let mut bound = BoundQuestion {
            row_kinds: self.row_kinds(schema),
            ..BoundQuestion::default()
        };
        for key in &self.keys {
            let found = key.bind(schema, partners, Role::Group)?;
            let name = key.name_of(&name(&found));
            refuse_second("the key", &name, &bound.key_names)?;
            let function = &key.function;
            let calls = self.calls_of(schema, &found, function);
            let keys = &mut bound.keys;
            bound.key_map.push_key(&found, function, calls, keys);
            bound.key_names.push(name);
            let (of, place) = found.schema_and_place(schema);
            let kind = of.column_at(place).map_or(Kind::Text, |column| column.kind);
            bound.key_kinds.push(function.kind(kind));
        }
        for (nth, aggregate) in self.aggregates.iter().enumerate() {
            let (found, reading) = aggregate.bind(schema, partners)?;
            let name = aggregate.name_of(&name(&found));
            refuse_second("the aggregate", &name, &bound.aggregate_names)?;
            let function = &aggregate.of.function;
            if aggregate.kind.state().is_none() {
                bound.key_map.push_distinct(&found, function);
            } else if found.joined.is_some() {
                let (of, keys) = ((nth, reading), &mut bound.keys);
                bound.key_map.push_extreme(of, &found, function, keys);
            }
            bound.aggregates.push((found.place, reading));
            bound.aggregate_names.push(name);
        }
        let count = "count".to_owned();
        let (keys, aggregates) = (&bound.key_names, &bound.aggregate_names);
        let is_taken = |name: &&String| **name == count || keys.contains(name);
        let double = keys.iter().find(|key| **key == count);
        if let Some(name) = double.or_else(|| aggregates.iter().find(is_taken)) {
            let what = format!("two columns of the answer have the name {name}");
            return Err(Error::usage(what).advise("name the columns otherwise: --names"));
        }
        self.check_terms(schema)?;
        for having in &self.having {
            if let Sort::Aggregate(nth) = having.measure {
                let dates = bound.aggregates[nth].1 == Reading::Date;
                having.check(&having.shown(&bound.aggregate_names[nth]), dates)?;
            }
        }
        Ok(bound)
    }

    fn row_kinds(&self, schema: Schema) -> Option<[usize; 2]> {
        match self.row_kinds {
            _ if schema.layout().is_some() => None,
            RowKindPolicy::Ignore => None,
            RowKindPolicy::Count => {
                let memo = exact(schema, "MEMO_CD")?;
                // Oppexp has no TRANSACTION_TP. The X of MEMO_CD counts as no type.
                Some([exact(schema, "TRANSACTION_TP").unwrap_or(memo), memo])
            }
        }
    }

    /// Returns the names of keys and aggregates as they were typed.
    pub(super) fn typed_names(&self) -> (Vec<String>, Vec<String>) {
        let key = |key: &Key| key.name_of(&key.column);
        (
            self.keys.iter().map(key).collect(),
            self.aggregates.iter().map(Aggregate::typed).collect(),
        )
    }
}

impl BoundQuestion {
    /// Returns the columns of the keys, then of the aggregates. If `kinds` are counted, TRANSACTION_TP and
    /// MEMO_CD follow.
    pub(super) fn columns(&self, kinds: RowKindPolicy) -> Vec<usize> {
        let aggregates = self.aggregates.iter().map(|(place, _)| *place);
        let mut columns: Vec<_> = self.keys.iter().copied().chain(aggregates).collect();
        if kinds == RowKindPolicy::Count {
            columns.extend(self.row_kinds.unwrap_or([NO_COLUMN; 2]));
        }
        columns
    }
}

impl GroupQuestion {
    /// Returns which rows call `function` of a column of `schema`. Groups by the column call it once for each value. With more keys, or
    /// distinct values, there would be many more groups at first. A limit is one of the groups of the question. Where a column has many values, as NAME, `trim` would take 1.9 of the time, and `upper` 1.4.
    ///
    /// These are ratios to times of a function that is called for each row, with a sum: Emerald Rapids, two threads, pages of 2 MB.
    ///
    /// | `day` | `week` | `weekday` | `quarter` | `upper`, `lower` of EMPLOYER | `trim` | `bin` of amounts |
    /// |---:|---:|---:|---:|---:|---:|---:|
    /// | 0.52 | 0.52 | 0.64 | 0.71 | 0.52 | 0.68 | 0.54 |
    fn calls_of(&self, schema: Schema, found: &Found, function: &KeyFunction) -> Calls {
        let (_, place) = found.schema_and_place(schema);
        let column = schema
            .column_at(place)
            .filter(|_| schema.layout().is_none());
        let is_alone = self.keys.len() == 1 && self.max_groups.is_none();
        let mut aggregates = self.aggregates.iter();
        let are_of_groups = is_alone
            && function.calls().all(|call| call.function.is_of_groups)
            && column.is_some_and(Column::has_few_values)
            && aggregates.all(|aggregate| aggregate.kind.state().is_some());
        if are_of_groups {
            Calls::Groups
        } else {
            Calls::Rows
        }
    }
}

impl Aggregate {
    fn bind(&self, scanned: Schema, partners: &Partners) -> Result<(Found, Reading), Error> {
        let name = self.kind.name();
        let found = self.of.bind(scanned, partners, Role::Aggregate)?;
        let (schema, place) = found.schema_and_place(scanned);
        let is_once_a_row = self.kind.state().is_some() && !self.kind.is_of_one_row();
        if found.joined.is_some() && is_once_a_row {
            return Err(counts_once_a_row(
                name,
                &partners.shown(scanned, &found),
                &partners.file_name(schema),
            ));
        }
        let column = schema.column_at(place);
        let of_column = column.map_or(Kind::Text, |column| column.kind);
        let takes_dates = self.kind.takes_kind(Kind::Date);
        let reading = match self.of.function.kind(of_column) {
            _ if self.kind.state().is_none() => Reading::Bytes,
            // No option types the columns of a joined table.
            Kind::Untyped
                if takes_dates
                    && found
                        .joined
                        .as_ref()
                        .is_some_and(|of| partners.are_days(of)) =>
            {
                Reading::Date
            }
            Kind::Number | Kind::Untyped => {
                let keeps_kind = self.of.function.keeps_kind();
                let column = column.filter(|_| keeps_kind);
                match column.map_or(AMOUNT_DECIMALS, |column| column.decimals) {
                    _ if !keeps_kind && self.kind.is_of_one_row() => Reading::Whole,
                    _ if of_column == Kind::Untyped && keeps_kind => Reading::Untyped,
                    AMOUNT_DECIMALS => Reading::Number,
                    decimals => Reading::Decimal(decimals),
                }
            }
            Kind::Date if takes_dates => Reading::Date,
            _ => return Err(self.takes_other(scanned, schema, place)),
        };
        Ok((found, reading))
    }

    /// Returns the error for values that the aggregate does not take. They are made of the column at `place` of `schema`.
    fn takes_other(&self, scanned: Schema, schema: Schema, place: usize) -> Error {
        let (takes, kinds) = self.kind.takes();
        let name = self.kind.name();
        if let Some(function) = self.of.function.name() {
            let what = format!("{name} takes {takes}, and {function} makes none");
            return Error::usage(what).advise("count them: --distinct takes any values");
        }
        let options = named(scanned, kinds).into_iter();
        let options = options.map(|column| format!("--{name} {}", self.kind.typed_of(column)));
        let options: Vec<_> = options.collect();
        let error = holds_other(schema, place, name, takes);
        let layout = schema.layout().filter(|_| kinds.contains(&Kind::Number));
        if layout.is_some_and(|layout| layout.is_found_text(place)) {
            return error.advise(DECIMAL_COMMA_ADVICE);
        }
        error.advise(if options.is_empty() {
            let name = schema.subject();
            format!("{name} has no column of them; --distinct takes any")
        } else {
            format!("write {}", options.join(" or "))
        })
    }
}

/// Returns the error for an aggregate of a joined column.
fn counts_once_a_row(aggregate: &str, column: &str, file: &str) -> Error {
    let what = format!(
        "{aggregate}({column}) would take a value of {file} once for each row that it is joined to"
    );
    Error::usage(what).advise("make it a key of groups, or ask for its --max, --min or --distinct")
}
