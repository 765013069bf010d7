//! Values as typed: numbers, sizes.

use std::num::{IntErrorKind, NonZeroUsize, ParseIntError};
use std::ops::Range;
use std::str::FromStr;

use crate::fec::schema::Schema;
use crate::fold::SampleSize;
use crate::generate::{CYCLES, SCHEMAS};
use crate::render::{Format, ResultKind};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Parses one of these names, each of a value. The first name of a value is shown.
pub(super) fn one_of<T: Copy + Send + Sync + 'static>(
    known: Vec<(Vec<&'static str>, T)>,
) -> impl TypedValueParser<Value = T> {
    let names = known.iter().map(|(names, _)| {
        let aliases = names[1..].iter().copied();
        PossibleValue::new(names[0]).aliases(aliases)
    });
    PossibleValuesParser::new(names.collect::<Vec<_>>()).map(move |typed: String| {
        let is_typed = |name: &&str| name.eq_ignore_ascii_case(&typed);
        let mut known = known.iter();
        let value = known.find(|(names, _)| names.iter().any(is_typed));
        value.expect("a known name").1
    })
}

pub(super) fn schema<const N: usize>(
    schemas: [Schema; N],
) -> impl TypedValueParser<Value = Schema> {
    one_of(schemas.map(|schema| (vec![schema.name()], schema)).to_vec())
}

/// Parses the name of what `generate` writes: a schema, or none for made text.
pub(super) fn generated() -> impl TypedValueParser<Value = Option<Schema>> {
    let schemas = SCHEMAS.map(|schema| (vec![schema.name()], Some(schema)));
    one_of([&schemas[..], &[(vec!["fake"], None)]].concat())
}

pub(super) fn format(kind: ResultKind) -> impl TypedValueParser<Value = Format> {
    let formats = Format::of(kind).into_iter();
    let known = formats.map(|format| (format.names().to_vec(), format));
    one_of(known.collect())
}

const TOO_LARGE: &str = "that is more than can be counted";

/// Parses a number, with or without blanks around it.
pub(super) fn number<N: FromStr<Err = ParseIntError>>(text: &str) -> Result<N, &'static str> {
    let is_below_zero = text
        .trim()
        .strip_prefix('-')
        .is_some_and(|digits| digits.parse::<u64>().is_ok());
    let why = if is_below_zero {
        "must be zero or more"
    } else {
        "a whole number is needed, without separators"
    };
    parsed(text, why)
}

pub(super) fn cycle(text: &str) -> Result<u16, &'static str> {
    let year = text.parse().ok();
    let is_cycle = |year: &u16| CYCLES.contains(year) && year.is_multiple_of(2);
    year.filter(is_cycle)
        .ok_or("a cycle is an even year from 1980 to 2098")
}

/// Parses the number of a line, or `none`.
pub(super) fn line_number(text: &str) -> Result<Option<u64>, &'static str> {
    let why = "a whole number is needed, without separators: the line, counted from zero, as in --name 0,432";
    if text.trim().eq_ignore_ascii_case("none") {
        Ok(None)
    } else {
        parsed(text, why).map(Some)
    }
}

pub(super) fn sample_size(text: &str) -> Result<SampleSize, &'static str> {
    let why =
        "a number of rows is needed, or a percentage above 0 and up to 100, as in --sample 0.1%";
    let Some(percent) = text.trim().strip_suffix('%') else {
        return parsed(text, why).map(SampleSize::Rows);
    };
    let percent: f64 = percent.trim().parse().map_err(|_| why)?;
    let size = SampleSize::of_percent(percent).filter(|_| percent > 0.0);
    size.ok_or(why)
}

pub(super) fn threads(text: &str) -> Result<NonZeroUsize, &'static str> {
    parsed(text, "a number from 1 on is needed")
}

fn parsed<N: FromStr<Err = ParseIntError>>(
    text: &str,
    why: &'static str,
) -> Result<N, &'static str> {
    text.trim().parse::<N>().map_err(|e| match e.kind() {
        IntErrorKind::PosOverflow => TOO_LARGE,
        _ => why,
    })
}

/// Parses a range of bytes, from START up to END, either of which may be missing.
pub(super) fn byte_range(text: &str) -> Result<Range<u64>, &'static str> {
    const NEEDED: &str =
        "START:END is needed, two numbers of bytes, either of which may be missing";
    let (start, end) = text.split_once(':').ok_or(NEEDED)?;
    let place = |text: &str, missing| match text.trim() {
        "" => Ok(missing),
        text => byte_count(text).map_err(|_| NEEDED),
    };
    let range = place(start, 0)?..place(end, u64::MAX)?;
    if range.start <= range.end {
        Ok(range)
    } else {
        Err("the range ends before it starts")
    }
}

/// Parses a number of bytes, with or without a unit.
pub(super) fn byte_count(text: &str) -> Result<u64, &'static str> {
    const NEEDED: &str = "a whole number is needed, and perhaps one of K, M, G, T";
    let unit = text.find(|c: char| !c.is_ascii_digit());
    let (number, unit) = text.split_at(unit.unwrap_or(text.len()));
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(NEEDED),
    };
    let number: u64 = number.parse().map_err(|_| NEEDED)?;
    number.checked_mul(1 << shift).ok_or(TOO_LARGE)
}
