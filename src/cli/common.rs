//! The options that all commands have that read files.

use std::ffi::OsString;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use clap::{Args, ValueEnum, value_parser};

use super::values::{byte_count, threads};

/// What all commands have that read files.
#[derive(Args, Debug)]
pub struct Common {
    /// The files to read, as one sequence of lines: plain, gzip, zstd or zip; '-' or none is standard
    /// input
    #[arg(value_name = "FILE", value_parser = value_parser!(OsString))]
    pub files: Vec<OsString>,

    /// Write the result to this file, whole or not at all
    ///
    /// The result is written beside it and then renamed, so that nobody sees half of it. It can't
    /// be one of the inputs. To what is no file, such as a pipe or /dev/stdout, it is just written.
    ///
    /// Example: -o result.txt
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Work with N threads [default: the processors this process may use]
    ///
    /// Results are the same for every number.
    ///
    /// Example: -j 1
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,

    /// How to read files: auto, mmap or read
    ///
    /// auto maps files that are named, and reads standard input. What can't be mapped is read, and
    /// so is what is compressed.
    ///
    /// Example: --io read
    #[arg(
        long,
        value_name = "HOW",
        default_value = "auto",
        ignore_case = true,
        hide_possible_values = true
    )]
    pub io: Io,

    /// Use these processor instructions: auto, avx512, avx2 or portable [default: auto]
    ///
    /// auto takes the best that the processor has. Results are the same for all. The environment
    /// variable FECSCAN_SIMD says the same, if the option is not given.
    ///
    /// Example: --simd portable
    #[arg(
        long,
        value_name = "LEVEL",
        ignore_case = true,
        hide_possible_values = true
    )]
    pub simd: Option<Simd>,

    /// Of zip archives, read the members that match this pattern [default: .txt outside of folders]
    ///
    /// The pattern is held against whole names: * stands for any characters, those between folders
    /// too, ? for any one. The option can be given several times. By default, members in folders
    /// are left out because the FEC's hold the same rows again, sliced by date.
    ///
    /// Example: --member 'by_date/*' --member itcont.txt
    #[arg(long, value_name = "PATTERN", value_parser = value_parser!(OsString))]
    pub member: Vec<OsString>,

    /// Refuse a compressed file, or a member of an archive, that holds more bytes than this
    ///
    /// K, M, G and T are powers of 1024. Refused in any case is what comes to more than a GiB and to
    /// more than 200 times its compressed bytes (the FEC's files come to about 5), an archive of more
    /// than 100,000 members, and a zstd file with a window of more than 128 MiB.
    ///
    /// Example: --max-member-bytes 20G
    #[arg(long, value_name = "N[K|M|G|T]", default_value = "1T", value_parser = byte_count)]
    pub max_member_bytes: u64,

    /// Show no progress bar
    ///
    /// There is one on a terminal, when the work takes more than half a second.
    ///
    /// Example: --no-progress
    #[arg(long)]
    pub no_progress: bool,

    /// Afterwards, print one line on standard error: bytes, lines, seconds, GB/s, threads, io and
    /// simd as used
    ///
    /// Example: --stats
    #[arg(long)]
    pub stats: bool,

    /// The size of a task, in bytes. Results do not depend on it; tests try to prove otherwise.
    #[arg(long, value_name = "BYTES", hide = true)]
    pub task_size: Option<NonZeroU64>,
}

/// The ways to get at bytes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Io {
    Auto,
    Mmap,
    Read,
}

/// The SIMD levels.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Simd {
    Auto,
    Avx512,
    Avx2,
    Portable,
}
