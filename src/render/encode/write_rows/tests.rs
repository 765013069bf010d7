use super::*;
use crate::scan::simd::{Kernel, Simd};

struct WriteRow<'a>(Ends<'a>, usize, &'a [Literal], &'a Literal, &'a mut Vec<u8>);

impl Kernel for WriteRow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        self.0.write_row(level, self.1, self.2, self.3, self.4);
    }
}

struct WriteRows<'a> {
    ends: Ends<'a>,
    run: Run,
    template: &'a RowTemplate,
    until: usize,
    out: &'a mut Vec<u8>,
}

impl Kernel for WriteRows<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> usize {
        let (run, until) = (self.run, self.until);
        self.ends
            .write_rows(level, run, self.template, until, self.out)
    }
}

struct ColumnAt<'a>(Ends<'a>, usize, usize);

impl Kernel for ColumnAt<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Level>(self, level: L) -> usize {
        self.0.column_at(level, self.1, self.2)
    }
}

/// Returns a haystack with columns of these lengths after `before` bytes, and their ends.
fn columns(before: usize, lengths: &[usize], after: usize) -> (Vec<u8>, Vec<u32>) {
    let mut haystack = vec![b'<'; before];
    let mut ends = vec![(before as u32).wrapping_sub(1)];
    for (nth, &length) in lengths.iter().enumerate() {
        haystack.extend((0..length).map(|byte| b'A' + ((nth + byte) % 50) as u8));
        ends.push(haystack.len() as u32);
        haystack.push(b'|');
    }
    haystack.pop();
    haystack.resize(haystack.len() + after, b'>');
    (haystack, ends)
}

/// Returns a literal of this length.
fn literal(nth: usize, length: usize) -> Literal {
    let bytes = (0..length).map(|byte| b'a' + ((nth + byte) % 25) as u8);
    Literal::new(&bytes.collect::<Vec<_>>()).unwrap()
}

/// Columns outgrow half a window or a whole one in some lines only. Each byte ends the write_row once.
#[test]
fn lines_are_written_at_every_level() {
    for simd in Simd::available() {
        for (lengths, step) in [
            (&[9, 1, 20, 9, 1, 70, 9, 30, 20, 9, 0, 0, 9, 1, 20][..], 3),
            (&[0, 31, 5, 40, 0, 33, 0, 2, 200, 0, 0, 0, 1, 63, 9, 9], 4),
            (&[3; 30], 5),
        ] {
            for (before, after) in [(0, 0), (64, 64), (40, 64), (64, 30), (100, 100)] {
                let margins = before.min(after);
                let (haystack, ends) = columns(before, lengths, after);
                let ends = Ends::new(&haystack, &ends).unwrap();
                let all = lengths.len() / step;
                for width in 1..=step {
                    for until in 0..=haystack.len() {
                        let longest = [20, 31, 32, 63][until % 4];
                        let piece_of = |nth| literal(nth, longest - nth * 4);
                        let literals = (0..width).map(piece_of).collect();
                        let template = RowTemplate::new(literals, literal(9, until % 64));
                        let (mut expected, mut lines) = (b"before".to_vec(), 0);
                        let mut written = expected.clone();
                        while lines < all {
                            for (nth, literal) in template.literals().iter().enumerate() {
                                expected.extend_from_slice(literal.bytes());
                                let column = ends.column(lines * step + nth);
                                expected.extend_from_slice(&haystack[column]);
                            }
                            expected.extend_from_slice(template.after().bytes());
                            lines += 1;
                            if ends.column(lines * step - step + width - 1).end > until {
                                break;
                            }
                        }
                        let (mut count, mut calls) = (0, 0);
                        while count < lines {
                            count += simd.dispatch(WriteRows {
                                ends,
                                run: Run {
                                    first: count * step,
                                    count: all - count,
                                    step,
                                },
                                template: &template,
                                until,
                                out: &mut written,
                            });
                            calls += 1;
                        }
                        assert!(calls == 1 || margins < WINDOW_BYTES);
                        assert_eq!((count, &written), (lines, &expected), "{}", simd.name());
                    }
                }
            }
        }
    }
}

/// Columns and literals of all lengths around a window, with and without bytes around the columns.
#[test]
fn columns_of_all_lengths_are_written_at_every_level() {
    let lengths = [
        0, 1, 2, 16, 17, 30, 31, 32, 33, 61, 62, 63, 64, 65, 66, 127, 128, 129, 300,
    ];
    for simd in Simd::available() {
        for &length in &lengths {
            for piece_length in [0, 1, 3, 4, 7, 8, 15, 16, 20, 31, 32, 62, 63] {
                for (before, after) in [(0, 0), (0, 64), (63, 64), (64, 63), (64, 64), (200, 300)] {
                    let all = [length, 3, 0, length, 1, length];
                    let (haystack, ends) = columns(before, &all, after);
                    let ends = Ends::new(&haystack, &ends).unwrap();
                    let literal = |nth| literal(nth, piece_length);
                    for (first, count) in [(0, 6), (1, 4), (2, 3), (5, 1), (3, 0)] {
                        let literals: Vec<_> = (first..first + count).map(literal).collect();
                        let after = literal(7);
                        let mut expected = b"before".to_vec();
                        for (nth, literal) in literals.iter().enumerate() {
                            expected.extend_from_slice(literal.bytes());
                            expected.extend_from_slice(&haystack[ends.column(first + nth)]);
                        }
                        expected.extend_from_slice(after.bytes());
                        // Then with whole windows, where halves were not enough.
                        for _ in 0..2 {
                            let mut written = b"before".to_vec();
                            simd.dispatch(WriteRow(ends, first, &literals, &after, &mut written));
                            assert_eq!(written, expected, "{} {all:?} {piece_length}", simd.name());
                        }
                    }
                }
            }
        }
    }
}

/// Rows of a few columns and of many, with the end of the haystack near and far.
#[test]
fn a_byte_is_found_in_its_column_at_every_level() {
    for simd in Simd::available() {
        for lengths in [
            &[2, 0, 5][..],
            &[1; 40],
            &[3; 31],
            &[0, 70, 1, 1, 0, 300, 2],
        ] {
            for rows in [1, 2, 20] {
                let lengths = lengths.repeat(rows);
                let (haystack, ends) = columns(5, &lengths, 3);
                let ends = Ends::new(&haystack, &ends).unwrap();
                for first in 0..lengths.len() {
                    for column in first..lengths.len() {
                        for place in ends.column(column).step_by(29) {
                            let found = simd.dispatch(ColumnAt(ends, first, place));
                            assert_eq!(found, column - first, "{} {first}", simd.name());
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn ends_ascend_and_lie_inside() {
    let haystack = [b'x'; 10];
    let whole = [u32::MAX, 3, 4, 10];
    for good in [&whole[..2], &whole, &[u32::MAX, 0], &[2, 3, 10], &[9, 10]] {
        assert!(Ends::new(&haystack, good).is_some(), "{good:?}");
    }
    for bad in [
        &[][..],
        &[0],
        &[u32::MAX, 11],
        &[0, 3, 3],
        &[0, 4, 3],
        &[3, 3],
        &[5, 4, 9],
        &[1, 2, 3, 2, 9],
    ] {
        assert!(Ends::new(&haystack, bad).is_none(), "{bad:?}");
    }
}
