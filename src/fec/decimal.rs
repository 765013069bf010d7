//! Exact decimal numbers.

use std::cmp::Ordering;
use std::fmt;

use super::amount::DECIMALS_MAX;

/// An exact number with up to nine decimals, in units of the last of them.
///
/// Numbers are ordered by value. Of equal ones the number with fewer decimals comes first.
///
/// ```
/// use fecscan::fec::amount::Decimal;
/// let number = Decimal::new(-1_705, 3).expect("three decimals");
/// assert_eq!(number.to_string(), "-1.705");
/// assert_eq!((number.units(), number.decimals()), (-1_705, 3));
/// assert!(Decimal::new(15, 1) < Decimal::new(2, 0));
/// assert_eq!(Decimal::new(1, 10), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    pub(crate) units: i128,
    /// At most [`DECIMALS_MAX`].
    pub(crate) decimals: u8,
}

impl Decimal {
    /// Returns `units` divided by ten to the power of `decimals`; none for more than [`DECIMALS_MAX`].
    pub fn new(units: i128, decimals: u8) -> Option<Decimal> {
        (decimals <= DECIMALS_MAX).then_some(Decimal { units, decimals })
    }

    /// Returns the number times ten to the power of its [`decimals`](Decimal::decimals).
    pub fn units(self) -> i128 {
        self.units
    }

    /// Returns the number of decimals.
    pub fn decimals(self) -> u8 {
        self.decimals
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        // The whole number and the billionths after it fit, where all billionths may not.
        let parts = |number: &Decimal| {
            let power = 10_i128.pow(number.decimals.into());
            let missing = 10_i128.pow(u32::from(DECIMALS_MAX - number.decimals));
            let (whole, rest) = (
                number.units.div_euclid(power),
                number.units.rem_euclid(power),
            );
            (whole, rest * missing, number.decimals)
        };
        parts(self).cmp(&parts(other))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, units) = (
            if self.units < 0 { "-" } else { "" },
            self.units.unsigned_abs(),
        );
        let (power, width) = (10_u128.pow(self.decimals.into()), self.decimals.into());
        match width {
            0 => write!(f, "{sign}{units}"),
            _ => write!(f, "{sign}{}.{:0width$}", units / power, units % power),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order and the texts of numbers with all decimals that there are, against those of strings of equal length.
    #[test]
    fn decimals_are_shown_and_ordered_by_value() {
        let mut numbers = Vec::new();
        for decimals in 0..=DECIMALS_MAX {
            for units in [0, 1, 9, 10, 99, 1_234_567_890_123, i128::MAX] {
                numbers.extend(Decimal::new(units, decimals));
                numbers.extend(Decimal::new(-units, decimals));
            }
            numbers.extend(Decimal::new(i128::MIN, decimals));
        }
        // The digits of the number times 10^9.
        let digits = |number: Decimal| {
            let text = number.to_string();
            let text = text.trim_start_matches('-');
            let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
            assert_eq!(rest.len(), usize::from(number.decimals()));
            format!("{whole:0>50}{rest:0<9}")
        };
        let is_negative = |number: Decimal| number.to_string().starts_with('-');
        for &one in &numbers {
            for &other in &numbers {
                let (mine, theirs) = (digits(one), digits(other));
                let expected = match (is_negative(one), is_negative(other)) {
                    (true, false) => Ordering::Less,
                    (false, true) => Ordering::Greater,
                    (true, true) => theirs.cmp(&mine),
                    (false, false) => mine.cmp(&theirs),
                };
                let expected = expected.then(one.decimals().cmp(&other.decimals()));
                assert_eq!(one.cmp(&other), expected, "{one} {other}");
            }
        }
        let all: Vec<_> = (0..=u8::MAX).filter_map(|n| Decimal::new(1, n)).collect();
        assert_eq!(all.len(), 10);
        assert_eq!(all[9].to_string(), "0.000000001");
    }
}
