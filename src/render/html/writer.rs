//! Writes HTML. Markup is part of the program, and all else is escaped: no method takes markup that was made at
//! run time, except that of another [`Html`].

use std::fmt::{Display, Write};

use crate::error::escaped;
use crate::render::decoded;

/// Longer values are cut: a page is for people.
const DATA_CHARACTERS_MAX: usize = 300;

/// So are values in sentences and in large letters.
const SHORT_CHARACTERS_MAX: usize = 60;

#[derive(Clone, Debug, Default)]
pub(super) struct Html(String);

/// A value in a template. Text is escaped, a number has at most two decimals, and HTML is appended as it is.
pub(super) trait Value {
    fn write_to(&self, html: &mut Html);
}

impl Value for &str {
    fn write_to(&self, html: &mut Html) {
        html.text(self);
    }
}

impl Value for String {
    fn write_to(&self, html: &mut Html) {
        html.text(self);
    }
}

impl Value for f64 {
    fn write_to(&self, html: &mut Html) {
        // Zero has no sign.
        let hundredths = (self * 100.0).round() / 100.0 + 0.0;
        write!(html.0, "{hundredths}").expect("memory takes all");
    }
}

impl Value for Html {
    fn write_to(&self, html: &mut Html) {
        html.0.push_str(&self.0);
    }
}

impl Html {
    pub(super) fn new() -> Html {
        Html::default()
    }

    pub(super) fn of_text(text: impl Display) -> Html {
        let mut html = Html::new();
        html.text(text);
        html
    }

    pub(super) fn of_data(bytes: &[u8]) -> Html {
        let mut html = Html::new();
        html.data(bytes);
        html
    }

    pub(super) fn of_name(name: &str) -> Html {
        let mut html = Html::new();
        html.name(name);
        html
    }

    pub(super) fn of_sentence(sentence: &str) -> Html {
        let mut html = Html::new();
        html.sentence(sentence);
        html
    }

    pub(super) fn tags(&mut self, tags: &'static str) -> &mut Html {
        self.0.push_str(tags);
        self
    }

    /// Appends tags, with the next of `values` at each `{}`.
    pub(super) fn fill(&mut self, tags: &'static str, values: &[&dyn Value]) -> &mut Html {
        let mut values = values.iter();
        for (nth, part) in tags.split("{}").enumerate() {
            if nth > 0 {
                values
                    .next()
                    .expect("a value for each place")
                    .write_to(self);
            }
            self.tags(part);
        }
        debug_assert!(values.next().is_none(), "a place for each value: {tags}");
        self
    }

    /// Appends text, also into an attribute with quotes.
    pub(super) fn text(&mut self, text: impl Display) -> &mut Html {
        for c in text.to_string().chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                c => self.0.push(c),
            }
        }
        self
    }

    /// Appends the name of a column, which may be broken after `_` and `(`.
    pub(super) fn name(&mut self, name: &str) -> &mut Html {
        for part in name.split_inclusive(['_', '(']) {
            self.text(part);
            if part.ends_with(['_', '(']) {
                self.tags("<wbr>");
            }
        }
        self
    }

    /// Appends bytes of the data or of the command line: decoded, with control characters and text direction
    /// marks made visible.
    pub(super) fn data(&mut self, bytes: &[u8]) -> &mut Html {
        self.text(shown(bytes))
    }

    /// Appends a sentence. Words such as `--top` are options. Months and days are not broken at their dashes.
    pub(super) fn sentence(&mut self, sentence: &str) -> &mut Html {
        for word in sentence.split_inclusive(' ') {
            let bare = word.trim_end_matches([' ', '.', ',', ';', ':', ')']);
            let (begin, end) = match bare {
                option if option.starts_with("--") => ("<code>", "</code>"),
                day if is_month_or_day(day) => ("<time>", "</time>"),
                _ => ("", ""),
            };
            self.tags(begin).text(bare).tags(end);
            self.text(&word[bare.len()..]);
        }
        self
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0.into_bytes()
    }
}

fn is_month_or_day(word: &str) -> bool {
    let form = |(nth, byte): (usize, u8)| match nth {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    matches!(word.len(), 7 | 10) && word.bytes().enumerate().all(form)
}

/// Returns bytes as text that does not play tricks, cut if it is long.
pub(super) fn shown(bytes: &[u8]) -> String {
    let text = decoded(bytes);
    match text.char_indices().nth(DATA_CHARACTERS_MAX) {
        None => escaped(text.as_bytes()),
        Some((end, _)) => escaped(&text.as_bytes()[..end]) + "…",
    }
}

pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHORT_CHARACTERS_MAX) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_written(expected: &str, write: impl FnOnce(&mut Html) -> &mut Html) {
        let mut html = Html::new();
        assert_eq!(write(&mut html).0, expected);
    }

    #[test]
    fn nothing_but_tags_is_markup() {
        let expected = "<p title=\"a&quot; onload=&#39;x&#39;&amp;\">\
                        &lt;script&gt;\\x1b[31m\\x00\\u{202e}&lt;/script&gt;";
        assert_written(expected, |html| {
            html.fill("<p title=\"{}\">", &[&"a\" onload='x'&"])
                .data(b"<script>\x1b[31m\0\xe2\x80\xae</script>")
        });
    }

    #[test]
    fn values_are_decoded_and_cut_between_characters() {
        assert_eq!(Html::of_data(b"PE\xd1A \x80").0, "PEÑA €");
        let long = "é".repeat(DATA_CHARACTERS_MAX);
        assert_eq!(shown(long.as_bytes()), long);
        assert_eq!(shown(format!("{long}é").as_bytes()), format!("{long}…"));
        let short = "é".repeat(SHORT_CHARACTERS_MAX);
        assert_eq!(shortened(&short), short);
        assert_eq!(shortened(&format!("{short}é")), format!("{short}…"));
    }

    #[test]
    fn words_of_sentences_have_their_tags() {
        let expected = "<code>--top</code> N cuts; see <code>--sort</code>.";
        assert_written(expected, |html| html.sentence("--top N cuts; see --sort."));
        let expected = "From <time>2018-04</time> to <time>2018-05-31</time>, 2018-4 and 2018-041.";
        assert_written(expected, |html| {
            html.sentence("From 2018-04 to 2018-05-31, 2018-4 and 2018-041.")
        });
        assert_written("sum(<wbr>A_<wbr>B)", |html| html.name("sum(A_B)"));
    }

    #[test]
    fn numbers_have_two_decimals_at_most() {
        let numbers: [&dyn Value; 3] = [&12.0, &(1.0 / 3.0), &-0.001];
        assert_written("12 0.33 0", |html| html.fill("{} {} {}", &numbers));
    }
}
