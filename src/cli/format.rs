//! The formats of each command's result, the default first.

use fecscan::render::Format::{self, *};

pub(crate) const OF_REPORT: &[Format] =
    &[Text, Json, Csv, Tsv, Markdown, Html, Svg, Challenge, Xlsx];

pub(crate) const OF_COUNT: &[Format] = &[Text, Json, Csv, Tsv, Markdown, Xlsx];

pub(crate) const OF_GROUPS: &[Format] = &[
    Text, Json, Ndjson, Csv, Tsv, Markdown, Html, Svg, Parquet, Arrow, Xlsx,
];

pub(crate) const OF_ROWS: &[Format] = &[Ndjson, Json, Csv, Tsv, Text, Parquet, Arrow, Xlsx];

pub(crate) const OF_LISTS: &[Format] = &[Text, Json, Ndjson, Csv, Tsv, Markdown, Xlsx];

/// Text and Markdown have counts, and the others rows.
pub(crate) const OF_DIFF: &[Format] =
    &[Text, Json, Ndjson, Csv, Tsv, Markdown, Parquet, Arrow, Xlsx];
