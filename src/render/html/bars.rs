//! The chart of groups: a bar for each, its name before it and its value after it.

use super::chart::Chart;
use super::scale::short;
use super::writer::Html;
use crate::render::shown::columns_of;

/// The height of a bar and its gap, in pixels.
const ROW: f64 = 22.0;
const BAR: f64 = 15.0;

/// Names are cut to this width, in pixels; the table has them whole.
const NAME_WIDTH_MAX: f64 = 168.0;

/// If a value is longer, all are rounded.
const VALUE_CHARACTERS_MAX: usize = 10;

/// The width of a digit, in pixels.
const DIGIT: f64 = 7.2;

#[derive(Clone, Debug)]
pub(super) struct Bar {
    pub(super) name: String,
    /// None has no bar.
    pub(super) value: Option<f64>,
    /// The exact value.
    pub(super) shown: String,
}

/// Draws the chart; none without bars.
pub(super) fn draw(title: &str, text: &str, bars: &[Bar]) -> Option<Chart> {
    if bars.iter().all(|bar| bar.value.is_none()) {
        return None;
    }
    let values = || bars.iter().filter_map(|bar| bar.value);
    let (least, most) = (values().fold(0.0, f64::min), values().fold(0.0, f64::max));
    let range = if most > least { most - least } else { 1.0 };
    let place = |value: f64| 100.0 * (value - least) / range;
    let names: Vec<_> = bars.iter().map(|bar| cut(&bar.name)).collect();
    let labels = labels(bars);
    let widest = |widths: &mut dyn Iterator<Item = f64>| widths.fold(0.0, f64::max).ceil();
    let name_width = widest(&mut names.iter().map(|name| width(name)));
    let label_width = widest(&mut labels.iter().map(|label| DIGIT * label.len() as f64));

    let mut html = Html::default();
    for ((nth, bar), (name, label)) in bars.iter().enumerate().zip(names.iter().zip(&labels)) {
        let top = ROW * nth as f64;
        let value = bar.value.unwrap_or(0.0);
        let (from, to) = (place(value.min(0.0)), place(value.max(0.0)));
        html.fill(
            "<g><title>{}: {}</title><text class=\"name\" x=\"-10\" text-anchor=\"end\" y=\"{}\">{}</text>",
            &[&bar.name, &bar.shown, &(top + 12.5), name],
        );
        if bar.value.is_some() {
            html.fill(
                "<rect class=\"{}\" x=\"{}%\" width=\"{}%\" y=\"{}\" height=\"{}\"/>",
                &[&class(value), &from, &(to - from), &(top + 1.0), &BAR],
            );
        }
        html.fill(
            "<text dx=\"6\" x=\"{}%\" y=\"{}\">{}</text></g>",
            &[&to, &(top + 12.5), label],
        );
    }
    let (zero, bottom) = (place(0.0), ROW * bars.len() as f64 - (ROW - BAR) + 2.0);
    html.fill(
        "<line class=\"zero\" x1=\"{}%\" x2=\"{}%\" y2=\"{}\"/>",
        &[&zero, &zero, &bottom],
    );
    Some(Chart {
        title: title.to_owned(),
        text: text.to_owned(),
        drawing: html,
        height: ROW * bars.len() as f64,
        left: name_width + 10.0,
        right: label_width + 8.0,
        width_max: None,
    })
}

pub(super) fn class(value: f64) -> &'static str {
    if value < 0.0 { "minus" } else { "bar" }
}

/// Returns the values as they stand beside the bars: all exact, or all rounded if one is long.
fn labels(bars: &[Bar]) -> Vec<String> {
    let is_long = |bar: &Bar| bar.shown.len() > VALUE_CHARACTERS_MAX;
    let rounded = bars.iter().any(is_long);
    let label = |bar: &Bar| match bar.value {
        Some(value) if rounded => short(value),
        _ => bar.shown.clone(),
    };
    bars.iter().map(label).collect()
}

fn cut(name: &str) -> String {
    if width(name) <= NAME_WIDTH_MAX {
        return name.to_owned();
    }
    let mut used = width("…");
    let fitting = name.chars().take_while(|&c| {
        used += character_width(c);
        used <= NAME_WIDTH_MAX
    });
    fitting.collect::<String>().trim_end().to_owned() + "…"
}

/// Estimates the width of a text, in pixels. System fonts differ, so letters count as wide ones.
fn width(text: &str) -> f64 {
    text.chars().map(character_width).sum()
}

fn character_width(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | ' ' | '.' | ',' | ':' | '\'' | '|' => 4.0,
        'M' | 'W' | 'm' | 'w' | '@' | '…' => 11.5,
        'A'..='Z' | '&' | '%' => 8.8,
        '\0'..='\u{2ff}' => 7.2,
        // Of other scripts, letters are about as wide as capitals. Ideographs take two columns, and marks that combine none.
        c => match columns_of(c) {
            0 => 0.0,
            1 => 8.8,
            _ => 13.0,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_to_the_width_that_there_is() {
        assert_eq!(cut("CA"), "CA");
        for long in [
            "WWWWWWWWWWWWWWWWWWWWW",
            "illegible illegible illegible illegible",
            "漢字漢字漢字漢字漢字漢字漢字",
        ] {
            let cut = cut(long);
            assert!(cut.ends_with('…') && width(&cut) <= NAME_WIDTH_MAX, "{cut}");
            assert!(width(&cut) > NAME_WIDTH_MAX - 2.0 * 13.0, "{cut}");
        }
    }
}
