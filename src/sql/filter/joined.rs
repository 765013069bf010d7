//! What joins add to a filter.

use std::sync::Arc;

use super::join_rows::{JoinRows, Repeats};
use super::joined_text::JoinedText;
use super::lower::Atom;
use super::predicate::Predicate;
use super::semi_join::SemiJoin;
use super::{BySchema, Filter, Schema};

impl Filter {
    /// Returns the same filter for rows whose column at this place leads to a joined table.
    pub(in crate::sql) fn with_semi_join(self, column: usize, semi_join: SemiJoin) -> Filter {
        self.with_predicate(column, Predicate::SemiJoin(Arc::new(semi_join)))
    }

    /// Returns the same filter for rows whose column at this place leads to a text that another column is compared with.
    pub(in crate::sql) fn with_joined_text(self, column: usize, text: JoinedText) -> Filter {
        self.with_predicate(column, Predicate::JoinedText(Arc::new(text)))
    }

    /// Returns the same filter with a further condition on a column.
    fn with_predicate(self, column: usize, predicate: Predicate) -> Filter {
        let mut clauses = self.statement.as_deref().cloned().unwrap_or_default();
        clauses.push(vec![Atom {
            column,
            predicate,
            wanted: true,
        }]);
        Filter {
            statement: Some(Arc::new(clauses)),
            bound: BySchema::default(),
            ..self
        }
    }

    /// Returns the filter of a statement with the conditions of this one, whose rows of a schema are joined.
    pub(in crate::sql) fn joined_by(
        self,
        statement: Filter,
        schema: Schema,
        joined: Arc<dyn JoinRows>,
        repeats: Repeats,
    ) -> Filter {
        Filter {
            statement: statement.statement,
            joined: Some((schema, joined, repeats)),
            bound: BySchema::default(),
            ..self
        }
    }
}
