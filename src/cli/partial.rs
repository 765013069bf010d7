//! The option of commands that can write a partial.

use std::path::PathBuf;

use clap::Args;

/// Whether to write a partial.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct PartialOption {
    /// Write what was made of the input to this file, for 'fecscan merge', instead of a result
    ///
    /// A partial says exactly which bytes of which files it covers. 'fecscan merge' makes one result of the partials of
    /// many runs, or refuses: no byte of a file is counted twice, and none is missing. Inputs must be named files. '-' is
    /// standard output. docs/scale.md has recipes.
    ///
    /// Example: --range 0:1G --partial first.part
    #[arg(long = "partial", value_name = "FILE", conflicts_with_all = ["output", "format"])]
    pub(crate) partial: Option<PathBuf>,
}
