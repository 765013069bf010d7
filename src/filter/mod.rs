//! Which lines a fold gets to see: conditions on expressions, tested on bytes.
//!
//! A [`Filter`] is a list of conditions by column name, as typed after `--where`. Binding it to a schema resolves the names,
//! which gives the predicates that the scanner tests.

mod all_or_none;
mod bindings;
mod bound_filter;
mod cell_map;
mod condition;
pub(crate) mod days;
mod hints;
pub(crate) mod operator;
mod pair;
mod predicate;
mod prefix;
mod sql;
mod typed;
mod unread;
mod untyped;
mod words;

use std::sync::Arc;

use self::bindings::{Bindings, ConditionPlace};
use self::bound_filter::BoundFilter;
use self::cell_map::CellMap;
use self::condition::{Condition, refuse_many};
use self::operator::UNNAMED;
use self::pair::{Operand, Pair};
use self::predicate::{JoinedIds, Predicate, Values};
use crate::error::Error;
use crate::expr::list::{Role, as_typed};
use crate::expr::{Key, KeyFunction};
use crate::fec::schema::{CONTRIBUTION_TYPES, Kind, Schema};
use crate::join::{Counted, JoinedColumn, Partners, WithoutPartner};
use crate::scan::{FilterCounts, RowFilter};

/// Conditions on columns, or on functions of columns. All must hold. Of one with `||` between alternatives, one must.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Of each condition its alternatives.
    conditions: Vec<Vec<Condition>>,
    partners: Partners,
    bindings: Bindings,
}

/// The kinds of rows that a [`Filter`] leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The types of refunds and of conduit copies: [`Filter::with_contributions`].
    pub refunds_and_copies: bool,
    /// Memo rows: MEMO_CD is `X`.
    pub memo_rows: bool,
}

impl Filter {
    /// Parses conditions such as `STATE=CA,NY`, `TRANSACTION_AMT>=1000`, `TRANSACTION_DT<2018-02-01`,
    /// `EMPLOYER~(?i)google`, `ZIP_CODE^=900`, `month(TRANSACTION_DT)=2018-01` and `STATE=CA || TRANSACTION_AMT>=1000`.
    ///
    /// # Errors
    /// If one has no column, an unknown function, no operator, or a value that does not fit the operator.
    pub fn new<T: AsRef<str>>(conditions: impl IntoIterator<Item = T>) -> Result<Filter, Error> {
        let mut parsed = Vec::new();
        for text in conditions {
            parsed.push(Condition::alternatives(text.as_ref())?);
            refuse_many(parsed.iter().flatten())?;
        }
        Ok(Filter {
            conditions: parsed,
            partners: Partners::default(),
            bindings: Bindings::default(),
        })
    }

    /// Returns the same filter, whose conditions may name columns of joined files. [`Partners`] has an
    /// example.
    pub fn with_partners(self, partners: Partners) -> Filter {
        Filter {
            conditions: self.conditions,
            partners,
            bindings: Bindings::default(),
        }
    }

    /// Adds the condition that a row is an individual contribution by the FEC's own rule: its
    /// TRANSACTION_TP is one of [`CONTRIBUTION_TYPES`].
    pub fn with_contributions(mut self) -> Filter {
        self.bindings = Bindings::default();
        self.conditions.push(vec![Condition {
            key: Key {
                function: KeyFunction::NONE,
                column: "TRANSACTION_TP".to_owned(),
            },
            operator: &UNNAMED,
            typed: String::new(),
            predicate: Predicate::In(Values::new(
                CONTRIBUTION_TYPES.map(|kind| kind.as_bytes().into()),
            )),
        }]);
        self
    }

    /// Returns the conditions with the names that the columns have in all of `schemas`, or as they were typed where these
    /// differ. That of [`Filter::with_contributions`] is not among them.
    ///
    /// ```
    /// use fecscan::fec::schema::Schema;
    /// use fecscan::filter::Filter;
    /// let filter = Filter::new(["amount >=1000", "month(#14)=2018-01"])?;
    /// let names = filter.canonical(&[Schema::Indiv, Schema::Oth]);
    /// assert_eq!(names, ["TRANSACTION_AMT>=1000", "month(TRANSACTION_DT)=2018-01"]);
    /// let typed = filter.canonical(&[Schema::Indiv, Schema::Cm]);
    /// assert_eq!(typed, ["amount>=1000", "month(#14)=2018-01"]);
    /// let canonical = |typed: &str| Filter::new([typed]).map(|filter| filter.canonical(&[Schema::Indiv]));
    /// assert_eq!(canonical("state=CA||amount>=1000")?, canonical("STATE=CA || #15>=1000")?);
    /// # Ok::<(), fecscan::Error>(())
    /// ```
    pub fn canonical(&self, schemas: &[Schema]) -> Vec<String> {
        let name_in = |key: &Key, schema: Schema| {
            let found = key.bind(schema, &self.partners, Role::Condition).ok()?;
            Some(key.name_of(&as_typed(&self.partners.shown(schema, &found))))
        };
        let named = |key: &Key| {
            let mut names = schemas.iter().map(|schema| name_in(key, *schema));
            let first = names.next().flatten();
            let name = first.filter(|first| names.all(|name| name.as_ref() == Some(first)));
            name.unwrap_or_else(|| key.name_of(&as_typed(&key.column)))
        };
        let canonical = |condition: &Condition| {
            let name = named(&condition.key);
            let value = match condition.other() {
                None => condition.typed.clone(),
                Some((_, key)) => format!("{{{}}}", named(key)),
            };
            format!("{name}{}{value}", condition.operator.name)
        };
        let typed = self.conditions.iter();
        let typed = typed.filter(|any| any.iter().all(|one| !one.operator.is_unnamed()));
        let canonical = typed.map(|any| any.iter().map(canonical).collect::<Vec<_>>().join(" || "));
        canonical.collect()
    }

    /// Returns what rows of indiv no longer have, as far as the reader of a result should know.
    ///
    /// ```
    /// use fecscan::filter::Filter;
    /// let left_out = Filter::new(["memo!=X"])?.leaves_out();
    /// assert!(left_out.memo_rows && !left_out.refunds_and_copies);
    /// # Ok::<(), fecscan::Error>(())
    /// ```
    pub fn leaves_out(&self) -> LeftOut {
        let memo = Schema::Indiv.named("MEMO_CD");
        let column = |name: &str| Schema::Indiv.column(name).ok();
        let lists_memo = |values: &Values| values.texts.iter().any(|value| **value == *b"X");
        let leaves_out_memo = |condition: &Condition| {
            let key = &condition.key;
            let is_memo = key.function.is_none() && column(&key.column) == memo;
            is_memo
                && match &condition.predicate {
                    Predicate::In(values) => lists_memo(values) != condition.operator.wanted,
                    _ => false,
                }
        };
        let all = || self.conditions.iter();
        LeftOut {
            // Only that of contributions has no operator.
            refunds_and_copies: all().any(|any| any.iter().all(|one| one.operator.is_unnamed())),
            memo_rows: all().any(|any| any.iter().all(leaves_out_memo)),
        }
    }

    /// Says whether every line passes.
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Resolves the names of the columns for `schema`. Without conditions, there is nothing to test.
    ///
    /// # Errors
    /// If neither the schema nor a joined file has one, or it does not fit its function. If it is compared
    /// with a number and holds dates, or the other way round.
    pub(crate) fn bind(&self, schema: Schema) -> Result<Option<Arc<dyn RowFilter>>, Error> {
        Ok(if self.is_empty() {
            None
        } else {
            let bind = || Ok(Arc::new(self.bound(schema)?) as _);
            Some(self.bindings.filters.get_or_make(schema, bind)?)
        })
    }

    fn bound(&self, schema: Schema) -> Result<BoundFilter, Error> {
        let mut bound = BoundFilter::default();
        let mut counted = Vec::new();
        for (nth, any) in self.conditions.iter().enumerate() {
            let alternatives = any.iter().enumerate();
            let alternatives = alternatives
                .map(|(one, condition)| self.compared((nth, one), condition, schema, &mut counted));
            bound.push(alternatives.collect::<Result<_, _>>()?);
        }
        Ok(bound)
    }

    /// Returns the columns of `condition`, its predicate, and the verdict that lets a row pass. Rows without a partner in the joined files
    /// `counted` are counted already.
    fn compared(
        &self,
        at: ConditionPlace,
        condition: &Condition,
        schema: Schema,
        counted: &mut Vec<usize>,
    ) -> Result<([usize; 2], Predicate, bool), Error> {
        let bind = |key: &Key| key.bind(schema, &self.partners, Role::Condition);
        let found = bind(&condition.key).map_err(|error| match condition.operator.name {
            "" => error.advise(
                "--contributions is for rows of contributions, such as itcont.txt: leave it out",
            ),
            _ => error,
        })?;
        let mut count = |table| {
            let is_first = !counted.contains(&table);
            counted.extend(is_first.then_some(table));
            is_first.then_some(table)
        };
        let wanted = condition.operator.wanted;
        if let Some((compare, other)) = condition.other() {
            let both = [(found, &condition.key), (bind(other)?, other)];
            let kinds = both.each_ref().map(|(found, key)| {
                let (of, place) = found.schema_and_place(schema);
                let column = of.column_at(place);
                key.function
                    .kind(column.map_or(Kind::Text, |column| column.kind))
            });
            let kind = compare.kind([&condition.key, other], kinds)?;
            let columns = both.each_ref().map(|(found, _)| found.place);
            let operands = both.map(|(found, key)| Operand {
                function: key.function.clone(),
                joined: found.joined.map(|column| {
                    let counted = count(self.partners.table_place(column.schema));
                    (self.partners.clone(), column, counted)
                }),
            });
            let pair = Pair {
                operands,
                compare,
                kind,
            };
            return Ok((columns, Predicate::Pair(Arc::new(pair)), wanted));
        }
        let (of, place) = found.schema_and_place(schema);
        let predicate = condition.bind(of, place)?;
        let columns = [found.place; 2];
        let Some(column) = found.joined else {
            return Ok((columns, predicate, wanted));
        };
        // A value that is no number passes `!=`, as in own columns.
        let passes = |value: &[u8]| match predicate.decide(value) {
            Some(holds) => Some(holds == wanted),
            None => (!wanted).then_some(true),
        };
        let decide = || self.joined_ids(&column, passes);
        let ids = self.bindings.joined(at, &column, decide);
        let counted = count(self.partners.table_place(column.schema));
        Ok((columns, Predicate::Joined(ids, counted), true))
    }

    /// Returns the joined files.
    pub(crate) fn partners(&self) -> &Partners {
        &self.partners
    }

    /// Returns the rows that conditions on joined files have tested without a partner.
    pub(crate) fn without_partner(&self, rows: &FilterCounts) -> Vec<WithoutPartner> {
        self.partners.without_partner(rows, Counted::TestedRows)
    }

    /// Decides for the partner of each identifier. An empty value decides for rows without a partner.
    fn joined_ids(
        &self,
        column: &JoinedColumn,
        passes: impl Fn(&[u8]) -> Option<bool>,
    ) -> JoinedIds {
        let verdicts = self.partners.ids(column).filter_map(|id| {
            let value = self.partners.value(column, id)?;
            Some((id, passes(value)))
        });
        JoinedIds {
            function: column.function.clone(),
            verdicts: CellMap::new(verdicts),
            others: passes(b"").unwrap_or(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the columns of the tests, in the order in which they run.
    fn order(conditions: &[&str]) -> Vec<usize> {
        let bound = Filter::new(conditions).unwrap().bound(Schema::Indiv);
        bound.unwrap().tested_columns().collect()
    }

    /// A zip of many members had a map of all joined identifiers for each of them.
    #[test]
    fn a_filter_is_bound_once_for_a_schema() {
        let filter = Filter::new(["STATE=CA"]).unwrap();
        let bound = |filter: &Filter, schema| filter.bind(schema).unwrap().unwrap();
        let first = bound(&filter, Schema::Indiv);
        assert!(Arc::ptr_eq(&first, &bound(&filter, Schema::Indiv)));
        assert_ne!(bound(&filter, Schema::Cn).columns(), first.columns());
        assert!(Arc::ptr_eq(&first, &bound(&filter, Schema::Indiv)));
        let more = filter.clone().with_contributions();
        assert_eq!(bound(&more, Schema::Indiv).columns().len(), 2);
        assert_eq!(bound(&filter, Schema::Indiv).columns().len(), 1);
        assert_eq!(
            bound(&filter.with_contributions(), Schema::Indiv)
                .columns()
                .len(),
            2
        );
    }

    #[test]
    fn cheap_tests_run_first() {
        let conditions = [
            "first_name(NAME)~^MAR",
            "CITY~^SAN|LOS",
            "last_name(#12)=DOE",
            "month(date)=2018-01",
            "amount>=10",
            "zip5(zip)=94105",
            "STATE=CA",
        ];
        let expected = [9, 10, 13, 14, 11, 7, 8];
        let mut turned = conditions;
        turned.reverse();
        for conditions in [conditions, turned] {
            let mut found = order(&conditions);
            // Tests of equal cost keep the order in which they were typed.
            found[2..4].sort_unstable();
            assert_eq!(found, expected, "{conditions:?}");
        }
    }
}
