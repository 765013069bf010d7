//! The types of the columns of groups.
//!
//! Formats of columns declare a type once, and then write units of it. So the type decides what the units are, never the value.

use super::AggregateKind;
use super::bound::Reading;
use super::grouped::{Grouped, Value};
use crate::fec::date;
use crate::fec::schema::AMOUNT_DECIMALS;

/// The type of an aggregate. It does not depend on the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueType {
    /// Whole numbers of 64 bits, which are counted.
    Count,
    /// Days since 1970.
    Date,
    /// Numbers with so many decimals.
    Decimal(u8),
}

impl Grouped {
    /// Returns the type of the aggregate with this number.
    pub(crate) fn value_type(&self, nth: usize) -> ValueType {
        let aggregates = &self.question.aggregates;
        // The columns of a key that goes across have the first aggregate, or counts.
        let aggregate = aggregates.get(nth).or(aggregates.first());
        let counts = aggregate.is_none_or(|aggregate| aggregate.kind == AggregateKind::Distinct);
        match self.reading(nth) {
            _ if counts => ValueType::Count,
            Some(Reading::Date) => ValueType::Date,
            Some(Reading::Decimal(decimals)) => ValueType::Decimal(decimals),
            Some(Reading::Whole) => ValueType::Decimal(0),
            Some(Reading::Number | Reading::Untyped | Reading::Bytes) | None => {
                ValueType::Decimal(AMOUNT_DECIMALS)
            }
        }
    }
}

impl Value {
    /// Returns the value in units of a type. A value that the type can't hold exactly has none.
    pub(crate) fn units_of(self, kind: ValueType) -> Option<i128> {
        let decimals = match (kind, self) {
            (ValueType::Date, Value::Date(day)) => return Some(date::days_since_1970(day).into()),
            (ValueType::Date, _) => return None,
            (ValueType::Count, _) => 0,
            (ValueType::Decimal(decimals), _) => decimals,
        };
        let number = self.decimal()?;
        let power = |more: u8, fewer: u8| 10_i128.checked_pow(u32::from(more - fewer));
        if number.decimals <= decimals {
            number.units.checked_mul(power(decimals, number.decimals)?)
        } else {
            let power = power(number.decimals, decimals)?;
            (number.units % power == 0).then_some(number.units / power)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fec::amount::{Decimal, Hundredths};

    #[test]
    fn a_type_decides_the_units_of_a_value() {
        let whole = Value::Decimal(Decimal {
            units: 7,
            decimals: 0,
        });
        for (value, kind, units) in [
            (Value::Count(2), ValueType::Count, Some(2)),
            (Value::Count(2), ValueType::Decimal(2), Some(200)),
            (Value::Amount(Hundredths(200)), ValueType::Count, Some(2)),
            (Value::Amount(Hundredths(250)), ValueType::Count, None),
            (
                Value::Amount(Hundredths(-250)),
                ValueType::Decimal(3),
                Some(-2_500),
            ),
            (whole, ValueType::Decimal(9), Some(7_000_000_000)),
            (Value::Date(19_700_102), ValueType::Date, Some(1)),
            (Value::Date(19_700_102), ValueType::Decimal(2), None),
            (Value::Count(1), ValueType::Date, None),
        ] {
            assert_eq!(value.units_of(kind), units, "{value:?} {kind:?}");
        }
    }
}
