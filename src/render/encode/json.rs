//! Rows as JSON: one object a line, alone or as the items of one array.
//!
//! Values are strings, decoded as [`decoded`](crate::render::decoded) does. Typed amounts are numbers, and
//! typed empty values are null.

use super::spare_bytes::SpareBytes;
use super::template::{Literal, RowTemplate};
use super::templated;
use super::value::{Special, push_plain};
use super::{Block, Encode, EncodeScratch};
use crate::fold::export::{ColumnKind, ExportColumns, Types};
use crate::render::json::{push_string, push_text};
use crate::scan::simd::{ByteSet, Kernel, Level, WINDOW_BYTES, Window};

/// One object a line.
#[derive(Clone, Debug)]
pub struct Ndjson {
    objects: Objects,
}

/// One array of objects.
#[derive(Clone, Debug)]
pub struct Json {
    objects: Objects,
}

/// What stands around objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Each is a line.
    Lines,
    /// They are the items of an array.
    Array,
}

/// The names of the members, each with what stands before and after it: `,"STATE":`.
#[derive(Clone, Debug)]
pub(super) struct Objects {
    keys: Vec<Box<[u8]>>,
    layout: Layout,
    strings: Strings,
    /// Whether rows are strings as located.
    are_as_located: bool,
}

/// Objects of strings.
#[derive(Clone, Debug)]
pub(super) struct Strings {
    /// What stands before each value, the quote that ends the last one included, and what stands after the last. Of
    /// long keys, the last bytes.
    template: RowTemplate,
    /// The bytes of the literals up to each, less the pipes between their columns.
    written_before: Vec<usize>,
    /// The bytes before each literal. The list is empty if no key is long.
    heads: Vec<Box<[u8]>>,
}

impl Layout {
    /// Returns what stands before each object. The first loses its comma.
    fn before(self) -> &'static [u8] {
        match self {
            Layout::Lines => b"",
            Layout::Array => b",\n",
        }
    }

    /// Returns what stands after each object.
    fn after(self) -> &'static [u8] {
        match self {
            Layout::Lines => b"\n",
            Layout::Array => b"",
        }
    }

    /// Returns what stands before the first object.
    pub(super) fn begin(self) -> &'static [u8] {
        match self {
            Layout::Lines => b"",
            Layout::Array => b"[",
        }
    }

    /// Returns what stands after the last of `rows` objects.
    pub(super) fn end(self, rows: u64) -> &'static [u8] {
        match self {
            Layout::Lines => b"",
            Layout::Array if rows == 0 => b"]\n",
            Layout::Array => b"\n]\n",
        }
    }

    /// Returns the number of bytes that the first object loses.
    pub(super) fn separator_bytes(self) -> usize {
        match self {
            Layout::Lines => 0,
            Layout::Array => ",".len(),
        }
    }
}

impl Ndjson {
    /// Returns an encoder for rows with these columns.
    pub fn new(columns: &ExportColumns) -> Ndjson {
        Ndjson {
            objects: Objects::of_columns(columns, Layout::Lines),
        }
    }
}

impl Json {
    /// Returns an encoder for rows with these columns.
    pub fn new(columns: &ExportColumns) -> Json {
        Json {
            objects: Objects::of_columns(columns, Layout::Array),
        }
    }
}

impl Encode for Ndjson {
    fn block(&self, block: &Block<'_>, scratch: &mut EncodeScratch, out: &mut Vec<u8>) {
        self.objects.push(block, scratch, out);
    }
}

impl Encode for Json {
    fn begin(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(Layout::Array.begin());
    }

    fn block(&self, block: &Block<'_>, scratch: &mut EncodeScratch, out: &mut Vec<u8>) {
        self.objects.push(block, scratch, out);
    }

    fn end(&self, rows: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(Layout::Array.end(rows));
    }

    fn separator_bytes(&self) -> usize {
        Layout::Array.separator_bytes()
    }
}

impl Objects {
    fn of_columns(columns: &ExportColumns, layout: Layout) -> Objects {
        let names = columns.columns.iter().map(|column| &column.name[..]);
        Objects {
            are_as_located: columns.are_as_located(),
            ..Objects::new(names, layout)
        }
    }

    /// Objects with these keys.
    pub(super) fn new<'a>(keys: impl Iterator<Item = &'a str>, layout: Layout) -> Objects {
        let key = |(nth, name): (usize, &str)| {
            let mut key = if nth == 0 { b"{" } else { b"," }.to_vec();
            push_string(name.as_bytes(), &mut key);
            key.push(b':');
            key.into()
        };
        let keys: Vec<Box<[u8]>> = keys.enumerate().map(key).collect();
        Objects {
            strings: Strings::new(&keys, layout),
            keys,
            layout,
            are_as_located: false,
        }
    }

    /// Returns the number of members.
    pub(super) fn width(&self) -> usize {
        self.keys.len()
    }

    /// Appends the rows as objects.
    fn push(&self, block: &Block<'_>, scratch: &mut EncodeScratch, out: &mut Vec<u8>) {
        let (strings, rows) = (&self.strings, block.rows());
        let is_templated = self.are_as_located && strings.heads.is_empty();
        match block.types() {
            Types::Raw if is_templated && templated::push(strings, rows, scratch, out) => {}
            Types::Raw => rows.dispatch(PushBlock {
                strings,
                block,
                out,
            }),
            Types::Typed => rows.iter().enumerate().for_each(|(nth, row)| {
                out.extend_from_slice(self.layout.before());
                for (key, column) in self.keys.iter().zip(block.columns()) {
                    out.extend_from_slice(key);
                    let value = block.value(nth, row, column);
                    match column.kind {
                        _ if value.is_empty() => out.extend_from_slice(b"null"),
                        ColumnKind::Amount | ColumnKind::Number(_) => out.extend_from_slice(value),
                        _ => push_string(value, out),
                    }
                }
                out.push(b'}');
                out.extend_from_slice(self.layout.after());
            }),
        }
    }

    /// Appends an object of `values`. If there are more or fewer than keys, returns their number instead, and
    /// appends noise.
    #[inline(always)]
    pub(super) fn push_strings<L: Level, V: AsRef<[u8]>>(
        &self,
        level: L,
        values: impl Iterator<Item = V>,
        spare: &mut SpareBytes<'_>,
    ) -> Result<(), usize> {
        self.strings.push(level, values, spare)
    }
}

impl Strings {
    fn new(keys: &[Box<[u8]>], layout: Layout) -> Strings {
        let end: &[u8] = match layout {
            Layout::Lines => b"\"}\n",
            Layout::Array => b"\"}",
        };
        let (mut literals, mut written_before) = (Vec::new(), Vec::new());
        let mut heads = Vec::<Box<[u8]>>::new();
        for (nth, key) in keys.iter().enumerate() {
            let start = if nth == 0 { layout.before() } else { b"\"" };
            let text = [start, key, b"\""].concat();
            let head = if text.len() <= Literal::BYTES_MAX {
                0
            } else {
                // The value has half of a window.
                text.len() - WINDOW_BYTES / 2
            };
            let literal = Literal::new(&text[head..]);
            literals.push(literal.expect("a literal may be longer"));
            let written = literals.iter().map(Literal::len).sum::<usize>();
            written_before.push(written - nth);
            heads.push(text[..head].into());
        }
        if heads.iter().all(|head| head.is_empty()) {
            heads.clear();
        }
        let end = Literal::new(end).expect("the end is shorter than a window");
        Strings {
            template: RowTemplate::new(literals, end),
            written_before,
            heads,
        }
    }

    /// Appends an object of values from anywhere, as [`Objects::push_strings`] does.
    #[inline(always)]
    fn push<L: Level, V: AsRef<[u8]>>(
        &self,
        level: L,
        mut values: impl Iterator<Item = V>,
        spare: &mut SpareBytes<'_>,
    ) -> Result<(), usize> {
        let has_heads = !self.heads.is_empty();
        for (nth, literal) in self.template.literals().iter().enumerate() {
            let Some(value) = values.next() else {
                return Err(nth);
            };
            if has_heads {
                spare.vector(|out| out.extend_from_slice(&self.heads[nth]));
            }
            let value = value.as_ref();
            if !push_plain(level, literal, value, Escaped, spare) {
                spare.vector(|out| push_text(value, out));
            }
        }
        if values.next().is_some() {
            return Err(self.width() + 1 + values.count());
        }
        spare.reserve(WINDOW_BYTES);
        spare.push(self.template.after().window(), self.template.after().len());
        Ok(())
    }
}

/// The bytes that strings cannot have as they stand.
#[derive(Clone, Copy)]
struct Escaped;

impl Special for Escaped {
    #[inline(always)]
    fn mask<L: Level>(self, level: L, window: &Window) -> u64 {
        escaped(level, window)
    }
}

/// Returns a bit for each byte of `window` that strings cannot have as it stands.
#[inline(always)]
fn escaped<L: Level>(level: L, window: &Window) -> u64 {
    const QUOTED: ByteSet<2> = ByteSet::new(*b"\"\\");
    level.beyond_ascii(window) | level.is_in(window, &QUOTED)
}

/// Rows whose values stand anywhere.
struct PushBlock<'a, 'r> {
    strings: &'a Strings,
    block: &'a Block<'r>,
    out: &'a mut Vec<u8>,
}

impl Kernel for PushBlock<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Level>(self, level: L) {
        let PushBlock {
            strings,
            block,
            out,
        } = self;
        let mut spare = SpareBytes::of(out);
        for (nth, row) in block.rows().iter().enumerate() {
            let columns = block.columns().iter();
            let values = columns.map(|column| block.value(nth, row, column));
            let pushed = strings.push(level, values, &mut spare);
            debug_assert_eq!(pushed, Ok(()), "the columns have the keys");
        }
    }
}

/// Rows whose values are columns as they stand.
impl Strings {
    /// Returns what stands around the values, to be written with.
    #[inline(always)]
    pub(super) fn template(&self) -> &RowTemplate {
        &self.template
    }

    /// Returns the number of members.
    #[inline(always)]
    pub(super) fn width(&self) -> usize {
        self.template.literals().len()
    }

    /// Returns a bit for each byte of `window` that a value cannot have as it stands. Pipes and newlines
    /// are no parts of values.
    #[inline(always)]
    pub(super) fn special<L: Level>(&self, level: L, window: &Window) -> u64 {
        escaped(level, window) & !level.eq(window, b'\n')
    }

    /// Returns how many bytes a byte of `column` stands further from the start of a written row than from the
    /// start of its line.
    #[inline(always)]
    pub(super) fn written_before(&self, column: usize) -> usize {
        self.written_before[column]
    }

    /// Returns the number of bytes of a written row, given that of its line up to the last value.
    #[inline(always)]
    pub(super) fn written_bytes(&self, line_bytes: usize) -> usize {
        // Each column but the last loses the pipe after it.
        line_bytes + self.template.len() + 1 - self.width()
    }

    /// Appends any `value` of this column, after what stands before it in an object.
    pub(super) fn value(&self, column: usize, value: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(self.template.literals()[column].bytes());
        push_text(value, out);
    }

    /// Appends what stands after the last value.
    #[inline(always)]
    pub(super) fn end(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.template.after().bytes());
    }
}
