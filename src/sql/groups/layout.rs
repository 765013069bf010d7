//! What is kept of the rows of a group, and where the value of each aggregate comes from.

use crate::fold::tables::States;
use crate::sql::aggregates::Keeps;
use crate::sql::expression::Comparison;
use crate::sql::keys::is_text_of_file;
use crate::sql::plan::{Aggregate, Grouping, Plan};
use crate::sql::types::Type;

/// What is kept for the aggregates of a statement.
pub(super) struct Layout {
    /// For each aggregate where its value comes from.
    pub(super) sources: Vec<Source>,
    /// The states to keep of each column of numbers.
    pub(super) kept: Vec<(States, usize)>,
    /// The aggregate whose values each column of numbers has.
    pub(super) numbers: Vec<usize>,
    /// The aggregate of each table of distinct values.
    pub(super) distinct: Vec<usize>,
    /// The aggregates of values that are no numbers, each with how its value compares with others.
    pub(super) bests: Vec<(usize, Comparison)>,
}

/// Where the value of an aggregate comes from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// The number of rows.
    Rows,
    /// The state with this number.
    State(usize),
    /// The table of distinct values with this number.
    Distinct(usize),
    /// The best row with this number.
    Best(usize),
    /// The grouping set: the keys that the bits of the value stand for.
    Set(Vec<usize>),
}

impl Layout {
    pub(super) fn new(grouping: &Grouping, plan: &Plan) -> Layout {
        let mut layout = Layout {
            sources: Vec::new(),
            kept: Vec::new(),
            numbers: Vec::new(),
            distinct: Vec::new(),
            bests: Vec::new(),
        };
        for nth in 0..grouping.aggregates.len() {
            let source = layout.source(nth, grouping, plan);
            layout.sources.push(source);
        }
        layout
    }

    fn source(&mut self, nth: usize, grouping: &Grouping, plan: &Plan) -> Source {
        let aggregate = &grouping.aggregates[nth];
        let states = match (&aggregate.function.keeps, aggregate.of_type()) {
            (Keeps::Count, _) if aggregate.filter.is_none() && has_no_null(aggregate, plan) => {
                return Source::Rows;
            }
            (Keeps::Distinct, _) => {
                self.distinct.push(nth);
                return Source::Distinct(self.distinct.len() - 1);
            }
            (Keeps::Extreme(wanted), Type::Varchar) | (Keeps::Beside(wanted), _) => {
                self.bests.push((nth, *wanted));
                return Source::Best(self.bests.len() - 1);
            }
            (Keeps::Set, _) => {
                let keys = aggregate.of.iter().filter_map(|of| {
                    let mut keys = grouping.keys.iter();
                    keys.position(|key| key == of)
                });
                return Source::Set(keys.collect());
            }
            (Keeps::Count | Keeps::Total(_), _) => States::Total(Vec::new()),
            (Keeps::Extreme(Comparison::Less), _) => States::Least(Vec::new()),
            (Keeps::Extreme(_), _) => States::Greatest(Vec::new()),
            (Keeps::Distribution(_), _) => States::Distribution(Vec::new()),
        };
        Source::State(self.state(nth, states, &grouping.aggregates))
    }

    /// Returns the number of a state, which several aggregates of one expression share.
    fn state(&mut self, nth: usize, states: States, all: &[Aggregate]) -> usize {
        let aggregate = &all[nth];
        // A count only asks whether there are values, of any type.
        let is_same = |other: &usize| {
            let other = &all[*other];
            other.of == aggregate.of
                && other.filter == aggregate.filter
                && other.is_count() == aggregate.is_count()
        };
        let column = self.numbers.iter().position(is_same);
        let column = column.unwrap_or_else(|| {
            self.numbers.push(nth);
            self.numbers.len() - 1
        });
        let is_kept = |(known, of): &(States, usize)| {
            *of == column && std::mem::discriminant(known) == std::mem::discriminant(&states)
        };
        let state = self.kept.iter().position(is_kept);
        state.unwrap_or_else(|| {
            self.kept.push((states, column));
            self.kept.len() - 1
        })
    }
}

/// Says whether all rows have a value: there is no argument, or it is a text of a file.
fn has_no_null(aggregate: &Aggregate, plan: &Plan) -> bool {
    aggregate.of.iter().all(|of| is_text_of_file(of, plan))
}
