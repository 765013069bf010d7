//! Bytes of rows, appended by copies of a fixed size.

use std::mem;
use std::ops::{Deref, Range};

use crate::value::digits;
use crate::{DECIMALS_MAX, Escape, Text, Value, WINDOW_BYTES, Window, push_text};

/// How much memory is cleared at a time, for copies of windows.
const GROWTH_BYTES: usize = 4 << 10;

/// Memory with a short key and a short value.
const ROOM_BYTES: usize = 4 * WINDOW_BYTES;

/// The least number of more than sixteen digits, and the characters of sixteen zeros.
const SIXTEEN_DIGITS: u64 = 10_u64.pow(16);
const ZEROS: u128 = u128::from_le_bytes([b'0'; 16]);

/// Bytes of rows, and memory after them.
///
/// A short value is copied with the bytes after it, as one window: a copy of a fixed size needs neither a call nor a branch on
/// the length. The next copy covers the surplus.
#[derive(Debug, Default)]
pub struct Buffer {
    /// The bytes, and initialized memory.
    pub(crate) memory: Vec<u8>,
    len: usize,
    escaped: Vec<u8>,
}

impl Buffer {
    /// Returns no bytes, with memory for `capacity`.
    pub fn with_capacity(capacity: usize) -> Buffer {
        let mut buffer = Buffer::default();
        buffer.memory.reserve_exact(capacity + GROWTH_BYTES);
        buffer
    }

    /// Returns the bytes in `range` and those after them. Panics if the range begins beyond the memory.
    #[inline(always)]
    pub fn text(&self, range: Range<usize>) -> Text<'_> {
        Text::new(&self.memory[range.start..], range.len())
    }

    /// Returns the bytes alone.
    pub fn into_vec(mut self) -> Vec<u8> {
        self.memory.truncate(self.len);
        self.memory
    }

    /// Appends `bytes`.
    #[inline(always)]
    pub fn extend_from_slice(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        match self.memory.get_mut(self.len..end) {
            Some(room) => room.copy_from_slice(bytes),
            None => self.memory = extended(mem::take(&mut self.memory), self.len, bytes),
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
    #[inline(always)]
    pub fn push_with(&mut self, push: impl FnOnce(&mut Vec<u8>)) {
        let mut escaped = by_itself(mem::take(&mut self.escaped), push);
        self.extend_from_slice(&escaped);
        escaped.clear();
        self.escaped = escaped;
    }

    /// Appends the first `count` bytes of `window`. Panics if it has fewer.
    #[inline(always)]
    pub fn push_window<const N: usize>(&mut self, window: &[u8; N], count: usize) {
        let room = self.memory.get_mut(self.len..);
        match room.and_then(|room| room.first_chunk_mut()) {
            Some(room) => {
                *room = *window;
                self.len += count;
            }
            None => self.extend_from_slice(&window[..count]),
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

    /// Appends a text as it stands.
    #[inline(always)]
    pub fn push(&mut self, text: Text<'_>) {
        let bytes = text.bytes();
        match text.rest().first_chunk::<WINDOW_BYTES>() {
            Some(window) if bytes.len() <= WINDOW_BYTES => self.push_window(window, bytes.len()),
            _ => self.extend_from_slice(bytes),
        }
    }

    /// Appends bytes that every row repeats.
    #[inline(always)]
    pub fn push_literal(&mut self, literal: &Literal) {
        self.push_front(literal);
        self.push_window(&literal.window, literal.len.into());
    }

    /// Appends the bytes before the window, if there are any.
    #[inline(always)]
    fn push_front(&mut self, Literal { len, bytes, .. }: &Literal) {
        if bytes.len() > WINDOW_BYTES {
            self.extend_from_slice(&bytes[..bytes.len() - usize::from(*len)]);
        }
    }

    /// Appends a text, escaped if necessary, without quotes.
    #[inline(always)]
    pub fn push_text<E: Escape>(&mut self, escape: E, text: Text<'_>) {
        self.push_quoted(escape, None, text);
        self.len -= 1;
    }

    /// Appends the window of a key, a text, escaped if necessary, and a quote.
    #[inline(always)]
    fn push_quoted<E: Escape>(&mut self, escape: E, key: Option<&Literal>, text: Text<'_>) {
        if self.memory.len() < self.len + ROOM_BYTES {
            self.memory = extended(mem::take(&mut self.memory), self.len, b"");
        }
        let mut room = &mut self.memory[self.len..][..ROOM_BYTES];
        if let Some(key) = key {
            let at = usize::from(key.len & 127);
            room[..WINDOW_BYTES].copy_from_slice(&key.window);
            room = &mut room[at..];
            self.len += at;
        }
        let room = room.first_chunk_mut().expect("a window more");
        if let Some(len) = push_short(escape, text, room) {
            room[len % WINDOW_BYTES] = b'"';
            self.len += len + 1;
            return;
        }
        // A long text is copied while it is looked at.
        let (bytes, end) = (text.bytes(), self.len + text.bytes().len());
        if self.memory.len() < end {
            self.memory = extended(mem::take(&mut self.memory), self.len, bytes);
        }
        let (room, mut is_plain) = (&mut self.memory[self.len..end], false);
        if let (Some(last), Some(last_room)) = (bytes.last_chunk(), room.last_chunk_mut()) {
            *last_room = *last;
            is_plain = escape.is_plain::<WINDOW_BYTES>(last, WINDOW_BYTES);
            for (room, window) in room.as_chunks_mut().0.iter_mut().zip(bytes.as_chunks().0) {
                *room = *window;
                is_plain &= escape.is_plain::<WINDOW_BYTES>(window, WINDOW_BYTES);
            }
        }
        if is_plain {
            self.len = end;
        } else {
            escape.push(text, self);
        }
        self.extend_from_slice(b"\"");
    }

    /// Appends a value after its [key](Literal::key). Panics as [`Buffer::push_decimal`] does.
    #[inline(always)]
    pub fn push_value<E: Escape>(&mut self, escape: E, key: &Literal, value: Value<'_>) {
        self.push_front(key);
        if let Value::Text(text) = value {
            return self.push_quoted(escape, Some(key), text);
        }
        // Others have no quotes, and the key ends with one.
        self.push_window(&key.window, usize::from(key.len).saturating_sub(1));
        match value {
            Value::Null => self.push(Text::from("null")),
            Value::Decimal { units, decimals } => self.push_decimal(units, decimals),
            Value::Raw(json) | Value::Text(json) => self.push(json),
        }
    }

    /// Appends a number with its point. Panics if it has more than [`DECIMALS_MAX`] decimals.
    #[inline(always)]
    pub fn push_decimal(&mut self, units: i64, decimals: u8) {
        assert!(decimals <= DECIMALS_MAX, "at most 18 decimals");
        let (number, decimals) = (units.unsigned_abs(), usize::from(decimals));
        if units < 0 {
            self.extend_from_slice(b"-");
        }
        if number < SIXTEEN_DIGITS / 10 && decimals < 15 {
            // In registers: a load of bytes that were just stored in parts would wait for them.
            let digits = digits(number);
            let first = (digits.trailing_zeros() as usize / 8).min(15 - decimals);
            let digits = (digits | ZEROS) >> (8 * first);
            let point = 8 * (16 - first - decimals);
            let whole = digits & !(u128::MAX << point);
            let text = whole | u128::from(b'.') << point | (digits ^ whole) << 8;
            let count = 16 - first + usize::from(decimals > 0);
            return self.push_window(&text.to_le_bytes(), count);
        }
        let halves = [number / SIXTEEN_DIGITS, number % SIXTEEN_DIGITS];
        let text = halves.map(|half| (digits(half) | ZEROS).to_le_bytes());
        let (whole, decimals) = text.as_flattened().split_at(32 - decimals);
        let zeros = whole.iter().take_while(|&&digit| digit == b'0').count();
        self.extend_from_slice(&whole[zeros.min(whole.len() - 1)..]);
        if !decimals.is_empty() {
            self.extend_from_slice(b".");
            self.extend_from_slice(decimals);
        }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        &self.memory[..self.len]
    }
}

#[cold]
#[inline(never)]
fn extended(mut memory: Vec<u8>, len: usize, bytes: &[u8]) -> Vec<u8> {
    // No memory is cleared that the next line writes.
    memory.truncate(len);
    memory.extend_from_slice(bytes);
    memory.resize(len + bytes.len() + GROWTH_BYTES, 0);
    memory
}

/// Changes a value that no pointer of the caller leads to: the caller's can be in registers.
#[inline(never)]
pub(crate) fn by_itself<T>(mut value: T, change: impl FnOnce(&mut T)) -> T {
    change(&mut value);
    value
}

/// Writes a text of less than a window, and returns its number of bytes. If it is not plain, it writes noise.
#[inline(always)]
fn push_short<E: Escape>(escape: E, text: Text<'_>, room: &mut Window) -> Option<usize> {
    let bytes = text.bytes();
    let len = bytes.len();
    let is_plain = match (len, text.rest().first_chunk()) {
        (0..WINDOW_BYTES, Some(window)) => {
            *room = *window;
            escape.is_plain(window, len)
        }
        (0, _) => true,
        (1..4, _) => {
            let [[a], [b], [c], [d]] = quarters(bytes, room);
            escape.is_plain(&[a, b, c, d, a, b, c, d], 8)
        }
        (4..=16, _) => {
            let word = |bytes| u128::from(u32::from_le_bytes(bytes));
            let [a, b, c, d] = quarters(bytes, room).map(word);
            let all = a | b << 32 | c << 64 | d << 96;
            escape.is_plain(&all.to_le_bytes(), 16)
        }
        (17..WINDOW_BYTES, _) => {
            // The compiler kept `map` as a function, which had no instructions of the caller's level: eight calls for each text.
            let mut is_plain = true;
            for piece in &quarters::<16>(bytes, room) {
                is_plain &= escape.is_plain(piece, 16);
            }
            is_plain
        }
        _ => false,
    };
    is_plain.then_some(len)
}

/// Writes a text of `N` to `4 * N` bytes in four pieces, which can have bytes in common: no branch depends on the length.
#[inline(always)]
fn quarters<const N: usize>(bytes: &[u8], room: &mut Window) -> [[u8; N]; 4] {
    let (last, mut pieces) = (bytes.len() - N, [[0; N]; 4]);
    let places = [0, last.min(N), last.saturating_sub(N), last];
    for (piece, place) in pieces.iter_mut().zip(places) {
        *piece = *bytes[place..].first_chunk().expect("N bytes or more");
        room[place..][..N].copy_from_slice(piece);
    }
    pieces
}

/// Bytes that every row repeats.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Literal {
    window: Window,
    /// How many bytes of the window count.
    len: u8,
    bytes: Box<[u8]>,
}

impl Literal {
    /// Returns the literal of `bytes`.
    pub fn new(bytes: &[u8]) -> Literal {
        let last = &bytes[bytes.len().saturating_sub(WINDOW_BYTES)..];
        let mut window = [0; WINDOW_BYTES];
        window[..last.len()].copy_from_slice(last);
        let (len, bytes) = (last.len() as u8, bytes.into());
        Literal { window, len, bytes }
    }

    /// Returns a key of an object, with what stands before it, a colon, and the quote that begins a text.
    pub fn key(before: &[u8], key: &str) -> Literal {
        let mut bytes = [before, b"\""].concat();
        push_text(key.as_bytes(), &mut bytes);
        bytes.extend_from_slice(b"\":\"");
        Literal::new(&bytes)
    }

    /// Returns the bytes.
    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the last bytes, at most a window; zeros after them, if they are fewer.
    #[inline(always)]
    pub fn window(&self) -> &Window {
        &self.window
    }
}
