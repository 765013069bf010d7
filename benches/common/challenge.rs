//! The challenge: its four answers, and a slow program that finds them.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::path::Path;

use fecscan::fold::report::{ReportFold, ReportQuestion};
use regex::Regex;

use super::run;

/// The lines whose names are part of the answers, counted from zero.
pub const NAMES_AT: [usize; 3] = [0, 432, 43243];

/// The answers to the four questions.
#[derive(Debug, PartialEq, Eq)]
pub struct Answers {
    pub lines: u64,
    pub names: [Option<String>; 3],
    pub months: BTreeMap<String, u64>,
    /// The most common one and its lines. Ties go to the name that sorts first.
    pub first_name: Option<(String, u64)>,
}

/// Line counts by key.
pub type Counts = HashMap<String, u64>;

/// Adds a line to the count of `key`, and returns the count. Only a new key needs a string.
pub fn add(counts: &mut Counts, key: &str) -> u64 {
    if let Some(count) = counts.get_mut(key) {
        *count += 1;
        return *count;
    }
    counts.insert(key.to_owned(), 1);
    1
}

/// Counts of lines, worked out one line at a time.
#[derive(Default)]
pub struct Tally {
    pub lines: u64,
    pub names: [Option<String>; 3],
    /// The sum of all names' hashes, which no order changes.
    pub names_sum: u64,
    pub months: Counts,
    pub first_names: Counts,
}

impl Tally {
    /// Counts the first `lines` lines of the file; `first_name` finds the first name in a name.
    pub fn of(path: &Path, lines: usize, first_name: impl Fn(&str) -> Option<String>) -> Tally {
        let mut tally = Tally::default();
        for (number, line) in text_lines(path).take(lines).enumerate() {
            let mut columns = line.split('|');
            if let Some(month) = columns.nth(4).and_then(month) {
                add(&mut tally.months, &month);
            }
            let name = columns.nth(2).map(trimmed);
            tally.lines += 1;
            tally.names_sum = tally.names_sum.wrapping_add(hash(name.unwrap_or_default()));
            if let Some(nth) = NAMES_AT.iter().position(|&at| at == number) {
                tally.names[nth] = name.map(str::to_owned);
            }
            if let Some(found) = name.and_then(&first_name) {
                add(&mut tally.first_names, &found);
            }
        }
        tally
    }

    /// Returns the answers from counts.
    pub fn answers(&self) -> Answers {
        let before = |a: &(&String, &u64), b: &(&String, &u64)| a.1.cmp(b.1).then(b.0.cmp(a.0));
        let months = self.months.iter();
        let first_name = self.first_names.iter().max_by(before);
        Answers {
            lines: self.lines,
            names: self.names.clone(),
            months: months
                .map(|(month, lines)| (month.clone(), *lines))
                .collect(),
            first_name: first_name.map(|(name, lines)| (name.clone(), *lines)),
        }
    }
}

/// Returns the answers for the file by a slow program that shares no code with the scanner.
pub fn slow_answers(path: &Path) -> Answers {
    let find = by_expression();
    Tally::of(path, usize::MAX, |name| find(name).map(str::to_owned)).answers()
}

/// Returns the same number for the same text in every run.
pub fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Returns the column without white space around it.
pub fn trimmed(column: &str) -> &str {
    column.trim_matches(|c| matches!(c, ' ' | '\t'..='\r'))
}

/// Returns the month in an image number, such as `2018-10`.
pub fn month(image_number: &str) -> Option<String> {
    let six = trimmed(image_number).get(..6)?;
    let digits = six.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| format!("{}-{}", &six[..4], &six[4..]))
}

/// Returns a function that finds the first name in a name, by the regular expression of the
/// challenge's programs.
pub fn by_expression() -> impl Fn(&str) -> Option<&str> + Sync {
    let expression = Regex::new(r", [\t-\r ]*([^, ]+)").expect("the expression is one");
    move |name| {
        let found = expression.captures(name)?.get(1)?;
        Some(&name[found.range()])
    }
}

/// Returns the lines of the file as text.
pub fn text_lines(path: &Path) -> impl Iterator<Item = String> {
    let file = File::open(path).expect("the file can be read");
    let lines = BufReader::new(file).lines();
    lines.map(|line| line.expect("the file is UTF-8"))
}

/// Returns the answers of this project.
pub fn scanner(path: &Path, threads: usize) -> Answers {
    let mut question = ReportQuestion::default();
    question.names = NAMES_AT.map(|line| line as u64).to_vec();
    let fold = ReportFold::new(question.clone());
    let engine = run::engine(threads);
    let folded = run::fold_numbered(&engine, &fold, path, run::mapped(), &question.names);
    let report = engine.workers().install_if_started(|| fold.report(folded));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let months = report.months.iter();
    let first_name = report.first_names.first();
    Answers {
        lines: report.lines,
        names: [0, 1, 2].map(|nth| report.names[nth].as_deref().map(text)),
        months: months
            .map(|(month, lines)| (month.to_string(), *lines))
            .collect(),
        first_name: first_name.map(|(name, lines)| (text(name), *lines)),
    }
}
