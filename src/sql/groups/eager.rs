//! Eager aggregation: rows of files are grouped before they are joined, by what leads to the tables and by what the plan's keys have of the
//! files. Each of these groups is joined once, as if it were a row, and merges with the others of its keys. A plan by `cm.CMTE_TP` joins
//! thousands of committees instead of millions of rows.

use super::layout::Layout;
use super::{BATCHES_OF_BLOCK, GroupsFold, Partial, SetGroups};
use crate::fold::Fold;
use crate::fold::key_words::KEY_SEPARATOR;
use crate::fold::tables::{self, Groups, Totals};
use crate::scan::{Cell, ROWS};
use crate::sql::RunOptions;
use crate::sql::aggregates::Keeps;
use crate::sql::evaluate::{Batch, Fault};
use crate::sql::expression::{Expression, Node};
use crate::sql::groups::columns::DistinctColumn;
use crate::sql::join::each_joined;
use crate::sql::keys::{KeyForm, decode, push_part};
use crate::sql::plan::{Aggregate, Body, Grouping, Join, Plan, Source};
use crate::sql::types::Type;
use crate::sql::vector::{Mask, Values, each, first};

/// The most groups of a worker that wait to be joined, and the most bytes of their keys. They stay in a cache.
const WAITING_MOST: usize = 1 << 15;
const WAITING_BYTES_MOST: usize = 8 << 20;

/// The most groups that wait if each keeps all its numbers, and the most rows. A group has room for 1,024 numbers from the first one on: medians of
/// 30,000 committees took 240 MB without these limits, and 9 MB with them.
const DISTRIBUTIONS_MOST: usize = 1 << 12;
const NUMBERS_MOST: u64 = 1 << 22;

/// The rows that a waiting group must have at least, on average. Otherwise rows are joined one by one: a key that is another one in each
/// row would take twice the time.
const ROWS_OF_GROUP: u64 = 2;

/// A plan of groups of joined rows, in two steps.
pub(in crate::sql) struct EagerPlan {
    /// Groups the rows of the files.
    before: Plan,
    /// What follows, of these groups: their columns are their keys.
    joins: Vec<Join>,
    filter: Option<Expression>,
    keys: Vec<Expression>,
}

impl EagerPlan {
    /// Returns the steps, if the plan has the rows of files, and an aggregate of nothing but their columns.
    pub(in crate::sql) fn of(plan: &Plan) -> Option<EagerPlan> {
        let Body::Groups(grouping) = &plan.body else {
            return None;
        };
        let is_of_files = matches!(plan.source, Source::Files(..));
        let keeps_tables = plan.joins.iter().any(|join| join.keeps[1]);
        if !is_of_files || !plan.has_joins() || keeps_tables {
            return None;
        }
        let mut split = Split {
            own: plan.read.len(),
            keys: Vec::new(),
        };
        let joins = plan.joins.iter().filter(|join| !join.is_decided);
        let of_joins = joins.flat_map(|join| join.keys[0].iter().chain(&join.condition));
        let mut after = of_joins.chain(&plan.filter).chain(&grouping.keys);
        let mut aggregates = grouping.aggregates.iter();
        if !after.all(|of| split.add(of)) || !aggregates.all(|of| split.can_be_before(of)) {
            return None;
        }
        // A value that can't be known is a fault of a row that stays. ON is asked of rows with a candidate alone.
        let all_stay = plan.filter.is_none() && plan.joins.iter().all(|join| join.keeps[0]);
        let arguments = grouping.aggregates.iter().flat_map(Aggregate::expressions);
        let mut of_rows = split.keys.iter().chain(arguments);
        let mut conditions = plan.joins.iter().filter_map(|join| join.condition.as_ref());
        if conditions.any(Expression::may_fail)
            || !all_stay && of_rows.any(|of| of.may_fail() || is_wide(of))
        {
            return None;
        }
        let of_groups = Grouping {
            keys: split.keys.clone(),
            sets: vec![(0..split.keys.len()).collect()],
            aggregates: grouping.aggregates.clone(),
            having: None,
            select: Vec::new(),
        };
        let before = Plan {
            joins: Vec::new(),
            filter: None,
            body: Body::Groups(of_groups.clone()),
            ..plan.clone()
        };
        // The best rows of groups are found where all their rows are.
        let has_bests = !Layout::new(&of_groups, &before).bests.is_empty();
        (!has_bests).then(|| EagerPlan {
            joins: plan.joins.iter().map(|join| split.join(join)).collect(),
            filter: plan.filter.as_ref().map(|of| split.after(of)),
            keys: grouping.keys.iter().map(|of| split.after(of)).collect(),
            before,
        })
    }
}

/// Says whether a value may have more than 64 bits, which no state of a group takes.
fn is_wide(of: &Expression) -> bool {
    let is_cast = matches!(of.of, Node::Cast(..));
    is_cast && matches!(of.gives, Type::HugeInt | Type::Decimal(_))
        || of.parts().iter().any(|part| is_wide(part))
}

/// Splits expressions at the columns of the files.
struct Split {
    /// The number of columns of the files. Those of joined tables follow.
    own: usize,
    /// The expressions of them that are keys of the first groups.
    keys: Vec<Expression>,
}

impl Split {
    /// Says whether an expression has columns of the files, and of joined tables.
    fn sides(&self, of: &Expression) -> [bool; 2] {
        let mut sides = [false; 2];
        of.each_column(&mut |nth| sides[usize::from(nth >= self.own)] = true);
        sides
    }

    /// Adds what an expression has of the files. Says whether the rest can be known of a group.
    fn add(&mut self, of: &Expression) -> bool {
        match (self.sides(of), &of.of) {
            ([false, _], _) => true,
            ([true, false], _) => {
                if !self.keys.contains(of) {
                    self.keys.push(of.clone());
                }
                true
            }
            ([true, true], Node::And(all)) => all.iter().all(|part| self.add(part)),
            ([true, true], _) => false,
        }
    }

    /// Says whether an aggregate is of nothing but the files.
    fn can_be_before(&self, aggregate: &Aggregate) -> bool {
        let mut all = aggregate.expressions();
        matches!(aggregate.function.keeps, Keeps::Set) || all.all(|of| !self.sides(of)[1])
    }

    /// Returns an expression of groups, which have their keys in place of the columns of the files.
    fn after(&self, of: &Expression) -> Expression {
        if let Some(nth) = self.keys.iter().position(|key| key == of) {
            return Expression::column(nth, of.gives);
        }
        let mut of = of.clone();
        if let Node::Column(nth) = &mut of.of {
            *nth = *nth - self.own + self.keys.len();
        }
        for part in of.parts_mut() {
            *part = self.after(part);
        }
        of
    }

    fn join(&self, join: &Join) -> Join {
        let [of_rows, of_table] = &join.keys;
        let types = self.keys.iter().map(|key| key.gives);
        let joined = join.before[self.own..].iter().copied();
        if join.is_decided {
            return join.clone();
        }
        Join {
            keys: [
                of_rows.iter().map(|of| self.after(of)).collect(),
                of_table.clone(),
            ],
            condition: join.condition.as_ref().map(|of| self.after(of)),
            before: types.chain(joined).collect(),
            ..join.clone()
        }
    }
}

/// Sees joined groups, those of a mask, and the values of the plan's keys.
type SeeKept<'s> = dyn FnMut(&dyn Batch, Mask, &[Values<'_>]) + 's;

/// Groups rows before they are joined.
pub(super) struct Eager<'p> {
    plan: &'p EagerPlan,
    pub(super) fold: GroupsFold<'p>,
}

impl<'p> Eager<'p> {
    pub(super) fn new(plan: &'p EagerPlan) -> Eager<'p> {
        let Body::Groups(grouping) = &plan.before.body else {
            unreachable!("it makes groups");
        };
        // Their number has a bound of its own.
        let options = RunOptions::default();
        Eager {
            plan,
            fold: GroupsFold::new(&plan.before, grouping, &[], None, options),
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
                see(joined, kept, &keys.collect::<Result<Vec<_>, _>>()?);
                Ok(())
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

impl Partial {
    /// Says whether so many groups wait that they are joined now.
    pub(super) fn is_full(&self) -> bool {
        let mut waiting = self.sets.iter().flat_map(SetGroups::waiting);
        waiting.any(|groups| {
            let keeps_numbers = groups.totals.keep_numbers();
            groups.len() > WAITING_MOST
                || groups.keys.bytes() > WAITING_BYTES_MOST
                || keeps_numbers && groups.len() > DISTRIBUTIONS_MOST
                || keeps_numbers && self.counts.kept > NUMBERS_MOST
        })
    }
}

impl GroupsFold<'_> {
    /// Joins the groups that wait, and adds them to those of the result.
    pub(super) fn join_waiting(&self, partial: &mut Partial) -> Result<(), Fault> {
        let (Some(eager), Some(waiting)) = (&self.eager, partial.waiting.take()) else {
            return Ok(());
        };
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
        let mut add = |joined: &dyn Batch, kept: Mask, keys: &[Values<'_>]| {
            each(kept, |row| counts.kept += joined.multiplicity(row));
            for (set, of_set) in sets.iter_mut().zip(&self.grouping.sets) {
                each(kept, |row| {
                    scratch.clear();
                    self.push_key(keys, of_set, row, scratch);
                    let key = Cell::from(&scratch[..]);
                    let place = joined.place(row) as usize;
                    set.groups.add_group(key, &groups.totals, place);
                });
            }
            end_batch(sets);
        };
        eager.each_kept(self, groups, Some(&groups.totals), &mut add)?;
        for (nth, table) in set.distinct.iter().enumerate() {
            let pairs = table.near();
            let form = eager.fold.form_of_distinct(nth);
            let mut add = |joined: &dyn Batch, kept: Mask, keys: &[Values<'_>]| {
                for (set, of_set) in sets.iter_mut().zip(&self.grouping.sets) {
                    each(kept, |row| {
                        let place = joined.place(row) as usize;
                        let pair = pairs.keys.get(place).bytes();
                        let value = pair.rsplit(|byte| *byte == KEY_SEPARATOR).next();
                        scratch.clear();
                        self.push_key(keys, of_set, row, scratch);
                        scratch.push(KEY_SEPARATOR);
                        push_escaped(value.unwrap_or_default(), form, scratch);
                        let key = Cell::from(&scratch[..]);
                        set.distinct[nth].add_group(key, &pairs.totals, place);
                    });
                }
                end_batch(sets);
            };
            eager.each_kept(self, pairs, None, &mut add)?;
        }
        self.end_block(sets);
        for (count, more) in counts.unread.iter_mut().zip(&waiting.counts.unread) {
            *count += more;
        }
        let most = set.waiting().map(Groups::len).max();
        let saves_time = waiting.counts.kept >= ROWS_OF_GROUP * most.unwrap_or(0) as u64;
        partial.waiting = saves_time.then(|| Box::new(eager.fold.partial()));
        Ok(())
    }

    /// Adds groups of another worker that wait to be joined.
    pub(super) fn merge_waiting(&self, into: &mut Partial, from: Option<Box<Partial>>) {
        let (Some(eager), Some(from)) = (&self.eager, from) else {
            return;
        };
        match &mut into.waiting {
            Some(waiting) => eager.fold.merge(waiting, *from),
            none => *none = Some(from),
        }
        if into
            .waiting
            .as_ref()
            .is_some_and(|waiting| waiting.is_full())
            && let Err(fault) = self.join_waiting(into)
        {
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

/// Appends a value as rows that are joined have it.
fn push_escaped(value: &[u8], form: KeyForm, out: &mut Vec<u8>) {
    match form {
        KeyForm::Escaped => out.extend_from_slice(value),
        KeyForm::Plain => {
            let values = decode([value].into_iter(), Type::Varchar, form);
            push_part(&values, Type::Varchar, KeyForm::Escaped, 0, out);
        }
    }
}
