//! The formats of each command's result, the default first.

use fecscan::render::Format;

pub(crate) const OF_REPORT: &[Format] = &[
    Format::Text,
    Format::Json,
    Format::Csv,
    Format::Tsv,
    Format::Markdown,
    Format::Html,
    Format::Svg,
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
    Format::Svg,
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
