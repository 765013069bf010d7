//! Sums TRANSACTION_AMT by STATE: `cargo run --release --example sums_by_state itcont.txt`.
#![allow(unsafe_code)]

use fecscan::input::{Input, Io};
use fecscan::{Engine, Error, Groups, Row, Sum, by_row};

fn main() -> Result<(), Error> {
    let columns = ["STATE", "TRANSACTION_AMT"];
    let add =
        |states: &mut Groups<Sum>, row: Row<'_>| states.get_or_insert(row.cell(0)).add(row.cell(1));
    let by_state = by_row(columns, Groups::default, add, Groups::merge);
    let engine = Engine::default();
    let mut run = engine.run(&by_state);
    for path in std::env::args_os().skip(1) {
        // SAFETY: nothing writes to the file meanwhile.
        run.input(Input::open(&path, unsafe { Io::auto() })?)?;
    }
    for (state, sum) in run.finish().partial.ascending() {
        println!(
            "{} {} rows, {} dollars",
            state.escape_ascii(),
            sum.rows,
            sum.sum()
        );
    }
    Ok(())
}
