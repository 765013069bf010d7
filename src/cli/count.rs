//! The options of `count`.

use clap::Args;

use super::common::Common;

/// The options of `count`.
#[derive(Args, Debug)]
pub struct CountArgs {
    /// What all commands have that read files.
    #[command(flatten)]
    pub common: Common,
}
