//! Running the program, and folds on the engine.

use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Command, Stdio};

use fecscan::Engine;
use fecscan::engine::Options;
use fecscan::fold::{Fold, Folded};
use fecscan::input::{Input, Io};

/// Maps files. Nothing writes to the files of the benchmarks.
#[allow(unsafe_code)]
pub fn mapped() -> Io {
    // SAFETY: the folds of the benchmarks only compare and copy bytes, like those of the program.
    unsafe { Io::auto() }
}

/// Returns a command that runs the program of this project.
pub fn fecscan() -> Command {
    Command::new(env!("CARGO_BIN_EXE_fecscan"))
}

/// Runs `command`, which must succeed, and returns its standard output.
pub fn output(command: &mut Command) -> String {
    let ended = command.stdin(Stdio::null()).output();
    let ended = ended.unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(ended.status.success(), "{command:?}: {ended:?}");
    String::from_utf8_lossy(&ended.stdout).into_owned()
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
