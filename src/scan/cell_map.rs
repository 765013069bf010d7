//! Values by the bytes of a column, found by one look-up.

use std::collections::HashMap;

use ahash::RandomState;

use super::cell::Cell;

/// Values by texts.
///
/// One to sixteen bytes are compared as one number. The FEC's identifiers have nine.
#[derive(Debug)]
pub(super) struct CellMap<V> {
    short: HashMap<u128, V, RandomState>,
    long: HashMap<Box<[u8]>, V, RandomState>,
}

impl<V: Copy> CellMap<V> {
    pub(super) fn new<'a>(values: impl IntoIterator<Item = (&'a [u8], V)>) -> CellMap<V> {
        let mut map = CellMap {
            short: HashMap::default(),
            long: HashMap::default(),
        };
        for (text, value) in values {
            match Cell::from(text).wide_word() {
                Some(word) => _ = map.short.insert(word, value),
                None => _ = map.long.insert(text.into(), value),
            }
        }
        map
    }

    /// Returns the value of the text that `cell` is, if there is one.
    #[inline(always)]
    pub(super) fn get(&self, cell: Cell<'_>) -> Option<V> {
        match cell.wide_word() {
            Some(word) => self.short.get(&word).copied(),
            None => self.get_long(cell),
        }
    }

    /// Looks for texts that are long, empty, or begin with a zero.
    #[cold]
    #[inline(never)]
    fn get_long(&self, cell: Cell<'_>) -> Option<V> {
        self.long.get(cell.bytes()).copied()
    }
}
