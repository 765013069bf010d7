//! Large gifts, row by row: `cargo run --release --example rows itcont.txt`.

fn main() -> Result<(), fecscan::Error> {
    let large = fecscan::scan(std::env::args_os().skip(1)).filter("amount >= 100000")?;
    for row in large.rows(["NAME", "strftime(date, '%Y-%m-%d')", "amount"])? {
        let row = row?;
        println!("{} gave {} on {}", row.text(0), row.text(2), row.text(1));
    }
    Ok(())
}
