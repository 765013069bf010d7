//! The aggregates. An aggregate is one entry here, and a state in [`tables`](crate::fold::tables).

use std::fmt;

use super::bound::Reading;
use super::grouped::Value;
use crate::error::Error;
use crate::expr::Key;
use crate::expr::list::{self, Role};
use crate::fec::amount::{Decimal, decimal};
use crate::fec::schema::Kind;
use crate::fold::tables::{States, Totals};

/// What to make of the values of all rows of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Aggregate {
    /// The function of the values.
    pub kind: AggregateKind,
    /// The share of the numbers up to a quantile. Other aggregates have none.
    pub share: Option<Share>,
    /// What the values are made of.
    pub of: Key,
}

/// A function of the values of the rows of a group.
///
/// ```
/// use fecscan::AggregateKind;
/// let rows = fecscan::scan(["fixtures/generated.txt"]).group_by("STATE")?;
/// let groups = rows.aggregate(AggregateKind::Quantile, "0.9:amount")?.run()?;
/// assert_eq!(groups.aggregate_names(), ["quantile(0.9:TRANSACTION_AMT)"]);
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AggregateKind {
    /// The exact sum of numbers.
    Sum,
    /// The least number, or the first date.
    Min,
    /// The greatest number, or the last date.
    Max,
    /// The mean of numbers, rounded to hundredths, a half away from zero.
    Mean,
    /// The median of numbers, of an even number the mean of both in the middle, rounded as means are.
    Median,
    /// The least number up to which a [`Share`] of the numbers lies.
    Quantile,
    /// How many distinct values there are, bytes as they stand. Empty values do not count.
    Distinct,
}

/// What an aggregate is called, takes and keeps.
struct Entry {
    name: &'static str,
    /// The columns that it takes, in words and as kinds. None takes any.
    takes: (&'static str, &'static [Kind]),
    /// The state of a group. Without one, the aggregate keeps the distinct values.
    keeps: Option<States>,
}

const NUMBERS: (&str, &[Kind]) = ("numbers", &[Kind::Number]);
const NUMBERS_AND_DATES: (&str, &[Kind]) = ("numbers and dates", &[Kind::Number, Kind::Date]);

impl Entry {
    const fn new(
        name: &'static str,
        takes: (&'static str, &'static [Kind]),
        keeps: Option<States>,
    ) -> Entry {
        Entry { name, takes, keeps }
    }
}

/// In the order of [`AggregateKind::ALL`].
static ENTRIES: [Entry; AggregateKind::ALL.len()] = [
    Entry::new("sum", NUMBERS, Some(States::Total(Vec::new()))),
    Entry::new("min", NUMBERS_AND_DATES, Some(States::Least(Vec::new()))),
    Entry::new("max", NUMBERS_AND_DATES, Some(States::Greatest(Vec::new()))),
    Entry::new("mean", NUMBERS, Some(States::Total(Vec::new()))),
    Entry::new("median", NUMBERS, Some(States::Distribution(Vec::new()))),
    Entry::new("quantile", NUMBERS, Some(States::Distribution(Vec::new()))),
    Entry::new("distinct", ("anything", &[]), None),
];

impl AggregateKind {
    /// All kinds.
    pub const ALL: [AggregateKind; 7] = [
        AggregateKind::Sum,
        AggregateKind::Min,
        AggregateKind::Max,
        AggregateKind::Mean,
        AggregateKind::Median,
        AggregateKind::Quantile,
        AggregateKind::Distinct,
    ];

    fn entry(self) -> &'static Entry {
        &ENTRIES[self as usize]
    }

    /// Returns the name, as in `sum(TRANSACTION_AMT)`.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// Returns the aggregate with a name, in lowercase.
    ///
    /// ```
    /// use fecscan::fold::by::AggregateKind;
    /// assert_eq!(AggregateKind::named("mean"), Some(AggregateKind::Mean));
    /// ```
    pub fn named(name: &str) -> Option<AggregateKind> {
        let mut kinds = AggregateKind::ALL.into_iter();
        kinds.find(|kind| kind.name() == name)
    }

    /// Returns what the aggregate takes, in words and as kinds of columns.
    pub(super) fn takes(self) -> (&'static str, &'static [Kind]) {
        self.entry().takes
    }

    /// Says whether the aggregate takes this kind of columns.
    pub(crate) fn takes_kind(self, kind: Kind) -> bool {
        self.entry().takes.1.contains(&kind)
    }

    /// Says whether the value of a group is that of one of its rows. Then it keeps the form of that value, and does not depend on how many
    /// rows have it: a column of a joined file may be named.
    pub(super) fn is_of_one_row(self) -> bool {
        matches!(self, AggregateKind::Min | AggregateKind::Max)
    }

    /// Returns the form in which the value of a group is shown, and the factor that gives it this form. Values were read as `reading`. Means and
    /// medians have at least two decimals.
    pub(super) fn shown(self, reading: Reading) -> (Reading, i128) {
        match (self, reading) {
            (AggregateKind::Mean | AggregateKind::Median, Reading::Decimal(0)) => {
                (Reading::Number, 100)
            }
            (AggregateKind::Mean | AggregateKind::Median, Reading::Decimal(1)) => {
                (Reading::Number, 10)
            }
            _ => (reading, 1),
        }
    }

    /// Returns the state of a group; none for an aggregate that keeps the distinct values.
    pub(super) fn state(self) -> Option<&'static States> {
        self.entry().keeps.as_ref()
    }

    /// Returns the value of the option, for a column.
    pub(super) fn typed_of(self, column: &str) -> String {
        match self {
            AggregateKind::Quantile => format!("0.9:{column}"),
            _ => column.to_owned(),
        }
    }
}

impl Aggregate {
    /// Parses what an aggregate is of, such as `amount`, or `0.9:amount` for a quantile.
    pub(super) fn parse(kind: AggregateKind, text: &str) -> Result<Aggregate, Error> {
        let name = kind.name();
        let example = kind.typed_of(match kind {
            AggregateKind::Distinct => "NAME",
            _ => "TRANSACTION_AMT",
        });
        let wrong = |what: String| Error::usage(what).advise(format!("write --{name} {example}"));
        let (share, of) = match (kind, text.split_once(':')) {
            (AggregateKind::Quantile, Some((share, of))) => {
                let known = Share::parse(share.trim());
                let what = || format!("--{name} takes a share from 0 to 1, not '{share}'");
                (Some(known.ok_or_else(|| wrong(what()))?), of)
            }
            (AggregateKind::Quantile, None) => {
                let what = format!("--{name} takes a share and a column, not '{text}'");
                return Err(wrong(what));
            }
            _ => (None, text),
        };
        let of = of.trim();
        if of.is_empty() {
            return Err(wrong(format!("--{name} names no column")));
        }
        let mut keys = list::parse(of, Role::Aggregate)?;
        match (keys.pop(), keys.is_empty()) {
            (Some(of), true) => Ok(Aggregate { kind, share, of }),
            _ => Err(wrong(format!("--{name} takes one column, not '{of}'"))),
        }
    }

    /// Parses a call, such as `sum(amount)`. Other text gives none.
    pub(crate) fn parse_call(text: &str) -> Option<Aggregate> {
        let (name, of) = text.trim().strip_suffix(')')?.split_once('(')?;
        let kind = AggregateKind::named(&name.trim().to_ascii_lowercase())?;
        Aggregate::parse(kind, of).ok()
    }

    /// Returns the call, such as `sum(len(NAME))`, if the column has the name `column`.
    pub(super) fn name_of(&self, column: &str) -> String {
        let (name, of) = (self.kind.name(), self.of.name_of(column));
        match self.share {
            Some(share) => format!("{name}({share}:{of})"),
            None => format!("{name}({of})"),
        }
    }

    /// Returns the call as it was typed.
    pub(super) fn typed(&self) -> String {
        self.name_of(&self.of.column)
    }

    /// Returns the value that the state with a number has for a group.
    pub(super) fn value(
        &self,
        totals: &Totals,
        nth: usize,
        group: usize,
        reading: Reading,
    ) -> Option<Value> {
        let (shown, factor) = self.kind.shown(reading);
        let value = match (self.kind, self.share) {
            (AggregateKind::Mean, _) => totals.mean(nth, group, factor),
            (AggregateKind::Median, _) => totals.median(nth, group, factor),
            (_, Some(share)) => totals.quantile(nth, group, |numbers| share.rank_among(numbers)),
            _ => totals.value(nth, group),
        };
        value.map(|value| Value::of(value, shown))
    }
}

/// A share of a whole, from 0 to 1, in billionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(u32);

impl Share {
    const DECIMALS: u8 = 9;
    const WHOLE: u32 = 10_u32.pow(Share::DECIMALS as u32);

    /// Reads a share such as `0.95`, of at most nine decimals.
    ///
    /// ```
    /// use fecscan::fold::by::Share;
    /// assert_eq!(Share::parse("0.950").unwrap().to_string(), "0.95");
    /// assert_eq!(Share::parse("95"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Share> {
        let is_signed = text.starts_with(['+', '-']);
        let number = decimal(text.as_bytes(), Share::DECIMALS).filter(|_| !is_signed)?;
        let share = u32::try_from(number.units).ok()?;
        (share <= Share::WHOLE).then_some(Share(share))
    }

    /// Returns the rank of the quantile, counted from one, among this many numbers: the share of them, rounded up.
    fn rank_among(self, numbers: u64) -> u64 {
        let rank = u128::from(numbers) * u128::from(self.0);
        (rank.div_ceil(Share::WHOLE.into()) as u64).max(1)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = Decimal {
            units: self.0.into(),
            decimals: Share::DECIMALS,
        };
        let text = number.to_string();
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::list::AGGREGATES;

    /// Otherwise the advice on an unknown function would miss one.
    #[test]
    fn expressions_know_the_names_of_all_aggregates() {
        assert_eq!(AGGREGATES, AggregateKind::ALL.map(AggregateKind::name));
    }

    #[test]
    fn shares_are_decimals_from_zero_to_one() {
        for (text, shown) in [
            ("0", "0"),
            ("1", "1"),
            ("01.000", "1"),
            (".5", "0.5"),
            ("0.", "0"),
            ("0.000000001", "0.000000001"),
        ] {
            assert_eq!(
                Share::parse(text).map(|share| share.to_string()).as_deref(),
                Some(shown)
            );
        }
        for text in [
            "",
            ".",
            "1.1",
            "2",
            "-0.5",
            "0,5",
            "50%",
            "0.0000000001",
            "0.5.",
            "+1",
        ] {
            assert_eq!(Share::parse(text), None, "{text}");
        }
    }

    #[test]
    fn ranks_are_rounded_up() {
        let rank = |share, numbers| Share::parse(share).unwrap().rank_among(numbers);
        assert_eq!([rank("0", 7), rank("0.5", 7), rank("1", 7)], [1, 4, 7]);
        assert_eq!(
            [rank("0.25", 8), rank("0.25", 9), rank("0.9", 10)],
            [2, 3, 9]
        );
        assert_eq!(rank("1", u64::MAX), u64::MAX);
    }
}
