//! What notes and results say of conditions.

use super::{Condition, Filter, conjuncts};
use crate::fec::schema::Schema;
use crate::fold::report::LeftOut;
use crate::sql::evaluate::Batch;
use crate::sql::expression::Expression;
use crate::sql::names::{Clause, RowNames};
use crate::sql::value::Value;
use crate::sql::vector::Values;

impl Filter {
    /// Returns what rows of indiv no longer have, as far as the reader of a result should know.
    ///
    /// ```
    /// use fecscan::sql::Filter;
    /// let left_out = Filter::new(["memo_cd <> 'X'"])?.leaves_out();
    /// assert!(left_out.memo_rows && !left_out.refunds_and_copies);
    /// # Ok::<(), fecscan::Error>(())
    /// ```
    pub fn leaves_out(&self) -> LeftOut {
        let memo = Schema::Indiv.named("MEMO_CD");
        let leaves_out_memo = |condition: &Condition| {
            let names = RowNames::new(Schema::Indiv, Clause::Condition);
            let mut names = names.with_tables(&self.given);
            let Ok(bound) = names.condition(&condition.tree) else {
                return false;
            };
            let read = &names.read;
            let is_memo = |of: &Expression| {
                let mut all = !of.is_constant();
                of.each_column(&mut |nth| {
                    all &= read[nth].table == 0 && Some(read[nth].place) == memo;
                });
                all
            };
            let x = Value::text(b"X");
            let row = Same(&x);
            let fails = |of: &Expression| {
                let values = of.values(&row, 1);
                values.is_ok_and(|values| values.is_true() == 0)
            };
            let mut conjuncts = conjuncts(&bound).into_iter();
            conjuncts.any(|of| is_memo(of) && fails(of))
        };
        LeftOut {
            refunds_and_copies: self.contributions,
            memo_rows: self.conditions.iter().any(leaves_out_memo),
        }
    }

    /// Says whether a condition compares a text for equality, in letters that have another case.
    pub fn compares_letters(&self) -> bool {
        let mut conditions = self.conditions.iter();
        let ignores_case = |text: &str| text.to_ascii_uppercase().contains("ILIKE");
        conditions.any(|condition| {
            let mut quoted = condition.text.split('\'').skip(1).step_by(2);
            !ignores_case(&condition.text) && quoted.any(|text| text.contains(char::is_alphabetic))
        })
    }

    /// Says whether a condition on rows of a schema compares a value with NULL, which is true of no row.
    pub fn compares_null(&self, schema: Schema) -> bool {
        let mut conditions = self.conditions.iter();
        self.statement_compares_null
            || conditions.any(|condition| {
                let bound = RowNames::new(schema, Clause::Condition).condition(&condition.tree);
                bound.is_ok_and(|bound| bound.compares_null())
            })
    }
}

/// A row whose columns all have one value.
struct Same<'v>(&'v Value);

impl Batch for Same<'_> {
    fn rows(&self) -> usize {
        1
    }

    fn column(&self, _: usize) -> Values<'_> {
        Values::same(self.0, 1)
    }
}
