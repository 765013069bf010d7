//! Text as XML: of pages, charts and workbooks.

/// Says whether XML has a character: no document may have another one, not even by its number.
fn has(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => true,
        c => c >= ' ' && !matches!(c, '\u{fffe}' | '\u{ffff}'),
    }
}

/// Gives `push` the parts of `text` as XML, also for an attribute with quotes. A character that XML lacks gets a `name`.
pub(super) fn escape(text: &str, mut push: impl FnMut(&str), name: impl Fn(char) -> String) {
    for c in text.chars() {
        match c {
            '&' => push("&amp;"),
            '<' => push("&lt;"),
            '>' => push("&gt;"),
            '"' => push("&quot;"),
            '\'' => push("&#39;"),
            c if has(c) => push(c.encode_utf8(&mut [0; 4])),
            c => push(&name(c)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_characters_of_xml_are_left() {
        let mut out = String::new();
        let text = "a<b>&\"'\u{1}\u{b}\u{fffe}\u{ffff}\t\u{e000}\u{1f600}";
        let name = |c| format!("[{:x}]", u32::from(c));
        escape(text, |part| out.push_str(part), name);
        let expected = "a&lt;b&gt;&amp;&quot;&#39;[1][b][fffe][ffff]\t\u{e000}\u{1f600}";
        assert_eq!(out, expected);
    }
}
