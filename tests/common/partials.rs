//! Commands whose partials merge, in a few lines.

use std::cell::RefCell;
use std::ffi::OsString;
use std::num::{NonZeroU64, NonZeroUsize};
use std::ops::Range;
use std::path::Path;

use fecscan::engine::{Engine, Options};
use fecscan::error::Error;
use fecscan::fold::report::{OddRowPolicy, OtherKinds, ReportFold, ReportQuestion};
use fecscan::fold::{Folded, LineCount, StoredFold};
use fecscan::input::{CoveragePolicy, Members, OpenOptions};
use fecscan::partial::{self, GapPolicy, Merged, Partial};
use fecscan::render::{Format, json, to_vec};
use fecscan::sql::Filter;

use super::by::{By, FoldGroups};

/// A command with its options, which renders its result to bytes.
pub trait Command {
    /// Returns the result of one run.
    fn whole(&self, path: &Path, way: Way) -> Vec<u8>;

    /// Returns the bytes of the partial of a range.
    fn partial(&self, path: &Path, range: Range<u64>, way: Way) -> Vec<u8>;

    /// Returns the result of merged partials, each with its name.
    fn merge_read(&self, partials: Vec<(OsString, Partial)>, way: Way) -> Result<Vec<u8>, Error>;

    /// Returns the result of merged partials.
    fn merge(&self, partials: &[Vec<u8>], way: Way) -> Result<Vec<u8>, Error> {
        let named = (0..).zip(partials).map(|(nth, bytes)| {
            let partial = Partial::read(bytes.clone());
            partial.map(|partial| (format!("partial {nth}").into(), partial))
        });
        self.merge_read(named.collect::<Result<_, _>>()?, way)
    }

    /// Asserts that ranges that are cut at `cuts` merge to the result of one run, in any order.
    fn assert_merges(&self, path: &Path, cuts: &[u64], way: Way) {
        let expected = self.whole(path, way);
        let starts = [0].into_iter().chain(cuts.iter().copied());
        let ends = cuts.iter().copied().chain([u64::MAX]);
        let ranges = starts.zip(ends);
        let mut partials: Vec<_> = ranges
            .map(|(start, end)| self.partial(path, start..end, way))
            .collect();
        partials.reverse();
        let merged = self.merge(&partials, way).unwrap();
        let (merged, expected) = (
            String::from_utf8_lossy(&merged),
            String::from_utf8_lossy(&expected),
        );
        assert_eq!(
            merged,
            expected,
            "{} cut at {cuts:?}, {way:?}",
            path.display()
        );
    }
}

/// A command of one fold.
pub struct OfFold<F: StoredFold> {
    fold: fn() -> F,
    render: fn(&F, Folded<F::Partial>) -> Vec<u8>,
    names: &'static [u64],
}

pub fn report() -> OfFold<ReportFold> {
    const NAMES: &[u64] = &[0, 1, 2, 3, 7, 100];
    OfFold {
        fold: || {
            let mut question = ReportQuestion::default();
            question.names = NAMES.to_vec();
            question.top = 5;
            question.odd_rows = OddRowPolicy::List;
            question.other_kinds = OtherKinds::Report;
            ReportFold::new(question)
        },
        render: |fold, folded| {
            let report = fold.report(folded);
            let mut out = json::report(&report);
            out.extend(format!("{:?} {}", report.odd_rows, report.odd_row_count).bytes());
            out
        },
        names: NAMES,
    }
}

/// Keys of several types, states of every kind, and a cut.
pub fn by() -> By {
    let aggregates = "sum(amount), max(date), count(DISTINCT left(NAME, 5)), median(length(NAME)), \
                      sum(amount) FILTER (WHERE year(date) = 2018) AS y2018, arg_max(TRAN_ID, amount)";
    By::new("STATE, month(date), left(zip, 3)", aggregates).sorted("count DESC, STATE", Some(7))
}

pub fn count() -> OfFold<LineCount> {
    OfFold {
        fold: || LineCount,
        render: |_, folded| json::count(&folded.files, folded.lines_scanned),
        names: &[],
    }
}

/// How to read: threads, bytes of a task, a filter.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub threads: usize,
    pub task_bytes: u64,
    pub filter: Option<&'static str>,
}

impl Way {
    fn options(self) -> Options {
        let mut options = Options::default();
        options.threads = NonZeroUsize::new(self.threads).unwrap();
        options.task_bytes = NonZeroU64::new(self.task_bytes).unwrap();
        options
    }

    fn engine(self) -> Engine {
        Engine::new(self.options()).with_filter(Filter::new(self.filter).unwrap())
    }
}

/// Archives are read by slices.
fn opening() -> OpenOptions {
    let mut opening = OpenOptions::default();
    opening.schema = Some(fecscan::fec::schema::Schema::Indiv);
    opening.members = Members::Slices;
    opening
}

impl<F: StoredFold> Command for OfFold<F> {
    fn whole(&self, path: &Path, way: Way) -> Vec<u8> {
        let fold = (self.fold)();
        let folded = whole(&way.engine(), &fold, path, self.names);
        (self.render)(&fold, folded)
    }

    fn partial(&self, path: &Path, range: Range<u64>, way: Way) -> Vec<u8> {
        partial(&way.engine(), &(self.fold)(), path, range)
    }

    fn merge_read(&self, partials: Vec<(OsString, Partial)>, way: Way) -> Result<Vec<u8>, Error> {
        let (engine, fold) = (way.engine(), (self.fold)());
        let merged = Merged::new(partials, GapPolicy::Refuse)?;
        let numbered = merged.lines_by_number(&engine, &opening(), self.names)?;
        let mut folded = merged.folded(&fold)?;
        folded.numbered = numbered;
        Ok((self.render)(&fold, folded))
    }
}

/// Groups are folded by a statement, which has the filter.
impl Command for By {
    fn whole(&self, path: &Path, way: Way) -> Vec<u8> {
        render(self, way, &Work::Whole(path)).unwrap()
    }

    fn partial(&self, path: &Path, range: Range<u64>, way: Way) -> Vec<u8> {
        let written = RefCell::default();
        let work = Work::Partial(path, range, &written);
        run(self, way, &work).unwrap();
        written.into_inner()
    }

    fn merge_read(&self, partials: Vec<(OsString, Partial)>, way: Way) -> Result<Vec<u8>, Error> {
        let merged = Merged::new(partials, GapPolicy::Refuse)?;
        render(
            self,
            way,
            &Work::Merge(Box::new(RefCell::new(Some(merged)))),
        )
    }
}

/// What is done with the fold of groups.
enum Work<'a> {
    Whole(&'a Path),
    Partial(&'a Path, Range<u64>, &'a RefCell<Vec<u8>>),
    Merge(Box<RefCell<Option<Merged>>>),
}

struct Doing<'a>(Way, &'a Work<'a>);

impl FoldGroups for Doing<'_> {
    fn fold<F: StoredFold>(
        &self,
        filter: Filter,
        fold: &F,
    ) -> Result<Option<Folded<F::Partial>>, Error> {
        let engine = Engine::new(self.0.options()).with_filter(filter);
        match self.1 {
            Work::Whole(path) => Ok(Some(whole(&engine, fold, path, &[]))),
            Work::Partial(path, range, written) => {
                *written.borrow_mut() = partial(&engine, fold, path, range.clone());
                Ok(None)
            }
            Work::Merge(merged) => {
                let merged = merged.borrow_mut().take().expect("there is one fold");
                merged.folded(fold).map(Some)
            }
        }
    }
}

fn run(by: &By, way: Way, work: &Work<'_>) -> Result<Option<fecscan::Grouped>, Error> {
    let conditions: Vec<_> = way.filter.map(str::to_owned).into_iter().collect();
    by.clone().filtered(&conditions).run(&Doing(way, work))
}

fn render(by: &By, way: Way, work: &Work<'_>) -> Result<Vec<u8>, Error> {
    let grouped = run(by, way, work)?.expect("it has a result");
    let facts = format!("{:?}", super::by::all_of(&grouped)).into_bytes();
    Ok([to_vec(&grouped, Format::Csv).unwrap(), facts].concat())
}

fn whole<F: StoredFold>(
    engine: &Engine,
    fold: &F,
    path: &Path,
    names: &[u64],
) -> Folded<F::Partial> {
    let mut run = engine.run(fold).with_numbered_lines(names);
    run.input(opening().open(path.as_os_str()).unwrap())
        .unwrap();
    run.finish()
}

fn partial<F: StoredFold>(engine: &Engine, fold: &F, path: &Path, range: Range<u64>) -> Vec<u8> {
    let mut opening = opening();
    opening.range = Some(range);
    opening.coverage = CoveragePolicy::Note;
    let mut run = engine.run(fold);
    run.input(opening.open(path.as_os_str()).unwrap()).unwrap();
    // The questions of these tests differ by their folds alone.
    let question = partial::Question::new(partial::Command::Count {});
    let mut out = Vec::new();
    let partial = Partial::of(question, fold, run.finish()).unwrap();
    partial.write(&mut out).unwrap();
    out
}
