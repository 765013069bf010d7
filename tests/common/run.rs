//! The library, run on bytes in every way it has.

use std::collections::HashSet;
use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::io::{Write, pipe};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::Path;
use std::thread;

use fecscan::engine::{Engine, Options};
use fecscan::error::Error;
use fecscan::fec::schema::Schema;
use fecscan::fold::report::{
    MonthColumn, OddRowPolicy, OtherKinds, Report, ReportFold, ReportQuestion,
};
use fecscan::fold::{Fold, Folded, LineCount};
use fecscan::input::{Io, OpenOptions};
use fecscan::render;
use fecscan::scan::simd::Simd;
use serde_json::Value;

use super::twin::Asked;

/// How the bytes are got at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Mapped,
    Read,
    Stream,
}

pub const WAYS: [Way; 3] = [Way::Mapped, Way::Read, Way::Stream];

/// One way to run the program.
#[derive(Clone, Copy)]
pub struct Setting {
    pub way: Way,
    pub simd: Simd,
    pub threads: usize,
    pub task_bytes: u64,
}

impl fmt::Debug for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Setting {
            way,
            simd,
            threads,
            task_bytes,
        } = self;
        write!(
            f,
            "{way:?}, {}, {threads} threads, tasks of {task_bytes} bytes",
            simd.name()
        )
    }
}

/// Mapping, for files that only the test itself writes to.
#[allow(unsafe_code)]
pub fn mapped() -> Io {
    // SAFETY: the folds of the tests only compare and copy bytes, like those of the program.
    unsafe { Io::mmap() }
}

/// These threads and task sizes with all levels and ways: so many combinations that any two values of two options come together
/// in one of them. With the variable FECSCAN_EVERY_SETTING, as at night, all combinations.
pub fn settings(threads: &[usize], task_bytes: &[u64]) -> Vec<Setting> {
    let mut all = Vec::new();
    for way in WAYS {
        for simd in Simd::available() {
            for &threads in threads {
                for &task_bytes in task_bytes {
                    all.push(Setting {
                        way,
                        simd,
                        threads,
                        task_bytes,
                    });
                }
            }
        }
    }
    if env::var_os("FECSCAN_EVERY_SETTING").is_some() {
        return all;
    }
    covering_pairs(&all)
}

/// Takes the setting with the most pairs that no earlier one has, until none has any.
fn covering_pairs(all: &[Setting]) -> Vec<Setting> {
    let mut missing: HashSet<_> = all.iter().flat_map(Setting::pairs).collect();
    let mut chosen = Vec::new();
    while !missing.is_empty() {
        let news = |setting: &&Setting| {
            let pairs = setting.pairs();
            pairs.iter().filter(|pair| missing.contains(pair)).count()
        };
        let next = *all
            .iter()
            .rev()
            .max_by_key(news)
            .expect("a missing pair is of a setting");
        for pair in next.pairs() {
            missing.remove(&pair);
        }
        chosen.push(next);
    }
    chosen
}

/// The number of an option, and its value.
type Choice = (usize, u64);

impl Setting {
    /// Returns all pairs of two options' values.
    fn pairs(&self) -> [(Choice, Choice); 6] {
        let way = WAYS.iter().position(|way| *way == self.way);
        let level = Simd::available().position(|simd| simd.name() == self.simd.name());
        let values = [
            way.expect("one of the ways") as u64,
            level.expect("an available level") as u64,
            self.threads as u64,
            self.task_bytes,
        ];
        [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
            .map(|(one, other)| ((one, values[one]), (other, values[other])))
    }

    pub fn engine(&self) -> Engine {
        let mut options = Options::default();
        options.threads = NonZeroUsize::new(self.threads).unwrap();
        options.simd = self.simd;
        options.task_bytes = NonZeroU64::new(self.task_bytes).unwrap();
        Engine::new(options)
    }

    /// Runs `fold` over the files at `paths`, on `engine`, which is `self.engine()` with a filter
    /// perhaps.
    pub fn fold<F: Fold>(
        &self,
        engine: &Engine,
        fold: &F,
        numbered: &[u64],
        paths: &[&Path],
    ) -> Result<Folded<F::Partial>, Error> {
        self.fold_as(Schema::Indiv, engine, fold, numbered, paths)
    }

    /// Folds files of a schema.
    pub fn fold_as<F: Fold>(
        &self,
        schema: Schema,
        engine: &Engine,
        fold: &F,
        numbered: &[u64],
        paths: &[&Path],
    ) -> Result<Folded<F::Partial>, Error> {
        let mut run = engine.run(fold).with_numbered_lines(numbered);
        let mut opening = OpenOptions::default();
        opening.schema = Some(schema);
        opening.io = match self.way {
            Way::Mapped => mapped(),
            _ => Io::read(),
        };
        for path in paths {
            thread::scope(|scope| {
                let input = match self.way {
                    Way::Mapped | Way::Read => opening.open(path.as_os_str())?,
                    Way::Stream => {
                        let (reader, mut writer) = pipe().unwrap();
                        // Whoever stops reading early closes the pipe.
                        scope.spawn(move || writer.write_all(&std::fs::read(path).unwrap()));
                        opening.from_stream(path.as_os_str(), reader)?
                    }
                };
                run.input(input)
            })?;
        }
        Ok(run.finish())
    }

    pub fn try_report(
        &self,
        engine: &Engine,
        asked: &Asked,
        odd_rows: OddRowPolicy,
        paths: &[&Path],
    ) -> Result<Report, Error> {
        let mut question = ReportQuestion::default();
        question.names = asked.names.clone();
        question.top = asked.top;
        question.odd_rows = odd_rows;
        question.other_kinds = OtherKinds::Report;
        if asked.transaction_date {
            question.month_column = MonthColumn::TransactionDate;
        }
        let fold = ReportFold::new(question);
        let folded = self.fold(engine, &fold, &asked.names, paths)?;
        Ok(fold.report(folded))
    }

    pub fn report(
        &self,
        engine: &Engine,
        asked: &Asked,
        odd_rows: OddRowPolicy,
        paths: &[&Path],
    ) -> Report {
        self.try_report(engine, asked, odd_rows, paths)
            .unwrap_or_else(|error| panic!("{self:?}: {error}"))
    }

    pub fn try_json(
        &self,
        engine: &Engine,
        asked: &Asked,
        paths: &[&Path],
    ) -> Result<Value, Error> {
        let report = self.try_report(engine, asked, OddRowPolicy::Ignore, paths)?;
        Ok(serde_json::from_slice(&render::json::report(&report)).unwrap())
    }

    pub fn json(&self, engine: &Engine, asked: &Asked, paths: &[&Path]) -> Value {
        self.try_json(engine, asked, paths)
            .unwrap_or_else(|error| panic!("{self:?}: {error}"))
    }

    pub fn newlines(&self, engine: &Engine, path: &Path) -> u64 {
        let folded = self.fold(engine, &LineCount, &[], &[path]).unwrap();
        folded.files[0].lines
    }
}

/// Asserts that the report on `bytes`, in every one of `settings`, is the twin's.
pub fn assert_equals_twin(what: &str, bytes: &[u8], asked: &Asked, settings: &[Setting]) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("itcont.txt");
    std::fs::write(&path, bytes).unwrap();
    let expected = super::twin::report(&[(path.to_str().unwrap(), bytes)], asked);
    let newlines = bytes.iter().filter(|&&b| b == b'\n').count() as u64;
    for setting in settings {
        let engine = setting.engine();
        let found = setting.json(&engine, asked, &[&path]);
        assert_eq!(found, expected, "{what}: {setting:?}");
        assert_eq!(
            setting.newlines(&engine, &path),
            newlines,
            "{what}: newlines: {setting:?}"
        );
    }
}

/// The names of the fixtures, without their extension, and their bytes.
pub fn fixtures() -> Vec<(String, Vec<u8>)> {
    let mut fixtures: Vec<_> = std::fs::read_dir("fixtures")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension() == Some(OsStr::new("txt")))
        .map(|path| {
            (
                path.file_stem().unwrap().to_str().unwrap().to_owned(),
                std::fs::read(&path).unwrap(),
            )
        })
        .collect();
    fixtures.sort();
    assert!(fixtures.len() >= 26, "the fixtures are there");
    fixtures
}
