//! Plans of groups in two steps.

use crate::sql::aggregates::Keeps;
use crate::sql::expression::{Expression, Node};
use crate::sql::file::Read;
use crate::sql::groups::columns::KeyColumn;
use crate::sql::groups::layout::Layout;
use crate::sql::plan::{Aggregate, Body, Grouping, Join, Plan, Source};
use crate::sql::types::{Type, WORD_DIGITS};
use crate::sql::value::Value;

/// The most columns that keys are made of before they are evaluated, without joins.
const COLUMNS_MOST: usize = 2;

/// A plan of groups of joined rows, in two steps.
pub(in crate::sql) struct EagerPlan {
    /// Groups the rows of the files.
    pub(super) before: Plan,
    /// What follows, of these groups: their columns are their keys.
    pub(super) joins: Vec<Join>,
    pub(super) filter: Option<Expression>,
    pub(super) keys: Vec<Expression>,
    /// The aggregates of groups, at their places: those of joined columns that are the same however often a row counts, and those of keys.
    pub(super) late: Vec<Option<Aggregate>>,
}

impl EagerPlan {
    /// Returns the steps, if the plan has the rows of files with joins or keys that take long, and aggregates of their columns, or
    /// the least or the greatest of joined ones.
    pub(in crate::sql) fn of(plan: &Plan) -> Option<EagerPlan> {
        let Body::Groups(grouping) = &plan.body else {
            return None;
        };
        let is_of_files = matches!(plan.source, Source::Files(..));
        let keeps_tables = plan.joins.iter().any(|join| join.keeps[1]);
        if !is_of_files || keeps_tables {
            return None;
        }
        let mut split = Split {
            read: &plan.read,
            keys: Vec::new(),
        };
        let joins = plan.joins.iter().filter(|join| !join.is_decided);
        let of_joins = joins.flat_map(|join| join.keys[0].iter().chain(&join.condition));
        let after = of_joins.chain(&plan.filter).chain(&grouping.keys);
        after.for_each(|of| split.add(of));
        let late = grouping.aggregates.iter().map(|aggregate| {
            if split.is_of_keys(aggregate, &grouping.aggregates) {
                return Some(Some(aggregate.clone()));
            }
            if split.can_be_before(aggregate) {
                return Some(None);
            }
            aggregate.expressions().for_each(|of| split.add(of));
            let is_late = matches!(aggregate.function.keeps, Keeps::Extreme(_));
            is_late.then(|| Some(aggregate.clone()))
        });
        let mut late: Vec<_> = late.collect::<Option<_>>()?;
        let aggregates = without_late(&grouping.aggregates, &late);
        let late_mut = late.iter_mut().flatten();
        for of in late_mut.flat_map(Aggregate::expressions_mut) {
            *of = split.after(of);
        }
        if !saves_time(plan, grouping, &split) || !may_group_first(plan, &split, &aggregates) {
            return None;
        }
        let of_groups = Grouping {
            keys: split.keys.clone(),
            sets: vec![(0..split.keys.len()).collect()],
            aggregates,
            having: None,
            select: Vec::new(),
        };
        let before = Plan {
            joins: Vec::new(),
            filter: None,
            body: Body::Groups(of_groups),
            ..plan.clone()
        };
        // The best rows of groups are found where all their rows are.
        let has_bests = !Layout::new(grouping, plan).bests.is_empty();
        (!has_bests).then(|| EagerPlan {
            late,
            joins: plan.joins.iter().map(|join| split.join(join)).collect(),
            filter: plan.filter.as_ref().map(|of| split.after(of)),
            keys: grouping.keys.iter().map(|of| split.after(of)).collect(),
            before,
        })
    }
}

/// Says whether groups may be evaluated in less time than rows: there are joins, or keys of few columns that take long.
fn saves_time(plan: &Plan, grouping: &Grouping, split: &Split<'_>) -> bool {
    let mut keys = grouping.keys.iter();
    let mut take_long =
        || keys.any(|key| !KeyColumn::of(key, &plan.read).is_fast() && !split.keys.contains(key));
    plan.has_joins() || split.keys.len() <= COLUMNS_MOST && take_long()
}

/// Says whether the first groups have values for all their rows. A value that can't be known is a fault of a row that stays, and ON is asked of rows
/// with a candidate alone.
fn may_group_first(plan: &Plan, split: &Split<'_>, aggregates: &[Aggregate]) -> bool {
    let all_stay = plan.filter.is_none() && plan.joins.iter().all(|join| join.keeps[0]);
    let arguments = aggregates.iter().flat_map(Aggregate::expressions);
    let mut of_rows = split.keys.iter().chain(arguments);
    let mut conditions = plan.joins.iter().filter_map(|join| join.condition.as_ref());
    !conditions.any(Expression::may_fail)
        && (all_stay || !of_rows.any(|of| of.may_fail() || is_wide(of)))
}

/// Returns the aggregates of the first groups. The late ones have no values there.
fn without_late(aggregates: &[Aggregate], late: &[Option<Aggregate>]) -> Vec<Aggregate> {
    let mut early = aggregates.to_vec();
    let without = early
        .iter_mut()
        .zip(late)
        .filter(|(_, late)| late.is_some());
    for (early, _) in without {
        early.of = vec![Expression::literal(Value::Null, early.of_type())];
        early.filter = None;
    }
    early
}

/// Says whether a value may have more than 64 bits, which no state of a group takes.
fn is_wide(of: &Expression) -> bool {
    let has_most = match of.gives {
        Type::HugeInt => true,
        Type::Decimal(width, _) => width > WORD_DIGITS,
        _ => false,
    };
    has_most && matches!(of.of, Node::Cast(..)) || of.parts().iter().any(|part| is_wide(part))
}

/// Splits expressions at the columns of the files.
struct Split<'p> {
    /// The columns of the files. Those of joined tables follow.
    read: &'p [Read],
    /// The expressions of them that are keys of the first groups.
    keys: Vec<Expression>,
}

impl Split<'_> {
    /// Says whether an expression has columns of the files, and of joined tables.
    fn sides(&self, of: &Expression) -> [bool; 2] {
        let mut sides = [false; 2];
        of.each_column(&mut |nth| sides[usize::from(nth >= self.read.len())] = true);
        sides
    }

    /// Adds what an expression has of the files.
    fn add(&mut self, of: &Expression) {
        match self.sides(of) {
            [false, _] => {}
            [true, false] => self.add_own(of),
            [true, true] => of.parts().iter().for_each(|part| self.add(part)),
        }
    }

    /// Adds an expression of nothing but columns of the files: itself, or the columns if it takes long.
    fn add_own(&mut self, of: &Expression) {
        if KeyColumn::of(of, self.read).is_fast() {
            if !self.keys.contains(of) {
                self.keys.push(of.clone());
            }
            return;
        }
        of.each_column(&mut |nth| {
            let column = Expression::column(nth, self.read[nth].gives);
            if !self.keys.contains(&column) {
                self.keys.push(column);
            }
        });
    }

    /// Says whether all rows of a first group have the same argument, because it is of keys. The sum of amounts by their size takes 0.9 of the time,
    /// because rows are counted for each amount, and amounts are added once for each group. Medians keep a number for each row, and share these with
    /// all aggregates of their argument.
    fn is_of_keys(&self, aggregate: &Aggregate, all: &[Aggregate]) -> bool {
        let mut alike = all.iter().filter(|other| other.of == aggregate.of);
        let is_known = alike.all(|other| {
            let keeps = &other.function.keeps;
            matches!(keeps, Keeps::Count | Keeps::Total(_) | Keeps::Extreme(_))
        });
        let (mut columns, mut are_keys) = (0, true);
        for of in aggregate.expressions() {
            of.each_column(&mut |nth| {
                columns += 1;
                let read = self.read.get(nth);
                let column = read.map(|read| Expression::column(nth, read.gives));
                are_keys &= column.is_some_and(|column| self.keys.contains(&column));
            });
        }
        is_known && columns > 0 && are_keys
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
            *nth = *nth - self.read.len() + self.keys.len();
        }
        for part in of.parts_mut() {
            *part = self.after(part);
        }
        of
    }

    fn join(&self, join: &Join) -> Join {
        let [of_rows, of_table] = &join.keys;
        let types = self.keys.iter().map(|key| key.gives);
        let joined = join.before[self.read.len()..].iter().copied();
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
