//! Counts rows by STATE: `cargo run --release --example rows_by_state itcont.txt`.

use fecscan::{Counts, Engine, Error, by_row};

fn main() -> Result<(), Error> {
    let by_state = by_row(["STATE"], Counts::default, count_state, Counts::merge);
    let mut result = Engine::default().scan(&by_state, std::env::args_os().skip(1))?;
    for (state, rows) in result.partial.most_common(60).into_vec() {
        println!("{rows:>9} {}", String::from_utf8_lossy(&state));
    }
    Ok(())
}

fn count_state(states: &mut Counts, row: fecscan::Row<'_>) {
    states.add(row.column(0).unwrap_or_default(), 1);
}
