//! Takes a page apart, strictly: what the program writes has one form.

use std::collections::BTreeMap;

/// The elements of a page. No other may be there.
const ELEMENTS: [&str; 39] = [
    "html",
    "head",
    "meta",
    "link",
    "title",
    "style",
    "body",
    "main",
    "header",
    "p",
    "h1",
    "h2",
    "div",
    "dl",
    "dt",
    "dd",
    "figure",
    "figcaption",
    "svg",
    "desc",
    "g",
    "text",
    "rect",
    "line",
    "path",
    "section",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "ul",
    "li",
    "code",
    "time",
    "wbr",
    "br",
    "hr",
];

/// Elements without an end.
const VOID: [&str; 3] = ["meta", "link", "wbr"];

/// A page, taken apart.
#[derive(Debug, Default)]
pub struct Page {
    /// The texts of elements by name, in their order. The text of an element includes those within.
    texts: BTreeMap<String, Vec<String>>,
    /// The rows of each table, its head first.
    pub tables: Vec<Vec<Vec<String>>>,
}

impl Page {
    /// Parses a page strictly: elements are known and closed, attributes have quotes and known names.
    pub fn parse(html: &str) -> Page {
        let mut page = Page::default();
        let mut open: Vec<(String, String)> = Vec::new();
        let mut rest = html
            .strip_prefix("<!doctype html>\n")
            .expect("the type comes first");
        while let Some((text, tag_on)) = rest.split_once('<') {
            add_text(&mut open, &decode(text));
            let (tag, after) = tag_on.split_once('>').expect("tags end");
            rest = after;
            if let Some(name) = tag.strip_prefix('/') {
                let (opened, text) = open.pop().expect("an element is open");
                assert_eq!(opened, name, "elements are closed in order");
                page.close(name, text, &mut open);
                continue;
            }
            let (tag, is_closed) = match tag.strip_suffix('/') {
                Some(tag) => (tag, true),
                None => (tag, false),
            };
            let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
            assert!(ELEMENTS.contains(&name), "<{tag}>");
            check_attributes(attributes);
            match name {
                "style" => {
                    let (style, after) = rest.split_once("</style>").unwrap();
                    assert!(
                        !style.contains("url(")
                            && !style.contains("@import")
                            && !style.contains('<')
                    );
                    rest = after;
                }
                "table" => page.tables.push(Vec::new()),
                "tr" => page.tables.last_mut().unwrap().push(Vec::new()),
                _ => {}
            }
            if name != "style" && !is_closed && !VOID.contains(&name) {
                open.push((name.to_owned(), String::new()));
            }
        }
        assert!(open.is_empty() && rest == "\n", "{open:?} {rest:?}");
        page
    }

    fn close(&mut self, name: &str, text: String, open: &mut [(String, String)]) {
        add_text(open, &text);
        if let "th" | "td" = name {
            let row = self.tables.last_mut().and_then(|table| table.last_mut());
            row.unwrap().push(text.clone());
        }
        self.texts.entry(name.to_owned()).or_default().push(text);
    }

    pub fn texts(&self, name: &str) -> &[String] {
        self.texts.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the rows of the table whose first column has this name, without its head.
    pub fn table(&self, first: &str) -> &[Vec<String>] {
        let mut tables = self.tables.iter();
        let table = tables.find(|table| table[0][0] == first);
        &table.unwrap_or_else(|| panic!("no table of {first}: {:?}", self.tables))[1..]
    }
}

/// Adds text to the innermost element.
fn add_text(open: &mut [(String, String)], text: &str) {
    if let Some((_, all)) = open.last_mut() {
        all.push_str(text);
    }
}

/// Decodes references, and refuses bare characters that need one.
fn decode(text: &str) -> String {
    assert!(!text.contains(['>', '"', '\'']), "{text}");
    let mut parts = text.split('&');
    let mut decoded = parts.next().unwrap().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(';').expect("references end");
        decoded.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "#39" => '\'',
            other => panic!("&{other};"),
        });
        decoded.push_str(rest);
    }
    decoded
}

fn check_attributes(attributes: &str) {
    let mut rest = attributes;
    while !rest.is_empty() {
        let (name, value) = rest.split_once("=\"").expect("values have quotes");
        let (value, after) = value.split_once('"').unwrap();
        assert!(
            !name.starts_with("on")
                && name != "src"
                && name.chars().all(|c| c.is_ascii_lowercase()
                    || "-:1234X".contains(c)
                    || c == 'B'
                    || c == 'A'
                    || c == 'R'),
            "{name}"
        );
        assert!(name != "href" || value == "data:,", "{value}");
        rest = after.trim_start();
        assert!(rest.is_empty() || after.starts_with(' '), "{attributes}");
    }
}
