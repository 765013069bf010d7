use super::*;
use crate::scan::simd::Simd;
use crate::scan::{Chunk, Scan, Scratch};

/// A month is not made up from bytes after an unterminated line.
#[test]
fn bytes_after_the_input_are_no_part_of_it() {
    let fold = ReportFold::new(ReportQuestion::default());
    for (line, months) in [("A|N|T|P|20181", 0), ("A|N|T|P|201812", 1)] {
        for behind in [0, 10, 2000] {
            let chunk = Chunk {
                haystack: &[line.as_bytes(), &vec![b'2'; behind]].concat(),
                range: 0..line.len(),
                offset: 0,
            };
            for simd in Simd::available() {
                let scan = Scan::of(simd, Need::Pair(columns(IMAGE_NUM)), 21);
                let mut partial = fold.partial();
                let fold = &mut |rows: &Rows<'_>| fold.rows(rows, &mut partial);
                scan.chunk(&chunk, &mut Scratch::default(), fold).unwrap();
                let found = partial.months.ascending().len();
                assert_eq!(found, months, "{line} {behind} {}", simd.name());
            }
        }
    }
}
