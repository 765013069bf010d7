//! Amounts of money: exact decimals, never floats.

use std::fmt;

use super::columns::AMOUNT_DECIMALS;
pub use super::decimal::Decimal;
use super::trimmed;

/// The number of digits of an amount, two of them after the point. Sums and typed columns skip longer numbers.
pub(crate) const AMOUNT_DIGITS: u32 = 14;

/// An amount in hundredths of a dollar, written with two decimals.
///
/// ```
/// use fecscan::fec::amount::Hundredths;
/// assert_eq!(Hundredths(-1_705).to_string(), "-17.05");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hundredths(pub i128);

impl Hundredths {
    /// Returns the number if it has at most fourteen digits, as an amount of money in a row.
    ///
    /// ```
    /// use fecscan::fec::amount::Hundredths;
    /// assert_eq!(Hundredths(99_999_999_999_999).amount(), Some(99_999_999_999_999));
    /// assert_eq!(Hundredths(100_000_000_000_000).amount(), None);
    /// ```
    pub fn amount(self) -> Option<i64> {
        let fits = self.0.unsigned_abs() < 10_u128.pow(AMOUNT_DIGITS);
        fits.then_some(self.0 as i64)
    }
}

impl fmt::Display for Hundredths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, hundredths) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        write!(f, "{sign}{}.{:02}", hundredths / 100, hundredths % 100)
    }
}

/// The most decimals of a number.
pub const DECIMALS_MAX: u8 = 9;

/// The most digits of a number of a column with decimals of its own, decimals included.
pub(crate) const NUMBER_DIGITS: u32 = 18;

/// Parses a signed decimal with at most two decimals into hundredths.
///
/// ASCII white space at the ends is ignored. Returns `None` for anything else, exponents and
/// separators of thousands included, and for numbers beyond 128 bits.
///
/// ```
/// use fecscan::fec::amount::hundredths;
/// assert_eq!(hundredths(b"250"), Some(25_000));
/// assert_eq!(hundredths(b" -17.5 "), Some(-1_750));
/// assert_eq!(hundredths(b"1,000"), None);
/// ```
pub fn hundredths(column: &[u8]) -> Option<i128> {
    units(column, 2)
}

/// Parses a number in the same way, with at most `decimals` of them, at most nine.
pub(crate) fn decimal(column: &[u8], decimals: u8) -> Option<Decimal> {
    let units = units(column, decimals.into())?;
    Some(Decimal { units, decimals })
}

/// Returns the most digits of numbers of a column with so many decimals.
pub(crate) fn digits(decimals: u8) -> u8 {
    let most = if decimals == AMOUNT_DECIMALS {
        AMOUNT_DIGITS
    } else {
        NUMBER_DIGITS
    };
    most as u8
}

/// Parses such a number of at most eighteen digits, as columns of numbers have them.
pub(crate) fn number(column: &[u8], decimals: u8) -> Option<Decimal> {
    let fits = |number: &Decimal| number.units.unsigned_abs() < 10_u128.pow(NUMBER_DIGITS);
    decimal(column, decimals).filter(fits)
}

/// Returns the number of the least decimals. Inlined, because the number of decimals is nearly always known.
#[inline(always)]
fn units(column: &[u8], decimals_max: usize) -> Option<i128> {
    let number = trimmed(column);
    let (sign, digits) = match number.split_first()? {
        (b'-', rest) => (-1, rest),
        (b'+', rest) => (1, rest),
        _ => (1, number),
    };
    let point = digits.iter().position(|&b| b == b'.');
    let (whole, decimals) = match point {
        Some(point) => (&digits[..point], &digits[point + 1..]),
        None => (digits, &[][..]),
    };
    if decimals.len() > decimals_max || whole.is_empty() && decimals.is_empty() {
        return None;
    }
    let missing = &[b'0'; DECIMALS_MAX as usize][..decimals_max - decimals.len()];
    // Nearly every amount fits 64 bits, whose arithmetic is several times as fast.
    if whole.len() + decimals_max <= NUMBER_DIGITS as usize {
        let mut value = 0_i64;
        for &byte in whole.iter().chain(decimals).chain(missing) {
            value = value * 10 + i64::from(digit(byte)?);
        }
        return Some(i128::from(sign * value));
    }
    let mut value = 0_i128;
    for &byte in whole.iter().chain(decimals).chain(missing) {
        value = value.checked_mul(10)?.checked_add(digit(byte)?.into())?;
    }
    Some(i128::from(sign) * value)
}

/// Parses a whole number of 64 bits. ASCII white space at the ends is ignored.
///
/// It makes no `str`: the bytes of a mapped file may change after a check.
#[inline(never)]
pub(crate) fn integer(column: &[u8]) -> Option<i64> {
    if let Some(number) = digits_alone(column) {
        return Some(number);
    }
    let number = trimmed(column);
    let (sign, digits) = match number.split_first()? {
        (b'-', rest) => (-1, rest),
        (b'+', rest) => (1, rest),
        _ => (1, number),
    };
    let first = sign * i64::from(digit(*digits.first()?)?);
    digits[1..].iter().try_fold(first, |value, &byte| {
        let next = sign * i64::from(digit(byte)?);
        value.checked_mul(10)?.checked_add(next)
    })
}

/// Says whether a whole number of 64 bits is written as Rust writes it, without a sign, and so as no other number is.
pub(crate) fn is_canonical(column: &[u8]) -> bool {
    (column.first() != Some(&b'0') || column.len() == 1) && digits_alone(column).is_some()
}

/// Parses at most 19 digits, as all numbers of the FEC are. So many fit in 64 bits without a sign, so no step can overflow.
#[inline(always)]
fn digits_alone(column: &[u8]) -> Option<i64> {
    if column.is_empty() || column.len() > 19 {
        return None;
    }
    let (eights, others) = column.as_chunks::<8>();
    let mut number = 0;
    for eight in eights {
        let values = u64::from_le_bytes(*eight) ^ DIGITS;
        number = number * 100_000_000 + eight_digits(values)?.cast_unsigned();
    }
    for &byte in others {
        number = number * 10 + u64::from(digit(byte)?);
    }
    number.try_into().ok()
}

/// Parses one to eight digits, or a minus and digits, as nearly every amount is: the first `length` of `bytes`, whose
/// first one is lowest.
///
/// All digits are added up at once, in three multiplications: neighbours to pairs, pairs to fours, fours
/// to eight. No branch depends on the length or the sign, so that loops over many amounts need none.
#[inline(always)]
pub(crate) fn hundredths_of_eight(bytes: u64, length: u64) -> Option<i64> {
    let (values, is_negative) = values_of_eight(bytes, length);
    // A minus alone would be a zero.
    let has_digits = length > is_negative && length <= 8;
    let hundredths = eight_digits(values).filter(|_| has_digits)? * 100;
    Some(with_sign(hundredths, is_negative))
}

/// Parses such numbers with one or two decimals.
#[inline(always)]
pub(crate) fn hundredths_with_point(bytes: u64, length: u64) -> Option<i64> {
    const POINT: u64 = (b'.' ^ b'0') as u64;
    let (values, is_negative) = values_of_eight(bytes, length);
    let tenths = values >> 48 & 0xff == POINT;
    let hundredths = values >> 40 & 0xff == POINT;
    // The digits before the point move to those behind it.
    let decimals = if tenths { 0xff << 56 } else { 0xffff << 48 };
    let values = values & decimals | values << 8 & !decimals;
    let unit = if tenths { 10 } else { 1 };
    // An empty value would be the bytes behind it.
    let has_point = (tenths || hundredths) && (1..=8).contains(&length);
    let hundredths = eight_digits(values).filter(|_| has_point)? * unit;
    Some(with_sign(hundredths, is_negative))
}

const DIGITS: u64 = u64::from_ne_bytes([b'0'; 8]);

/// Returns the values of digits, the last of them highest, and whether a minus stands before them.
#[inline(always)]
fn values_of_eight(bytes: u64, length: u64) -> (u64, u64) {
    let in_front = 64_u64.wrapping_sub(8 * length) & 63;
    let is_negative = u64::from(bytes as u8 == b'-');
    let minus = is_negative * u64::from(b'-' ^ b'0');
    // The zeros that move in are digits.
    ((bytes ^ DIGITS ^ minus) << in_front, is_negative)
}

/// Returns the number of eight values of digits, if they all are.
///
/// One multiplication joins all pairs of digits, the next all pairs of pairs, as in
/// <https://kholdstare.github.io/technical/2020/05/26/faster-integer-parsing.html>.
#[inline(always)]
pub(super) fn eight_digits(values: u64) -> Option<i64> {
    // A byte above 9 reaches the high bit, or has it.
    let above = values.wrapping_add(0x7676_7676_7676_7676) | values;
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    let eight = fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff;
    (above & 0x8080_8080_8080_8080 == 0).then_some(eight.cast_signed())
}

#[inline(always)]
fn with_sign(number: i64, is_negative: u64) -> i64 {
    match is_negative {
        0 => number,
        _ => -number,
    }
}

fn digit(byte: u8) -> Option<u8> {
    byte.is_ascii_digit().then(|| byte - b'0')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of up to five of these bytes, and of more behind digits, are read as the slow way reads them, or not at all.
    #[test]
    fn eight_bytes_with_a_point_are_the_same_number() {
        let bytes = b"0159.-+ ";
        let mut texts = vec![Vec::new()];
        for _ in 0..5 {
            let longer = |text: &Vec<u8>| bytes.map(|byte| [&text[..], &[byte]].concat());
            texts = texts.iter().flat_map(longer).collect();
        }
        let mut read = 0;
        for behind in [b"|1.5|99.", b".5555555", b"12345.67", b"-12345.6"] {
            for text in &texts {
                for (front, length) in [
                    (&b""[..], 0),
                    (b"", 1),
                    (b"", 3),
                    (b"", 4),
                    (b"", 5),
                    (b"72", 6),
                    (b"361", 8),
                    (b"3612", 9),
                ] {
                    let mut cell = [front, text].concat();
                    cell.truncate(length);
                    let length = cell.len() as u64;
                    let expected = hundredths(&cell);
                    cell.extend_from_slice(behind);
                    let word = u64::from_le_bytes(*cell.first_chunk().unwrap());
                    let found = hundredths_with_point(word, length);
                    assert!(
                        found.is_none() || found.map(i128::from) == expected,
                        "{cell:?} {length}"
                    );
                    let found = found.or(hundredths_of_eight(word, length));
                    assert!(
                        found.is_none() || found.map(i128::from) == expected,
                        "{cell:?} {length}"
                    );
                    read += u64::from(found.is_some());
                }
            }
        }
        assert!(read > 1000, "{read}");
        for (text, expected) in [
            (b"-12.3|||", -1230),
            (b"1.25|123", 125),
            (b".5|12345", 50),
            (b"-99999.9", -9_999_990),
        ] {
            let length = text.iter().position(|&b| b == b'|').unwrap_or(8) as u64;
            assert_eq!(
                hundredths_with_point(u64::from_le_bytes(*text), length),
                Some(expected)
            );
        }
    }

    #[test]
    fn integers_are_those_that_rust_parses() {
        for text in [
            "4102220181000000000",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775808",
            "-9223372036854775809",
            "99999999999999999999999999",
            "000000000000000000000000000007",
            " 12\t",
            "+12",
            "-0",
            "",
            " ",
            "-",
            "+",
            "+-1",
            "1-",
            "1 2",
            "12a",
            "1.0",
            "٣",
        ] {
            let expected = text.trim_ascii().parse().ok();
            assert_eq!(integer(text.as_bytes()), expected, "{text}");
        }
        assert_eq!(integer(b"1\xff"), None);
        for length in 1..=25 {
            let digits = &b"9876543210987654321098765"[25 - length..];
            let all = [b'9', b'1', b'0'].map(|digit| vec![digit; length]);
            for text in [digits].into_iter().chain(all.iter().map(|all| &all[..])) {
                let expected = str::from_utf8(text).unwrap().parse().ok();
                assert_eq!(integer(text), expected, "{text:?}");
                for place in 0..length {
                    for byte in [b'/', b':', b'.', b'x', 0, 0xb0] {
                        let mut other = text.to_vec();
                        other[place] = byte;
                        assert_eq!(integer(&other), None, "{other:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_amount_of_two_decimals_is_read_as_its_integer() {
        for cents in -12_345..=12_345_i128 {
            let sign = if cents < 0 { "-" } else { "" };
            let (whole, rest) = (cents.abs() / 100, cents.abs() % 100);
            let mut texts = vec![format!("{sign}{whole}.{rest:02}")];
            texts.push(format!(
                "\t {sign}000000000000000000{whole}.{rest:02}\r\x0b"
            ));
            if rest % 10 == 0 {
                texts.push(format!("{sign}{whole}.{}", rest / 10));
            }
            if rest == 0 {
                texts.push(format!("{sign}{whole}"));
                texts.push(format!("{sign}{whole}."));
            }
            if cents >= 0 {
                texts.push(format!("+{whole}.{rest:02}"));
            }
            for text in texts {
                assert_eq!(hundredths(text.as_bytes()), Some(cents), "{text:?}");
            }
        }
    }

    /// Compares all strings of up to six bytes over the letters that matter with a regular
    /// expression.
    #[test]
    fn exactly_signed_decimals_are_amounts() {
        let decimal = regex::bytes::Regex::new(
            r"^[ \x0b]*([+-]?(?:[0-9]+(?:\.[0-9]{0,2})?|\.[0-9]{1,2}))[ \x0b]*$",
        );
        let decimal = decimal.unwrap();
        for length in 0..=6_u32 {
            for number in 0..7_u32.pow(length) {
                let text: Vec<u8> = (0..length)
                    .map(|i| b"07.-+ e"[(number / 7_u32.pow(i) % 7) as usize])
                    .collect();
                let expected = decimal.captures(&text).map(|found| {
                    let float: f64 = std::str::from_utf8(&found[1]).unwrap().parse().unwrap();
                    (float * 100.0).round() as i128
                });
                assert_eq!(hundredths(&text), expected, "{}", text.escape_ascii());
            }
        }
    }

    #[test]
    fn numbers_are_exact_up_to_128_bits() {
        for whole in [
            "9999999999999999",
            "10000000000000000",
            "4032020181234567890",
            "9223372036854775808",
            "1701411834604692317316873037158841057",
        ] {
            let expected = format!("{whole}27").parse().ok();
            assert_eq!(hundredths(format!("{whole}.27").as_bytes()), expected);
            assert_eq!(
                hundredths(format!("-{whole}.27").as_bytes()),
                expected.map(|n: i128| -n)
            );
        }
        assert_eq!(
            hundredths(b"1701411834604692317316873037158841057.28"),
            None
        );
        assert_eq!(hundredths(&[b'9'; 1000]), None);
    }
}
