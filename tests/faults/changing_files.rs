//! Files that change while they are scanned: never an answer with nothing said.
//!
//! The change is made by a fold, in the middle of the pass.

use std::fs::{self, File};
use std::io::Write;
use std::num::{NonZeroU64, NonZeroUsize};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;
use std::sync::Once;

use crate::common::run::mapped;
use crate::faults::waiting::wait_for_tick_after;
use fecscan::engine::{Engine, Options};
use fecscan::error::Error;
use fecscan::fold::Fold;
use fecscan::input::{Input, Io, Part};
use fecscan::scan::{Need, Rows};

const TASK_BYTES: u64 = 4096;
const LINE: &[u8] = b"0123456789\n";

/// Counts lines, and does something else at its first rows.
struct CountAnd<F> {
    change: F,
    once: Once,
}

impl<F: Fn() + Sync> Fold for CountAnd<F> {
    type Partial = ();

    fn need(&self, _: &Part) -> Result<Need, Error> {
        Ok(Need::Rows(Vec::new()))
    }

    fn partial(&self) {}

    fn rows(&self, _: &Rows<'_>, (): &mut ()) -> Result<(), Error> {
        self.once.call_once(&self.change);
        Ok(())
    }

    fn merge(&self, (): &mut (), (): ()) {}
}

/// Scans a file while `change` is made to it.
fn scan(io: Io, change: impl Fn(&Path) + Sync) -> Result<u64, Error> {
    scan_bytes(io, 110_000, change)
}

/// Scans a file of so many bytes of lines.
fn scan_bytes(io: Io, bytes: usize, change: impl Fn(&Path) + Sync) -> Result<u64, Error> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file.txt");
    fs::write(&path, LINE.repeat(bytes / LINE.len())).unwrap();
    // Without it, the change may happen at the time of the file.
    wait_for_tick_after(&path);

    let mut options = Options::default();
    options.threads = NonZeroUsize::MIN;
    options.task_bytes = NonZeroU64::new(TASK_BYTES).unwrap();
    let engine = Engine::new(options);
    let fold = CountAnd {
        change: || change(&path),
        once: Once::new(),
    };
    let mut run = engine.run(&fold);
    run.input(Input::open(path.as_os_str(), io)?)?;
    Ok(run.finish().lines)
}

fn cut(path: &Path, bytes: u64) {
    File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_len(bytes)
        .unwrap();
}

const CHANGED: &str = "file.txt: was changed while it was read; run again when nobody writes to it";

#[track_caller]
fn assert_noticed(io: Io, change: impl Fn(&Path) + Sync, message: &str) {
    let error = scan(io, change).unwrap_err().with_advice();
    assert!(error.ends_with(message), "{error}");
}

#[test]
fn files_that_stay_as_they_are_are_counted() {
    for io in [mapped(), Io::read()] {
        assert_eq!(scan(io, |_| ()).unwrap(), 10_000);
    }
}

#[test]
fn a_file_that_grows_or_is_written_to_is_noticed() {
    for io in [mapped(), Io::read()] {
        let append = |path: &Path| {
            File::options()
                .append(true)
                .open(path)
                .unwrap()
                .write_all(LINE)
                .unwrap();
        };
        assert_noticed(io, append, CHANGED);
        assert_noticed(
            io,
            |path| fs::write(path, LINE.repeat(10_000)).unwrap(),
            CHANGED,
        );
    }
    // Cut by less than a page, the bytes that are gone read as zeros.
    assert_noticed(
        mapped(),
        |path| cut(path, LINE.len() as u64 * 10_000 - 5),
        "file.txt: became shorter while it was read (byte 109995); run again when it is complete",
    );
}

/// What was cut off reads as zeros when the file is long again: that looks like one long line.
#[test]
fn a_file_that_is_cut_and_made_long_again_was_changed() {
    for io in [mapped(), Io::read()] {
        let change = |path: &Path| {
            cut(path, 50_000);
            cut(path, 40 << 20);
        };
        let made_long = |path: &Path| {
            let bytes = fs::metadata(path).unwrap().len();
            cut(path, 50_000);
            cut(path, bytes);
        };
        assert_noticed(io, change, CHANGED);
        let error = scan_bytes(io, 40 << 20, made_long)
            .unwrap_err()
            .with_advice();
        assert!(error.ends_with(CHANGED), "{error}");
    }
}

#[test]
fn a_file_that_is_cut_while_it_is_read_ends_early() {
    let message =
        "file.txt: became shorter while it was read (byte 50000); run again when it is complete";
    assert_noticed(Io::read(), |path| cut(path, 50_000), message);
}

#[test]
fn a_file_that_is_renamed_or_replaced_or_unlinked_is_still_the_file() {
    for io in [mapped(), Io::read()] {
        assert_eq!(
            scan(io, |path| fs::rename(path, path.with_extension("old"))
                .unwrap())
            .unwrap(),
            10_000
        );
        assert_eq!(
            scan(io, |path| fs::remove_file(path).unwrap()).unwrap(),
            10_000
        );
        let replace = |path: &Path| {
            fs::write(path.with_extension("new"), "other\n").unwrap();
            fs::rename(path.with_extension("new"), path).unwrap();
        };
        assert_eq!(scan(io, replace).unwrap(), 10_000);
    }
}

/// What the file's times would not tell if the time of change were not looked at.
#[test]
fn a_file_that_is_written_to_and_given_back_its_time_is_noticed() {
    for io in [mapped(), Io::read()] {
        let overwrite = |path: &Path| {
            let modified = fs::metadata(path).unwrap().modified().unwrap();
            let file = File::options().write(true).open(path).unwrap();
            file.write_all_at(b"x", 12).unwrap();
            file.set_modified(modified).unwrap();
            assert_eq!(fs::metadata(path).unwrap().modified().unwrap(), modified);
        };
        assert_noticed(io, overwrite, CHANGED);
    }
}

/// These change the time of change too, but not the bytes.
#[test]
fn a_file_that_is_linked_or_given_other_rights_is_still_the_file() {
    for io in [mapped(), Io::read()] {
        let link = |path: &Path| fs::hard_link(path, path.with_extension("link")).unwrap();
        assert_eq!(scan(io, link).unwrap(), 10_000);
        let lock =
            |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o400)).unwrap();
        assert_eq!(scan(io, lock).unwrap(), 10_000);
    }
}
