//! Conditions that compare a text of the file with one of joined tables, decided by the scan: what the key of a row leads to is looked up once for
//! each key, before rows are joined.

use std::sync::Arc;

use super::batch::{Joined, Pair};
use super::semi::text_key;
use super::{HashedTable, Keys};
use crate::scan::ROWS;
use crate::sql::evaluate::{Batch, Fault};
use crate::sql::expression::{Comparison, Expression, Node};
use crate::sql::filter::{Filter, Found, JOINS_MOST, JoinedText, conjuncts};
use crate::sql::keys::{KeyForm, decode};
use crate::sql::plan::{Body, Join, Plan, all_of};
use crate::sql::types::Type;
use crate::sql::vector::{Mask, each, first};

/// The most keys that are looked up before the scan: 600,000 take longer than the rows of a small file.
const KEYS_MOST: usize = 1 << 17;

/// A condition that compares a column of the file, at a place, with a text of joined tables.
struct Compared<'c> {
    condition: &'c Expression,
    place: usize,
    text: &'c Expression,
    is_equal: bool,
}

/// Moves a comparison of a text of the file with a joined one from a plan of groups to the filter of the scan, if a text of the file alone leads to all
/// tables, and each key to one row. Donors of a candidate's own state, of 10,000 committees, take 0.6 of the time: groups of
/// their committees wait to be joined, instead of those of committees and states.
pub(super) fn with_joined_text(plan: &mut Plan, tables: &[HashedTable], filter: Filter) -> Filter {
    let is_of_groups = matches!(plan.body, Body::Groups(_));
    let has_few_keys = tables
        .first()
        .is_some_and(|table| table.ends.len() <= KEYS_MOST);
    if !(is_of_groups && has_few_keys) {
        return filter;
    }
    let Some((key, text, others)) = joined_text(plan, tables) else {
        return filter;
    };
    plan.filter = all_of(others);
    filter.with_joined_text(key, text)
}

/// Returns the place of the key, the first comparison, and the other conditions.
fn joined_text(
    plan: &Plan,
    tables: &[HashedTable],
) -> Option<(usize, JoinedText, Vec<Expression>)> {
    let [first, others @ ..] = &plan.joins[..] else {
        return None;
    };
    let key = text_key(first, plan)?;
    let is_of_tables = |of: &Expression| {
        let mut is_of_tables = of.has_columns();
        of.each_column(&mut |nth| is_of_tables &= nth >= plan.read.len());
        is_of_tables
    };
    let follows = |join: &Join| join.condition.is_none() && join.keys[0].iter().all(is_of_tables);
    let have_one_row = tables.iter().all(HashedTable::has_one_row_a_key);
    let keeps_tables = plan
        .joins
        .iter()
        .any(|join| join.keeps[1] || join.is_decided);
    let are_few = plan.joins.len() <= JOINS_MOST;
    if !have_one_row || keeps_tables || !are_few || !others.iter().all(follows) {
        return None;
    }
    let conditions = conjuncts(plan.filter.as_ref()?);
    let mut compared = conditions.iter().filter_map(|of| Compared::of(of, plan));
    let compared = compared.find(|of| is_of_tables(of.text) && !of.text.may_fail())?;
    let chain = Chain {
        joins: &plan.joins,
        tables,
        text: compared.text,
    };
    let keys = chain.found_of_keys().ok()?;
    let without = chain.found_of_rows(&[None]).ok()?.pop()?;
    let counts = tables.iter().map(|table| Arc::clone(&table.counts));
    let text = JoinedText::new(
        compared.place,
        compared.is_equal,
        &keys,
        without,
        counts.collect(),
    );
    let others = conditions.into_iter();
    let others = others.filter(|of| !std::ptr::eq(*of, compared.condition));
    Some((key, text, others.cloned().collect()))
}

impl<'c> Compared<'c> {
    fn of(condition: &'c Expression, plan: &Plan) -> Option<Compared<'c>> {
        let Node::Compare(comparison, operands) = &condition.of else {
            return None;
        };
        let is_equal = match comparison {
            Comparison::Equal => true,
            Comparison::NotEqual => false,
            _ => return None,
        };
        let place = |of: &Expression| match of.of {
            Node::Column(nth) => plan.read.get(nth).filter(|read| read.is_plain()),
            _ => None,
        };
        let [one, other] = &**operands;
        let (read, text) = match (place(one), place(other)) {
            (Some(read), None) => (read, other),
            (None, Some(read)) => (read, one),
            _ => return None,
        };
        (text.gives == Type::Varchar).then_some(Compared {
            condition,
            place: read.place,
            text,
            is_equal,
        })
    }
}

/// What keys of the first table lead to through all of them.
struct Chain<'p> {
    joins: &'p [Join],
    tables: &'p [HashedTable],
    /// The text at its end.
    text: &'p Expression,
}

/// Keys, and what each leads to.
type FoundOfKeys = Vec<(Box<[u8]>, Found)>;

impl Chain<'_> {
    /// Returns what each key leads to.
    fn found_of_keys(&self) -> Result<FoundOfKeys, Fault> {
        let ends = &self.tables[0].ends;
        let rows: Vec<_> = ends.values().map(|[row, _]| Some(*row)).collect();
        let keys = ends.keys().map(|key| {
            // A separator ends the only part.
            let part = &key[..key.len() - 1];
            let values = decode([part].into_iter(), Type::Varchar, KeyForm::Escaped);
            values.text(0).into()
        });
        Ok(keys.zip(self.found_of_rows(&rows)?).collect())
    }

    /// Returns what rows of the first table lead to, and no row of it.
    fn found_of_rows(&self, rows: &[Option<u32>]) -> Result<Vec<Found>, Fault> {
        let mut all = Vec::with_capacity(rows.len());
        for rows in rows.chunks(ROWS) {
            let pairs: Vec<_> = rows.iter().map(|row| Pair::new(None, *row)).collect();
            let mut found = vec![Found::default(); rows.len()];
            self.follow(0, None, &pairs, first(rows.len()), &mut found)?;
            all.extend(found);
        }
        Ok(all)
    }

    /// Adds what pairs of the table of a join lead to, of which those of a mask are kept.
    fn follow(
        &self,
        nth: usize,
        before: Option<&dyn Batch>,
        pairs: &[Pair],
        mut kept: Mask,
        found: &mut [Found],
    ) -> Result<(), Fault> {
        let join = &self.joins[nth];
        each(kept, |row| {
            if pairs[row].table.is_none() {
                found[row].lacking += 1 << (8 * nth);
                kept &= !(Mask::from(!join.keeps[0]) << row);
            }
        });
        let joined = Joined::new(before, join, &self.tables[nth].table, pairs);
        let Some(next) = self.joins.get(nth + 1) else {
            let texts = self.text.values(&joined, kept)?;
            each(kept & texts.valid, |row| {
                found[row].text = Some(texts.text(row).into());
            });
            return Ok(());
        };
        let (keys, ends) = (
            Keys::of(&next.keys[0], &joined)?,
            &self.tables[nth + 1].ends,
        );
        let mut key = Vec::new();
        let pairs = (0..pairs.len()).map(|row| {
            let ends = keys.write(row, &mut key).then(|| ends.get(&key)).flatten();
            Pair::new(Some(row), ends.map(|[head, _]| *head))
        });
        let pairs: Vec<_> = pairs.collect();
        self.follow(nth + 1, Some(&joined), &pairs, kept, found)
    }
}
