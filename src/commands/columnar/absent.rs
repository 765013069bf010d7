//! No formats of columns.

use fecscan::Engine;
use fecscan::error::Error;
use fecscan::fold::by::Grouped;
use fecscan::fold::export::ExportQuestion;
use fecscan::output::Output;

use super::super::export::Done;
use super::super::session::Session;
use super::missing;
use crate::cli::Compression;

/// A format that this program writes: there is none.
#[derive(Clone, Copy, Debug)]
pub(in crate::commands) enum Format {}

impl Format {
    pub(super) fn parquet(_: Compression) -> Result<Format, Error> {
        missing("Parquet", "parquet")
    }

    pub(super) fn arrow() -> Result<Format, Error> {
        missing("Arrow", "arrow")
    }
}

pub(in crate::commands) fn export(
    _: &Session,
    _: ExportQuestion,
    format: Format,
    _: Output,
) -> Done {
    match format {}
}

pub(in crate::commands) fn write_groups(
    _: &Engine,
    _: &Grouped,
    format: Format,
    _: Output,
) -> Result<(), Error> {
    match format {}
}
