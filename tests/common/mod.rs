//! What the tests share: the slow twin, and ways to run the library on bytes.

pub mod accept;
pub mod archives;
pub mod by;
pub mod chunks;
pub mod condition;
pub mod export_twin;
pub mod forged;
pub mod forged_sql;
pub mod function_twin;
pub mod join_questions;
pub mod joins;
pub mod memory_file;
pub mod needs;
pub mod oracle;
pub mod partials;
pub mod program;
pub mod run;
pub mod small_joins;
pub mod split;
pub mod tables;
pub mod transcript;
pub mod twin;
