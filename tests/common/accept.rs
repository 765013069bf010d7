//! Stored answers, which `FECSCAN_ACCEPT=1 cargo test` writes anew. A change of them is then a diff to review.

use std::env;
use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Returns whether differences are written to the files instead of failing.
pub fn accepts() -> bool {
    env::var_os("FECSCAN_ACCEPT").is_some()
}

/// Keeps tests apart that write the same file anew.
pub fn lock() -> Option<MutexGuard<'static, ()>> {
    static FILES: Mutex<()> = Mutex::new(());
    accepts().then(|| FILES.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Asserts that the file at `path` has this text, or writes it.
#[track_caller]
pub fn assert_stored(path: &str, text: &str) {
    let stored = fs::read_to_string(path).unwrap_or_default();
    if stored != text && accepts() {
        fs::write(path, text).unwrap();
        return;
    }
    assert!(
        stored == text,
        "{path} differs:\n{}FECSCAN_ACCEPT=1 cargo test writes it anew",
        diff(&stored, text)
    );
}

/// Returns the lines that differ, marked as `diff` marks them. Equal lines at both ends are left out.
pub fn diff(stored: &str, found: &str) -> String {
    let (stored, found): (Vec<_>, Vec<_>) = (stored.lines().collect(), found.lines().collect());
    let same = |(one, other): &(&&str, &&str)| one == other;
    let before = stored.iter().zip(&found).take_while(same).count();
    let (stored, found) = (&stored[before..], &found[before..]);
    let ends = stored.iter().rev().zip(found.iter().rev());
    let after = ends.take_while(same).count();
    let marked = |mark: &str, lines: &[&str]| {
        let lines = lines[..lines.len() - after].iter();
        lines
            .map(|line| format!("{mark} {line}\n"))
            .collect::<String>()
    };
    format!(
        "line {}\n{}{}",
        before + 1,
        marked("-", stored),
        marked("+", found)
    )
}
