//! Rows of any shape, at every level and in both ways of finding columns, against splitting.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::blocks::BLOCK_BYTES;
use super::simd::Simd;
use super::*;

impl Scan {
    /// Returns a scan of all rows of this many columns, with pipes between them.
    pub(crate) fn of(simd: Simd, need: Need, width: usize) -> Scan {
        Scan {
            simd,
            need,
            filter: None,
            width,
            delimiter: b'|',
            first_line: FirstLine::Row,
            refuses_quotes: false,
            refuses_day_first: false,
            are_bytes_of_file: true,
            input: Arc::default(),
        }
    }
}

/// Splits a line into its columns. A blank line has none.
fn split(line: &[u8]) -> Vec<&[u8]> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    match line {
        b"" => Vec::new(),
        line => line.split(|&b| b == b'|').collect(),
    }
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = text.strip_suffix(b"\n").unwrap_or(text);
    let all = (!text.is_empty()).then(|| end.split(|&b| b == b'\n'));
    all.into_iter().flatten()
}

/// What follows a text. It looks like more of it, but an unterminated line ends before.
static BEHIND: [[u8; 5]; 140] = [*b"z|y\n|"; 140];

/// Whether the tests may run in an emulator, which is much slower than a processor.
const MAY_BE_EMULATED: bool = cfg!(not(target_arch = "x86_64"));

/// A text in a haystack: bytes that look like more of it follow.
struct Table {
    haystack: Vec<u8>,
    length: usize,
    width: usize,
    /// The place of the text in its input.
    offset: u64,
}

impl Table {
    fn new(text: &[u8], width: usize) -> Table {
        Table {
            haystack: [text, BEHIND.as_flattened()].concat(),
            length: text.len(),
            width,
            offset: 0,
        }
    }

    /// Compares the `columns` of all rows with split lines.
    fn assert(&self, simd: Simd, columns: &[usize], scratch: &mut Scratch) {
        self.assert_need(simd, columns, Need::Rows(columns.to_vec()), scratch);
        if columns == Leading::COLUMNS {
            self.assert_pair(simd, scratch);
        }
    }

    /// Compares what a visitor sees of all rows with split lines.
    fn assert_pair(&self, simd: Simd, scratch: &mut Scratch) {
        let mut seen = Vec::new();
        let show = &mut |rows: &Rows<'_>| {
            rows.each_row(Leading(&mut seen));
            Ok(())
        };
        self.scan(simd, Need::Pair(Leading::COLUMNS), scratch, show);
        let lines = lines(&self.haystack[..self.length]).map(|line| {
            let split = split(line);
            Leading::COLUMNS.map(|column| split.get(column).map(|cell| cell.to_vec()))
        });
        assert_eq!(seen, lines.collect::<Vec<_>>(), "{}", simd.name());
    }

    fn scan(&self, simd: Simd, need: Need, scratch: &mut Scratch, show: &mut Show<'_>) -> Lines {
        let scan = Scan::of(simd, need, self.width);
        let chunk = Chunk {
            haystack: &self.haystack,
            range: 0..self.length,
            offset: self.offset,
        };
        scan.chunk(&chunk, scratch, show).unwrap()
    }

    fn assert_need(&self, simd: Simd, columns: &[usize], need: Need, scratch: &mut Scratch) {
        let text = &self.haystack[..self.length];
        let mut expected = lines(text).zip(0_u64..);
        let mut start = 0;
        let show = &mut |rows: &Rows<'_>| {
            for row in rows.iter() {
                let (line, number) = expected.next().expect("there are no more lines");
                let what = || format!("{} {columns:?} {}", simd.name(), line.escape_ascii());
                let split = split(line);
                assert_eq!(
                    row.line(),
                    line.strip_suffix(b"\r").unwrap_or(line),
                    "{}",
                    what()
                );
                assert_eq!(
                    (row.byte(), row.number_in_chunk()),
                    (self.offset + start, number)
                );
                for (nth, &column) in columns.iter().enumerate() {
                    let expected = split.get(column).copied();
                    assert_eq!(row.column(nth), expected, "{}", what());
                    assert_eq!(*row.cell(nth), *expected.unwrap_or_default(), "{}", what());
                }
                let mut cells = columns.iter().map(|&column| split.get(column).copied());
                row.each_cell(|cell| {
                    let expected = cells.next().expect("there are no more columns");
                    let expected = expected.unwrap_or_default();
                    assert_eq!(*cell, *expected, "{}", what());
                    assert_eq!(cell.first(), expected.first().copied(), "{}", what());
                });
                assert!(cells.next().is_none(), "{}", what());
                start += line.len() as u64 + 1;
            }
            Ok(())
        };
        let lines = self.scan(simd, need, scratch, show);
        let count = self::lines(text).count() as u64;
        let is_odd = |line: &&[u8]| !columns.is_empty() && split(line).len() != self.width;
        let odd = self::lines(text).filter(is_odd).count() as u64;
        assert_eq!(
            (lines.scanned, lines.matched, lines.odd),
            (count, count, odd),
            "{}",
            text.escape_ascii()
        );
        assert!(
            expected.next().is_none(),
            "a line is missing: {}",
            text.escape_ascii()
        );
    }
}

/// Sees the two leading columns.
struct Leading<'a>(&'a mut Vec<[Option<Vec<u8>>; 2]>);

impl RowVisitor for Leading<'_> {
    const COLUMNS: [usize; 2] = [0, 1];

    #[inline(always)]
    fn row<L: simd::Level>(&mut self, _: L, row: Cells<'_>) {
        self.odd_row(row);
    }

    fn odd_row(&mut self, row: Cells<'_>) {
        self.0
            .push([0, 1].map(|nth| row.column(nth).map(<[u8]>::to_vec)));
    }
}

/// Where codes lead, a search for a column reads little of each line. Where a name leads, it reads most lines byte by byte.
#[test]
fn columns_are_searched_for_in_lines_with_short_leading_columns() {
    let codes = b"C1|N|M4|P|2018|15|IND|ROE, JO|TOWN|CA|9|E|O|1|5||1|2|||3\n".repeat(100);
    let names = format!("C1|{}|T|S||TOWN|CA|9|P|H|DEM|Q|C|PIE|H0\n", "x".repeat(50)).repeat(100);
    for simd in Simd::available().filter(|simd| !simd.stores_at_once()) {
        for (width, columns, lines, is_searched) in [
            (21, &[9][..], &codes[..], true),
            (21, &[0, 7], &codes, true),
            (21, &[0, 7, 9], &codes, false),
            (15, &[9], names.as_bytes(), false),
            (15, &[0], names.as_bytes(), true),
            (15, &[9], b"", false),
        ] {
            let scan = Scan::of(simd, Need::Rows(columns.to_vec()), width);
            let (_, search) = scan.finding(columns, lines);
            assert_eq!(search.is_some(), is_searched, "{columns:?} of {width}");
        }
    }
}

/// Few columns, which some levels search for, and many, for which all levels tokenize.
const COLUMNS: [&[usize]; 4] = [
    &[0, 1],
    &[2, 0],
    &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    &[1, 0, 2],
];

#[test]
fn every_short_text_has_the_rows_of_splitting() {
    let levels: Vec<_> = Simd::available().collect();
    let longest = if MAY_BE_EMULATED { 8 } else { 9 };
    for length in 0..=longest {
        (0..5_u32.pow(length)).into_par_iter().for_each_init(
            Scratch::default,
            |scratch, number| {
                let letter = |place| b"a|\n\rb"[(number / 5_u32.pow(place) % 5) as usize];
                let text: Vec<u8> = (0..length).map(letter).collect();
                // Levels and columns take turns.
                for (turn, width) in (number as usize..).zip([1, 2, 3, 7]) {
                    let simd = levels[turn % levels.len()];
                    let columns = COLUMNS[turn / 4 % COLUMNS.len()];
                    Table::new(&text, width).assert(simd, columns, scratch);
                }
            },
        );
    }
}

/// A line of `width` columns, some of them empty.
fn row(width: usize, nth: usize) -> Vec<u8> {
    let column = |column: usize| vec![b'a' + column as u8; (nth * 7 + column * 5) % 13];
    (0..width).map(column).collect::<Vec<_>>().join(&b'|')
}

/// Lines that break a schema of this width, each in another way, with their ends.
fn odd_rows(width: usize) -> Vec<Vec<u8>> {
    let long = |bytes| [row(width - 1, 1), vec![b'x'; bytes]].join(&b'|');
    let with = |line: Vec<u8>, end: &[u8]| [&line[..], end].concat();
    vec![
        with(row(width - 1, 1), b"\n"),
        with(row(width + 1, 1), b"\n"),
        b"\n".to_vec(),
        b"\r\n".to_vec(),
        with(row(width, 1), b"\r\n"),
        with(vec![b'|'; 3 * width], b"\n"),
        // Two lines that have the delimiters of one row between them.
        [row(width / 2, 1), row(width - width / 2, 1), Vec::new()].join(&b'\n'),
        // Two lines that have the delimiters of two rows.
        [row(width - 2, 1), row(width + 2, 1), Vec::new()].join(&b'\n'),
        with(long(200), b"\n"),
        // Lines over several blocks.
        with(long(2 * BLOCK_BYTES), b"\n"),
        with(vec![b'|'; BLOCK_BYTES], b"\n"),
    ]
}

#[test]
fn odd_rows_at_every_offset_of_a_block_leave_the_others_alone() {
    const WIDTH: usize = 21;
    let levels: Vec<_> = Simd::available().collect();
    let all: Vec<usize> = (0..=WIDTH).collect();
    // An odd step, so that levels take turns.
    let step = if MAY_BE_EMULATED { 31 } else { 1 };
    let good: Vec<u8> = (0..40)
        .flat_map(|nth| [row(WIDTH, nth), vec![b'\n']].concat())
        .collect();
    for (kind, odd) in odd_rows(WIDTH).iter().enumerate() {
        (0..BLOCK_BYTES / step)
            .into_par_iter()
            .map(|nth| nth * step)
            .for_each_init(Scratch::default, |scratch, place| {
                let mut table = Table::new(&[&good[..], odd, &good].concat(), WIDTH);
                // The odd row begins at this place of a block.
                table.offset = (2 * BLOCK_BYTES + place - good.len()) as u64;
                let simd = levels[(place + kind) % levels.len()];
                let columns = if place % 5 == 0 { &[4, 7][..] } else { &all };
                table.assert(simd, columns, scratch);
            });
    }
}

/// Good rows and odd ones of every kind in any order, in lines without an end, too.
#[test]
fn tables_of_good_and_odd_rows_in_any_order() {
    let levels: Vec<_> = Simd::available().collect();
    (0..600_u64)
        .into_par_iter()
        .for_each_init(Scratch::default, |scratch, seed| {
            let mut state = seed;
            let mut below = |limit: usize| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as usize % limit
            };
            let width = [2, 3, 7, 15, 16, 21, 26][below(7)];
            let one_in = [1, 2, 10, 100, 1000][below(5)];
            let odd = odd_rows(width.max(3));
            let mut text = Vec::new();
            for nth in 0..below(1500) {
                match below(one_in) {
                    0 => text.extend_from_slice(&odd[below(odd.len() - 2)]),
                    _ => text.extend([row(width, nth), vec![b'\n']].concat()),
                }
            }
            text.truncate(text.len() - below(30).min(text.len()));
            let mut table = Table::new(&text, width);
            table.offset = below(3 * BLOCK_BYTES) as u64;
            let columns: Vec<usize> = (0..1 + below(width + 2))
                .map(|_| below(width + 2))
                .collect();
            table.assert(levels[below(levels.len())], &columns, scratch);
        });
}

/// The haystack ends where the readable memory does.
#[test]
#[cfg(unix)]
#[allow(unsafe_code)]
fn nothing_behind_the_haystack_is_read() {
    use rustix::mm::{MprotectFlags, mprotect};

    const BYTES: usize = 1 << 16;
    let mut memory = memmap2::MmapMut::map_anon(2 * BYTES).unwrap();
    for (nth, byte) in memory[..BYTES].iter_mut().enumerate() {
        *byte = b"ab|c|\n|d,e|f|"[nth % 13];
    }
    // SAFETY: the second half is memory of this mapping, and nothing reads it before it is unmapped.
    unsafe {
        mprotect(
            memory[BYTES..].as_mut_ptr().cast(),
            BYTES,
            MprotectFlags::empty(),
        )
    }
    .unwrap();
    let mut scratch = Scratch::default();
    for length in (0..700).chain([BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, BYTES]) {
        let haystack = &memory[BYTES - length..BYTES];
        for simd in Simd::available() {
            for columns in COLUMNS {
                let scan = Scan::of(simd, Need::Rows(columns.to_vec()), 9);
                let chunk = Chunk {
                    haystack,
                    range: 0..length,
                    offset: 0,
                };
                let mut bytes = 0;
                let show = &mut |rows: &Rows<'_>| {
                    for row in rows.iter() {
                        bytes += (0..columns.len())
                            .map(|nth| row.cell(nth).word().map_or(1, |w| w as usize % 2))
                            .sum::<usize>();
                    }
                    Ok(())
                };
                let lines = scan.chunk(&chunk, &mut scratch, show).unwrap();
                assert_eq!(lines.scanned, self::lines(haystack).count() as u64);
            }
        }
    }
}
