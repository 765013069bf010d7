//! Commands whose partials merge, in a few lines.

use std::ffi::OsString;
use std::num::{NonZeroU64, NonZeroUsize};
use std::ops::Range;
use std::path::Path;

use fecscan::engine::{Engine, Options};
use fecscan::error::Error;
use fecscan::fold::by::{AggregateKind, GroupQuestion, GroupingSets};
use fecscan::fold::report::{OddRowPolicy, OtherKinds, ReportFold, ReportQuestion};
use fecscan::fold::{Folded, LineCount, StoredFold};
use fecscan::input::{CoveragePolicy, Members, OpenOptions};
use fecscan::partial::{self, GapPolicy, Merged, Partial};
use fecscan::render::{Format, json, to_vec};
use fecscan::sql::Filter;

/// A command with its options, which renders its result to bytes.
pub struct Command<F: StoredFold> {
    pub fold: fn() -> F,
    pub render: fn(&F, Folded<F::Partial>) -> Vec<u8>,
    pub names: &'static [u64],
}

pub fn report() -> Command<ReportFold> {
    const NAMES: &[u64] = &[0, 1, 2, 3, 7, 100];
    Command {
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

/// Two groupings, each with columns across.
pub fn by() -> Command<GroupingSets> {
    Command {
        fold: || {
            let mut question = GroupQuestion::new("STATE,month(date)").unwrap();
            for (kind, column) in [
                (AggregateKind::Sum, "amount"),
                (AggregateKind::Max, "date"),
                (AggregateKind::Distinct, "prefix(NAME,5)"),
                (AggregateKind::Quantile, "0.3:len(NAME)"),
            ] {
                question.add_aggregate(kind, column).unwrap();
            }
            GroupingSets::new(question, ["zip3(zip)"], Some("year(IMAGE_NUM)")).unwrap()
        },
        render: |fold, folded| match fold.grouped(folded) {
            Ok(answers) => to_vec(&&answers[..], Format::Csv).unwrap(),
            // Of a partial that was made up.
            Err(error) => error.to_string().into_bytes(),
        },
        names: &[],
    }
}

pub fn count() -> Command<LineCount> {
    Command {
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
    fn engine(self) -> Engine {
        let mut options = Options::default();
        options.threads = NonZeroUsize::new(self.threads).unwrap();
        options.task_bytes = NonZeroU64::new(self.task_bytes).unwrap();
        Engine::new(options).with_filter(Filter::new(self.filter).unwrap())
    }
}

/// Archives are read by slices.
fn opening() -> OpenOptions {
    let mut opening = OpenOptions::default();
    opening.schema = Some(fecscan::fec::schema::Schema::Indiv);
    opening.members = Members::Slices;
    opening
}

impl<F: StoredFold> Command<F> {
    /// Returns the result of one run.
    pub fn whole(&self, path: &Path, way: Way) -> Vec<u8> {
        let (engine, fold) = (way.engine(), (self.fold)());
        let mut run = engine.run(&fold).with_numbered_lines(self.names);
        run.input(opening().open(path.as_os_str()).unwrap())
            .unwrap();
        let folded = run.finish();
        (self.render)(&fold, folded)
    }

    /// Returns the bytes of the partial of a range.
    pub fn partial(&self, path: &Path, range: Range<u64>, way: Way) -> Vec<u8> {
        let (engine, fold) = (way.engine(), (self.fold)());
        let mut opening = opening();
        opening.range = Some(range);
        opening.coverage = CoveragePolicy::Note;
        let mut run = engine.run(&fold);
        run.input(opening.open(path.as_os_str()).unwrap()).unwrap();
        // The questions of these tests differ by their folds alone.
        let question = partial::Question::new(partial::Command::Count {});
        let mut out = Vec::new();
        let partial = Partial::of(question, &fold, run.finish()).unwrap();
        partial.write(&mut out).unwrap();
        out
    }

    /// Returns the result of merged partials.
    pub fn merge(&self, partials: &[Vec<u8>], way: Way) -> Result<Vec<u8>, Error> {
        let named = (0..).zip(partials).map(|(nth, bytes)| {
            let partial = Partial::read(bytes.clone());
            partial.map(|partial| (format!("partial {nth}").into(), partial))
        });
        self.merge_read(named.collect::<Result<_, _>>()?, way)
    }

    /// Returns the result of merged partials, each with its name.
    pub fn merge_read(
        &self,
        partials: Vec<(OsString, Partial)>,
        way: Way,
    ) -> Result<Vec<u8>, Error> {
        let (engine, fold) = (way.engine(), (self.fold)());
        let merged = Merged::new(partials, GapPolicy::Refuse)?;
        let numbered = merged.lines_by_number(&engine, &opening(), self.names)?;
        let mut folded = merged.folded(&fold)?;
        folded.numbered = numbered;
        Ok((self.render)(&fold, folded))
    }

    /// Asserts that ranges that are cut at `cuts` merge to the result of one run, in any order.
    pub fn assert_merges(&self, path: &Path, cuts: &[u64], way: Way) {
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
