//! Sums TRANSACTION_AMT by STATE, with closures: `cargo run --release --example sums_by_state itcont.txt`.

use fecscan::{Error, Groups, Row, Sum, by_row};

fn main() -> Result<(), Error> {
    let columns = ["STATE", "TRANSACTION_AMT"];
    let by_state = by_row(columns, Groups::default, add, Groups::merge);
    let states = fecscan::scan(std::env::args_os().skip(1)).fold(by_state)?;
    for (state, sum) in states.ascending() {
        let state = state.escape_ascii();
        println!("{state} {} rows, {} dollars", sum.rows, sum.sum());
    }
    Ok(())
}

fn add(states: &mut Groups<Sum>, row: Row<'_>) {
    states.get_or_insert(row.cell(0)).add(row.cell(1));
}
