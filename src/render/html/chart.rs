//! A chart, in a page or as a file of its own.

use super::writer::Html;

/// The width of a file of its own, in pixels. On a page, the chart is as wide as the page.
const WIDTH: f64 = 760.0;

/// The room for the title, and the margin of a file of its own, in pixels.
const TITLE: f64 = 44.0;
const MARGIN: f64 = 12.0;

/// What a page says in its style sheet, as far as charts need it.
const STYLE: &str = include_str!("style.css");

/// A drawing, whose places along the width are percentages.
pub(super) struct Chart {
    pub(super) title: String,
    /// A sentence for readers who can't see the chart.
    pub(super) text: String,
    pub(super) drawing: Html,
    pub(super) height: f64,
    /// The room for letters on both sides, in pixels.
    pub(super) left: f64,
    pub(super) right: f64,
    /// The width that it needs at most, in pixels.
    pub(super) width_max: Option<f64>,
}

impl Chart {
    pub(super) fn on_page(&self, number: usize) -> Html {
        let (class, width) = match self.width_max {
            Some(width) => (" class=\"time\"", Html::of(";max-width:{}px", &[&width])),
            None => ("", Html::default()),
        };
        let mut html = Html::default();
        html.tags("<svg").tags(class).fill(
            "{} height=\"{}\" style=\"padding:0 {}px 0 {}px{}\">{}{}</svg>",
            &[
                &labelled(number),
                &self.height,
                &self.right,
                &self.left,
                &width,
                &self.described(number),
                &self.drawing,
            ],
        );
        html
    }

    pub(super) fn alone(&self) -> Vec<u8> {
        let height = TITLE + self.height + MARGIN;
        let (left, right) = (self.left + MARGIN, self.right + MARGIN);
        let width = self.width_max.unwrap_or(WIDTH) + 2.0 * MARGIN;
        let width = width.clamp(WIDTH / 2.0, WIDTH);
        let mut svg = Html::of(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\"{}>\n{}\n\
             <style>text{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,Arial,sans-serif}\
             svg .title{fill:var(--ink);font-size:17px;font-weight:600}",
            &[
                &width,
                &height,
                &width,
                &height,
                &labelled(1),
                &self.described(1),
            ],
        );
        let is_of_charts = |rule: &&str| {
            let rules = [":root", "@media screen", "svg text", "svg ."];
            rules.iter().any(|begin| rule.starts_with(begin))
        };
        let rules = STYLE.lines().filter(is_of_charts);
        rules.for_each(|rule| _ = svg.tags(rule));
        svg.fill(
            "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n\
             <text class=\"title\" x=\"{}\" y=\"27\">{}</text>\n\
             <svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" overflow=\"visible\">{}</svg>\n</svg>\n",
            &[
                &MARGIN,
                &self.title,
                &left,
                &TITLE,
                &(width - left - right),
                &self.height,
                &self.drawing,
            ],
        );
        svg.into_bytes()
    }

    fn described(&self, number: usize) -> Html {
        let number = number.to_string();
        Html::of(
            "<title id=\"chart-{}\">{}</title><desc id=\"chart-text-{}\">{}</desc>",
            &[&number, &self.title, &number, &self.text],
        )
    }
}

/// Returns the attributes that lead to the description of the chart with this number.
fn labelled(number: usize) -> Html {
    let number = number.to_string();
    Html::of(
        " role=\"img\" aria-labelledby=\"chart-{} chart-text-{}\"",
        &[&number, &number],
    )
}
