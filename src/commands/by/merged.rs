//! Groups that come from partials.

use std::cell::RefCell;

use super::{Asked, Facts, Printed};
use crate::commands::Outcome;
use crate::commands::merge::{Merge, first_input, unknown_question};
use crate::error::Error;
use crate::fold::{Fold, Folded, StoredFold};
use crate::grouped::{CountKinds, Grouped};
use crate::partial::Merged;
use crate::render::ResultKind;
use crate::sql::{Filter, RunFold};

impl Merge<'_> {
    /// Merges partials of groups.
    pub(in crate::commands) fn by(&self, merged: Merged) -> Result<Outcome, Error> {
        let asked = self.asked_by(&merged)?;
        let bound = asked.bound()?;
        bound.check_partial(0)?;
        let merging = |merged, is_partial| Merging {
            merge: self,
            asked: &asked,
            merged: RefCell::new(Some(merged)),
            is_partial,
            ended: RefCell::new(Ok(Outcome::Done)),
            facts: RefCell::default(),
        };
        if self.args.partial.is_some() {
            let merging = merging(merged, true);
            bound.fold_groups(0, &merging)?;
            return merging.ended.into_inner();
        }
        let (format, output) = self.begin("by", ResultKind::Groups, &merged.files)?;
        let merging = merging(merged, false);
        let result = bound.run(&merging)?;
        merging.ended.into_inner()?;
        if let Some(result) = result {
            let facts = merging.facts.into_inner();
            let grouped = Grouped::new(asked.question.clone(), facts, result);
            let printed = Printed {
                format,
                compression: self.of_formats().compression.unwrap_or_default(),
                look: &self.args.look,
            };
            printed.print(&grouped, self.engine.workers(), output)?;
        }
        Ok(Outcome::Done)
    }

    /// Returns what the partials ask, if this program may have written them.
    fn asked_by(&self, merged: &Merged) -> Result<Asked, Error> {
        let asked = merged.question.command.to_by();
        let (question, max_groups) = asked.ok_or_else(unknown_question)?;
        let (schema, path) = first_input(merged);
        Ok(Asked {
            question,
            schema,
            path,
            given: self.given.clone(),
            conditions: merged.question.conditions.clone(),
            contributions: merged.question.contributions,
            max_groups,
        })
    }
}

/// Hands over the merged groups in place of a scan.
struct Merging<'a> {
    merge: &'a Merge<'a>,
    asked: &'a Asked,
    /// Taken when their step runs.
    merged: RefCell<Option<Merged>>,
    /// Whether one partial is to be written.
    is_partial: bool,
    ended: RefCell<Result<Outcome, Error>>,
    facts: RefCell<Facts>,
}

impl RunFold for Merging<'_> {
    fn share<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.merge.engine.workers().install(work)
    }

    fn fold<F: Fold>(&self, _: usize, _: Filter, _: &F) -> Option<Folded<F::Partial>> {
        *self.ended.borrow_mut() = Err(unknown_question());
        None
    }

    fn fold_groups<F: StoredFold>(
        &self,
        _: usize,
        filter: Filter,
        fold: &F,
    ) -> Option<Folded<F::Partial>> {
        let merged = self.merged.borrow_mut().take();
        let merged = merged.expect("one step groups the rows");
        let counting = CountKinds::new(fold);
        if self.is_partial {
            *self.ended.borrow_mut() = self.merge.partial(merged, &counting);
            return None;
        }
        let filter = self.asked.filter(filter);
        let (merge, workers) = (self.merge, self.merge.engine.workers());
        let folded = workers.install(|| merge.folded_by(merged, &counting, &filter));
        match folded {
            Ok(folded) => {
                let facts = Facts::of(&folded);
                let (folded, kinds) = folded.split();
                *self.facts.borrow_mut() = Facts {
                    row_kinds: counting.counted(kinds),
                    ..facts
                };
                Some(folded)
            }
            Err(error) => {
                *self.ended.borrow_mut() = Err(error);
                None
            }
        }
    }
}
