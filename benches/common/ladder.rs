//! Ladders: the steps of an article in one table, with the costs of each beside the figures there.

use std::collections::BTreeMap;
use std::iter;

use super::costs::{Costs, measured};
use super::rounds::{after_slash, full_or_small, in_turn, median};

/// A step of a ladder.
pub struct Step<'a> {
    name: String,
    /// The seconds in the article.
    article: Option<f64>,
    /// The part of the work that the step does.
    share: f64,
    note: String,
    /// Does the work, with its allocations counted or not, and returns a remark on the result.
    turn: Box<dyn FnMut(bool) -> (Costs, String) + 'a>,
    /// The costs of each turn. Allocations are counted in the first one alone, so it is left out of times.
    costs: Vec<Costs>,
    remarks: BTreeMap<String, usize>,
}

impl<'a> Step<'a> {
    /// Creates a step that took `article` seconds in the article. `check` asserts the result of `work`, outside of the time, and returns
    /// a remark or an empty text.
    pub fn new<T>(
        name: impl Into<String>,
        article: impl Into<Option<f64>>,
        mut work: impl FnMut() -> T + 'a,
        mut check: impl FnMut(T) -> String + 'a,
    ) -> Step<'a> {
        Step {
            name: name.into(),
            article: article.into(),
            share: 1.0,
            note: String::new(),
            turn: Box::new(move |is_counting| {
                let (result, costs) = measured(is_counting, &mut work);
                (costs, check(result))
            }),
            costs: Vec::new(),
            remarks: BTreeMap::new(),
        }
    }

    /// Has the table show the costs divided by `share`, the part of the work that the step does.
    pub fn of_share(self, share: f64) -> Step<'a> {
        Step { share, ..self }
    }

    /// Has the last column begin with this note.
    pub fn noted(self, note: String) -> Step<'a> {
        Step { note, ..self }
    }

    fn take_turn(&mut self) {
        let is_counting = self.costs.is_empty();
        let (costs, remark) = (self.turn)(is_counting);
        self.costs.push(costs);
        *self.remarks.entry(remark).or_default() += 1;
    }

    /// Returns a cost in each timed turn.
    fn timed(&self, cost: fn(&Costs) -> f64) -> impl Iterator<Item = f64> {
        self.costs[1..]
            .iter()
            .map(move |costs| cost(costs) / self.share)
    }

    fn row(&self, before: Option<&Step<'_>>) -> String {
        let seconds = || self.timed(|costs| costs.seconds);
        let (least, most) = (
            seconds().fold(f64::INFINITY, f64::min),
            seconds().fold(0.0, f64::max),
        );
        let ratio = before.map(|before| {
            let pairs = seconds().zip(before.timed(|costs| costs.seconds));
            median(pairs.map(|(here, there)| here / there))[0]
        });
        let article_ratio = before.and_then(|before| Some(self.article? / before.article?));
        let or_empty =
            |ratio: Option<f64>| ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
        let middle = |cost| median(self.timed(cost))[0];
        let counted = &self.costs[0];
        let cells = [
            self.name.clone(),
            format!("{:.3} ({least:.3}-{most:.3})", median(seconds())[0]),
            or_empty(ratio),
            self.article
                .map_or_else(String::new, |seconds| seconds.to_string()),
            or_empty(article_ratio),
            format!("{:.2}", middle(|costs| costs.system)),
            short(middle(|costs| costs.faults)),
            short(middle(|costs| costs.waits)),
            short(counted.allocations / self.share),
            short(counted.bytes / self.share),
            self.all_remarks(),
        ];
        format!("| {} |", cells.join(" | "))
    }

    /// Returns the note and the remarks, with the number of turns that made each if they differ.
    fn all_remarks(&self) -> String {
        let remark = |(remark, &times): (&String, &usize)| match self.costs.len() {
            turns if turns == times => remark.clone(),
            turns => format!("{remark} {times} of {turns}"),
        };
        let all = iter::once(self.note.clone()).chain(self.remarks.iter().map(remark));
        let all: Vec<_> = all.filter(|text| !text.is_empty()).collect();
        all.join("; ")
    }
}

/// Returns the number with two or three digits and a unit.
fn short(number: f64) -> String {
    let units = [(1e9, " G"), (1e6, " M"), (1e3, " k")];
    match units.into_iter().find(|(unit, _)| number >= *unit) {
        Some((unit, name)) if number < 10.0 * unit => format!("{:.1}{name}", number / unit),
        Some((unit, name)) => format!("{:.0}{name}", number / unit),
        None => format!("{number:.0}"),
    }
}

/// Has each step take its turn, once for its allocations and `rounds` times for its times, and prints a table in Markdown. Where answers
/// alone are checked, the first turn is the only one. `cargo bench -p fecscan-benches LADDER/WORD` takes the steps whose name begins with the word.
pub fn climb(title: &str, rounds: usize, mut steps: Vec<Step<'_>>) {
    if let Some(chosen) = after_slash() {
        let names: Vec<_> = steps.iter().map(|step| step.name.clone()).collect();
        steps.retain(|step| step.name.split(' ').next() == Some(&chosen));
        // A panic, and no exit, so that the file of the benchmark is removed.
        assert!(
            !steps.is_empty(),
            "no step begins with the word {chosen}; there are {}",
            names.join(", ")
        );
    }
    steps.iter_mut().for_each(Step::take_turn);
    let rounds = full_or_small(rounds, 0);
    if rounds == 0 {
        return println!("{title}: the answers of {} steps are right", steps.len());
    }
    in_turn(rounds, &mut steps, Step::take_turn);
    println!("\n{title}; medians of {rounds} rounds (least-most), ratios to the row before\n");
    println!(
        "| step | seconds | ratio | article, s | ratio there | system, s | page faults | waits | allocations | bytes | |\n\
         |---|---|---|---|---|---|---|---|---|---|---|"
    );
    let before = iter::once(None).chain(steps.iter().map(Some));
    steps
        .iter()
        .zip(before)
        .for_each(|(step, before)| println!("{}", step.row(before)));
}
