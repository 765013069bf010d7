//! The options of `merge`.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use super::output::{CompressionOption, LookOptions, OutputOption};
use super::values::threads;

#[derive(Args, Debug)]
pub(crate) struct MergeArgs {
    /// Files that were written with --partial; '-' is standard input
    #[arg(value_name = "PARTIAL", required = true)]
    pub(crate) partials: Vec<OsString>,

    /// Merge although bytes of a file are in no partial
    ///
    /// A note lists each gap. Lines there are neither counted nor numbered, so names at given lines are those of other
    /// lines than in the whole file.
    ///
    /// Example: --allow-gaps
    #[arg(long)]
    pub(crate) allow_gaps: bool,

    #[command(flatten)]
    pub(crate) output: OutputOption,

    /// Print in this format [default: by the extension of -o, else text]
    ///
    /// Any format of the command that wrote the partials: 'fecscan by --help' and others list them.
    ///
    /// The result is that of one run over all inputs, byte by byte, in every format; but a page (html) shows its own command
    /// line.
    ///
    /// Example: -f json
    #[arg(short, long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,

    #[command(flatten)]
    pub(crate) compression: CompressionOption,

    #[command(flatten)]
    pub(crate) look: LookOptions,

    /// Write one partial that stands for these, to be merged with others
    ///
    /// What is missing may come later: gaps are no error here.
    ///
    /// Example: --partial joined.part
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "format", "allow_gaps"])]
    pub(crate) partial: Option<PathBuf>,

    /// Work with N threads [default: the processors this process may use]
    ///
    /// Example: -j 1
    #[arg(short = 'j', long, value_name = "N", allow_negative_numbers = true, value_parser = threads)]
    pub(crate) threads: Option<NonZeroUsize>,
}
