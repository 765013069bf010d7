//! The least and the greatest value of a column, by which readers skip row groups.

use parquet::data_type::ByteArray;
use parquet::file::statistics::{Statistics, ValueStatistics};

use super::dictionary::head;
use crate::scan::Cell;

/// No bound has more bytes. Longer values are cut, and the bound of what is greater is made greater.
const BOUND_BYTES: usize = 64;

/// The least and the greatest of some texts.
#[derive(Default)]
pub(super) struct TextRange {
    bounds: Option<(Vec<u8>, Vec<u8>)>,
    /// The first bytes of both, as numbers that compare as the texts do.
    heads: (u128, u128),
}

impl TextRange {
    #[inline(always)]
    pub(super) fn add(&mut self, cell: Cell<'_>) {
        let head = head(cell).swap_bytes();
        if head <= self.heads.0 || head >= self.heads.1 {
            self.widen(head, &cell);
        }
    }

    #[inline(never)]
    fn widen(&mut self, head: u128, text: &[u8]) {
        let Some((least, greatest)) = &mut self.bounds else {
            self.bounds = Some((text.to_vec(), text.to_vec()));
            self.heads = (head, head);
            return;
        };
        if text < &least[..] {
            least.clear();
            least.extend_from_slice(text);
            self.heads.0 = head;
        }
        if text > &greatest[..] {
            greatest.clear();
            greatest.extend_from_slice(text);
            self.heads.1 = head;
        }
    }

    /// Returns the statistics of a chunk in which so many rows have no value, and forgets them.
    pub(super) fn take(&mut self, nulls: u64) -> Statistics {
        let (least, greatest) = std::mem::take(self).bounds.unzip();
        let (least, least_is_exact) = least.map_or((None, true), lower_bound);
        let (greatest, greatest_is_exact) = greatest.map_or((None, true), upper_bound);
        let statistics = ValueStatistics::new(least, greatest, None, Some(nulls), false);
        Statistics::ByteArray(
            statistics
                .with_min_is_exact(least_is_exact)
                .with_max_is_exact(greatest_is_exact),
        )
    }
}

/// Returns a short text that is no greater, and whether it is the same.
fn lower_bound(text: Vec<u8>) -> (Option<ByteArray>, bool) {
    if text.len() <= BOUND_BYTES {
        return (Some(text.into()), true);
    }
    (Some(text[..cut(&text)].to_vec().into()), false)
}

/// Returns a short text that is no less, if there is one, and whether it is the same.
fn upper_bound(mut text: Vec<u8>) -> (Option<ByteArray>, bool) {
    if text.len() <= BOUND_BYTES {
        return (Some(text.into()), true);
    }
    text.truncate(cut(&text));
    // The next ASCII character after the last one that has a next.
    while let Some(last) = text.pop() {
        if last < 0x7e {
            text.push(last + 1);
            return (Some(text.into()), false);
        }
    }
    (None, false)
}

/// Returns where UTF-8 can be cut.
fn cut(text: &[u8]) -> usize {
    let begins = |&at: &usize| text[at] & 0xc0 != 0x80;
    (0..=BOUND_BYTES).rev().find(begins).unwrap_or_default()
}
