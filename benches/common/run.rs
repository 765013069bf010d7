//! Running the program, and folds on the engine.

use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Command, Stdio};

use fecscan::engine::{Engine, FileLines, Options};
use fecscan::fold::Fold;
use fecscan::input::{Input, Io};

/// Maps files: nothing writes to those of the benchmarks.
#[allow(unsafe_code)]
pub fn mapped() -> Io {
    // SAFETY: the folds of the benchmarks only compare and copy bytes, like those of the program.
    unsafe { Io::auto() }
}

/// A command that runs the program of this project.
pub fn fecscan() -> Command {
    Command::new(env!("CARGO_BIN_EXE_fecscan"))
}

/// Returns the standard output of `command`, which must succeed.
pub fn output(command: &mut Command) -> String {
    let ended = command.stdin(Stdio::null()).output();
    let ended = ended.unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(ended.status.success(), "{command:?}: {ended:?}");
    String::from_utf8_lossy(&ended.stdout).into_owned()
}

/// Folds the file with this many new threads. Returns the number of its lines, and the partial.
pub fn fold<F: Fold>(fold: &F, path: &Path, threads: usize) -> (FileLines, F::Partial) {
    let engine = Engine::new(Options {
        threads: NonZeroUsize::new(threads).expect("a thread at least"),
        ..Options::default()
    });
    let mut run = engine.run(fold);
    let input = Input::open(path.as_os_str(), mapped()).expect("the file can be read");
    run.input(input).expect("the file can be read whole");
    let (mut files, partial) = run.finish();
    (files.remove(0), partial.expect("there was a file"))
}
