//! Groups as a page: a chart over time if the only key is a month or a year, else bars.

use super::bars::{self, Bar};
use super::chart::Chart;
use super::columns::{self, Point, Unit};
use super::page::{Fact, NAMES, NUMBERS, Page, ROWS_MAX, Table, cut, lines, lines_fact, not_shown};
use super::words;
use super::writer::{shortened, shown, text};
use crate::grouped::{Group, Grouped};
use crate::render::group_table::REST;
use crate::render::measure::{self, Measure, Share, TimeUnit, number};
use crate::render::numbers::grouped as with_commas;
use crate::render::sentences::{sentences, why_empty};
use crate::sql::{Type, Value};

/// More bars are hard to read.
const BARS_MAX: usize = 30;

/// Renders groups as one HTML file. `command` is the command line that made it.
pub fn groups(grouped: &Grouped, command: &str, named: Option<&str>) -> Vec<u8> {
    let of_page = named.map_or_else(|| title(grouped), str::to_owned);
    let mut page = Page::new(&of_page, &grouped.files);
    page.dek(&summary(grouped, Measure::of(grouped)));
    page.facts(&facts(grouped, Measure::of(grouped)));
    page.chart(grouped, &title(grouped));
    if !grouped.is_empty() || grouped.rest().is_some() {
        page.groups(grouped);
    }
    page.rules(&sentences(grouped));
    page.sources(&grouped.files, grouped.lines_scanned.is_some(), command)
}

fn title(grouped: &Grouped) -> String {
    let measure = words::measure(Measure::of(grouped).name(grouped));
    format!("{measure} by {}", words::keys(grouped.key_names()))
}

fn key_shown(key: &Value) -> String {
    shown(&measure::key_bytes(key))
}

fn name(grouped: &Grouped, group: Group<'_>) -> String {
    let keys = (0..grouped.key_names().len()).map(|nth| key_shown(&group.key(nth)));
    keys.collect::<Vec<_>>().join(" · ")
}

fn summary(grouped: &Grouped, measure: Measure) -> String {
    let rows = lines(grouped.lines, grouped.lines_scanned);
    let value = |group| number(&measure.value(group));
    let all = grouped.iter();
    let greatest = all.reduce(|most, group| {
        if value(group) > value(most) {
            group
        } else {
            most
        }
    });
    let Some(greatest) = greatest else {
        return match grouped.rest() {
            Some(_) => format!("{rows}, and no group is listed."),
            None => format!("There are no groups: {}.", why_empty(grouped)),
        };
    };
    let listed = match grouped.rest() {
        Some(_) => "Of the groups listed, ",
        None => "",
    };
    let name = shortened(&name(grouped, greatest));
    let value = measure::shown(&measure.value(greatest));
    match measure {
        Measure::Count => format!("{rows}. {listed}{name} has the most: {value}."),
        Measure::Aggregate(_) => {
            let aggregate = measure.name(grouped);
            format!("{rows}. {listed}{aggregate} is highest for {name}: {value}.")
        }
    }
}

fn facts(grouped: &Grouped, measure: Measure) -> Vec<Fact> {
    let listed = grouped.rest();
    let listed = listed.map(|_| format!("{} of them listed", with_commas(grouped.len() as u64)));
    let distinct = with_commas(grouped.distinct_groups());
    let mut facts = vec![
        lines_fact(grouped.lines, grouped.lines_scanned),
        ("groups", distinct, listed.unwrap_or_default()),
    ];
    let share = Share::of(grouped);
    if let Some(first) = grouped.iter().next() {
        let value = match measure {
            Measure::Count => lines(first.count(), None),
            Measure::Aggregate(_) => measure::shown(&measure.value(first)),
        };
        let of_first = share.shown(first.count(), &measure::values(grouped, first));
        let remark = match (share, measure) {
            (Share::Sum(..), _) => format!("{value}, {of_first} of the sum"),
            (Share::Rows(_), Measure::Count) => format!("{value}, {of_first} of the lines"),
            (Share::Rows(_), Measure::Aggregate(_)) => value,
        };
        facts.push(("first group", name(grouped, first), remark));
    }
    if let Share::Sum(nth, units) = share {
        let total = match grouped.rows.gives(grouped.question.keys() + 1 + nth) {
            Type::Decimal(_, scale) => Value::Decimal { units, scale },
            _ => Value::Whole(units),
        };
        let total = measure::shown(&total);
        facts.push(("in all", total, grouped.aggregate_names()[nth].clone()));
    }
    facts
}

/// Returns the chart of the groups as a file. Groups without values have none.
pub fn groups_chart(grouped: &Grouped, named: Option<&str>) -> Option<Vec<u8>> {
    let title = named.map_or_else(|| title(grouped), str::to_owned);
    let (chart, _) = chart(grouped, &title)?;
    Some(chart.alone())
}

/// Draws groups, with notes on what the chart does not show.
fn chart(grouped: &Grouped, title: &str) -> Option<(Chart, Vec<String>)> {
    // Months that were cut off would look like months without rows.
    let unit = measure::time_unit(grouped).map(|unit| match unit {
        TimeUnit::Year => Unit::Year,
        TimeUnit::Month => Unit::Month,
    });
    let drawn = match unit {
        Some(unit) => time_chart(grouped, unit, title),
        None => bar_chart(grouped, title),
    };
    drawn.map(|(chart, mut notes)| {
        let of_chart = chart_notes(grouped).into_iter();
        notes.extend(of_chart.map(|note| format!("The {note}.")));
        (chart, notes)
    })
}

/// Names what a chart leaves out of the answer: an aggregate without lengths, by which groups are sorted, and groups after the first.
pub fn chart_notes(grouped: &Grouped) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(sorted) = measure::unshown(grouped) {
        let shown = Measure::of(grouped).name(grouped);
        notes.push(format!(
            "chart shows {shown}: a bar has no length for {sorted}"
        ));
    }
    if grouped.len() > BARS_MAX && measure::time_unit(grouped).is_none() {
        let all = with_commas(grouped.distinct_groups());
        notes.push(format!("chart has the first {BARS_MAX} of {all} groups"));
    }
    notes
}

fn time_chart(grouped: &Grouped, unit: Unit, title: &str) -> Option<(Chart, Vec<String>)> {
    let measure = Measure::of(grouped);
    let mut others = 0;
    let points = grouped.iter().filter_map(|group| {
        let exact = measure.value(group);
        let key = measure::key_bytes(&group.key(0)).into_owned();
        // A month or a year may be the day on which it begins.
        let time = match (unit, &key[..]) {
            (Unit::Month, [month @ .., b'-', b'0', b'1']) if month.len() == 7 => month,
            (Unit::Year, [a, b, c, d, b'-', b'0', b'1', b'-', b'0', b'1']) => &[*a, *b, *c, *d],
            (_, key) => key,
        };
        let point = unit.parse(time).zip(number(&exact));
        if point.is_none() {
            others += group.count();
        }
        point.map(|(time, value)| Point {
            time,
            value,
            shown: measure::shown(&exact),
        })
    });
    let mut points: Vec<_> = points.collect();
    points.sort_unstable_by_key(|point| point.time);
    let what = match (unit, measure) {
        (Unit::Month, Measure::Count) => "a month of the calendar",
        (Unit::Year, Measure::Count) => "a year of the calendar",
        (Unit::Month, _) => "a month of the calendar and a value",
        (Unit::Year, _) => "a year of the calendar and a value",
    };
    Some((
        columns::draw(unit, title, &points)?,
        not_shown(others, what),
    ))
}

fn bar_chart(grouped: &Grouped, title: &str) -> Option<(Chart, Vec<String>)> {
    let measure = Measure::of(grouped);
    let bars = grouped.iter().take(BARS_MAX).map(|group| Bar {
        name: name(grouped, group),
        value: number(&measure.value(group)),
        shown: measure::shown(&measure.value(group)),
    });
    let bars: Vec<_> = bars.collect();
    let is_cut = grouped.rest().is_some() && grouped.len() <= BARS_MAX;
    let note = is_cut.then(|| {
        let all = with_commas(grouped.distinct_groups());
        format!("The first {} of {all} groups.", bars.len())
    });
    let chart = bars::draw(title, "The table has all values.", &bars)?;
    Some((chart, note.into_iter().collect()))
}

impl Page {
    fn chart(&mut self, grouped: &Grouped, title: &str) {
        if let Some((chart, notes)) = chart(grouped, title) {
            let measure = words::measure(Measure::of(grouped).name(grouped));
            let under = format!("By {}", grouped.key_names().join(", "));
            self.figure(&measure, &under, &chart, &notes);
        }
    }

    fn groups(&mut self, grouped: &Grouped) {
        let share = Share::of(grouped);
        let row = |mut row: Vec<String>, numbers| {
            row.extend::<Vec<_>>(numbers);
            row.into_iter().map(text).collect()
        };
        let keys = grouped.key_names().len();
        let rows = grouped.iter().take(ROWS_MAX).map(|group| {
            let keys = (0..keys).map(|nth| key_shown(&group.key(nth)));
            let values = measure::values(grouped, group);
            row(keys.collect(), share.numbers(group.count(), &values))
        });
        let mut rows: Vec<_> = rows.collect();
        if let Some(rest) = grouped.rest() {
            let mut names = vec![String::new(); keys];
            names[0] = REST.to_owned();
            rows.push(row(names, share.numbers(rest.count, &rest.values)));
        }
        let names = grouped.key_names().iter();
        let names = names.map(|name| (&name[..], NAMES));
        let numbers = share.names(grouped).into_iter();
        let columns = names.chain(numbers.map(|name| (name, NUMBERS)));
        self.table(Table {
            title: "Groups",
            under: match share {
                Share::Rows(_) => "",
                Share::Sum(..) => "Shares are shares of the sum.",
            },
            columns: columns.collect(),
            rows,
            has_rest: grouped.rest().is_some(),
            cut: cut(grouped.len(), "groups", "-f csv"),
        });
    }
}
