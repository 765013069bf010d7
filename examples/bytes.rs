//! Bytes in memory: `cargo run --example bytes`.

use fecscan::Schema;

const LINKS: &[u8] = b"\
H0AL01048|2018|2018|C00990012|H|P|185121
H0AL01048|2018|2018|C00990013|H|A|185122
S8WA00194|2018|2018|C00990014|S|P|185123
";

fn main() -> Result<(), fecscan::Error> {
    let links = fecscan::scan_bytes(LINKS).schema(Schema::Ccl);
    let by_candidate = links.group_by("CAND_ID")?.distinct("CMTE_ID")?.run()?;
    for candidate in &by_candidate {
        println!("{candidate}");
    }
    assert_eq!(by_candidate.len(), 2);
    Ok(())
}
