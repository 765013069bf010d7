//! The scale of an axis: round numbers, and where values stand between them.

use crate::render::numbers::grouped;

/// An axis has about this number of steps.
const STEPS: f64 = 4.0;

/// A linear axis between two multiples of `step`. It has zero on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) high: f64,
    step: f64,
}

impl Scale {
    pub(super) fn of(least: f64, most: f64) -> Scale {
        let (least, most) = (least.min(0.0), most.max(0.0));
        let step = round_step((most - least) / STEPS);
        let low = (least / step).floor() * step;
        let high = (most / step).ceil() * step;
        Scale {
            low,
            high: if high > low { high } else { low + step },
            step,
        }
    }

    /// Returns where `value` stands, from 0 to 1.
    pub(super) fn at(self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// Returns the multiples of the step, ascending, and their labels.
    pub(super) fn ticks(self) -> impl Iterator<Item = (f64, String)> {
        let steps = ((self.high - self.low) / self.step).round() as u32;
        let tick = move |nth| self.low + f64::from(nth) * self.step;
        let most = self.high.max(-self.low);
        (0..=steps).map(move |nth| (tick(nth), in_units(tick(nth), unit_of(most))))
    }
}

/// Rounds `least` up to one of 1, 2, 5, 10, 20 ... There is no logarithm: its last bit differs between systems.
fn round_step(least: f64) -> f64 {
    let mut power = 1.0;
    while power * 10.0 < least {
        power *= 10.0;
    }
    let steps = [1.0, 2.0, 5.0].map(|digit| digit * power);
    steps
        .into_iter()
        .find(|step| *step >= least)
        .unwrap_or(power * 10.0)
}

const UNITS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")];

/// Returns the unit of a number; none below 10,000, which is short enough.
fn unit_of(number: f64) -> Option<(f64, &'static str)> {
    let number = number.abs();
    let large = UNITS.into_iter().find(|(unit, _)| number >= *unit);
    large.filter(|_| number >= 1e4)
}

/// Returns a number to three digits and with its unit, such as `1.43M`.
pub(super) fn short(number: f64) -> String {
    // 999,999 is rounded up to 1M.
    let unit = unit_of(number * 1.0005);
    let size = number.abs() / unit.map_or(1.0, |(unit, _)| unit);
    let digits = match size {
        100.0.. => 1.0,
        10.0.. => 10.0,
        _ => 100.0,
    };
    let rounded = (size * digits).round() / digits * unit.map_or(1.0, |(unit, _)| unit);
    in_units(rounded.copysign(number), unit)
}

fn in_units(number: f64, unit: Option<(f64, &str)>) -> String {
    let sign = if number < 0.0 { "-" } else { "" };
    let number = number.abs();
    match unit {
        Some(_) if number == 0.0 => "0".to_owned(),
        // Three digits after the point, without zeros at the end.
        Some((size, name)) => format!("{sign}{}{name}", (number / size * 1e3).round() / 1e3),
        None => format!("{sign}{}", grouped(number.round() as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(least: f64, most: f64) -> Vec<String> {
        Scale::of(least, most)
            .ticks()
            .map(|(_, label)| label)
            .collect()
    }

    #[test]
    fn ticks_are_round_and_hold_all_values_and_zero() {
        assert_eq!(labels(0.0, 3_033_206.0), ["0", "1M", "2M", "3M", "4M"]);
        assert_eq!(labels(0.0, 7.0), ["0", "2", "4", "6", "8"]);
        assert_eq!(labels(0.0, 0.0), ["0", "1"]);
        assert_eq!(labels(0.0, 5_181.0), ["0", "2,000", "4,000", "6,000"]);
        assert_eq!(labels(-250.0, 1_000.0), ["-500", "0", "500", "1,000"]);
        assert_eq!(labels(-30_000.0, -1.0), ["-30k", "-20k", "-10k", "0"]);
        assert_eq!(labels(0.0, 1.5e6), ["0", "0.5M", "1M", "1.5M"]);
        for most in [1.0, 9.99, 1e6, 123_456_789.0, 1.7e36] {
            let scale = Scale::of(-most / 3.0, most);
            assert!(scale.low <= -most / 3.0 && most <= scale.high, "{scale:?}");
            assert!((3..=8).contains(&scale.ticks().count()), "{scale:?}");
            assert_eq!((scale.at(scale.low), scale.at(scale.high)), (0.0, 1.0));
        }
    }

    #[test]
    fn short_numbers_have_three_digits_and_a_unit() {
        let cases = [
            (0.0, "0"),
            (9_994.4, "9,994"),
            (9_999.4, "10k"),
            (1_427_633.0, "1.43M"),
            (-14_276_330.0, "-14.3M"),
            (999_999.0, "1M"),
            (999_499.0, "999k"),
            (142_763_300_000.0, "143B"),
        ];
        for (number, text) in cases {
            assert_eq!(short(number), text, "{number}");
        }
    }
}
