//! Writes HTML. Markup is part of the program, and all else is escaped: no method takes markup that was made at
//! run time, except that of another [`Html`].

use std::fmt::{Display, Write};

use crate::error::escaped;
use crate::render::decoded;

/// Longer values are cut: a page is for people.
const DATA_CHARACTERS_MAX: usize = 300;

/// So are values in sentences and in large letters.
const SHORT_CHARACTERS_MAX: usize = 60;

/// HTML in the making.
#[derive(Clone, Debug, Default)]
pub(super) struct Html(String);

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

    /// Appends tags.
    pub(super) fn tags(&mut self, tags: &'static str) -> &mut Html {
        self.0.push_str(tags);
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

    pub(super) fn html(&mut self, html: &Html) -> &mut Html {
        self.0.push_str(&html.0);
        self
    }

    /// Appends a number of an attribute, with at most two decimals.
    pub(super) fn number(&mut self, number: f64) -> &mut Html {
        // Zero has no sign.
        let hundredths = (number * 100.0).round() / 100.0 + 0.0;
        write!(self.0, "{hundredths}").expect("memory takes all");
        self
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0.into_bytes()
    }
}

/// Returns whether a word has the form `2018-04` or `2018-04-01`.
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

/// Cuts a text that stands in a sentence or in large letters.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHORT_CHARACTERS_MAX) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(html: &Html) -> &str {
        &html.0
    }

    #[test]
    fn nothing_but_tags_is_markup() {
        let mut html = Html::new();
        html.tags("<p title=\"").text("a\" onload='x'&").tags("\">");
        html.data(b"<script>\x1b[31m\0\xe2\x80\xae</script>");
        let expected = "<p title=\"a&quot; onload=&#39;x&#39;&amp;\">\
                        &lt;script&gt;\\x1b[31m\\x00\\u{202e}&lt;/script&gt;";
        assert_eq!(written(&html), expected);
    }

    #[test]
    fn data_is_decoded_and_cut_between_characters() {
        assert_eq!(written(&Html::of_data(b"PE\xd1A \x80")), "PEÑA €");
        let long = "é".repeat(DATA_CHARACTERS_MAX);
        assert_eq!(written(&Html::of_data(long.as_bytes())), long);
        let longer = format!("{long}é");
        assert_eq!(
            written(&Html::of_data(longer.as_bytes())),
            format!("{long}…")
        );
    }

    #[test]
    fn values_in_sentences_are_cut_sooner() {
        let text = "é".repeat(SHORT_CHARACTERS_MAX);
        assert_eq!(shortened(&text), text);
        assert_eq!(shortened(&format!("{text}é")), format!("{text}…"));
    }

    #[test]
    fn options_in_sentences_are_code() {
        let mut html = Html::new();
        html.sentence("--top N cuts; see --sort.");
        let expected = "<code>--top</code> N cuts; see <code>--sort</code>.";
        assert_eq!(written(&html), expected);
    }

    #[test]
    fn months_and_days_in_sentences_are_times() {
        let mut html = Html::new();
        html.sentence("From 2018-04 to 2018-05-31, 2018-4 and 2018-041.");
        let expected = "From <time>2018-04</time> to <time>2018-05-31</time>, 2018-4 and 2018-041.";
        assert_eq!(written(&html), expected);
    }

    #[test]
    fn names_can_be_broken() {
        let mut html = Html::new();
        html.name("sum(A_B)");
        assert_eq!(written(&html), "sum(<wbr>A_<wbr>B)");
    }

    #[test]
    fn numbers_have_two_decimals_at_most() {
        let mut html = Html::new();
        html.number(12.0)
            .text(" ")
            .number(1.0 / 3.0)
            .text(" ")
            .number(-0.001);
        assert_eq!(written(&html), "12 0.33 0");
    }
}
