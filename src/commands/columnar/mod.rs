//! Results as files of columns: Parquet and Arrow, in programs that are built with them.

#[cfg(not(any(feature = "arrow", feature = "parquet")))]
mod absent;
#[cfg(any(feature = "arrow", feature = "parquet"))]
mod built;

use std::io::{IsTerminal, stdout};
use std::path::Path;

use fecscan::error::{Error, ErrorKind};
use fecscan::output::is_standard_output;

#[cfg(not(any(feature = "arrow", feature = "parquet")))]
pub(super) use self::absent::{Format, export, write_groups};
#[cfg(any(feature = "arrow", feature = "parquet"))]
pub(super) use self::built::{Format, export, write_groups};
use crate::cli::{Columnar, CompressionOption};

/// Returns the format to write, if `chosen` is one of columns.
///
/// # Errors
/// A usage error if this program is built without it, has no compression to choose for it, or would write it
/// to a terminal.
pub(super) fn format(
    chosen: Option<Columnar>,
    compression: CompressionOption,
    path: Option<&Path>,
) -> Result<Option<Format>, Error> {
    let format = match chosen {
        Some(Columnar::Parquet) => Some(Format::parquet(
            compression.compression.unwrap_or_default(),
        )?),
        Some(Columnar::Arrow) => Some(Format::arrow()?),
        None => None,
    };
    if chosen != Some(Columnar::Parquet) && compression.compression.is_some() {
        let what = "--compression is for Parquet, and the result has another format";
        return Err(Error::new(ErrorKind::Usage, what).advise("leave it out, or add -f parquet"));
    }
    if format.is_some() && path.is_none_or(is_standard_output) && stdout().is_terminal() {
        return Err(terminal_refused());
    }
    Ok(format)
}

/// Returns the error of a terminal as the output: a file of columns is no text.
pub(super) fn terminal_refused() -> Error {
    let what = "Parquet and Arrow are no text, and would upset the terminal";
    Error::new(ErrorKind::Usage, what)
        .advise("name a file with -o, or pipe the result to a program that reads it")
}

/// Returns the error of a format that this program is built without.
#[cfg(not(all(feature = "arrow", feature = "parquet")))]
fn missing<T>(format: &str, feature: &str) -> Result<T, Error> {
    let what = format!("this program is built without {format}");
    Err(Error::new(ErrorKind::Usage, what).advise(format!(
        "the wheel for Python has it (pip), or build it with: cargo build --release --features {feature}"
    )))
}
