//! The formats of each command's result, the default first.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use fecscan::render::Format;

pub(crate) const OF_REPORT: &[Format] = &[
    Format::Text,
    Format::Json,
    Format::Csv,
    Format::Tsv,
    Format::Markdown,
    Format::Html,
    Format::Challenge,
];

pub(crate) const OF_COUNT: &[Format] = &[
    Format::Text,
    Format::Json,
    Format::Csv,
    Format::Tsv,
    Format::Markdown,
];

pub(crate) const OF_GROUPS: &[Format] = &[
    Format::Text,
    Format::Json,
    Format::Ndjson,
    Format::Csv,
    Format::Tsv,
    Format::Markdown,
    Format::Html,
    Format::Parquet,
    Format::Arrow,
];

pub(crate) const OF_ROWS: &[Format] = &[
    Format::Ndjson,
    Format::Json,
    Format::Csv,
    Format::Tsv,
    Format::Text,
    Format::Parquet,
    Format::Arrow,
];

pub(crate) const OF_LISTS: &[Format] = &[
    Format::Text,
    Format::Json,
    Format::Ndjson,
    Format::Csv,
    Format::Tsv,
    Format::Markdown,
];

/// Parses the name of one of these formats.
pub(super) fn one_of(formats: &'static [Format]) -> impl TypedValueParser<Value = Format> {
    let values = formats.iter().map(|format| {
        let others = format.names().iter().skip(1);
        others.fold(PossibleValue::new(format.name()), |value, other| {
            value.alias(*other)
        })
    });
    let named = |name: String| Format::named(&name).expect("the name of a format");
    PossibleValuesParser::new(values).map(named)
}
