//! The oracle: the report by a slow program in another language, which shares nothing with this one.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::needs;
use super::program::run;
use super::twin::Asked;

/// Returns the oracle's report on a plain file, as JSON in one line.
pub fn text(path: &Path, asked: &Asked) -> String {
    let names: Vec<_> = asked.names.iter().map(u64::to_string).collect();
    let column = if asked.transaction_date {
        "TRANSACTION_DT"
    } else {
        "IMAGE_NUM"
    };
    let mut command = Command::new("python3");
    command.args(["tests/oracle.py", "--name", &names.join(",")]);
    command.args(["--top", &asked.top.to_string(), "--month-column", column]);
    let ended = run(command.arg(path));
    assert_eq!(ended.status, 0, "{}", ended.err);
    ended.out.trim_end().to_owned()
}

/// Unpacks the members of an archive with Python.
pub fn unpack(archive: &Path, folder: &Path) {
    const UNPACK: &str =
        "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])";
    let mut command = Command::new("python3");
    let ended = run(command.args(["-c", UNPACK]).args([archive, folder]));
    assert_eq!(ended.status, 0, "{}", ended.err);
}

/// Returns the real files with this extension.
pub fn real_files(extension: &str) -> Vec<PathBuf> {
    let folder = needs::real_files().unwrap();
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension() == Some(OsStr::new(extension)))
        .collect();
    files.sort();
    files
}
