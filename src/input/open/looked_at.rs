//! Files that stay open between a look at them, or a pass over them, and the next pass.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::sync::{Arc, Mutex};

use rustix::process::{Resource, getrlimit};

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
    /// Returns the most files that stay open. Others are opened again by their names.
    fn most(&self) -> usize {
        let limit = getrlimit(Resource::Nofile).current;
        let quarter = limit.map_or(usize::MAX, |limit| limit as usize / 4);
        quarter.min(if self.keeps { 512 } else { 64 })
    }

    pub(in crate::input) fn keep(&self, path: &OsStr, file: Arc<Watched>) {
        let mut files = lock(&self.files);
        if files.len() < self.most() {
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
