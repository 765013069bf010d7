//! Conditions on one joined column, decided once for each identifier.

use std::sync::Arc;

use super::bound_filter::BoundFilter;
use super::cell_map::CellMap;
use super::lower::Atom;
use super::predicate::{JoinedIds, Predicate, Truth};
use crate::scan::ROWS;
use crate::sql::evaluate::Batch;
use crate::sql::file::{Joined, Read};
use crate::sql::vector::{Values, first};

/// Puts clauses in their order. Conditions on one joined column are decided once for each identifier, and each joined file counts its rows
/// without a partner once.
pub(super) fn bound_filter(clauses: Vec<Vec<Atom>>) -> BoundFilter {
    let mut bound = BoundFilter::default();
    let mut counted = Vec::new();
    for clause in clauses {
        let clause = clause.into_iter().map(|atom| match &atom.predicate {
            Predicate::Expression(truth) => Atom {
                column: truth.read.first().map_or(0, |read| read.place),
                predicate: joined(truth, &mut counted),
                ..atom
            },
            _ => atom,
        });
        bound.push(clause.collect());
    }
    bound
}

/// Returns the predicate of an expression: a look-up of identifiers, if the expression reads a single joined column.
fn joined(truth: &Arc<Truth>, counted: &mut Vec<usize>) -> Predicate {
    let mut counts = Vec::new();
    for (nth, read) in truth.read.iter().enumerate() {
        let Some(joined) = &read.joined else { continue };
        let place = joined.partners.table_place(joined.column.schema);
        if !counted.contains(&place) {
            counted.push(place);
            counts.push([nth, place]);
        }
    }
    if let [
        Read {
            joined: Some(joined),
            ..
        },
    ] = &truth.read[..]
        && let Some(ids) = joined_ids(truth, joined)
    {
        return Predicate::Joined(Arc::new(ids), counts.first().map(|[_, place]| *place));
    }
    Predicate::Expression(Arc::new(Truth {
        expression: truth.expression.clone(),
        read: truth.read.clone(),
        counted: counts,
        test: truth.test.clone(),
        may_fail: truth.may_fail,
    }))
}

/// Decides for the partner of each identifier. Returns none if the expression fails for one.
fn joined_ids(truth: &Truth, joined: &Joined) -> Option<JoinedIds> {
    let Joined { partners, column } = joined;
    let ids: Vec<&[u8]> = partners.ids(column).collect();
    let mut verdicts = Vec::new();
    for ids in ids.chunks(ROWS) {
        let known: Vec<_> = ids
            .iter()
            .filter_map(|id| Some((*id, partners.value(column, id)?)))
            .collect();
        let values = truth.read[0].values_of(known.iter().map(|(_, value)| Some(*value)));
        let batch = One(&values, known.len());
        let truths = truth.expression.values(&batch, first(known.len()));
        let truths = truths.ok()?;
        for (row, (id, _)) in known.iter().enumerate() {
            let is_known = truths.valid >> row & 1 == 1;
            verdicts.push((*id, is_known.then_some(truths.is_true() >> row & 1 == 1)));
        }
    }
    let nothing = Values::null();
    let nobody = One(&nothing, 1);
    let others = truth.expression.values(&nobody, 1).ok()?;
    Some(JoinedIds {
        function: column.function.clone(),
        verdicts: CellMap::new(verdicts),
        others: others.is_true() & 1 == 1,
    })
}

/// Rows of one column.
struct One<'v>(&'v Values<'v>, usize);

impl Batch for One<'_> {
    fn rows(&self) -> usize {
        self.1
    }

    fn column(&self, _: usize) -> Values<'_> {
        self.0.clone()
    }
}
