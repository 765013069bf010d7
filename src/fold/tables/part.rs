//! The groups of one part, or all: what a question sees of a table.

use super::dense::{Dense, Hashed};
use super::digits::{DIGITS_MAX, Digits};
use super::direct::Direct;
use super::numbered::Numbered;
use super::state::State;
use super::words::Seed;
use crate::scan::Cell;

/// A key, as a table holds it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key<'a> {
    Bytes(&'a [u8]),
    Digits(Digits),
}

impl<'a> Key<'a> {
    /// Returns the bytes of the key, which may need this room.
    #[inline(always)]
    pub(crate) fn bytes(self, room: &'a mut [u8; DIGITS_MAX]) -> &'a [u8] {
        match self {
            Key::Bytes(bytes) => bytes,
            Key::Digits(digits) => digits.bytes(room),
        }
    }
}

/// The groups of a part: keys of digits, and others.
#[derive(Clone, Debug)]
pub(super) struct PartTable<T> {
    pub(super) texts: Dense<T>,
    pub(super) numbers: Numbered<T>,
}

impl<T> Default for PartTable<T> {
    fn default() -> PartTable<T> {
        PartTable {
            texts: Dense::default(),
            numbers: Numbered::default(),
        }
    }
}

impl<T: State> PartTable<T> {
    /// Removes all groups, and keeps their memory. Makes room for those of two numbers of rows: with digits, and without.
    pub(super) fn clear_for(&mut self, numbers: usize, texts: usize) {
        self.numbers.clear_for(numbers);
        self.texts.clear_for(texts);
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len() + self.numbers.groups().len()
    }

    /// Returns the state of a key. If it is one of digits, all of its rows must come this way.
    #[inline(always)]
    pub(super) fn of_text(&mut self, seed: &Seed, key: Cell<'_>) -> &mut T {
        self.texts.of(Hashed::new(seed, key))
    }
}

/// The groups of one part, or all groups.
pub(crate) struct Part<'a, T>(pub(super) Groups<'a, T>);

pub(super) enum Groups<'a, T> {
    Direct(&'a Direct<T>),
    Part(&'a PartTable<T>),
}

impl<T: State> Part<'_, T> {
    pub(crate) fn len(&self) -> usize {
        match self.0 {
            Groups::Direct(direct) => direct.len(),
            Groups::Part(table) => table.len(),
        }
    }

    /// Calls `see` with each key and its state.
    #[inline(always)]
    pub(crate) fn each_key(&self, mut see: impl FnMut(Key<'_>, &T)) {
        match self.0 {
            Groups::Direct(direct) => direct.each(|key, state| see(Key::Bytes(key), state)),
            Groups::Part(table) => {
                for (digits, state) in table.numbers.groups() {
                    see(Key::Digits(*digits), state);
                }
                table.texts.each(|key, state| see(Key::Bytes(key), state));
            }
        }
    }

    /// Calls `see` with the bytes of each key, and its state.
    pub(crate) fn each(&self, mut see: impl FnMut(&[u8], &T)) {
        let mut room = [0; DIGITS_MAX];
        self.each_key(|key, state| see(key.bytes(&mut room), state));
    }
}
