//! The checksum of what a member holds, computed by those who scan it.

use std::collections::BTreeMap;

use flate2::Crc;

use super::is_damaged;
use crate::error::Error;

/// The CRC-32 of a sequence of bytes, put together from those of its pieces, which come in any
/// order.
///
/// To compute it takes 3 % of the time of inflating. That is time of whoever inflates, and nobody
/// can inflate meanwhile; so it is left to whoever scans.
#[derive(Debug)]
pub struct Checksum {
    expected: u32,
    /// Where the sequence ends, once that is known.
    end: Option<u64>,
    /// The checksum of the pieces from the first on without a gap, and where they end.
    begun: (Crc, u64),
    /// Pieces that lie farther behind: where each begins, its checksum, and where it ends.
    behind: BTreeMap<u64, (Crc, u64)>,
}

impl Checksum {
    /// Of a sequence whose checksum should be `expected`.
    pub fn new(expected: u32) -> Checksum {
        Checksum {
            expected,
            end: None,
            begun: (Crc::new(), 0),
            behind: BTreeMap::new(),
        }
    }

    /// The checksum of `piece` alone.
    pub fn of(piece: &[u8]) -> Crc {
        let mut crc = Crc::new();
        crc.update(piece);
        crc
    }

    /// Adds a piece of so many `bytes` from `start` on.
    ///
    /// # Errors
    /// If it was the last that was missing, and the checksum is not the one that was expected.
    pub fn add(&mut self, start: u64, bytes: usize, crc: Crc) -> Result<(), Error> {
        self.behind.insert(start, (crc, start + bytes as u64));
        let (begun, front) = &mut self.begun;
        while let Some((crc, end)) = self.behind.remove(front) {
            begun.combine(&crc);
            *front = end;
        }
        self.check()
    }

    /// Takes note that the sequence ends at `end`.
    ///
    /// # Errors
    /// Those of [`Checksum::add`].
    pub fn ends_at(&mut self, end: u64) -> Result<(), Error> {
        self.end = Some(end);
        self.check()
    }

    fn check(&self) -> Result<(), Error> {
        let (begun, front) = &self.begun;
        if self.end == Some(*front) && begun.sum() != self.expected {
            return Err(
                is_damaged("its bytes do not have the checksum that the directory says")
                    .at_byte(*front),
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"nine bytes of one text, and more";

    /// Adds the pieces of a text that end at `ends`, and its end, in the order of `turns`, in which
    /// the end is the number of pieces. What came of each turn.
    fn added(expected: u32, ends: &[usize], turns: &[usize]) -> Vec<bool> {
        let mut checksum = Checksum::new(expected);
        let mut turn = |nth: usize| match ends.get(nth) {
            None => checksum.ends_at(TEXT.len() as u64),
            Some(&end) => {
                let start = nth.checked_sub(1).map_or(0, |before| ends[before]);
                let piece = &TEXT[start..end];
                checksum.add(start as u64, piece.len(), Checksum::of(piece))
            }
        };
        turns.iter().map(|&nth| turn(nth).is_ok()).collect()
    }

    #[test]
    fn pieces_make_one_checksum_in_whatever_order_they_come() {
        let ends = [9, 14, TEXT.len()];
        let expected = Checksum::of(TEXT).sum();
        for turns in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
            assert_eq!(added(expected, &ends, &turns), [true; 4], "{turns:?}");
            let wrong = added(expected ^ 1, &ends, &turns);
            assert_eq!(wrong, [true, true, true, false], "{turns:?}");
        }
    }

    #[test]
    fn nothing_has_a_checksum_too() {
        assert!(Checksum::new(0).ends_at(0).is_ok());
        assert!(Checksum::new(1).ends_at(0).is_err());
    }
}
