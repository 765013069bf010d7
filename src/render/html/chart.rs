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
        let mut html = Html::new();
        html.tags("<svg");
        if self.width_max.is_some() {
            html.tags(" class=\"time\"");
        }
        html.fill(
            "{} height=\"{}\" style=\"padding:0 {}px 0 {}px",
            &[&labelled(number), &self.height, &self.right, &self.left],
        );
        if let Some(width) = self.width_max {
            html.fill(";max-width:{}px", &[&width]);
        }
        let described = self.described(number);
        html.fill("\">{}{}</svg>", &[&described, &self.drawing]);
        html
    }

    pub(super) fn alone(&self) -> Vec<u8> {
        let height = TITLE + self.height + MARGIN;
        let (left, right) = (self.left + MARGIN, self.right + MARGIN);
        let width = self.width_max.unwrap_or(WIDTH) + 2.0 * MARGIN;
        let width = width.clamp(WIDTH / 2.0, WIDTH);
        let mut svg = Html::new();
        svg.fill(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\"{}>\n{}\n",
            &[&width, &height, &width, &height, &labelled(1), &self.described(1)],
        );
        svg.tags(
            "<style>text{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,Arial,sans-serif}",
        );
        svg.tags("svg .title{fill:var(--ink);font-size:17px;font-weight:600}");
        let is_of_charts = |rule: &&str| {
            let rules = [":root", "@media screen", "svg text", "svg ."];
            rules.iter().any(|begin| rule.starts_with(begin))
        };
        STYLE
            .lines()
            .filter(is_of_charts)
            .for_each(|rule| _ = svg.tags(rule));
        svg.tags("</style>\n<rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n");
        svg.fill(
            "<text class=\"title\" x=\"{}\" y=\"27\">{}</text>\n",
            &[&MARGIN, &self.title],
        );
        svg.fill(
            "<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" overflow=\"visible\">{}</svg>\n</svg>\n",
            &[&left, &TITLE, &(width - left - right), &self.height, &self.drawing],
        );
        svg.into_bytes()
    }

    fn described(&self, number: usize) -> Html {
        let mut html = Html::new();
        html.fill(
            "<title id=\"chart-{}\">{}</title><desc id=\"chart-text-{}\">{}</desc>",
            &[
                &number.to_string(),
                &self.title,
                &number.to_string(),
                &self.text,
            ],
        );
        html
    }
}

/// Returns the attributes that lead to the description of the chart with this number.
fn labelled(number: usize) -> Html {
    let (mut html, number) = (Html::new(), number.to_string());
    html.fill(
        " role=\"img\" aria-labelledby=\"chart-{} chart-text-{}\"",
        &[&number, &number],
    );
    html
}
