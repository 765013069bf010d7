//! The challenge in the ten revisions of an article, then by the letter of this project's design, then by this crate.
//!
//! Every step asserts its counts of lines, of months and of all first names, and those are wrong where the article's are: revision 2 loses
//! the last chunk, revision 7 keeps white space, revisions 8 and 9 take the first letter off names without a comma.

use std::env;
use std::path::{Path, PathBuf};

use fecscan::plan::check_tiling;

use crate::by_the_letter;
use crate::common::challenge::{Answers, NAMES_AT, Tally, hash, scanner, text_lines};
use crate::common::file::BenchFile;
use crate::common::ladder::{Step, climb};
use crate::common::rounds::cores;
use crate::common::run::bench_file;

use super::first_names::{
    Find, by_capture, by_index, by_match, by_slice, up_to_a_comma, with_white_space,
    without_expression,
};
use super::steps::*;

const ROUNDS: usize = 5;

/// The article's file, in the folder that `FECSCAN_REAL` names. Its SHA-1 is 0093f547b28f6c897c81bc3865b28a723a497847.
const REAL_FILE: &str = "itcont-2019-01-04.txt";

type Work<'a> = Box<dyn Fn() -> Found + 'a>;

/// The lines of that file, of 4 January 2019, and those after its last full chunk.
const PUBLISHED_LINES: u64 = 18_245_416;
const _: () = assert!(PUBLISHED_LINES % (64 * 1024) == 26_408);

/// The rows of each month, from January 2017 to January 2019.
const PUBLISHED_MONTHS: [u64; 25] = [
    21, 36_367, 78_664, 254_810, 197_636, 180_699, 768_051, 298_740, 377_544, 585_708, 346_019,
    486_447, 1_252_689, 765_317, 271_267, 3_033_610, 533_304, 496_569, 1_105_070, 733_865,
    1_264_597, 2_615_902, 302_025, 2_259_957, 538,
];

/// Returns the answers that the article prints for its file.
fn published() -> Answers {
    let months = (2017 * 12..).map(|month| format!("{}-{:02}", month / 12, month % 12 + 1));
    Answers {
        lines: PUBLISHED_LINES,
        names: ["PEREZ, JOHN A", "MILESKI, JOHN A", "COX, JOHN MARTIN"]
            .map(|name| Some(name.to_owned())),
        months: months.zip(PUBLISHED_MONTHS).collect(),
        first_name: Some(("JOHN".to_owned(), 475_350)),
    }
}

/// Returns the file of the challenge, if the folder `FECSCAN_REAL` has it.
fn real_file() -> Option<PathBuf> {
    let path = PathBuf::from(env::var_os("FECSCAN_REAL")?).join(REAL_FILE);
    path.exists().then_some(path)
}

/// Asserts the answers of a revision, and returns a remark on the order of its names.
fn check(found: &Found, expected: &Tally, path: &Path) -> String {
    assert_eq!(found.lines as u64, expected.lines);
    assert_eq!(found.months, expected.months);
    assert_eq!(found.first_names.counts, expected.first_names);
    let most = expected.first_names.values().max();
    assert_eq!(Some(&found.first_names.lines), most);
    assert_eq!(found.first_names.counts.get(&found.first_names.name), most);
    let at = match found.names.len() {
        3 => [0, 1, 2],
        all => {
            assert_eq!(all as u64, expected.lines);
            let sum = found
                .names
                .iter()
                .fold(0_u64, |sum, name| sum.wrapping_add(hash(name)));
            assert_eq!(sum, expected.names_sum);
            NAMES_AT
        }
    };
    let names = at.map(|index| found.names.get(index).cloned());
    if names == expected.names {
        return "names right".into();
    }
    // Chunks end in any order, so the list may have another name of the file here.
    for name in names.into_iter().flatten() {
        assert!(text_lines(path).any(|line| line.contains(&name)), "{name}");
    }
    "other names".into()
}

/// Returns the answers of the example.
fn letter(path: &Path) -> Answers {
    let map = by_the_letter::map(path).expect("the file can be mapped");
    let counts = by_the_letter::counts(&map);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let months = counts.months.iter();
    Answers {
        lines: counts.lines,
        names: by_the_letter::names(&map).map(|name| name.map(text)),
        months: months
            .map(|(m, lines)| (format!("{}-{}", text(&m[..4]), text(&m[4..])), *lines))
            .collect(),
        first_name: by_the_letter::most_common(&counts).map(|(name, lines)| (text(name), lines)),
    }
}

/// Returns how many rows are under another first name than in `right`.
fn misnamed(wrong: &Tally, right: &Tally) -> u64 {
    let missing = right.first_names.iter().map(|(name, &lines)| {
        lines.saturating_sub(wrong.first_names.get(name).copied().unwrap_or(0))
    });
    let added = wrong.first_names.iter().map(|(name, &lines)| {
        lines.saturating_sub(right.first_names.get(name).copied().unwrap_or(0))
    });
    missing.sum::<u64>().max(added.sum())
}

/// What the slow program finds, by the definition of first names of each revision.
struct Twins {
    right: Tally,
    few: Tally,
    without_last: Tally,
    white_space: Tally,
    index: Tally,
    slice: Tally,
}

impl Twins {
    fn of(file: &BenchFile, few: usize) -> Twins {
        let (path, all) = (&file.path, usize::MAX);
        let kept = file.lines as usize / chunk_lines() * chunk_lines();
        Twins {
            right: Tally::of(path, all, by_capture()),
            few: Tally::of(path, few, by_capture()),
            without_last: Tally::of(path, kept, by_capture()),
            white_space: Tally::of(path, all, with_white_space()),
            index: Tally::of(path, all, without_expression),
            slice: Tally::of(path, all, up_to_a_comma),
        }
    }

    /// Asserts that the answers are wrong where the article's are, and says how.
    fn assert_wrong(&self) {
        let (lines, kept) = (self.right.lines, self.without_last.lines);
        let months = |tally: &Tally| tally.months.values().sum::<u64>();
        assert_ne!(self.without_last.answers(), self.right.answers());
        assert_eq!(
            months(&self.right) - months(&self.without_last),
            lines - kept
        );
        assert_eq!(lines - kept, lines % chunk_lines() as u64);
        // The engine checks that its tasks tile a file, and so would refuse the tasks of revision 2.
        let tasks = (0..kept)
            .step_by(chunk_lines())
            .map(|line| line..line + chunk_lines() as u64);
        assert_eq!(check_tiling(tasks, 0..lines), Err(kept));
        assert_eq!(
            (by_index("ACTBLUE").as_deref(), by_slice("ACTBLUE")),
            (Some("CTBLUE"), Some("CTBLUE"))
        );
        assert_eq!(by_capture()("ACTBLUE"), None);
        assert!(misnamed(&self.index, &self.right) > 0 && misnamed(&self.slice, &self.right) > 0);
    }
}

/// Creates the step of a revision, which finds `expected` instead of `right`.
fn revision<'a>(
    name: &str,
    article: f64,
    right: &Tally,
    expected: &'a Tally,
    path: &'a Path,
    work: Work<'a>,
) -> Step<'a> {
    let note = match (right.lines - expected.lines, misnamed(expected, right)) {
        (0, 0) => String::new(),
        (0, rows) => format!("{rows} rows under wrong first names"),
        (lines, _) => format!("{lines} lines lost"),
    };
    Step::new(name, article, work, move |found| {
        check(&found, expected, path)
    })
    .noted(note)
}

/// Returns the steps of the ten revisions, with three searches for first names.
fn revisions<'a>(
    path: &'a Path,
    twins: &'a Twins,
    [capture, matched, index]: [Find<'a>; 3],
) -> Vec<Step<'a>> {
    let [right, spaced, indexed, sliced] =
        [&twins.right, &twins.white_space, &twins.index, &twins.slice];
    let step = |name, article, expected, work| revision(name, article, right, expected, path, work);
    let counted =
        |find, memory| -> Work<'a> { Box::new(move || revisions_5_to_8(path, find, memory)) };
    let few = twins.few.lines as usize;
    let share = few as f64 / right.lines as f64;
    vec![
        step(
            "0 one thread, lists",
            24.976,
            right,
            Box::new(move || revision_0(path, usize::MAX, capture)),
        ),
        revision(
            "1 a task a line, three channels (1 % of the lines)",
            732.0,
            &twins.few,
            &twins.few,
            path,
            Box::new(move || revision_1(path, few, capture)),
        )
        .of_share(share),
        step(
            "2 a task a chunk, one channel",
            18.285,
            &twins.without_last,
            Box::new(move || revision_2(path, capture)),
        ),
        step(
            "3 a message a chunk",
            10.668,
            right,
            Box::new(move || revision_3(path, capture)),
        ),
        step(
            "4 a lock",
            10.312,
            right,
            Box::new(move || revision_4(path, capture)),
        ),
        step(
            "5 counts behind the lock",
            8.781,
            right,
            counted(capture, Memory::Fresh),
        ),
        step(
            "6 vectors used again",
            9.235,
            right,
            counted(capture, Memory::Pooled),
        ),
        step(
            "7 no captures",
            8.155,
            spaced,
            counted(matched, Memory::Pooled),
        ),
        step(
            "8 no expression",
            6.644,
            indexed,
            counted(index, Memory::Pooled),
        ),
        step(
            "9 no lists",
            3.880,
            sliced,
            Box::new(move || revision_9(path)),
        ),
    ]
}

pub fn run() {
    let real = real_file();
    let file = real.clone().map_or_else(bench_file, BenchFile::at);
    let path = file.path.as_path();
    assert!(
        file.lines > chunk_lines() as u64,
        "{file}: the revisions need more than {} lines, which are a chunk",
        chunk_lines()
    );
    // A message for each fact of each line takes too long for the whole file.
    let few = (file.lines / 100) as usize;
    let twins = Twins::of(&file, few);
    twins.assert_wrong();
    let answers = &twins.right.answers();
    if real.is_some() {
        assert_eq!(*answers, published());
        println!("{}: the answers are those of the article", path.display());
    } else {
        println!("not compared with the article's answers: FECSCAN_REAL has no {REAL_FILE}");
    }

    let same = |found: Answers| {
        assert_eq!(found, *answers);
        String::from("names right")
    };
    let (capture, matched) = (by_capture(), by_match());
    let mut steps = revisions(path, &twins, [&capture, &matched, &by_index]);
    steps.extend([
        Step::new("the design by the letter", None, || letter(path), same),
        Step::new("this crate, one thread", None, || scanner(path, 1), same),
        Step::new(
            "this crate, all threads",
            None,
            || scanner(path, cores()),
            same,
        ),
    ]);
    climb(&format!("The challenge on {file}"), ROUNDS, steps);
}
