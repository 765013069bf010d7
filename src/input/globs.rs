//! Patterns of paths.

use std::ffi::OsString;
use std::path::Path;

use crate::error::{Error, escaped};

/// Returns the files that a path in FROM means: those that match it, in the order of their names, if it has one of `*?[` and no file is called so.
///
/// ```
/// let files = fecscan::input::matching("fixtures/generated*.txt")?;
/// assert_eq!(files, ["fixtures/generated-hostile.txt", "fixtures/generated.txt"]);
/// # Ok::<(), fecscan::Error>(())
/// ```
///
/// # Errors
/// A usage error for a pattern that can't be one, or that no file matches. If a folder can't be read.
pub fn matching(path: &str) -> Result<Vec<OsString>, Error> {
    if !path.contains(['*', '?', '[']) || Path::new(path).exists() {
        return Ok(vec![path.into()]);
    }
    let wrong = |what: String, advice: &str| Err(Error::usage(what).advise(advice.to_owned()));
    let found = match glob::glob(path) {
        Ok(found) => found,
        Err(error) => {
            let what = format!(
                "'{}' is not a pattern: {}",
                escaped(path.as_bytes()),
                error.msg
            );
            return wrong(what, "write one such as 'indiv*.zip'");
        }
    };
    let mut files = Vec::new();
    for path in found {
        let path = path.map_err(|error| {
            let path = error.path().to_owned();
            Error::of_reading(error.into()).about(path)
        })?;
        if !path.is_dir() {
            files.push(path.into_os_string());
        }
    }
    if files.is_empty() {
        let what = format!("no file matches '{}'", escaped(path.as_bytes()));
        return wrong(what, "check the pattern");
    }
    Ok(files)
}
