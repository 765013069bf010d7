//! Columns by splitting lines, and the same as a level of the scanner finds them.

use fecscan::scan::columns::Span;
use fecscan::scan::simd::{Kernel, Level, Simd};
use fecscan::scan::{Chunk, HEAD_BYTES, Record, Scratch, Visitor, records};

use super::twin;

/// For each line, the columns that were asked for; none for one that it does not have.
pub type Lines<const N: usize> = Vec<[Option<Vec<u8>>; N]>;

/// The `columns` of all lines, counted from zero, by splitting.
pub fn by_splitting<const N: usize>(bytes: &[u8], columns: [usize; N]) -> Lines<N> {
    let split = |line: &[u8]| {
        let all = twin::columns(line);
        columns.map(|column| all.get(column).map(|found| found.to_vec()))
    };
    twin::lines_of(bytes).into_iter().map(split).collect()
}

/// The same by the scanner, at the level of `simd`: whether nothing stands behind the lines, or
/// bytes that are none of theirs, which let the last lines be near.
pub fn by_scanning<const N: usize>(simd: Simd, bytes: &[u8], columns: [usize; N]) -> Lines<N> {
    let scan = |haystack: &[u8]| {
        let chunk = Chunk {
            haystack,
            range: 0..bytes.len(),
            offset: 0,
        };
        simd.dispatch(Collect { chunk, columns })
    };
    let alone = scan(bytes);
    for behind in [&b"123456"[..], b"|", b"\n"] {
        let behind = behind.repeat(HEAD_BYTES.div_ceil(behind.len()));
        assert_eq!(scan(&[bytes, &behind].concat()), alone);
    }
    alone
}

struct Collect<'a, const N: usize> {
    chunk: Chunk<'a>,
    columns: [usize; N],
}

struct Collected<const N: usize>(Lines<N>);

impl<const N: usize> Visitor<[Span; N]> for Collected<N> {
    #[inline(always)]
    fn record<L: Level>(&mut self, _: L, record: Record<'_, [Span; N]>) {
        self.0.push(std::array::from_fn(|nth| {
            record.column(nth).map(<[u8]>::to_vec)
        }));
    }
}

impl<const N: usize> Kernel for Collect<'_, N> {
    type Output = Lines<N>;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> Lines<N> {
        let mut collected = Collected(Vec::new());
        let lines = records(
            level,
            &self.chunk,
            &self.columns,
            &mut Scratch::default(),
            &mut collected,
        );
        assert_eq!(lines, collected.0.len() as u64);
        collected.0
    }
}
