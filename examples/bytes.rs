//! Bytes in memory: `cargo run --example bytes`.

fn main() -> Result<(), fecscan::Error> {
    let links =
        b"H0AL01048|2018|2018|C00990012|H|P|185121\nS8WA00194|2018|2018|C00990014|S|P|185123\n";
    let links = fecscan::scan_bytes(links).schema(fecscan::Schema::Ccl);
    for candidate in &links.group_by("CAND_ID")?.run()? {
        println!("{candidate}");
    }
    Ok(())
}
