//! The options of several commands on their results.

use std::path::PathBuf;

use crate::render::columnar::Compression;
use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};

use super::values::one_of;

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct NoteOption {
    /// Print no notes on standard error
    ///
    /// Errors stay, and so do lines that other options ask for. Example: --quiet
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct OutputOption {
    /// Write the result to this file, whole or not at all
    ///
    /// An extension such as .json chooses the format, if the command has formats and none is named. No file is written if an input could not be
    /// read whole. Pipes, devices and /dev/stdout are written to directly. Example: -o result.txt
    #[arg(id = "output", short, long = "output", value_name = "FILE")]
    pub(crate) path: Option<PathBuf>,
}

// The same for commands that have neither inputs nor formats. A doc comment would become the help of each command.
#[derive(Args, Debug)]
pub(crate) struct NewFileOption {
    /// Write the result to this file, whole or not at all
    ///
    /// The result is written beside it and then renamed, so half of it is never seen. Pipes, devices and /dev/stdout are written to directly.
    /// Example: -o result.txt
    #[arg(id = "output", short, long = "output", value_name = "FILE")]
    pub(crate) path: Option<PathBuf>,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct StatementOption {
    /// Print the statement of SQL that the options are short for, and read no rows
    ///
    /// 'fecscan sql' answers it, and so does DuckDB, with the views that 'fecscan columns' prints. The names of its columns may differ.
    ///
    /// Example: --show-sql
    #[arg(long)]
    pub(crate) show_sql: bool,
}

#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct CompressionOption {
    /// Compress Parquet with snappy or zstd [default: snappy]
    ///
    /// zstd makes a smaller file, and takes longer. Example: --compression zstd
    #[arg(
        long = "compression",
        value_name = "snappy|zstd",
        value_parser = one_of(vec![(vec!["snappy"], Compression::Snappy), (vec!["zstd"], Compression::Zstd)])
    )]
    pub(crate) compression: Option<Compression>,
}

#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct ColorOption {
    /// Draw colour and bars in the text: auto, always or never [default: auto]
    ///
    /// auto draws both on a terminal. never, or the environment variable NO_COLOR, leaves the bars there. Example: --color never
    #[arg(
        long = "color",
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true
    )]
    pub(crate) when: Color,
}

#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LookOptions {
    #[command(flatten)]
    pub(crate) color: ColorOption,

    /// Put this title on the page or the chart
    ///
    /// Without it, the title says what is shown. Example: -o months.svg --title "Gifts from Ohio"
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) title: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Args, Debug)]
pub(crate) struct PartialOption {
    /// Write what was made of the input to this file, for 'fecscan merge', instead of a result
    ///
    /// No byte is counted twice there, and none is missing. '-' is standard output. Example: --range 0:1G --partial first.part
    #[arg(long = "partial", value_name = "FILE", conflicts_with_all = ["output", "format"])]
    pub(crate) partial: Option<PathBuf>,
}
