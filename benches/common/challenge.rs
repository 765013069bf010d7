//! The challenge: its four answers, and a simple program that finds them.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
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

impl Answers {
    /// Returns the answers from a list of all names, and counts of the rest.
    pub fn new(names: &[Option<String>], months: Counts, first_names: Counts) -> Answers {
        let at = NAMES_AT.map(|line| names.get(line).cloned().flatten());
        Answers::of_counts(names.len() as u64, at, months, first_names)
    }

    /// Returns the answers from counts.
    pub fn of_counts(
        lines: u64,
        names: [Option<String>; 3],
        months: Counts,
        first_names: Counts,
    ) -> Answers {
        let before = |a: &(String, u64), b: &(String, u64)| a.1.cmp(&b.1).then(b.0.cmp(&a.0));
        Answers {
            lines,
            names,
            months: months.into_iter().collect(),
            first_name: first_names.into_iter().max_by(before),
        }
    }
}

/// The columns of one line that the answers need.
#[derive(Debug)]
pub struct Entry {
    pub name: Option<String>,
    pub first_name: Option<String>,
    pub month: Option<String>,
}

impl Entry {
    /// Returns the entry of `line`; `find` finds the first name in a name.
    pub fn new(line: &str, find: impl Fn(&str) -> Option<&str>) -> Entry {
        let columns: Vec<&str> = line.split('|').collect();
        let name = columns.get(7).map(|name| trimmed(name));
        Entry {
            name: name.map(str::to_owned),
            first_name: name.and_then(find).map(str::to_owned),
            month: columns.get(4).and_then(|number| month(number)),
        }
    }
}

fn trimmed(column: &str) -> &str {
    column.trim_matches(|c| matches!(c, ' ' | '\t'..='\r'))
}

fn month(image_number: &str) -> Option<String> {
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

/// Answers for the first `lines` lines on one thread. Each question has a list of strings, counted
/// at the end.
pub fn with_lists(path: &Path, lines: usize) -> Answers {
    let find = by_expression();
    let (mut names, mut months, mut first_names) = (Vec::new(), Vec::new(), Vec::new());
    for line in text_lines(path).take(lines) {
        let entry = Entry::new(&line, &find);
        names.push(entry.name);
        months.extend(entry.month);
        first_names.extend(entry.first_name);
    }
    Answers::new(&names, counted(months), counted(first_names))
}

/// Counts how often each string is in the list.
pub fn counted(list: Vec<String>) -> Counts {
    let mut counts = Counts::new();
    for string in list {
        *counts.entry(string).or_default() += 1;
    }
    counts
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
