//! The slow definitions of the integration tests, and the readers of their results.

#![allow(dead_code)] // Each target uses its part.

#[path = "../../tests/common/archives.rs"]
pub mod archives;
#[path = "../../tests/common/by.rs"]
pub mod by;
#[path = "../../tests/common/condition.rs"]
pub mod condition;
#[path = "../../tests/common/export_twin.rs"]
pub mod export_twin;
#[path = "../../tests/common/forged.rs"]
pub mod forged;
#[path = "../../tests/common/forged_sql.rs"]
pub mod forged_sql;
#[path = "../../tests/common/function_twin.rs"]
pub mod function_twin;
#[path = "../../tests/common/joins.rs"]
pub mod joins;
#[path = "../../tests/common/memory_file.rs"]
pub mod memory_file;
#[path = "../../tests/common/partials.rs"]
pub mod partials;
#[path = "../../tests/columnar/reading.rs"]
pub mod reading;
#[path = "../../tests/common/run.rs"]
pub mod run;
#[path = "../../tests/common/split.rs"]
pub mod split;
#[path = "../../tests/common/twin.rs"]
pub mod twin;
