//! Questions of `by`, as a user types them: keys, aggregates, the order, conditions on groups.

use super::aggregates::{Aggregate, AggregateKind};
use super::bound::term_name;
use super::having::Having;
use crate::error::Error;
use crate::expr::Key;
use crate::expr::list::{self, Role, as_typed};
use crate::fec::schema::Schema;

/// What to count, and by what.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupQuestion {
    /// What the rows of a group have in common. At least one.
    pub keys: Vec<Key>,
    /// What to make of the rows of a group, besides counting them.
    pub aggregates: Vec<Aggregate>,
    /// What orders the groups: the first order, between equal groups the next. The default is the first sum, else the count.
    pub orders: Vec<OrderBy>,
    /// Which groups come first, by counts and aggregates without a direction of their own.
    pub direction: Direction,
    /// The conditions on groups. A group that does not meet all of them is only in the rest.
    pub having: Vec<Having>,
    /// The number of groups to return; all of them by default.
    pub top: Option<usize>,
    /// The most groups and distinct values that there may be. More are an error. The default is
    /// the available memory, at 200 bytes each.
    pub max_groups: Option<u64>,
    /// Whether to count refunds, conduit copies and memo rows.
    pub row_kinds: RowKindPolicy,
    /// Keys and aggregates whose columns were typed in other words by an order or a condition, and these words. Only the
    /// schema tells whether both mean the same column.
    reworded: Vec<(Sort, String)>,
}

/// An order of the groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderBy {
    /// The compared term.
    pub sort: Sort,
    /// Which groups come first. By default keys ascend, and others have [`GroupQuestion::direction`].
    pub direction: Option<Direction>,
}

impl OrderBy {
    /// Returns the order by a term in its usual direction.
    pub(super) fn by(sort: Sort) -> OrderBy {
        let direction = None;
        OrderBy { sort, direction }
    }
}

/// What orders the groups. Equal groups are ordered by their keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// The number of rows.
    #[default]
    Count,
    /// The bytes of the keys, ascending, one key after the other; dates as in the calendar, numbers by value.
    Key,
    /// The same of the key with this number.
    KeyColumn(usize),
    /// The aggregate with this number. Groups without a value come last.
    Aggregate(usize),
}

/// Which groups come first.
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

/// Stands for the column where functions of columns are compared.
const COLUMN: &str = "@";

impl GroupQuestion {
    /// Parses keys such as `STATE,month(TRANSACTION_DT)`. Names match in any case.
    ///
    /// # Errors
    /// A usage error for an empty key, an unknown function, or parentheses that do not match.
    pub fn new(keys: &str) -> Result<GroupQuestion, Error> {
        Ok(GroupQuestion {
            keys: list::parse(keys, Role::Group)?,
            aggregates: Vec::new(),
            orders: Vec::new(),
            direction: Direction::default(),
            having: Vec::new(),
            top: None,
            max_groups: None,
            row_kinds: RowKindPolicy::default(),
            reworded: Vec::new(),
        })
    }

    /// Adds an aggregate of a column, or of a function of one, such as `len(NAME)`. A quantile has its share before it:
    /// `0.9:amount`.
    ///
    /// # Errors
    /// A usage error if no column is named, or several, or an unknown function.
    pub fn add_aggregate(&mut self, kind: AggregateKind, of: &str) -> Result<(), Error> {
        self.aggregates.push(Aggregate::parse(kind, of)?);
        Ok(())
    }

    /// Adds an order: `count`, `key`, one of the keys, or one of the aggregates, such as `sum(amount)`. ` desc` or ` asc` may
    /// follow. Another name of the same column will do; [`bind`](GroupQuestion::bind) checks it with the schema.
    ///
    /// # Errors
    /// A usage error for anything else.
    pub fn sort_by(&mut self, order: &str) -> Result<(), Error> {
        let order = order.trim();
        let directions = [
            (" desc", Direction::Descending),
            (" asc", Direction::Ascending),
        ];
        let directed = directions.into_iter().find_map(|(word, direction)| {
            let (term, end) = order.split_at_checked(order.len().checked_sub(word.len())?)?;
            let is_it = end.eq_ignore_ascii_case(word);
            is_it.then_some((term.trim_end(), Some(direction)))
        });
        let (term, direction) = directed.unwrap_or((order, None));
        let sort = if term.eq_ignore_ascii_case("key") {
            Sort::Key
        } else {
            self.term(term).ok_or_else(|| self.unknown_order(term))?
        };
        self.orders.push(OrderBy { sort, direction });
        Ok(())
    }

    /// Adds a condition on groups: `count` or one of the aggregates, one of `=`, `!=`, `<`, `<=`, `>` and `>=`, and a number
    /// or a date, as in `sum(amount)>10000`. A group without a value meets none.
    ///
    /// ```
    /// use fecscan::fold::by::{AggregateKind, GroupQuestion};
    /// let mut question = GroupQuestion::new("NAME")?;
    /// question.add_aggregate(AggregateKind::Sum, "amount")?;
    /// question.add_having("count>=5")?;
    /// question.add_having("sum(amount)>10000")?;
    /// assert!(question.add_having("max(amount)>5").is_err());
    /// # Ok::<(), fecscan::Error>(())
    /// ```
    ///
    /// # Errors
    /// A usage error for anything else.
    pub fn add_having(&mut self, condition: &str) -> Result<(), Error> {
        let (term, test) = Having::split(condition)?;
        let measure = match self.term(term) {
            Some(measure @ (Sort::Count | Sort::Aggregate(_))) => measure,
            Some(_) => {
                let what = format!("the condition '{condition}' is on a key");
                return Err(Error::usage(what).advise("choose rows by it with --where"));
            }
            None => return Err(self.unknown_measure(condition, term)),
        };
        self.having.push(Having::new(condition, measure, test)?);
        Ok(())
    }

    /// Returns the question with other keys, and the same aggregates and conditions. Groups have the same order, as far as it is
    /// not by single keys.
    ///
    /// # Errors
    /// See [`GroupQuestion::new`].
    pub(super) fn also(&self, keys: &str) -> Result<GroupQuestion, Error> {
        let is_key = |term: &Sort| matches!(term, Sort::KeyColumn(_));
        let mut question = self.clone();
        question.keys = list::parse(keys, Role::Group)?;
        question.orders.retain(|order| !is_key(&order.sort));
        question.reworded.retain(|(term, _)| !is_key(term));
        question.row_kinds = RowKindPolicy::Ignore;
        Ok(question)
    }

    /// Returns the question of the first aggregate for all groups, with one more key.
    pub(super) fn across(&self, key: &str) -> Result<GroupQuestion, Error> {
        let mut question = self.clone();
        match &list::parse(key, Role::Group)?[..] {
            [key] => question.keys.push(key.clone()),
            _ => {
                return Err(Error::usage(format!("one key goes across, not '{key}'"))
                    .advise("make the others keys: fecscan by STATE --across 'year(date)'"));
            }
        }
        question.aggregates.truncate(1);
        question.orders = vec![OrderBy::by(Sort::Key)];
        question.having.clear();
        question.reworded.clear();
        question.top = None;
        question.row_kinds = RowKindPolicy::Ignore;
        Ok(question)
    }

    /// Returns the first term of the order: by default the first sum, else the count.
    pub fn sort(&self) -> Sort {
        self.chosen_sort().unwrap_or_else(|| {
            let mut aggregates = self.aggregates.iter();
            let sum = aggregates.position(|aggregate| aggregate.kind == AggregateKind::Sum);
            sum.map_or(Sort::Count, Sort::Aggregate)
        })
    }

    /// Returns the order that was asked for first.
    pub(crate) fn chosen_sort(&self) -> Option<Sort> {
        self.orders.first().map(|order| order.sort)
    }

    /// Returns the orders, each with its direction.
    #[inline(always)]
    pub(crate) fn orders(&self) -> impl Iterator<Item = (Sort, Direction)> + '_ {
        let orders = self.orders.iter().copied();
        let by_default = self.orders.is_empty().then(|| OrderBy::by(self.sort()));
        orders.chain(by_default).map(|order| {
            let default = if order.sort.is_key() {
                Direction::Ascending
            } else {
                self.direction
            };
            (order.sort, order.direction.unwrap_or(default))
        })
    }

    /// Returns the keys and aggregates, each with its function and its column.
    fn terms(&self) -> impl Iterator<Item = (Sort, String, &str)> {
        let keys = self.keys.iter().enumerate().map(|(nth, key)| {
            let function = key.function.name_of(COLUMN);
            (Sort::KeyColumn(nth), function, &*key.column)
        });
        let aggregates = self.aggregates.iter().enumerate().map(|(nth, aggregate)| {
            let function = aggregate.name_of(COLUMN);
            (Sort::Aggregate(nth), function, &*aggregate.of.column)
        });
        keys.chain(aggregates)
    }

    /// Finds the count, or the key or aggregate with these words, else the first one that has the same column in any schema.
    fn term(&mut self, typed: &str) -> Option<Sort> {
        if typed.eq_ignore_ascii_case("count") {
            return Some(Sort::Count);
        }
        let key = list::parse_key(typed, Role::Group);
        let (function, column) = match (key, Aggregate::parse_call(typed)) {
            (Some(Ok(key)), _) => (key.function.name_of(COLUMN), key.column),
            (_, Some(aggregate)) => (aggregate.name_of(COLUMN), aggregate.of.column),
            _ => return None,
        };
        let find = |is_column: fn(&str, &str) -> bool| {
            let is_typed = |(_, known_function, known): &(Sort, String, &str)| {
                function.eq_ignore_ascii_case(known_function) && is_column(&column, known)
            };
            self.terms().find(is_typed).map(|(term, ..)| term)
        };
        if let Some(term) = find(str::eq_ignore_ascii_case) {
            return Some(term);
        }
        let of_schemas = find(|one, other| {
            let mut schemas = Schema::ALL.into_iter();
            schemas.any(|schema| is_same_column(schema, one, other))
        });
        // Files of other kinds have any names, so a number may be any column.
        let term = of_schemas.or_else(|| {
            let is_numbered = |column: &str| column.starts_with('#');
            let mut terms = self.terms().filter(|(_, known, name)| {
                function.eq_ignore_ascii_case(known) && is_numbered(name) != is_numbered(&column)
            });
            let (term, ..) = terms.next()?;
            terms.next().is_none().then_some(term)
        })?;
        self.reworded.push((term, column));
        Some(term)
    }

    /// Checks that orders and conditions mean their keys and aggregates in `schema`.
    pub(super) fn check_terms(&self, schema: Schema) -> Result<(), Error> {
        for (term, typed) in &self.reworded {
            let mut terms = self.terms();
            let (_, function, column) = terms
                .find(|(known, ..)| known == term)
                .expect("it is known");
            if is_same_column(schema, typed, column) {
                continue;
            }
            let typed = function.replace(COLUMN, typed);
            let is_order = self.orders.iter().any(|order| order.sort == *term);
            return Err(if is_order {
                self.unknown_order(&typed)
            } else {
                self.unknown_measure(&typed, &typed)
            });
        }
        Ok(())
    }

    fn unknown_order(&self, order: &str) -> Error {
        let keys = self.keys.iter();
        let keys = keys.map(|key| key.name_of(&as_typed(&key.column)));
        let known = ["count".to_owned(), "key".to_owned()]
            .into_iter()
            .chain(keys);
        let known = known.chain(self.aggregates.iter().map(Aggregate::typed));
        let advised = known.map(|term| format!("--sort {}", quoted(&term)));
        let what = format!("groups can't be sorted by '{order}'");
        Error::usage(what).advise(match self.order_meant(order) {
            Some(meant) => format!("did you mean --sort {}?", quoted(&meant)),
            None => with_missing_aggregate(order, advised),
        })
    }

    /// Returns the order that other programs write as `-amount`, `amount:desc` or `ORDER BY amount`. A column means its aggregate.
    fn order_meant(&self, order: &str) -> Option<String> {
        let lower = order.to_ascii_lowercase();
        let term = lower.strip_prefix("order by ").unwrap_or(&lower);
        let ends = [":desc", " descending"];
        let descending = term.strip_prefix('-');
        let descending = descending.or(ends.iter().find_map(|end| term.strip_suffix(end)));
        let (term, direction) = descending.map_or((term, ""), |term| (term.trim(), " desc"));
        let of_column = || {
            let is_of = |aggregate: &Aggregate| aggregate.of.column.eq_ignore_ascii_case(term);
            self.aggregates.iter().position(is_of).map(Sort::Aggregate)
        };
        let (keys, aggregates) = self.typed_names();
        // Words of ours that are wrong have no other form.
        let known = (term != lower).then(|| self.clone().term(term)).flatten();
        let meant = known.or_else(of_column)?;
        Some(format!(
            "{}{direction}",
            term_name(meant, &keys, &aggregates)
        ))
    }

    fn unknown_measure(&self, condition: &str, term: &str) -> Error {
        let aggregates = self.aggregates.iter().map(Aggregate::typed);
        let known = ["count".to_owned()].into_iter().chain(aggregates);
        let advised = known.map(|term| format!("--having '{term}>=5'"));
        let what = format!("the condition '{condition}' is not on the count, or on an aggregate");
        Error::usage(what).advise(with_missing_aggregate(term, advised))
    }
}

impl Sort {
    /// Says whether groups are ordered by keys.
    pub(super) fn is_key(self) -> bool {
        matches!(self, Sort::Key | Sort::KeyColumn(_))
    }
}

/// Returns a word as a shell needs it: without quotes, parentheses mean something, and a word that begins with # is a comment.
fn quoted(word: &str) -> String {
    if word.contains(['(', '#', '"', ' ']) {
        format!("'{word}'")
    } else {
        word.to_owned()
    }
}

/// Advises one of the `known` options, and to ask for the aggregate `term`, if it is one.
fn with_missing_aggregate(term: &str, known: impl Iterator<Item = String>) -> String {
    let known: Vec<_> = known.collect();
    let advice = format!("possible are {}", known.join(", "));
    let missing = Aggregate::parse_call(term).map(|aggregate| {
        let of = aggregate.of.name_of(&as_typed(&aggregate.of.column));
        let of = aggregate
            .share
            .map_or(of.clone(), |share| format!("{share}:{of}"));
        format!(
            "; for '{term}', add --{} {}",
            aggregate.kind.name(),
            quoted(&of)
        )
    });
    advice + &missing.unwrap_or_default()
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
