//! Writes HTML. Markup is part of the program, and all else is escaped: no method takes markup that was made at
//! run time, except that of another [`Html`].

use std::fmt::{Display, Write};

use crate::error::escaped;
use crate::render::{decoded, xml};

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
        text(self).write_to(html);
    }
}

impl Value for String {
    fn write_to(&self, html: &mut Html) {
        text(self).write_to(html);
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
    /// Returns tags, with the next of `values` at each `{}`.
    pub(super) fn of(tags: &'static str, values: &[&dyn Value]) -> Html {
        let mut html = Html::default();
        html.fill(tags, values);
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
                let value = values.next().expect("a value for each place");
                value.write_to(self);
            }
            self.tags(part);
        }
        debug_assert!(values.next().is_none(), "a place for each value: {tags}");
        self
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0.into_bytes()
    }
}

impl FromIterator<Html> for Html {
    fn from_iter<I: IntoIterator<Item = Html>>(parts: I) -> Html {
        Html(parts.into_iter().map(|part| part.0).collect())
    }
}

/// Returns text, also for an attribute with quotes. Control characters and text direction marks are made visible, whoever wrote them.
pub(super) fn text(text: impl Display) -> Html {
    let mut html = String::new();
    let safe = escaped(text.to_string().as_bytes());
    let name = |c: char| escaped(c.to_string().as_bytes());
    xml::escape(&safe, |part| html.push_str(part), name);
    Html(html)
}

/// Returns the name of a column, which may be broken after `_` and `(`.
pub(super) fn name(name: &str) -> Html {
    let parts = name.split_inclusive(['_', '(']).map(|part| {
        let end = if part.ends_with(['_', '(']) {
            "<wbr>"
        } else {
            ""
        };
        Html(text(part).0 + end)
    });
    parts.collect()
}

/// Returns bytes of the data: decoded, and cut if they are many.
pub(super) fn data(bytes: &[u8]) -> Html {
    text(shown(bytes))
}

/// Returns a sentence. Words such as `--top` are options. Months and days are not broken at their dashes.
pub(super) fn sentence(sentence: &str) -> Html {
    let words = sentence.split_inclusive(' ').map(|word| {
        let bare = word.trim_end_matches([' ', '.', ',', ';', ':', ')']);
        let tags = match bare {
            option if option.starts_with("--") => "<code>{}</code>{}",
            day if is_month_or_day(day) => "<time>{}</time>{}",
            _ => "{}{}",
        };
        Html::of(tags, &[&bare, &&word[bare.len()..]])
    });
    words.collect()
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

    #[test]
    fn nothing_but_tags_is_markup() {
        let expected = "<p title=\"a&quot; onload=&#39;x&#39;&amp;\">\
                        &lt;script&gt;\\x1b[31m\\x00\\u{202e}&lt;/script&gt;";
        let script = data(b"<script>\x1b[31m\0\xe2\x80\xae</script>");
        let html = Html::of("<p title=\"{}\">{}", &[&"a\" onload='x'&", &script]);
        assert_eq!(html.0, expected);
    }

    #[test]
    fn values_are_decoded_and_cut_between_characters() {
        assert_eq!(data(b"PE\xd1A \x80").0, "PEÑA €");
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
        assert_eq!(sentence("--top N cuts; see --sort.").0, expected);
        let expected = "From <time>2018-04</time> to <time>2018-05-31</time>, 2018-4 and 2018-041.";
        let dates = sentence("From 2018-04 to 2018-05-31, 2018-4 and 2018-041.");
        assert_eq!(dates.0, expected);
        assert_eq!(name("sum(A_B)").0, "sum(<wbr>A_<wbr>B)");
    }

    #[test]
    fn numbers_have_two_decimals_at_most() {
        let numbers: [&dyn Value; 3] = [&12.0, &(1.0 / 3.0), &-0.001];
        assert_eq!(Html::of("{} {} {}", &numbers).0, "12 0.33 0");
    }
}
