//! Groups that stay in the files of partials until it is their turn.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileExt, symlink};
use std::path::{Path, PathBuf};

use fecscan::partial::Partial;

use crate::common::by::By;
use crate::common::partials::{Command, Way};

const WAY: Way = Way {
    threads: 1,
    task_bytes: 1 << 20,
    filter: None,
};

/// From so many bytes on, a partial is read again.
const MEBIBYTE: usize = 1 << 20;

/// The third is the only one that is not read again.
const SIZES: [usize; 4] = [MEBIBYTE, MEBIBYTE + 1, MEBIBYTE - 1, MEBIBYTE];

fn by_name(most: u64) -> By {
    By {
        max_groups: Some(most),
        ..By::new("NAME", "")
    }
}

/// Partials in files.
struct Files {
    folder: tempfile::TempDir,
    command: By,
    partials: Vec<Vec<u8>>,
}

impl Files {
    /// Makes one for each of [`SIZES`], of a row with a long name.
    fn new() -> Files {
        let folder = tempfile::tempdir().unwrap();
        let command = by_name(4);
        let rows = folder.path().join("rows.txt");
        let mut partials = Vec::new();
        let mut name_bytes = SIZES;
        // The first time tells how many bytes a partial has besides the name.
        for _ in 0..2 {
            partials = partials_of_rows(&rows, &command, name_bytes);
            for ((bytes, size), partial) in name_bytes.iter_mut().zip(SIZES).zip(&partials) {
                *bytes -= partial.len() - size;
            }
        }
        assert!(partials.iter().map(Vec::len).eq(SIZES));
        Files {
            folder,
            command,
            partials,
        }
    }

    fn path(&self, nth: usize) -> PathBuf {
        self.folder.path().join(nth.to_string())
    }

    /// Writes all partials, and opens them.
    fn open(&self) -> Vec<(OsString, Partial)> {
        let files = (0..).zip(&self.partials).map(|(nth, bytes)| {
            let path = self.path(nth);
            // It may be a link.
            _ = fs::remove_file(&path);
            fs::write(&path, bytes).unwrap();
            let partial = Partial::open(path.as_os_str()).unwrap();
            (path.into(), partial)
        });
        files.collect()
    }

    /// Merges partials that are opened, and then changed.
    fn merge_changed(&self, change: impl FnOnce()) -> Result<Vec<u8>, String> {
        let partials = self.open();
        change();
        let merged = self.command.merge_read(partials, WAY);
        merged.map_err(|error| error.with_advice())
    }
}

fn partials_of_rows(path: &Path, command: &By, name_bytes: [usize; 4]) -> Vec<Vec<u8>> {
    let (mut text, mut ranges) = (String::new(), Vec::new());
    for (letter, bytes) in ["A", "B", "C", "D"].into_iter().zip(name_bytes) {
        let start = text.len() as u64;
        let (name, before, after) = (letter.repeat(bytes), "|".repeat(7), "|".repeat(13));
        // The city keeps the places of rows away from 2 MiB, from where on they are written in a byte more.
        text += &format!("{before}{name}|{}{}\n", "c".repeat(9000), &after[1..]);
        ranges.push(start..text.len() as u64);
    }
    fs::write(path, text).unwrap();
    let ranges = ranges.into_iter();
    ranges
        .map(|range| command.partial(path, range, WAY))
        .collect()
}

#[test]
fn groups_are_read_again_when_they_are_merged() {
    let files = Files::new();
    let merged = files.command.merge(&files.partials, WAY).unwrap();
    assert_eq!(files.merge_changed(|| ()).unwrap(), merged);
    for ((_, partial), bytes) in files.open().iter().zip(&files.partials) {
        let mut out = Vec::new();
        partial.write(&mut out).unwrap();
        assert!(out == *bytes);
    }

    let gone = |nth| files.merge_changed(|| fs::remove_file(files.path(nth)).unwrap());
    assert_eq!(gone(2).unwrap(), merged);
    for nth in [0, 1, 3] {
        let error = gone(nth).unwrap_err();
        let end = format!("{nth}: No such file or directory");
        assert!(error.ends_with(&end), "{error}");
    }
}

/// A partial that is not what it was is refused, and no more of it is read than it had.
#[test]
fn a_partial_that_changes_while_it_is_merged_is_refused() {
    let files = Files::new();
    let path = files.path(3);
    let file = || OpenOptions::new().write(true).open(&path).unwrap();
    let changes: [(&str, &dyn Fn()); 6] = [
        ("another", &|| {
            _ = fs::copy(files.path(0), &path).unwrap();
        }),
        ("in the middle", &|| {
            file().write_all_at(b"~", 5000).unwrap();
        }),
        ("longer", &|| {
            let mut bytes = files.partials[3].clone();
            bytes.push(0);
            fs::write(&path, bytes).unwrap();
        }),
        ("shorter", &|| file().set_len(MEBIBYTE as u64 - 1).unwrap()),
        ("empty", &|| file().set_len(0).unwrap()),
        ("without an end", &|| {
            fs::remove_file(&path).unwrap();
            symlink("/dev/zero", &path).unwrap();
        }),
    ];
    for (what, change) in changes {
        let error = files.merge_changed(change).unwrap_err();
        let expected = "3: has changed while it was merged; merge partials that are complete";
        assert!(error.ends_with(expected), "{what}: {error}");
    }
}

/// The last of too many is not looked at.
#[test]
fn too_many_groups_end_a_merge_before_the_rest_is_read_again() {
    let mut files = Files::new();
    files.command = by_name(2);
    let gone = || fs::remove_file(files.path(3)).unwrap();
    let error = files.merge_changed(gone).unwrap_err();
    assert!(error.starts_with("there are more than 2 groups"), "{error}");
}
