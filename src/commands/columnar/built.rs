//! The formats of columns that this program is built with.

use std::ffi::OsString;

use fecscan::Engine;
use fecscan::error::{Error, escaped};
use fecscan::fold::Fold;
use fecscan::fold::by::Grouped;
use fecscan::fold::export::{ColumnarFold, ExportQuestion};
use fecscan::output::Output;
#[cfg(feature = "parquet")]
use fecscan::render::columnar::Compression;
use fecscan::render::columnar::{self, ColumnarFormat};

use super::super::export::Done;
use super::super::session::{Session, notes_of};
use super::super::{messages, outputs};
use crate::cli;

/// A format that this program writes.
#[derive(Clone, Copy, Debug)]
pub(in crate::commands) struct Format(ColumnarFormat);

impl Format {
    #[cfg(feature = "parquet")]
    pub(super) fn parquet(compression: cli::Compression) -> Result<Format, Error> {
        let compression = match compression {
            cli::Compression::Snappy => Compression::Snappy,
            cli::Compression::Zstd => Compression::Zstd,
        };
        Ok(Format(ColumnarFormat::Parquet(compression)))
    }

    #[cfg(not(feature = "parquet"))]
    pub(super) fn parquet(_: cli::Compression) -> Result<Format, Error> {
        super::missing("Parquet", "parquet")
    }

    #[cfg(feature = "arrow")]
    pub(super) fn arrow() -> Result<Format, Error> {
        Ok(Format(ColumnarFormat::Arrow))
    }

    #[cfg(not(feature = "arrow"))]
    pub(super) fn arrow() -> Result<Format, Error> {
        super::missing("Arrow", "arrow")
    }
}

/// Writes rows to `output`.
pub(in crate::commands) fn export(
    session: &Session,
    question: ExportQuestion,
    Format(format): Format,
    mut output: Output,
) -> Done {
    let fold = ColumnarFold::new(question, format, &mut output)
        .with_partners(session.partners.clone())
        .with_metadata(metadata(&session.paths));
    let folded = session.fold(&fold, &[], notes_of, |_| ());
    let outcome = folded.outcome();
    let partial = folded.result.map(|result| result.partial);
    let partial = partial.unwrap_or_else(|| fold.partial());
    let exported = fold.finish(partial, &session.engine);
    Done {
        outcome,
        stats: folded.stats,
        written: exported.map(|exported| (output, exported)),
    }
}

/// Writes groups to `output`. A broken pipe is no error.
pub(in crate::commands) fn write_groups(
    engine: &Engine,
    grouped: &Grouped,
    Format(format): Format,
    mut output: Output,
) -> Result<(), Error> {
    let metadata = metadata(grouped.files.iter().map(|file| &file.path));
    let written = columnar::write_groups(grouped, format, metadata, &mut output, engine);
    let finished = written.and_then(|written| {
        let names = grouped.aggregate_names().iter();
        let unwritten = written
            .unreadable
            .iter()
            .skip(grouped.key_names().len() + 1);
        for (name, &count) in names.zip(unwritten).filter(|(_, count)| **count > 0) {
            let name = escaped(name.as_bytes());
            messages::print(&format_args!(
                "note: {name} has more than 38 digits in {count} groups, and is null there"
            ));
        }
        output.finish()
    });
    outputs::ignore_broken_pipe(finished)
}

/// Says where a file of columns comes from.
fn metadata<'a>(paths: impl IntoIterator<Item = &'a OsString>) -> Vec<(String, String)> {
    let paths = paths
        .into_iter()
        .map(|path| escaped(path.as_encoded_bytes()).to_string());
    let sources = serde_json::to_string(&paths.collect::<Vec<_>>());
    let sources = sources.expect("texts are JSON");
    vec![("fecscan.sources".to_owned(), sources)]
}
