//! The program's answers against independent ones: a slow twin, an oracle, the documentation.

#[path = "../common/mod.rs"]
mod common;

mod arbitrary_bytes;
mod dialect;
mod documentation;
mod oracle;
mod rejects;
mod strict;
