//! Lines that repeat the names of columns, as in files that were put together with their headers.

use memchr::memchr_iter;
use memchr::memmem::Finder;

use super::job::Scanned;
use crate::fec::schema::FirstLine;
use crate::fec::without_mark;
use crate::fold::RepeatedNames;
use crate::input::Part;
use crate::scan::Chunk;

/// The first line of a part, which names its columns.
pub(super) struct NamesLine {
    /// Finds the line after a newline.
    finder: Finder<'static>,
}

/// The lines of a chunk that repeat the names.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Repeats {
    count: u64,
    /// The byte of the part at which the first of them begins, and the number of lines of the chunk before it.
    first: Option<(u64, u64)>,
}

impl NamesLine {
    /// Returns the first line of `part`, if it names the columns.
    pub(super) fn of(part: &Part) -> Option<NamesLine> {
        if part.schema().first_line() == FirstLine::Row {
            return None;
        }
        let head = part.head(1);
        let line = without_mark(&head);
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let needle = [b"\n", line].concat();
        let finder = (!line.is_empty()).then(|| Finder::new(&needle).into_owned());
        finder.map(|finder| NamesLine { finder })
    }

    /// Finds the lines in a chunk. It begins with a line; the first line of the part is no repeat.
    pub(super) fn repeats_in(&self, chunk: &Chunk<'_>) -> Repeats {
        let (bytes, start) = (chunk.bytes(), chunk.place().start);
        let line = &self.finder.needle()[1..];
        let ends_at = |end: usize| {
            let after = &bytes[end..];
            let after = after.strip_prefix(b"\r").unwrap_or(after);
            matches!(after, [] | [b'\n', ..])
        };
        let at_start = (start > 0 && bytes.starts_with(line)).then_some(0);
        let later = self.finder.find_iter(bytes).map(|newline| newline + 1);
        let places = at_start.into_iter().chain(later);
        let mut places = places.filter(|place| ends_at(place + line.len()));
        let Some(first) = places.next() else {
            return Repeats::default();
        };
        let before = memchr_iter(b'\n', &bytes[..first]).count() as u64;
        Repeats {
            count: 1 + places.count() as u64,
            first: Some((start + first as u64, before)),
        }
    }
}

/// Returns the lines of `part` that repeat its first one, as its `chunks` have them in their order.
pub(super) fn of_part(part: &Part, chunks: &[Scanned]) -> Option<RepeatedNames> {
    let count: u64 = chunks.iter().map(|chunk| chunk.repeats.count).sum();
    let place = chunks
        .iter()
        .position(|chunk| chunk.repeats.first.is_some())?;
    let (byte, before) = chunks[place].repeats.first?;
    let lines = chunks[..place].iter().map(|chunk| chunk.lines.scanned);
    // Names are no line of the scan, unless they stand in the chunk of the repeat.
    let names = u64::from(place > 0);
    // Nothing tells the number of lines before a range.
    let is_whole = part.range().is_none_or(|range| range.start == 0);
    let line = lines.sum::<u64>() + names + before + 1;
    Some(RepeatedNames {
        path: part.path(),
        count,
        byte,
        line: is_whole.then_some(line),
    })
}
