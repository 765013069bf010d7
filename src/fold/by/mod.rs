//! Groups: rows that have columns in common, counted, with sums and other aggregates.
//!
//! A [`GroupQuestion`] says by what to group, and what to make of each group. [`ByFold`] answers it, and
//! [`Grouped`] is the result, in its final order.
//!
//! Numbers are exact hundredths. Aggregates skip other values, and
//! [`Grouped::without`] counts them. An aggregate of no numbers has no value, as in SQL.

mod bound;
mod grouped;
mod question;
mod tally;

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use ahash::RandomState;

pub use self::bound::{BoundQuestion, Reading};
pub use self::grouped::{Group, Grouped, Rest, Value};
pub use self::question::{
    Aggregate, AggregateKind, Direction, GroupQuestion, Key, KeyFunction, RowKindPolicy, Sort,
};
use self::tally::Tally;
use super::{Fold, Folded};
use crate::error::{Error, ErrorKind};
use crate::fec::schema::{CONDUIT_TYPES, REFUND_TYPES, Schema};
use crate::fec::{amount, date, derived};
use crate::input::Part;
use crate::scan::{Need, Row, Rows};

/// The fold that groups rows.
///
/// ```
/// use fecscan::Engine;
/// use fecscan::fold::by::{AggregateKind, ByFold, GroupQuestion, Value};
/// use fecscan::input::{Input, Io};
///
/// # fn main() -> Result<(), fecscan::Error> {
/// let mut question = GroupQuestion::new("state")?;
/// question.add_aggregate(AggregateKind::Max, "amount")?;
/// question.top = Some(1);
/// let fold = ByFold::new(question);
/// let engine = Engine::default();
/// let mut run = engine.run(&fold);
/// run.input(Input::open("fixtures/generated.txt".as_ref(), Io::default())?)?;
/// let grouped = fold.grouped(run.finish())?;
///
/// assert_eq!(grouped.key_names(), ["STATE"]);
/// assert_eq!(grouped.aggregate_names(), ["max(TRANSACTION_AMT)"]);
/// let first = grouped.group(0);
/// assert_eq!((first.key(0), first.count()), (&b"CA"[..], 16));
/// assert!(matches!(first.value(0), Some(Value::Amount(_))));
/// let rest = grouped.rest().expect("there are other states");
/// assert_eq!(first.count() + rest.count, grouped.lines);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ByFold {
    question: GroupQuestion,
    /// The paths of inputs, and the schemas of their parts, as far as they have begun.
    schemas: Mutex<Vec<(OsString, Schema)>>,
    /// How the values of the aggregates are read: the same way in all parts.
    readings: OnceLock<Vec<Reading>>,
    /// A worker has found more groups than there may be.
    has_too_many: AtomicBool,
    /// The seed of the tables, the same for all workers.
    random: RandomState,
}

/// The groups of a worker, or of all of them.
#[derive(Clone, Debug)]
pub struct Partial {
    /// The keys, with pipes between them.
    groups: HashMap<Vec<u8>, State, RandomState>,
    /// For each aggregate, the rows whose value is no number.
    without: Vec<u64>,
    row_kinds: RowKinds,
}

/// The rows of a group.
#[derive(Clone, Debug)]
struct State {
    count: u64,
    tallies: Vec<Tally>,
}

/// How many of the rows count money that other rows count, too. A row can be of several kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RowKinds {
    /// Rows with one of [`REFUND_TYPES`].
    pub refunds: u64,
    /// Rows with one of [`CONDUIT_TYPES`].
    pub copies: u64,
    /// Rows whose MEMO_CD is X.
    pub memo: u64,
}

impl ByFold {
    /// Returns a fold that answers `question`.
    pub fn new(question: GroupQuestion) -> ByFold {
        ByFold {
            question,
            schemas: Mutex::default(),
            readings: OnceLock::new(),
            has_too_many: AtomicBool::new(false),
            random: RandomState::new(),
        }
    }

    /// Returns the groups, from the result of a run. Columns have the names of the first input's schema.
    ///
    /// # Errors
    /// If there are more groups than [`GroupQuestion::max_groups`], or a sum is beyond 128 bits.
    pub fn grouped(&self, folded: Folded<Partial>) -> Result<Grouped, Error> {
        let schemas = self.schemas_of(&folded);
        let has_kinds = |schema: &Schema| {
            let bound = self.question.bind(*schema);
            bound.is_ok_and(|bound| bound.row_kinds.is_some())
        };
        let (key_names, aggregate_names) = match schemas.first() {
            None => self.question.typed_names(),
            Some(first) => {
                let bound = self.question.bind(*first)?;
                (bound.key_names, bound.aggregate_names)
            }
        };
        let partial = folded.partial;
        let groups = partial.groups.len() as u64;
        if self.has_too_many.load(Ordering::Relaxed) || self.are_too_many(groups) {
            return Err(self.too_many_groups());
        }
        let readings = self.readings.get().map_or(&[][..], |readings| readings);
        let mut grouped = Grouped::empty(&self.question);
        grouped.files = folded.files;
        grouped.lines = folded.lines;
        grouped.lines_scanned = folded.lines_scanned;
        grouped.row_kinds = schemas.iter().any(has_kinds).then_some(partial.row_kinds);
        grouped.key_names = key_names;
        grouped.aggregate_names = aggregate_names;
        grouped.without = partial.without;
        grouped.with_groups(partial.groups, readings)
    }

    /// Returns the schemas of the inputs that were read whole, in the order given. Members of an archive
    /// have the order of [`Schema::ALL`].
    fn schemas_of(&self, folded: &Folded<Partial>) -> Vec<Schema> {
        let begun = self.schemas.lock().unwrap_or_else(PoisonError::into_inner);
        let of_file = |path: &OsString| {
            let is_its = |schema: &Schema| begun.contains(&(path.clone(), *schema));
            Schema::ALL.into_iter().filter(is_its).collect::<Vec<_>>()
        };
        let files = folded.files.iter();
        files.flat_map(|file| of_file(&file.path)).collect()
    }

    fn are_too_many(&self, groups: u64) -> bool {
        self.question.max_groups.is_some_and(|most| groups > most)
    }

    fn too_many_groups(&self) -> Error {
        let most = self.question.max_groups.unwrap_or_default();
        let what = format!("there are more than {most} groups");
        Error::new(ErrorKind::Input, what).advise(
            "group by less, choose rows with --where, or allow more with --max-groups; --top cuts the \
             result only after all groups are known",
        )
    }

    fn add(&self, row: Row<'_>, readings: &[Reading], key: &mut Vec<u8>, partial: &mut Partial) {
        let keys = self.question.keys.len();
        key.clear();
        for (nth, one) in self.question.keys.iter().enumerate() {
            if nth > 0 {
                key.push(b'|');
            }
            one.function
                .append(row.column(nth).unwrap_or_default(), key);
        }
        if !partial.groups.contains_key(&key[..]) {
            let tallies = self.question.aggregates.iter();
            let tallies = tallies
                .map(|aggregate| Tally::new(aggregate.kind))
                .collect();
            partial
                .groups
                .insert(key.clone(), State { count: 0, tallies });
        }
        let group = partial
            .groups
            .get_mut(&key[..])
            .expect("the group is there");
        group.count += 1;
        for (nth, (tally, reading)) in group.tallies.iter_mut().zip(readings).enumerate() {
            let value = row.column(keys + nth).unwrap_or_default();
            let number = match reading {
                Reading::Bytes => {
                    tally.add_bytes(value);
                    continue;
                }
                Reading::Number => amount::hundredths(value),
                Reading::Date => date::of_column(value).map(i128::from),
            };
            match number {
                Some(number) => tally.add(number),
                None => partial.without[nth] += 1,
            }
        }
        if self.question.row_kinds == RowKindPolicy::Count {
            let others = keys + readings.len();
            let [kind, memo] = [others, others + 1].map(|nth| row.column(nth).unwrap_or_default());
            partial.row_kinds.add(kind, memo);
        }
    }
}

impl KeyFunction {
    /// Appends what the function makes of `column`.
    fn append(self, column: &[u8], key: &mut Vec<u8>) {
        match self {
            KeyFunction::Bytes => key.extend_from_slice(column),
            KeyFunction::Month => key.extend(derived::month(column).iter().flatten()),
            KeyFunction::Year => key.extend(derived::year(column).iter().flatten()),
            KeyFunction::Zip5 => key.extend_from_slice(derived::zip5(column)),
            KeyFunction::FirstName => key.extend_from_slice(derived::first_name(column)),
            KeyFunction::LastName => key.extend_from_slice(derived::last_name(column)),
        }
    }
}

impl RowKinds {
    fn add(&mut self, kind: &[u8], memo: &[u8]) {
        let is_one_of = |kinds: &[&str]| kinds.iter().any(|known| known.as_bytes() == kind);
        self.refunds += u64::from(is_one_of(&REFUND_TYPES));
        self.copies += u64::from(is_one_of(&CONDUIT_TYPES));
        self.memo += u64::from(memo == b"X");
    }

    fn merge(&mut self, from: RowKinds) {
        self.refunds += from.refunds;
        self.copies += from.copies;
        self.memo += from.memo;
    }
}

impl Fold for ByFold {
    type Partial = Partial;

    fn need(&self, part: &Part) -> Result<Need, Error> {
        let schema = part.certain_schema()?;
        let bound = self.question.bind(schema)?;
        let readings: Vec<_> = bound
            .aggregates
            .iter()
            .map(|(_, reading)| *reading)
            .collect();
        if *self.readings.get_or_init(|| readings.clone()) != readings {
            let what = "an aggregate is one of dates here, and of numbers in another input";
            let error = Error::new(ErrorKind::Usage, what);
            return Err(error.advise("name the column by its name, not by its number"));
        }
        let mut schemas = self.schemas.lock().unwrap_or_else(PoisonError::into_inner);
        schemas.push((part.input_path().to_owned(), schema));
        Ok(Need::Rows(bound.columns(self.question.row_kinds)))
    }

    fn partial(&self) -> Partial {
        Partial {
            groups: HashMap::with_hasher(self.random.clone()),
            without: vec![0; self.question.aggregates.len()],
            row_kinds: RowKinds::default(),
        }
    }

    /// Once there are too many groups, nothing more is added: [`ByFold::grouped`] refuses.
    fn rows(&self, rows: &Rows<'_>, partial: &mut Partial) -> Result<(), Error> {
        if self.has_too_many.load(Ordering::Relaxed) {
            return Ok(());
        }
        let readings = self.readings.get().expect("a part has begun");
        let mut key = Vec::new();
        for row in rows.iter() {
            self.add(row, readings, &mut key, partial);
        }
        if self.are_too_many(partial.groups.len() as u64) {
            self.has_too_many.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    fn merge(&self, into: &mut Partial, from: Partial) {
        for (key, state) in from.groups {
            match into.groups.get_mut(&key) {
                None => {
                    into.groups.insert(key, state);
                }
                Some(group) => {
                    group.count += state.count;
                    let pairs = group.tallies.iter_mut().zip(&state.tallies);
                    pairs.for_each(|(tally, from)| tally.merge(from));
                }
            }
        }
        for (count, from) in into.without.iter_mut().zip(from.without) {
            *count += from;
        }
        into.row_kinds.merge(from.row_kinds);
    }
}
