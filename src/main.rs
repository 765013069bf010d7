//! The process of the program: what it sets up before the library's [`fecscan::program`] runs.

mod startup;

use std::process::ExitCode;

fn main() -> ExitCode {
    startup::end_at_panics();
    fecscan::program::main(startup::closed())
}
