//! The states that gave most in a month: `cargo run --release --example sentence itcont.txt`.

fn main() -> Result<(), fecscan::Error> {
    let top = fecscan::scan(std::env::args_os().skip(1))
        .filter("date_trunc('month', date) = '2018-01-01'")?
        .group_by("STATE")?
        .sum("amount")?
        .sort("sum(amount) DESC")
        .top(10)
        .run()?;
    for group in &top {
        println!("{group}");
    }
    Ok(())
}
