//! Parquet and Arrow, read back by their own crates and compared with the cells of each line.

mod cells;
mod command;
mod faults;
mod groups;
mod many;
mod readers;
mod reading;
mod sheets;
