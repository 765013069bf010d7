//! The formats of columns, and their options.

use clap::{Args, ValueEnum};

/// How files of columns are compressed.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct CompressionOption {
    /// Compress Parquet with snappy or zstd [default: snappy]
    ///
    /// zstd makes a smaller file, and takes longer.
    ///
    /// Example: --compression zstd
    #[arg(
        long = "compression",
        value_name = "snappy|zstd",
        ignore_case = true,
        hide_possible_values = true
    )]
    pub(crate) compression: Option<Compression>,
}

/// The ways to compress.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum Compression {
    #[default]
    Snappy,
    Zstd,
}
