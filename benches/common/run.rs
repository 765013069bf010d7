//! Folds on the engine.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::Path;

use fecscan::engine::Engine;
use fecscan::engine::Options;
use fecscan::fold::{Fold, Folded};
use fecscan::input::{Input, Io};

use super::file::BenchFile;
use super::rows::write_rows;

/// Maps files. Nothing writes to the files of the benchmarks.
#[allow(unsafe_code)]
pub fn mapped() -> Io {
    // SAFETY: the folds of the benchmarks only compare and copy bytes, like those of the program.
    unsafe { Io::auto() }
}

/// Returns the file of the benchmarks, made by the library.
pub fn bench_file() -> BenchFile {
    BenchFile::find(|rows, path| {
        let file = File::create(path).expect("the file can be made");
        let mut file = BufWriter::new(file);
        write_rows(rows, &mut file);
        file.flush().expect("there is room for the rows");
    })
}

/// Returns an engine of `threads` workers.
pub fn engine(threads: usize) -> Engine {
    let mut options = Options::default();
    options.threads = NonZeroUsize::new(threads).expect("one worker at least");
    Engine::new(options)
}

/// Folds the file at `path`. The engine starts its threads the first time.
pub fn fold<F: Fold>(engine: &Engine, fold: &F, path: &Path, io: Io) -> Folded<F::Partial> {
    fold_numbered(engine, fold, path, io, &[])
}

/// Folds the file at `path`, and returns the lines `numbered` with the result.
pub fn fold_numbered<F: Fold>(
    engine: &Engine,
    fold: &F,
    path: &Path,
    io: Io,
    numbered: &[u64],
) -> Folded<F::Partial> {
    let mut run = engine.run(fold).with_numbered_lines(numbered);
    let input = Input::open(path.as_os_str(), io).expect("the file can be read");
    run.input(input).expect("the file can be read whole");
    run.finish()
}
