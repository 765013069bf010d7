//! Text as people get it: escaped where a terminal is, and measured in its columns.

use memchr::memchr2;
use unicode_width::UnicodeWidthChar;

use super::decoded;
use super::page::{Align, Data, GAP, Glyphs};
use crate::error::escaped;

/// Text that a page may have: on a terminal, none of it controls the terminal. Bytes become it here alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shown(Vec<u8>);

impl Shown {
    /// Returns what is shown of bytes.
    pub(super) fn new(bytes: &[u8], data: Data) -> Shown {
        // Only a copy becomes text: the bytes of a mapped file may change after the check.
        let copy = bytes.to_vec();
        Shown(match data {
            // A line break would begin another row.
            Data::Exact if memchr2(b'\n', b'\r', &copy).is_some() => {
                let text = copy.iter().flat_map(|byte| match byte {
                    b'\n' => b"\\n",
                    b'\r' => b"\\r",
                    byte => std::slice::from_ref(byte),
                });
                text.copied().collect()
            }
            Data::Exact => copy,
            Data::Escaped => escaped(decoded(&copy).as_bytes()).into_bytes(),
        })
    }

    /// Returns the name of a file as it is, which may have line breaks, where no terminal is.
    pub(super) fn exact(name: &[u8]) -> Shown {
        Shown(name.to_vec())
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the columns that the text takes, up to `most`.
    pub(super) fn columns(&self, most: usize) -> usize {
        columns(&self.0, most)
    }

    /// Returns the number of bytes.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns texts as one, with `between` between two of them.
    pub(super) fn joined(texts: impl Iterator<Item = Shown>, between: &'static str) -> Shown {
        let texts: Vec<_> = texts.map(|text| text.0).collect();
        Shown(texts.join(between.as_bytes()))
    }

    /// Leaves out blanks at the end.
    pub(super) fn without_end(self) -> Shown {
        Shown(self.0.trim_ascii_end().to_vec())
    }

    /// Cuts the text to this many columns. Its end then shows that.
    pub(super) fn cut(&mut self, width: usize, glyphs: Glyphs) {
        if self.columns(width + 1) <= width {
            return;
        }
        let end = match glyphs {
            Glyphs::Blocks => '…',
            Glyphs::Ascii => '~',
        };
        let mut used = 1;
        let text = decoded(&self.0).into_owned();
        let fitting = text.chars().take_while(|&c| {
            used += columns_of(c);
            used <= width
        });
        self.0 = fitting.chain([end]).collect::<String>().into();
    }

    /// Returns the first bytes, and the others.
    pub(super) fn split_at(&self, bytes: usize) -> (Shown, Shown) {
        let (first, others) = self.0.split_at(bytes);
        (Shown(first.to_vec()), Shown(others.to_vec()))
    }

    /// Returns a line of cells. Blanks that no cell follows are left out.
    pub(super) fn line_of(cells: &[Shown], alignments: &[Align], widths: &[usize]) -> Shown {
        let mut line = Vec::new();
        let mut blanks = 0;
        for ((cell, alignment), width) in cells.iter().zip(alignments).zip(widths) {
            let pad = width - cell.columns(*width);
            let (before, after) = match alignment {
                Align::Left => (0, pad),
                Align::Right => (pad, 0),
            };
            blanks += before;
            if cell.len() > 0 {
                line.resize(line.len() + blanks, b' ');
                line.extend_from_slice(&cell.0);
                blanks = 0;
            }
            blanks += after + GAP;
        }
        line.push(b'\n');
        Shown(line)
    }
}

/// Returns the columns of a terminal that `text` takes, up to `most`: two for a wide character, and none for one that combines.
pub(super) fn columns(text: &[u8], most: usize) -> usize {
    if text.is_ascii() {
        return text.len().min(most);
    }
    let text = decoded(text);
    let mut all = 0;
    for c in text.chars() {
        all += columns_of(c);
        if all >= most {
            return most;
        }
    }
    all
}

/// Returns the columns of a terminal that a character takes.
pub(super) fn columns_of(c: char) -> usize {
    // Control characters are shown as they are only where no terminal is.
    c.width().unwrap_or(1)
}

/// Makes columns as wide as these cells, at least, but no wider than `most`.
pub(super) fn widen(widths: &mut [usize], cells: &[Shown], most: usize) {
    for (width, cell) in widths.iter_mut().zip(cells) {
        *width = cell.columns(most).max(*width);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_a_terminal() {
        for (text, width) in [
            ("Nome", 4),
            ("北京市", 6),
            ("e\u{301}te\u{301}", 3),
            ("ｗ", 2),
            ("한국", 4),
            ("Zoë", 3),
        ] {
            assert_eq!(columns(text.as_bytes(), 100), width, "{text}");
            assert_eq!(columns(text.as_bytes(), 2), width.min(2), "{text}");
        }
        let cut = |text: &str, width| {
            let mut shown = Shown::new(text.as_bytes(), Data::Exact);
            shown.cut(width, Glyphs::Blocks);
            String::from_utf8(shown.0).unwrap()
        };
        assert_eq!(cut("北京市", 6), "北京市");
        assert_eq!(cut("北京市", 5), "北京…");
        assert_eq!(cut("北京市", 4), "北…");
        assert_eq!(cut("e\u{301}te\u{301}", 2), "e\u{301}…");
    }
}
