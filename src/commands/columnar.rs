//! Results as files of columns.

use std::ffi::OsString;

use fecscan::engine::Engine;
use fecscan::error::{Error, escaped};
use fecscan::fold::by::Grouped;
use fecscan::output::Output;
use fecscan::render::Format;
use fecscan::render::columnar::{self, ColumnarFormat};

use super::{messages, outputs, usage};
use crate::cli::CompressionOption;

/// Returns the format of rows that come as columns; none for a `chosen` format of text.
///
/// # Errors
/// A usage error if the format has no compression to choose.
pub(super) fn of_rows(
    chosen: Format,
    option: CompressionOption,
) -> Result<Option<ColumnarFormat>, Error> {
    if chosen != Format::Parquet && option.compression.is_some() {
        let what = "--compression is for Parquet, and the result has another format";
        return Err(usage(what, "leave it out, or add -f parquet"));
    }
    let compression = option.compression.unwrap_or_default();
    Ok(ColumnarFormat::of_rows(chosen, compression))
}

/// Returns the format of groups that come as columns. Others are answers.
///
/// # Errors
/// As those of [`of_rows`].
pub(super) fn of_groups(
    chosen: Format,
    option: CompressionOption,
) -> Result<Option<ColumnarFormat>, Error> {
    let columns = of_rows(chosen, option)?;
    Ok(columns.filter(|_| !chosen.writes_answers()))
}

/// Writes groups to `output`. A broken pipe is no error.
pub(super) fn write_groups(
    engine: &Engine,
    grouped: &Grouped,
    format: ColumnarFormat,
    mut output: Output,
) -> Result<(), Error> {
    let metadata = metadata(grouped.files.iter().map(|file| &file.path));
    let written = columnar::write_groups(grouped, format, metadata, &mut output, engine.workers());
    let finished = written.and_then(|too_long| {
        let names = grouped.aggregate_names().iter().zip(too_long);
        for (name, count) in names.filter(|&(_, count)| count > 0) {
            let name = escaped(name.as_bytes());
            messages::note(&format_args!(
                "{name} has more than 38 digits in {count} groups, and is null there"
            ));
        }
        output.finish()
    });
    outputs::ignore_broken_pipe(finished)
}

/// Says where a file of columns comes from.
pub(super) fn metadata<'a>(paths: impl IntoIterator<Item = &'a OsString>) -> Vec<(String, String)> {
    let paths = paths
        .into_iter()
        .map(|path| escaped(path.as_encoded_bytes()).to_string());
    let sources = serde_json::to_string(&paths.collect::<Vec<_>>());
    let sources = sources.expect("texts are JSON");
    vec![("fecscan.sources".to_owned(), sources)]
}
