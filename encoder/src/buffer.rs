//! Bytes of rows, appended by copies of a fixed size.

use std::mem;

use crate::value::{DIGITS, digits};
use crate::{DECIMALS_MAX, Escape, Text, Value, WINDOW_BYTES, Window, push_string};

/// How much memory is cleared at a time, for copies of windows.
const GROWTH_BYTES: usize = 4 << 10;

/// Bytes of rows, and memory after them.
///
/// A short value is copied with the bytes after it, as one window: a copy of a fixed size needs neither a call nor a branch on
/// the length. The next copy covers the surplus.
#[derive(Debug, Default)]
pub struct Buffer {
    /// The bytes, and initialized memory.
    memory: Vec<u8>,
    len: usize,
    escaped: Vec<u8>,
}

impl Buffer {
    /// Returns no bytes, with memory for `capacity`.
    pub fn with_capacity(capacity: usize) -> Buffer {
        Buffer {
            memory: Vec::with_capacity(capacity + GROWTH_BYTES),
            ..Buffer::default()
        }
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.memory[..self.len]
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Says whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the bytes in `range` and those after them.
    ///
    /// # Panics
    /// If the range begins beyond the memory.
    #[inline(always)]
    pub fn text(&self, range: std::ops::Range<usize>) -> Text<'_> {
        Text::new(&self.memory[range.start..], range.len())
    }

    /// Returns the bytes alone.
    pub fn into_vec(mut self) -> Vec<u8> {
        self.memory.truncate(self.len);
        self.memory
    }

    /// Appends `bytes`.
    pub fn extend_from_slice(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        if end + WINDOW_BYTES <= self.memory.len() {
            self.memory[self.len..end].copy_from_slice(bytes);
        } else {
            // No memory is cleared that the next line writes.
            self.memory.truncate(self.len);
            self.memory.extend_from_slice(bytes);
            self.memory.resize(end + GROWTH_BYTES, 0);
        }
        self.len = end;
    }

    /// Removes all bytes but the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Removes all bytes. Memory of more than `kept` bytes is given back.
    pub fn clear(&mut self, kept: usize) {
        self.len = 0;
        if self.memory.capacity() > kept || self.escaped.capacity() > kept {
            *self = Buffer::default();
        }
    }

    /// Appends what `push` appends to a vector.
    #[inline(never)]
    pub fn push_with(&mut self, push: impl FnOnce(&mut Vec<u8>)) {
        let mut escaped = mem::take(&mut self.escaped);
        push(&mut escaped);
        self.extend_from_slice(&escaped);
        escaped.clear();
        self.escaped = escaped;
    }

    /// Appends the first `count` bytes of `window`.
    ///
    /// # Panics
    /// If it has fewer.
    #[inline(always)]
    pub fn push_window<const N: usize>(&mut self, window: &[u8; N], count: usize) {
        let room = self.memory.get_mut(self.len..);
        match room.and_then(|room| room.first_chunk_mut()) {
            Some(room) => {
                *room = *window;
                self.len += count;
            }
            None => self.push_slow(&window[..count]),
        }
    }

    /// Returns the memory after the bytes.
    #[inline(always)]
    pub fn spare(&mut self) -> &mut [u8] {
        &mut self.memory[self.len..]
    }

    /// Takes over the first `count` bytes of the spare memory.
    #[inline(always)]
    pub fn advance(&mut self, count: usize) {
        self.len = self.memory.len().min(self.len + count);
    }

    #[cold]
    #[inline(never)]
    fn push_slow(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    #[inline(always)]
    pub(crate) fn push_byte(&mut self, byte: u8) {
        match self.memory.get_mut(self.len) {
            Some(next) => {
                *next = byte;
                self.len += 1;
            }
            None => self.push_slow(&[byte]),
        }
    }

    /// Appends a text as it stands.
    #[inline(always)]
    pub fn push(&mut self, text: Text<'_>) {
        match text.window() {
            Some(window) if text.bytes().len() <= WINDOW_BYTES => {
                self.push_window(window, text.bytes().len());
            }
            _ => self.extend_from_slice(text.bytes()),
        }
    }

    /// Appends bytes that every row repeats.
    #[inline(always)]
    pub fn push_literal(&mut self, literal: &Literal) {
        self.push_first(literal, literal.bytes.len());
    }

    #[inline(always)]
    fn push_first(&mut self, literal: &Literal, count: usize) {
        if count <= WINDOW_BYTES {
            self.push_window(&literal.window, count);
        } else {
            self.extend_from_slice(&literal.bytes[..count]);
        }
    }

    /// Appends a text, escaped if necessary, without quotes.
    #[inline(always)]
    pub fn push_text<E: Escape>(&mut self, escape: E, text: Text<'_>) {
        let (bytes, mut padded) = (text.bytes(), [0; WINDOW_BYTES]);
        if bytes.len() >= WINDOW_BYTES {
            return self.push_long(escape, bytes);
        }
        let window = text.window().unwrap_or_else(|| {
            padded[..bytes.len()].copy_from_slice(bytes);
            &padded
        });
        if escape.is_plain(window, bytes.len()) {
            self.push_window(window, bytes.len());
        } else {
            escape.push_short(window, bytes.len(), self);
        }
    }

    #[inline(always)]
    fn push_long<E: Escape>(&mut self, escape: E, bytes: &[u8]) {
        let windows = bytes.as_chunks().0.iter().chain(bytes.last_chunk());
        let is_plain = |all, window| all & escape.is_plain(window, WINDOW_BYTES);
        if windows.fold(true, is_plain) {
            self.extend_from_slice(bytes);
        } else {
            self.push_with(|out| escape.push(bytes, out));
        }
    }

    /// Appends a value after its [key](Literal::key).
    ///
    /// # Panics
    /// If a number has more than [`DECIMALS_MAX`] decimals.
    #[inline(always)]
    pub fn push_value<E: Escape>(&mut self, escape: E, key: &Literal, value: Value<'_>) {
        if let Value::Text(text) = value {
            self.push_literal(key);
            self.push_text(escape, text);
            return self.push_byte(b'"');
        }
        // Others have no quotes, and the key ends with one.
        self.push_first(key, key.bytes.len().saturating_sub(1));
        match value {
            Value::Null => self.push(Text::from("null")),
            Value::Integer(number) => self.push_decimal(number, 0),
            Value::Decimal { units, decimals } => self.push_decimal(units, decimals),
            Value::Raw(json) | Value::Text(json) => self.push(json),
        }
    }

    /// Appends a number with its point.
    ///
    /// # Panics
    /// If it has more than [`DECIMALS_MAX`] decimals.
    #[inline(always)]
    pub fn push_decimal(&mut self, units: i64, decimals: u8) {
        assert!(decimals <= DECIMALS_MAX, "at most 18 decimals");
        let (groups, first) = digits(units.unsigned_abs());
        let point = DIGITS - usize::from(decimals);
        let first = first.min(point - 1);
        if units < 0 {
            self.push_byte(b'-');
        }
        if first > 8 {
            // Up to fifteen digits, in registers: a load of bytes that were just stored in parts would wait for them.
            let digits = u128::from(groups[1]) | u128::from(groups[2]) << 64;
            let digits = digits >> (8 * (first - 8));
            let whole = u128::MAX >> (8 * (16 - (point - first)));
            let dot = u128::from(b'.') << (8 * (point - first));
            let text = digits & whole | dot | (digits & !whole) << 8;
            let count = DIGITS - first + usize::from(decimals > 0);
            return self.push_window(&text.to_le_bytes(), count);
        }
        let mut text = [0; DIGITS + WINDOW_BYTES];
        for (to, group) in text.as_chunks_mut::<8>().0.iter_mut().zip(groups) {
            *to = group.to_le_bytes();
        }
        self.push(Text::new(&text[first..], point - first));
        if decimals > 0 {
            self.push_byte(b'.');
            self.push(Text::new(&text[point..], decimals.into()));
        }
    }
}

/// Bytes that every row repeats.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Literal {
    /// The first bytes, and zeros.
    window: Window,
    bytes: Box<[u8]>,
}

impl Literal {
    /// Returns the literal of `bytes`.
    pub fn new(bytes: &[u8]) -> Literal {
        let (mut window, count) = ([0; WINDOW_BYTES], bytes.len().min(WINDOW_BYTES));
        window[..count].copy_from_slice(&bytes[..count]);
        Literal {
            window,
            bytes: bytes.into(),
        }
    }

    /// Returns a key of an object, with what stands before it, a colon, and the quote that begins a text.
    pub fn key(before: &[u8], key: &str) -> Literal {
        let mut bytes = before.to_vec();
        push_string(key.as_bytes(), &mut bytes);
        bytes.extend_from_slice(b":\"");
        Literal::new(&bytes)
    }

    /// Returns the bytes.
    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the first bytes; zeros after them, if they are fewer.
    #[inline(always)]
    pub fn window(&self) -> &Window {
        &self.window
    }
}
