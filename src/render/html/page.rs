//! The parts of a page: head, facts, figure, tables, sentences, sources. One file, without scripts, that asks for
//! nothing else; a policy in its head forbids both to any markup that should slip through.

use std::fmt::Display;
use std::time::{SystemTime, UNIX_EPOCH};

use super::chart::Chart;
use super::writer::{Html, name, sentence, shortened, shown, text};
use crate::fec::date;
use crate::fold::FileLines;
use crate::input::name_of;
use crate::render::numbers::{counted, grouped, of_scanned, one_or_many};
use crate::render::page::sizes;
use crate::render::shown::columns;

const STYLE: &str = include_str!("style.css");

/// Longer figures have smaller letters.
const LARGE_COLUMNS_MAX: usize = 9;

/// A longer table may continue in the next column of the page.
const WHOLE_ROWS_MAX: usize = 40;

pub(super) struct Page {
    pub(super) html: Html,
    tables: usize,
    charts: usize,
}

// The attributes of cells.
pub(super) const NAMES: &str = "";
pub(super) const NUMBERS: &str = " class=\"n\"";
/// That of numbers with their units, which a narrow page may break. Names of rows and columns are never broken.
const SIZES: &str = " class=\"n size\"";

/// A table. The first column names the rows.
#[derive(Default)]
pub(super) struct Table<'a> {
    pub(super) title: &'a str,
    pub(super) under: &'a str,
    pub(super) columns: Vec<(&'a str, &'static str)>,
    pub(super) rows: Vec<Vec<Html>>,
    /// The last row is that of all others.
    pub(super) has_rest: bool,
    /// Says that rows are missing.
    pub(super) cut: Option<String>,
}

impl Page {
    pub(super) fn new(title: &str, files: &[FileLines]) -> Page {
        let about = about(files);
        let mut html = Html::of(
            include_str!("head.html"),
            &[&env!("CARGO_PKG_VERSION"), &title, &about],
        );
        html.tags(STYLE).fill(
            "</style>\n</head>\n<body>\n<main>\n<header>\n<p class=\"kicker\">{}</p>\n<h1>{}</h1>\n",
            &[&about, &name(title)],
        );
        Page {
            html,
            tables: 0,
            charts: 0,
        }
    }

    fn paragraph(&mut self, class: &str, words: &str) {
        self.html
            .fill("<p class=\"{}\">{}</p>\n", &[&class, &sentence(words)]);
    }

    /// Ends the header with a sentence, and the advice before all else.
    pub(super) fn dek(&mut self, sentence: &str) {
        self.paragraph("dek", sentence);
        self.html.tags("</header>\n");
    }

    /// Shows what must be read first.
    pub(super) fn advice(&mut self, sentences: &[String]) {
        let sentences = sentences.iter();
        let sentences = sentences.map(|it| Html::of("<p>{}</p>\n", &[&sentence(it)]));
        self.html.fill(
            "<div class=\"advice\" role=\"note\">\n{}</div>\n",
            &[&sentences.collect::<Html>()],
        );
    }

    /// Shows the figures that sum up the rest.
    pub(super) fn facts(&mut self, facts: &[Fact]) {
        self.html.tags("<dl class=\"facts\">\n");
        for (name, number, remark) in facts {
            let is_large = columns(number.as_bytes(), usize::MAX) <= LARGE_COLUMNS_MAX;
            let tags = if is_large {
                "<div><dt>{}</dt><dd>{}</dd>"
            } else {
                "<div><dt>{}</dt><dd class=\"small\">{}</dd>"
            };
            self.html.fill(tags, &[name, &shortened(number)]);
            if !remark.is_empty() {
                self.html.fill("<dd>{}</dd>", &[remark]);
            }
            self.html.tags("</div>\n");
        }
        self.html.tags("</dl>\n");
    }

    pub(super) fn figure(&mut self, title: &str, under: &str, chart: &Chart, notes: &[String]) {
        self.charts += 1;
        self.html
            .fill("<figure>\n<figcaption><h2>{}</h2>\n", &[&name(title)]);
        if !under.is_empty() {
            self.paragraph("under", under);
        }
        let chart = chart.on_page(self.charts);
        self.html.fill("</figcaption>\n{}\n", &[&chart]);
        notes.iter().for_each(|note| self.paragraph("cut", note));
        self.html.tags("</figure>\n");
    }

    pub(super) fn table(&mut self, table: Table<'_>) {
        self.tables += 1;
        let id = format!("table-{}", self.tables);
        self.html.tags(if table.rows.len() > WHOLE_ROWS_MAX {
            "<section class=\"long\""
        } else {
            "<section"
        });
        self.html.fill(
            " aria-labelledby=\"{}\">\n<h2 id=\"{}\">{}</h2>\n",
            &[&id, &id, &table.title],
        );
        if !table.under.is_empty() {
            self.paragraph("under", table.under);
        }
        self.html.fill(
            "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-labelledby=\"{}\">\n<table>\n<thead>\n<tr>",
            &[&id],
        );
        let of_name = |class: &'static str| if class == SIZES { NUMBERS } else { class };
        for &(title, class) in &table.columns {
            let html = self.html.tags("<th scope=\"col\"").tags(of_name(class));
            html.fill(">{}</th>", &[&name(title)]);
        }
        self.html.tags("</tr>\n</thead>\n<tbody>\n");
        let last = table.rows.len().saturating_sub(1);
        for (nth, row) in table.rows.iter().enumerate() {
            self.html.tags(if table.has_rest && nth == last {
                "<tr class=\"rest\">"
            } else {
                "<tr>"
            });
            for (nth, (cell, &(_, class))) in row.iter().zip(&table.columns).enumerate() {
                let (name, class, rest) = match nth {
                    0 => ("<th scope=\"row\"", of_name(class), ">{}</th>"),
                    _ => ("<td", class, ">{}</td>"),
                };
                self.html.tags(name).tags(class).fill(rest, &[cell]);
            }
            self.html.tags("</tr>\n");
        }
        self.html.tags("</tbody>\n</table>\n</div>\n");
        if let Some(cut) = table.cut {
            self.paragraph("cut", &cut);
        }
        self.html.tags("</section>\n");
    }

    pub(super) fn rules(&mut self, sentences: &[String]) {
        let sentences = sentences.iter();
        let sentences = sentences.map(|it| Html::of("<li>{}</li>\n", &[&sentence(it)]));
        self.html.fill(
            "<section class=\"rules\">\n<h2>What is counted</h2>\n<ul>\n{}</ul>\n</section>\n",
            &[&sentences.collect::<Html>()],
        );
    }

    /// Lists the files, and ends the page with the command that made it.
    pub(super) fn sources(mut self, files: &[FileLines], filtered: bool, command: &str) -> Vec<u8> {
        let row = |file: &FileLines| {
            let bytes = sizes(file.stored_bytes.unwrap_or(file.bytes), file.bytes);
            let day = file.modified.and_then(iso_day);
            vec![
                text(file_name(file)),
                sentence(day.as_deref().unwrap_or("-")),
                text(together(&bytes)),
                text(grouped(file.lines)),
            ]
        };
        let lines = if filtered { "matching lines" } else { "lines" };
        self.table(Table {
            title: "Sources",
            columns: vec![
                ("file", NAMES),
                ("last modified, UTC", NAMES),
                ("size", SIZES),
                (lines, NUMBERS),
            ],
            rows: files.iter().take(ROWS_MAX).map(row).collect(),
            cut: cut(files.len(), "files", "-f json"),
            ..Table::default()
        });
        for file in files {
            for note in &file.notes {
                self.html.fill(
                    "<p class=\"cut\">{}: {}</p>\n",
                    &[&file_name(file), &sentence(&note.with_advice())],
                );
            }
        }
        self.html.fill(
            "<p class=\"cut\">Made by fecscan {}, with this command:</p>\n\
             <p class=\"command\"><code>{}</code></p>\n</main>\n</body>\n</html>\n",
            &[&env!("CARGO_PKG_VERSION"), &command],
        );
        self.html.into_bytes()
    }
}

/// Returns a size or two, whose numbers stay with their units.
fn together(sizes: &str) -> String {
    let units = [" B", " kB", " MB", " GB", " TB", " PB"];
    units.iter().fold(sizes.to_owned(), |sizes, unit| {
        sizes.replace(unit, &unit.replace(' ', "\u{a0}"))
    })
}

/// Tables end after this number of rows.
pub(super) const ROWS_MAX: usize = 250;

/// Returns the line below a table that says how many of `all` rows are missing.
pub(super) fn cut(all: usize, what: &str, elsewhere: impl Display) -> Option<String> {
    let more = all.checked_sub(ROWS_MAX).filter(|more| *more > 0)?;
    Some(format!(
        "… and {} more {what}; {elsewhere} lists all.",
        grouped(more as u64)
    ))
}

fn about(files: &[FileLines]) -> String {
    match files {
        [one] => file_name(one),
        many => format!("{} files", grouped(many.len() as u64)),
    }
}

fn file_name(file: &FileLines) -> String {
    shown(name_of(&file.path).as_encoded_bytes())
}

/// Returns a number of lines in words: `1 line`, `8 of 9 lines`.
pub(super) fn lines(lines: u64, scanned: Option<u64>) -> String {
    let all = counted(scanned.unwrap_or(lines), "line", "lines");
    match scanned {
        Some(_) => format!("{} of {all}", grouped(lines)),
        None => all,
    }
}

/// A name, a number, and a remark.
pub(super) type Fact = (&'static str, String, String);

pub(super) fn lines_fact(lines: u64, scanned: Option<u64>) -> Fact {
    let scanned = scanned.map(|all| of_scanned(lines, all));
    ("lines", grouped(lines), scanned.unwrap_or_default())
}

/// Returns the line below a chart that says how many rows are not in it.
pub(super) fn not_shown(rows: u64, what: &str) -> Vec<String> {
    let (noun, verb) = (counted(rows, "row", "rows"), one_or_many(rows, "is", "are"));
    let note = (rows > 0).then(|| format!("{noun} without {what} {verb} not shown."));
    note.into_iter().collect()
}

pub(super) fn share(part: u64, all: u64) -> String {
    format!("{:.2} %", 100.0 * part as f64 / all.max(1) as f64)
}

/// Returns the day of a time in UTC; none outside of the years 1970 to 9999.
fn iso_day(time: SystemTime) -> Option<String> {
    let days = time.duration_since(UNIX_EPOCH).ok()?.as_secs() / 86_400;
    let last = date::days_since_1970(99_991_231);
    let days = i32::try_from(days).ok().filter(|days| *days <= last)?;
    Some(date::iso(date::of_days_since_1970(days)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn days_have_four_digits_of_the_year() {
        let day = |seconds| iso_day(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(day(86_399).unwrap(), "1970-01-01");
        assert_eq!(day(20_779 * 86_400).unwrap(), "2026-11-22");
        assert_eq!(day(2_932_897 * 86_400 - 1).unwrap(), "9999-12-31");
        assert_eq!(day(2_932_897 * 86_400), None);
        assert_eq!(day(1 << 40), None);
        assert_eq!(iso_day(UNIX_EPOCH - Duration::from_secs(1)), None);
    }
}
