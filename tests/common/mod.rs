//! What the tests share: the slow twin, and ways to run the library on bytes.

#![allow(dead_code)] // Each test file uses its part.

pub mod archives;
pub mod condition;
pub mod export_twin;
pub mod group_twin;
pub mod joins;
pub mod memory_file;
pub mod program;
pub mod run;
pub mod split;
pub mod twin;
