//! Values of rows.

/// The most decimals of a number.
pub const DECIMALS_MAX: u8 = 18;

/// A value of a row.
///
/// Everything that lends bytes is a text, and an `Option` is null or a value:
///
/// ```
/// use rowjson::Value;
/// let values: [Value; 3] = ["a".into(), 7.into(), None::<&str>.into()];
/// assert_eq!(values[0].text(), "a");
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// No value.
    Null,
    /// A text, which is escaped and put in quotes.
    Text(Text<'a>),
    /// A whole number, or one with a point.
    Decimal {
        /// The number without its point.
        units: i64,
        /// The number of digits after the point, at most [`DECIMALS_MAX`].
        decimals: u8,
    },
    /// JSON, written as it stands: the caller answers for it.
    Raw(Text<'a>),
}

impl<'a> Value<'a> {
    /// Returns the bytes of a text or of JSON as a string, with U+FFFD for what is no UTF-8. Others are empty.
    pub fn text(&self) -> std::borrow::Cow<'a, str> {
        match self {
            Value::Text(text) | Value::Raw(text) => String::from_utf8_lossy(text.bytes()),
            _ => "".into(),
        }
    }
}

impl<'a, T: AsRef<[u8]> + ?Sized> From<&'a T> for Value<'a> {
    #[inline(always)]
    fn from(text: &'a T) -> Value<'a> {
        Value::Text(Text::from(text))
    }
}

impl From<i64> for Value<'_> {
    #[inline(always)]
    fn from(units: i64) -> Self {
        Value::Decimal { units, decimals: 0 }
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    #[inline(always)]
    fn from(value: Option<T>) -> Value<'a> {
        value.map_or(Value::Null, T::into)
    }
}

/// The bytes of a text, and what follows them in memory.
///
/// A short text is copied with what follows as one window, whatever its length.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    rest: &'a [u8],
    len: usize,
}

impl<'a> Text<'a> {
    /// Returns the first `len` bytes of `rest`. If it has fewer, the text is empty.
    #[inline(always)]
    pub fn new(rest: &'a [u8], len: usize) -> Text<'a> {
        let len = if len <= rest.len() { len } else { 0 };
        Text { rest, len }
    }

    /// Returns the bytes.
    #[inline(always)]
    pub fn bytes(self) -> &'a [u8] {
        &self.rest[..self.len]
    }

    /// Returns the bytes and what follows them.
    #[inline(always)]
    pub fn rest(self) -> &'a [u8] {
        self.rest
    }
}

impl<'a, T: AsRef<[u8]> + ?Sized> From<&'a T> for Text<'a> {
    #[inline(always)]
    fn from(text: &'a T) -> Text<'a> {
        Text::new(text.as_ref(), text.as_ref().len())
    }
}

/// Returns sixteen digits of a number, as bytes of 0 to 9, the first one lowest. No digit waits for another: two
/// multiplications split eight digits into fours, two into pairs, and two into digits.
#[inline(always)]
pub(crate) fn digits(number: u64) -> u128 {
    let [first, last] = [number / 100_000_000, number % 100_000_000].map(|group| {
        let fours = (group / 10_000) | ((group % 10_000) << 32);
        let hundreds = ((fours * 10_486) >> 20) & 0x7f_0000_007f;
        let pairs = hundreds | (fours - 100 * hundreds) << 16;
        let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
        u128::from(tens | (pairs - 10 * tens) << 8)
    });
    first | last << 64
}
