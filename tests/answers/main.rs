//! The program's answers against independent ones: a slow twin, an oracle, `wc -l`, the
//! documentation.

#[path = "../common/mod.rs"]
mod common;

mod arbitrary_bytes;
mod by;

mod chunks;
mod columns;
mod count;
mod dialect;
mod documentation;
mod export;
mod filter;
mod joins;
mod oracle;
mod queries;
mod rejects;
mod report;
mod schemas;
mod strict;
