//! Eager aggregation: rows of files are grouped before they are joined, by what leads to the tables and by what the plan's keys have of the
//! files. Each of these groups is joined once, as if it were a row, and merges with the others of its keys. A plan by `cm.CMTE_TP` joins
//! thousands of committees instead of millions of rows.
//!
//! Keys that take long are evaluated likewise, joined or not: a plan by `isodow(date)` evaluates hundreds of days.

mod plan;

use std::ops::Range;

pub(in crate::sql) use self::plan::EagerPlan;
use super::evaluated::numbers_of_rows;
use super::layout::Layout;
use super::{BATCHES_OF_BLOCK, GroupsFold, Partial, SetGroups};
use crate::fold::Fold;
use crate::fold::key_words::KEY_SEPARATOR;
use crate::fold::tables::{self, Groups, NO_NUMBER, Totals};
use crate::scan::{Cell, ROWS, Rows};
use crate::sql::RunOptions;
use crate::sql::evaluate::{Batch, Fault};
use crate::sql::groups::columns::DistinctColumn;
use crate::sql::join::each_joined;
use crate::sql::keys::{KeyForm, decode, push_part};
use crate::sql::plan::Body;
use crate::sql::types::Type;
use crate::sql::vector::{Mask, Values, each, first};

/// The most groups of a worker that wait to be joined, and the most bytes of their keys. They stay in a cache.
const WAITING_MOST: usize = 1 << 15;
const WAITING_BYTES_MOST: usize = 8 << 20;

/// How many times as many may wait to be joined if keys come again, but not often: the zip codes of a file, which lead to counties. Beside the cache, they
/// take less time than joins.
const WAITING_MORE: usize = 4;

/// The most groups that wait if each keeps all its numbers, and the most rows. A group has room for 1,024 numbers from the first one on: medians of
/// 30,000 committees took 240 MB without these limits, and 9 MB with them.
const DISTRIBUTIONS_MOST: usize = 1 << 12;
const NUMBERS_MOST: u64 = 1 << 22;

/// The rows that a hundred waiting groups must have at least. Otherwise rows are joined, or keys evaluated, one by one: a key that is another one in each
/// row would take twice the time.
const ROWS_FOR_JOINS: u64 = 125;
const ROWS_FOR_KEYS: u64 = 200;

/// The rows of a hundred groups with which more may wait.
const ROWS_FOR_MORE: Range<u64> = 103..1600;

/// Sees joined groups, those of a mask, and the values of the plan's keys.
type SeeKept<'s> = dyn FnMut(&dyn Batch, Mask, &[Values<'_>]) -> Result<(), Fault> + 's;

/// Groups rows before they are joined.
pub(super) struct Eager<'p> {
    plan: &'p EagerPlan,
    pub(super) fold: GroupsFold<'p>,
}

impl<'p> Eager<'p> {
    /// Returns the first step of a plan that keeps this of groups.
    pub(super) fn new(plan: &'p EagerPlan, mut layout: Layout) -> Eager<'p> {
        let numbers = &layout.numbers;
        let is_late = |column: usize| plan.late[numbers[column]].is_some();
        layout.kept.retain(|(_, column)| !is_late(*column));
        let Body::Groups(grouping) = &plan.before.body else {
            unreachable!("it makes groups");
        };
        // Their number has a bound of its own.
        let options = RunOptions::default();
        Eager {
            plan,
            fold: GroupsFold::with_layout(&plan.before, grouping, &[], layout, options),
        }
    }

    /// Returns the arguments of late aggregates, one array for each argument that groups keep; none without such aggregates.
    fn late_numbers(
        &self,
        joined: &dyn Batch,
        kept: Mask,
    ) -> Result<Option<Vec<[i64; ROWS]>>, Fault> {
        if self.plan.late.iter().all(Option::is_none) {
            return Ok(None);
        }
        let columns = self.fold.layout.numbers.iter().map(|&nth| {
            let Some(aggregate) = &self.plan.late[nth] else {
                return Ok([NO_NUMBER; ROWS]);
            };
            numbers_of_rows(aggregate, joined, kept)
        });
        columns.collect::<Result<_, _>>().map(Some)
    }

    /// Returns the groups of a worker before it has read rows.
    pub(super) fn waiting(&self) -> Box<Waiting> {
        Box::new(Waiting {
            partial: self.fold.partial(),
            times: 1,
        })
    }

    /// Returns the rows that a hundred groups must have, on average.
    fn rows_least(&self) -> u64 {
        if self.plan.joins.is_empty() {
            ROWS_FOR_KEYS
        } else {
            ROWS_FOR_JOINS
        }
    }

    /// Sees joined groups that the filter keeps, with their keys.
    fn each_kept(
        &self,
        fold: &GroupsFold<'_>,
        groups: &Groups,
        totals: Option<&Totals>,
        see: &mut SeeKept<'_>,
    ) -> Result<(), Fault> {
        for start in (0..groups.len()).step_by(ROWS) {
            if fold.is_over() {
                return Ok(());
            }
            let batch = WaitingGroups {
                fold: &self.fold,
                groups,
                start,
                totals,
            };
            let mut see = |joined: &dyn Batch| {
                let rows = first(joined.rows());
                let kept = match &self.plan.filter {
                    None => rows,
                    Some(filter) => filter.values(joined, rows)?.is_true() & rows,
                };
                let keys = self.plan.keys.iter().map(|key| key.values(joined, kept));
                see(joined, kept, &keys.collect::<Result<Vec<_>, _>>()?)
            };
            each_joined(&self.plan.joins, fold.joined, &batch, &mut see)?;
        }
        Ok(())
    }
}

/// Up to [`ROWS`] groups that wait to be joined. Their columns are their keys.
struct WaitingGroups<'g> {
    fold: &'g GroupsFold<'g>,
    groups: &'g Groups,
    start: usize,
    /// Has the numbers of their rows, unless these were joined before.
    totals: Option<&'g Totals>,
}

impl Batch for WaitingGroups<'_> {
    fn rows(&self) -> usize {
        (self.groups.len() - self.start).min(ROWS)
    }

    fn column(&self, nth: usize) -> Values<'_> {
        let parts = (0..self.rows()).map(|row| {
            let key = self.groups.keys.get(self.start + row).bytes();
            let mut parts = key.split(|byte| *byte == KEY_SEPARATOR);
            parts.nth(nth).unwrap_or_default()
        });
        decode(
            parts,
            self.fold.grouping.keys[nth].gives,
            self.fold.keys[nth],
        )
    }

    fn place(&self, row: usize) -> u64 {
        (self.start + row) as u64
    }

    fn multiplicity(&self, row: usize) -> u64 {
        self.totals
            .map_or(0, |totals| totals.rows(self.start + row))
    }
}

impl SetGroups {
    /// Returns all groups, and all distinct values, that wait to be joined.
    fn waiting(&self) -> impl Iterator<Item = &Groups> {
        let tables = [&self.groups].into_iter().chain(&self.distinct);
        tables.map(tables::Table::near)
    }
}

/// The groups of a worker that wait to be joined.
pub(super) struct Waiting {
    partial: Partial,
    /// The factor by which the bound on waiting groups has grown.
    times: usize,
}

impl Waiting {
    /// Says whether so many groups wait that they are joined now.
    fn is_full(&self) -> bool {
        let mut waiting = self.partial.sets.iter().flat_map(SetGroups::waiting);
        waiting.any(|groups| {
            let keeps_numbers = groups.totals.keep_numbers();
            groups.len() > WAITING_MOST * self.times
                || groups.keys.bytes() > WAITING_BYTES_MOST * self.times
                || keeps_numbers && groups.len() > DISTRIBUTIONS_MOST
                || keeps_numbers && self.partial.counts.kept > NUMBERS_MOST
        })
    }

    /// Says whether a hundred groups have this number of rows, on average.
    fn has(&self, rows: u64) -> bool {
        let waiting = self.partial.sets.iter().flat_map(SetGroups::waiting);
        let most = waiting.map(Groups::len).max().unwrap_or(0);
        self.partial.counts.kept.saturating_mul(100) >= rows.saturating_mul(most as u64)
    }
}

impl GroupsFold<'_> {
    /// Joins the groups that wait, and adds them to those of the result.
    pub(super) fn join_waiting(&self, partial: &mut Partial) -> Result<(), Fault> {
        let (Some(eager), Some(all_waiting)) = (&self.eager, partial.waiting.take()) else {
            return Ok(());
        };
        let waiting = &all_waiting.partial;
        let [set] = &waiting.sets[..] else {
            unreachable!("there is one set");
        };
        let Partial {
            sets,
            counts,
            scratch,
            ..
        } = partial;
        let groups = set.groups.near();
        let mut batches = 0;
        let mut end_batch = |sets: &mut [SetGroups]| {
            batches += 1;
            if batches % BATCHES_OF_BLOCK == 0 {
                self.end_block(sets);
            }
        };
        let mut one = Totals::new(&self.layout.kept);
        let mut add = |joined: &dyn Batch, kept: Mask, keys: &[Values<'_>]| {
            each(kept, |row| counts.kept += joined.multiplicity(row));
            let late = eager.late_numbers(joined, kept)?;
            for (set, of_set) in sets.iter_mut().zip(&self.grouping.sets) {
                each(kept, |row| {
                    scratch.clear();
                    self.push_key(keys, of_set, row, scratch);
                    let key = Cell::from(&scratch[..]);
                    let place = joined.place(row) as usize;
                    let Some(late) = &late else {
                        return set.groups.add_group(key, &groups.totals, place);
                    };
                    one.take_one(&groups.totals, place, late, row);
                    set.groups.add_group(key, &one, 0);
                });
            }
            end_batch(sets);
            Ok(())
        };
        eager.each_kept(self, groups, Some(&groups.totals), &mut add)?;
        for (nth, table) in set.distinct.iter().enumerate() {
            let pairs = table.near();
            let (from, to) = (eager.fold.form_of_distinct(nth), self.form_of_distinct(nth));
            let mut add = |joined: &dyn Batch, kept: Mask, keys: &[Values<'_>]| {
                for (set, of_set) in sets.iter_mut().zip(&self.grouping.sets) {
                    each(kept, |row| {
                        let place = joined.place(row) as usize;
                        let pair = pairs.keys.get(place).bytes();
                        let value = pair.rsplit(|byte| *byte == KEY_SEPARATOR).next();
                        scratch.clear();
                        self.push_key(keys, of_set, row, scratch);
                        scratch.push(KEY_SEPARATOR);
                        push_as(to, value.unwrap_or_default(), from, scratch);
                        let key = Cell::from(&scratch[..]);
                        set.distinct[nth].add_group(key, &pairs.totals, place);
                    });
                }
                end_batch(sets);
                Ok(())
            };
            eager.each_kept(self, pairs, None, &mut add)?;
        }
        self.end_block(sets);
        for (count, more) in counts.unread.iter_mut().zip(&waiting.counts.unread) {
            *count += more;
        }
        if all_waiting.has(eager.rows_least()) {
            let times = all_waiting.times;
            let mut waiting = eager.waiting();
            waiting.times = times;
            partial.waiting = Some(waiting);
        }
        Ok(())
    }

    /// Joins the groups that wait if they are too many, unless more may wait.
    fn join_if_full(&self, partial: &mut Partial) -> Result<(), Fault> {
        let (Some(eager), Some(waiting)) = (&self.eager, &mut partial.waiting) else {
            return Ok(());
        };
        if !waiting.is_full() {
            return Ok(());
        }
        let comes_again = waiting.has(ROWS_FOR_MORE.start) && !waiting.has(ROWS_FOR_MORE.end);
        if comes_again && waiting.times == 1 && !eager.plan.joins.is_empty() {
            waiting.times = WAITING_MORE;
            if !waiting.is_full() {
                return Ok(());
            }
        }
        self.join_waiting(partial)
    }

    /// Adds the rows of a block to the groups that wait. Says whether they do.
    pub(super) fn add_to_waiting(
        &self,
        rows: &Rows<'_>,
        partial: &mut Partial,
    ) -> Result<bool, Fault> {
        let (Some(eager), Some(waiting)) = (&self.eager, &mut partial.waiting) else {
            return Ok(false);
        };
        eager.fold.add_rows(rows, &mut waiting.partial)?;
        self.join_if_full(partial)?;
        Ok(true)
    }

    /// Adds groups of another worker that wait to be joined.
    pub(super) fn merge_waiting(&self, into: &mut Partial, from: Option<Box<Waiting>>) {
        let (Some(eager), Some(from)) = (&self.eager, from) else {
            return;
        };
        match &mut into.waiting {
            Some(waiting) => eager.fold.merge(&mut waiting.partial, from.partial),
            none => *none = Some(from),
        }
        if let Err(fault) = self.join_if_full(into) {
            self.fault.get_or_init(|| fault);
        }
    }

    /// Returns how the values of a `count(DISTINCT ..)` are written.
    fn form_of_distinct(&self, nth: usize) -> KeyForm {
        let columns = self.columns.as_ref().map(|columns| &columns.distinct[nth]);
        match columns {
            Some(DistinctColumn::Plain(_)) => KeyForm::Plain,
            _ => KeyForm::Escaped,
        }
    }
}

/// Appends a value of one form as one of another.
fn push_as(to: KeyForm, value: &[u8], from: KeyForm, out: &mut Vec<u8>) {
    if to == from {
        return out.extend_from_slice(value);
    }
    let values = decode([value].into_iter(), Type::Varchar, from);
    push_part(&values, Type::Varchar, to, 0, out);
}
