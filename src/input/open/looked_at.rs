//! Files that stay open between a look at them, or a pass over them, and the next pass.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::sync::{Arc, Mutex};

use crate::input::watched::Watched;
use crate::workers::lock;

/// Files that wait to be read, by their paths.
///
/// A look at a schema opens a file, and reading takes the same opening. A change between the two is then noticed as any other, and a
/// rename does no harm.
#[derive(Clone, Debug, Default)]
pub(in crate::input) struct LookedAt {
    files: Arc<Mutex<HashMap<OsString, Arc<Watched>>>>,
    /// Files are read several times, and stay open.
    pub(in crate::input) keeps: bool,
}

impl LookedAt {
    /// The most files that wait. A process may have 1,024 descriptors.
    const MOST: usize = 512;

    pub(in crate::input) fn keep(&self, path: &OsStr, file: Arc<Watched>) {
        let mut files = lock(&self.files);
        if files.len() < LookedAt::MOST {
            files.insert(path.to_owned(), file);
        }
    }

    pub(in crate::input) fn take(&self, path: &OsStr) -> Option<Arc<Watched>> {
        let mut files = lock(&self.files);
        if self.keeps {
            files.get(path).cloned()
        } else {
            files.remove(path)
        }
    }
}
