//! Ranges, partials and merges, against one run over the whole file.

#[path = "../common/mod.rs"]
mod common;

mod command;
mod damage;
mod joined;
mod left;
mod peers;
mod ranges;
mod slices;
