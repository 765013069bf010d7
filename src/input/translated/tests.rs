use super::*;

/// Gives a few bytes at a time.
struct Slowly {
    bytes: Vec<u8>,
    given: usize,
    most: usize,
}

impl Read for Slowly {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let rest = &self.bytes[self.given..];
        let length = rest.len().min(self.most).min(space.len());
        space[..length].copy_from_slice(&rest[..length]);
        self.given += length;
        Ok(length)
    }
}

fn translated(layout: &Layout, text: &[u8], most: usize) -> (Vec<u8>, Option<String>) {
    let (bytes, given) = (text.to_vec(), 0);
    let translation = Translation::of(layout).unwrap();
    let mut rows = translation.of_bytes(Box::new(Slowly { bytes, given, most }));
    let (mut out, mut space) = (Vec::new(), [0; 5]);
    loop {
        match rows.read(&mut space) {
            Ok(0) => return (out, None),
            Ok(length) => out.extend_from_slice(&space[..length]),
            Err(error) => return (out, Some(Error::of_reading(error).to_string())),
        }
    }
}

fn layouts() -> Vec<Layout> {
    let mut layouts = Vec::new();
    for delimiter in [",", "||", "ab"] {
        for quotes in [Quotes::Csv, Quotes::Refuse] {
            for (skip, comment) in [(0, None), (1, Some(b'#'))] {
                for decimal in [None, Some(b',')] {
                    let mut layout = Layout::between(delimiter).unwrap();
                    (layout.quotes, layout.skip, layout.comment) = (quotes, skip, comment);
                    (layout.decimal, layout.separator_line) = (decimal, skip > 0);
                    layouts.extend(layout.is_translated().then_some(layout));
                }
            }
        }
    }
    layouts
}

#[test]
fn rows_do_not_depend_on_how_the_file_is_read() {
    const PIECES: [&str; 16] = [
        "a", "b", "|", "||", ",", "\"", "\"\"", "\n", "\r\n", "\r", "#", "sep=", "1.234", "5-",
        "\u{feff}", "\u{1e}",
    ];
    let mut state = 1_u64;
    let mut below = |bound: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % bound
    };
    for layout in layouts() {
        for _ in 0..200 {
            let pieces = (0..below(14)).map(|_| PIECES[below(PIECES.len())]);
            let text: String = pieces.collect();
            let whole = translated(&layout, text.as_bytes(), usize::MAX);
            for most in [1, 2, 3, 7] {
                let found = translated(&layout, text.as_bytes(), most);
                assert_eq!(found, whole, "{text:?} {most} {layout:?}");
            }
        }
    }
}

#[test]
fn values_in_quotes_have_marks_for_line_breaks() {
    let mut layout = Layout::new(b',').unwrap();
    layout.quotes = Quotes::Csv;
    for (text, rows) in [
        ("a,b\n", "a\x1fb\n"),
        ("\u{feff}\"a\",b", "a\x1fb\n"),
        ("\"a,\"\"b\",\"1\r\n2\"\r\n", "a,\"b\x1f1\x1d\x1e2\n"),
        ("a\"b,\"\"\n\n,\n", "a\"b\x1f\n\n\x1f\n"),
        ("a\rb,c\r", "a\x1db\x1fc\n"),
        ("\"\"", "\n"),
        ("", ""),
    ] {
        let (found, error) = translated(&layout, text.as_bytes(), 2);
        assert_eq!(
            (String::from_utf8(found).unwrap(), error),
            (rows.to_owned(), None)
        );
    }
}
