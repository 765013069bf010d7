//! All tests of the library and the program, in one binary. `cargo test --test all faults::` runs one folder.

mod answers;
mod cli;
mod columnar;
mod common;
mod compressed;
mod faults;
mod generate;
mod partials;
