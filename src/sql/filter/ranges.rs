//! Ranges that the numbers of a column must be in.

use super::lower::{Atom, clauses};
use super::predicate::Predicate;
use crate::sql::expression::Expression;
use crate::sql::file::Read;
use crate::sql::file::columns::Reading;

/// Returns the number of the only column of a condition, and the range of its numbers for which that is true, if the condition is a range.
pub(in crate::sql) fn range_of(condition: &Expression, read: &[Read]) -> Option<(usize, [i64; 2])> {
    let mut columns = Vec::new();
    condition.each_column(&mut |nth| columns.push(nth));
    columns.dedup();
    let mut clauses = clauses(condition, read);
    let ([column], [clause]) = (&columns[..], &mut clauses[..]) else {
        return None;
    };
    let (_, reading, known) = range(clause)?;
    reading.is_some().then_some((*column, *known))
}

/// Returns the only range of a clause: its column, how that is read, and the range.
fn range(clause: &mut [Atom]) -> Option<(usize, Option<Reading>, &mut [i64; 2])> {
    let [
        Atom {
            column,
            predicate,
            wanted: true,
        },
    ] = clause
    else {
        return None;
    };
    match predicate {
        Predicate::Range(reading, range) => Some((*column, Some(*reading), range)),
        Predicate::WholeRange(range) => Some((*column, None, range)),
        _ => None,
    }
}

/// Makes one range of two that a column must be in.
pub(super) fn intersect(clauses: &mut Vec<Vec<Atom>>) {
    let mut kept: Vec<Vec<Atom>> = Vec::new();
    for mut clause in clauses.drain(..) {
        let same = range(&mut clause).and_then(|(column, how, [least, most])| {
            let (least, most) = (*least, *most);
            let known = kept.iter_mut().filter_map(|known| range(known));
            let mut known = known.filter(|(of, reading, _)| (*of, *reading) == (column, how));
            let (.., [from, to]) = known.next()?;
            (*from, *to) = ((*from).max(least), (*to).min(most));
            Some(())
        });
        if same.is_none() {
            kept.push(clause);
        }
    }
    *clauses = kept;
}
