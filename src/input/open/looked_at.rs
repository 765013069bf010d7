//! Files that a look at their schemas has opened.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::sync::{Arc, Mutex};

use crate::input::watched::Watched;
use crate::workers::lock;

/// Files that wait to be read, by their paths.
///
/// A look at a schema opens a file, and reading takes the same opening. A change between the two is then noticed as any other.
#[derive(Clone, Debug, Default)]
pub(in crate::input) struct LookedAt(Arc<Mutex<HashMap<OsString, Arc<Watched>>>>);

impl LookedAt {
    /// The most files that wait. A process may have 1,024 descriptors.
    const MOST: usize = 64;

    pub(in crate::input) fn keep(&self, path: &OsStr, file: Arc<Watched>) {
        let mut files = lock(&self.0);
        if files.len() < LookedAt::MOST {
            files.insert(path.to_owned(), file);
        }
    }

    pub(in crate::input) fn take(&self, path: &OsStr) -> Option<Arc<Watched>> {
        lock(&self.0).remove(path)
    }
}
