//! The aggregates of SQL, one entry each: names, arguments, the type of the value, and what is kept of the rows of a group.

use std::ops::RangeInclusive;

use super::expression::Comparison;
use super::groups::numbers::{between, value_of};
use super::plan::Aggregate;
use super::types::{Type, WIDTH_MAX};
use super::value::{Value, double_of};

/// An aggregate.
pub(super) struct Function {
    pub(super) names: &'static [&'static str],
    pub(super) takes: Takes,
    /// Returns the type of the value by the type of the first argument.
    pub(super) gives: fn(Type) -> Type,
    pub(super) keeps: Keeps,
    /// A call of it.
    pub(super) example: &'static str,
    pub(super) help: &'static str,
}

/// The arguments of an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// A value of any type, or none.
    RowsOrValue,
    /// A value of any type.
    Value,
    /// Two values of any types.
    TwoValues,
    /// An exact number: sums of others would depend on the order of rows.
    Exact,
    Number,
    NumberAndShare,
    /// A value of a type that numbers stand for, and a share.
    ValueAndShare,
    Condition,
    /// Expressions of GROUP BY.
    Keys,
}

/// What is kept of the rows of a group. NULL is no value.
pub(super) enum Keeps {
    /// The number of rows or values.
    Count,
    /// The number of distinct values.
    Distinct,
    /// The sum and the number of values, and the value of these.
    Total(fn(&Aggregate, i128, u64) -> Value),
    /// The value that compares so with all others.
    Extreme(Comparison),
    /// The value beside the one that compares so with all others.
    Beside(Comparison),
    /// How often each number occurs, and the value of that.
    Distribution(fn(&Aggregate, &Runs<'_>) -> Option<Value>),
    /// Nothing: the value depends on the grouping set.
    Set,
}

/// Numbers, ascending, each with how often it occurs.
pub(super) struct Runs<'r>(pub(super) &'r [(i64, u64)]);

impl Runs<'_> {
    /// Returns how many numbers there are.
    fn count(&self) -> u64 {
        self.0.iter().map(|(_, times)| times).sum()
    }

    /// Returns the number with a rank, counted from zero.
    fn nth(&self, rank: u64) -> Option<i128> {
        let mut before = 0;
        let run = self.0.iter().find(|(_, times)| {
            before += times;
            rank < before
        });
        run.map(|(number, _)| i128::from(*number))
    }
}

/// One entry for each aggregate.
static ALL: [Function; 20] = [
    Function {
        names: &["count"],
        takes: Takes::RowsOrValue,
        gives: |_| Type::BigInt,
        keeps: Keeps::Count,
        example: "count(*)",
        help: "the number of rows, or of values that are not NULL: count(amount)",
    },
    Function {
        names: &["count_if", "countif"],
        takes: Takes::Condition,
        gives: |_| Type::HugeInt,
        keeps: Keeps::Total(|_, sum, _| Value::Whole(sum)),
        example: "count_if(amount > 0)",
        help: "the number of rows that are true: count_if(amount > 0)",
    },
    Function {
        names: &["sum"],
        takes: Takes::Exact,
        gives: |of| match of {
            Type::Decimal(_, scale) => Type::Decimal(WIDTH_MAX, scale),
            _ => Type::HugeInt,
        },
        keeps: Keeps::Total(|call, sum, _| value_of(sum, call.of_type())),
        example: "sum(amount)",
        help: "the exact sum of numbers: sum(amount)",
    },
    Function {
        names: &["avg", "mean"],
        takes: Takes::Exact,
        gives: |_| Type::Double,
        keeps: Keeps::Total(|call, sum, count| {
            let sum = double_of(sum, call.of_type().scale().unwrap_or(0));
            Value::Double(sum / count as f64)
        }),
        example: "avg(amount)",
        help: "the mean of numbers: avg(amount)",
    },
    Function {
        names: &["min"],
        takes: Takes::Value,
        gives: |of| of,
        keeps: Keeps::Extreme(Comparison::Less),
        example: "min(amount)",
        help: "the least value: min(date)",
    },
    Function {
        // Any value will do, so the least does.
        names: &["any_value"],
        takes: Takes::Value,
        gives: |of| of,
        keeps: Keeps::Extreme(Comparison::Less),
        example: "any_value(NAME)",
        help: "one of the values: any_value(NAME)",
    },
    Function {
        names: &["max"],
        takes: Takes::Value,
        gives: |of| of,
        keeps: Keeps::Extreme(Comparison::Greater),
        example: "max(amount)",
        help: "the greatest value: max(date)",
    },
    Function {
        names: &["arg_min", "argmin", "min_by"],
        takes: Takes::TwoValues,
        gives: |of| of,
        keeps: Keeps::Beside(Comparison::Less),
        example: "arg_min(NAME, amount)",
        help: "a value of the first row that has the least of another: arg_min(NAME, date)",
    },
    Function {
        names: &["arg_max", "argmax", "max_by"],
        takes: Takes::TwoValues,
        gives: |of| of,
        keeps: Keeps::Beside(Comparison::Greater),
        example: "arg_max(NAME, amount)",
        help: "a value of the first row that has the greatest of another: arg_max(NAME, amount)",
    },
    Function {
        names: &["bool_and"],
        takes: Takes::Condition,
        gives: |_| Type::Boolean,
        keeps: Keeps::Extreme(Comparison::Less),
        example: "bool_and(amount > 0)",
        help: "whether a condition is true in all rows: bool_and(amount > 0)",
    },
    Function {
        names: &["bool_or"],
        takes: Takes::Condition,
        gives: |_| Type::Boolean,
        keeps: Keeps::Extreme(Comparison::Greater),
        example: "bool_or(amount > 0)",
        help: "whether a condition is true in any row: bool_or(amount > 0)",
    },
    Function {
        names: &["median"],
        takes: Takes::Number,
        gives: continuous,
        keeps: Keeps::Distribution(quantile_continuous),
        example: "median(amount)",
        help: "the number in the middle, or the mean of both: median(amount)",
    },
    Function {
        names: &["quantile_cont"],
        takes: Takes::NumberAndShare,
        gives: continuous,
        keeps: Keeps::Distribution(quantile_continuous),
        example: "quantile_cont(amount, 0.9)",
        help: "the number below which a share of numbers is, between two in proportion: quantile_cont(amount, 0.9)",
    },
    Function {
        names: &["quantile_disc", "quantile"],
        takes: Takes::ValueAndShare,
        gives: |of| of,
        keeps: Keeps::Distribution(quantile_discrete),
        example: "quantile_disc(amount, 0.9)",
        help: "the least value up to which a share of values is: quantile_disc(amount, 0.9)",
    },
    Function {
        names: &["stddev_samp", "stddev"],
        takes: Takes::Exact,
        gives: |_| Type::Double,
        keeps: Keeps::Distribution(|call, runs| {
            Some(Value::Double(variance(call, runs, 1)?.sqrt()))
        }),
        example: "stddev_samp(amount)",
        help: "the standard deviation of a sample: stddev_samp(amount)",
    },
    Function {
        names: &["var_samp", "variance"],
        takes: Takes::Exact,
        gives: |_| Type::Double,
        keeps: Keeps::Distribution(|call, runs| Some(Value::Double(variance(call, runs, 1)?))),
        example: "var_samp(amount)",
        help: "the variance of a sample: var_samp(amount)",
    },
    Function {
        names: &["stddev_pop"],
        takes: Takes::Exact,
        gives: |_| Type::Double,
        keeps: Keeps::Distribution(|call, runs| {
            Some(Value::Double(variance(call, runs, 0)?.sqrt()))
        }),
        example: "stddev_pop(amount)",
        help: "the standard deviation of all numbers: stddev_pop(amount)",
    },
    Function {
        names: &["var_pop"],
        takes: Takes::Exact,
        gives: |_| Type::Double,
        keeps: Keeps::Distribution(|call, runs| Some(Value::Double(variance(call, runs, 0)?))),
        example: "var_pop(amount)",
        help: "the variance of all numbers: var_pop(amount)",
    },
    Function {
        names: &["sem"],
        takes: Takes::Exact,
        gives: |_| Type::Double,
        keeps: Keeps::Distribution(|call, runs| {
            let deviation = variance(call, runs, 0)?.sqrt();
            Some(Value::Double(deviation / (runs.count() as f64).sqrt()))
        }),
        example: "sem(amount)",
        help: "the standard error of the mean: sem(amount)",
    },
    Function {
        names: &["grouping", "grouping_id"],
        takes: Takes::Keys,
        gives: |_| Type::BigInt,
        keeps: Keeps::Set,
        example: "grouping(STATE)",
        help: "1 where a key is none of the grouping set, else 0; a bit for each of several: grouping(STATE, CITY)",
    },
];

/// `count(DISTINCT x)`.
pub(super) static COUNT_DISTINCT: Function = Function {
    names: &["count"],
    takes: Takes::Value,
    gives: |_| Type::BigInt,
    keeps: Keeps::Distinct,
    example: "count(DISTINCT NAME)",
    help: "the number of distinct values: count(DISTINCT NAME)",
};

impl Function {
    /// Returns all aggregates.
    pub(super) fn all() -> impl Iterator<Item = &'static Function> {
        ALL.iter()
    }

    /// Returns how many arguments it takes.
    pub(super) fn arguments(&self) -> RangeInclusive<usize> {
        match self.takes {
            Takes::RowsOrValue => 0..=1,
            // A bit each.
            Takes::Keys => 1..=63,
            Takes::TwoValues | Takes::NumberAndShare | Takes::ValueAndShare => 2..=2,
            _ => 1..=1,
        }
    }

    /// Returns the aggregate with a name in small letters.
    pub(super) fn named(name: &str) -> Option<&'static Function> {
        ALL.iter().find(|function| function.names.contains(&name))
    }
}

/// Functions are entries of one table.
impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        std::ptr::eq(self, other)
    }
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.names[0])
    }
}

/// Returns the type of a value between two.
fn continuous(of: Type) -> Type {
    if of.is_whole() { Type::Double } else { of }
}

fn quantile_discrete(call: &Aggregate, runs: &Runs<'_>) -> Option<Value> {
    let rank = rank_of(call.share, runs.count());
    Some(value_of(runs.nth(rank - 1)?, call.of_type()))
}

fn quantile_continuous(call: &Aggregate, runs: &Runs<'_>) -> Option<Value> {
    let place = call.share * runs.count().checked_sub(1)? as f64;
    let low = runs.nth(place.floor() as u64)?;
    let high = runs.nth(place.ceil() as u64)?;
    if place.fract() == 0.0 {
        return Some(match value_of(low, call.of_type()) {
            Value::Whole(number) => Value::Double(number as f64),
            value => value,
        });
    }
    Some(between(low, high, place.fract(), call.of_type()))
}

/// Returns the rank, counted from one, of the least value up to which a share of `count` values lies.
fn rank_of(share: f64, count: u64) -> u64 {
    let rank = count as f64 - (count as f64 - share * count as f64).floor();
    (rank as u64).clamp(1, count.max(1))
}

/// Returns the mean square of the distances from the mean, as if there were `less` numbers fewer. Numbers ascend, so no order of rows
/// changes the result.
fn variance(call: &Aggregate, runs: &Runs<'_>, less: u64) -> Option<f64> {
    let count = runs.count();
    let divisor = count.checked_sub(less).filter(|divisor| *divisor > 0)?;
    let total = |(number, times): &(i64, u64)| i128::from(*number) * i128::from(*times);
    let sum: i128 = runs.0.iter().map(total).sum();
    // Distances from a whole number near the mean are exact; the rest of the mean is less than one.
    let near = sum.div_euclid(count.into());
    let rest = sum.rem_euclid(count.into()) as f64 / count as f64;
    let squares = runs.0.iter().map(|(number, times)| {
        let distance = (i128::from(*number) - near) as f64 - rest;
        distance * distance * *times as f64
    });
    let scale = call.of_type().scale().unwrap_or(0);
    let unit = 10_f64.powi(i32::from(scale));
    Some(squares.sum::<f64>() / divisor as f64 / (unit * unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_duckdb() {
        assert_eq!(
            [0.0, 0.5, 0.51, 1.0].map(|share| rank_of(share, 2)),
            [1, 1, 2, 2]
        );
        assert_eq!([0.25, 0.3, 0.9].map(|share| rank_of(share, 8)), [2, 3, 8]);
        assert_eq!(rank_of(0.5, 1), 1);
    }

    #[test]
    fn names_are_those_of_one_aggregate() {
        let names = || Function::all().flat_map(|function| function.names);
        let distinct: std::collections::BTreeSet<_> = names().collect();
        assert_eq!(distinct.len(), names().count());
    }
}
