use super::*;
use crate::input::{Input, Io};
use crate::scan::simd::{Kernel, Simd};

/// Folds a chunk into a fresh partial.
struct FoldChunk<'a>(&'a Chunk<'a>, Partial);

impl Kernel for FoldChunk<'_> {
    type Output = Partial;

    #[inline(always)]
    fn run<L: Level>(mut self, level: L) -> Partial {
        let fold = ReportFold::new(Question::default());
        fold.chunk(level, self.0, &mut Scratch::default(), &mut self.1);
        self.1
    }
}

/// A month is not made up from what happens to stand behind an unterminated line.
#[test]
fn what_stands_behind_the_input_is_no_part_of_it() {
    let fold = ReportFold::new(Question::default());
    let mut input = Input::open("/dev/null".as_ref(), Io::read()).unwrap();
    let part = input.next_part().unwrap();
    for (line, months) in [("A|N|T|P|20181", 0), ("A|N|T|P|201812", 1)] {
        for behind in [0, 10, 2000] {
            let chunk = Chunk {
                haystack: &[line.as_bytes(), &vec![b'2'; behind]].concat(),
                range: 0..line.len(),
                offset: 0,
            };
            for simd in Simd::available() {
                let partial = simd.dispatch(FoldChunk(&chunk, fold.partial(&part)));
                let found = partial.months.ascending().len();
                assert_eq!(found, months, "{line} {behind} {}", simd.name());
            }
        }
    }
}
