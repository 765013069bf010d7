//! Ranges, partials and merges, against one run over the whole file.

mod command;
mod damage;
mod document;
mod joined;
mod left;
mod peers;
mod ranges;
mod slices;
mod sql;
