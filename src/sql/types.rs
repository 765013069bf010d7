//! The types of values, and the type that two of them have in common.

use std::fmt;

/// The type of an expression.
///
/// ```
/// let rows = fecscan::sql("SELECT max(date), count(*) FROM 'fixtures/generated.txt'")?;
/// assert_eq!([rows.gives(0), rows.gives(1)], [fecscan::Type::Date, fecscan::Type::BigInt]);
/// # Ok::<(), fecscan::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Of the literal `NULL` alone, which takes any other type.
    Null,
    /// True or false.
    Boolean,
    /// A whole number of 32 bits, as small literals are.
    Integer,
    /// A whole number of 64 bits.
    BigInt,
    /// A whole number of 128 bits, as sums of whole numbers are.
    HugeInt,
    /// An exact number: the most digits, and how many of them are behind the point.
    Decimal(u8, u8),
    /// A number of 64 bits with a binary exponent.
    Double,
    /// A day.
    Date,
    /// Text: bytes.
    Varchar,
}

/// The most digits of a decimal.
pub(super) const WIDTH_MAX: u8 = 38;

/// The most digits of a decimal that DuckDB keeps in 64 bits.
pub(super) const WORD_DIGITS: u8 = 18;

impl Type {
    /// Says whether values are numbers.
    pub(crate) fn is_number(self) -> bool {
        self.is_whole() || matches!(self, Type::Decimal(..) | Type::Double)
    }

    /// Says whether values are whole numbers.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, Type::Integer | Type::BigInt | Type::HugeInt)
    }

    /// Returns the digits behind the point of exact numbers.
    pub(super) fn scale(self) -> Option<u8> {
        match self {
            Type::Decimal(_, scale) => Some(scale),
            whole if whole.is_whole() => Some(0),
            _ => None,
        }
    }

    /// Returns the type that CASE, coalesce and UNION give values of two types. None if one of them has to be cast.
    pub(super) fn common(self, other: Type) -> Option<Type> {
        Some(match (self, other, self.compared(other)?) {
            // DuckDB gives up digits behind the point for those in front.
            (Type::Decimal(..), Type::Decimal(..), Type::Decimal(width, scale)) => {
                let (front, _) = self.digits_with(other)?;
                Type::Decimal(width, scale.min(WIDTH_MAX - front))
            }
            (.., compared) => compared,
        })
    }

    /// Returns the type in which values of two types are compared. A number that it has no room for is an error of its row.
    pub(super) fn compared(self, other: Type) -> Option<Type> {
        let rank = |of: Type| match of {
            Type::Integer => 0,
            Type::BigInt => 1,
            _ => 2,
        };
        Some(match (self, other) {
            (one, other) if one == other => one,
            (Type::Null, known) | (known, Type::Null) => known,
            (one, other) if !one.is_number() || !other.is_number() => return None,
            (Type::Double, _) | (_, Type::Double) => Type::Double,
            (one, other) if one.is_whole() && other.is_whole() => {
                if rank(one) < rank(other) {
                    other
                } else {
                    one
                }
            }
            (one, other) => {
                let (front, scale) = one.digits_with(other)?;
                Type::Decimal(WIDTH_MAX.min(front + scale), scale)
            }
        })
    }

    /// Returns the most digits of exact numbers.
    pub(super) fn width(self) -> Option<u8> {
        Some(match self {
            Type::Integer => 10,
            Type::BigInt => 19,
            Type::HugeInt => WIDTH_MAX,
            Type::Decimal(width, _) => width,
            _ => return None,
        })
    }

    /// Returns how many digits exact numbers of both types have in front of the point at most, and behind.
    pub(super) fn digits_with(self, other: Type) -> Option<(u8, u8)> {
        let [one, other] = [self, other].map(|of| Some((of.width()?, of.scale()?)));
        let ((width, scale), (other, other_scale)) = (one?, other?);
        let front = (width - scale).max(other - other_scale);
        Some((front, scale.max(other_scale)))
    }
}

/// Writes the type as it stands in statements.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Type::Null => "NULL",
            Type::Boolean => "BOOLEAN",
            Type::Integer => "INTEGER",
            Type::BigInt => "BIGINT",
            Type::HugeInt => "HUGEINT",
            Type::Decimal(width, scale) => return write!(f, "DECIMAL({width},{scale})"),
            Type::Double => "DOUBLE",
            Type::Date => "DATE",
            Type::Varchar => "VARCHAR",
        };
        f.write_str(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_type_in_common_and_others_have_none() {
        let common = |one: Type, other: Type| {
            assert_eq!(one.common(other), other.common(one));
            one.common(other)
        };
        assert_eq!(common(Type::Integer, Type::BigInt), Some(Type::BigInt));
        assert_eq!(common(Type::HugeInt, Type::BigInt), Some(Type::HugeInt));
        assert_eq!(
            common(Type::Decimal(14, 2), Type::Integer),
            Some(Type::Decimal(14, 2))
        );
        assert_eq!(
            common(Type::Decimal(14, 2), Type::Decimal(5, 4)),
            Some(Type::Decimal(16, 4))
        );
        assert_eq!(
            common(Type::Decimal(38, 2), Type::Decimal(5, 3)),
            Some(Type::Decimal(38, 2))
        );
        assert_eq!(
            Type::Decimal(38, 2).compared(Type::Decimal(5, 3)),
            Some(Type::Decimal(38, 3))
        );
        assert_eq!(
            common(Type::Decimal(2, 1), Type::HugeInt),
            Some(Type::Decimal(38, 1))
        );
        assert_eq!(
            common(Type::Decimal(38, 30), Type::BigInt),
            Some(Type::Decimal(38, 30))
        );
        assert_eq!(
            common(Type::Decimal(14, 2), Type::Double),
            Some(Type::Double)
        );
        assert_eq!(common(Type::Null, Type::Date), Some(Type::Date));
        for one in [Type::Boolean, Type::Date, Type::Varchar] {
            assert_eq!(common(one, Type::Integer), None);
            assert_eq!(common(one, one), Some(one));
        }
    }
}
