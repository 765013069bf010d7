//! The question of a partial, in its canonical form.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::joined::Joined;
use crate::fec::schema::Schema;
use crate::fold::report::{self, MonthColumn, OddRowPolicy, OtherKinds};
use crate::sql::GroupQuestion;

/// All that decides the result of a run, but its inputs. Written as JSON. Columns have their names in the
/// schema, never an alias or a number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The command and its options.
    pub command: Command,
    /// The conditions, as after `--where`.
    pub conditions: Vec<String>,
    /// Whether `--contributions` was given.
    pub contributions: bool,
    /// The schema that was named, if any.
    pub schema: Option<Schema>,
    /// The patterns of `--member`.
    pub members: Vec<String>,
    /// Whether the slices of archives were read.
    pub slices: bool,
    /// The files of `--with`, or of the other tables of a statement.
    pub with: Vec<Joined>,
}

/// A command and the options that decide its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
#[expect(missing_docs, reason = "they are options of the same names")]
pub enum Command {
    Count {},
    Report {
        names: Vec<u64>,
        top: usize,
        month_column: String,
        strict: bool,
        force: bool,
    },
    By {
        /// Expressions of SQL, perhaps with names: `year(date) AS year`.
        keys: Vec<String>,
        aggregates: Vec<String>,
        /// Such as `count DESC`.
        sort: Vec<String>,
        top: Option<usize>,
        max_groups: Option<u64>,
    },
    Sql {
        /// The statement, as [`Statement::canonical`](crate::sql::Statement::canonical) writes it.
        statement: String,
        /// The number of the table that partials are of, among those that the statement names.
        table: usize,
        /// The schema of each table.
        schemas: Vec<Schema>,
        /// For each table, how many of the joined files are its own. The merge reads them again.
        joined: Vec<usize>,
    },
}

impl Question {
    /// Says whether the result depends on what the columns of the files mean.
    pub(super) fn needs_columns(&self) -> bool {
        match &self.command {
            Command::By { .. } | Command::Sql { .. } => true,
            Command::Count {} => self.contributions || !self.conditions.is_empty(),
            Command::Report { force, .. } => !force,
        }
    }

    /// Says whether the same is asked, so that partials merge: all but the paths of joined files.
    pub(super) fn is_same(&self, other: &Question) -> bool {
        *self == other.with_paths_of(self)
    }

    /// Returns the question with the paths that `other` has for equal joined files.
    fn with_paths_of(&self, other: &Question) -> Question {
        let mut question = self.clone();
        let mut pairs = self.with.iter().zip(&other.with);
        if self.with.len() == other.with.len() && pairs.all(|(one, two)| one.is_same(two)) {
            question.with.clone_from(&other.with);
        }
        question
    }

    /// Says whether a table of this name is joined.
    pub(super) fn joins(&self, table: &str) -> bool {
        let mut names = self.with.iter().flat_map(|joined| &joined.schemas);
        names.any(|known| known == table)
    }

    /// Says in a few words what differs in `other`.
    pub(super) fn difference(&self, other: &Question) -> String {
        let (one, two) = (self.command.name(), other.command.name());
        if one != two {
            return format!("it is of the command '{two}', not '{one}'");
        }
        let value = |question: &Question| {
            let mut value = serde_json::to_value(question).expect("texts and numbers are JSON");
            let asked = value["command"][one].take();
            (value, asked)
        };
        let other = other.with_paths_of(self);
        let ((mine, my_asked), (theirs, their_asked)) = (value(self), value(&other));
        let differing = |mine: &Value, theirs: &Value| {
            let keys = mine.as_object()?.iter();
            let (key, mine) = keys
                .into_iter()
                .find(|(key, mine)| theirs[*key] != **mine)?;
            let verb = if key.ends_with('s') || mine.is_array() {
                "are"
            } else {
                "is"
            };
            let shown = |value: &Value| match value {
                Value::Null => "none".to_owned(),
                value => value.to_string(),
            };
            let (mine, theirs) = (shown(mine), shown(&theirs[key]));
            Some(format!("its {key} {verb} {theirs}, not {mine}"))
        };
        differing(&my_asked, &their_asked)
            .or_else(|| differing(&mine, &theirs))
            .unwrap_or_default()
    }
}

impl Command {
    /// Returns the name of the command.
    pub fn name(&self) -> &'static str {
        match self {
            Command::Count {} => "count",
            Command::Report { .. } => "report",
            Command::By { .. } => "by",
            Command::Sql { .. } => "sql",
        }
    }

    /// Returns the command `report` with this question.
    pub fn report(question: &report::ReportQuestion) -> Command {
        Command::Report {
            names: question.names.clone(),
            top: question.top,
            month_column: question.month_column.name().to_owned(),
            strict: question.odd_rows == OddRowPolicy::List,
            force: question.other_kinds == OtherKinds::Report,
        }
    }

    /// Returns the question of the command `report`. What a filter leaves out is not known here.
    pub fn to_report(&self) -> Option<report::ReportQuestion> {
        let Command::Report {
            names,
            top,
            month_column,
            strict,
            force,
        } = self
        else {
            return None;
        };
        let columns = [MonthColumn::ImageNum, MonthColumn::TransactionDate];
        let mut columns = columns.into_iter();
        let question = report::ReportQuestion {
            names: names.clone(),
            top: *top,
            month_column: columns.find(|column| column.name() == month_column)?,
            odd_rows: if *strict {
                OddRowPolicy::List
            } else {
                OddRowPolicy::Ignore
            },
            other_kinds: if *force {
                OtherKinds::Report
            } else {
                OtherKinds::Refuse
            },
            left_out: report::LeftOut::default(),
        };
        Some(question)
    }

    /// Returns the command `by` with this question.
    pub fn by(question: &GroupQuestion, max_groups: Option<u64>) -> Command {
        let [keys, aggregates, sort] = question.texts();
        Command::By {
            keys,
            aggregates,
            sort,
            top: question.top,
            max_groups,
        }
    }

    /// Returns the question of the command `by`, and the most groups that there may be.
    pub fn to_by(&self) -> Option<(GroupQuestion, Option<u64>)> {
        let Command::By {
            keys,
            aggregates,
            sort,
            top,
            max_groups,
        } = self
        else {
            return None;
        };
        let mut question = GroupQuestion::new(&keys.join(", ")).ok()?;
        for aggregate in aggregates {
            question.add_aggregates(aggregate).ok()?;
        }
        for order in sort {
            question.sort_by(order).ok()?;
        }
        question.top = *top;
        Some((question, *max_groups))
    }
}
