//! Questions of groups, asked of the library in every way that it works.

use std::cell::RefCell;
use std::path::Path;

use fecscan::error::Error;
use fecscan::fec::schema::Schema;
use fecscan::fold::{Fold, Folded, StoredFold};
use fecscan::grouped::{Grouped, Inputs};
use fecscan::sql::{
    BoundStatement, Filter, From, GivenTables, GroupQuestion, RunFold, RunOptions, Statement,
    TableNames,
};

use super::run::Setting;

/// A question of groups about rows of a schema, joined with tables in memory.
#[derive(Clone, Debug)]
pub struct By {
    pub question: GroupQuestion,
    pub schema: Schema,
    pub conditions: Vec<String>,
    pub given: GivenTables,
    pub max_groups: Option<u64>,
}

/// Makes something of the fold of groups. Without a result, the question has none.
pub trait FoldGroups {
    fn fold<F: StoredFold>(
        &self,
        filter: Filter,
        fold: &F,
    ) -> Result<Option<Folded<F::Partial>>, Error>;
}

/// Hands the one fold of a question over.
struct Run<'g, G> {
    groups: &'g G,
    inputs: RefCell<Inputs>,
    failed: RefCell<Option<Error>>,
}

impl<G: FoldGroups> RunFold for Run<'_, G> {
    fn fold<F: Fold>(&self, _: usize, _: Filter, _: &F) -> Option<Folded<F::Partial>> {
        unreachable!("the one fold is of groups")
    }

    fn fold_groups<F: StoredFold>(
        &self,
        _: usize,
        filter: Filter,
        fold: &F,
    ) -> Option<Folded<F::Partial>> {
        match self.groups.fold(filter, fold) {
            Ok(folded) => {
                *self.inputs.borrow_mut() = folded.as_ref().map(Inputs::of).unwrap_or_default();
                folded
            }
            Err(error) => {
                *self.failed.borrow_mut() = Some(error);
                None
            }
        }
    }
}

/// Folds files in a setting.
struct InSetting<'a>(&'a Setting, Schema, &'a [&'a Path]);

impl FoldGroups for InSetting<'_> {
    fn fold<F: StoredFold>(
        &self,
        filter: Filter,
        fold: &F,
    ) -> Result<Option<Folded<F::Partial>>, Error> {
        let InSetting(setting, schema, paths) = *self;
        let engine = setting.engine().with_filter(filter);
        setting.fold_as(schema, &engine, fold, &[], paths).map(Some)
    }
}

impl By {
    /// Returns a question about rows of indiv: keys, and perhaps aggregates.
    pub fn new(keys: &str, aggregates: &str) -> By {
        let mut question = GroupQuestion::new(keys).unwrap();
        if !aggregates.is_empty() {
            question.add_aggregates(aggregates).unwrap();
        }
        By {
            question,
            schema: Schema::Indiv,
            conditions: Vec::new(),
            given: GivenTables::default(),
            max_groups: None,
        }
    }

    /// Returns it with an order and a cut.
    pub fn sorted(mut self, order: &str, top: Option<usize>) -> By {
        if !order.is_empty() {
            self.question.sort_by(order).unwrap();
        }
        self.question.top = top;
        self
    }

    pub fn filtered(mut self, conditions: &[String]) -> By {
        self.conditions = conditions.to_vec();
        self
    }

    /// Returns the statement about the files at a path, and those that are joined.
    pub fn statement(&self, path: &str, tables: TableNames) -> Result<String, Error> {
        let mut from = From::joined(self.schema, path, &self.given, tables)?;
        for condition in &self.conditions {
            from.add_condition(condition)?;
        }
        Ok(self.question.statement(&from))
    }

    pub fn bound(&self) -> Result<BoundStatement, Error> {
        let statement = Statement::parse(&self.statement("-", TableNames::InMemory)?)?;
        let bound = statement.bind_with(self.schema, &self.given)?;
        Ok(bound.with_options(RunOptions {
            max_groups: self.max_groups,
            adds_up: true,
        }))
    }

    /// Returns the groups of what `groups` folds, if it folds something.
    pub fn run(&self, groups: &impl FoldGroups) -> Result<Option<Grouped>, Error> {
        let run = Run {
            groups,
            inputs: RefCell::default(),
            failed: RefCell::default(),
        };
        let rows = self.bound()?.run(&run)?;
        if let Some(error) = run.failed.into_inner() {
            return Err(error);
        }
        let inputs = run.inputs.into_inner();
        Ok(rows.map(|rows| Grouped::new(self.question.clone(), inputs, rows)))
    }

    /// Returns the groups of files in a setting.
    pub fn grouped(&self, setting: &Setting, paths: &[&Path]) -> Result<Grouped, Error> {
        let grouped = self.run(&InSetting(setting, self.schema, paths))?;
        Ok(grouped.expect("files are folded"))
    }
}

/// Returns all that is known of groups, line by line: those that are listed, the others, and how many lines there are.
pub fn all_of(grouped: &Grouped) -> Vec<String> {
    let mut lines: Vec<_> = grouped.iter().map(|group| group.to_string()).collect();
    lines.push(format!("{:?}", grouped.rest()));
    lines.push(format!(
        "{} groups, {} of {:?} lines, {} odd",
        grouped.distinct_groups(),
        grouped.lines,
        grouped.lines_scanned,
        grouped.odd_rows
    ));
    lines
}

/// Returns the keys of a group as bytes. NULL has none.
pub fn keys_of(grouped: &Grouped, nth: usize) -> Vec<Vec<u8>> {
    let keys = 0..grouped.key_names().len();
    let bytes = |key| {
        let key = grouped.group(nth).key(key);
        key.bytes().map_or(Vec::new(), |bytes| bytes.into_owned())
    };
    keys.map(bytes).collect()
}
