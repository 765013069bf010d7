//! Questions of `by`, as a user types them: keys, aggregates, the order.

use super::aggregates::AggregateKind;
use crate::error::Error;
use crate::expr::list::{self, Role};
use crate::expr::{Key, function_of, usage};
use crate::fec::schema::Schema;

/// What to count, and by what.
///
/// ```
/// use fecscan::fold::by::{AggregateKind, GroupQuestion, Sort};
/// let mut question = GroupQuestion::new("STATE,month(TRANSACTION_DT)")?;
/// question.add_aggregate(AggregateKind::Sum, "amount")?;
/// question.sort_by("SUM(TRANSACTION_AMT)")?;
/// question.top = Some(10);
/// assert_eq!(question.keys.len(), 2);
/// assert_eq!(question.sort, Sort::Aggregate(0));
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupQuestion {
    /// What the rows of a group have in common. At least one.
    pub keys: Vec<Key>,
    /// What to make of the rows of a group, besides counting them.
    pub aggregates: Vec<Aggregate>,
    /// What orders the groups.
    pub sort: Sort,
    /// Which groups come first.
    pub direction: Direction,
    /// The number of groups to return; all of them by default.
    pub top: Option<usize>,
    /// The most groups and different values that there may be. More are an error. The default is
    /// the available memory, at 200 bytes each.
    pub max_groups: Option<u64>,
    /// Whether to count refunds, conduit copies and memo rows.
    pub row_kinds: RowKindPolicy,
    /// The aggregate to sort by, if its column was typed in other words. Only the schema tells whether both
    /// mean the same column.
    pub(super) reworded_sort: Option<(usize, String)>,
}

/// A function of a column of all rows of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aggregate {
    /// The function of the values.
    pub kind: AggregateKind,
    /// The name, the alias or the number of the column.
    pub column: String,
}

/// What orders the groups. Equal groups are ordered by their keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// The number of rows.
    #[default]
    Count,
    /// The bytes of the keys, ascending, one key after the other.
    Key,
    /// The aggregate with this number. Groups without a value come last.
    Aggregate(usize),
}

/// Which groups come first, by count or aggregate. Keys always ascend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// The largest.
    #[default]
    Descending,
    /// The smallest.
    Ascending,
}

/// Whether to count the refunds, conduit copies and memo rows among the rows. That takes two more
/// columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowKindPolicy {
    /// Do not.
    #[default]
    Ignore,
    /// Count them, where the schema has the columns.
    Count,
}

impl GroupQuestion {
    /// Parses keys such as `STATE,month(TRANSACTION_DT)`. Names match in any case.
    ///
    /// # Errors
    /// A usage error for an empty key, an unknown function, or parentheses that do not match.
    pub fn new(keys: &str) -> Result<GroupQuestion, Error> {
        Ok(GroupQuestion {
            keys: list::parse(keys, Role::Group)?,
            aggregates: Vec::new(),
            sort: Sort::default(),
            direction: Direction::default(),
            top: None,
            max_groups: None,
            row_kinds: RowKindPolicy::default(),
            reworded_sort: None,
        })
    }

    /// Adds an aggregate of `column`.
    ///
    /// # Errors
    /// A usage error if no column is named, or something is made of it: only keys have functions.
    pub fn add_aggregate(&mut self, kind: AggregateKind, column: &str) -> Result<(), Error> {
        let (name, column) = (kind.name(), column.trim());
        let wrong = |what: String| {
            let example = match kind {
                AggregateKind::Distinct => "NAME",
                _ => "TRANSACTION_AMT",
            };
            usage(what).advise(format!("name a column: --{name} {example}"))
        };
        if column.is_empty() {
            return Err(wrong(format!("--{name} names no column")));
        }
        if column.contains(['(', ')', ',']) {
            return Err(wrong(format!("--{name} takes one column, not '{column}'")));
        }
        self.aggregates.push(Aggregate {
            kind,
            column: column.to_owned(),
        });
        Ok(())
    }

    /// Sets the order: `count`, `key`, or one of the aggregates, such as `sum(amount)`. Another name of
    /// the same column will do; [`bind`](GroupQuestion::bind) checks it with the schema.
    ///
    /// # Errors
    /// A usage error for anything else.
    pub fn sort_by(&mut self, order: &str) -> Result<(), Error> {
        self.reworded_sort = None;
        self.sort = match order.trim() {
            word if word.eq_ignore_ascii_case("count") => Sort::Count,
            word if word.eq_ignore_ascii_case("key") => Sort::Key,
            other => Sort::Aggregate(
                self.sort_aggregate(other)
                    .ok_or_else(|| self.unknown_order(other))?,
            ),
        };
        Ok(())
    }

    /// Finds the aggregate with these words, else the first one that has the same column in any schema.
    fn sort_aggregate(&mut self, order: &str) -> Option<usize> {
        let (name, column) = function_of(order)?;
        let is_kind = |aggregate: &Aggregate| name.eq_ignore_ascii_case(aggregate.kind.name());
        let find = |is_column: fn(&str, &str) -> bool| {
            let mut aggregates = self.aggregates.iter();
            aggregates.position(|found| is_kind(found) && is_column(column, &found.column))
        };
        if let Some(nth) = find(str::eq_ignore_ascii_case) {
            return Some(nth);
        }
        let nth = find(|one, other| {
            let mut schemas = Schema::ALL.into_iter();
            schemas.any(|schema| is_same_column(schema, one, other))
        })?;
        self.reworded_sort = Some((nth, column.to_owned()));
        Some(nth)
    }

    /// Checks that the order means its aggregate in `schema`.
    pub(super) fn check_order(&self, schema: Schema) -> Result<(), Error> {
        match &self.reworded_sort {
            Some((nth, column)) if self.sort == Sort::Aggregate(*nth) => {
                let aggregate = &self.aggregates[*nth];
                if is_same_column(schema, column, &aggregate.column) {
                    Ok(())
                } else {
                    Err(self.unknown_order(&format!("{}({column})", aggregate.kind.name())))
                }
            }
            _ => Ok(()),
        }
    }

    fn unknown_order(&self, order: &str) -> Error {
        let of_aggregate = |aggregate: &Aggregate| {
            let (name, column) = (aggregate.kind.name(), &aggregate.column);
            format!("--sort '{name}({column})'")
        };
        let known: Vec<_> = ["--sort count", "--sort key"].map(str::to_owned).into();
        let known = known
            .into_iter()
            .chain(self.aggregates.iter().map(of_aggregate));
        let known: Vec<_> = known.collect();
        let advice = format!("possible are {}", known.join(", "));
        let asks_more = function_of(order).and_then(|(name, column)| {
            let kind = AggregateKind::named(&name.to_ascii_lowercase())?.name();
            // To the shell, a word that begins with # is a comment.
            let quote = if column.starts_with('#') { "'" } else { "" };
            Some(format!(
                "{advice}; for '{order}', add --{kind} {quote}{column}{quote}"
            ))
        });
        usage(format!("groups can't be sorted by '{order}'")).advise(asks_more.unwrap_or(advice))
    }
}

/// Says whether two names mean the same column of `schema`, or of the joined file before a dot.
fn is_same_column(schema: Schema, one: &str, other: &str) -> bool {
    if let (Some((file, one)), Some((same, other))) = (one.split_once('.'), other.split_once('.')) {
        let named = |schema: &Schema| schema.name().eq_ignore_ascii_case(file);
        let joined = Schema::ALL.into_iter().find(named);
        let is_same = joined.is_some_and(|joined| is_same_column(joined, one, other));
        return is_same && file.eq_ignore_ascii_case(same);
    }
    let column = |name| schema.column(name).ok();
    column(one).is_some_and(|one| column(other) == Some(one))
}
