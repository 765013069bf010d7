//! The chart of a measure over time: a column for each month or year, with a scale, a calendar, and the highest
//! value in words. Months that have no rows keep their place.
//!
//! Positions along the time are percentages, so the chart has the width of the page, and its letters stay as
//! large as the others.

use std::ops::Range;

use super::bars::class;
use super::chart::Chart;
use super::scale::Scale;
use super::writer::Html;
use crate::fec::month::Month;

/// With more months than this, columns would be thinner than a line.
const COLUMNS_MAX: usize = 180;

/// The plot, in pixels from the top.
const TOP: f64 = 26.0;
const BOTTOM: f64 = 222.0;

/// The widest column and its gap, in pixels.
const WIDTH_MAX: f64 = 90.0;

/// The labels of the calendar are no more than this.
const LABELS_MAX: usize = 8;

/// The widths of a year's label and of a bold digit, in pixels.
const YEAR: f64 = 30.0;
const DIGIT: f64 = 7.2;

/// The distance of months or years.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Month,
    Year,
}

impl Unit {
    /// Parses a month `YYYY-MM` or a year `YYYY` of the calendar, as a number that grows by one from each to
    /// the next.
    pub(super) fn parse(self, key: &[u8]) -> Option<usize> {
        let six = match (self, key) {
            (Unit::Year, &[a, b, c, d]) => [a, b, c, d, b'0', b'1'],
            (Unit::Month, &[a, b, c, d, b'-', e, f]) => [a, b, c, d, e, f],
            _ => return None,
        };
        let month = Month::of_digits(six).filter(|month| month.is_calendar_month())?;
        let (year, month) = (month.number() as usize / 100, month.number() as usize % 100);
        Some(match self {
            Unit::Year => year,
            Unit::Month => year * 12 + month - 1,
        })
    }

    /// Names what [`Unit::parse`] made a number of.
    pub(super) fn name(self, time: usize) -> String {
        match self {
            Unit::Year => format!("{time}"),
            Unit::Month => format!("{:04}-{:02}", time / 12, time % 12 + 1),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) time: usize,
    pub(super) value: f64,
    /// The exact value.
    pub(super) shown: String,
}

/// A chart of points, which ascend.
struct Plot<'a> {
    unit: Unit,
    points: &'a [Point],
    first: usize,
    /// The number of months or years.
    count: usize,
    scale: Scale,
}

/// Draws the chart of points, which ascend; none without points.
pub(super) fn draw(unit: Unit, title: &str, points: &[Point]) -> Option<Chart> {
    let (first, last) = (points.first()?.time, points.last()?.time);
    let peak = points.iter().reduce(|peak, point| {
        if point.value > peak.value {
            point
        } else {
            peak
        }
    })?;
    let values = points.iter().map(|point| point.value);
    let plot = Plot {
        unit,
        points,
        first,
        count: last - first + 1,
        scale: Scale::of(values.fold(0.0, f64::min), peak.value),
    };
    let mut html = Html::default();
    plot.draw_scale(&mut html);
    if plot.count > COLUMNS_MAX {
        plot.draw_needles(&mut html);
    } else {
        plot.draw_columns(&mut html);
    }
    horizontal("zero", plot.y(0.0), &mut html);
    if plot.labels_months() {
        plot.draw_months(&mut html);
    } else {
        plot.draw_years(&mut html);
    }
    plot.draw_peak(peak, &mut html);
    let [from, to, highest] = [first, last, peak.time].map(|time| unit.name(time));
    let shown = &peak.shown;
    let right = plot.letters_beyond(peak);
    // Months have a second row of letters, for years.
    let letters = if plot.labels_months() { 38.0 } else { 22.0 };
    Some(Chart {
        title: title.to_owned(),
        text: format!(
            "From {from} to {to}. The highest: {shown} in {highest}. The table has all values."
        ),
        drawing: html,
        height: BOTTOM + letters,
        left: 46.0,
        right,
        width_max: Some(46.0 + right + WIDTH_MAX * plot.count as f64),
    })
}

impl Plot<'_> {
    /// Returns the place of a time, in percent of the width, `part` of its slot from the left.
    fn x(&self, time: usize, part: f64) -> f64 {
        100.0 * ((time - self.first) as f64 + part) / self.count as f64
    }

    /// Returns the place of a value, in pixels from the top.
    fn y(&self, value: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * self.scale.at(value)
    }

    fn labels_months(&self) -> bool {
        self.unit == Unit::Month && self.count <= 14
    }

    fn times(&self) -> Range<usize> {
        self.first..self.first + self.count
    }

    /// Returns the pixels to keep free on the right, so that letters may stand at their place: a year to the right of its tick,
    /// and a value in the middle above its column.
    fn letters_beyond(&self, peak: &Point) -> f64 {
        let has_ticks = self.unit == Unit::Month && !self.labels_months();
        let year = if has_ticks { YEAR } else { 0.0 };
        let value = match self.x(peak.time, 0.5) {
            70.0.. => (DIGIT * peak.shown.len() as f64 / 2.0).ceil(),
            _ => 0.0,
        };
        year.max(value)
    }

    fn draw_columns(&self, html: &mut Html) {
        let gap = if self.count > 60 { 0.1 } else { 0.2 };
        let width = 100.0 * (1.0 - gap) / self.count as f64;
        for point in self.points {
            let (low, high) = (self.y(point.value.min(0.0)), self.y(point.value.max(0.0)));
            let (class, x) = (class(point.value), self.x(point.time, gap / 2.0));
            let name = self.unit.name(point.time);
            html.fill(
                "<rect class=\"{}\" x=\"{}%\" width=\"{}%\" y=\"{}\" height=\"{}\"><title>{}: {}</title></rect>",
                &[&class, &x, &width, &high, &(low - high), &name, &point.shown],
            );
        }
    }

    fn draw_years(&self, html: &mut Html) {
        let (months, years) = match self.unit {
            Unit::Year => (1, self.count),
            Unit::Month => (12, self.count.div_ceil(12) + 1),
        };
        let step = months * years.div_ceil(LABELS_MAX);
        for time in self.times().filter(|time| time.is_multiple_of(step)) {
            let year = (time / months).to_string();
            if self.unit == Unit::Year {
                letters(MIDDLE, self.x(time, 0.5), BOTTOM + 17.0, &year, html);
                continue;
            }
            let x = self.x(time, 0.0);
            html.fill(
                "<line class=\"zero\" x1=\"{}%\" x2=\"{}%\" y1=\"{}\" y2=\"{}\"/>",
                &[&x, &x, &BOTTOM, &(BOTTOM + 5.0)],
            );
            letters("", x, BOTTOM + 17.0, &year, html);
        }
    }

    fn draw_months(&self, html: &mut Html) {
        const NAMES: [&str; 12] = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ];
        for (nth, time) in self.times().enumerate() {
            let (name, place) = (NAMES[time % 12], self.x(time, 0.5));
            // Narrow pages leave out every second one.
            let attributes = if nth % 2 == 1 && self.count > 7 {
                " text-anchor=\"middle\" class=\"second\""
            } else {
                MIDDLE
            };
            letters(attributes, place, BOTTOM + 17.0, name, html);
            if nth == 0 || time % 12 == 0 {
                let year = (time / 12).to_string();
                letters(MIDDLE, place, BOTTOM + 33.0, &year, html);
            }
        }
    }

    fn draw_peak(&self, peak: &Point, html: &mut Html) {
        if peak.value <= 0.0 {
            return;
        }
        // The scale stands to the left.
        let (place, attributes) = match self.x(peak.time, 0.5) {
            ..12.0 => (self.x(peak.time, 0.1), " class=\"peak\""),
            place => (place, " text-anchor=\"middle\" class=\"peak\""),
        };
        let y = self.y(peak.value) - 6.0;
        letters(attributes, place, y, &peak.shown, html);
    }

    fn draw_scale(&self, html: &mut Html) {
        for (value, label) in self.scale.ticks() {
            let y = self.y(value);
            horizontal("grid", y, html);
            html.fill(
                "<text x=\"-8\" y=\"{}\" text-anchor=\"end\">{}</text>",
                &[&(y + 4.0), &label],
            );
        }
    }

    /// Draws a thin line for each of very many points.
    fn draw_needles(&self, html: &mut Html) {
        html.fill(
            "<svg y=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" viewBox=\"0 0 {} 100\">",
            &[&TOP, &(BOTTOM - TOP), &(self.count as f64)],
        );
        html.tags("<path class=\"needles\" vector-effect=\"non-scaling-stroke\" d=\"");
        let place = |value| 100.0 - 100.0 * self.scale.at(value);
        for point in self.points {
            let x = (point.time - self.first) as f64 + 0.5;
            html.fill("M{} {}V{}", &[&x, &place(0.0), &place(point.value)]);
        }
        html.tags("\"/></svg>");
    }
}

/// The attribute of letters whose place is their middle. It is the beginning otherwise.
const MIDDLE: &str = " text-anchor=\"middle\"";

fn letters(attributes: &'static str, place: f64, y: f64, text: &str, html: &mut Html) {
    html.fill("<text x=\"{}%\" y=\"{}\"", &[&place, &y]);
    html.tags(attributes).fill(">{}</text>", &[&text]);
}

fn horizontal(class: &str, y: f64, html: &mut Html) {
    html.fill(
        "<line class=\"{}\" x2=\"100%\" y1=\"{}\" y2=\"{}\"/>",
        &[&class, &y, &y],
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_the_calendar_are_numbers_without_gaps() {
        assert_eq!(Unit::Year.parse(b"2018"), Some(2018));
        let months =
            ["2017-12", "2018-01", "2018-02"].map(|month| Unit::Month.parse(month.as_bytes()));
        assert_eq!(months, [24215, 24216, 24217].map(Some));
        assert_eq!(Unit::Month.name(24215), "2017-12");
        for other in [
            "", "2018", "2018-13", "2018-00", "1597-02", "2100-01", "2018-1", "+018-01", "2018/01",
        ] {
            assert_eq!(Unit::Month.parse(other.as_bytes()), None, "{other}");
        }
        for other in ["", "18", "1597", "2100", "2018 ", "+201"] {
            assert_eq!(Unit::Year.parse(other.as_bytes()), None, "{other}");
        }
    }
}
