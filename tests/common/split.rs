//! Columns by splitting lines, and the same columns as a level of the scanner locates them.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use fecscan::engine::Engine;
use fecscan::engine::Options;
use fecscan::error::Error;
use fecscan::fec::schema::Schema;
use fecscan::fold::Fold;
use fecscan::input::{OpenOptions, Part};
use fecscan::scan::simd::Simd;
use fecscan::scan::{Need, Rows};

use super::memory_file::MemoryFile;
use super::twin;

/// For each line the wanted columns; none for one that the line does not have.
pub type Lines = Vec<Vec<Option<Vec<u8>>>>;

/// Returns the `columns` of all lines, counted from zero, by splitting.
pub fn by_splitting(bytes: &[u8], columns: &[usize]) -> Lines {
    let split = |line: &[u8]| {
        let all = twin::columns(line);
        let found = |&column: &usize| all.get(column).map(|found| found.to_vec());
        columns.iter().map(found).collect()
    };
    twin::lines_of(bytes).into_iter().map(split).collect()
}

/// Returns the same by the scanner, at the level of `simd`, for rows of a schema. The last line of a task
/// that ends with the file has nothing after it; small tasks leave other lines after theirs.
pub fn by_scanning(
    simd: Simd,
    schema: Schema,
    task_bytes: usize,
    bytes: &[u8],
    columns: &[usize],
) -> Lines {
    let file = MemoryFile::new(bytes);
    let mut options = Options::default();
    options.threads = 1.try_into().unwrap();
    options.simd = simd;
    options.task_bytes = NonZeroU64::new(task_bytes as u64).unwrap();
    let collect = Collect(columns.to_vec());
    let engine = Engine::new(options);
    let mut run = engine.run(&collect);
    let mut opening = OpenOptions::default();
    opening.schema = Some(schema);
    let input = opening.open(file.path.as_ref()).unwrap();
    run.input(input).unwrap();
    let folded = run.finish();
    assert_eq!(folded.lines, folded.partial.len() as u64);
    folded.partial.into_values().collect()
}

/// Collects columns by the place of their line.
struct Collect(Vec<usize>);

impl Fold for Collect {
    type Partial = BTreeMap<u64, Vec<Option<Vec<u8>>>>;

    fn need(&self, _: &Part) -> Result<Need, Error> {
        Ok(Need::Rows(self.0.clone()))
    }

    fn partial(&self) -> Self::Partial {
        BTreeMap::new()
    }

    fn rows(&self, rows: &Rows<'_>, lines: &mut Self::Partial) -> Result<(), Error> {
        for row in rows.iter() {
            let column = |nth| row.column(nth).map(<[u8]>::to_vec);
            let columns = (0..self.0.len()).map(column).collect();
            assert_eq!(lines.insert(row.byte(), columns), None, "each line once");
        }
        Ok(())
    }

    fn merge(&self, into: &mut Self::Partial, from: Self::Partial) {
        into.extend(from);
    }
}
