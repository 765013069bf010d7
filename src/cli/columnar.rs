//! The formats of columns, and their options.

use clap::Args;
use fecscan::render::columnar::Compression;

use super::values::one_of;

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
        value_parser = one_of(vec![(vec!["snappy"], Compression::Snappy), (vec!["zstd"], Compression::Zstd)]),
        ignore_case = true,
        hide_possible_values = true
    )]
    pub(crate) compression: Option<Compression>,
}
