//! Parquet and Arrow, read back by their own crates and compared with the cells of each line.

#[path = "../common/mod.rs"]
mod common;

mod cells;
mod command;
mod faults;
mod groups;
mod many;
mod reading;
